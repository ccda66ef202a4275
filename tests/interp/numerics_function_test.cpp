// exp … pow: correctly rounded and exactly reported, against MPFR; all 16-bit arguments, chosen and random ones
// elsewhere.
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <limits>

#include "interp/numerics.hpp"
#include "interp/random.hpp"
#include "interp/values.hpp"
#include "numerics_reference.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {
namespace {

using interp::boundary_values;
using interp::Random;

constexpr Op functions[] = {Op::exp, Op::exp2, Op::log, Op::log2, Op::sin, Op::cos, Op::tanh, Op::rsqrt};

void compare(Tally& tally, Op op, Scalar x) { tally.compare(reference(op, &x), computed(op, &x), op_name(op), &x, 1); }

TEST(NumericsFunctions, AllArgumentsOfAtMostSixteenBits) {
  for (const Type t : {Type::f16, Type::bf16, Type::f8e5m2, Type::f8e4m3fn}) {
    Tally tally;
    for (const Op op : functions) {
      for (std::uint64_t bits = 0; bits >> bit_width(t) == 0; ++bits) compare(tally, op, {t, bits});
    }
    RULE_TRUE("NUM-13", static_cast<bool>(tally)) << tally.summary();
    RULE_TRUE("NUM-32", static_cast<bool>(tally)) << tally.summary();
  }
}

/// Arguments where a function does something: the range where its value changes, and beyond both ends of it.
double telling_argument(Random& random, Op op) {
  const double unit = static_cast<double>(random.next() >> 11) * 0x1p-53;
  switch (op) {
    case Op::exp:
    case Op::exp2: return (unit - 0.5) * (random.coin() ? 20 : random.coin() ? 250 : 2500);
    case Op::tanh: return (unit - 0.5) * (random.coin() ? 4 : 60);
    case Op::sin:
    case Op::cos: return (unit - 0.5) * (random.coin() ? 8 : random.coin() ? 1e4 : 1e18);
    default: return random.coin() ? 0.5 + unit * 1.5 : unit * 1e6;
  }
}

TEST(NumericsFunctions, ChosenAndRandomArguments) {
  for (const Type t : {Type::f32, Type::f64}) {
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bit_width(t));
    for (const Op op : functions) {
      Tally tally;
      Random random(interp::seed_for(op_name(op), static_cast<std::uint64_t>(t)));
      for (const Scalar x : boundary_values(t)) compare(tally, op, x);
      for (int i = -160; i <= 160; ++i) compare(tally, op, interp::float_value(t, 1, i));
      for (int i = 1; i <= 200; ++i) compare(tally, op, interp::float_value(t, i, -3));
      for (int i = 0; i < 30'000; ++i) compare(tally, op, interp::float_value(t, telling_argument(random, op), 0));
      for (int i = 0; i < 20'000; ++i) compare(tally, op, {t, random.next() & mask});
      RULE_TRUE("NUM-13", static_cast<bool>(tally)) << tally.summary();
      RULE_TRUE("NUM-32", static_cast<bool>(tally)) << tally.summary();
    }
  }
}

/// Arguments known to be hard: next to multiples of π/2, or with a value next to a rounding boundary.
TEST(NumericsFunctions, HardArguments) {
  Tally tally;
  const auto f64 = [&](Op op, double x) { compare(tally, op, {Type::f64, std::bit_cast<std::uint64_t>(x)}); };
  for (const double x : {std::ldexp(6381956970095103.0, 797), 3.14159265358979312, 1.57079632679489656, 22.0, 333.0,
                         355.0, 103993.0, 104348.0, 1e22, 0x1.921fb54442d18p+1000}) {
    for (const double s : {x, -x}) {
      f64(Op::sin, s);
      f64(Op::cos, s);
    }
  }
  f64(Op::exp, 0x1.83d4bcdebb3f4p+2);
  f64(Op::exp, 0x1.d6336a88077aap-10);
  f64(Op::log, 0x1.12b9ec8f8ef4bp-35);
  f64(Op::log, 1 + 0x1p-52);
  f64(Op::log, 1 - 0x1p-53);
  f64(Op::log2, 1 + 0x1p-52);
  f64(Op::log2, 1 - 0x1p-53);
  for (const double x :
       {-745.0, -745.2, -744.44, 709.78, 709.79, -1074.0, -1074.5, -1075.0, -1075.5, 1023.5, 1024.0, 1e300, -1e300}) {
    f64(Op::exp, x);
    f64(Op::exp2, x);
  }
  const auto f32 = [&](Op op, double x) { compare(tally, op, interp::float_value(Type::f32, x, 0)); };
  for (const double x :
       {-103.0, -103.97, -103.98, -104.0, 88.72, 88.73, -149.0, -149.5, -150.0, -150.5, 127.5, 128.0, 1e30, -1e30}) {
    f32(Op::exp, x);
    f32(Op::exp2, x);
  }
  RULE_TRUE("NUM-13", static_cast<bool>(tally)) << tally.summary();
}

/// Arguments whose value, rounded to double, is exactly the middle of two floats, and is not in truth: rounding the
/// double once more gives the wrong one. Found by a sweep over all floats.
TEST(NumericsFunctions, ADoubleThatLooksLikeATieIsNotTrusted) {
  struct Row {
    Op op;
    std::uint64_t argument;
    double value;
  };
  const Row rows[] = {{Op::exp2, 0x3b429d37, 0x1.00870ap+0}, {Op::exp2, 0xbcf3a937, 0x1.f58d62p-1},
                      {Op::log, 0x3c413d3a, -0x1.1c2b1ep+2}, {Op::log, 0x41178feb, 0x1.1fcbcep+1},
                      {Op::log, 0x4c5d65a5, 0x1.1e0696p+4},  {Op::log, 0x65d890d3, 0x1.a9a3f2p+5},
                      {Op::cos, 0x5f18b878, 0x1.fe2976p-1},  {Op::sin, 0x46199998, -0x1.63f4bap-2}};
  for (const Row& r : rows) {
    const Scalar x{Type::f32, r.argument};
    RULE_TRUE("NUM-16", (reference(r.op, &x) == Reference{encode(Type::f32, r.value), true}));
    RULE_TRUE("NUM-16", (computed(r.op, &x) == Reference{encode(Type::f32, r.value), true}))
        << op_name(r.op) << " " << show(x);
  }
}

TEST(NumericsFunctions, ValuesAtTheEndsOfTheirDomains) {
  const double inf = HUGE_VAL, nan = std::nan("");
  struct Row {
    Op op;
    double x, value;
  };
  const Row rows[] = {{Op::exp, -inf, 0},      {Op::exp, inf, inf},    {Op::exp, -0.0, 1},      {Op::exp2, -inf, 0},
                      {Op::exp2, inf, inf},    {Op::exp2, 0, 1},       {Op::log, 0, -inf},      {Op::log, -0.0, -inf},
                      {Op::log, -1, nan},      {Op::log, 1, 0.0},      {Op::log, inf, inf},     {Op::log, -inf, nan},
                      {Op::log2, 0, -inf},     {Op::log2, -0.0, -inf}, {Op::log2, -2, nan},     {Op::log2, 1, 0.0},
                      {Op::log2, 8, 3},        {Op::log2, inf, inf},   {Op::sin, 0.0, 0.0},     {Op::sin, -0.0, -0.0},
                      {Op::sin, inf, nan},     {Op::sin, -inf, nan},   {Op::cos, 0, 1},         {Op::cos, inf, nan},
                      {Op::tanh, -0.0, -0.0},  {Op::tanh, inf, 1},     {Op::tanh, -inf, -1},    {Op::rsqrt, 0.0, inf},
                      {Op::rsqrt, -0.0, -inf}, {Op::rsqrt, inf, 0.0},  {Op::rsqrt, -4, nan},    {Op::rsqrt, -inf, nan},
                      {Op::rsqrt, 0.25, 2},    {Op::recip, 0.0, inf},  {Op::recip, -0.0, -inf}, {Op::recip, inf, 0.0},
                      {Op::recip, -inf, -0.0}, {Op::recip, 4, 0.25}};
  Tally tally;
  for (const Type t : float_types) {
    for (const Row& r : rows) {
      if (std::isinf(r.x) && !has_infinity(t)) continue;
      const Scalar x{t, encode(t, r.x)};
      tally.compare({encode(t, r.value), false}, computed(r.op, &x), op_name(r.op), &x, 1);
    }
  }
  RULE_TRUE("NUM-14", static_cast<bool>(tally)) << tally.summary();
}

Reference power(Type t, double x, double y) {
  const Scalar operands[] = {{t, encode(t, x)}, {t, encode(t, y)}};
  return computed(Op::pow, operands);
}

TEST(NumericsFunctions, PowersWithSpecialOperands) {
  const double inf = HUGE_VAL, nan = std::nan("");
  struct Row {
    double x, y, value;
  };
  const Row rows[] = {{nan, 0.0, 1},     {nan, -0.0, 1},   {inf, 0, 1},       {0, 0, 1},         {-2, -0.0, 1},
                      {1, nan, 1},       {1, inf, 1},      {1, -7, 1},        {-1, inf, 1},      {-1, -inf, 1},
                      {nan, 1, nan},     {2, nan, nan},    {-1, nan, nan},    {-8, 0.5, nan},    {-2, 1.5, nan},
                      {-2, 3, -8},       {-2, 2, 4},       {-2, -1, -0.5},    {0.0, -1, inf},    {-0.0, -1, -inf},
                      {-0.0, -3, -inf},  {-0.0, -2, inf},  {0.0, -0.5, inf},  {-0.0, -0.5, inf}, {-0.0, 3, -0.0},
                      {-0.0, 2, 0.0},    {0.0, 5, 0.0},    {-0.0, 0.5, 0.0},  {0.5, -inf, inf},  {0.5, inf, 0.0},
                      {-0.5, -inf, inf}, {2, inf, inf},    {2, -inf, 0.0},    {-3, inf, inf},    {-inf, 3, -inf},
                      {-inf, 2, inf},    {-inf, 0.5, inf}, {-inf, -3, -0.0},  {-inf, -2, 0.0},   {inf, 0.25, inf},
                      {inf, -1, 0.0},    {0.0, inf, 0.0},  {-0.0, -inf, inf}, {-inf, inf, inf},  {inf, -inf, 0.0}};
  Tally tally;
  for (const Type t : float_types) {
    for (const Row& r : rows) {
      if ((std::isinf(r.x) || std::isinf(r.y)) && !has_infinity(t)) continue;
      const Scalar operands[] = {{t, encode(t, r.x)}, {t, encode(t, r.y)}};
      tally.compare({encode(t, r.value), false}, computed(Op::pow, operands), "pow", operands, 2);
    }
  }
  RULE_TRUE("NUM-15", static_cast<bool>(tally)) << tally.summary();
  RULE_EQ("NUM-32", false, power(Type::f32, 3, 4).inexact);
  RULE_EQ("NUM-32", false, power(Type::f64, 6.25, 0.5).inexact);
  RULE_EQ("NUM-32", false, power(Type::f64, 4, -0.5).inexact);
  RULE_EQ("NUM-32", true, power(Type::f32, 3, -1).inexact);
  RULE_EQ("NUM-32", true, power(Type::f64, 10, 23).inexact);
  RULE_EQ("NUM-32", true, power(Type::f16, 3, 11).inexact);
}

TEST(NumericsFunctions, Powers) {
  for (const Type t : float_types) {
    Tally tally;
    Random random(interp::seed_for(name(t), 15));
    const auto compare_power = [&](Scalar x, Scalar y) {
      const Scalar operands[] = {x, y};
      tally.compare(reference(Op::pow, operands), computed(Op::pow, operands), "pow", operands, 2);
    };
    std::vector<Scalar> values = boundary_values(t);
    for (const Scalar x : values) {
      for (std::size_t i = random.below(3); i < values.size(); i += 3) compare_power(x, values[i]);
    }
    for (int x = -12; x <= 12; ++x) {  // exact powers and roots
      for (int y = -12; y <= 12; ++y) compare_power(interp::float_value(t, x, 0), interp::float_value(t, y, -1));
    }
    for (int i = 0; i < 20'000; ++i) {
      const double x = static_cast<double>(random.next() >> 11) * 0x1p-53 * (random.coin() ? 2 : 30);
      const double y = (static_cast<double>(random.next() >> 11) * 0x1p-53 - 0.5) * (random.coin() ? 6 : 80);
      compare_power(interp::float_value(t, x, 0), interp::float_value(t, y, 0));
    }
    RULE_TRUE("NUM-13", static_cast<bool>(tally)) << tally.summary();
    RULE_TRUE("NUM-32", static_cast<bool>(tally)) << tally.summary();
  }
}

// ---- the C library's error, in the type in which a function is evaluated ----

/// |value − exact| / |exact| as a power of two; the exact value comes from MPFR with many bits.
double relative_error(Op op, long double x, long double y, long double value) {
  mpfr_t a, b, exact, approximate;
  for (mpfr_ptr v : {a, b, exact, approximate}) mpfr_init2(v, 160);
  mpfr_set_ld(a, x, MPFR_RNDN);
  mpfr_set_ld(b, y, MPFR_RNDN);
  mpfr_set_ld(approximate, value, MPFR_RNDN);
  switch (op) {
    case Op::exp: mpfr_exp(exact, a, MPFR_RNDN); break;
    case Op::exp2: mpfr_exp2(exact, a, MPFR_RNDN); break;
    case Op::log: mpfr_log(exact, a, MPFR_RNDN); break;
    case Op::log2: mpfr_log2(exact, a, MPFR_RNDN); break;
    case Op::sin: mpfr_sin(exact, a, MPFR_RNDN); break;
    case Op::cos: mpfr_cos(exact, a, MPFR_RNDN); break;
    case Op::tanh: mpfr_tanh(exact, a, MPFR_RNDN); break;
    default: mpfr_pow(exact, a, b, MPFR_RNDN); break;
  }
  mpfr_sub(approximate, approximate, exact, MPFR_RNDN);
  mpfr_div(approximate, approximate, exact, MPFR_RNDN);
  const double error = std::fabs(mpfr_get_d(approximate, MPFR_RNDA));
  for (mpfr_ptr v : {a, b, exact, approximate}) mpfr_clear(v);
  return error;
}

template <typename R>
R library(Op op, R x, R y) {
  switch (op) {
    case Op::exp: return std::exp(x);
    case Op::exp2: return std::exp2(x);
    case Op::log: return std::log(x);
    case Op::log2: return std::log2(x);
    case Op::sin: return std::sin(x);
    case Op::cos: return std::cos(x);
    case Op::tanh: return std::tanh(x);
    default: return std::pow(x, y);
  }
}

/// The largest error of a function in units of 2^-(bits of R), over the arguments that formats of that evaluation have.
template <typename R>
double worst_error(Op op, Type format) {
  Random random(interp::seed_for(op_name(op), sizeof(R)));
  double worst = 0;
  for (int i = 0; i < 20'000; ++i) {
    double x = telling_argument(random, op), y = 0;
    if (op == Op::pow) {
      x = std::fabs(x) + 1e-3;
      y = (static_cast<double>(random.next() >> 11) * 0x1p-53 - 0.5) * 20;
    }
    x = decode(interp::float_value(format, x, 0));
    if (op == Op::exp || op == Op::exp2) x = std::fmod(x, sizeof(R) > 8 ? 1100 : 500);
    if (x == 0 || ((op == Op::log || op == Op::log2) && x == 1)) continue;
    const R value = library<R>(op, static_cast<R>(x), static_cast<R>(y));
    if (std::isfinite(value) && value != 0) worst = std::max(worst, relative_error(op, x, y, value));
  }
  return std::ldexp(worst, std::numeric_limits<R>::digits - 1);
}

TEST(NumericsFunctions, TheCLibraryIsFarMoreAccurateThanTheRoundingTestAssumes) {
  for (const Op op : {Op::exp, Op::exp2, Op::log, Op::log2, Op::sin, Op::cos, Op::tanh, Op::pow}) {
    const double in_double = worst_error<double>(op, Type::f32), in_extended = worst_error<long double>(op, Type::f64);
    RULE_TRUE("NUM-16", in_double > 0 && in_double <= 4) << op_name(op) << " errs by " << in_double << " units";
    RULE_TRUE("NUM-16", in_extended > 0 && in_extended <= 2) << op_name(op) << " errs by " << in_extended << " units";
  }
}

TEST(NumericsFunctions, LongAMillionRandomArguments) {
  if (!long_tests())
    GTEST_SKIP() << left_out(
        "2^20 random f32 arguments of every unary function, root, reciprocal and narrowing conversion");
  for (const Op op :
       {Op::exp, Op::exp2, Op::log, Op::log2, Op::sin, Op::cos, Op::tanh, Op::rsqrt, Op::sqrt, Op::recip}) {
    Tally tally;
    Random random(interp::seed_for(op_name(op), 49));
    for (int i = 0; i < 1 << 20; ++i) compare(tally, op, {Type::f32, random.next() & 0xffffffff});
    RULE_TRUE("NUM-13", static_cast<bool>(tally)) << tally.summary();
  }
  for (const Type to : {Type::f16, Type::bf16, Type::f8e5m2, Type::f8e4m3fn}) {
    Tally tally;
    Random random(interp::seed_for(name(to), 49));
    for (int i = 0; i < 1 << 20; ++i) {
      const Scalar x{Type::f32, random.next() & 0xffffffff};
      tally.compare(reference_convert(to, decode(x)), computed_convert(to, x), "to " + std::string(name(to)), &x, 1);
    }
    RULE_TRUE("NUM-25", static_cast<bool>(tally)) << tally.summary();
  }
}

TEST(NumericsFunctions, LongSweepOfSinglePrecision) {
  if (!long_tests()) GTEST_SKIP() << left_out("every 61st f32 argument of every function");
  for (const Op op : functions) {
    Tally tally;
    for (std::uint64_t bits = 0; bits <= 0xffffffff; bits += 61) compare(tally, op, {Type::f32, bits});
    RULE_TRUE("NUM-13", static_cast<bool>(tally)) << tally.summary();
  }
}

}  // namespace
}  // namespace assay::test
