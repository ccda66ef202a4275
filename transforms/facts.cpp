// Facts from conditions and from the path to a loop.
#include "transforms/facts.hpp"

#include <algorithm>

#include "ir/traverse.hpp"
#include "transforms/affine.hpp"

namespace assay {

Formula condition_facts(const Expr& c, bool holds) {
  if (const auto f = affine_condition(c)) return holds ? *f : !*f;
  if (c->op == Op::lnot) return condition_facts(c->args[0], !holds);
  if ((c->op == Op::land && holds) || (c->op == Op::lor && !holds))
    return condition_facts(c->args[0], holds) & condition_facts(c->args[1], holds);
  return Formula::truth();
}

namespace {

std::optional<Formula> search(const Block& block, const Symbol& loop, const Formula& known);

// Loops inside the scopes of a statement's expressions know what the statement knows.
std::optional<Formula> search_scopes(const Stmt& s, const Symbol& loop, const Formula& known) {
  std::optional<Formula> found;
  Visitor v;
  v.enter_expr = [&](const Expr& e) {
    if (e->op == Op::scope && !found) found = search(e->body, loop, known);
    return !found && e->op != Op::scope;
  };
  for (const Expr& e : s->indices) visit(e, v);
  if (s->value) visit(s->value, v);
  return found;
}

std::optional<Formula> search(const Block& block, const Symbol& loop, const Formula& known) {
  for (const Stmt& s : block) {
    if (s->kind == StmtKind::loop && s->name == loop) return known;
    auto found = search_scopes(s, loop, known);
    if (!found && s->kind == StmtKind::loop) found = search(s->body, loop, known & loop_domain(s));
    if (!found && s->kind == StmtKind::branch) found = search(s->body, loop, known & condition_facts(s->value, true));
    if (!found && s->kind == StmtKind::branch) found = search(s->other, loop, known & condition_facts(s->value, false));
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Formula> facts_at_loop(const Program& p, const Symbol& loop) {
  return search(p.body, loop, parameter_domain(p));
}

std::optional<std::int64_t> constant_trip_count(const Stmt& loop, const Formula& facts, Query& query) {
  const Index count = trip_count(loop);
  if (count.is_constant()) return std::max<std::int64_t>(count.constant(), 0);
  const Answer reached = query.solve(facts);
  if (reached.kind == Answer::Kind::empty) return 0;
  if (reached.kind == Answer::Kind::unknown) return std::nullopt;
  const auto value = count.evaluate([&](const Symbol& s) -> std::optional<std::int64_t> {
    const auto it = reached.solution.find(s);
    if (it == reached.solution.end()) return std::nullopt;
    return it->second;
  });
  if (!value) return std::nullopt;
  const Formula same = *value <= 0 ? Formula::le(count, 0) : Formula::eq(count, *value);
  if (!query.implied(facts, same)) return std::nullopt;
  return std::max<std::int64_t>(*value, 0);
}

}  // namespace assay
