// Interval arithmetic by operation; whatever may leave its type can be anything of it. A condition narrows what it compares,
// and what that is computed from.
#include "ir/analysis/value_range.hpp"

#include <algorithm>

namespace assay {
namespace {

Interval of_type(Type t) {
  if (t == Type::index) return {INT64_MIN, INT64_MAX};
  const IntRange r = int_range(t);
  return {r.lo, r.hi};
}
bool is_integer(const Expr& e) { return is_int(e->type) || e->type == Type::index; }
Interval meet(const Interval& a, const Interval& b) { return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)}; }

Interval loaded(const Expr& e, const ValueFacts& facts) {
  if (e->op == Op::load) {
    const Buffer* b = facts.program->find_buffer(e->name);
    if (b && b->kind == BufferKind::input && b->range) return {b->range->first, b->range->second - 1};
    if (b && b->kind == BufferKind::constant && !b->data.empty()) {
      Interval all{int_value(b->data[0]), int_value(b->data[0])};
      for (const Scalar& s : b->data) all = {std::min(all.lo, int_value(s)), std::max(all.hi, int_value(s))};
      return all;
    }
  }
  if (facts.stored) {
    const auto it = facts.stored->find(e->name);
    if (it != facts.stored->end()) return it->second;
  }
  return of_type(e->type);
}

Interval chosen(const Expr& e, const ValueFacts& facts) {
  Interval all{1, 0};
  for (const bool yes : {true, false}) {
    if (const auto there = facts_under(e->args[0], yes, facts)) all = hull(all, interval(e->args[yes ? 1 : 2], *there));
  }
  return all;
}

// Of a division by b > 0.
Int128 quotient(Op op, Int128 a, Int128 b) {
  const Int128 toward_zero = a / b, rest = a % b;
  if (op == Op::truncdiv) return toward_zero;
  if (op == Op::ceildiv) return toward_zero + (rest > 0 ? 1 : 0);
  return toward_zero - (rest < 0 ? 1 : 0);
}

Interval computed(const Expr& e, const ValueFacts& facts) {
  // The mathematical result when it cannot wrap, else the whole type.
  const auto unless_wrapped = [&](const Interval& i) {
    const Interval all = of_type(e->type);
    return i.within(all.lo, all.hi) ? i : all;
  };
  if (e->op == Op::convert) {
    const Type from = e->args[0]->type;
    if (!is_int(from) && from != Type::index && from != Type::boolean) return of_type(e->type);
  }
  const Interval a = e->args.empty() ? Interval{} : interval(e->args[0], facts);
  const Interval b = e->args.size() < 2 ? Interval{} : interval(e->args[1], facts);
  if (a.empty() || b.empty()) return {1, 0};
  switch (e->op) {
    case Op::convert: return unless_wrapped(a);
    case Op::add: return unless_wrapped({a.lo + b.lo, a.hi + b.hi});
    case Op::sub: return unless_wrapped({a.lo - b.hi, a.hi - b.lo});
    case Op::neg: return unless_wrapped({-a.hi, -a.lo});
    case Op::mul: {
      if (!a.within(INT64_MIN, INT64_MAX) || !b.within(INT64_MIN, INT64_MAX)) return of_type(e->type);
      const Int128 c[] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
      return unless_wrapped({*std::min_element(c, c + 4), *std::max_element(c, c + 4)});
    }
    case Op::max: return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
    case Op::min: return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    case Op::relu: return {std::max<Int128>(a.lo, 0), std::max<Int128>(a.hi, 0)};
    case Op::floormod:
    case Op::eucmod:
    case Op::truncmod: {
      if (b.lo < 1) return of_type(e->type);
      if (a.lo >= 0 && a.hi < b.lo) return a;
      if (e->op == Op::truncmod && a.lo < 0) return {-(b.hi - 1), b.hi - 1};
      return {0, b.hi - 1};
    }
    case Op::floordiv:
    case Op::ceildiv:
    case Op::truncdiv:
    case Op::eucdiv: {
      if (b.lo < 1) return of_type(e->type);
      // By positive divisors each of them grows with the dividend, and with the divisor in one direction.
      const Int128 c[] = {quotient(e->op, a.lo, b.lo), quotient(e->op, a.lo, b.hi), quotient(e->op, a.hi, b.lo),
                          quotient(e->op, a.hi, b.hi)};
      return {*std::min_element(c, c + 4), *std::max_element(c, c + 4)};
    }
    case Op::abs: {
      if (a.lo >= 0) return a;
      return unless_wrapped({a.hi <= 0 ? -a.hi : Int128{0}, std::max(-a.lo, a.hi)});
    }
    default: return of_type(e->type);
  }
}

/// Narrows facts to where an expression lies in a range, or a condition has an outcome. False: nowhere.
class Narrowing {
 public:
  explicit Narrowing(ValueFacts& facts) : facts_(facts) {}

  bool condition(const Expr& c, bool positive) {
    switch (c->op) {
      case Op::literal: return (c->literal.bits != 0) == positive;
      case Op::lnot: return condition(c->args[0], !positive);
      case Op::land:
      case Op::lor:
        // The other outcome has two ways, of which either may be.
        if (positive == (c->op == Op::land)) return condition(c->args[0], positive) && condition(c->args[1], positive);
        return either(c, positive);
      default: break;
    }
    if (!is_comparison(c->op) || !is_integer(c->args[0])) return true;
    return comparison(positive ? c->op : negated(c->op), c->args[0], c->args[1]);
  }

 private:
  static Op negated(Op op) {
    switch (op) {
      case Op::eq: return Op::ne;
      case Op::ne: return Op::eq;
      case Op::lt: return Op::ge;
      case Op::ge: return Op::lt;
      case Op::gt: return Op::le;
      default: return Op::gt;
    }
  }

  // The first operand comes out so; or the other way, and then the second comes out so. Facts of both are joined only where
  // one of the ways is closed.
  bool either(const Expr& c, bool positive) {
    ValueFacts first = facts_, second = facts_;
    const bool one = Narrowing(first).condition(c->args[0], positive);
    Narrowing other(second);
    const bool two = other.condition(c->args[0], !positive) && other.condition(c->args[1], positive);
    if (one && two) return true;
    if (one || two) facts_ = one ? first : second;
    return one || two;
  }

  bool comparison(Op op, const Expr& a, const Expr& b) {
    if (op == Op::gt) return comparison(Op::lt, b, a);
    if (op == Op::ge) return comparison(Op::le, b, a);
    if (a->op == Op::index && b->op == Op::index) {
      const Index d = b->index - a->index;
      if (op == Op::lt) narrow_nonnegative(facts_.symbols, d - 1);
      if (op == Op::le || op == Op::eq) narrow_nonnegative(facts_.symbols, d);
      if (op == Op::eq) narrow_nonnegative(facts_.symbols, -d);
    }
    const Interval x = interval(a, facts_), y = interval(b, facts_);
    if (x.empty() || y.empty()) return false;
    switch (op) {
      case Op::lt: return lies(a, {x.lo, y.hi - 1}) && lies(b, {x.lo + 1, y.hi});
      case Op::le: return lies(a, {x.lo, y.hi}) && lies(b, {x.lo, y.hi});
      case Op::eq: return lies(a, y) && lies(b, x);
      default: return differs(a, x, y) && differs(b, y, x);
    }
  }

  // Other than the one value of y.
  bool differs(const Expr& e, Interval x, const Interval& y) {
    if (y.lo != y.hi) return true;
    if (x.lo == y.lo) ++x.lo;
    if (x.hi == y.lo) --x.hi;
    return lies(e, x);
  }

  bool lies(const Expr& e, const Interval& in) {
    const Interval now = interval(e, facts_), narrowed = meet(now, in);
    if (narrowed.empty()) return false;
    if (narrowed.lo == now.lo && narrowed.hi == now.hi) return true;
    const Interval whole = of_type(e->type);
    switch (e->op) {
      case Op::literal: return true;
      case Op::index:
        if (narrowed.lo >= INT64_MIN && narrowed.lo <= INT64_MAX)
          narrow_nonnegative(facts_.symbols, e->index - static_cast<std::int64_t>(narrowed.lo));
        if (narrowed.hi >= INT64_MIN && narrowed.hi <= INT64_MAX)
          narrow_nonnegative(facts_.symbols, Index(static_cast<std::int64_t>(narrowed.hi)) - e->index);
        break;
      case Op::convert:
        if (is_integer(e->args[0]) && interval(e->args[0], facts_).within(whole.lo, whole.hi))
          if (!lies(e->args[0], narrowed)) return false;
        break;
      case Op::add:
      case Op::sub: {
        const Interval a = interval(e->args[0], facts_), b = interval(e->args[1], facts_);
        const Interval sum = e->op == Op::add ? Interval{a.lo + b.lo, a.hi + b.hi} : Interval{a.lo - b.hi, a.hi - b.lo};
        if (!sum.within(whole.lo, whole.hi)) break;
        const Interval first = e->op == Op::add ? Interval{narrowed.lo - b.hi, narrowed.hi - b.lo}
                                                : Interval{narrowed.lo + b.lo, narrowed.hi + b.hi};
        const Interval second = e->op == Op::add ? Interval{narrowed.lo - a.hi, narrowed.hi - a.lo}
                                                 : Interval{a.lo - narrowed.hi, a.hi - narrowed.lo};
        if (!lies(e->args[0], first) || !lies(e->args[1], second)) return false;
        break;
      }
      default: break;
    }
    facts_.known.emplace_back(e, narrowed);
    return true;
  }

  ValueFacts& facts_;
};

}  // namespace

Interval interval(const Expr& e, const ValueFacts& facts) {
  if (!is_integer(e)) return of_type(e->type == Type::boolean ? Type::boolean : Type::i64);
  Interval out;
  switch (e->op) {
    case Op::index: out = interval(e->index, facts.symbols); break;
    case Op::literal: return {int_value(e->literal), int_value(e->literal)};
    case Op::load:
    case Op::variable:
    case Op::scope: out = loaded(e, facts); break;  // a scope yields the last value of its variable
    case Op::choice:
    case Op::select: out = chosen(e, facts); break;
    default: out = computed(e, facts); break;
  }
  for (const auto& [known, range] : facts.known) {
    if (known == e) out = meet(out, range);
  }
  return out;
}

Interval interval(const Expr& e, const Program& p, const Ranges& ranges) { return interval(e, ValueFacts{&p, ranges}); }

std::optional<ValueFacts> facts_under(const Expr& condition, bool positive, ValueFacts facts) {
  if (!Narrowing(facts).condition(condition, positive)) return std::nullopt;
  return facts;
}

}  // namespace assay
