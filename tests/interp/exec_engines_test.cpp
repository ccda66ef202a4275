// The compiled engine where it does most differently from the walk: strips, columns of lanes, second runs.
#include <fmt/format.h>

#include "exec_support.hpp"
#include "interp/compiled/run.hpp"
#include "interp/difference.hpp"
#include "interp/inputs.hpp"
#include "interp/numerics.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {
namespace {

// run_both compares; this adds generated inputs and gives the outcome.
interp::Outcome generated(const Program& p, const interp::Options& options = {}) {
  return run_both(p, interp::generate_inputs(p, options.parameters, interp::InputKind::exact, 1), options);
}

TEST(ExecEngines, StripsKeepEveryDistance) {
  // Two accesses at every distance that matters to a strip of 256, in both directions and both orders.
  for (std::int64_t distance : {-300, -256, -255, -9, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 9, 64, 255, 256, 257, 300}) {
    for (const char* body :
         {"X[k + 300] = X[k + {} + 300] + 1", "X[k + 300] = 1\n Y[k] = X[k + {} + 300]",
          "Y[k] = X[k + {} + 300]\n X[k + 300] = i32(k)", "X[k + 300] = 5\n X[k + {} + 300] = i32(k)",
          "X[2*k + 300] = i32(k)\n X[k + {} + 300] = 3", "X[300 - k] = X[300 - k - {}] + Y[k]",
          "X[300] = X[300] + X[k + {} + 300]", "X[k + 300] += X[{} + 300]"}) {
      std::string line = body;
      while (line.find("{}") != std::string::npos) line.replace(line.find("{}"), 2, fmt::format("({})", distance));
      const Program p = program(
          fmt::format("program p {{ inout X: i32[1400]  inout Y: i32[300]\n for k in 0..290 {{ {} }} }}", line));
      const auto o = generated(p);
      RULE_TRUE("EXEC-36", o.status == interp::Status::ok || o.fault->code == "RUN-1") << line;
    }
  }
}

TEST(ExecEngines, AccumulationsOfStripsKeepTheirOrder) {
  for (const char* type : {"f64", "f32", "f16", "bf16", "f8e5m2", "f8e4m3fn", "i8", "i64", "u16"}) {
    for (const char* update : {"s + A[k]", "A[k] + s", "s - A[k]", "A[k] - s", "s * A[k]", "max(s, A[k])",
                               "min(A[k], s)", "s + A[k] * B[k]", "fma(A[k], B[k], s)", "maxnum(s, A[k])"}) {
      const bool is_float = type[0] == 'f' || type[0] == 'b';
      if (!is_float && (std::string(update).find("fma") == 0 || std::string(update).find("maxnum") == 0)) continue;
      const Program p = program(fmt::format(
          R"(program p {{ input A: {0}[600]  input B: {0}[600]  output C: {0}[3]
          var s: {0} = {1}
          for k in 0..600 {{ s = {2} }}
          C[0] = s  C[1] = {1}  C[2] = {1}
          for k in 0..600 {{ if k < 500 && A[k] > {1} {{ C[1] += A[k] }} }}
          for k in 1..600 {{ C[2] = max(C[2], A[k - 1] * B[k]) }} }})",
          type, is_float ? "1.0" : "1", update));
      for (int kind = 0; kind < 3; ++kind) {
        for (std::uint64_t seed = 0; seed < (std::getenv("ASSAY_PROPERTY_CASES") ? 1U : 4U); ++seed) {
          for (const bool marks : {false, true}) {
            interp::Options options;
            if (marks) options.reordered = {2, 5, 8, 10};
            run_both(p, interp::generate_inputs(p, {}, static_cast<interp::InputKind>(kind), seed), options);
          }
        }
      }
    }
  }
}

/// Blocks of 128 bits in every place that a value can have, and as accumulators of strips.
TEST(ExecEngines, BlocksAreValuesOfTwoHalves) {
  const Program p = program(R"(program p {
    input a: u32x4[600]  input b: u32x4[600]  input k: u32[600]
    output r: u32x4[600]  output s: u32x4[4]  output w: u32[600]  output f: f8e4m3fn[600]  output h: bf16[600]
    local t: u32x4[600]
    for i in 0..600 @vectorized {
      var c: u32x4 = k[i] < 10 ? a[i] : b[i]
      if a[i] == b[i] { c = threefry_light(c, u32x4(u32(i), k[i], 7, word(c, k[i]))) }
      r[i] = select(word(c, 1) < 2000000000, c, a[599 - i])
    }
    for i in 0..600 {
      t[i] = r[599 - i]
      w[i] = word(t[i], k[i])  f[i] = uniform_lane(f8e4m3fn, t[i], k[i])  h[i] = uniform(bf16, a[i])
    }
    var x: u32x4 = u32x4(1, 2, 3, 4)
    for i in 0..600 { x = threefry_light(x, a[i]) }
    s[0] = x
    s[1] = a[0]
    for i in 0..600 { s[1] = threefry_light(t[i], s[1]) }
    s[2] = scope y: u32x4 { y = b[0]  for i in 0..300 { if k[i] != 3 { y = threefry_crypto(y, t[i]) } } }
    zero t
    s[3] = t[599] })");
  for (int kind = 0; kind < 3; ++kind) {
    for (std::uint64_t seed = 0; seed < (std::getenv("ASSAY_PROPERTY_CASES") ? 1U : 4U); ++seed) {
      const TensorMap inputs = interp::generate_inputs(p, {}, static_cast<interp::InputKind>(kind), seed);
      const auto o = run_both(p, inputs, {});
      ASSERT_EQ(interp::Status::ok, o.status);
      // One accumulation and one lane by the functions themselves.
      const Tensor& a = inputs.at("a");
      Scalar x{Type::u32x4, 2 * (std::uint64_t{1} << 32) + 1, 4 * (std::uint64_t{1} << 32) + 3};
      numerics::Flags flags;
      for (std::int64_t i = 0; i < 600; ++i) {
        const Scalar operands[] = {x, a.get(i)};
        x = numerics::apply(Op::threefry_light, operands, flags);
      }
      RULE_TRUE("NUM-41", o.outputs.at("s").get(0) == x);
      RULE_TRUE("NUM-41", o.outputs.at("s").get(3) == (Scalar{Type::u32x4}));
      const Scalar operands[] = {o.outputs.at("r").get(0), inputs.at("k").get(599)};
      RULE_TRUE("NUM-41", o.outputs.at("w").get(599) == numerics::apply(Op::word, operands, flags));
    }
  }
}

TEST(ExecEngines, FaultsInsideStripsAreTheFirstOnes) {
  // The second statement faults in an earlier iteration than the first one, and only one of them is told.
  const auto o = generated(program(R"(program p { inout X: i32[100]  inout Y: i32[50]
    for k in 0..100 { X[k + 10] = 1  Y[k + 3] = 2 } })"));
  RULE_EQ("EXEC-36", std::string("RUN-1 statement 2 line 2 k=47 Y[50]"), describe(o));
  const auto undefined = generated(program(R"(program p { output X: i32[100]  inout Y: i32[100]
    for k in 1..100 { X[k] = 1  if k == 70 { Y[k] = X[0] } } })"));
  RULE_EQ("EXEC-36", std::string("RUN-2 statement 3 line 2 k=70 X[0]"), describe(undefined));
  const auto race = [&] {
    interp::Options options;
    options.detect_races = true;
    return generated(program(R"(program p { inout X: i32[100]
      for g in 0..2 @grid { for k in 0..50 { X[k + 30*g] = 1 } } })"),
                     options);
  }();
  RULE_EQ("EXEC-36", std::string("2 g=0 k=30 stores, 2 g=1 k=0 stores X[30]"), describe_race(race));
}

TEST(ExecEngines, BudgetsEndAtOneCount) {
  const Program p = program(R"(program p { inout X: f32[40]  output Y: f32[40]
    zero Y
    for k in 0..40 { X[k] = X[k] * 2.0  Y[k] = X[k] + scope s: f32 { s = 0.0  for j in 0..5 { s = s + X[j] } } }
    for v in 0..40 @vectorized { Y[v] = X[v] > 1.0 ? X[v] : X[39 - v] * 3.0 } })");
  interp::Options options;
  const std::uint64_t all = generated(p, options).operations;
  for (std::uint64_t budget = 0; budget <= all; budget += 1 + budget / 60) {
    options.budget = budget;
    const auto o = generated(p, options);
    RULE_EQ("EXEC-35", budget < all, o.status == interp::Status::budget);
    RULE_TRUE("EXEC-35", o.status == interp::Status::ok || (o.operations > budget && o.operations <= budget + 4000));
  }
}

TEST(ExecEngines, MarksSpreadThroughLanesAndControl) {
  const Program p = program(R"(program p { input A: f32[64]  output C: f32[1]  output D: f32[64]  inout i: i32[64]
    C[0] = 0.0
    for k in 0..64 { C[0] = C[0] + A[k] * 0.3 }
    for k in 0..64 { D[k] = 0.0 }
    for k in 0..64 { if C[0] > f32(k) { D[k] = 1.0 } }
    for v in 0..64 @vectorized { if v < 9 { if C[0] < f32(v) { i[v] = 7 } else { i[63 - v] = 8 } } }
    for k in 0..64 { D[k] = i[k] > 3 ? D[k] : A[k] } })");
  interp::Options options;
  options.reordered = {2};
  const auto o = generated(p, options);
  RULE_EQ("EXEC-34", true, o.status == interp::Status::ok);
  RULE_EQ("EXEC-34", (std::vector<bool>{true}), o.tainted.at("C"));
}

TEST(ExecEngines, TooManyLanesAreLeftToTheWalk) {
  const Program p = program(R"(program p { output C: i32[1]
    zero C
    for v in 0..2000000 @vectorized { var x: i32 = 1 } })");
  interp::Options options;
  RULE_TRUE("EXEC-37", !interp::compiled::run(p, {}, options).has_value());
  RULE_EQ("EXEC-37", true, run_both(p, {}, options).status == interp::Status::ok);
}

}  // namespace
}  // namespace assay::test
