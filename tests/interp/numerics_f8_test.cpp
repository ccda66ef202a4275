// The floats of 8 bits: what their patterns mean, what takes the place of an infinity, both rules of conversion. All
// pairs of operands against MPFR; the other tests of float arithmetic see every pattern of these types as well.
#include <array>
#include <cmath>

#include "interp/numerics.hpp"
#include "interp/random.hpp"
#include "interp/values.hpp"
#include "numerics_reference.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {
namespace {

constexpr Type f8_types[] = {Type::f8e5m2, Type::f8e4m3fn};
constexpr Op binary_ops[] = {Op::add, Op::sub, Op::mul, Op::div, Op::pow};

std::uint64_t result(Op op, Type t, std::initializer_list<double> operands) {
  std::array<Scalar, 3> x{};
  std::size_t n = 0;
  for (const double v : operands) x.at(n++) = {t, encode(t, v)};
  return computed(op, x.data()).bits;
}

TEST(NumericsF8, PatternsAreThoseOfOfp8) {
  const auto value = [](Type t, std::uint64_t bits) {
    return decode({Type::f64, computed_convert(Type::f64, {t, bits}).bits});
  };
  RULE_EQ("NUM-36", 57344.0, value(Type::f8e5m2, 0x7b));
  RULE_EQ("NUM-36", 0x1p-16, value(Type::f8e5m2, 0x01));
  RULE_EQ("NUM-36", 0x1p-14, value(Type::f8e5m2, 0x04));
  RULE_EQ("NUM-36", -HUGE_VAL, value(Type::f8e5m2, 0xfc));
  RULE_EQ("NUM-36", 448.0, value(Type::f8e4m3fn, 0x7e));
  RULE_EQ("NUM-36", 256.0, value(Type::f8e4m3fn, 0x78));  // all exponent bits, and finite
  RULE_EQ("NUM-36", 0x1p-9, value(Type::f8e4m3fn, 0x01));
  RULE_EQ("NUM-36", 0x1p-6, value(Type::f8e4m3fn, 0x08));
  int nans[2] = {0, 0};
  for (std::uint64_t bits = 0; bits < 256; ++bits) {
    for (std::size_t i = 0; i < 2; ++i) nans[i] += std::isnan(value(f8_types[i], bits)) ? 1 : 0;
  }
  RULE_EQ("NUM-36", 6, nans[0]);
  RULE_EQ("NUM-36", 2, nans[1]);
  RULE_TRUE("NUM-36", std::isnan(value(Type::f8e4m3fn, 0x7f)) && std::isnan(value(Type::f8e4m3fn, 0xff)));
}

TEST(NumericsF8, AllPairsOfOperandsAgainstMpfr) {
  for (const Type t : f8_types) {
    for (const Op op : binary_ops) {
      Tally tally;
      for (std::uint64_t a = 0; a < 256; ++a) {
        for (std::uint64_t b = 0; b < 256; ++b) {
          const Scalar operands[] = {{t, a}, {t, b}};
          tally.compare(reference(op, operands), computed(op, operands), op_name(op), operands, 2);
        }
      }
      RULE_TRUE(op == Op::pow ? "NUM-13" : "NUM-4", static_cast<bool>(tally)) << tally.summary();
      RULE_TRUE("NUM-37", static_cast<bool>(tally)) << tally.summary();
      RULE_EQ("NUM-37", std::uint64_t{65536}, tally.cases());
    }
  }
}

TEST(NumericsF8, WithoutAnInfinityThereIsNan) {
  constexpr Type t = Type::f8e4m3fn;
  constexpr std::uint64_t nan = 0x7f;
  RULE_EQ("NUM-37", nan, result(Op::add, t, {448, 448}));
  RULE_EQ("NUM-37", nan, result(Op::mul, t, {-448, 2}));
  RULE_EQ("NUM-37", nan, result(Op::div, t, {1, 0}));
  RULE_EQ("NUM-37", nan, result(Op::div, t, {-1, -0.0}));
  RULE_EQ("NUM-37", nan, result(Op::recip, t, {0}));
  RULE_EQ("NUM-37", nan, result(Op::rsqrt, t, {-0.0}));
  RULE_EQ("NUM-37", nan, result(Op::log, t, {0}));
  RULE_EQ("NUM-37", nan, result(Op::log2, t, {-0.0}));
  RULE_EQ("NUM-37", nan, result(Op::exp, t, {7}));
  RULE_EQ("NUM-37", nan, result(Op::exp2, t, {9}));
  RULE_EQ("NUM-37", nan, result(Op::pow, t, {0, -1}));
  RULE_EQ("NUM-37", nan, result(Op::fma, t, {20, 20, 80}));
  RULE_EQ("NUM-37", encode(t, 448), result(Op::add, t, {448, 16}));     // 464, the tie
  RULE_EQ("NUM-37", nan, result(Op::add, t, {448, 18}));                // above it
  RULE_EQ("NUM-37", encode(t, 448), result(Op::fma, t, {20, 20, 60}));  // 460
  RULE_EQ("NUM-37", encode(t, -448), result(Op::sub, t, {-448, 16}));
}

TEST(NumericsF8, AnOverflowToNanIsInexact) {
  constexpr Type t = Type::f8e4m3fn;
  const auto inexact = [](Op op, double a, double b) {
    const Scalar x[] = {{t, encode(t, a)}, {t, encode(t, b)}};
    return computed(op, x).inexact;
  };
  RULE_TRUE("NUM-38", inexact(Op::add, 448, 448));
  RULE_TRUE("NUM-38", inexact(Op::add, 256, 224));  // 480 has four significant bits, but no pattern
  RULE_TRUE("NUM-38", inexact(Op::mul, 30, 16));
  RULE_TRUE("NUM-38", inexact(Op::exp2, 9, 0));
  RULE_TRUE("NUM-38", !inexact(Op::div, 1, 0));
  RULE_TRUE("NUM-38", !inexact(Op::recip, 0, 0));
  RULE_TRUE("NUM-38", !inexact(Op::add, std::nan(""), 1));
  // What the flag is for: the order of such a sum decides.
  const auto add = [](std::uint64_t a, std::uint64_t b) {
    const Scalar x[] = {{t, a}, {t, b}};
    return computed(Op::add, x).bits;
  };
  const std::uint64_t big = encode(t, 448), minus = encode(t, -448);
  RULE_TRUE("NUM-38", add(add(big, big), minus) == 0x7f && add(big, add(big, minus)) == big);
}

/// Values of a type at which narrowing to 8 bits is telling: all where there are few, around the places of rounding.
std::vector<Scalar> sources(Type from) {
  std::vector<Scalar> values;
  if (bit_width(from) <= 16) {
    for (std::uint64_t bits = 0; bits >> bit_width(from) == 0; ++bits) values.push_back({from, bits});
    return values;
  }
  values = interp::boundary_values(from);
  interp::Random random(interp::seed_for(name(from), 40));
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t bits = random.next() & ~std::uint64_t{0} >> (64 - bit_width(from));
    values.push_back({from, bits});
    if (is_int(from)) values.push_back({from, bits >> random.below(static_cast<std::uint64_t>(bit_width(from)))});
    if (!is_float(from)) continue;
    const Scalar narrow{i % 2 == 0 ? Type::f8e5m2 : Type::f8e4m3fn, random.below(256)};
    const std::uint64_t near = interp::float_value(from, decode(narrow), 0).bits;
    const std::uint64_t half = std::uint64_t{1} << (precision(from) - 1 - precision(narrow.type));
    values.push_back({from, near + half + random.below(3) - 1});
  }
  return values;
}

TEST(NumericsF8, ConversionsUnderBothRules) {
  const auto named = [](Op op, Scalar x) { return computed(op, &x); };
  Tally by_default, by_name;
  const auto try_value = [&](Scalar x, auto value) {
    by_default.compare(reference_round(Type::f8e5m2, value, false), computed_convert(Type::f8e5m2, x), "f8e5m2", &x, 1);
    by_default.compare(reference_round(Type::f8e4m3fn, value, true), computed_convert(Type::f8e4m3fn, x), "f8e4m3fn",
                       &x, 1);
    by_name.compare(reference_round(Type::f8e5m2, value, true), named(Op::f8e5m2_sat, x), "f8e5m2_sat", &x, 1);
    by_name.compare(reference_round(Type::f8e4m3fn, value, false), named(Op::f8e4m3fn_nosat, x), "f8e4m3fn_nosat", &x,
                    1);
  };
  for (const Type from : float_types) {
    for (const Scalar x : sources(from)) try_value(x, decode(x));
  }
  for (const Type from : integer_types) {
    for (const Scalar x : sources(from)) try_value(x, int_value(x));
  }
  RULE_TRUE("NUM-39", static_cast<bool>(by_default)) << by_default.summary();
  RULE_TRUE("NUM-40", static_cast<bool>(by_name)) << by_name.summary();
  const auto f32 = [](double v) { return interp::float_value(Type::f32, v, 0); };
  const Scalar infinity = f32(-HUGE_VAL);
  RULE_EQ("NUM-39", 0xfeU, computed_convert(Type::f8e4m3fn, infinity).bits);
  RULE_EQ("NUM-39", 0xfcU, computed_convert(Type::f8e5m2, infinity).bits);
  RULE_EQ("NUM-39", 0x7eU, computed_convert(Type::f8e4m3fn, f32(464)).bits);
  RULE_EQ("NUM-39", 0x7eU, computed_convert(Type::f8e4m3fn, f32(1e30)).bits);
  RULE_EQ("NUM-39", 0x7bU, computed_convert(Type::f8e5m2, f32(61439)).bits);
  RULE_EQ("NUM-39", 0x7cU, computed_convert(Type::f8e5m2, f32(61440)).bits);
  RULE_TRUE("NUM-40", (named(Op::f8e5m2_sat, infinity) == Reference{0xfb, true}));
  RULE_TRUE("NUM-40", (named(Op::f8e4m3fn_nosat, infinity) == Reference{0x7f, false}));
  RULE_TRUE("NUM-40", (named(Op::f8e4m3fn_nosat, f32(465)) == Reference{0x7f, true}));
  RULE_TRUE("NUM-40", (named(Op::f8e5m2_sat, f32(std::nan(""))) == Reference{0x7e, false}));
  RULE_EQ("NUM-40", 0x7bU, named(Op::f8e5m2_sat, {Type::f8e5m2, 0x7c}).bits);
}

/// All 2^24 triples of each type, against the exact sum in 64-bit fixed point, rounded by counting.
TEST(NumericsF8, LongAllFusedProducts) {
  if (!long_tests()) GTEST_SKIP() << left_out("fma of all 2^24 triples of f8e5m2 and f8e4m3fn");
  for (const Type t : f8_types) {
    Tally tally;
    const numerics::Function fma = numerics::find(Op::fma, t);
    std::array<double, 256> value{};
    for (std::uint64_t bits = 0; bits < 256; ++bits) value.at(bits) = decode({t, bits});
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 24; ++bits) {
      const Scalar x[] = {{t, bits >> 16}, {t, bits >> 8 & 0xff}, {t, bits & 0xff}};
      const double a = value.at(x[0].bits), b = value.at(x[1].bits), c = value.at(x[2].bits);
      numerics::Flags flags;
      const std::uint64_t actual = fma(x, flags).bits;
      // A long double holds every such product, and the sum of it and c: 2^-32 … 2^32 are 64 bits and a carry that
      // no product of 2^32 has.
      const long double exact = static_cast<long double>(a) * b + c;
      std::uint64_t expected = encode(t, std::nan(""));
      if (std::isinf(exact)) {
        expected = encode(t, static_cast<double>(exact));
      } else if (!std::isnan(exact)) {
        const int unit = std::max(exact == 0 ? -200 : std::ilogb(exact), 1 - bias(t)) - precision(t) + 1;
        const long double rounded = std::ldexp(std::nearbyint(std::ldexp(exact, -unit)), unit);
        const long double edge = static_cast<long double>(largest(t));
        expected = encode(t, static_cast<double>(std::fabs(rounded) > edge ? rounded * HUGE_VALL : rounded));
      }
      if (expected != actual || bits % 65536 == 0) tally.compare({expected}, {actual}, "fma", x, 3);
    }
    RULE_TRUE("NUM-5", static_cast<bool>(tally)) << tally.summary();
  }
}

}  // namespace
}  // namespace assay::test
