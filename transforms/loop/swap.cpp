// `swap i j`: exchanges a loop and the loop that is its only statement (spec/swap.md).
//
// Where the inner bounds mention the outer symbol, the new outer loop runs over a range that holds all values of the
// inner symbol, and the inner bounds become conditions on the other one: solved for it where they are linear in it, a
// guard around the body otherwise. The pairs that run, and no others, are those of before.
#include <algorithm>

#include "transforms/affine.hpp"
#include "transforms/define.hpp"
#include "transforms/nest.hpp"
#include "transforms/search.hpp"

namespace assay {
namespace {

// The headers after an exchange of `outer` (i) and `inner` (j).
class Exchange {
 public:
  Exchange(const Stmt& outer, const Stmt& inner)
      : outer_(outer), inner_(inner), i_(outer->name), j_(Index::symbol(inner->name)) {
    const Index last =
        outer->step == 1 ? outer->hi - 1 : outer->lo + floordiv(outer->hi - 1 - outer->lo, outer->step) * outer->step;
    j_lo_ = inner->lo;
    j_hi_ = inner->hi;
    j_step_ = inner->step;
    if (inner->lo.mentions(i_)) {
      j_lo_ = least(inner->lo, i_, outer->lo, last);
      constrain(inner->lo, Side::lower);
      align();
    }
    if (inner->hi.mentions(i_)) {
      j_hi_ = greatest(inner->hi, i_, outer->lo, last);
      constrain(inner->hi, Side::upper);
    }
  }

  bool guarded() const { return !guards_.empty(); }
  bool overflowed() const {
    return j_lo_.overflowed() || j_hi_.overflowed() || i_lo().overflowed() || i_hi().overflowed();
  }

  Stmt result() const {
    Block body = inner_->body;
    if (guarded()) body = {make_branch(conjunction(guards_), std::move(body), {}, inner_->where)};
    Stmt new_inner = make_loop(i_, i_lo(), i_hi(), outer_->step, outer_->axis, std::move(body), outer_->where);
    return with(outer_, [&](StmtNode& n) {  // the provenance of the nest stays
      n.name = inner_->name;
      n.lo = j_lo_;
      n.hi = j_hi_;
      n.step = j_step_;
      n.axis = inner_->axis;
      n.where = inner_->where;
      n.body = {std::move(new_inner)};
    });
  }

 private:
  enum class Side { lower, upper };

  // bound <= j (lower) or j < bound (upper) as a condition on i.
  void constrain(const Index& bound, Side side) {
    for (const auto& [atom, coefficient] : bound.terms()) {
      const Index value = of_atom(*atom);
      if ((atom->kind != IndexAtom::Kind::min && atom->kind != IndexAtom::Kind::max) || !value.mentions(i_)) continue;
      const bool greatest_of = (atom->kind == IndexAtom::Kind::max) == (coefficient > 0);
      if (greatest_of != (side == Side::lower)) break;  // one of several conditions suffices: a guard
      for (const Index& argument : atom->args) constrain(bound + (argument - value) * coefficient, side);
      return;
    }
    const auto linear = linear_in(side == Side::lower ? j_ - bound : bound - 1 - j_, i_);  // at least 0
    if (!linear) {
      guards_.push_back(side == Side::lower ? compare(Op::le, bound, j_) : compare(Op::lt, j_, bound));
    } else if (linear->coefficient > 0) {
      from_.push_back(ceildiv(-linear->rest, linear->coefficient));
    } else if (linear->coefficient < 0) {
      // INT64_MIN has no opposite; such a bound is an overflow.
      below_.push_back(linear->coefficient == INT64_MIN ? Index(1) * INT64_MIN * INT64_MIN
                                                        : floordiv(linear->rest, -linear->coefficient) + 1);
    }
    // Otherwise an argument of a minimum or maximum that is free of i: the range of the new outer loop implies it.
  }

  // The values of j start from a bound that varies with i. Where all of them are congruent the new loop keeps the step;
  // where they are not it takes every value, and a guard picks the right ones.
  void align() {
    if (inner_->step == 1) return;
    const auto linear = linear_in(inner_->lo, i_);
    std::int64_t stride = 0;
    if (linear && !__builtin_mul_overflow(linear->coefficient, outer_->step, &stride) && stride % inner_->step == 0)
      return;
    j_step_ = 1;
    guards_.push_back(divisible(j_ - inner_->lo, inner_->step));
  }

  Index i_lo() const {
    if (from_.empty()) return outer_->lo;
    std::vector<Index> bounds{outer_->lo};
    if (outer_->step == 1) {
      bounds.insert(bounds.end(), from_.begin(), from_.end());
      return max(bounds);
    }
    bounds = {Index(0)};  // iterations to leave out, so that the values of i stay on their grid
    for (const Index& f : from_) bounds.push_back(ceildiv(f - outer_->lo, outer_->step));
    return outer_->lo + max(bounds) * outer_->step;
  }
  Index i_hi() const {
    if (below_.empty()) return outer_->hi;
    std::vector<Index> bounds{outer_->hi};
    bounds.insert(bounds.end(), below_.begin(), below_.end());
    return min(bounds);
  }

  const Stmt& outer_;
  const Stmt& inner_;
  Symbol i_;
  Index j_;
  Index j_lo_, j_hi_;
  std::int64_t j_step_ = 1;
  std::vector<Index> from_, below_;  // bounds <= i, i < bounds
  std::vector<Expr> guards_;
};

class Swap final : public Operation {
 public:
  explicit Swap(Arguments line) : line_(std::move(line)) {}

  static Declaration declare() {
    Declaration d;
    d.name = "swap";
    d.rule_prefix = "SWP";
    d.summary = "exchanges a loop and the loop that is its only statement, conditions on index values aside";
    d.parameters = {
        {"outer", ParameterInfo::Kind::loop, true, {}, {}, "the outer loop; `i*` for all its copies"},
        {"inner", ParameterInfo::Kind::loop, true, {}, {}, "the loop inside it; `j*` for all its copies"},
    };
    d.refusals = {
        {"SWP-1", "the outer loop holds more than the inner one, conditions on index values aside"},
        {"SWP-6", "the rewritten bounds leave 64 bits"},
        {"SWP-7", "the new bounds need a guard, and the body holds a barrier"},
        {"SCH-15", "a hardware loop would come to stand inside a vectorized loop"},
    };
    d.schema = "R (reorder), A (accumulation) where only a reduction is reordered";
    d.greatest = Licence::reassociates;
    d.obligations = {"domain-bijection", "dependence-order", "same-contributions"};
    d.example_program =
        "program transpose { input X: f32[5, 3] output Y: f32[3, 5]\n"
        "  for i in 0..3 { for j in 0..5 { Y[i, j] = X[j, i] } }\n"
        "}\n";
    d.example_schedule = "swap i j\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program&) {
    return std::make_unique<Swap>(std::move(line));
  }

  StepResult apply(const Program& before, Query&) const override {
    const std::vector<Symbol>& outers = line_.loops.at("outer");
    const std::vector<Symbol>& inners = line_.loops.at("inner");
    std::vector<Symbol> used;
    for (const Symbol& symbol : outers) {
      const Stmt outer = find_loops(before, symbol).front();
      if (auto refusal = unfit(outer, inners, before)) return tl::unexpected(*std::move(refusal));
      used.push_back((*held_loop(outer))->name);
    }
    for (const Symbol& symbol : inners) {
      if (std::find(used.begin(), used.end(), symbol) == used.end()) {
        return tl::unexpected(inapplicable(
            line_, "SWP-1", fmt::format("`{}` is not the only statement of any of the outer loops", symbol),
            find_loops(before, symbol).front()->where));
      }
    }
    return placed(line_, rewrite_loops(before, [&](const Stmt& s) -> std::optional<Block> {
                    if (!is_loop(s, outers)) return std::nullopt;
                    const Stmt inner = *held_loop(s);
                    return Block{Exchange(s, inner).result()};
                  }));
  }

 private:
  std::optional<Refusal> unfit(const Stmt& outer, const std::vector<Symbol>& inners, const Program& before) const {
    const std::optional<Stmt> held = held_loop(outer);
    if (!held || !is_loop(*held, inners)) return not_perfectly_nested(line_, "SWP-1", outer, inners, before);
    const Stmt& inner = *held;
    if (outer->body[0]->kind == StmtKind::branch && holds_barrier(inner->body)) {
      return inapplicable(
          line_, "SWP-7",
          fmt::format("a guard between `{}` and `{}` would end around a barrier", outer->name, inner->name),
          outer->body[0]->where);
    }
    const Exchange exchange(outer, inner);
    if (exchange.overflowed()) {
      return inapplicable(
          line_, "SWP-6",
          fmt::format("the bounds of `{}`, rewritten without `{}`, leave 64 bits", inner->name, outer->name),
          inner->where);
    }
    if (exchange.guarded() && holds_barrier(inner->body)) {
      return inapplicable(line_, "SWP-7",
                          fmt::format("the bounds of `{}` would become a guard around a barrier", inner->name),
                          inner->where);
    }
    return std::nullopt;
  }

  Arguments line_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(Swap)
