// Every compiler and level: the same bits, and what each of them is known to get wrong.
#include <fmt/format.h>

#include "codegen/c/unit.hpp"
#include "codegen/worker/process.hpp"
#include "ir/literal.hpp"
#include "support.hpp"

namespace assay::codegen::test {
namespace {

using Status = KernelOutcome::Status;
using std::chrono::milliseconds;

std::vector<CompilerSpec> every_compiler() {
  std::vector<CompilerSpec> all = available_compilers();
  for (CompilerSpec& level : compiler_levels()) all.push_back(std::move(level));
  return all;
}

TEST(Compilers, LevelsHaveNames) {
  for (const CompilerSpec& c : every_compiler()) {
    EXPECT_NE(find_command(c.command) || c.dialect == Dialect::tcc, false) << c.name;
  }
  const auto levels = compiler_levels();
  if (find_compiler("c") == nullptr) GTEST_SKIP() << "gcc is not here";
  RULE_TRUE("CGEN-26", std::any_of(levels.begin(), levels.end(), [](const auto& c) { return c.name == "c-O3"; }));
}

TEST(Compilers, NothingIsContracted) {
  // (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24 exactly, and 0 when the product is rounded first; likewise at f64.
  const Program p = parse(R"(program p { input A: f32[3] input B: f64[3] output C: f32[16] output D: f64[1]
    for i in 0..16 @vectorized { C[i] = A[0] * A[1] + A[2] }
    D[0] = B[0] * B[1] + B[2] })");
  const TensorMap inputs{
      {"A", tensor_of_bits(Type::f32, {0x3F800800, 0x3F800800, 0xBF801000})},
      {"B", tensor_of_bits(Type::f64, {0x3FF0000002000000, 0x3FF0000002000000, 0xBFF0000004000000})}};
  for (const CompilerSpec& c : every_compiler()) {
    const KernelOutcome out = compile_and_run_with(c, p, {}, inputs);
    ASSERT_EQ(out.status, Status::ok) << c.name << " " << out.message;
    RULE_EQ("CGEN-27", std::vector<double>(16, 0.0), numbers(out.outputs.at("C")));
    RULE_EQ("CGEN-27", std::vector<double>{0.0}, numbers(out.outputs.at("D")));
  }
}

TEST(Compilers, ConstantArithmeticIsRoundedOnce) {
  // 1 + 2^-53 + 2^-63: above the tie. In long double it is a tie first, which goes to even.
  const Program p = parse(R"(program p { output C: f64[6] output D: f32[2]
    C[0] = 1.0 + 0x1.002p-53
    C[1] = 0x1.002p-53 + 1.0
    C[2] = (1.0 + 0x1.002p-53) * 1.0
    C[3] = -1.0 - 0x1.002p-53
    C[4] = f64(3) / 7.0
    C[5] = f64(f32(0.1)) * 0.1
    D[0] = f32(1.0) + f32(0x1.002p-24)
    D[1] = f32(f64(1.0) + 0x1.002p-53) })");
  const std::vector<double> expected{0x1.0000000000001p0,  0x1.0000000000001p0, 0x1.0000000000001p0,
                                     -0x1.0000000000001p0, 3.0 / 7.0,           static_cast<double>(0.1F) * 0.1};
  for (const CompilerSpec& c : every_compiler()) {
    const KernelOutcome out = compile_and_run_with(c, p, {}, {});
    ASSERT_EQ(out.status, Status::ok) << c.name << " " << out.message;
    RULE_EQ("CGEN-28", expected, numbers(out.outputs.at("C")));
    RULE_EQ("CGEN-28", (std::vector<double>{0x1.000002p0, 1.0}), numbers(out.outputs.at("D")));
  }
}

TEST(Compilers, AComparisonWaitsForAScope) {
  const Program p =
      parse(R"(program p { param n in 1..9 output C: i64[2] output D: i32[2] inout B: i8[1] output E: u64[1]
    const K: f32[3] = {inf, -inf, nan}  output F: f32[3]
    C[0] = select(n < 0 || floormod(n, 2) == 0, scope x: i64 { x = 5  for k in 2..4 { x = x  if floormod(k, 2) == 0 { x = 8 } } }, 77)
    D[0] = i32((n < 3) == (scope y: bool { y = n < 2  for k in 0..3 { if k == n { y = true } } }))
    D[1] = i32(n < 0) + (scope z: i32 { z = 0  for k in 0..n { z = z + 2 } })
    C[1] = 1
    E[0] = u64(u16(B[0]))
    for i in 0..3 { F[i] = K[i] } })");
  for (const CompilerSpec& c : every_compiler()) {
    const KernelOutcome out = compile_and_run_with(c, p, {{"n", 3}}, {{"B", tensor(Type::i8, {-13})}});
    ASSERT_EQ(out.status, Status::ok) << c.name << " " << out.message;
    RULE_EQ("CGEN-28", (std::vector<double>{77, 1}), numbers(out.outputs.at("C")));
    RULE_EQ("CGEN-28", (std::vector<double>{1, 6}), numbers(out.outputs.at("D")));
    RULE_EQ("CGEN-28", std::vector<double>{65523}, numbers(out.outputs.at("E")));
    RULE_TRUE("CGEN-28", same_value(out.outputs.at("F").get(1), infinity(Type::f32, true)));
  }
}

TEST(Compilers, TextForTccStandsAlone) {
  const Program p =
      parse("program p { input A: f32[4] output C: f32[4] for i in 0..4 @vectorized { C[i] = exp(A[i]) } }");
  const auto text = emit_c(p, Dialect::tcc);
  ASSERT_TRUE(text);
  RULE_TRUE("CGEN-25",
            !contains(*text, "#include") && !contains(*text, "vector_size") && !contains(*text, "__float128"));
  const auto refused = emit_c(
      parse("program p { input A: f32[4] output C: f32[4] for i in 0..4 { C[i] = pow(A[i], 2.0) } }"), Dialect::tcc);
  ASSERT_FALSE(refused);
  RULE_EQ("CGEN-25", std::string("tcc has no __float128, which `pow` at f32 needs"), refused.error().front().message);
}

TEST(Batches, EachHasTheOutcomeThatItWouldHaveAlone) {
  std::vector<Program> programs;
  for (int n = 0; n < 9; ++n) {
    programs.push_back(parse(
        fmt::format("program p{0} {{ input A: f32[3] output C: f32[3] for i in 0..3 {{ C[i] = A[i] + {0}.0 }} }}", n)));
  }
  programs[2] = parse("program p { output C: f32[4] for i in 0..4 @workgroup { C[i] = 1.0 } }");
  programs[6] = parse("program p { output C: f32[4] for i in 0..4 @workgroup { C[i] = 1.0 } }");
  // A name that the headers of the test below make a macro: this program alone does not compile.
  programs[4] = parse(
      "program p { input A: f32[3] output C: f32[3] for i in 0..3 { var not_for_c: f32 = A[i]  C[i] = not_for_c } }");
  std::vector<const Program*> pointers;
  for (const Program& p : programs) pointers.push_back(&p);
  const TensorMap inputs{{"A", tensor(Type::f32, {1, 2, 3})}};
  const ParameterMap none;
  for (CompilerSpec compiler : available_compilers()) {
    const bool macro = compiler.dialect == Dialect::gnu;
    if (macro) compiler.flags += " -Dnot_for_c=%";
    const std::vector<Compiled> compiled = compile_batch(pointers, compiler);
    for (std::size_t i = 0; i < programs.size(); ++i) {
      const bool refused = i == 2 || i == 6, broken = macro && i == 4;
      RULE_EQ("CGEN-29", !refused && !broken, compiled[i].kernel != nullptr);
      RULE_EQ("CGEN-29",
              refused  ? Status::unavailable
              : broken ? Status::compile_error
                       : Status::ok,
              compiled[i].error.status);
      if (!compiled[i].kernel) continue;
      const KernelOutcome out = compiled[i].kernel->run(none, inputs, milliseconds(5000));
      ASSERT_EQ(out.status, Status::ok) << out.message;
      RULE_EQ("CGEN-29", i == 4 ? 1.0 : 1.0 + static_cast<double>(i), numbers(out.outputs.at("C")).front());
    }
  }
}

TEST(Batches, ARunThatCrashesOrHangsLeavesTheOthers) {
  const Program p = parse(R"(program p { param n in 0..2000000000 input A: i32[2] output C: i32[1]
    C[0] = A[n] })");
  const Program q = parse(R"(program q { inout C: u64[1] for i in 0..1000000000000 { C[0] = C[0] * C[0] + u64(i) } })");
  const TensorMap inputs{{"A", tensor(Type::i32, {7, 9})}}, start{{"C", tensor(Type::u64, {3})}};
  const std::vector<ParameterMap> parameters{{{"n", 0}}, {{"n", 1999999999}}, {{"n", 1}}, {}};
  for (const CompilerSpec& compiler : available_compilers()) {
    const std::vector<Compiled> compiled = compile_batch({&p, &q}, compiler);
    ASSERT_TRUE(compiled[0].kernel && compiled[1].kernel) << compiled[0].error.message;
    Kernel* const first = compiled[0].kernel.get();
    Kernel* const endless = compiled[1].kernel.get();
    const std::vector<KernelOutcome> out = run_batch({{first, &parameters[0], &inputs},
                                                      {first, &parameters[1], &inputs},
                                                      {endless, &parameters[3], &start},
                                                      {first, &parameters[3], &inputs},
                                                      {first, &parameters[2], &inputs}},
                                                     milliseconds(300));
    RULE_EQ("CGEN-30", (std::vector{Status::ok, Status::crashed, Status::timed_out, Status::environment, Status::ok}),
            (std::vector{out[0].status, out[1].status, out[2].status, out[3].status, out[4].status}));
    RULE_EQ("CGEN-30", std::vector<double>{9}, numbers(out[4].outputs.at("C")));
  }
}

TEST(Worker, MemoryHasALimit) {
  // Lane arrays of 6 GiB; the pages of the heap are what the limit counts.
  const Program p = parse(
      "program p { param n in 1..2000000000 output C: f32[1] zero C for i in 0..n @vectorized { var x: f64 = 1.0 "
      "if i == 0 { C[0] = f32(x) } } }");
  KernelOutcome error;
  const auto kernel = compile(p, available_compilers().front(), error);
  ASSERT_TRUE(kernel) << error.message;
  RULE_TRUE("CGEN-31", kernel->run({{"n", 1000}}, {}, milliseconds(5000)).status == Status::ok);
  const KernelOutcome out = kernel->run({{"n", 800000000}}, {}, milliseconds(20000));
  RULE_TRUE("CGEN-31", out.status == Status::crashed && out.message == "SIGABRT") << out.message;
}

}  // namespace
}  // namespace assay::codegen::test
