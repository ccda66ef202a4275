// Guard folding: conditions that loops, parameters and enclosing guards decide, and minima and maxima in loop bounds of
// which they decide the winner (rules FOLD-1 to FOLD-9 of spec/fold.md).
#include "transforms/fold.hpp"

#include <algorithm>

#include "ir/traverse.hpp"
#include "transforms/affine.hpp"
#include "transforms/facts.hpp"
#include "transforms/operation.hpp"
#include "transforms/search.hpp"

namespace assay {

static Expr constant(bool value) { return make_literal(bool_scalar(value)); }

std::optional<bool> decided(const Expr& condition) {
  if (condition->op != Op::literal) return std::nullopt;
  return condition->literal.bits != 0;
}

Block Folder::block(const Block& b, const Known& known) {
  Block out;
  for (const Stmt& s : b) {
    for (Stmt& replacement : statement(s, known)) out.push_back(std::move(replacement));
  }
  return out;
}

Block Folder::statement(const Stmt& s, const Known& known) {
  if (s->kind == StmtKind::loop) return {loop(s, known)};
  if (s->kind == StmtKind::branch) return branch(s, known);
  return {with(s, [&](StmtNode& n) {
    for (Expr& e : n.indices) e = expression(e, known);
    if (n.value) n.value = expression(n.value, known);
  })};
}

Stmt Folder::loop(const Stmt& s, const Known& known) {
  return with(s, [&](StmtNode& n) {
    n.lo = prune(n.lo, known);
    n.hi = prune(n.hi, known);
    Known inside = known.with(loop_domain(s));
    const Index extent = n.hi - n.lo;
    if (extent.is_constant() && extent.constant() <= n.step) inside.once.emplace(n.name, n.lo.substitute(known.once));
    Block body = block(n.body, inside);
    // A @reduce or @tile loop without its accumulation is no program (WF-12, WF-26); one that never runs it keeps the
    // guard that says so.
    const auto updates = [](const Stmt& t) { return t->kind == StmtKind::store || t->kind == StmtKind::assign; };
    if ((n.axis != Axis::reduce && n.axis != Axis::tile) || find_statement(body, updates)) n.body = std::move(body);
  });
}

Block Folder::branch(const Stmt& s, const Known& known) {
  const Expr condition = this->condition(s->value, known);
  if (const auto value = decided(condition)) return block(*value ? s->body : s->other, known);
  Block then = block(s->body, known.with(condition_facts(condition, true)));
  Block other = block(s->other, known.with(condition_facts(condition, false)));
  if (then.empty() && other.empty() && affine_condition(condition)) return {};
  return {with(s, [&](StmtNode& n) {
    n.value = condition;
    n.body = std::move(then);
    n.other = std::move(other);
  })};
}

Expr Folder::expression(const Expr& e, const Known& known) {
  switch (e->op) {
    case Op::land:
    case Op::lor:
    case Op::lnot: return condition(e, known);
    case Op::choice: return choice(e, known);
    default: break;
  }
  if (e->args.empty() && e->body.empty()) return finished(e, known);
  return finished(with(e,
                       [&](ExprNode& n) {
                         for (Expr& a : n.args) a = expression(a, known);
                         n.body = block(n.body, known);
                       }),
                  known);
}

Expr Folder::choice(const Expr& e, const Known& known) {
  const Expr test = condition(e->args[0], known);
  if (const auto value = decided(test)) return expression(e->args[*value ? 1 : 2], known);
  const Expr folded = with(e, [&](ExprNode& n) {
    n.args[0] = test;
    n.args[1] = expression(n.args[1], known.with(condition_facts(test, true)));
    n.args[2] = expression(n.args[2], known.with(condition_facts(test, false)));
  });
  return finished(folded, known);
}

bool Folder::holds(const Known& known, const Formula& f) {
  if (f.is_true() || f.is_false()) return f.is_true();
  return query_.implied(known.facts, f);
}

// A condition of the same value; a literal when what is known decides it.
Expr Folder::condition(const Expr& e, const Known& known) {
  if (const auto f = affine_condition(e)) {
    if (holds(known, *f)) return constant(true);
    if (holds(known, !*f)) return constant(false);
  }
  switch (e->op) {
    case Op::land:
    case Op::lor: return junction(e, known);
    case Op::lnot: {
      const Expr inner = condition(e->args[0], known);
      if (const auto value = decided(inner)) return constant(!*value);
      return finished(with(e, [&](ExprNode& n) { n.args[0] = inner; }), known);
    }
    default: break;
  }
  return expression(is_comparison(e->op) && affine_condition(e) ? substitute(e, known.once) : e, known);
}

// `a && b` and `a || b`: b is only evaluated when a does not decide, so b may use what that says. A first operand
// that reads data stays where it would be evaluated, since it may fault.
Expr Folder::junction(const Expr& e, const Known& known) {
  const bool neutral = e->op == Op::land;
  const Expr first = condition(e->args[0], known);
  const auto first_value = decided(first);
  if (first_value && *first_value == neutral) return condition(e->args[1], known);
  if (first_value) return first;
  const Expr second = condition(e->args[1], known.with(condition_facts(first, neutral)));
  const auto second_value = decided(second);
  if (second_value && *second_value == neutral) return first;
  if (second_value && affine_condition(first)) return second;
  return finished(with(e, [&](ExprNode& n) { n.args = {first, second}; }), known);
}

// Drops the arguments of minima and maxima, innermost first, that another argument makes superfluous wherever the
// loop is reached.
Index Folder::prune(const Index& e, const Known& known) {
  Index out = e;
  for (const auto& [atom, coefficient] : e.terms()) {
    if (atom->kind == IndexAtom::Kind::symbol) continue;
    IndexAtom inside = *atom;
    for (Index& a : inside.args) a = prune(a, known);
    const Index pruned = prune_arguments(of_atom(inside), known);
    out = out + (pruned - of_atom(*atom)) * coefficient;
  }
  return out;
}

Index Folder::prune_arguments(const Index& e, const Known& known) {
  if (e.constant() != 0 || e.terms().size() != 1 || e.terms()[0].second != 1) return e;
  const IndexAtom& atom = *e.terms()[0].first;
  const bool smallest = atom.kind == IndexAtom::Kind::min;
  if (!smallest && atom.kind != IndexAtom::Kind::max) return e;
  std::vector<Index> kept = atom.args;
  for (std::size_t i = 0; i < kept.size();) {
    const auto beats = [&](const Index& other) {
      if (other == kept[i]) return false;
      return holds(known, smallest ? Formula::le(other, kept[i]) : Formula::le(kept[i], other));
    };
    if (std::any_of(kept.begin(), kept.end(), beats)) {
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  return smallest ? min(kept) : max(kept);
}

Rewrite fold_guards(const Program& before, Query& query) {
  Program after = number_statements(before);
  after.body = Folder(query).block(after.body, {parameter_domain(before), {}});
  return {std::move(after)};
}

}  // namespace assay
