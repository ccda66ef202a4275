// Interval arithmetic in the values of a type: no directed rounding, because what is enclosed is rounded itself.
#include "interp/enclosure/range.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "ir/tensor.hpp"

namespace assay::interp::enclosure {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double as_double(Scalar s) {
  numerics::Flags flags;
  return std::bit_cast<double>(numerics::convert(Type::f64, s, flags).bits);
}
Scalar at_type(Type t, double x) {
  numerics::Flags flags;
  return numerics::convert(t, {Type::f64, std::bit_cast<std::uint64_t>(x)}, flags);
}

Range between(Type t, double lo, double hi, bool may_be_nan) {
  Range r;
  r.is_exact = false;
  r.value.type = t;
  r.lo = lo;
  r.hi = hi;
  r.may_be_nan = may_be_nan;
  return r;
}
// Any range as ends.
Range widened(const Range& r) {
  if (!r.is_exact) return r;
  const double x = as_double(r.value);
  if (std::isnan(x)) return between(r.value.type, infinity, -infinity, true);
  return between(r.value.type, x, x, false);
}
bool is_empty(const Range& r) { return r.lo > r.hi; }

// The rounded operation on values of the type.
double rounded(Op op, Type t, double a, double b = 0, double c = 0) {
  const Scalar operands[3] = {at_type(t, a), at_type(t, b), at_type(t, c)};
  numerics::Flags flags;
  return as_double(numerics::apply(op, operands, flags));
}

// The hull of what an operation gives at the corners of a box; a NaN at a corner may come of an infinity there.
class Hull {
 public:
  explicit Hull(Type t) : type_(t) {}
  void add(double x) {
    if (std::isnan(x)) {
      nan_ = true;
      return;
    }
    lo_ = std::min(lo_, x);
    hi_ = std::max(hi_, x);
  }
  void add_nan() { nan_ = true; }
  void add_all() {
    lo_ = -infinity;
    hi_ = infinity;
  }
  Range range() const { return between(type_, lo_, hi_, nan_); }

 private:
  Type type_;
  double lo_ = infinity, hi_ = -infinity;
  bool nan_ = false;
};

bool has(const Range& r, double x) { return r.lo <= x && x <= r.hi; }
bool has_infinity(const Range& r) { return r.lo == -infinity || r.hi == infinity; }

// Operations that are monotone in each operand: the corners tell, but for forms that have no value inside.
Range on_corners(Op op, Type t, const Range* x, int arity) {
  Hull hull(t);
  for (int k = 0; k < arity; ++k) {
    if (x[k].may_be_nan) hull.add_nan();
    if (is_empty(x[k])) return hull.range();
  }
  // ∞·0 and ∞ − ∞ inside the box, where no corner shows it.
  const bool product = op == Op::mul || op == Op::fma;
  if (product && ((has(x[0], 0) && has_infinity(x[1])) || (has(x[1], 0) && has_infinity(x[0])))) {
    hull.add_nan();
    hull.add_all();
    return hull.range();
  }
  for (int corner = 0; corner < 1 << arity; ++corner) {
    double ends[3] = {0, 0, 0};
    for (int k = 0; k < arity; ++k) ends[k] = (corner >> k & 1) != 0 ? x[k].hi : x[k].lo;
    const double there = rounded(op, t, ends[0], ends[1], ends[2]);
    hull.add(there);
    if (std::isnan(there)) hull.add_all();  // it has no value to bound the hull with
  }
  return hull.range();
}

Range quotient(Type t, const Range& a, const Range& b) {
  Hull hull(t);
  if (a.may_be_nan || b.may_be_nan) hull.add_nan();
  if (is_empty(a) || is_empty(b)) return hull.range();
  if (has(b, 0) || (has_infinity(a) && has_infinity(b))) {
    hull.add_nan();
    hull.add_all();
    return hull.range();
  }
  for (const double x : {a.lo, a.hi}) {
    for (const double y : {b.lo, b.hi}) hull.add(rounded(Op::div, t, x, y));
  }
  return hull.range();
}

Range root(Type t, const Range& a) {
  Hull hull(t);
  if (a.may_be_nan || a.lo < 0) hull.add_nan();
  if (!is_empty(a) && a.hi >= 0) {
    hull.add(rounded(Op::sqrt, t, std::max(a.lo, 0.0)));
    hull.add(rounded(Op::sqrt, t, a.hi));
  }
  return hull.range();
}

Range absolute(Type t, const Range& a) {
  Hull hull(t);
  if (a.may_be_nan) hull.add_nan();
  if (is_empty(a)) return hull.range();
  hull.add(std::fabs(a.lo));
  hull.add(std::fabs(a.hi));
  if (has(a, 0)) hull.add(0);
  return hull.range();
}

Range extremum_number(Op op, Type t, const Range& a, const Range& b) {
  const Range operands[2] = {a, b};
  Range numbers[2] = {a, b};
  numbers[0].may_be_nan = numbers[1].may_be_nan = false;
  Hull hull(t);
  if (!is_empty(a) && !is_empty(b)) {
    const Range both = on_corners(op == Op::maxnum ? Op::max : Op::min, t, numbers, 2);
    hull.add(both.lo);
    hull.add(both.hi);
  }
  for (int k = 0; k < 2; ++k) {
    const Range& other = operands[1 - k];
    if (!operands[k].may_be_nan) continue;
    if (other.may_be_nan) hull.add_nan();
    if (is_empty(other)) continue;
    hull.add(other.lo);
    hull.add(other.hi);
  }
  return hull.range();
}

std::optional<Range> comparison(Op op, const Range& a, const Range& b) {
  const auto always = [](bool v) { return exactly(bool_scalar(v)); };
  const bool nan = a.may_be_nan || b.may_be_nan;
  if (is_empty(a) || is_empty(b)) return always(op == Op::ne);  // a NaN for certain
  if (a.hi < b.lo || a.lo > b.hi) {
    const bool less = a.hi < b.lo;
    const bool holds = op == Op::ne || (less ? op == Op::lt || op == Op::le : op == Op::gt || op == Op::ge);
    if (nan && holds && op != Op::ne) return std::nullopt;
    return always(holds);
  }
  if (a.hi == b.lo && (op == Op::le || op == Op::gt))
    return nan && op == Op::le ? std::nullopt : std::optional(always(op == Op::le));
  if (a.lo == b.hi && (op == Op::ge || op == Op::lt))
    return nan && op == Op::ge ? std::nullopt : std::optional(always(op == Op::ge));
  return std::nullopt;
}

// Outwards by the error granted and the half unit that the correctly rounded value is off. Just below a power of two a
// unit is half of that above: twice as many steps.
constexpr int steps = 2 * (granted_ulps + 1);
double down(double x) {
  for (int k = 0; k < steps; ++k) x = std::nextafter(x, -infinity);
  return x;
}
double up(double x) {
  for (int k = 0; k < steps; ++k) x = std::nextafter(x, infinity);
  return x;
}

Range monotone_function(Op op, const Range& a) {
  Hull hull(Type::f64);
  if (a.may_be_nan) hull.add_nan();
  if (is_empty(a)) return hull.range();
  double lo = a.lo;
  if ((op == Op::log || op == Op::log2 || op == Op::rsqrt) && lo < 0) {
    hull.add_nan();
    if (a.hi < 0) return hull.range();
    lo = 0;
  }
  if (op == Op::rsqrt && lo == 0) hull.add_all();  // the sign of a zero decides
  double first = rounded(op, Type::f64, lo), last = rounded(op, Type::f64, a.hi);
  if (op == Op::rsqrt) std::swap(first, last);
  first = down(first);
  if (op == Op::exp || op == Op::exp2) first = std::max(first, 0.0);  // no power is negative
  hull.add(first);
  hull.add(up(last));
  return hull.range();
}

Range oscillation(Op op, const Range& a) {
  Hull hull(Type::f64);
  if (a.may_be_nan || has_infinity(a)) hull.add_nan();
  if (is_empty(a)) return hull.range();
  const double width = std::nextafter(a.hi - a.lo, infinity);
  double lo = -1, hi = 1;
  if (std::isfinite(a.lo) && width < 1) {
    const double there = rounded(op, Type::f64, a.lo);
    const double radius = a.lo == a.hi ? 0 : width;  // no slope is above 1
    lo = std::max(lo, std::nextafter(there - radius, -infinity));
    hi = std::min(hi, std::nextafter(there + radius, infinity));
  } else if (!std::isfinite(a.lo) && a.lo == a.hi) {
    return hull.range();
  }
  // The unit of the largest result in the range.
  const double largest = std::max(std::fabs(lo), std::fabs(hi));
  const double unit = std::nextafter(largest, infinity) - largest;
  hull.add(lo - steps * unit);
  hull.add(hi + steps * unit);
  return hull.range();
}

Range power(const Range& a, const Range& b) {
  Hull hull(Type::f64);
  const bool nan = a.may_be_nan || b.may_be_nan;
  if (nan) hull.add_nan();
  if (nan || is_empty(a) || is_empty(b) || a.lo <= 0 || has_infinity(a) || has_infinity(b)) {
    hull.add_nan();
    hull.add_all();
    return hull.range();
  }
  double lo = infinity, hi = 0;
  for (const double x : {a.lo, a.hi}) {
    for (const double y : {b.lo, b.hi}) {
      const double p = rounded(Op::pow, Type::f64, x, y);
      lo = std::min(lo, p);
      hi = std::max(hi, p);
    }
  }
  hull.add(std::max(0.0, down(lo)));
  hull.add(up(hi));
  return hull.range();
}

bool is_function(Op op) { return (op >= Op::exp && op <= Op::tanh) || op == Op::rsqrt || op == Op::pow; }

bool is_promised_at(double x) { return x == 0 || !std::isfinite(x); }  // NUM-14 is Annex F of C there

// At which exact operands the C library's value is promised: zeros, infinities, NaN, and what NUM-15 lists.
bool is_promised(Op op, const Range* x) {
  const double a = as_double(x[0].value);
  if (op != Op::pow) {
    const bool outside = (op == Op::log || op == Op::log2 || op == Op::rsqrt) && a < 0;
    return is_promised_at(a) || outside;
  }
  const double b = as_double(x[1].value);
  return is_promised_at(a) || is_promised_at(b) || a == 1 || (a < 0 && b != std::trunc(b));
}

}  // namespace

Range exactly(Scalar s) {
  Range r;
  r.value = s;
  return r;
}

std::optional<Range> apply(Op op, Type operand, const Range* operands) {
  const int arity = info(op).arity;
  const bool all_exact = std::all_of(operands, operands + arity, [](const Range& r) { return r.is_exact; });
  const bool granted = operand == Type::f64 && is_function(op);
  if (all_exact && (!granted || is_promised(op, operands))) {
    Scalar x[3];
    for (int k = 0; k < arity; ++k) x[k] = operands[k].value;
    numerics::Flags flags;
    const Scalar r = numerics::apply(op, x, flags);
    if (flags.divide_by_zero) return std::nullopt;
    return exactly(r);
  }
  if (!is_float(operand)) return std::nullopt;
  Range x[3];
  for (int k = 0; k < arity; ++k) x[k] = widened(operands[k]);
  switch (op) {
    case Op::neg: return is_empty(x[0]) ? x[0] : between(operand, -x[0].hi, -x[0].lo, x[0].may_be_nan);
    case Op::sub: {
      const Range negated = is_empty(x[1]) ? x[1] : between(operand, -x[1].hi, -x[1].lo, x[1].may_be_nan);
      const Range sum[2] = {x[0], negated};
      return on_corners(Op::add, operand, sum, 2);
    }
    case Op::add:
    case Op::mul:
    case Op::fma:
    case Op::max:
    case Op::min:
    case Op::relu:
    case Op::sat01:
    case Op::floor:
    case Op::ceil:
    case Op::trunc: return on_corners(op, operand, x, arity);
    case Op::div: return quotient(operand, x[0], x[1]);
    case Op::recip: return quotient(operand, between(operand, 1, 1, false), x[0]);
    case Op::sqrt: return root(operand, x[0]);
    case Op::abs: return absolute(operand, x[0]);
    case Op::maxnum:
    case Op::minnum: return extremum_number(op, operand, x[0], x[1]);
    case Op::eq:
    case Op::ne:
    case Op::lt:
    case Op::le:
    case Op::gt:
    case Op::ge: return comparison(op, x[0], x[1]);
    default: break;
  }
  if (operand != Type::f64) {
    // Correctly rounded, and so as monotone as the function.
    const bool everywhere = op == Op::exp || op == Op::exp2 || op == Op::tanh;
    const bool above_zero = (op == Op::log || op == Op::log2 || op == Op::rsqrt) && x[0].lo > 0;
    if (everywhere || above_zero) return on_corners(op, operand, x, 1);
    return std::nullopt;
  }
  switch (op) {
    case Op::exp:
    case Op::exp2:
    case Op::log:
    case Op::log2:
    case Op::tanh:
    case Op::rsqrt: return monotone_function(op, x[0]);
    case Op::sin:
    case Op::cos: return oscillation(op, x[0]);
    case Op::pow: return power(x[0], x[1]);
    default: return std::nullopt;
  }
}

std::optional<Range> convert(Type to, const Range& from) {
  numerics::Flags flags;
  if (from.is_exact) return exactly(numerics::convert(to, from.value, flags));
  if (is_float(to)) {
    if (is_empty(from)) return between(to, from.lo, from.hi, from.may_be_nan);
    return between(to, as_double(at_type(to, from.lo)), as_double(at_type(to, from.hi)), from.may_be_nan);
  }
  if (from.may_be_nan || is_empty(from)) return std::nullopt;
  const Scalar lo = numerics::convert(to, at_type(from.value.type, from.lo), flags);
  const Scalar hi = numerics::convert(to, at_type(from.value.type, from.hi), flags);
  // Truncation is monotone; to bool it is not: zero may lie between.
  if (lo != hi || (to == Type::boolean && has(from, 0))) return std::nullopt;
  return exactly(lo);
}

bool contains(const Range& r, Scalar executed) {
  if (r.is_exact) return same_value(r.value, executed);
  if (is_nan(executed)) return r.may_be_nan;
  const double x = as_double(executed);
  return r.lo <= x && x <= r.hi;
}

}  // namespace assay::interp::enclosure
