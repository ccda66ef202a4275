// Interval arithmetic by operation; whatever may leave its type can be anything of it.
#include "ir/analysis/value_range.hpp"

#include <algorithm>

namespace assay {

Interval interval(const Expr& e, const Program& p, const Ranges& ranges) {
  const auto of_type = [](Type t) {
    if (t == Type::index) return Interval{INT64_MIN, INT64_MAX};
    const IntRange r = int_range(t);
    return Interval{r.lo, r.hi};
  };
  const auto operand = [&](std::size_t i) { return interval(e->args[i], p, ranges); };
  // The mathematical result when it cannot wrap, else the whole type.
  const auto unless_wrapped = [&](const Interval& i) {
    const Interval all = of_type(e->type);
    return i.within(all.lo, all.hi) ? i : all;
  };
  const bool integers = is_int(e->type) || e->type == Type::index;
  if (!integers) return of_type(e->type == Type::boolean ? Type::boolean : Type::i64);
  switch (e->op) {
    case Op::index: return interval(e->index, ranges);
    case Op::literal: return {int_value(e->literal), int_value(e->literal)};
    case Op::load: {
      const Buffer* b = p.find_buffer(e->name);
      if (b && b->kind == BufferKind::input && b->range) return {b->range->first, b->range->second - 1};
      if (b && b->kind == BufferKind::constant && !b->data.empty()) {
        Interval all{int_value(b->data[0]), int_value(b->data[0])};
        for (const Scalar& s : b->data) all = {std::min(all.lo, int_value(s)), std::max(all.hi, int_value(s))};
        return all;
      }
      return of_type(e->type);
    }
    case Op::convert: {
      const Type from = e->args[0]->type;
      if (is_int(from) || from == Type::index || from == Type::boolean) return unless_wrapped(operand(0));
      return of_type(e->type);
    }
    case Op::add: {
      const Interval a = operand(0);
      const Interval b = operand(1);
      return unless_wrapped({a.lo + b.lo, a.hi + b.hi});
    }
    case Op::sub: {
      const Interval a = operand(0);
      const Interval b = operand(1);
      return unless_wrapped({a.lo - b.hi, a.hi - b.lo});
    }
    case Op::neg: {
      const Interval a = operand(0);
      return unless_wrapped({-a.hi, -a.lo});
    }
    case Op::mul: {
      const Interval a = operand(0);
      const Interval b = operand(1);
      if (!a.within(INT64_MIN, INT64_MAX) || !b.within(INT64_MIN, INT64_MAX)) return of_type(e->type);
      const Int128 c[] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
      return unless_wrapped({*std::min_element(c, c + 4), *std::max_element(c, c + 4)});
    }
    case Op::max: {
      const Interval a = operand(0);
      const Interval b = operand(1);
      return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
    }
    case Op::min: {
      const Interval a = operand(0);
      const Interval b = operand(1);
      return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    }
    case Op::choice:
    case Op::select: {
      const Interval a = operand(1);
      const Interval b = operand(2);
      return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
    }
    case Op::floormod:
    case Op::eucmod:
    case Op::truncmod: {
      const Interval a = operand(0);
      const Interval b = operand(1);
      if (b.lo < 1) return of_type(e->type);
      if (a.lo >= 0 && a.hi < b.lo) return a;
      if (e->op == Op::truncmod && a.lo < 0) return {-(b.hi - 1), b.hi - 1};
      return {0, b.hi - 1};
    }
    case Op::floordiv:
    case Op::truncdiv:
    case Op::eucdiv: {
      const Interval a = operand(0);
      const Interval b = operand(1);
      if (a.lo < 0 || b.lo < 1) return of_type(e->type);
      return {a.lo / b.hi, a.hi / b.lo};
    }
    default: return of_type(e->type);
  }
}

}  // namespace assay
