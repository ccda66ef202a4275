// The reference: MPFR at the format's precision, then its exponent range and subnormals.
#include "numerics_reference.hpp"

#include <fmt/format.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdlib>

#include "ir/literal.hpp"

namespace assay::test {

int precision(Type t) {
  switch (t) {
    case Type::f64: return 53;
    case Type::f32: return 24;
    case Type::f16: return 11;
    case Type::f8e5m2: return 3;
    case Type::f8e4m3fn: return 4;
    default: return 8;
  }
}
int greatest_exponent(Type t) {
  switch (t) {
    case Type::f64: return 1023;
    case Type::f16: return 15;
    case Type::f8e5m2: return 15;
    case Type::f8e4m3fn: return 8;
    default: return 127;
  }
}
int bias(Type t) { return t == Type::f8e4m3fn ? 7 : greatest_exponent(t); }
double largest(Type t) {
  if (t == Type::f8e4m3fn) return 448;
  return std::ldexp(2 - std::ldexp(1.0, 1 - precision(t)), greatest_exponent(t));
}

double decode(Scalar s) {
  const int stored = precision(s.type) - 1, greatest = bias(s.type);
  if (s.type == Type::f8e4m3fn && (s.bits & 0x7f) == 0x7f) return std::nan("");
  const std::uint64_t significand = s.bits & ((std::uint64_t{1} << stored) - 1);
  const auto field = static_cast<int>(s.bits >> stored & (2 * static_cast<std::uint64_t>(greatest) + 1));
  const bool negative = (s.bits >> (bit_width(s.type) - 1) & 1) != 0;
  double magnitude = 0;
  if (field == 2 * greatest + 1 && s.type != Type::f8e4m3fn) {
    if (significand != 0) return std::nan("");
    magnitude = HUGE_VAL;
  } else if (field == 0) {
    magnitude = std::ldexp(static_cast<double>(significand), 1 - greatest - stored);
  } else {
    magnitude = std::ldexp(static_cast<double>(significand | std::uint64_t{1} << stored), field - greatest - stored);
  }
  return negative ? -magnitude : magnitude;
}

std::uint64_t encode(Type t, double value) {
  if (t == Type::f8e4m3fn && !std::isfinite(value)) return 0x7f;
  const int stored = precision(t) - 1, greatest = bias(t);
  const std::uint64_t all_exponent = (2 * static_cast<std::uint64_t>(greatest) + 1) << stored;
  if (std::isnan(value)) return all_exponent | std::uint64_t{1} << (stored - 1);
  const std::uint64_t sign = std::signbit(value) ? std::uint64_t{1} << (bit_width(t) - 1) : 0;
  if (std::isinf(value)) return sign | all_exponent;
  if (value == 0) return sign;
  const double magnitude = std::fabs(value);
  const int exponent = std::ilogb(magnitude);
  if (exponent < 1 - greatest) return sign | static_cast<std::uint64_t>(std::ldexp(magnitude, greatest - 1 + stored));
  const auto significand = static_cast<std::uint64_t>(std::ldexp(magnitude, stored - exponent));
  return sign | (static_cast<std::uint64_t>(exponent + greatest) << stored) |
         (significand - (std::uint64_t{1} << stored));
}

namespace {

class Number {
 public:
  explicit Number(mpfr_prec_t bits) { mpfr_init2(value_, bits); }
  Number(mpfr_prec_t bits, double x) : Number(bits) { mpfr_set_d(value_, x, MPFR_RNDN); }
  ~Number() { mpfr_clear(value_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  operator mpfr_ptr() { return value_; }

 private:
  mpfr_t value_;
};

/// Squeezes a value of the right precision and its ternary into the exponent range of the format.
Reference finish(Type t, mpfr_ptr value, int ternary, bool saturate = false) {
  const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  const bool infinite = mpfr_inf_p(value) != 0;
  mpfr_set_emin(1 - bias(t) - (precision(t) - 1) + 1);
  mpfr_set_emax(greatest_exponent(t) + 1);
  ternary = mpfr_check_range(value, ternary, MPFR_RNDN);
  ternary = mpfr_subnormalize(value, ternary, MPFR_RNDN);
  const double result = mpfr_get_d(value, MPFR_RNDN);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  if (!std::isnan(result) && std::fabs(result) > largest(t) && (saturate || !has_infinity(t))) {
    if (saturate) return {encode(t, std::copysign(largest(t), result)), true};
    return {encode(t, std::nan("")), !infinite || ternary != 0};
  }
  return {encode(t, result), ternary != 0 && !std::isnan(result)};
}

}  // namespace

Reference reference(Op op, const Scalar* operands) {
  const Type t = operands[0].type;
  const int count = info(op).arity;
  const double x = decode(operands[0]);
  if (op == Op::rsqrt && x == 0) return {encode(t, std::copysign(HUGE_VAL, x)), false};
  Number a(53, x), b(53, count > 1 ? decode(operands[1]) : 0), c(53, count > 2 ? decode(operands[2]) : 0),
      r(precision(t));
  int ternary = 0;
  switch (op) {
    case Op::add: ternary = mpfr_add(r, a, b, MPFR_RNDN); break;
    case Op::sub: ternary = mpfr_sub(r, a, b, MPFR_RNDN); break;
    case Op::mul: ternary = mpfr_mul(r, a, b, MPFR_RNDN); break;
    case Op::div: ternary = mpfr_div(r, a, b, MPFR_RNDN); break;
    case Op::fma: ternary = mpfr_fma(r, a, b, c, MPFR_RNDN); break;
    case Op::sqrt: ternary = mpfr_sqrt(r, a, MPFR_RNDN); break;
    case Op::recip: ternary = mpfr_ui_div(r, 1, a, MPFR_RNDN); break;
    case Op::rsqrt: ternary = mpfr_rec_sqrt(r, a, MPFR_RNDN); break;
    case Op::exp: ternary = mpfr_exp(r, a, MPFR_RNDN); break;
    case Op::exp2: ternary = mpfr_exp2(r, a, MPFR_RNDN); break;
    case Op::log: ternary = mpfr_log(r, a, MPFR_RNDN); break;
    case Op::log2: ternary = mpfr_log2(r, a, MPFR_RNDN); break;
    case Op::sin: ternary = mpfr_sin(r, a, MPFR_RNDN); break;
    case Op::cos: ternary = mpfr_cos(r, a, MPFR_RNDN); break;
    case Op::tanh: ternary = mpfr_tanh(r, a, MPFR_RNDN); break;
    case Op::pow: ternary = mpfr_pow(r, a, b, MPFR_RNDN); break;
    default: std::abort();
  }
  return finish(t, r, ternary);
}

Reference reference_round(Type t, double value, bool saturate) {
  Number r(precision(t));
  const int ternary = mpfr_set_d(r, value, MPFR_RNDN);
  return finish(t, r, ternary, saturate);
}

Reference reference_round(Type t, Int128 value, bool saturate) {
  // Two halves that a 128-bit significand holds exactly.
  Number whole(128), r(precision(t));
  mpfr_set_sj(whole, static_cast<std::int64_t>(value >> 32), MPFR_RNDN);
  mpfr_mul_2ui(whole, whole, 32, MPFR_RNDN);
  mpfr_add_ui(whole, whole, static_cast<unsigned long>(value & 0xffffffff), MPFR_RNDN);
  const int ternary = mpfr_set(r, whole, MPFR_RNDN);
  return finish(t, r, ternary, saturate);
}

std::string show(Scalar s) {
  const std::string bits = fmt::format("{}:{:0{}x}", name(s.type), s.bits, bit_width(s.type) / 4);
  if (is_float(s.type)) return fmt::format("{} ({})", bits, decode(s));
  if (s.type == Type::u32x4) return to_text(s);
  return fmt::format("{} ({})", bits, s.type == Type::u64 ? std::to_string(s.bits) : std::to_string(signed_value(s)));
}

std::string op_name(Op op) { return std::string(info(op).text); }

Reference computed(Op op, const Scalar* operands) {
  numerics::Flags flags;
  const Scalar result = numerics::apply(op, operands, flags);
  return {result.bits, flags.inexact};
}
Reference computed_convert(Type to, Scalar value) {
  numerics::Flags flags;
  const Scalar result = numerics::convert(to, value, flags);
  return {result.bits, flags.inexact};
}

void Tally::compare(const Reference& expected, const Reference& actual, const std::string& operation,
                    const Scalar* operands, int count) {
  ++cases_;
  if (expected == actual) return;
  std::string message = operation;
  for (int i = 0; i < count; ++i) message += " " + show(operands[i]);
  fail(fmt::format("{}: expected {:x}{}, got {:x}{}", message, expected.bits, expected.inexact ? " inexact" : "",
                   actual.bits, actual.inexact ? " inexact" : ""));
}
void Tally::check(bool held, const std::string& operation, const Scalar* operands, int count) {
  ++cases_;
  if (held) return;
  std::string message = operation;
  for (int i = 0; i < count; ++i) message += " " + show(operands[i]);
  fail(message);
}
void Tally::fail(std::string message) {
  if (failures_++ == 0) first_ = std::move(message);
}
std::string Tally::summary() const {
  return fmt::format("{} of {} cases differ; first: {}", failures_, cases_, first_);
}

bool long_tests() {
  const char* wanted = std::getenv("ASSAY_LONG_TESTS");
  return wanted != nullptr && std::string(wanted) == "1";
}
std::string left_out(const std::string& what) { return "left out without ASSAY_LONG_TESTS=1: " + what; }

}  // namespace assay::test
