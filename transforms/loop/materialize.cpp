// `materialize V kind=temp over=i,j -> T`: a value that is computed where it is needed gets cells of its own
// (spec/materialize.md).
//
//   for j { Y[j] = scope v { v = f(X[j]) } + scope v.1 { v.1 = f(X[j + 1]) } }     materialize v*     becomes
//   for j.1 { T[j.1] = f(X[j.1]) }   for j { Y[j] = T[j] + T[j + 1] }
//
// The scopes named have to be one expression at different values of its loop symbols; a nest in front of the first use
// computes it at all of them. An expression, `materialize (f(X[j])) instances`, is taken for scopes at the places that
// compute it. A `var` becomes a buffer with a cell for each of its instances, statement by statement.
#include <algorithm>

#include "ir/analysis/access.hpp"
#include "transforms/define.hpp"
#include "transforms/tile.hpp"
#include "transforms/value_cells.hpp"

namespace assay {
namespace {

class Materialize final : public Operation {
 public:
  explicit Materialize(Arguments line) : line_(std::move(line)) {}

  static Declaration declare() {
    Declaration d;
    d.name = "materialize";
    d.rule_prefix = "MAT";
    d.summary = "gives a value that is computed where it is needed cells of its own";
    using Kind = ParameterInfo::Kind;
    d.parameters = {
        {"value",
         Kind::value,
         true,
         {},
         {},
         "a `var`, a scope's variable, with `*` the copies of one, or an expression in parentheses"},
        {"instances",
         Kind::boolean,
         false,
         "false",
         {},
         "also where the expression is computed at other values of its loop symbols"},
        {"kind", Kind::choice, false, "temp", {"temp", "local"}, "where the cells are"},
        {"over", Kind::loops, false, {}, {}, "the loops that have a cell for each iteration"},
        {"cells", Kind::result, false, {}, {}, "the new buffer"},
    };
    d.refusals = {
        {"MAT-2", "several names, and not all of scopes"},
        {"MAT-3", "the scopes are not one expression at different values of its loop symbols"},
        {"MAT-4", "the expression reads a variable from outside"},
        {"MAT-5", "the loops do not fit: one is not around the value, or another one that the value needs lies inside"},
        {"MAT-14", "no statement computes the expression"},
        {"MAT-6", "there is no place for the stores, or the cells have no extent"},
    };
    d.schema = "W (rewrite), for a `var` F (flow)";
    d.obligations = {"value-preservation", "in-bounds", "defined-before-read", "index-width"};
    d.example_program =
        "program blur { input X: f32[10] output Y: f32[9]\n"
        "  for j in 0..9 {\n"
        "    Y[j] = scope v: f32 { v = 0.5 * X[j] }\n"
        "      + scope v.1: f32 { v.1 = 0.5 * X[j + 1] }\n"
        "  }\n"
        "}\n";
    d.example_schedule = "materialize v* -> T\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program&) {
    return std::make_unique<Materialize>(std::move(line));
  }

  StepResult apply(const Program& before, Query&) const override {
    NameSupply names(before.bound_names());
    if (const auto e = line_.expressions.find("value"); e != line_.expressions.end())
      return expression(before, e->second, names);
    if (line_.flag("instances"))
      return tl::unexpected(error("MAT-13", line_.place("instances"), "`instances` goes with an expression alone",
                                  "`V*` names all copies of a scope"));
    const std::vector<Symbol>& values = line_.values.at("value");
    const Extraction extraction = extract(before);
    const auto is_scope = [&](const Symbol& v) { return extraction.variables.at(v).scope; };
    if (std::all_of(values.begin(), values.end(), is_scope)) return scopes(before, extraction, values, names);
    if (values.size() > 1) {
      const Symbol& name = *std::find_if_not(values.begin(), values.end(), is_scope);
      return tl::unexpected(refused("MAT-2", fmt::format("`{}` is a `var`, and one of several", name),
                                    extraction.find(extraction.variables.at(name).statement)->stmt->where));
    }
    return variable(before, extraction, values.front());
  }

 private:
  Refusal refused(std::string code, const std::string& reason, Location where = {}) const {
    return inapplicable(line_, std::move(code), reason, where);
  }

  // The loops that the line names.
  std::optional<std::vector<Symbol>> over() const {
    const auto loops = line_.loops.find("over");
    return loops == line_.loops.end() ? std::nullopt : std::optional(loops->second);
  }

  // ---- expressions -------------------------------------------------------------------------------------------------

  // Each place becomes a scope, and these are given cells.
  StepResult expression(const Program& before, const Expr& e, NameSupply& names) const {
    if (e->op == Op::literal || e->op == Op::index || e->op == Op::variable || e->op == Op::scope)
      return tl::unexpected(
          error("MAT-13", line_.place("value"), "this is no operation, and no read of a buffer",
                e->op == Op::variable || e->op == Op::scope ? "a variable is named without parentheses" : ""));
    std::set<Symbol> open;
    if (line_.flag("instances")) {
      const std::set<Symbol> used = free_symbols({make_assign("value", e)});
      const std::vector<Symbol> loops = over().value_or(loop_names(before));
      std::copy_if(loops.begin(), loops.end(), std::inserter(open, open.end()),
                   [&](const Symbol& l) { return used.count(l) != 0; });
    }
    const NamedPlaces named = name_places(before, e, open);
    if (named.names.empty())
      return tl::unexpected(refused("MAT-14", fmt::format("no statement computes `{}`", print(e))));
    return scopes(named.program, extract(named.program), named.names, names);
  }

  // ---- scopes ------------------------------------------------------------------------------------------------------

  StepResult scopes(const Program& before, const Extraction& extraction, const std::vector<Symbol>& values,
                    NameSupply& names) const {
    const auto planned = value_cells(before, extraction, values, over());
    if (!planned) return tl::unexpected(inapplicable(line_, planned.error()));
    if (planned->anchor && in_scope(before, planned->anchor->name))
      return tl::unexpected(refused("MAT-6", "the stores would stand in a scope", planned->anchor->where));
    const auto& result = line_.results.find("cells");
    const Symbol buffer = result == line_.results.end() ? names.fresh(values.front()) : result->second;
    names.take(buffer);
    const Type type = planned->uses.front().e->type;

    std::map<Symbol, Expr> reads;
    for (const ValueUse& o : planned->uses)
      reads[o.e->name] = make_load(buffer, type, index_expressions(cell_of(*planned, o.at)), o.e->where);
    const auto in_statement = [&](const Stmt& s) { return without_scopes(s, reads); };
    bool placed_stores = false;
    const auto in_block = [&](const Block& b) {
      Block out;
      for (const Stmt& s : b) {
        const Stmt replaced = in_statement(s);
        if (!placed_stores && !(replaced == s)) {
          const Block nest = value_stores(*planned, buffer, names);
          out.insert(out.end(), nest.begin(), nest.end());
          placed_stores = true;
        }
        out.push_back(replaced);
      }
      return out;
    };
    Program after = before;
    if (!planned->anchor) {
      after.body = in_block(before.body);
    } else {
      after = rewrite_loops(before, [&](const Stmt& loop) -> std::optional<Block> {
        if (loop->name != planned->anchor->name) return std::nullopt;
        return Block{with(loop, [&](StmtNode& n) { n.body = in_block(n.body); })};
      });
    }
    after.buffers.push_back({buffer,
                             line_.choices.at("kind") == "local" ? BufferKind::local : BufferKind::temp,
                             type,
                             planned->dims,
                             {},
                             {},
                             {}});
    return placed(line_, std::move(after));
  }

  static Stmt without_scopes(const Stmt& s, const std::map<Symbol, Expr>& reads) {
    const Block out = rewrite({s}, [&](const Expr& e) {
      const auto read = e->op == Op::scope ? reads.find(e->name) : reads.end();
      return read == reads.end() ? e : read->second;
    });
    return out[0];
  }

  // ---- a `var` -----------------------------------------------------------------------------------------------------

  StepResult variable(const Program& before, const Extraction& extraction, const Symbol& name) const {
    const Variable& v = extraction.variables.at(name);
    const Node& declared = *extraction.find(v.statement);
    const bool local = line_.choices.at("kind") == "local";
    if (in_scope(before, name))
      return tl::unexpected(refused("MAT-6", "it stands in a scope, which holds no stores", declared.stmt->where));
    std::vector<Stmt> over = local ? std::vector<Stmt>{} : v.around;
    if (const auto loops = line_.loops.find("over"); loops != line_.loops.end()) {
      over.clear();
      for (const Stmt& l : v.around) {
        if (std::find(loops->second.begin(), loops->second.end(), l->name) != loops->second.end()) over.push_back(l);
      }
      if (over.size() != loops->second.size())
        return tl::unexpected(refused("MAT-5", "one of the loops is not around the variable", declared.stmt->where));
    }
    std::vector<Index> symbols;
    for (const Stmt& l : over) symbols.push_back(Index::symbol(l->name));
    const auto tile = tile_of(before, symbols, over, v.around);
    if (!tile) return tl::unexpected(refused("MAT-6", "the cells have no extent", declared.stmt->where));

    NameSupply names(before.bound_names());
    const auto& result = line_.results.find("cells");
    const Symbol buffer = result == line_.results.end() ? names.fresh(name) : result->second;
    const std::vector<Expr> at = index_expressions(tile->at);
    Program after = before;
    after.body = rewrite(
        before.body,
        [&](const Expr& e) {
          return e->op == Op::variable && e->name == name ? make_load(buffer, v.type, at, e->where) : e;
        },
        [&](const Stmt& s) -> Block {
          const bool sets = s->kind == StmtKind::declare || s->kind == StmtKind::assign;
          if (!sets || s->name != name) return {s};
          if (!s->value) return {};
          return {with(s, [&](StmtNode& n) {
            n.kind = StmtKind::store;
            n.name = buffer;
            n.type = Type::index;
            n.indices = at;
          })};
        });
    after.buffers.push_back({buffer, local ? BufferKind::local : BufferKind::temp, v.type, tile->dims, {}, {}, {}});
    return placed(line_, std::move(after));
  }

  // Whether what binds the name, a loop or a `var`, stands in a scope.
  static bool in_scope(const Program& p, const Symbol& name) {
    bool found = false;
    Visitor in;
    in.enter_stmt = [&](const Stmt& s) {
      found = found || ((s->kind == StmtKind::declare || s->kind == StmtKind::loop) && s->name == name);
      return true;
    };
    Visitor v;
    v.enter_expr = [&](const Expr& e) {
      if (e->op == Op::scope) {
        for (const Stmt& s : e->body) visit(s, in);
      }
      return true;
    };
    visit(p.body, v);
    return found;
  }

  Arguments line_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(Materialize)
