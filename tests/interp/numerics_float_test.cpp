// Float formats and algebraic operations: exhaustive where 16 bits allow it, boundary and random operands elsewhere.
#include <bit>
#include <cmath>
#include <functional>

#include "interp/numerics.hpp"
#include "interp/random.hpp"
#include "interp/values.hpp"
#include "numerics_reference.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {
namespace {

using interp::boundary_values;
using interp::Random;

constexpr Type sixteen_bit_types[] = {Type::f16, Type::bf16};
constexpr Type narrow_types[] = {Type::f16, Type::bf16, Type::f8e5m2, Type::f8e4m3fn};

std::uint64_t patterns(Type t) { return std::uint64_t{1} << bit_width(t); }

std::uint64_t nan_of(Type t) { return encode(t, std::nan("")); }

/// Operands that meet: the second is near the first, near its negation, near half a unit of its last place, or
/// anything.
std::uint64_t related(Random& random, Type t, std::uint64_t bits) {
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bit_width(t));
  const std::uint64_t sign = std::uint64_t{1} << (bit_width(t) - 1);
  switch (random.below(6)) {
    case 0: return (bits ^ sign) & mask;
    case 1: return ((bits ^ sign) + random.below(5) - 2) & mask;
    case 2: return (bits + random.below(5) - 2) & mask;
    case 3: {  // about 2^-p of the first, so that sums come near ties
      const std::uint64_t field = bits >> (precision(t) - 1);
      const std::uint64_t lower = field - static_cast<std::uint64_t>(precision(t)) + random.below(3) - 1;
      return (lower << (precision(t) - 1) | (random.below(4) == 0 ? random.below(3) : 0) | (random.coin() ? sign : 0)) &
             mask;
    }
    default: return random.next() & mask;
  }
}

std::uint64_t any_bits(Random& random, Type t) {
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bit_width(t));
  // Short significands make exact results, ties and equal exponents likely.
  const int cleared = random.coin() ? static_cast<int>(random.below(static_cast<std::uint64_t>(precision(t)))) : 0;
  return random.next() & mask & ~((std::uint64_t{1} << cleared) - 1);
}

void compare_binary(Tally& tally, Op op, Scalar x, Scalar y) {
  const Scalar operands[] = {x, y};
  tally.compare(reference(op, operands), computed(op, operands), op_name(op), operands, 2);
}

TEST(NumericsFloat, FormatsAreThoseOfIeee754AndBfloat16) {
  Tally tally;
  for (const Type t : narrow_types) {
    for (std::uint64_t bits = 0; bits < patterns(t); ++bits) {
      const Scalar s{t, bits};
      const std::uint64_t expected = std::bit_cast<std::uint64_t>(decode(s));
      const bool is_nan = std::isnan(decode(s));
      tally.compare({is_nan ? 0x7ff8000000000000U : expected, false}, computed_convert(Type::f64, s), "widen", &s, 1);
      if (!is_nan)
        tally.check(computed_convert(t, {Type::f64, expected}) == Reference{bits, false}, "round trip", &s, 1);
    }
  }
  RULE_TRUE("NUM-1", static_cast<bool>(tally)) << tally.summary();
  RULE_EQ("NUM-1", 0x3ff8000000000000U, computed_convert(Type::f64, {Type::f32, 0x3fc00000}).bits);
  RULE_EQ("NUM-1", 0x3fc0U, computed_convert(Type::bf16, {Type::f32, 0x3fc00000}).bits);
  RULE_EQ("NUM-1", 0x3e00U, computed_convert(Type::f16, {Type::f32, 0x3fc00000}).bits);
  RULE_EQ("NUM-1", -1, signed_value({Type::i8, 0xff}));
}

TEST(NumericsFloat, EveryNanIsTheOneNan) {
  RULE_EQ("NUM-2", 0x7ff8000000000000U, nan_of(Type::f64));
  RULE_EQ("NUM-2", 0x7fc00000U, nan_of(Type::f32));
  RULE_EQ("NUM-2", 0x7e00U, nan_of(Type::f16));
  RULE_EQ("NUM-2", 0x7fc0U, nan_of(Type::bf16));
  RULE_EQ("NUM-36", 0x7eU, nan_of(Type::f8e5m2));
  RULE_EQ("NUM-36", 0x7fU, nan_of(Type::f8e4m3fn));
  Tally tally;
  for (const Type t : float_types) {
    const std::uint64_t sign = std::uint64_t{1} << (bit_width(t) - 1);
    const std::uint64_t first = has_infinity(t) ? encode(t, HUGE_VAL) + 1 : nan_of(t);
    for (const std::uint64_t pattern : {first, nan_of(t), nan_of(t) | sign, first | sign, (sign - 1) | sign}) {
      const Scalar nan[] = {{t, pattern}, {t, pattern}, {t, pattern}};
      for (int o = static_cast<int>(Op::neg); o < static_cast<int>(Op::select); ++o) {
        const auto op = static_cast<Op>(o);
        if (numerics::find(op, t) == nullptr || is_comparison(op)) continue;
        tally.check(computed(op, nan) == Reference{nan_of(t), false}, op_name(op), nan, 1);
      }
      for (const Type to : float_types)
        tally.check(computed_convert(to, nan[0]) == Reference{nan_of(to), false}, "convert", nan, 1);
    }
  }
  RULE_TRUE("NUM-2", static_cast<bool>(tally)) << tally.summary();
}

TEST(NumericsFloat, SumsProductsAndQuotientsAreRoundedOnce) {
  for (const Type t : float_types) {
    Tally tally;
    Random random(interp::seed_for(name(t), 4));
    const std::vector<Scalar> values = boundary_values(t);
    for (const Op op : {Op::add, Op::sub, Op::mul, Op::div}) {
      for (const Scalar x : values) {
        for (const Scalar y : values) compare_binary(tally, op, x, y);
      }
      for (int i = 0; i < 100'000; ++i) {
        const std::uint64_t bits = any_bits(random, t);
        compare_binary(tally, op, {t, bits}, {t, random.coin() ? any_bits(random, t) : related(random, t, bits)});
      }
    }
    RULE_TRUE("NUM-4", static_cast<bool>(tally)) << tally.summary();
    RULE_TRUE("NUM-31", static_cast<bool>(tally)) << tally.summary();
  }
}

TEST(NumericsFloat, EverySixteenBitOperandMeetsTellingOnes) {
  Tally tally;
  for (const Type t : sixteen_bit_types) {
    for (const double y : {0x1p-1, 0x1p-14, 3.0, 1 + std::ldexp(1.0, 1 - precision(t)), -0x1.8p-7}) {
      for (std::uint64_t bits = 0; bits < 65536; ++bits) {
        for (const Op op : {Op::add, Op::mul, Op::div}) compare_binary(tally, op, {t, bits}, {t, encode(t, y)});
      }
    }
  }
  RULE_TRUE("NUM-4", static_cast<bool>(tally)) << tally.summary();
}

TEST(NumericsFloat, FusedProductsAreRoundedOnce) {
  for (const Type t : float_types) {
    Tally tally;
    Random random(interp::seed_for(name(t), 5));
    const auto compare = [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
      const Scalar operands[] = {{t, a}, {t, b}, {t, c}};
      tally.compare(reference(Op::fma, operands), computed(Op::fma, operands), "fma", operands, 3);
    };
    const std::vector<Scalar> special = interp::special_values(t);
    for (const Scalar a : special) {
      for (const Scalar b : special) {
        for (const Scalar c : special) compare(a.bits, b.bits, c.bits);
      }
    }
    const std::vector<Scalar> values = boundary_values(t);
    for (int i = 0; i < 150'000; ++i) {
      const auto pick = [&] { return random.coin() ? any_bits(random, t) : values[random.below(values.size())].bits; };
      const std::uint64_t a = pick(), b = pick();
      const Scalar factors[] = {{t, a}, {t, b}};
      const std::uint64_t product = computed(Op::mul, factors).bits;  // the addend then cancels, ties, or is far away
      compare(a, b, random.below(3) == 0 ? pick() : related(random, t, product));
    }
    RULE_TRUE("NUM-5", static_cast<bool>(tally)) << tally.summary();
    RULE_TRUE("NUM-31", static_cast<bool>(tally)) << tally.summary();
  }
}

/// A product that is a tie at the type, with an addend far below a double's last place: the addend decides the
/// rounding, which an evaluation that rounds to double first has lost.
TEST(NumericsFloat, ATinyAddendBreaksATieOfAFusedProduct) {
  for (const Type t : sixteen_bit_types) {
    const double unit = std::ldexp(1.0, 1 - precision(t));
    const double scale = t == Type::f16 ? 0x1p12 : 1;  // f16 has few exponents: the product goes up instead
    const double least = t == Type::f16 ? 0x1p-24 : 0x1p-133;
    const double a = 1 + unit, b = 1.5 * scale;
    const double exact = a * b;  // scale · (1.5 + 1.5 unit)
    const auto fma = [&](double c) {
      const Scalar x[] = {{t, encode(t, a)}, {t, encode(t, b)}, {t, encode(t, c)}};
      return decode({t, computed(Op::fma, x).bits});
    };
    RULE_EQ("NUM-5", exact - scale * unit / 2, fma(-least));
    RULE_EQ("NUM-5", exact + scale * unit / 2, fma(least));
  }
}

/// Compares a unary operation with a formulation on doubles, over all patterns of 16 bits and telling ones of the
/// others.
Tally unary(Op op, const std::function<Reference(Scalar)>& expected) {
  Tally tally;
  for (const Type t : float_types) {
    const auto compare = [&](Scalar x) { tally.compare(expected(x), computed(op, &x), op_name(op), &x, 1); };
    if (bit_width(t) <= 16) {
      for (std::uint64_t bits = 0; bits < patterns(t); ++bits) compare({t, bits});
      continue;
    }
    for (const Scalar x : boundary_values(t)) compare(x);
    Random random(interp::seed_for(op_name(op), static_cast<std::uint64_t>(t)));
    for (int i = 0; i < 100'000; ++i) compare({t, any_bits(random, t)});
    for (int i = 0; i < 100'000; ++i)
      compare(interp::float_value(t, static_cast<double>(random.next() >> 11), -static_cast<int>(random.below(70))));
  }
  return tally;
}

TEST(NumericsFloat, RootsAndReciprocals) {
  for (const Op op : {Op::sqrt, Op::recip}) {
    const Tally tally = unary(op, [op](Scalar x) { return reference(op, &x); });
    RULE_TRUE("NUM-6", static_cast<bool>(tally)) << tally.summary();
    RULE_TRUE("NUM-31", static_cast<bool>(tally)) << tally.summary();
  }
  Tally squares;  // exact roots must be reported exact, at every size
  for (const Type t : float_types) {
    for (int i = 1; i < 200; ++i) {
      const Scalar x = interp::float_value(t, i, 0);
      const Scalar factors[] = {x, x};
      const Reference square = computed(Op::mul, factors);
      const Scalar root{t, square.bits};
      if (!square.inexact) squares.check(computed(Op::sqrt, &root) == Reference{x.bits, false}, "sqrt", &root, 1);
    }
  }
  RULE_TRUE("NUM-6", static_cast<bool>(squares)) << squares.summary();
  const Scalar minus_zero{Type::f32, 0x80000000};
  RULE_EQ("NUM-6", 0x80000000U, computed(Op::sqrt, &minus_zero).bits);
}

TEST(NumericsFloat, SignsAreBits) {
  const Tally neg = unary(Op::neg, [](Scalar x) { return Reference{encode(x.type, -decode(x)), false}; });
  const Tally abs = unary(Op::abs, [](Scalar x) { return Reference{encode(x.type, std::fabs(decode(x))), false}; });
  RULE_TRUE("NUM-7", static_cast<bool>(neg)) << neg.summary();
  RULE_TRUE("NUM-7", static_cast<bool>(abs)) << abs.summary();
}

TEST(NumericsFloat, IntegralValuesAreExact) {
  const auto expect = [](double (*f)(double)) {
    return [f](Scalar x) { return Reference{encode(x.type, std::copysign(f(decode(x)), decode(x))), false}; };
  };
  const auto floor_of = [](double v) { return v - (std::fmod(v, 1) + (std::fmod(v, 1) < 0 ? 1 : 0)); };
  const auto whole = [](auto f) { return [f](double v) { return std::isfinite(v) ? f(v) : v; }; };
  static const auto floor_rule = whole(floor_of);
  const Tally floor = unary(Op::floor, expect([](double v) { return floor_rule(v); }));
  const Tally ceil = unary(Op::ceil, expect([](double v) { return -floor_rule(-v); }));
  const Tally trunc = unary(Op::trunc, expect([](double v) { return v < 0 ? -floor_rule(-v) : floor_rule(v); }));
  for (const Tally& t : {floor, ceil, trunc}) RULE_TRUE("NUM-12", static_cast<bool>(t)) << t.summary();
  const Scalar half{Type::f32, 0xbf000000};
  RULE_EQ("NUM-12", 0x80000000U, computed(Op::ceil, &half).bits);
}

/// Every 16-bit operand, and telling ones of the others, against telling second operands.
Tally binary(const std::vector<Op>& ops, const std::function<std::uint64_t(Op, Scalar, Scalar)>& expected) {
  Tally tally;
  for (const Type t : float_types) {
    const std::vector<Scalar> values = boundary_values(t);
    const auto compare = [&](Scalar x, Scalar y) {
      const Scalar operands[] = {x, y};
      for (const Op op : ops)
        tally.compare({expected(op, x, y), false}, computed(op, operands), op_name(op), operands, 2);
    };
    for (const Scalar x : values) {
      for (const Scalar y : values) compare(x, y);
    }
    Random random(interp::seed_for(name(t), 9));
    for (int i = 0; i < 50'000; ++i) {
      const std::uint64_t bits = any_bits(random, t);
      compare({t, bits}, {t, related(random, t, bits)});
    }
    if (bit_width(t) != 16) continue;
    for (std::uint64_t bits = 0; bits < 65536; ++bits) {
      for (const Scalar y : interp::special_values(t)) compare({t, bits}, y);
    }
  }
  return tally;
}

TEST(NumericsFloat, ComparisonsOrderValues) {
  const Tally tally =
      binary({Op::eq, Op::ne, Op::lt, Op::le, Op::gt, Op::ge}, [](Op op, Scalar x, Scalar y) -> std::uint64_t {
        const double a = decode(x), b = decode(y);
        const bool ordered = !std::isnan(a) && !std::isnan(b);
        const bool less = ordered && a < b, equal = ordered && !(a < b) && !(b < a), greater = ordered && b < a;
        switch (op) {
          case Op::eq: return equal;
          case Op::ne: return !equal;
          case Op::lt: return less;
          case Op::le: return less || equal;
          case Op::gt: return greater;
          default: return greater || equal;
        }
      });
  RULE_TRUE("NUM-8", static_cast<bool>(tally)) << tally.summary();
}

double maximum(double a, double b) { return a > b ? a : b > a ? b : std::signbit(a) ? b : a; }

TEST(NumericsFloat, MaximaPropagateNanAndOrderZeros) {
  const Tally propagating = binary({Op::max, Op::min}, [](Op op, Scalar x, Scalar y) {
    const double a = decode(x), b = decode(y);
    if (std::isnan(a) || std::isnan(b)) return nan_of(x.type);
    return encode(x.type, op == Op::max ? maximum(a, b) : -maximum(-a, -b));
  });
  RULE_TRUE("NUM-9", static_cast<bool>(propagating)) << propagating.summary();
  const Tally number = binary({Op::maxnum, Op::minnum}, [](Op op, Scalar x, Scalar y) {
    const double a = decode(x), b = decode(y);
    if (std::isnan(a)) return encode(x.type, b);
    if (std::isnan(b)) return encode(x.type, a);
    return encode(x.type, op == Op::maxnum ? maximum(a, b) : -maximum(-a, -b));
  });
  RULE_TRUE("NUM-10", static_cast<bool>(number)) << number.summary();
}

TEST(NumericsFloat, ClampingFunctions) {
  const auto clamp = [](double v, double lo) { return std::isnan(v) ? v : maximum(v, lo); };
  const Tally relu = unary(Op::relu, [&](Scalar x) { return Reference{encode(x.type, clamp(decode(x), 0.0)), false}; });
  const Tally sat01 = unary(Op::sat01, [&](Scalar x) {
    return Reference{encode(x.type, -clamp(-clamp(decode(x), 0.0), -1.0)), false};
  });
  RULE_TRUE("NUM-11", static_cast<bool>(relu)) << relu.summary();
  RULE_TRUE("NUM-11", static_cast<bool>(sat01)) << sat01.summary();
}

/// All 2^32 pairs of both 16-bit types. A double holds every sum of f16 and every product exactly. A quotient of p-bit significands
/// that is no midpoint of two results is further from every midpoint than 2^-(2p+1) of itself, so rounding it to a double first
/// changes nothing.
TEST(NumericsFloat, LongAllPairsOfSixteenBitOperands) {
  if (!long_tests()) GTEST_SKIP() << left_out("all 2^32 operand pairs of f16 (+ × /) and bf16 (× /)");
  const auto power_of_two = [](int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  };
  for (const Type t : sixteen_bit_types) {
    Tally tally;
    std::vector<double> value(65536);
    for (std::uint64_t bits = 0; bits < 65536; ++bits) value[bits] = decode({t, bits});
    const int least = 1 - greatest_exponent(t), ulp = 1 - precision(t);
    const double bound = power_of_two(greatest_exponent(t)) * 2;
    // RN by search-free arithmetic: a number whose last place is the result's, added and taken away, rounds with ties to even.
    const auto round = [&](double v) {
      if (std::isnan(v) || std::isinf(v) || v == 0) return v;
      const int exponent = std::max(static_cast<int>(std::bit_cast<std::uint64_t>(v) >> 52 & 2047) - 1023, least);
      const double shift = 0x1.8p52 * power_of_two(exponent + ulp);
      const double rounded = std::copysign(v + shift - shift, v);  // zero keeps the sign
      return std::fabs(rounded) >= bound ? std::copysign(HUGE_VAL, v) : rounded;
    };
    for (const Op op : {Op::add, Op::mul, Op::div}) {
      if (t == Type::bf16 && op == Op::add) continue;  // not exact in a double
      const numerics::Function f = numerics::find(op, t);
      numerics::Flags ignored;
      for (std::uint64_t a = 0; a < 65536; ++a) {
        for (std::uint64_t b = 0; b < 65536; ++b) {
          const Scalar operands[] = {{t, a}, {t, b}};
          const double x = value[a], y = value[b];
          const double expected = round(op == Op::add ? x + y : op == Op::mul ? x * y : x / y);
          const std::uint64_t actual = f(operands, ignored).bits;
          // Every value but NaN has one encoding, so values are compared and only a few of them encoded.
          const bool same = std::isnan(expected) ? actual == nan_of(t)
                                                 : std::bit_cast<std::uint64_t>(expected) ==
                                                       std::bit_cast<std::uint64_t>(value[actual & 0xffff]);
          if (!same || actual > 0xffff || b == 0) {
            tally.compare({std::isnan(expected) ? nan_of(t) : encode(t, expected)}, {actual}, op_name(op), operands, 2);
          }
        }
      }
    }
    RULE_TRUE("NUM-4", static_cast<bool>(tally)) << tally.summary();
  }
}

}  // namespace
}  // namespace assay::test
