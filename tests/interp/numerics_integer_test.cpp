// Integers and bool: all pairs of 8 bits, telling and random pairs elsewhere, against definitions over wider integers.
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
__extension__ typedef unsigned __int128 UInt128;

/// Calls `f` for all pairs of 8-bit types, and for telling and random pairs of the others.
void for_pairs(const std::function<void(Scalar, Scalar)>& f) {
  for (const Type t : integer_types) {
    if (bit_width(t) == 8) {
      for (std::uint64_t a = 0; a < 256; ++a) {
        for (std::uint64_t b = 0; b < 256; ++b) f({t, a}, {t, b});
      }
      continue;
    }
    const std::vector<Scalar> values = boundary_values(t);
    for (const Scalar a : values) {
      for (const Scalar b : values) f(a, b);
    }
    Random random(interp::seed_for(name(t), 17));
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bit_width(t));
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t divisor = random.next() >> random.below(64);
      f({t, random.next() & mask}, {t, (random.coin() ? divisor : -divisor) & mask});
    }
  }
}

Scalar result(Op op, Scalar a, Scalar b) {
  numerics::Flags flags;
  const Scalar operands[] = {a, b};
  return numerics::apply(op, operands, flags);
}

Tally against(const std::vector<std::pair<Op, std::function<Int128(Int128, Int128)>>>& definitions,
              bool skip_zero_divisor) {
  Tally tally;
  for_pairs([&](Scalar a, Scalar b) {
    if (skip_zero_divisor && b.bits == 0) return;
    const Scalar operands[] = {a, b};
    for (const auto& [op, definition] : definitions) {
      const Scalar expected = wrap_int(a.type, definition(int_value(a), int_value(b)));
      tally.compare({expected.bits, false}, computed(op, operands), op_name(op), operands, 2);
    }
  });
  return tally;
}

TEST(NumericsInteger, SumsAndProductsWrap) {
  const Tally tally = against(
      {{Op::add, [](Int128 a, Int128 b) { return a + b; }},
       {Op::sub, [](Int128 a, Int128 b) { return a - b; }},
       {Op::mul,
        [](Int128 a, Int128 b) { return static_cast<Int128>(static_cast<UInt128>(a) * static_cast<UInt128>(b)); }},
       {Op::neg, [](Int128 a, Int128) { return -a; }},
       {Op::abs, [](Int128 a, Int128) { return a < 0 ? -a : a; }}},
      false);
  RULE_TRUE("NUM-17", static_cast<bool>(tally)) << tally.summary();
  RULE_EQ("NUM-17", 0x80U, result(Op::abs, {Type::i8, 0x80}, {}).bits);
  RULE_EQ("NUM-17", 0xfffeU, result(Op::mul, {Type::u16, 0xffff}, {Type::u16, 2}).bits);
}

TEST(NumericsInteger, OrderIsThatOfMathematicalValues) {
  const Tally order = against({{Op::max, [](Int128 a, Int128 b) { return a < b ? b : a; }},
                               {Op::min, [](Int128 a, Int128 b) { return b < a ? b : a; }},
                               {Op::relu, [](Int128 a, Int128) { return a < 0 ? 0 : a; }},
                               {Op::eq, [](Int128 a, Int128 b) { return Int128{a == b}; }},
                               {Op::ne, [](Int128 a, Int128 b) { return Int128{a != b}; }},
                               {Op::lt, [](Int128 a, Int128 b) { return Int128{a < b}; }},
                               {Op::le, [](Int128 a, Int128 b) { return Int128{a <= b}; }},
                               {Op::gt, [](Int128 a, Int128 b) { return Int128{a > b}; }},
                               {Op::ge, [](Int128 a, Int128 b) { return Int128{a >= b}; }}},
                              false);
  RULE_TRUE("NUM-18", static_cast<bool>(order)) << order.summary();
}

/// Each family by what defines it: b·q + r = a, and where r lies. Quotients that have no room wrap, remainders never
/// do.
TEST(NumericsInteger, DivisionFamilies) {
  Tally floor, ceiling, truncation, euclid;
  for_pairs([&](Scalar x, Scalar y) {
    const Int128 a = int_value(x), b = int_value(y);
    if (b == 0) return;
    const Scalar operands[] = {x, y};
    const auto remainder = [&](Op op) { return int_value(result(op, x, y)); };
    /// Whether the result of `quotient` is (a − r) / b, and that division is exact.
    const auto divides = [&](Op quotient, Int128 r) {
      return (a - r) % b == 0 && result(quotient, x, y) == wrap_int(x.type, (a - r) / b);
    };
    const Int128 f = remainder(Op::floormod), t = remainder(Op::truncmod), e = remainder(Op::eucmod);
    const Int128 size = b < 0 ? -b : b;
    floor.check(divides(Op::floordiv, f) && (b > 0 ? 0 <= f && f < b : b < f && f <= 0), "floordiv, floormod", operands,
                2);
    truncation.check(divides(Op::truncdiv, t) && -size < t && t < size && (t == 0 || (t < 0) == (a < 0)),
                     "truncdiv, truncmod", operands, 2);
    euclid.check(divides(Op::eucdiv, e) && 0 <= e && e < size, "eucdiv, eucmod", operands, 2);
    // ⌈a/b⌉ = −⌊−a/b⌋, with the floor found by its remainder.
    const Int128 negated = ((-a) % b + b) % b;
    ceiling.check(result(Op::ceildiv, x, y) == wrap_int(x.type, -((-a - negated) / b)), "ceildiv", operands, 2);
  });
  RULE_TRUE("NUM-19", static_cast<bool>(floor)) << floor.summary();
  RULE_TRUE("NUM-20", static_cast<bool>(ceiling)) << ceiling.summary();
  RULE_TRUE("NUM-21", static_cast<bool>(truncation)) << truncation.summary();
  RULE_TRUE("NUM-22", static_cast<bool>(euclid)) << euclid.summary();

  struct Row {
    int a, b, floordiv, floormod, ceildiv, truncdiv, truncmod, eucdiv, eucmod;
  };
  const Row rows[] = {{7, 2, 3, 1, 4, 3, 1, 3, 1},
                      {-7, 2, -4, 1, -3, -3, -1, -4, 1},
                      {7, -2, -4, -1, -3, -3, 1, -3, 1},
                      {-7, -2, 3, -1, 4, 3, -1, 4, 1}};
  for (const Row& r : rows) {
    const auto at = [&](Op op) { return signed_value(result(op, wrap_int(Type::i32, r.a), wrap_int(Type::i32, r.b))); };
    RULE_EQ("NUM-19", r.floordiv, at(Op::floordiv));
    RULE_EQ("NUM-19", r.floormod, at(Op::floormod));
    RULE_EQ("NUM-20", r.ceildiv, at(Op::ceildiv));
    RULE_EQ("NUM-21", r.truncdiv, at(Op::truncdiv));
    RULE_EQ("NUM-21", r.truncmod, at(Op::truncmod));
    RULE_EQ("NUM-22", r.eucdiv, at(Op::eucdiv));
    RULE_EQ("NUM-22", r.eucmod, at(Op::eucmod));
  }
}

TEST(NumericsInteger, DivisionByZeroIsReportedAndByMinusOneWraps) {
  const Op quotients[] = {Op::floordiv, Op::ceildiv, Op::truncdiv, Op::eucdiv},
           remainders[] = {Op::floormod, Op::truncmod, Op::eucmod};
  for (const Type t : integer_types) {
    const Scalar least = wrap_int(t, int_range(t).lo);
    const auto zero_reported = [&](Op op) {
      for (const Scalar a : boundary_values(t)) {
        const Scalar operands[] = {a, {t, 0}};
        numerics::Flags flags;
        numerics::apply(op, operands, flags);
        if (!flags.divide_by_zero) return false;
        const Scalar fine[] = {a, {t, 1}};
        numerics::Flags none;
        numerics::apply(op, fine, none);
        if (none.divide_by_zero || none.inexact) return false;
      }
      return true;
    };
    for (const Op op : quotients) {
      RULE_TRUE("NUM-23", zero_reported(op));
      if (is_signed_int(t)) RULE_EQ("NUM-23", least.bits, result(op, least, wrap_int(t, -1)).bits);
    }
    for (const Op op : remainders) {
      RULE_TRUE("NUM-23", zero_reported(op));
      if (is_signed_int(t)) RULE_EQ("NUM-23", 0U, result(op, least, wrap_int(t, -1)).bits);
    }
  }
}

TEST(NumericsInteger, TruthFunctions) {
  for (const bool a : {false, true}) {
    const Scalar operand = bool_scalar(a);
    numerics::Flags flags;
    RULE_EQ("NUM-24", bool_scalar(!a), numerics::apply(Op::lnot, &operand, flags));
    for (const bool b : {false, true}) {
      RULE_EQ("NUM-24", bool_scalar(a && b), result(Op::land, bool_scalar(a), bool_scalar(b)));
      RULE_EQ("NUM-24", bool_scalar(a || b), result(Op::lor, bool_scalar(a), bool_scalar(b)));
      RULE_EQ("NUM-24", bool_scalar(a == b), result(Op::eq, bool_scalar(a), bool_scalar(b)));
      RULE_EQ("NUM-24", bool_scalar(a != b), result(Op::ne, bool_scalar(a), bool_scalar(b)));
    }
  }
}

}  // namespace
}  // namespace assay::test
