// Conversions: from every 8- and 16-bit type exhaustively to every type, telling and random values of the others.
#include <bit>
#include <cmath>

#include "interp/numerics.hpp"
#include "interp/random.hpp"
#include "interp/values.hpp"
#include "ir/literal.hpp"
#include "ir/widening.hpp"
#include "numerics_reference.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {
namespace {

using interp::boundary_values;
using interp::Random;

/// Every value of a type of at most 16 bits; else telling values, uniform patterns, and magnitudes of every size.
std::vector<Scalar> samples(Type t) {
  std::vector<Scalar> values;
  if (t == Type::boolean) return {bool_scalar(false), bool_scalar(true)};
  if (bit_width(t) <= 16) {
    for (std::uint64_t bits = 0; bits >> bit_width(t) == 0; ++bits) values.push_back({t, bits});
    return values;
  }
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bit_width(t));
  Random random(interp::seed_for(name(t), 25));
  values = boundary_values(t == Type::index ? Type::i64 : t);
  for (Scalar& s : values) s.type = t;
  for (int i = 0; i < 50'000; ++i) values.push_back({t, random.next() & mask});
  for (int i = 0; i < 50'000; ++i) {
    const int size = static_cast<int>(random.below(64));
    const std::uint64_t v =
        random.next() >> size & ~((std::uint64_t{1} << random.below(static_cast<std::uint64_t>(64 - size))) - 1);
    if (is_float(t)) {
      values.push_back(interp::float_value(t, static_cast<double>(static_cast<std::int64_t>(v)),
                                           -static_cast<int>(random.below(40))));
    } else {
      values.push_back({t, (random.coin() ? v : -v) & mask});
    }
  }
  return values;
}

/// Narrow results are hard where the source lies next to the middle of two of them.
std::vector<Scalar> around_ties(Type from, Type to) {
  std::vector<Scalar> values;
  const std::uint64_t infinity = encode(to, HUGE_VAL);
  for (std::uint64_t i = 0; i < infinity && i < 65536; ++i) {
    const std::uint64_t bits = infinity <= 65536 ? i : (Random(i).next() % infinity);
    const bool last = bits + 1 == infinity;
    const double low = decode({to, bits}), gap = low - decode({to, bits - (bits != 0 ? 1 : 0)});
    const double high = last ? low + gap : decode({to, bits + 1});
    const double middle = low + (high - low) / 2;
    const Scalar m{from, encode(from, middle)};
    if (decode(m) != middle) continue;
    const std::uint64_t sign = i % 2 == 0 ? 0 : std::uint64_t{1} << (bit_width(from) - 1);
    for (const std::uint64_t d : {m.bits - 1, m.bits, m.bits + 1}) values.push_back({from, d | sign});
  }
  return values;
}

TEST(NumericsConvert, FloatToFloatRoundsOnce) {
  Tally tally;
  for (const Type from : float_types) {
    for (const Type to : float_types) {
      const auto compare = [&](Scalar x) {
        tally.compare(reference_convert(to, decode(x)), computed_convert(to, x), "to " + std::string(name(to)), &x, 1);
      };
      for (const Scalar x : samples(from)) compare(x);
      if (precision(from) > precision(to) && from != Type::bf16) {
        for (const Scalar x : around_ties(from, to)) compare(x);
      }
    }
  }
  RULE_TRUE("NUM-25", static_cast<bool>(tally)) << tally.summary();
  RULE_TRUE("NUM-31", static_cast<bool>(tally)) << tally.summary();
  // 1 + 2^-11 + 2^-40 is above a tie of f16; through f32 it would become the tie, and then 1.
  const Scalar above_tie{Type::f64, std::bit_cast<std::uint64_t>(1 + 0x1p-11 + 0x1p-40)};
  RULE_EQ("NUM-25", 0x3c01U, computed_convert(Type::f16, above_tie).bits);
}

// Steps that keep values in a wider type rest on it; a NaN comes back as the one NaN.
TEST(NumericsConvert, WhatWidensExactlyComesBack) {
  int pairs = 0;
  for (const Type from : scalar_types) {
    for (const Type to : scalar_types) {
      const bool exact = widens_exactly(from, to);
      if (!exact && !(is_int(from) && is_float(to))) continue;
      pairs += exact ? 1 : 0;
      int lost = 0;
      for (const Scalar& s : samples(from)) {
        const Scalar same = is_float(from) && std::isnan(to_double(s)) ? canonical_nan(from) : s;
        const Scalar wide{to, computed_convert(to, s).bits};
        lost += computed_convert(from, wide).bits == same.bits ? 0 : 1;
      }
      RULE_TRUE("PRF-40", exact == (lost == 0)) << name(from) << " " << name(to) << ": " << lost;
    }
  }
  EXPECT_EQ(13 + 18 + 14, pairs);  // among floats, among integers, and integers in floats
}

TEST(NumericsConvert, IntegerToFloatRoundsOnce) {
  Tally tally;
  for (const Type from : integer_types) {
    for (const Scalar x : samples(from)) {
      for (const Type to : float_types)
        tally.compare(reference_convert(to, int_value(x)), computed_convert(to, x), "to " + std::string(name(to)), &x,
                      1);
    }
  }
  RULE_TRUE("NUM-26", static_cast<bool>(tally)) << tally.summary();
  RULE_TRUE("NUM-31", static_cast<bool>(tally)) << tally.summary();
  // 2^62 + 2^54 + 1 is above a tie of bf16; through f64 it would become the tie, and then 2^62.
  const Scalar above_tie{Type::i64, (std::uint64_t{1} << 62) + (std::uint64_t{1} << 54) + 1};
  RULE_EQ("NUM-26", encode(Type::bf16, 0x1p62 + 0x1p55), computed_convert(Type::bf16, above_tie).bits);
}

TEST(NumericsConvert, IntegersWrap) {
  Tally tally;
  for (const Type from : integer_types) {
    for (const Scalar x : samples(from)) {
      for (const Type to : integer_types) {
        const int w = bit_width(to);
        Int128 v = int_value(x) & ((Int128{1} << w) - 1);
        if (is_signed_int(to) && v >> (w - 1) != 0) v -= Int128{1} << w;
        tally.check(int_value({to, computed_convert(to, x).bits}) == v, "to " + std::string(name(to)), &x, 1);
      }
    }
  }
  RULE_TRUE("NUM-27", static_cast<bool>(tally)) << tally.summary();
}

TEST(NumericsConvert, FloatToIntegerTruncatesAndSaturates) {
  Tally tally;
  for (const Type from : float_types) {
    for (const Scalar x : samples(from)) {
      const double v = decode(x);
      for (const Type to : integer_types) {
        const IntRange range = int_range(to);
        // Halving until the value fits keeps this free of the casts that the code under test uses.
        Int128 expected = 0;
        if (v >= 0x1p64) {
          expected = range.hi;
        } else if (v <= -0x1p64) {
          expected = range.lo;
        } else if (!std::isnan(v)) {
          const double magnitude = std::floor(std::fabs(v));
          const double high = std::floor(magnitude / 0x1p32);
          expected = (static_cast<Int128>(high) << 32) + static_cast<Int128>(magnitude - high * 0x1p32);
          if (v < 0) expected = -expected;
          expected = expected < range.lo ? range.lo : expected > range.hi ? range.hi : expected;
        }
        tally.compare({wrap_int(to, expected).bits, false}, computed_convert(to, x), "to " + std::string(name(to)), &x,
                      1);
      }
    }
  }
  RULE_TRUE("NUM-28", static_cast<bool>(tally)) << tally.summary();
  RULE_TRUE("NUM-33", static_cast<bool>(tally)) << tally.summary();
}

TEST(NumericsConvert, TruthIsBeingUnequalToZero) {
  Tally tally;
  for (const Type from : scalar_types) {
    for (const Scalar x : samples(from)) {
      const bool zero = is_float(from) ? decode(x) == 0 : x.bits == 0;
      tally.compare({zero ? 0U : 1U, false}, computed_convert(Type::boolean, x), "to bool", &x, 1);
    }
  }
  RULE_TRUE("NUM-29", static_cast<bool>(tally)) << tally.summary();
  for (const Type to : scalar_types) {
    RULE_EQ("NUM-29", 0U, computed_convert(to, bool_scalar(false)).bits);
    RULE_EQ("NUM-29", is_float(to) ? encode(to, 1) : 1U, computed_convert(to, bool_scalar(true)).bits);
  }
}

TEST(NumericsConvert, IndexValuesAreSixtyFourBitIntegers) {
  Tally tally;
  for (const Scalar x : samples(Type::index)) {
    for (const Type to : scalar_types)
      tally.compare(computed_convert(to, {Type::i64, x.bits}), computed_convert(to, x), "to " + std::string(name(to)),
                    &x, 1);
  }
  RULE_TRUE("NUM-30", static_cast<bool>(tally)) << tally.summary();
  for (const Type from : scalar_types) RULE_TRUE("NUM-30", numerics::find_convert(Type::index, from) == nullptr);
}

TEST(NumericsConvert, LongEverySinglePrecisionValueToSixteenBits) {
  if (!long_tests())
    GTEST_SKIP() << left_out("all 2^32 f32 values to f16 and bf16, against rounding to an integral number of units");
  for (const Type to : {Type::f16, Type::bf16}) {
    Tally tally;
    const numerics::Function f = numerics::find_convert(to, Type::f32);
    for (std::uint64_t bits = 0; bits <= 0xffffffff; ++bits) {
      const Scalar x{Type::f32, bits};
      const double v = decode(x);
      double rounded = v;
      if (std::isfinite(v) && v != 0) {
        const int unit = std::max(std::ilogb(v), 1 - greatest_exponent(to)) - precision(to) + 1;
        rounded = std::ldexp(std::nearbyint(std::ldexp(v, -unit)), unit);
        if (std::fabs(rounded) >= std::ldexp(1.0, greatest_exponent(to) + 1)) rounded = std::copysign(HUGE_VAL, v);
      }
      const Reference expected{encode(to, rounded), !std::isnan(v) && rounded != v};
      numerics::Flags flags;
      const Reference actual{f(&x, flags).bits, flags.inexact};
      if (expected != actual || bits % 65536 == 0)
        tally.compare(expected, actual, "to " + std::string(name(to)), &x, 1);
    }
    RULE_TRUE("NUM-25", static_cast<bool>(tally)) << tally.summary();
  }
}

}  // namespace
}  // namespace assay::test
