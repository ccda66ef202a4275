// The seven divisions differ in where the remainder lies.
#include "proofs/validate/division_terms.hpp"

#include <algorithm>

namespace assay::derive {
namespace {

Interval hull(std::initializer_list<Int128> values) { return {std::min(values), std::max(values)}; }

// Rounded towards zero: the floor where that is not negative, the ceiling where that is not positive.
Index truncated(const Index& s, std::int64_t c) {
  return max({floordiv(s, c), Index(0)}) + min({ceildiv(s, c), Index(0)});
}

}  // namespace

bool fits(const Interval& i, Type type) {
  if (type == Type::index) return i.within(INT64_MIN, INT64_MAX);
  const IntRange r = int_range(type);
  return i.within(r.lo, r.hi);
}
Interval product(const Interval& a, const Interval& b) {
  return hull({a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi});
}
bool is_quotient(Op op) { return op == Op::floordiv || op == Op::ceildiv || op == Op::truncdiv || op == Op::eucdiv; }

Index constant_quotient(Op op, const Index& s, std::int64_t c) {
  const std::int64_t size = c < 0 ? -c : c;
  const Index dividend = c < 0 ? -s : s;
  switch (op) {
    case Op::floordiv:
    case Op::floormod: return floordiv(dividend, size);
    case Op::ceildiv: return ceildiv(dividend, size);
    case Op::truncdiv:
    case Op::truncmod: return truncated(dividend, size);
    default: return c < 0 ? -floordiv(s, size) : floordiv(s, size);
  }
}

Formula remainder_range(Op op, const Index& s, const Index& t, const Index& r) {
  const Index zero(0);
  const Formula up = Formula::le(zero, r) & Formula::lt(r, t);      // 0 <= r < t
  const Formula down = Formula::lt(t, r) & Formula::le(r, zero);    // t < r <= 0
  const Formula above = Formula::le(zero, r) & Formula::lt(r, -t);  // 0 <= r < -t
  const Formula below = Formula::lt(-t, r) & Formula::le(r, zero);  // -t < r <= 0
  const Formula positive = Formula::lt(zero, t), negative = Formula::lt(t, zero);
  switch (op) {
    case Op::floordiv:
    case Op::floormod: return (positive & up) | (negative & down);
    case Op::ceildiv: return (positive & below) | (negative & above);
    case Op::truncdiv:
    case Op::truncmod: {
      const Formula like_s = Formula::nonneg(s);
      return (positive & like_s & up) | (positive & !like_s & below) | (negative & like_s & above) |
             (negative & !like_s & down);
    }
    default: return (positive & up) | (negative & above);
  }
}

}  // namespace assay::derive
