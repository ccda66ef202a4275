// Float arithmetic that is algebraic: rounded once, with an exact report of what was lost (NUM-4 … NUM-12, NUM-31).
//
// f32, f16 and bf16 are computed in double. Products of two such values are exact there; quotients and roots are so
// far from a rounding boundary of the narrow type that rounding twice cannot differ from rounding once (a double has
// more than twice as many bits, plus two); sums are rounded to odd first, which no second rounding can spoil. f64
// uses the processor.
#include <cmath>

#include "interp/numerics_exact.hpp"
#include "interp/numerics_format.hpp"
#include "interp/numerics_tables.hpp"

namespace assay::numerics {
namespace {

/// The rounded operations of one format, on values of that format held as doubles.
template <Type T>
struct Arithmetic {
  static Rounded add(double a, double b) {
    const OddSum sum = sum_to_odd(a, b);
    return with_error(narrow<T>(sum.value), !sum.exact);
  }
  static Rounded mul(double a, double b) { return narrow<T>(a * b); }
  static Rounded div(double a, double b) {
    const Rounded quotient = narrow<T>(a / b);
    if (!std::isfinite(a) || !std::isfinite(b) || b == 0) return with_error({quotient.bits}, false);
    return {quotient.bits, widen<T>(quotient.bits) * b != a};
  }
  static Rounded sqrt(double a) {
    const Rounded root = narrow<T>(std::sqrt(a));
    if (!std::isfinite(a) || a < 0) return {root.bits};
    const double value = widen<T>(root.bits);
    return {root.bits, value * value != a};
  }
  static Rounded fma(double a, double b, double c) {
    const OddSum sum = sum_to_odd(a * b, c);
    return with_error(narrow<T>(sum.value), !sum.exact);
  }

 private:
  static Rounded with_error(Rounded r, bool inexact) { return {r.bits, r.inexact || inexact}; }
};

template <>
struct Arithmetic<Type::f64> {
  static Rounded add(double a, double b) {
    return judge(a + b, std::isfinite(a) && std::isfinite(b), [&](double sum) { return is_exact_sum(a, b, sum); });
  }
  static Rounded mul(double a, double b) {
    return judge(a * b, std::isfinite(a) && std::isfinite(b),
                 [&](double) { return a == 0 || b == 0 || is_exact_product(a, b); });
  }
  static Rounded div(double a, double b) {
    return judge(a / b, std::isfinite(a) && std::isfinite(b) && b != 0,
                 [&](double) { return a == 0 || is_exact_quotient(a, b); });
  }
  static Rounded sqrt(double a) {
    return judge(std::sqrt(a), std::isfinite(a) && a > 0, [&](double root) { return is_exact_root(a, root); });
  }
  static Rounded fma(double a, double b, double c) {
    return judge(std::fma(a, b, c), std::isfinite(a) && std::isfinite(b) && std::isfinite(c), [&](double) {
      if (a == 0 || b == 0) return true;
      return c == 0 ? is_exact_product(a, b) : is_exact_fma(a, b, c);
    });
  }

 private:
  /// An infinity from finite operands was an overflow; a finite result is asked for its exactness.
  template <typename Exact>
  static Rounded judge(double result, bool finite_operands, Exact exact) {
    return {narrow<Type::f64>(result).bits, finite_operands && (!std::isfinite(result) || !exact(result))};
  }
};

template <Type T>
Scalar give(Rounded r, Flags& flags) {
  flags.inexact = flags.inexact || r.inexact;
  return {T, r.bits};
}
template <Type T>
double value(const Scalar& s) {
  return widen<T>(s.bits);
}

template <Type T>
Scalar add(const Scalar* x, Flags& flags) {
  return give<T>(Arithmetic<T>::add(value<T>(x[0]), value<T>(x[1])), flags);
}
template <Type T>
Scalar sub(const Scalar* x, Flags& flags) {
  return give<T>(Arithmetic<T>::add(value<T>(x[0]), -value<T>(x[1])), flags);
}
template <Type T>
Scalar mul(const Scalar* x, Flags& flags) {
  return give<T>(Arithmetic<T>::mul(value<T>(x[0]), value<T>(x[1])), flags);
}
template <Type T>
Scalar div(const Scalar* x, Flags& flags) {
  return give<T>(Arithmetic<T>::div(value<T>(x[0]), value<T>(x[1])), flags);
}
template <Type T>
Scalar fma(const Scalar* x, Flags& flags) {
  return give<T>(Arithmetic<T>::fma(value<T>(x[0]), value<T>(x[1]), value<T>(x[2])), flags);
}
template <Type T>
Scalar sqrt(const Scalar* x, Flags& flags) {
  return give<T>(Arithmetic<T>::sqrt(value<T>(x[0])), flags);
}
template <Type T>
Scalar recip(const Scalar* x, Flags& flags) {
  return give<T>(Arithmetic<T>::div(1, value<T>(x[0])), flags);
}

/// Signs: bit operations, except that there is one NaN.
template <Type T>
Scalar neg(const Scalar* x, Flags&) {
  return {T, is_nan_bits<T>(x->bits) ? nan_bits<T> : x->bits ^ sign_bit<T>};
}
template <Type T>
Scalar abs(const Scalar* x, Flags&) {
  return {T, is_nan_bits<T>(x->bits) ? nan_bits<T> : x->bits & ~sign_bit<T>};
}

/// Rounding to an integral value: exact, and small enough for every format.
template <Type T, double (*Round)(double)>
Scalar integral(const Scalar* x, Flags&) {
  return {T, narrow<T>(Round(value<T>(x[0]))).bits};
}
double floor_of(double x) { return std::floor(x); }
double ceil_of(double x) { return std::ceil(x); }
double trunc_of(double x) { return std::trunc(x); }

template <Type T, Op O>
Scalar compare(const Scalar* x, Flags&) {
  const double a = value<T>(x[0]), b = value<T>(x[1]);
  if constexpr (O == Op::eq) return bool_scalar(a == b);
  if constexpr (O == Op::ne) return bool_scalar(a != b);
  if constexpr (O == Op::lt) return bool_scalar(a < b);
  if constexpr (O == Op::le) return bool_scalar(a <= b);
  if constexpr (O == Op::gt) return bool_scalar(a > b);
  return bool_scalar(a >= b);
}

/// Orders the patterns of a format that are not NaN: −∞ … −0 < +0 … +∞.
template <Type T>
std::int64_t order(std::uint64_t bits) {
  const auto magnitude = static_cast<std::int64_t>(bits & ~sign_bit<T>);
  return (bits & sign_bit<T>) != 0 ? -1 - magnitude : magnitude;
}
template <Type T>
std::uint64_t greater(std::uint64_t a, std::uint64_t b) {
  if (is_nan_bits<T>(a) || is_nan_bits<T>(b)) return nan_bits<T>;
  return order<T>(a) >= order<T>(b) ? a : b;
}
template <Type T>
std::uint64_t lesser(std::uint64_t a, std::uint64_t b) {
  if (is_nan_bits<T>(a) || is_nan_bits<T>(b)) return nan_bits<T>;
  return order<T>(a) <= order<T>(b) ? a : b;
}
template <Type T, std::uint64_t (*Pick)(std::uint64_t, std::uint64_t)>
Scalar extremum(const Scalar* x, Flags&) {
  return {T, Pick(x[0].bits, x[1].bits)};
}
template <Type T, std::uint64_t (*Pick)(std::uint64_t, std::uint64_t)>
Scalar extremum_number(const Scalar* x, Flags& flags) {
  if (is_nan_bits<T>(x[0].bits)) return {T, is_nan_bits<T>(x[1].bits) ? nan_bits<T> : x[1].bits};
  if (is_nan_bits<T>(x[1].bits)) return x[0];
  return extremum<T, Pick>(x, flags);
}
template <Type T>
Scalar relu(const Scalar* x, Flags&) {
  return {T, greater<T>(x->bits, 0)};
}
template <Type T>
Scalar sat01(const Scalar* x, Flags&) {
  constexpr std::uint64_t one = std::uint64_t{Format<T>::bias} << stored_bits<T>;
  return {T, lesser<T>(greater<T>(x->bits, 0), one)};
}

template <Type T>
Function find_at(Op op) {
  switch (op) {
    case Op::neg: return neg<T>;
    case Op::add: return add<T>;
    case Op::sub: return sub<T>;
    case Op::mul: return mul<T>;
    case Op::div: return div<T>;
    case Op::eq: return compare<T, Op::eq>;
    case Op::ne: return compare<T, Op::ne>;
    case Op::lt: return compare<T, Op::lt>;
    case Op::le: return compare<T, Op::le>;
    case Op::gt: return compare<T, Op::gt>;
    case Op::ge: return compare<T, Op::ge>;
    case Op::max: return extremum<T, greater<T>>;
    case Op::min: return extremum<T, lesser<T>>;
    case Op::maxnum: return extremum_number<T, greater<T>>;
    case Op::minnum: return extremum_number<T, lesser<T>>;
    case Op::fma: return fma<T>;
    case Op::abs: return abs<T>;
    case Op::relu: return relu<T>;
    case Op::sat01: return sat01<T>;
    case Op::sqrt: return sqrt<T>;
    case Op::recip: return recip<T>;
    case Op::trunc: return integral<T, trunc_of>;
    case Op::floor: return integral<T, floor_of>;
    case Op::ceil: return integral<T, ceil_of>;
    default: return nullptr;
  }
}

}  // namespace

Function find_float_arithmetic(Op op, Type operand) {
  switch (operand) {
    case Type::f64: return find_at<Type::f64>(op);
    case Type::f32: return find_at<Type::f32>(op);
    case Type::f16: return find_at<Type::f16>(op);
    case Type::bf16: return find_at<Type::bf16>(op);
    case Type::f8e5m2: return find_at<Type::f8e5m2>(op);
    case Type::f8e4m3fn: return find_at<Type::f8e4m3fn>(op);
    default: return nullptr;
  }
}

}  // namespace assay::numerics
