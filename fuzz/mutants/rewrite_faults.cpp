// What a mistaken rewriting would have written: another value in a statement that it changed, or in a variable that it added.
#include "fuzz/mutants/rewrite_faults.hpp"

#include <algorithm>

#include "fuzz/mutants/plant.hpp"
#include "ir/reads.hpp"
#include "ir/traverse.hpp"

namespace assay::fuzz {
namespace {

using ChangedValue = std::function<std::optional<Expr>(const Expr&)>;

bool any_place(const Program&, const StmtNode&) { return true; }
bool observed(const Program& p, const StmtNode& s) {
  const Buffer* b = s.kind == StmtKind::store ? p.find_buffer(s.name) : nullptr;
  return b && is_observed(b->kind);
}

// The value of the first statement that the step changed, of those at a place where faults are meant to be.
Plant in_changed(const ChangedValue& change, bool (*place)(const Program&, const StmtNode&) = any_place) {
  return [=](const Program& before, const Program& after, const ScheduleLine&) -> std::optional<Program> {
    const std::map<int, Stmt> old = by_number(before);
    const auto wanted = [&](const Stmt& s) {
      return !is_added(s) && s->value && s->kind != StmtKind::branch && place(before, *s) &&
             !(s->value == old.at(s->provenance->statement)->value) && change(s->value);
    };
    return at_first(after, wanted,
                    [&](const Stmt& s) { return Block{with(s, [&](StmtNode& n) { n.value = *change(n.value); })}; });
  };
}
// The value of the first variable that the step added.
Plant in_added(const ChangedValue& change) {
  return [=](const Program&, const Program& after, const ScheduleLine&) -> std::optional<Program> {
    const auto wanted = [&](const Stmt& s) { return is_added(s) && s->value && change(s->value); };
    return at_first(after, wanted,
                    [&](const Stmt& s) { return Block{with(s, [&](StmtNode& n) { n.value = *change(n.value); })}; });
  };
}

// The condition that the step put around a statement.
Plant in_condition(const ChangedValue& change) {
  return [=](const Program& before, const Program& after, const ScheduleLine&) -> std::optional<Program> {
    std::map<int, StmtKind> old;
    Visitor v;
    v.enter_stmt = [&](const Stmt& s) {
      old[s->provenance->statement] = s->kind;
      return true;
    };
    visit(before.body, v);
    const auto wanted = [&](const Stmt& s) {
      return !is_added(s) && s->kind == StmtKind::branch && old.at(s->provenance->statement) == StmtKind::loop;
    };
    return at_first(after, wanted,
                    [&](const Stmt& s) { return Block{with(s, [&](StmtNode& n) { n.value = *change(n.value); })}; });
  };
}
std::optional<Expr> negated(const Expr& e) { return make_op(e->type == Type::boolean ? Op::lnot : Op::neg, {e}); }
std::optional<Expr> zero(const Expr& e) { return make_literal({e->type, 0}); }
std::optional<Expr> doubled(const Expr& e) {
  if (e->type == Type::boolean) return std::nullopt;
  return make_op(Op::add, {e, e->op == Op::scope ? make_literal({e->type, 0}) : e});
}
std::optional<Expr> one_operand(const Expr& e) {
  for (const Expr& a : e->args) {
    if (a->type == e->type && e->op != Op::load) return a;
  }
  return std::nullopt;
}
std::optional<Expr> neighbour(const Expr& e) {
  bool done = false;
  Expr out = rewrite(e, [&](const Expr& x) {
    if (done || x->op != Op::load || x->args.empty() || x->args.back()->op != Op::index) return x;
    done = true;
    return with(x, [](ExprNode& n) { n.args.back() = make_index(n.args.back()->index + 1); });
  });
  return done ? std::optional(out) : std::nullopt;
}
std::optional<Expr> other_operator(const Expr& e) {
  bool done = false;
  Expr out = rewrite(e, [&](const Expr& x) {
    if (done || (x->op != Op::add && x->op != Op::mul && x->op != Op::sub && x->op != Op::max)) return x;
    done = true;
    return with(x, [](ExprNode& n) { n.op = n.op == Op::add ? Op::mul : Op::add; });
  });
  return done ? std::optional(out) : std::nullopt;
}

// The variable takes its value before the statement that precedes it, and that stores to what it reads.
std::optional<Program> taken_too_early(const Program&, const Program& after, const ScheduleLine&) {
  const auto disturbed = [](const Stmt& declared, const Stmt& previous) {
    if (!is_added(declared) || declared->kind != StmtKind::declare || previous->kind == StmtKind::declare) return false;
    return reads(declared->value, previous->name);
  };
  bool done = false;
  const std::function<Block(const Block&)> walk = [&](const Block& b) {
    Block out = b;
    for (std::size_t k = 1; k < out.size() && !done; ++k) {
      if (!disturbed(out[k], out[k - 1])) continue;
      std::swap(out[k], out[k - 1]);
      done = true;
    }
    for (Stmt& s : out) {
      if (done || (s->body.empty() && s->other.empty())) continue;
      s = with(s, [&](StmtNode& n) {
        n.body = walk(n.body);
        n.other = walk(n.other);
      });
    }
    return out;
  };
  Program out = after;
  out.body = walk(after.body);
  return done ? std::optional(out) : std::nullopt;
}

// What became of the two statements of a pair, replaced by what `made` makes of the update that was and of the result.
std::optional<Program> of_pair(const Program& before, const Program& after,
                               const std::function<Block(const Stmt& update, const Stmt& result)>& made) {
  const std::map<int, Stmt> old = by_number(before);
  const auto source = [&](const Stmt& s) { return old.at(s->provenance->statement); };
  const auto wanted = [&](const Stmt& s) {
    return !is_added(s) && s->value && observed(before, *s) && !(s->value == source(s)->value);
  };
  return at_first(after, wanted, [&](const Stmt& s) { return made(source(s), s); });
}
std::optional<Program> update_twice(const Program& before, const Program& after, const ScheduleLine&) {
  return of_pair(before, after, [](const Stmt& update, const Stmt& result) {
    return Block{result, with(result, [&](StmtNode& n) { n.value = update->value; })};
  });
}
// Of `start ⊕ f` the start: what the update reads where it read the cell.
std::optional<Program> start_alone(const Program& before, const Program& after, const ScheduleLine&) {
  return of_pair(before, after, [&](const Stmt& update, const Stmt& result) {
    Stmt start;
    Visitor v;
    v.enter_stmt = [&](const Stmt& s) {
      if (s->kind == StmtKind::store && s->name == update->name &&
          s->provenance->statement < update->provenance->statement)
        start = s;
      return true;
    };
    visit(before.body, v);
    return Block{start ? with(result, [&](StmtNode& n) { n.value = start->value; }) : result};
  });
}

}  // namespace

const std::vector<StepFault>& rewrite_faults() {
  static const std::vector<StepFault> faults = {
      {"simplify", "the sign is lost", in_changed(negated)},
      {"simplify", "the value is taken for zero", in_changed(zero)},
      {"simplify", "an operand is dropped", in_changed(one_operand)},
      {"simplify", "the value is taken twice", in_changed(doubled)},
      {"simplify", "another cell is read", in_changed(neighbour)},
      {"simplify", "an operator is another one", in_changed(other_operator)},
      {"cse", "the variable has the other sign", in_added(negated)},
      {"cse", "the variable is zero", in_added(zero)},
      {"cse", "the variable is one operand", in_added(one_operand)},
      {"cse", "the variable is of the neighbour", in_added(neighbour)},
      {"cse", "the variable has another operator", in_added(other_operator)},
      {"cse", "the use is doubled", in_changed(doubled)},
      {"cse", "the value is taken too early", taken_too_early},
      {"inline", "the cell of the neighbour", in_changed(neighbour)},
      {"inline", "the sign is lost", in_changed(negated)},
      {"inline", "the value is taken for zero", in_changed(zero)},
      {"inline", "an operand is dropped", in_changed(one_operand)},
      {"inline", "the value is taken twice", in_changed(doubled)},
      {"inline", "an operator is another one", in_changed(other_operator)},
      {"onehot", "the condition is the opposite", in_condition(negated)},
      {"onehot", "the sign is lost", in_changed(negated)},
      {"onehot", "the value is taken for zero", in_changed(zero)},
      {"onehot", "an operand is dropped", in_changed(one_operand)},
      {"onehot", "the value is doubled", in_changed(doubled)},
      {"onehot", "the cell of the neighbour", in_changed(neighbour)},
      {"onehot", "an operator is another one", in_changed(other_operator)},
      {"peel", "the sign is lost", in_changed(negated, observed)},
      {"peel", "the value is taken for zero", in_changed(zero, observed)},
      {"peel", "the start is dropped", in_changed(one_operand, observed)},
      {"peel", "the value is doubled", in_changed(doubled, observed)},
      {"peel", "the cell of the neighbour", in_changed(neighbour, observed)},
      {"peel", "an operator is another one", in_changed(other_operator, observed)},
      {"peel", "the update stays as well", update_twice},
      {"peel", "the start stays, the update goes", start_alone},
      {"materialize", "the cells have the other sign", in_added(negated)},
      {"materialize", "the cells are zero", in_added(zero)},
      {"materialize", "the cells are of the neighbour", in_added(neighbour)},
      {"materialize", "the cells have another operator", in_added(other_operator)},
      {"materialize", "the cell of the neighbour is read", in_changed(neighbour)},
      {"materialize", "the use is doubled", in_changed(doubled)},
  };
  return faults;
}

}  // namespace assay::fuzz
