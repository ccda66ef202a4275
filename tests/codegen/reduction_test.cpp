// Collective `@reduce` loops in CUDA and OpenCL text: which way they take, their bits, and faults planted in the exchange.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "codegen/device/device.hpp"
#include "device_support.hpp"
#include "interp/random.hpp"
#include "ir/text/source.hpp"
#include "support.hpp"

namespace assay::codegen::test {
namespace {

std::string cuda_text(std::string_view program) {
  const auto text = emit_cuda(parse(program));
  return text ? *text : text.error().front().code + ": " + text.error().front().message;
}

TEST(Reductions, TakeShufflesWithinAWarpAndMemoryElsewhere) {
  const auto sum = [](int rows, int lanes, std::string_view type, std::string_view update, std::string_view condition) {
    return cuda_text(
        fmt::format("program p {{ input A: {2}[{0}, {1}]  inout C: {2}[{0}]  for t in 0..{0} @workgroup {{ {4} "
                    "for k in 0..{1} @reduce {{ C[t] {3} A[t, k] }} {5} }} }}",
                    rows, lanes, type, update, condition, condition.empty() ? "" : "}"));
  };
  for (const int lanes : {2, 4, 8, 16, 32}) {
    const std::string text = sum(3, lanes, "f32", "+=", "");
    RULE_TRUE("CUDA-21", contains(text, "__shfl_sync(") && !contains(text, "__syncthreads")) << lanes;
    RULE_TRUE("CUDA-21", contains(sum(3, lanes, "f32", "+=", "if A[t, 0] > 0.0 {"), "__shfl_sync(")) << lanes;
    RULE_TRUE("CUDA-21", contains(sum(3, lanes, "f32", "max=", ""), "__shfl_xor_sync(")) << lanes;
    RULE_TRUE("CUDA-21", contains(sum(3, lanes, "i32", "+=", ""), "__shfl_xor_sync(")) << lanes;
  }
  RULE_TRUE("CUDA-21", !contains(sum(3, 1, "f32", "+=", ""), "__shfl"));
  for (const int lanes : {3, 24, 33, 64}) {
    const std::string text = sum(3, lanes, "f32", "+=", "");
    RULE_TRUE("CUDA-22", contains(text, "__syncthreads") && !contains(text, "__shfl")) << lanes;
    RULE_TRUE("CUDA-22", contains(text, "(uint64_t)(0) + 17 * block[0] * block[1] * block[2]")) << text;
    // Not all threads come: only within one warp.
    for (const int rows : {1, 3, 40}) {
      const bool one_warp = rows * lanes <= 32;
      for (const char* condition : {"if t < 2 {", "if A[t, 0] > 0.0 {"}) {
        const std::string some = sum(rows, lanes, "f32", "+=", condition);
        RULE_TRUE("CUDA-25", one_warp ? contains(some, "__shfl_sync(") && !contains(some, "__syncthreads")
                                      : contains(some, "CUDA-1: "))
            << some;
        const std::string pairwise = sum(rows, lanes, "i32", "+=", rows == 1 ? "if A[t, 0] > 0 {" : "if t < 2 {");
        RULE_TRUE("CUDA-25", !contains(pairwise, "__shfl_xor_sync")) << pairwise;
        RULE_TRUE("CUDA-1", one_warp != contains(pairwise, "CUDA-1: ")) << pairwise;
      }
    }
    RULE_TRUE("CUDA-22", contains(sum(3, lanes, "f32", "+=", "if A[0, 1] > 0.0 {"), "__syncthreads")) << lanes;
  }
  // A slot with more threads than a loop around has iterations; a number of threads that parameters choose.
  const std::string_view sibling =
      "program p { input A: f32[3, 24]  inout C: f32[3]  output D: f32[4]  for t in 0..3 @workgroup {"
      " for k in 0..24 @reduce { C[t] += A[t, k] } } for u in 0..4 @workgroup { for w in 0..1 @workgroup { D[u] = 1.0 "
      "} } }";
  RULE_TRUE("CUDA-22", contains(cuda_text(sibling), "CUDA-1: "));
  const std::string_view chosen =
      "program p { param n in 1..40  param m in 1..3  input A: f32[m, n]  inout C: f32[m]  for t in 0..m @workgroup {"
      " for k in 0..n @reduce { C[t] += A[t, k] } } }";
  RULE_TRUE("CUDA-22", contains(cuda_text(chosen), "__syncthreads"));
}

TEST(Reductions, OfAnyWidthInOneWarp) {
  if (device_compiler() == nullptr) GTEST_SKIP() << "gcc is not here";
  std::vector<Program> programs;
  std::vector<std::vector<Case>> cases;
  const char* const updates[] = {"C[t, u] += A[t, u, k]", "C[t, u] = C[t, u] * A[t, u, k]", "C[t, u] max= A[t, u, k]",
                                 "if A[t, u, k] > 0 { C[t, u] += A[t, u, k] }",
                                 "for j in 0..2 { C[t, u] += A[t, u, k] }"};
  for (const int lanes : {3, 5, 6, 7, 10, 13, 31}) {
    for (const char* const update : updates) {
      for (const char* const type : {"i16", "f32", "f64"}) {
        const int rows = 32 / lanes;
        std::string changed = update;
        if (type[0] == 'f' && changed.find("> 0") != std::string::npos)
          changed.replace(changed.find("> 0"), 3, "> 0.0");
        programs.push_back(parse(fmt::format(
            "program p {{ input A: {0}[{1}, 1, {2}]  inout C: {0}[{1}, 1]  for u in 0..1 @workgroup {{ for t in 0..{1} "
            "@workgroup {{ if floormod(t, 2) == {3} {{ for k in 0..{2} @reduce {{ {4} }} }} }} }} }}",
            type, rows, lanes, rows == 1 ? 0 : 1, changed)));
        const std::string text = *emit_cuda(programs.back());
        // With one row all threads come, which only the condition's value says.
        RULE_TRUE("CUDA-25", contains(text, "const int first_lane = ") && !contains(text, "__syncthreads")) << text;
        cases.push_back(right_cases(programs.back()));
        EXPECT_FALSE(cases.back().empty());
      }
    }
  }
  const int compared = compare_with_interpreter(programs, cases, *device_compiler());
  std::printf("%s: %d runs of %zu reductions within one warp compared\n", device_compiler()->name.c_str(), compared,
              programs.size());
  RULE_TRUE("CUDA-25", compared > 100);
}

/// One random loop over threads, in one of many surroundings.
std::string random_reduction(interp::Random& random) {
  const auto one_of = [&](const auto& list) { return list[random.below(std::size(list))]; };
  static constexpr std::array types{"f64", "f32", "f16", "bf16", "f8e5m2", "f8e4m3fn", "i8",
                                    "i16", "i32", "i64", "u8",   "u16",    "u32",      "u64"};
  static constexpr std::array lanes{1, 2, 3, 4, 7, 8, 16, 24, 32, 33, 50};
  const std::string type = one_of(types);
  const int many = one_of(lanes), rows = 1 + static_cast<int>(random.below(4)),
            inner = static_cast<int>(random.below(4));
  const int lo = static_cast<int>(random.below(3)), step = 1 + static_cast<int>(random.below(2));
  const bool parametric = random.below(5) == 0, is_real = type[0] == 'f' || type[0] == 'b';
  std::string body;
  switch (random.below(is_real ? 6 : 5)) {
    case 0: body = "C[t] += A[t, k, j]"; break;
    case 1: body = "C[t] = A[t, k, j] * C[t]"; break;
    case 2: body = "C[t] max= A[t, k, j]"; break;
    case 3: body = "C[t] min= A[t, k, j]"; break;
    case 4: body = "C[t] = C[t] + A[t, k, j] * B[t]"; break;
    default: body = "C[t] = fma(A[t, k, j], B[t], C[t])";
  }
  // Conditions inside; sometimes C has no row for what they leave out.
  int cells = rows;
  switch (random.below(5)) {
    case 0: body = fmt::format("if A[t, k, j] > {}(1) {{ {} }}", type, body); break;
    case 1: body = fmt::format("if floormod(k + t, 2) == 0 {{ {} }}", body); break;
    case 2:
      body = fmt::format("if t < {} {{ {} }}", rows - 1, body);
      cells = std::max(rows - 1, 1);
      break;
    default: break;
  }
  const std::string bounds = inner == 0 ? "" : inner == 1 ? "0..floormod(k, 3)" : fmt::format("0..{}", inner);
  if (inner != 0) body = fmt::format("for j in {} {{ {} }}", bounds, body);
  if (inner == 0) {
    for (std::size_t at; (at = body.find(", j]")) != std::string::npos;) body.replace(at, 4, ", 0]");
  }
  const int extent = lo + many * step;
  const std::string end = parametric ? "n" : fmt::format("{}", extent - (step - 1));
  std::string loop = fmt::format("for k in {}..{} step {} @reduce {{ {} }}", lo, end, step, body);
  switch (random.below(6)) {
    case 0: loop = fmt::format("if t < {} {{ {} }}", rows - 1, loop); break;
    case 1: loop = fmt::format("for r in 0..2 {{ {} }}", loop); break;
    case 2: loop = fmt::format("if B[0] > {}(0) {{ {} }}", type, loop); break;
    default: break;
  }
  const bool threads = random.below(4) != 0;
  std::string text = fmt::format(
      "program p {{ param n in 1..40  input A: {0}[{1}, {2}, 3]  input B: {0}[{1}]  inout C: {0}[{3}]  output D: "
      "i32[40]"
      "  for t in 0..{1} @{4} {{ {5} }}",
      type, rows, std::max(extent, 40), cells, threads ? "workgroup" : "grid", loop);
  if (random.below(3) == 0) {
    text += fmt::format(" for u in 0..{} @workgroup {{ D[u] = 7 }}", 1 + random.below(40));
    text.replace(text.find("output D"), 8, "inout D");
  } else {
    text.erase(text.find("output D: i32[40]"), 17);
  }
  return text + " }";
}

struct Drawn {
  std::vector<Program> programs{};
  std::vector<std::vector<Case>> cases{};
};
/// Random programs that have no fault and no race and that a dialect covers, `refused` counting the others.
Drawn draw(std::uint64_t seed, std::size_t count, bool opencl, int& refused) {
  Drawn out;
  interp::Random random(seed);
  while (out.programs.size() < count) {
    const auto file = parse_source(random_reduction(random), "random.air");
    EXPECT_TRUE(file.has_value()) << (file ? "" : file.error().front().message);
    if (!file) break;
    const Program& p = file->programs.front();
    const auto n = static_cast<std::int64_t>(1 + random.below(39));
    if (!(opencl ? emit_opencl(p) : emit_cuda(p))) {
      ++refused;
      continue;
    }
    std::vector<Case> right = right_cases(p, {{"n", n}});
    if (right.empty()) continue;
    out.programs.push_back(p);
    out.cases.push_back(std::move(right));
  }
  return out;
}

TEST(Reductions, HaveTheBitsOfTheSerialLoop) {
  if (device_compiler() == nullptr) GTEST_SKIP() << "gcc is not here";
  int refused = 0, shuffled = 0;
  const bool on_gpu = device_compiler()->dialect == Dialect::cuda;  // where each run is slow to begin
  const Drawn drawn = draw(5, on_gpu ? 80 : 240, false, refused);
  for (const Program& p : drawn.programs) shuffled += contains(*emit_cuda(p), "__shfl") ? 1 : 0;
  const int compared = compare_with_interpreter(drawn.programs, drawn.cases, *device_compiler());
  std::printf("%s: %zu random reductions (%d by shuffles, %d more refused), %d runs compared\n",
              device_compiler()->name.c_str(), drawn.programs.size(), shuffled, refused, compared);
  RULE_TRUE("CUDA-20", compared >= (on_gpu ? 70 : 400) && !::testing::Test::HasFailure());
  EXPECT_GT(shuffled, 15);
  EXPECT_LT(shuffled, 180);
}

TEST(Reductions, HaveThemInTheSimulatorToo) {
  const auto here = device_compilers();
  const auto oclgrind =
      std::find_if(here.begin(), here.end(), [](const CompilerSpec& c) { return c.dialect == Dialect::oclgrind; });
  if (oclgrind == here.end()) GTEST_SKIP() << "oclgrind or gcc is not here";
  int refused = 0;
  const Drawn drawn = draw(6, 14, true, refused);
  for (std::size_t i = 0; i < drawn.programs.size(); ++i) {
    const Case& c = drawn.cases[i].front();
    const KernelOutcome out = compile_and_run_with(*oclgrind, drawn.programs[i], c.parameters, c.inputs);
    RULE_TRUE("OCL-11", out.status == KernelOutcome::Status::ok && same_outputs(c.expected, out.outputs))
        << out.message << "\n"
        << print(drawn.programs[i]);
  }
}

TEST(Reductions, FaultsInTheExchangeAreFound) {
  if (simt_compiler() == nullptr) GTEST_SKIP() << "gcc is not here";
  struct Planted {
    std::string_view program;
    std::vector<std::pair<std::string, std::string>> faults;
  };
  const std::string_view ordered =
      "program p { input A: f32[3, 8]  inout C: f32[3]  for t in 0..3 @workgroup { for k in 0..8 @reduce {"
      " if A[t, k] > 0.0 { C[t] *= A[t, k] } } } }";
  const std::string_view pairwise =
      "program p { input A: i32[3, 8]  inout C: i32[3]  for t in 0..3 @workgroup { for k in 0..8 @reduce {"
      " C[t] += A[t, k] } } }";
  const std::string_view gathered =
      "program p { input A: f32[3, 12]  inout C: f32[3]  for r in 0..2 { for t in 0..3 @workgroup { for k in 0..12 "
      "@reduce {"
      " C[t] += A[t, k] } } } }";
  const std::string_view handed =
      "program p { input A: f32[3, 12, 2]  inout C: f32[3]  for t in 0..3 @workgroup { for k in 0..12 @reduce {"
      " for j in 0..2 { C[t] += A[t, k, j] } } } }";
  const std::string_view from_anywhere =
      "program p { input A: f32[3, 10]  inout C: f32[3]  for t in 0..3 @workgroup { if t < 2 { for k in 0..10 @reduce {"
      " C[t] += A[t, k] } } } }";
  const std::vector<Planted> all{
      {from_anywhere,
       {{"first_lane + (int)turn", "(int)turn"},   // another team, which is no part of the mask
        {"0x3ffu << first_lane", "0x3ffu << 10"},  // its mask
        {"0x3ffu <<", "0x1ffu <<"},                // a lane less
        {"turn < 10", "turn < 9"}}},
      {ordered,
       {{"0xffu << ", "0xffu << 8 + "},                                              // another team
        {"__shfl_sync(team, term, (int)turn, 8)", "__shfl_sync(team, term, 0, 8)"},  // another lane
        {"if (adds) {", "{"},                                                        // what no thread contributes
        {"turn < 8", "turn < 7"},                                                    // a lane left out
        {"if (thread_0 == 0", "if (thread_0 == 1"}}},                                // the wrong thread stores
      {pairwise,
       {{"distance = 4", "distance = 2"},                  // half of the lanes
        {"partial, distance, 8)", "partial, 1, 8)"},       // a lane twice
        {"if (thread_0 < 8) {", "if (thread_0 < 7) {"}}},  // a lane left out
      {gathered,
       {{"      __syncthreads();\n        if", "        if"},  // before the terms are there
        {"terms[me] = term", "terms[0] = term"},               // all at one place
        {"me + turn", "turn"}}},                               // the terms of another team
      {handed,
       {{"me - thread_0", "me"},                          // a sum for each thread
        {"turn_2 < (int64_t)blockDim.x", "turn_2 < 11"},  // the last one left out
        {"        terms[first] = partial", "        terms[first + 1] = partial"}}}};
  for (const Planted& planted : all) {
    const Program p = parse(planted.program);
    const std::string text = emit_device_batch({&p}, Dialect::simt).text;
    RULE_EQ("CUDA-20", std::string(), found_by(text, p, right_cases(p)));
    for (const auto& [right, wrong] : planted.faults) {
      std::string changed = text;
      const std::size_t at = changed.find(right, changed.find("__global__ void"));
      EXPECT_NE(at, std::string::npos) << right << "\n" << text;
      if (at == std::string::npos) continue;
      changed.replace(at, right.size(), wrong);
      RULE_TRUE("CUDA-13", !found_by(changed, p, right_cases(p)).empty()) << right << " -> " << wrong;
    }
  }
}

TEST(Reductions, TouchTheCellOnlyWhereThereIsATerm) {
  if (device_compiler() == nullptr) GTEST_SKIP() << "gcc is not here";
  // C has a row for two of four: a touch of the others is a crash (CGEN-22) or a change of what lies behind.
  for (const int lanes : {8, 12}) {
    const Program p =
        parse(fmt::format("program p {{ input A: f32[4, {0}]  inout C: f32[2]  for t in 0..4 @workgroup {{"
                          " for k in 0..{0} @reduce {{ if t < 2 {{ C[t] += A[t, k] }} }} }} }}",
                          lanes));
    const std::vector<Case> cases = right_cases(p);
    EXPECT_FALSE(cases.empty());
    RULE_EQ("CUDA-23", static_cast<int>(cases.size()), compare_with_interpreter({p}, {cases}, *device_compiler()));
  }
}

TEST(Reductions, LanesThatDoNotMeetEndTheRun) {
  if (simt_compiler() == nullptr) GTEST_SKIP() << "gcc is not here";
  const Program p = parse("program p { input A: i32[32]  inout C: i32[1]  for k in 0..32 @reduce { C[0] += A[k] } }");
  const std::string text = emit_device_batch({&p}, Dialect::simt).text;
  const auto with_first_line = [&](const std::string& line) {
    std::string changed = text;
    const std::string_view before = "      int32_t partial = 0;\n";
    const std::size_t at =
        changed.find(before) == std::string::npos ? changed.find("    int32_t partial = 0;\n") : changed.find(before);
    EXPECT_NE(at, std::string::npos) << text;
    if (at != std::string::npos) changed.insert(at, line + "\n");
    return found_by(changed, p, right_cases(p));
  };
  RULE_EQ("CUDA-24", std::string(), with_first_line("__syncwarp(0xffffffffu);"));
  RULE_EQ("CUDA-24", std::string("threads of a group do not wait at the same barrier"),
          with_first_line("if (thread_0 < 31) __syncwarp(0xffffffffu);"));
  RULE_EQ("CUDA-24", std::string("threads of a group do not wait at the same barrier"),
          with_first_line("if (thread_0 < 16) {\n__syncwarp(0xffffffffu);\n} else {\n__syncwarp(0xffffffffu);\n}"));
  RULE_EQ("CUDA-24", std::string("threads of a group do not wait at the same barrier"),
          with_first_line("if (thread_0 == 3) return;"));
  RULE_EQ("CUDA-24", std::string("SIGABRT"), with_first_line("__syncwarp(0xffffu);"));
  RULE_EQ("CUDA-24", std::string("SIGABRT"),
          with_first_line("if (thread_0 < 16) { int x = 1; x = __shfl_sync(0xffffu, x, 20, 32); }"));
  // Halves of a warp that meet apart do not disturb one another.
  RULE_EQ("CUDA-24", std::string(),
          with_first_line("if (thread_0 < 16) {\n__syncwarp(0xffffu);\n} else {\n__syncwarp(0xffff0000u);\n}"));
}

}  // namespace
}  // namespace assay::codegen::test
