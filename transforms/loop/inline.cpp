// `inline T`: every read of the scratch buffer T computes its cell again, and T goes (spec/inline.md).
//
//   for i { T[i] = f(X[i]) }  for j { Y[j] = T[j] + T[j + 1] }   becomes   for j { Y[j] = f(X[j]) + f(X[j + 1]) }
//
// One statement stores to T. Its loop symbols follow from the indices of a read, or are those of loops around both. That the
// cell read is the one that this execution stored, and that what it read is unchanged, are obligations.
#include <algorithm>

#include "ir/analysis/iteration.hpp"
#include "ir/analysis/one_store.hpp"
#include "ir/reads.hpp"
#include "transforms/affine.hpp"
#include "transforms/define.hpp"
#include "transforms/tile.hpp"

namespace assay {
namespace {

class Inline final : public Operation {
 public:
  explicit Inline(Arguments line) : line_(std::move(line)) {}

  static Declaration declare() {
    Declaration d;
    d.name = "inline";
    d.rule_prefix = "INL";
    d.summary = "computes the cells of a scratch buffer again where they are read";
    d.parameters = {{"buffer", ParameterInfo::Kind::buffer, true, {}, {}, "the `temp` or `local` buffer that goes"},
                    {"named",
                     ParameterInfo::Kind::boolean,
                     false,
                     "false",
                     {},
                     "keep each copy in a scope with the buffer's name, for `materialize`"}};
    d.refusals = {
        {"INL-1", "the buffer is not scratch"},
        {"INL-2", "not exactly one statement stores to it, or one under a condition on data, or at a dynamic index"},
        {"INL-3", "the indices of a read do not tell the iteration that stored the cell"},
        {"INL-4", "a read has a dynamic index, or no statement reads the buffer"},
        {"INL-5", "the expression reads the buffer itself"},
    };
    d.schema = "W (rewrite)";
    d.obligations = {"value-preservation", "index-width"};
    d.example_program =
        "program blur { input X: f32[10] temp T: f32[10] output Y: f32[9]\n"
        "  for i in 0..10 { T[i] = 0.5 * X[i] }\n"
        "  for j in 0..9 { Y[j] = T[j] + T[j + 1] }\n"
        "}\n";
    d.example_schedule = "inline T\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program&) {
    return std::make_unique<Inline>(std::move(line));
  }

  StepResult apply(const Program& given, Query&) const override {
    const Symbol target = line_.buffers.at("buffer");
    const Buffer& buffer = *given.find_buffer(target);
    if (buffer.kind != BufferKind::temp && buffer.kind != BufferKind::local)
      return tl::unexpected(refused("INL-1", fmt::format("`{}` is no `temp` or `local` buffer", target), buffer.where));
    std::set<Symbol> taken = given.bound_names();
    NameSupply between(taken);
    // Several statements that compute a cell are one scope.
    const auto one = with_one_store(given, target, [&](const Symbol& s) { return between.fresh(s); });
    const Program before = one ? number_statements(*one) : given;
    const Extraction extraction = extract(before);
    const auto writer = find_writer(before, extraction, target);
    if (!writer) return tl::unexpected(writer.error());

    taken.erase(target);
    NameSupply names(std::move(taken));
    std::optional<Refusal> refusal;
    int reads = 0;
    // Loads inside scopes belong to nodes of their own, so that loops around are known at every read.
    std::map<int, const Node*> nodes;
    for (const Node& n : extraction.nodes) nodes[n.statement] = &n;
    const auto in_statement = [&](const Stmt& s) {
      if (!s->provenance || refusal) return s;
      const auto node = nodes.find(s->provenance->statement);
      if (node == nodes.end()) return s;
      const auto replace = [&](const Expr& e) {
        return replaced(e, target, **writer, *node->second, names, reads, refusal);
      };
      return with(s, [&](StmtNode& n) {
        for (Expr& e : n.indices) e = outside_scopes(e, replace);
        if (n.value) n.value = outside_scopes(n.value, replace);
      });
    };
    Program after = before;
    after.body = rewrite(before.body, {}, [&](const Stmt& s) -> Block {
      if (s->kind == StmtKind::loop) return s->body.empty() && held((*writer)->loops, s) ? Block{} : Block{s};
      if (s->provenance && s->provenance->statement == (*writer)->statement) return {};
      const Stmt out = in_statement(s);
      const bool around = std::any_of((*writer)->guards.begin(), (*writer)->guards.end(), [&](const Guard& g) {
        return s->provenance && g.statement == s->provenance->statement;
      });
      if (around && s->body.empty() && s->other.empty()) return {};
      return {out};
    });
    if (refusal) return tl::unexpected(*std::move(refusal));
    if (reads == 0) return tl::unexpected(refused("INL-4", fmt::format("nothing reads `{}`", target), buffer.where));
    after.buffers.erase(
        std::remove_if(after.buffers.begin(), after.buffers.end(), [&](const Buffer& b) { return b.name == target; }),
        after.buffers.end());
    if (one) after.body = with_numbers_of(*one, after.body);
    return placed(line_, std::move(after));
  }

 private:
  Refusal refused(std::string code, const std::string& reason, Location where) const {
    return inapplicable(line_, std::move(code), reason, where);
  }

  // The claims in the numbers that the statements of `p` carry.
  static Block with_numbers_of(const Program& p, const Block& b) {
    std::vector<int> number;
    Visitor v;
    v.enter_stmt = [&](const Stmt& s) {
      number.push_back(s->provenance ? s->provenance->statement : -1);
      return true;
    };
    visit(p.body, v);
    return rewrite(b, {}, [&](const Stmt& s) -> Block {
      if (!s->provenance || s->provenance->statement < 0) return {s};
      Provenance claim = *s->provenance;
      claim.statement = number[static_cast<std::size_t>(claim.statement)];
      return {with(s, [&](StmtNode& n) { n.provenance = std::make_shared<const Provenance>(std::move(claim)); })};
    });
  }

  static bool held(const std::vector<Stmt>& loops, const Stmt& loop) {
    return std::any_of(loops.begin(), loops.end(), [&](const Stmt& l) { return l->name == loop->name; });
  }

  tl::expected<const Node*, Refusal> find_writer(const Program& before, const Extraction& extraction,
                                                 const Symbol& target) const {
    const Node* writer = nullptr;
    for (const Node& n : extraction.nodes) {
      const Access* store = n.store();
      if (!store || store->variable || store->storage != target) continue;
      if (writer || store->whole)
        return tl::unexpected(refused("INL-2", fmt::format("another statement stores to `{}`", target), n.stmt->where));
      writer = &n;
    }
    if (!writer)
      return tl::unexpected(
          refused("INL-2", fmt::format("no statement stores to `{}`", target), before.find_buffer(target)->where));
    const bool data = std::any_of(writer->guards.begin(), writer->guards.end(),
                                  [](const Guard& g) { return !affine_condition(g.condition); });
    if (data || !plain_cell(writer->stmt->indices))
      return tl::unexpected(refused("INL-2", fmt::format("which cells of `{}` are stored to depends on data", target),
                                    writer->stmt->where));
    if (reads(writer->stmt->value, target))
      return tl::unexpected(refused("INL-5", fmt::format("the expression reads `{}`", target), writer->stmt->where));
    return writer;
  }

  // `f` on every node outside of scopes, operands first; the statements inside have their turn by themselves.
  static Expr outside_scopes(const Expr& e, const std::function<Expr(const Expr&)>& f) {
    if (e->args.empty()) return f(e);
    return f(with(e, [&](ExprNode& n) {
      for (Expr& a : n.args) a = outside_scopes(a, f);
    }));
  }

  // The loop symbols at which the writer stores to the cell, as far as the cell and the conditions around tell them; then
  // loops around both statements are at the same iteration, which may tell further ones.
  static std::map<Symbol, Index> solved(const Node& writer, const Node& reader, const std::vector<Index>& cell) {
    std::map<Symbol, Index> at;
    std::vector<Equation> equations = guard_equations(writer);
    for (std::size_t d = 0; d < cell.size(); ++d) equations.push_back({writer.stmt->indices[d]->index, cell[d]});
    solve_iteration(equations, writer.loops, at);
    for (std::size_t k = 0; k < std::min(writer.loops.size(), reader.loops.size()); ++k) {
      const Symbol& symbol = writer.loops[k]->name;
      if (reader.loops[k]->name == symbol) at.emplace(symbol, Index::symbol(symbol));
    }
    solve_iteration(equations, writer.loops, at);
    return at;
  }

  static Expr renamed(const Expr& scope, const Symbol& name) {
    const Symbol old = scope->name;
    return rewrite(
        scope,
        [&](const Expr& e) {
          const bool its = (e->op == Op::variable || e->op == Op::scope) && e->name == old;
          return its ? with(e, [&](ExprNode& n) { n.name = name; }) : e;
        },
        [&](const Stmt& s) -> Block {
          if (s->kind != StmtKind::assign || s->name != old) return {s};
          return {with(s, [&](StmtNode& n) { n.name = name; })};
        });
  }

  // The expression at the iteration that stored the cell that `e` reads.
  Expr replaced(const Expr& e, const Symbol& target, const Node& writer, const Node& reader, NameSupply& names,
                int& reads, std::optional<Refusal>& refusal) const {
    if (e->op != Op::load || e->name != target || refusal) return e;
    const auto cell = plain_cell(e->args);
    if (!cell) {
      refusal = refused("INL-4", fmt::format("`{}` is read at a dynamic index", target), e->where);
      return e;
    }
    const auto at = solved(writer, reader, *cell);
    for (const Stmt& l : writer.loops) {
      if (at.count(l->name) != 0) continue;
      refusal = refused("INL-3", fmt::format("the cell does not tell the value of `{}`", l->name), e->where);
      return e;
    }
    ++reads;
    // Of several statements the value is a scope, which then has the buffer's name.
    const Expr& stored = writer.stmt->value;
    const bool has_name = stored->op == Op::scope && stem(stored->name) == stem(target);
    // Names bound inside are bound once in a program: every copy has its own.
    const Block copy =
        refresh_binders({make_assign("value", has_name ? renamed(stored, target) : stored, e->where)}, names);
    const Expr value = substitute(copy[0]->value, at);
    if (has_name || !line_.booleans.at("named")) return value;
    const Symbol name = names.fresh(target);
    return make_scope(name, value->type, {make_assign(name, value, e->where)}, e->where);
  }

  Arguments line_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(Inline)
