// Vector code: which statements become vectors, and that their bits are those of the interpreter.
#include <fmt/format.h>

#include <array>
#include <functional>
#include <random>

#include "interp/inputs.hpp"
#include "interp/interpreter.hpp"
#include "support.hpp"

namespace assay::codegen::test {
namespace {

bool has_vectors(const std::string& body, const std::string& declarations = "") {
  const std::string text =
      c_text(parse("program p { param n in 1..9 input A: f32[9, 64] input I: i32[64] input H: f16[64] "
                   "inout C: f32[64] inout D: i32[64] local P: f32[8] " +
                   declarations + " zero P " + body + " }"));
  return text.find("vector_size") != std::string::npos;
}

TEST(Vectors, StatementsThatQualify) {
  for (const char* body : {
           "for i in 0..64 @vectorized { C[i] = C[i] + A[n, i] * 2.0 }",
           "for i in 3..n + 3 @vectorized { C[i] = -A[0, i - 3] / A[1, i + 1] }",
           "for i in 0..32 @vectorized { C[i + 1] = C[i] }",
           "for i in 0..8 @vectorized { D[i] = D[i] * I[i] - D[5] }",
           "for i in 0..64 @vectorized { C[i] = 1.0 }",
           "for i in 0..5 @vectorized { var s: f32 = 0.0  for k in 0..n { s = s + A[k, i] }  if n > 3 { C[i] = s } }",
           // Lane partials, spelled out.
           "for k in 0..8 { for l in 0..8 @vectorized { P[l] = P[l] + A[n, 8 * k + l] * A[0, 8 * k + l] } } C[0] = "
           "P[0] + P[4]",
       })
    RULE_TRUE("CGEN-36", has_vectors(body)) << body;
}

TEST(Vectors, StatementsThatDoNot) {
  for (const char* body : {
           "for i in 0..32 @vectorized { C[2 * i] = A[0, i] }",
           "for i in 0..32 @vectorized { C[i] = A[0, 2 * i] }",
           "for i in 0..32 @vectorized { C[i] = A[0, 63 - i] }",
           "for i in 0..9 @vectorized { C[i] = A[i, i] }",
           "for i in 0..9 @vectorized { C[i] = A[i, 0] }",
           "for i in 0..32 step 2 @vectorized { C[i] = A[0, i] }",
           "for i in 0..32 @vectorized { if i < n { C[i] = A[0, i] } }",
           "for i in 0..32 @vectorized { C[i] = max(A[0, i], 1.0) }",
           "for i in 0..32 @vectorized { C[i] = f32(I[i]) }",
           "for i in 0..32 @vectorized { C[i] = f32(i) }",
           "for i in 0..32 @vectorized { D[i] = floordiv(I[i], 3) }",
           "for i in 0..32 @vectorized { C[floormod(i, 4)] = 1.0 }",
           "for i in 0..1 @vectorized { C[i] = A[0, i] }",
           "for i in 0..32 @vectorized { C[i] = scope x: f32 { x = 1.0  for k in 0..2 { x = x + 1.0 } } }",
           "for i in 0..4 @vectorized { for j in 0..4 @vectorized { C[4 * i + j] = A[i, j] } }",
           "for i in 0..32 { C[i] = A[0, i] }",
       })
    RULE_TRUE("CGEN-36", !has_vectors(body)) << body;
  RULE_TRUE("CGEN-36", !has_vectors("for i in 0..32 @vectorized { E[i] = H[i] + H[i] }", "output E: f16[64] zero E"));
  RULE_TRUE("CGEN-36", !has_vectors("for i in 0..4 @vectorized { E[E[0, 5], i] = 1 }", "inout E: i32[4, 8]"));
  const auto tcc =
      emit_c(parse("program p { inout C: f32[8] for i in 0..8 @vectorized { C[i] = C[i] + 1.0 } }"), Dialect::tcc);
  RULE_TRUE("CGEN-25", tcc && tcc->find("vector_size") == std::string::npos);
}

/// A program of statements most of which qualify.
std::string random_vector_program(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); };
  const std::array types{"f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"};
  const std::array extents{1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 32, 33, 40};
  const std::string t = types[static_cast<std::size_t>(below(types.size()))];
  const bool real = t[0] == 'f';
  std::string s = fmt::format(
      "program v {{ param n in 1..41 input A: {0}[48] input B: {0}[3, 48] inout C: {0}[48] inout E: {0}[2, 48] local "
      "P: {0}[40]\n"
      "zero P\n",
      t);
  for (int loop = 0; loop < 2; ++loop) {
    const std::string i = fmt::format("i{}", loop),
                      extent = below(3) == 0 ? "n"
                                             : std::to_string(extents[static_cast<std::size_t>(below(extents.size()))]);
    const std::string lo = below(3) == 0 ? "2" : "0", hi = lo == "0" ? extent : extent + " + 2";
    const std::string literal = real ? "0.75" : "3";
    const std::string k = fmt::format("k{}", loop), x = fmt::format("x{}", loop);
    const auto at = [&] { return fmt::format("{} + {}", i, below(4)); };
    const std::function<std::string(int)> value = [&](int depth) -> std::string {
      if (depth > 0 && below(4) > 0) {
        const std::string a = value(depth - 1);
        if (below(6) == 0 && a != literal) return "(-" + a + ")";
        const std::array operators{"+", "-", "*", "/"};
        return fmt::format("({} {} {})", a, operators[static_cast<std::size_t>(below(real ? 4 : 3))], value(depth - 1));
      }
      switch (below(9)) {
        case 0: return literal;
        case 1: return "A[" + at() + "]";
        case 2: return fmt::format("B[{}, {}]", below(2) == 0 ? k : "1", at());
        case 3: return "C[" + i + "]";
        case 4: return "C[" + at() + "]";
        case 5: return "C[7]";
        case 6: return x;
        case 7: return "E[1, " + at() + "]";
        default: return fmt::format("P[{} - {}]", i, lo);
      }
    };
    s += fmt::format("for {} in {}..{} @vectorized {{ var {}: {} = ", i, lo, hi, x, t);
    std::string first = value(1);
    while (first.find(x) != std::string::npos || first.find(k) != std::string::npos) first = value(1);
    s += first + "\n  for " + k + " in 0..3 {\n";
    for (int line = 0; line < 2; ++line) {
      const std::array targets{x,
                               "C[" + i + "]",
                               "C[" + at() + "]",
                               "E[0, " + at() + "]",
                               fmt::format("P[{} - {}]", i, lo),
                               "E[1, " + i + "]"};
      s += "    " + targets[static_cast<std::size_t>(below(targets.size()))] + " = " + value(3) + "\n";
    }
    s += "  }\n  if n > 20 { C[" + i + "] = " + fmt::format("{} + {}", x, x) + " }\n}\n";
  }
  return s + "for l in 0..40 { E[0, l] = P[l] } }";
}

TEST(Vectors, AgreeWithTheInterpreter) {
  std::vector<CompilerSpec> compilers;
  if (const CompilerSpec* gcc = find_compiler("c")) compilers.push_back(*gcc);
  if (const CompilerSpec* clang = find_compiler("clang")) compilers.push_back(*clang);
  for (CompilerSpec& level : compiler_levels()) {
    if (level.name.ends_with("-v3")) compilers.push_back(std::move(level));
  }
  if (compilers.empty()) GTEST_SKIP() << "neither gcc nor clang is here";
  std::vector<Program> programs;
  std::vector<ParameterMap> parameters;
  std::vector<TensorMap> inputs, expected;
  std::vector<std::size_t> about;
  int qualify = 0;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    programs.push_back(parse(random_vector_program(seed)));
    qualify += c_text(programs.back()).find("vector_size") != std::string::npos ? 1 : 0;
    for (const auto kind : {interp::InputKind::exact, interp::InputKind::special}) {
      interp::Options options;
      options.parameters = {{"n", 1 + static_cast<std::int64_t>(seed * 7 % 40)}};
      TensorMap given = interp::generate_inputs(programs.back(), options.parameters, kind, seed);
      interp::Outcome outcome = interp::run(programs.back(), given, options);
      if (outcome.status != interp::Status::ok) continue;
      parameters.push_back(options.parameters);
      inputs.push_back(std::move(given));
      expected.push_back(std::move(outcome.outputs));
      about.push_back(programs.size() - 1);
    }
  }
  EXPECT_GT(qualify, 12);
  EXPECT_GT(about.size(), std::size_t{20});
  std::vector<const Program*> pointers;
  for (const Program& p : programs) pointers.push_back(&p);
  for (const CompilerSpec& compiler : compilers) {
    const std::vector<Compiled> compiled = compile_batch(pointers, compiler);
    std::vector<KernelRun> runs;
    for (std::size_t r = 0; r < about.size(); ++r) {
      ASSERT_TRUE(compiled[about[r]].kernel) << compiled[about[r]].error.message;
      runs.push_back({compiled[about[r]].kernel.get(), &parameters[r], &inputs[r]});
    }
    const std::vector<KernelOutcome> outcomes = run_batch(runs, std::chrono::seconds(20));
    for (std::size_t r = 0; r < runs.size(); ++r) {
      ASSERT_EQ(outcomes[r].status, KernelOutcome::Status::ok) << outcomes[r].message;
      RULE_TRUE("CGEN-37", same_outputs(expected[r], outcomes[r].outputs)) << compiler.name << "\n"
                                                                           << random_vector_program(about[r] + 1);
    }
  }
}

TEST(Vectors, NothingBeyondTheLanesIsTouched) {
  // Buffers that end at an inaccessible page; a store that is one lane too wide would also overwrite what follows.
  for (const int lanes : {2, 3, 7, 8, 9, 15, 16, 17}) {
    const Program p = parse(fmt::format(
        "program p {{ param n in 1..99 input A: f32[{0}] inout C: f32[{0}] inout D: f32[{0}]\n"
        "for i in 0..{0} @vectorized {{ C[i] = C[i] + A[i] }} for i in 0..n @vectorized {{ D[i] = A[i] }} }}",
        lanes));
    std::vector<double> ones(static_cast<std::size_t>(lanes), 1.0), twos(static_cast<std::size_t>(lanes), 2.0);
    const KernelOutcome out = compile_and_run(
        p, {{"n", lanes - 1}},
        {{"A", tensor(Type::f32, ones)}, {"C", tensor(Type::f32, ones)}, {"D", tensor(Type::f32, twos)}});
    ASSERT_EQ(out.status, KernelOutcome::Status::ok) << out.message;
    RULE_EQ("CGEN-37", twos, numbers(out.outputs.at("C")));
    RULE_EQ("CGEN-37", 2.0, numbers(out.outputs.at("D")).back());
  }
}

}  // namespace
}  // namespace assay::codegen::test
