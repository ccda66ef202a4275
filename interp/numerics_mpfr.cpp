// MPFR with the precision and the exponent range of one of our formats, subnormals included.
#include "interp/numerics_mpfr.hpp"

#include <mpfr.h>

namespace assay::numerics {
namespace {

/// Sets the exponent range of a format for a scope. MPFR's significands are in [1/2, 1), ours in [1, 2): hence the
/// ones.
class ExponentRange {
 public:
  ExponentRange(int precision, int bias, int greatest_exponent) {
    mpfr_set_emin(3 - bias - precision);
    mpfr_set_emax(greatest_exponent + 1);
  }
  ~ExponentRange() {
    mpfr_set_emin(emin_);
    mpfr_set_emax(emax_);
    mpfr_flags_restore(flags_, MPFR_FLAGS_ALL);
  }
  ExponentRange(const ExponentRange&) = delete;
  ExponentRange& operator=(const ExponentRange&) = delete;

 private:
  mpfr_exp_t emin_ = mpfr_get_emin(), emax_ = mpfr_get_emax();
  mpfr_flags_t flags_ = mpfr_flags_save();
};

class Number {
 public:
  explicit Number(int precision) { mpfr_init2(value_, precision); }
  Number(int precision, double x) : Number(precision) { mpfr_set_d(value_, x, MPFR_RNDN); }
  ~Number() { mpfr_clear(value_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

/// MPFR keeps constants and memory per thread: they go when the thread does.
struct ThreadCache {
  ~ThreadCache() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
};

/// Writes op(x, y) to r; the sign of the result is that of rounded − exact.
int evaluate(Op op, mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr y) {
  switch (op) {
    case Op::exp: return mpfr_exp(r, x, MPFR_RNDN);
    case Op::exp2: return mpfr_exp2(r, x, MPFR_RNDN);
    case Op::log: return mpfr_log(r, x, MPFR_RNDN);
    case Op::log2: return mpfr_log2(r, x, MPFR_RNDN);
    case Op::sin: return mpfr_sin(r, x, MPFR_RNDN);
    case Op::cos: return mpfr_cos(r, x, MPFR_RNDN);
    case Op::tanh: return mpfr_tanh(r, x, MPFR_RNDN);
    case Op::rsqrt: return mpfr_rec_sqrt(r, x, MPFR_RNDN);
    case Op::pow: return mpfr_pow(r, x, y, MPFR_RNDN);
    default: break;
  }
  mpfr_set_nan(r);
  return 0;
}

template <Type T>
Rounded round_to(Op op, double x, double y) {
  thread_local const ThreadCache cache;
  constexpr int precision = Format<T>::precision;
  const ExponentRange range(precision, Format<T>::bias, greatest_exponent<T>);
  Number a(precision, x), b(precision, y), result(precision);
  int ternary = evaluate(op, result.get(), a.get(), b.get());
  ternary = mpfr_subnormalize(result.get(), ternary, MPFR_RNDN);
  const Rounded rounded = narrow<T>(mpfr_get_d(result.get(), MPFR_RNDN));
  return {rounded.bits, ternary != 0 || rounded.inexact};
}

}  // namespace

Rounded round_by_mpfr(Op op, Type format, double x, double y) {
  switch (format) {
    case Type::f64: return round_to<Type::f64>(op, x, y);
    case Type::f16: return round_to<Type::f16>(op, x, y);
    case Type::bf16: return round_to<Type::bf16>(op, x, y);
    case Type::f8e5m2: return round_to<Type::f8e5m2>(op, x, y);
    case Type::f8e4m3fn: return round_to<Type::f8e4m3fn>(op, x, y);
    default: return round_to<Type::f32>(op, x, y);
  }
}

}  // namespace assay::numerics
