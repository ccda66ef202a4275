// `materialize V kind=temp over=i,j -> T`: a value that is computed where it is needed gets cells of its own
// (spec/materialize.md).
//
//   for j { Y[j] = scope v { v = f(X[j]) } + scope v.1 { v.1 = f(X[j + 1]) } }     materialize v*     becomes
//   for j.1 { T[j.1] = f(X[j.1]) }   for j { Y[j] = T[j] + T[j + 1] }
//
// The scopes named have to be one expression at different values of its loop symbols; a nest in front of the first use
// computes it at all of them. A `var` becomes a buffer with a cell for each of its instances, statement by statement.
#include <algorithm>

#include "ir/analysis/access.hpp"
#include "transforms/define.hpp"
#include "transforms/pattern.hpp"
#include "transforms/reduction.hpp"
#include "transforms/tile.hpp"

namespace assay {
namespace {

using Places = std::map<Symbol, Index>;

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
        {"value", Kind::value, true, {}, {}, "a `var`, a scope's variable, or with `*` the copies of one"},
        {"kind", Kind::choice, false, "temp", {"temp", "local"}, "where the cells are"},
        {"over", Kind::loops, false, {}, {}, "the loops that have a cell for each iteration"},
        {"cells", Kind::result, false, {}, {}, "the new buffer"},
    };
    d.refusals = {
        {"MAT-2", "several names, and not all of scopes"},
        {"MAT-3", "the scopes are not one expression at different values of its loop symbols"},
        {"MAT-4", "the expression reads a variable from outside"},
        {"MAT-5", "the loops do not fit: one is not around the value, or another one that the value needs lies inside"},
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
    const std::vector<Symbol>& values = line_.values.at("value");
    const Extraction extraction = extract(before);
    const auto is_scope = [&](const Symbol& v) { return extraction.variables.at(v).scope; };
    if (std::all_of(values.begin(), values.end(), is_scope)) return scopes(before, extraction);
    if (values.size() > 1)
      return tl::unexpected(refused("MAT-2", fmt::format("`{}` is a `var`, and one of several", values.front())));
    return variable(before, extraction, values.front());
  }

 private:
  Refusal refused(std::string code, const std::string& reason, Location where = {}) const {
    return inapplicable(line_, std::move(code), reason, where);
  }

  // One of the scopes, and where it is evaluated.
  struct Occurrence {
    Expr e{};
    const Node* node = nullptr;
    std::vector<Guard> guards{};  // beyond the node's
    Places at{};                  // the pattern's loop symbols here
  };

  void collect(const Expr& e, const Node& n, std::vector<Guard> guards, std::vector<Occurrence>& into) const {
    if (e->op == Op::scope) {
      const auto& wanted = line_.values.at("value");
      if (std::find(wanted.begin(), wanted.end(), e->name) != wanted.end()) into.push_back({e, &n, guards, {}});
      return;  // what is inside has nodes of its own
    }
    for (std::size_t i = 0; i < e->args.size(); ++i) {
      std::vector<Guard> here = guards;
      if (i > 0 && (e->op == Op::choice || e->op == Op::land || e->op == Op::lor))
        here.push_back({e->args[0], e->op == Op::choice ? i == 1 : e->op == Op::land, -1, 0});
      collect(e->args[i], n, std::move(here), into);
    }
  }

  // ---- scopes ------------------------------------------------------------------------------------------------------

  struct Plan {
    std::vector<Occurrence> uses{};
    std::vector<Stmt> over{};          // loops of the first use, from the outside in
    Stmt anchor{};                     // the loop at the start of whose body the stores stand; none: the program
    std::vector<Index> low{}, high{};  // of the cells in each of `over`, high exclusive
    std::vector<Index> dims{};
  };

  tl::expected<Plan, Refusal> plan(const Program& before, const Extraction& extraction) const {
    Plan out;
    for (const Node& n : extraction.nodes) {
      for (const Expr& e : n.stmt->indices) collect(e, n, {}, out.uses);
      if (n.stmt->value) collect(n.stmt->value, n, {}, out.uses);
    }
    const Occurrence& first = out.uses.front();
    const std::vector<Stmt>& around = first.node->loops;
    std::set<Symbol> used = free_symbols({make_assign("value", first.e)});
    for (const Parameter& p : before.parameters) used.erase(p.name);
    for (const Symbol& s : used) {
      if (extraction.variables.count(s) != 0)
        return tl::unexpected(refused("MAT-4", fmt::format("the expression reads `{}`", s), first.e->where));
    }
    const auto loops = line_.loops.find("over");
    for (const Stmt& l : around) {
      const bool named = loops != line_.loops.end() &&
                         std::find(loops->second.begin(), loops->second.end(), l->name) != loops->second.end();
      if (named || (loops == line_.loops.end() && used.count(l->name) != 0)) {
        out.over.push_back(l);
      } else if (used.count(l->name) != 0) {
        if (!out.over.empty())
          return tl::unexpected(refused("MAT-5", fmt::format("the value needs `{}`, which lies inside", l->name)));
        out.anchor = l;
      }
    }
    if (loops != line_.loops.end() && loops->second.size() != out.over.size())
      return tl::unexpected(refused("MAT-5", "one of the loops is not around the first use"));
    return extents(before, std::move(out));
  }

  tl::expected<Plan, Refusal> extents(const Program& before, Plan out) const {
    const Occurrence& first = out.uses.front();
    std::set<Symbol> symbols;
    for (const Stmt& l : out.over) symbols.insert(l->name);
    const std::set<Symbol> used = free_symbols({make_assign("value", first.e)});
    for (Occurrence& o : out.uses) {
      if (out.anchor && std::find(o.node->loops.begin(), o.node->loops.end(), out.anchor) == o.node->loops.end())
        return tl::unexpected(
            refused("MAT-5", fmt::format("a use lies outside of `{}`", out.anchor->name), o.e->where));
      for (const Stmt& l : out.over) {
        // A loop that the expression does not use has a cell for each iteration all the same.
        if (used.count(l->name) == 0) o.at.emplace(l->name, Index::symbol(l->name));
      }
      std::set<Symbol> open = symbols;
      for (const auto& [s, at] : o.at) open.erase(s);
      auto at = instance_of(first.e, o.e, open);
      const bool around = std::all_of(o.at.begin(), o.at.end(), [&](const auto& known) {
        return std::any_of(o.node->loops.begin(), o.node->loops.end(),
                           [&](const Stmt& l) { return l->name == known.first; });
      });
      if (!at || !around)
        return tl::unexpected(refused("MAT-3",
                                      fmt::format("`{}` is not the expression of `{}` at other values of {}", o.e->name,
                                                  first.e->name, symbols.empty() ? "no loops" : "its loops"),
                                      o.e->where));
      o.at.insert(at->begin(), at->end());
    }
    for (const Stmt& l : out.over) {
      std::vector<Index> low, high;
      for (const Occurrence& o : out.uses) {
        std::vector<Stmt> inner;  // loops below the anchor
        const auto& loops = o.node->loops;
        const auto from = out.anchor ? std::find(loops.begin(), loops.end(), out.anchor) + 1 : loops.begin();
        inner.assign(from, loops.end());
        low.push_back(extreme(o.at.at(l->name), inner, false));
        high.push_back(extreme(o.at.at(l->name), inner, true) + 1);
      }
      out.low.push_back(min(low));
      out.high.push_back(max(high));
      std::vector<Stmt> around;
      if (out.anchor)
        around.assign(first.node->loops.begin(),
                      std::find(first.node->loops.begin(), first.node->loops.end(), out.anchor) + 1);
      const auto extent = bounded_extent(before, out.high.back() - out.low.back(), around);
      if (!extent)
        return tl::unexpected(
            refused("MAT-6", fmt::format("the cells that `{}` needs have no extent", l->name), l->where));
      out.dims.push_back(*extent);
    }
    return out;
  }

  std::vector<Index> cell(const Plan& plan, const Places& at) const {
    std::vector<Index> out;
    for (std::size_t d = 0; d < plan.over.size(); ++d) out.push_back(at.at(plan.over[d]->name) - plan.low[d]);
    return out;
  }

  // The nest that stores every cell.
  Block stores(const Plan& plan, const Symbol& buffer, NameSupply& names) const {
    const Occurrence& first = plan.uses.front();
    const bool alone = plan.uses.size() == 1;
    Places own;
    std::set<Symbol> known;  // at the place
    for (const Stmt& l : first.node->loops) {
      if (std::find(plan.over.begin(), plan.over.end(), l) == plan.over.end()) continue;
      own.emplace(l->name, Index::symbol(l->name));
    }
    const bool holds = first.e->body.size() == 1 && first.e->body[0]->kind == StmtKind::assign &&
                       first.e->body[0]->name == first.e->name;
    Block out{make_store(buffer, index_expressions(cell(plan, own)), holds ? first.e->body[0]->value : first.e,
                         first.e->where)};
    std::set<Symbol> hidden;  // symbols of the use that the place does not have
    bool below = !plan.anchor;
    for (const Stmt& l : first.node->loops) {
      if (below && own.count(l->name) == 0) hidden.insert(l->name);
      below = below || l == plan.anchor;
    }
    const auto fits = [&](const Index& e) {
      return std::none_of(hidden.begin(), hidden.end(), [&](const Symbol& s) { return e.mentions(s); });
    };
    if (alone) {
      // Where it is computed under conditions on its cell alone, so it is here.
      std::vector<Guard> guards;
      for (const auto* all : {&first.node->guards, &first.guards})
        std::copy_if(all->begin(), all->end(), std::back_inserter(guards),
                     [&](const Guard& g) { return is_known(g, hidden) && affine_condition(g.condition).has_value(); });
      out = guarded(guards, std::move(out), {}, first.e->where);
    }
    for (std::size_t k = plan.over.size(); k-- > 0;) {
      const Stmt& l = plan.over[k];
      const bool exact = alone && fits(l->lo) && fits(l->hi);
      out = {make_loop(l->name, exact ? l->lo : plan.low[k], exact ? l->hi : plan.high[k], exact ? l->step : 1,
                       Axis::serial, std::move(out), l->where)};
    }
    return refresh_binders(out, names);
  }

  StepResult scopes(const Program& before, const Extraction& extraction) const {
    const auto planned = plan(before, extraction);
    if (!planned) return tl::unexpected(planned.error());
    if (planned->anchor && in_scope(before, planned->anchor->name))
      return tl::unexpected(refused("MAT-6", "the stores would stand in a scope", planned->anchor->where));
    NameSupply names(before.bound_names());
    const auto& result = line_.results.find("cells");
    const Symbol buffer =
        result == line_.results.end() ? names.fresh(line_.values.at("value").front()) : result->second;
    names.take(buffer);
    const Type type = planned->uses.front().e->type;

    std::map<Symbol, Expr> reads;
    for (const Occurrence& o : planned->uses)
      reads[o.e->name] = make_load(buffer, type, index_expressions(cell(*planned, o.at)), o.e->where);
    const auto in_statement = [&](const Stmt& s) { return without_scopes(s, reads); };
    bool placed_stores = false;
    const auto in_block = [&](const Block& b) {
      Block out;
      for (const Stmt& s : b) {
        const Stmt replaced = in_statement(s);
        if (!placed_stores && !(replaced == s)) {
          const Block nest = stores(*planned, buffer, names);
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
