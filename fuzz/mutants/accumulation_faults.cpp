// Faults are planted in the honest result, whose claims stay as they are. A start is a new store of a constant, a combination
// a new update of an old target.
#include "fuzz/mutants/accumulation_faults.hpp"

#include "fuzz/mutants/plant.hpp"
#include "ir/literal.hpp"
#include "ir/traverse.hpp"

namespace assay::fuzz {
namespace {

bool is_new(const Stmt& s) { return !s->provenance || s->provenance->statement < 0; }
bool starts(const Stmt& s) {
  return is_new(s) && s->kind == StmtKind::store && s->value && s->value->op == Op::literal;
}
bool combines(const Stmt& s) {
  return is_new(s) && (s->kind == StmtKind::store || s->kind == StmtKind::assign) && s->value &&
         s->value->op != Op::literal;
}
// It is such a statement, or new loops and conditions around one.
bool leads_to(const Stmt& s, bool (*wanted)(const Stmt&)) {
  if (wanted(s)) return true;
  const bool opens = s->kind == StmtKind::loop || s->kind == StmtKind::branch;
  return opens && is_new(s) && s->body.size() == 1 && leads_to(s->body[0], wanted);
}

Plant starts_at(bool one) {
  return [one](const Program&, const Program& after, const ScheduleLine&) {
    return at_first(after, starts, [one](const Stmt& s) {
      return Block{with(s, [&](StmtNode& n) {
        const Type type = n.value->type;
        Scalar value = *literal_from_integer(type, one ? 1 : 2);
        if (value == n.value->literal) value = *literal_from_integer(type, 3);
        n.value = make_literal(value);
      })};
    });
  };
}

// The partial results of the combination, changed.
Plant with_partials(const std::function<Expr(const Expr& tree)>& change) {
  return [change](const Program&, const Program& after, const ScheduleLine&) {
    const auto several = [](const Stmt& s) { return combines(s) && s->value->args[1]->op == s->value->op; };
    return at_first(after, several, [&](const Stmt& s) {
      return Block{with(s, [&](StmtNode& n) {
        n.value = make_op(n.value->op, {n.value->args[0], change(n.value->args[1])});
      })};
    });
  };
}
Expr last_leaf(const Expr& e) { return e->op == Op::load ? e : last_leaf(e->args[1]); }
Expr without_last(const Expr& e) {
  if (e->op == Op::load) return e;
  if (e->args[1]->op == Op::load) return e->args[0];
  return make_op(e->op, {e->args[0], without_last(e->args[1])});
}

Plant neighbour() {
  return [](const Program&, const Program& after, const ScheduleLine&) -> std::optional<Program> {
    const auto wanted = [](const Stmt& s) { return combines(s) && !s->indices.empty(); };
    return at_first(after, wanted, [](const Stmt& s) {
      const auto shift = [](std::vector<Expr> cell) {
        if (cell.back()->op == Op::index) cell.back() = make_index(cell.back()->index + 1);
        return cell;
      };
      return Block{with(s, [&](StmtNode& n) {
        n.indices = shift(n.indices);
        n.value = make_op(n.value->op,
                          {with(n.value->args[0], [&](ExprNode& e) { e.args = shift(e.args); }), n.value->args[1]});
      })};
    });
  };
}

// The combination (or the start) directly before (after) the statement beside it.
Plant moved(bool (*wanted)(const Stmt&), bool down) {
  return [=](const Program&, const Program& after, const ScheduleLine&) -> std::optional<Program> {
    const auto swapped = [&](Block b) -> std::optional<Block> {
      for (std::size_t k = 0; k < b.size(); ++k) {
        if (!leads_to(b[k], wanted)) continue;
        if (down ? k + 1 >= b.size() : k == 0) return std::nullopt;
        std::swap(b[k], b[down ? k + 1 : k - 1]);
        return b;
      }
      return std::nullopt;
    };
    if (auto top = swapped(after.body)) {
      Program out = after;
      out.body = *std::move(top);
      return out;
    }
    const auto holds = [&](const Stmt& s) { return swapped(s->body).has_value(); };
    return at_first(after, holds,
                    [&](const Stmt& s) { return Block{with(s, [&](StmtNode& n) { n.body = *swapped(n.body); })}; });
  };
}

Plant lost(bool (*wanted)(const Stmt&)) {
  return [wanted](const Program&, const Program& after, const ScheduleLine&) {
    return at_first(after, wanted, [](const Stmt&) { return Block{}; });
  };
}
Plant twice(bool (*wanted)(const Stmt&)) {
  return [wanted](const Program&, const Program& after, const ScheduleLine&) {
    return at_first(after, wanted, [](const Stmt& s) { return Block{s, s}; });
  };
}

// A loop that the step made around contributions, by steps at either end.
Plant shorter(int from_lo, int from_hi) {
  return [=](const Program& before, const Program& after, const ScheduleLine&) {
    const auto fresh_loop = new_loop(before);
    const auto wanted = [&](const Stmt& s) { return fresh_loop(s) && !leads_to(s, starts) && !leads_to(s, combines); };
    return at_first(after, wanted, [&](const Stmt& s) {
      return Block{with_bounds(s, s->lo + from_lo * s->step, s->hi + from_hi * s->step)};
    });
  };
}

std::vector<StepFault> of(const std::string& operation) {
  return {
      {operation, "starts at one", starts_at(true)},
      {operation, "starts at two", starts_at(false)},
      {operation, "does not start", lost(starts)},
      {operation, "is not combined", lost(combines)},
      {operation, "the last partial result is left out", with_partials(without_last)},
      {operation, "the last partial result counts twice", with_partials([](const Expr& tree) {
         return make_op(tree->op, {tree, last_leaf(tree)});
       })},
      {operation, "is combined twice", twice(combines)},
      {operation, "is combined before the loop", moved(combines, false)},
      {operation, "starts after the loop", moved(starts, true)},
      {operation, "is combined into the neighbour", neighbour()},
      {operation, "the first block is lost", shorter(1, 0)},
      {operation, "the last block is lost", shorter(0, -1)},
  };
}

}  // namespace

const std::vector<StepFault>& accumulation_faults() {
  static const std::vector<StepFault> faults = [] {
    std::vector<StepFault> all;
    for (const char* operation : {"split_reduce", "retype"}) {
      for (StepFault& f : of(operation)) all.push_back(std::move(f));
    }
    all.push_back({"split_reduce", "a guard is lost", drop_guard});
    return all;
  }();
  return faults;
}

}  // namespace assay::fuzz
