// The translations to integers and to reals against the interpreter's arithmetic: on constants they prove what is so, and never
// what is not.
#include <gtest/gtest.h>

#include "interp/inputs.hpp"
#include "interp/numerics.hpp"
#include "interp/random.hpp"
#include "interp/values.hpp"
#include "ir/expr.hpp"
#include "proofs/scalar/exact.hpp"
#include "proofs/z3/text.hpp"
#include "tests/support/rules.hpp"

namespace assay::scalar {
namespace {

constexpr std::uint64_t limit = 3'000'000;

std::optional<bool> satisfiable(const std::optional<Script>& s) {
  EXPECT_TRUE(s.has_value());
  return s ? z3_satisfiable(s->logic, s->body, limit).answer : std::nullopt;
}

struct Result {
  Scalar value;
  numerics::Flags flags;
};
Result computed(Op op, Type t, std::vector<Scalar> operands) {
  Result out{};
  out.value = numerics::find(op, t)(operands.data(), out.flags);
  return out;
}
Expr applied(Op op, const std::vector<Scalar>& operands) {
  std::vector<Expr> args;
  for (const Scalar s : operands) args.push_back(make_literal(s));
  return make_op(op, args);
}

constexpr Op divisions[] = {Op::floordiv, Op::floormod, Op::ceildiv, Op::truncdiv,
                            Op::truncmod, Op::eucdiv,   Op::eucmod};

TEST(Translations, DivisionsOverTheIntegersAreThoseOfTheInterpreter) {
  int asked = 0;
  for (const Type t : {Type::i8, Type::u8}) {
    for (const Op op : divisions) {
      for (const int a : {-128, -127, -9, -8, -7, -1, 0, 1, 6, 7, 8, 127, 200, 255}) {
        for (const int b : {-128, -8, -3, -1, 1, 2, 3, 8, 127, 255}) {
          const IntRange r = int_range(t);
          if (a < r.lo || a > r.hi || b < r.lo || b > r.hi || (a + b) % 3 == 1) continue;
          const std::vector<Scalar> operands{wrap_int(t, a), wrap_int(t, b)};
          const Scalar right = computed(op, t, operands).value;
          const Expr left = applied(op, operands);
          RULE_TRUE("LAW-22", satisfiable(integer_script(left, make_literal(right), {})) == false)
              << info(op).text << " of " << a << " and " << b << " at " << name(t);
          const Scalar wrong = wrap_int(t, int_value(right) + 1);
          RULE_TRUE("LAW-22", satisfiable(integer_script(left, make_literal(wrong), {})) == true)
              << info(op).text << " of " << a << " and " << b << " at " << name(t);
          ++asked;
        }
      }
    }
  }
  EXPECT_GT(asked, 500);
}

TEST(Translations, IntegersWrapAndCompareAndConvertLikeTheInterpreter) {
  interp::Random random(7);
  for (int round = 0; round < 300; ++round) {
    const Type t = std::vector<Type>{Type::i8, Type::u8, Type::i16, Type::u64, Type::i64}[random.below(5)];
    const auto pick = [&] {
      return wrap_int(t, static_cast<std::int64_t>(random.coin() ? random.next() : random.below(5) - 2));
    };
    const Op op = std::vector<Op>{Op::add,  Op::sub, Op::mul, Op::neg, Op::abs, Op::max, Op::min,
                                  Op::relu, Op::lt,  Op::le,  Op::gt,  Op::ge,  Op::eq,  Op::ne}[random.below(14)];
    std::vector<Scalar> operands{pick()};
    if (op != Op::neg && op != Op::abs && op != Op::relu) operands.push_back(pick());
    const Scalar right = computed(op, t, operands).value;
    const Scalar wrong = right.type == Type::boolean ? bool_scalar(right.bits == 0) : wrap_int(t, int_value(right) + 1);
    const Expr left = applied(op, operands);
    RULE_TRUE("LAW-22", satisfiable(integer_script(left, make_literal(right), {})) == false)
        << info(op).text << " at " << name(t);
    RULE_TRUE("LAW-22", satisfiable(integer_script(left, make_literal(wrong), {})) == true)
        << info(op).text << " at " << name(t);
    // A conversion, there and back through what wraps.
    const Type narrow = random.coin() ? Type::i8 : Type::u16;
    numerics::Flags flags;
    const Scalar converted = numerics::find_convert(narrow, t)(operands.data(), flags);
    const Expr conversion = make_convert(narrow, make_literal(operands[0]));
    RULE_TRUE("LAW-22", satisfiable(integer_script(conversion, make_literal(converted), {})) == false);
    RULE_TRUE("LAW-22", satisfiable(integer_script(conversion, make_literal(wrap_int(narrow, int_value(converted) - 1)),
                                                   {})) == true);
  }
}

// On constants the reals are decided: what the interpreter finds exact is proved, what it finds to round is not, and no wrong value is.
TEST(Translations, ValuesBeforeRoundingAreThoseOfTheInterpreter) {
  interp::Random random(11);
  int exact = 0, rounds = 0;
  for (int round = 0; round < 600; ++round) {
    const Type t = std::vector<Type>{Type::f8e5m2, Type::f8e4m3fn, Type::f16, Type::f32, Type::f64}[random.below(5)];
    const std::vector<Scalar> special = interp::special_values(t);
    const auto pick = [&]() -> Scalar {
      if (random.below(3) == 0) return special[random.below(special.size())];
      const auto small = static_cast<double>(static_cast<int>(random.below(9)) - 4);
      return interp::float_value(t, small, -static_cast<int>(random.below(3)));
    };
    const Op op =
        std::vector<Op>{Op::add, Op::sub, Op::mul, Op::div, Op::recip, Op::fma, Op::neg, Op::abs}[random.below(8)];
    std::vector<Scalar> operands{pick()};
    if (op == Op::add || op == Op::sub || op == Op::mul || op == Op::div || op == Op::fma) operands.push_back(pick());
    if (op == Op::fma) operands.push_back(pick());
    const Result right = computed(op, t, operands);
    // At f8e4m3fn an exact infinity is its NaN, which the terms of a constant do not say.
    const bool without_infinity = !has_infinity(t) && is_nan(right.value);
    const Expr left = applied(op, operands);
    const std::optional<bool> said = satisfiable(rounded_once_script(left, make_literal(right.value), {}));
    if (right.flags.inexact) {
      ++rounds;
      RULE_TRUE("LAW-23", said == true) << info(op).text << " at " << name(t);
    } else if (!without_infinity) {
      ++exact;
      RULE_TRUE("LAW-23", said == false) << info(op).text << " at " << name(t);
    }
    const Scalar other = pick();
    if (!same_value(other, right.value) && !without_infinity) {
      RULE_TRUE("LAW-23", satisfiable(rounded_once_script(left, make_literal(other), {})) == true)
          << info(op).text << " at " << name(t);
    }
  }
  EXPECT_GT(exact, 200);
  EXPECT_GT(rounds, 20);
}

// Below the root nothing may round: such rules are refused, not proved.
TEST(Translations, ARoundingBelowTheRootIsRefused) {
  for (const Type t : {Type::f64, Type::f32, Type::f16, Type::bf16, Type::f8e5m2, Type::f8e4m3fn}) {
    const Expr x = make_variable("x", t), y = make_variable("y", t), z = make_variable("z", t);
    const Expr product = make_op(Op::mul, {x, y});
    RULE_TRUE("LAW-23", !rounded_once_script(make_op(Op::add, {product, z}), make_op(Op::fma, {x, y, z}), {}));
    RULE_TRUE("LAW-23", !rounded_once_script(make_op(Op::mul, {product, z}),
                                             make_op(Op::mul, {x, make_op(Op::mul, {y, z})}), {}));
    RULE_TRUE("LAW-23",
              !rounded_once_script(make_convert(t, make_convert(t == Type::f64 ? Type::f32 : Type::f64, product)),
                                   product, {}));
    RULE_TRUE(
        "LAW-23",
        rounded_once_script(make_op(Op::neg, {product}), make_op(Op::mul, {make_op(Op::neg, {x}), y}), {}).has_value());
  }
}

}  // namespace
}  // namespace assay::scalar
