// Enclosures: what implementations within the granted error compute lies inside, what is wrong does not, and ranges are not
// needlessly wide.
#include "interp/enclosure/enclosure.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "exec_support.hpp"
#include "interp/numerics.hpp"
#include "interp/random.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {
namespace {

using interp::enclosure::Enclosure;
using interp::enclosure::Range;

bool is_granted(const ExprNode& e) {
  return e.type == Type::f64 && ((e.op >= Op::exp && e.op <= Op::tanh) || e.op == Op::rsqrt || e.op == Op::pow);
}

// One implementation of the functions: the exact result, moved by up to `error` units.
class Implementation {
 public:
  Implementation(interp::Random& random, int error) : random_(random), error_(error) {}

  Scalar evaluate(const Expr& e, const std::vector<double>& inputs) {
    if (e->op == Op::literal) return e->literal;
    if (e->op == Op::load)
      return {Type::f64, std::bit_cast<std::uint64_t>(inputs[static_cast<std::size_t>(e->args[0]->index.constant())])};
    std::vector<Scalar> operands;
    for (const Expr& a : e->args) operands.push_back(evaluate(a, inputs));
    numerics::Flags flags;
    if (e->op == Op::convert) return numerics::convert(e->type, operands[0], flags);
    if (e->op == Op::choice) return operands[0].bits != 0 ? operands[1] : operands[2];
    const Scalar r = numerics::apply(e->op, operands.data(), flags);
    return is_granted(*e) && flags.inexact ? move(r, e->op) : r;
  }

 private:
  Scalar move(Scalar r, Op op) {
    double x = std::bit_cast<double>(r.bits);
    if (std::isnan(x) || error_ == 0) return r;
    // The exact result is up to half a unit away.
    const auto steps = static_cast<int>(random_.below(static_cast<std::uint64_t>(2 * error_ - 1))) - (error_ - 1);
    for (int k = 0; k < std::abs(steps); ++k) x = std::nextafter(x, steps < 0 ? -INFINITY : INFINITY);
    if ((op == Op::exp || op == Op::exp2 || op == Op::pow) && x < 0) x = 0;
    return {Type::f64, std::bit_cast<std::uint64_t>(x)};
  }

  interp::Random& random_;
  int error_;
};

constexpr std::size_t input_count = 4;

Expr random_value(interp::Random& random, int depth) {
  const auto f64 = [](double x) { return make_literal({Type::f64, std::bit_cast<std::uint64_t>(x)}); };
  if (depth == 0 || random.below(6) == 0) {
    if (random.below(4) == 0) {
      constexpr double constants[] = {1, 0.5, -2, 3, 0, 1e300, -0.0, 1e-310};
      return f64(constants[random.below(8)]);
    }
    return make_load("A", Type::f64, {make_index(static_cast<std::int64_t>(random.below(input_count)))});
  }
  const auto next = [&] { return random_value(random, depth - 1); };
  constexpr Op functions[] = {Op::exp, Op::exp2, Op::log, Op::log2, Op::sin, Op::cos, Op::tanh, Op::rsqrt};
  constexpr Op unary[] = {Op::neg, Op::abs, Op::relu, Op::sat01, Op::sqrt, Op::recip, Op::floor, Op::trunc};
  constexpr Op binary[] = {Op::add, Op::sub, Op::mul, Op::div, Op::max, Op::min, Op::maxnum, Op::minnum};
  switch (random.below(8)) {
    case 0:
    case 1:
    case 2: return make_op(functions[random.below(8)], {next()});
    case 3: return make_op(unary[random.below(8)], {next()});
    case 4:
      return random.below(3) == 0 ? make_op(Op::pow, {next(), next()}) : make_op(Op::fma, {next(), next(), next()});
    case 5:
      return random.below(2) == 0 ? make_convert(Type::f64, make_convert(Type::f32, next()))
                                  : make_op(Op::choice, {make_op(Op::lt, {next(), next()}), next(), next()});
    default: return make_op(binary[random.below(8)], {next(), next()});
  }
}

Program with_value(const Expr& value) {
  Program p;
  p.name = "p";
  p.buffers = {{"A", BufferKind::input, Type::f64, {Index(static_cast<std::int64_t>(input_count))}, {}, {}, {}},
               {"C", BufferKind::output, Type::f64, {Index(1)}, {}, {}, {}}};
  p.body = {make_store("C", {make_index(Index(0))}, value)};
  return p;
}

std::vector<double> random_inputs(interp::Random& random) {
  std::vector<double> out;
  for (std::size_t k = 0; k < input_count; ++k) {
    constexpr double special[] = {0, -0.0, INFINITY, -INFINITY, NAN, 709.7, 1e-320, 1};
    const double ordinary = (static_cast<double>(random.below(2000001)) - 1e6) / 2.5e5;
    out.push_back(random.below(12) == 0 ? special[random.below(8)] : ordinary);
  }
  return out;
}

TEST(Enclosure, HoldsWhatEveryImplementationGives) {
  interp::Random random(7);
  int enclosed = 0, ranges = 0, undecided = 0, escaped = 0, wrong = 0;
  for (int k = 0; k < 4000; ++k) {
    const Expr value = random_value(random, 3);
    const Program p = with_value(value);
    const std::vector<double> inputs = random_inputs(random);
    const Enclosure e = interp::enclosure::enclose(p, {{"A", row(Type::f64, inputs)}}, {});
    if (!e.undecided.empty()) {
      ++undecided;
      continue;
    }
    ++enclosed;
    const Range& r = e.outputs.at("C").at(0);
    ranges += !r.is_exact;
    for (int error : {0, 1, 4, 4, 4, 4}) {
      const Scalar executed = Implementation(random, error).evaluate(value, inputs);
      const bool inside = interp::enclosure::contains(r, executed);
      for (const char* rule : {"ENC-1", "ENC-2", "ENC-3"})
        RULE_TRUE(rule, inside) << print(p) << interp::enclosure::text(r) << " lacks "
                                << fmt::format("{:a}", std::bit_cast<double>(executed.bits))
                                << fmt::format(" at {} {} {} {}", inputs[0], inputs[1], inputs[2], inputs[3]);
      if (!inside) return;
    }
    if (r.is_exact) continue;
    // A library that is wrong by far more is found, where the expression lets it through.
    ++wrong;
    escaped += !interp::enclosure::contains(r, Implementation(random, 4000).evaluate(value, inputs));
  }
  fmt::print("enclosed {} (ranges {}), undecided {}, wrong found {} of {}\n", enclosed, ranges, undecided, escaped,
             wrong);
  EXPECT_GT(ranges, 700);
  EXPECT_LT(undecided, 800);
  RULE_TRUE("ENC-5", escaped * 2 > wrong);
}

Enclosure of(const std::string& body, const std::vector<double>& a) {
  return interp::enclosure::enclose(program("program p { input A: f64[" + std::to_string(a.size()) +
                                            "]  output C: f64[1]  output I: i32[1]  I[0] = 0\n" + body + " }"),
                                    {{"A", row(Type::f64, a)}}, {});
}

TEST(Enclosure, IsAsWideAsItNeedsToBe) {
  // A unit is at most 2^-51 below 4: four of them, half a one, and twice that where a power of two may be near.
  for (const char* f : {"exp(A[0])", "log(A[0] + 1.0)", "sin(A[0])", "pow(A[0], A[0])", "rsqrt(A[0])", "tanh(A[0])"}) {
    const Range r = of(std::string("C[0] = ") + f, {0.7}).outputs.at("C").at(0);
    ASSERT_FALSE(r.is_exact) << f;
    RULE_TRUE("ENC-2", r.hi > r.lo && r.hi - r.lo <= 24 * 0x1p-51) << f << interp::enclosure::text(r);
    EXPECT_FALSE(r.may_be_nan) << f;
  }
  // One value where the C library promises one.
  for (const char* f :
       {"exp(A[0])", "sin(A[0])", "cos(A[0])", "log(A[0])", "pow(A[1], A[0])", "log(A[2])", "pow(A[2], A[3])"})
    RULE_TRUE("ENC-2", of(std::string("C[0] = ") + f, {0, 5, -2, 0.5}).outputs.at("C").at(0).is_exact) << f;
  // Widths add up as they do in the running code.
  const Range sum = of("var s: f64 = 0.0  for k in 0..64 { s = s + exp(A[k]) }  C[0] = s", std::vector<double>(64, 0.3))
                        .outputs.at("C")
                        .at(0);
  RULE_TRUE("ENC-3", sum.hi - sum.lo < 64 * 24 * 0x1p-52);
  RULE_TRUE("ENC-3", sum.lo < 64 * std::exp(0.3) && 64 * std::exp(0.3) < sum.hi);
}

TEST(Enclosure, KnowsWhereAnythingMayHappen) {
  const Range none = of("C[0] = 1.0 / sin(A[0])", {0x1.921fb54442d18p+1}).outputs.at("C").at(0);
  RULE_TRUE("ENC-3", none.lo > 0 || (none.lo == -INFINITY && none.hi == INFINITY));
  const Range pole = of("C[0] = 1.0 / (exp(A[0]) - exp(A[0]))", {1}).outputs.at("C").at(0);
  RULE_TRUE("ENC-3", pole.may_be_nan && pole.lo == -INFINITY && pole.hi == INFINITY);
  const Range root = of("C[0] = sqrt(exp(A[0]) - exp(A[0]))", {1}).outputs.at("C").at(0);
  RULE_TRUE("ENC-3", root.may_be_nan && root.lo == 0);
  RULE_TRUE("ENC-3", of("C[0] = sqrt(-exp(A[0]))", {1}).outputs.at("C").at(0).may_be_nan);
}

TEST(Enclosure, IsUndecidedWhereARangeDecides) {
  for (const char* body :
       {"C[0] = exp(A[0]) > exp(A[0]) ? 1.0 : 2.0", "C[0] = 0.0  if exp(A[0]) == exp(A[0]) { C[0] = 1.0 }",
        "C[0] = 1.0  I[0] = i32(exp(A[0]) / exp(A[0]))", "C[0] = 1.0  I[i32(log(A[1]))] = 1",
        "C[0] = 1.0  I[0] = bool(sin(A[0]) - sin(A[0])) ? 1 : 2"}) {
    RULE_TRUE("ENC-4", !of(body, {1, 0x1.5bf0a8b145769p+1}).undecided.empty()) << body;
  }
  for (const char* body :
       {"C[0] = exp(A[0]) > 2.0 ? 1.0 : 2.0", "C[0] = 0.0  I[i32(log(A[1]) * 0.5)] = i32(exp(A[0]))"})
    RULE_TRUE("ENC-4", of(body, {1, 0x1.5bf0a8b145769p+1}).undecided.empty()) << body;
  interp::Options small;
  small.budget = 10;
  RULE_TRUE("ENC-4", !interp::enclosure::enclose(
                          program("program p { output C: f64[9]  for k in 0..9 { C[k] = exp(1.0) } }"), {}, small)
                          .undecided.empty());
}

TEST(Enclosure, RunsLanesScopesAndGroups) {
  const Enclosure e = interp::enclosure::enclose(
      program(R"(program p { input A: f64[6]  inout X: f64[6]  output C: f64[6]
    for g in 0..2 @grid { for v in 0..3 @vectorized {
      X[3*g + v] = X[3*g + 2 - v] + scope s: f64 { s = 0.0  for k in 0..g + v { s = s + exp(A[k]) } }
      if v == 1 { C[3*g + v] = X[3*g + v] } else { C[3*g + v] = A[v] } } } })"),
      {{"A", row(Type::f64, {1, 2, 3, 4, 5, 6})}, {"X", row(Type::f64, {1, 2, 3, 4, 5, 6})}}, {});
  ASSERT_EQ("", e.undecided);
  const auto& x = e.outputs.at("X");
  RULE_TRUE("ENC-1", x[0].is_exact && !x[1].is_exact);
  const double expected = 2 + std::exp(1.0);
  RULE_TRUE("ENC-1", x[1].lo < expected && expected < x[1].hi && x[1].hi - x[1].lo < 1e-14);
  RULE_TRUE("ENC-1", e.outputs.at("C")[0].is_exact);
}

}  // namespace
}  // namespace assay::test
