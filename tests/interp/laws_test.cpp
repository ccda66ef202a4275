// Every row of the law table at every type that it names, the faults of other systems that are rows of it, and the
// checker itself.
#include <fmt/format.h>

#include <cstdlib>
#include <set>
#include <string>

#include "interp/laws.hpp"
#include "interp/values.hpp"
#include "numerics_reference.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {
namespace {

using laws::Finding;
using Verdict = laws::Finding::Verdict;

std::string describe(const laws::Law& law, Type t, const Finding& f) {
  std::string message = fmt::format("{} at {}: {}; {} cases", law.name, name(t), laws::text(law.sides(t)), f.cases);
  for (const auto& [variable, value] : f.witness) message += fmt::format(", {} = {}", variable, show(value));
  if (f.verdict == Verdict::refuted) {
    message += fmt::format(": {} and {}", f.left ? show(*f.left) : "a fault", f.right ? show(*f.right) : "a fault");
  }
  return message;
}

TEST(Laws, EveryRowIsAsClaimedAtEveryTypeItNames) {
  // A shortened run takes the first type of every row, and every eighth of the others.
  const bool shortened = std::getenv("ASSAY_PROPERTY_CASES") != nullptr;
  int exact = 0, refuted = 0, row = 0;
  for (const laws::Law& law : laws::all_laws()) {
    EXPECT_TRUE((law.exact & law.refuted).empty()) << law.name;
    bool first = true;
    for (const Type t : scalar_types) {
      if (!law.exact.contains(t) && !law.refuted.contains(t)) continue;
      if (shortened && !first && ++row % 8 != 0) continue;
      first = false;
      const Finding f = laws::check_law(law.sides(t));
      const bool as_claimed = f.verdict == (law.exact.contains(t) ? Verdict::holds : Verdict::refuted);
      RULE_TRUE(law.rule, as_claimed) << describe(law, t, f);
      (law.exact.contains(t) ? exact : refuted) += 1;
    }
  }
  RULE_TRUE("LAW-1", shortened ? exact + refuted > 100 : exact > 400 && refuted > 200)
      << exact << " exact, " << refuted << " refuted";
}

TEST(Laws, NamesAreUniqueAndRulesAreThoseOfThePage) {
  std::set<std::string_view> names;
  for (const laws::Law& law : laws::all_laws()) {
    EXPECT_TRUE(names.insert(law.name).second) << law.name;
    EXPECT_EQ(&law, laws::find_law(law.name));
    EXPECT_TRUE(law.rule.substr(0, 4) == "LAW-") << law.name;
    EXPECT_FALSE(law.exact.empty() && law.refuted.empty()) << law.name;
  }
  EXPECT_EQ(nullptr, laws::find_law("no-such-law"));
}

/// Both sides of a law with values for its variables, by way of a condition that admits only them.
std::pair<laws::Value, laws::Value> at(std::string_view law, Type t, std::vector<std::pair<Symbol, double>> point) {
  laws::Sides sides = laws::find_law(law)->sides(t);
  Expr here = make_literal(bool_scalar(true));
  for (const auto& [variable, value] : point) {
    const Scalar constant = is_float(t) ? interp::float_value(t, value, 0) : wrap_int(t, static_cast<Int128>(value));
    // x == c does not tell zeros apart; their reciprocals do.
    Expr equal = make_op(Op::eq, {make_variable(variable, t), make_literal(constant)});
    if (is_float(t) && value == 0) {
      equal = make_op(Op::eq,
                      {make_op(Op::recip, {make_variable(variable, t)}), make_op(Op::recip, {make_literal(constant)})});
    }
    here = make_op(Op::land, {here, equal});
  }
  sides.condition = here;
  const Finding f = laws::check_law(sides);
  EXPECT_EQ(Verdict::refuted, f.verdict) << law;
  return {f.left, f.right};
}

/// Algebra that ignores NaN, infinities and signed zeros (public case DEV-16), with the values that show it.
TEST(Laws, FloatAlgebraOfPublicCases) {
  const double inf = HUGE_VAL;
  const auto value = [](double v) { return laws::Value(Scalar{Type::f32, encode(Type::f32, v)}); };
  RULE_TRUE("LAW-3", at("mul-zero", Type::f32, {{"x", inf}}) == std::pair(value(NAN), value(0.0)));
  RULE_TRUE("LAW-3", at("mul-zero", Type::f32, {{"x", -1.0}}) == std::pair(value(-0.0), value(0.0)));
  RULE_TRUE("LAW-3", at("sub-self", Type::f32, {{"x", inf}}) == std::pair(value(NAN), value(0.0)));
  RULE_TRUE("LAW-3", at("div-self", Type::f32, {{"x", inf}}) == std::pair(value(NAN), value(1.0)));
  RULE_TRUE("LAW-3", at("add-zero", Type::f32, {{"x", -0.0}}) == std::pair(value(0.0), value(-0.0)));
  RULE_TRUE("LAW-3", at("lt-zero-to-le-zero", Type::f32, {{"x", 0.0}}) == std::pair(value(0.0), value(-0.0)));
}

/// Divisions, narrowing and comparisons (DEV-21, DEV-22, SP-20, SP-21), with the values of the reports.
TEST(Laws, IntegerAlgebraOfPublicCases) {
  const auto value = [](int v) { return laws::Value(wrap_int(Type::i32, v)); };
  RULE_TRUE("LAW-6", at("cancel-truncdiv", Type::i32, {{"x", -1}}) == std::pair(value(0), value(-1)));
  RULE_TRUE("LAW-6", at("cancel-truncdiv-sum", Type::i32, {{"x", -10}}) == std::pair(value(-14), value(-15)));
  RULE_TRUE("LAW-6", at("mod-over-ramp", Type::i32, {{"x", 18}, {"y", 2}}) == std::pair(value(0), value(10)));
  RULE_TRUE("LAW-7", at("narrowed-not-negative", Type::i32, {{"x", 128}}) ==
                         std::pair(laws::Value(bool_scalar(true)), laws::Value(bool_scalar(false))));
  RULE_TRUE("LAW-7", at("narrow-index", Type::i32, {{"x", 128}}) == std::pair(value(-128), value(128)));
  RULE_TRUE("LAW-8", at("scale-comparison", Type::i32, {{"x", 3}}) == std::pair(value(2), value(1)));
  RULE_TRUE("LAW-6", at("floordiv-self", Type::i32, {{"x", 0}}) == std::pair(laws::Value(), value(1)));
}

/// A wrong rule may differ from a true one at a single value of one variable: every row that holds is spoiled there,
/// and noticed.
TEST(Laws, SpoiledRowsAreRefuted) {
  for (const laws::Law& law : laws::all_laws()) {
    for (const Type t : scalar_types) {
      if (!law.exact.contains(t)) continue;
      laws::Sides sides = law.sides(t);
      const Type result = sides.right->type;
      const auto constant = [](Type type, int v) {
        return make_literal(is_float(type)          ? interp::float_value(type, v, 0)
                            : type == Type::boolean ? bool_scalar(v != 0)
                                                    : wrap_int(type, v));
      };
      const Expr other = result == Type::boolean
                             ? make_op(Op::lnot, {sides.right})
                             : make_op(Op::choice, {make_op(Op::eq, {sides.right, constant(result, 0)}),
                                                    constant(result, 1), constant(result, 0)});
      const Expr there = make_op(Op::eq, {make_variable("x", t), constant(t, 4)});
      sides.right = make_op(Op::choice, {there, other, sides.right});
      const Finding f = laws::check_law(sides);
      RULE_TRUE("LAW-1", f.verdict == Verdict::refuted) << describe(law, t, f);
    }
  }
}

TEST(Laws, TheCheckerSaysWhatItTried) {
  const Expr x8 = make_variable("x", Type::i8), y8 = make_variable("y", Type::i8), x64 = make_variable("x", Type::f64),
             x16 = make_variable("x", Type::f16);
  const Expr never = make_literal(bool_scalar(false));
  RULE_TRUE("LAW-1", laws::check_law({x8, x8, never}).verdict == Verdict::vacuous);
  RULE_TRUE("LAW-1", laws::check_law({x64, x64, never}).verdict == Verdict::vacuous);
  // A condition on values that no sample meets is vacuous too, never a success.
  const Expr rare = make_op(Op::eq, {x64, make_literal(interp::float_value(Type::f64, 0x1.23456789abcdfp+77, 0))});
  const Finding none = laws::check_law({x64, x64, rare});
  RULE_TRUE("LAW-1", none.verdict == Verdict::vacuous && none.cases == 0);

  const Finding pairs = laws::check_law({make_op(Op::add, {x8, y8}), make_op(Op::add, {y8, x8})});
  RULE_TRUE("LAW-1", pairs.exhaustive && pairs.cases == 65536 && pairs.verdict == Verdict::holds);
  const Finding all = laws::check_law(
      {make_op(Op::neg, {x16}), make_op(Op::mul, {x16, make_literal(interp::float_value(Type::f16, -1, 0))})});
  RULE_TRUE("LAW-1", all.exhaustive && all.cases == 65536 && all.verdict == Verdict::holds);
  const Finding sampled = laws::check_law({x64, x64});
  RULE_TRUE("LAW-1", !sampled.exhaustive && sampled.cases > 10'000);
  // A fault on one side only is a difference; on both it is not.
  const Expr quotient = make_op(Op::floordiv, {x8, y8});
  const Finding fault = laws::check_law({quotient, x8});
  RULE_TRUE("LAW-1", fault.verdict == Verdict::refuted);
  RULE_TRUE("LAW-1", laws::check_law({quotient, quotient}).verdict == Verdict::holds);
}

}  // namespace
}  // namespace assay::test
