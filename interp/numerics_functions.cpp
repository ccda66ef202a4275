// exp exp2 log log2 sin cos tanh rsqrt pow, correctly rounded (NUM-13 … NUM-16, NUM-32).
//
// Each is evaluated by the C library with bits to spare (double for the narrow formats, long double for f64). Where
// every real within a generous bound of that result rounds to one value, that value is the answer; elsewhere MPFR
// decides. The functions take irrational values at all arguments but a few, which are listed: so inexactness needs no
// evaluation.
#include <cfloat>
#include <cmath>
#include <limits>
#include <optional>

#include "interp/numerics_exact.hpp"
#include "interp/numerics_format.hpp"
#include "interp/numerics_mpfr.hpp"
#include "interp/numerics_tables.hpp"

namespace assay::numerics {
namespace {

static_assert(LDBL_MANT_DIG >= 64, "f64 functions need a long double that is wider than a double");

/// The type in which functions at format T are evaluated, and the relative error granted to the C library there
/// (NUM-16).
template <Type T>
struct Evaluation {
  using Real = double;
  static constexpr Real tolerance = 0x1p-48;
};
template <>
struct Evaluation<Type::f64> {
  using Real = long double;
  static constexpr Real tolerance = 0x1p-60L;
};
template <Type T>
using Real = typename Evaluation<T>::Real;

template <Type T>
Rounded narrow_real(Real<T> x) {
  if constexpr (T == Type::f64) {
    return narrow_extended(x);
  } else {
    return narrow<T>(x);
  }
}

/// 2^far and e^(far/2) lie far beyond the range of every format that R evaluates, and inside the range of R itself.
template <typename R>
inline constexpr R far = sizeof(R) > sizeof(double) ? R{16000} : R{1000};
template <typename R>
R within(R x, R limit) {
  return x > limit ? limit : x < -limit ? -limit : x;
}

template <Op O, typename R>
R evaluate(R x) {
  if constexpr (O == Op::exp) return std::exp(std::isinf(x) ? x : within(x, far<R> / 2));
  if constexpr (O == Op::exp2) return std::exp2(std::isinf(x) ? x : within(x, far<R>));
  if constexpr (O == Op::log) return std::log(x);
  if constexpr (O == Op::log2) return std::log2(x);
  if constexpr (O == Op::sin) return std::sin(x);
  if constexpr (O == Op::cos) return std::cos(x);
  if constexpr (O == Op::tanh) return std::tanh(x);
  return 1 / std::sqrt(x);
}

/// The exact value at the finite nonzero arguments at which a function is not irrational (NUM-32); NaN outside its
/// domain. The functions e^x, ln, sin, cos, tanh of a rational are transcendental but at 0 or 1 (Lindemann), the
/// others algebraic.
template <Op O, typename R>
std::optional<R> rational_value(double x) {
  if constexpr (O == Op::exp2) {
    if (x == std::trunc(x)) return std::ldexp(R{1}, static_cast<int>(within(static_cast<R>(x), far<R>)));
  }
  if constexpr (O == Op::log || O == Op::log2 || O == Op::rsqrt) {
    if (x < 0) return std::numeric_limits<R>::quiet_NaN();
    if (x == 1) return O == Op::rsqrt ? R{1} : R{0};
  }
  if constexpr (O == Op::log2 || O == Op::rsqrt) {
    const Dyadic d = dyadic(x);
    if (d.odd == 1 && O == Op::log2) return static_cast<R>(d.exponent);
    if (d.odd == 1 && d.exponent % 2 == 0) return std::ldexp(R{1}, -d.exponent / 2);
  }
  return std::nullopt;
}

/// The value to which everything within the tolerance of y rounds, when there is one; y is finite and not zero.
template <Type T>
std::optional<std::uint64_t> settle(Real<T> y) {
  const Real<T> margin = y * Evaluation<T>::tolerance;
  const std::uint64_t low = narrow_real<T>(y - margin).bits, high = narrow_real<T>(y + margin).bits;
  if (low != high) return std::nullopt;
  return low;
}

template <Op O, Type T>
Rounded function(double x) {
  using R = Real<T>;
  if (x == 0 || !std::isfinite(x)) return {narrow_real<T>(evaluate<O, R>(static_cast<R>(x))).bits};
  if (const auto exact = rational_value<O, R>(x)) return narrow_real<T>(*exact);
  if (const auto bits = settle<T>(evaluate<O, R>(static_cast<R>(x)))) return {*bits, true};
  return round_by_mpfr(O, T, x);
}

template <Type T>
Rounded power(double x, double y) {
  using R = Real<T>;
  const bool special =
      x == 0 || x == 1 || y == 0 || !std::isfinite(x) || !std::isfinite(y) || (x < 0 && y != std::trunc(y));
  if (special) return {narrow<T>(std::pow(x, y)).bits};  // every such value is exact
  const R result = std::pow(static_cast<R>(x), static_cast<R>(y));
  // Near the ends of R the relative error is not bounded, but every format has long under- or overflowed there.
  const double sign = std::signbit(result) ? -1 : 1;
  if (std::fabs(result) > std::ldexp(R{1}, static_cast<int>(far<R>))) return {narrow<T>(sign * INFINITY).bits, true};
  if (std::fabs(result) < std::ldexp(R{1}, -static_cast<int>(far<R>))) return {narrow<T>(sign * 0.0).bits, true};
  if (const auto bits = settle<T>(result)) {
    // A power may be exactly representable; it is not when the settled value lies outside the tolerance.
    const R distance = std::fabs(result - static_cast<R>(widen<T>(*bits)));
    if (distance > std::fabs(result) * Evaluation<T>::tolerance) return {*bits, true};
  }
  return round_by_mpfr(Op::pow, T, x, y);
}

template <Op O, Type T>
Scalar apply_function(const Scalar* x, Flags& flags) {
  const Rounded r = function<O, T>(widen<T>(x->bits));
  flags.inexact = flags.inexact || r.inexact;
  return {T, r.bits};
}
template <Type T>
Scalar apply_power(const Scalar* x, Flags& flags) {
  const Rounded r = power<T>(widen<T>(x[0].bits), widen<T>(x[1].bits));
  flags.inexact = flags.inexact || r.inexact;
  return {T, r.bits};
}

template <Type T>
Function find_at(Op op) {
  switch (op) {
    case Op::exp: return apply_function<Op::exp, T>;
    case Op::exp2: return apply_function<Op::exp2, T>;
    case Op::log: return apply_function<Op::log, T>;
    case Op::log2: return apply_function<Op::log2, T>;
    case Op::sin: return apply_function<Op::sin, T>;
    case Op::cos: return apply_function<Op::cos, T>;
    case Op::tanh: return apply_function<Op::tanh, T>;
    case Op::rsqrt: return apply_function<Op::rsqrt, T>;
    case Op::pow: return apply_power<T>;
    default: return nullptr;
  }
}

}  // namespace

Function find_float_function(Op op, Type operand) {
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
