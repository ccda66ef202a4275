// CUDA text: its form, its runs on the CPU beside the interpreter, and faults planted in it.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/device/device.hpp"
#include "device_support.hpp"
#include "fuzz/generators/random_threads.hpp"
#include "ir/text/source.hpp"
#include "random_program.hpp"
#include "support.hpp"

namespace assay::codegen::test {
namespace {

std::string cuda_text(std::string_view program) {
  const auto text = emit_cuda(parse(program));
  return text ? *text : text.error().front().code + ": " + text.error().front().message;
}

constexpr std::string_view reversed =
    "program reversed { param n in 1..64  input x: f32[3, n]  shared s: f32[64]  shared r: f32[n]  output y: f32[3, n]"
    "  for g in 0..3 @grid { for t in 0..n @workgroup {"
    "  s[t] = x[g, t]  r[t] = x[g, t] * 2.0  barrier  y[g, t] = s[n - 1 - t] * r[t] + 1.0 } } }";

TEST(Cuda, RefusesWhatItDoesNotCover) {
  const auto refused = [](std::string_view text) {
    return contains(cuda_text(text), "CUDA-1: generated CUDA does not");
  };
  for (const char* type : {"f64", "f32", "f16", "bf16", "f8e5m2", "f8e4m3fn"}) {
    for (const char* call :
         {"exp(x)", "exp2(x)", "log(x)", "log2(x)", "sin(x)", "cos(x)", "tanh(x)", "rsqrt(x)", "pow(x, x)"})
      RULE_TRUE("CUDA-6",
                !refused(fmt::format("program p {{ inout C: {}[4] for i in 0..4 {{ var x: {} = C[i]  C[i] = {} }} }}",
                                     type, type, call)));
  }
  Program nested;
  nested.name = "nested";
  nested.body = {make_loop("i", 0, 4, 1, Axis::vectorized, {make_loop("j", 0, 4, 1, Axis::grid, {})})};
  RULE_TRUE("CUDA-1", !emit_cuda(nested));
}

TEST(Cuda, HasAKernelForEachLaunch) {
  const std::string text = cuda_text(
      "program p { param n in 1..9  input A: f32[n]  temp T: f32[n]  output C: f32[n]"
      "  for i in 0..n @grid { T[i] = A[i] * A[i] }  launch  for j in 0..n @workgroup { C[j] = T[j] + 1.0 } }");
  RULE_TRUE("CUDA-2", contains(text,
                               "__global__ void assay_kernel_launch_0(const int64_t n, const float *__restrict__ "
                               "const A, float *const T)"));
  RULE_TRUE("CUDA-5", contains(text, "assay_kernel_launch_1(const int64_t n, float *const T, float *const C)"));
  RULE_TRUE("CUDA-3", contains(text, "group_0 = blockIdx.x;") && contains(text, "if (group_0 < n)"));
  RULE_TRUE("CUDA-4", contains(text, "__fmul_rn(A[i], A[i])") && contains(text, "__fadd_rn(T[j], 1.0f)"));
}

TEST(Cuda, AvoidsItsOwnWords) {
  const std::string text =
      cuda_text("program p { output C: f32[4]  for class in 0..4 { var threadIdx: f32 = 1.0  C[class] = threadIdx } }");
  RULE_TRUE("CUDA-7", contains(text, "int64_t class_ = 0") && contains(text, "float threadIdx_ = 1.0f"));
}

TEST(Cuda, IsTheSameTextForTheCpu) {
  const Program p = parse(reversed);
  std::string here = emit_device_batch({&p}, Dialect::simt).text,
              there = emit_device_batch({&p}, Dialect::cuda).device_text;
  here.erase(0, device_head(Dialect::simt).size());
  there.erase(0, device_head(Dialect::cuda).size());
  RULE_TRUE("CUDA-9", here == there && contains(here, "__syncthreads();"));
}

TEST(Cuda, AgreesWithTheInterpreterOnAllCases) {
  if (device_compiler() == nullptr) GTEST_SKIP() << "gcc is not here";
  std::vector<Program> programs;
  std::vector<std::vector<Case>> cases;
  int threads = 0;
  int number = 0;
  for (const Program& p : covered_programs()) {
    const std::string text = *emit_cuda(p);
    const bool parallel = contains(text, "threadIdx.x;") || contains(text, "blockIdx.x;");
    if (!parallel && ++number % 6 != 0) continue;  // of programs without threads a part is enough
    std::vector<Case> right = right_cases(p);
    if (right.empty()) continue;
    programs.push_back(p);
    cases.push_back(std::move(right));
    threads += contains(text, "threadIdx.x;") ? 1 : 0;
  }
  const int compared = compare_with_interpreter(programs, cases, *device_compiler());
  std::printf("%s: %zu programs, %d of them with threads, %d runs compared\n", device_compiler()->name.c_str(),
              programs.size(), threads, compared);
  EXPECT_GT(threads, 20);
  EXPECT_GT(compared, static_cast<int>(programs.size()) * 9 / 10);
}

TEST(Cuda, AgreesWithTheInterpreterOnRandomPrograms) {
  if (device_compiler() == nullptr) GTEST_SKIP() << "gcc is not here";
  std::vector<Program> programs;
  std::vector<std::vector<Case>> cases;
  int threads = 0;
  const auto take = [&](const std::string& text, std::int64_t n) {
    const auto file = parse_source(text, "random.air");
    ASSERT_TRUE(file) << text;
    const Program& p = file->programs.front();
    std::vector<Case> right = right_cases(p, {{"n", n}});
    if (right.empty() || !emit_cuda(p)) return;
    programs.push_back(p);
    cases.push_back(std::move(right));
    threads += contains(text, "@workgroup") ? 1 : 0;
  };
  interp::Random random(20261130);
  for (int k = 0; k < 3000 && threads < 40; ++k) take(fuzz::random_threads(random), 1 + k % 4);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) take(random_program(seed), 3 + static_cast<std::int64_t>(seed % 5));
  const int compared = compare_with_interpreter(programs, cases, *device_compiler());
  std::printf("%s: %zu random programs, %d of them with threads, %d runs compared\n", device_compiler()->name.c_str(),
              programs.size(), threads, compared);
  EXPECT_GT(threads, 25);
  EXPECT_GT(compared, static_cast<int>(programs.size()) * 9 / 10);
}

TEST(Cuda, FoldsSlotsBeyondTheThirdOntoZ) {
  if (device_compiler() == nullptr) GTEST_SKIP() << "gcc is not here";
  const Program p = parse(
      "program p { param n in 2..4  output C: i32[n, 3, 2, 2, 2]"
      "  for a in 0..n @grid { for b in 0..3 @grid { for c in 0..2 @grid { for d in 0..2 @grid { for e in 0..2 @grid {"
      "  C[a, b, c, d, e] = i32(a*1000 + b*100 + c*10 + d*2 + e) } } } } } }");
  const std::vector<Case> cases = right_cases(p, {{"n", 3}});
  RULE_EQ("CUDA-3", static_cast<int>(cases.size()), compare_with_interpreter({p}, {cases}, *device_compiler()));
}

TEST(Cuda, FindsPlantedFaults) {
  if (simt_compiler() == nullptr) GTEST_SKIP() << "gcc is not here";
  const Program p = parse(reversed);
  std::vector<Case> cases = right_cases(p, {{"n", 5}});
  for (Case& c : right_cases(p, {{"n", 2}})) cases.push_back(std::move(c));  // fewer threads than groups
  const std::string text = emit_device_batch({&p}, Dialect::simt).text;
  RULE_EQ("CUDA-13", std::string(), found_by(text, p, cases));
  const std::vector<std::pair<std::string, std::string>> faults{
      {"      __syncthreads();\n", ""},                                       // a barrier left out
      {"group_0 = blockIdx.x", "group_0 = blockIdx.y"},                       // another slot
      {"thread_0 = threadIdx.x", "thread_0 = threadIdx.y"},                   //
      {"thread_0 = threadIdx.x", "thread_0 = blockIdx.x"},                    // another kind of slot
      {"(assay_shared + 256)", "(assay_shared + 0)"},                         // another buffer's place
      {"if (thread_0 < n)", "if (thread_0 < n - 1)"},                         // a guard that keeps one out
      {"grid[3] = {(uint64_t)groups_0", "grid[3] = {(uint64_t)threads_0"},    // the extent of another slot
      {"block[3] = {(uint64_t)threads_0", "block[3] = {(uint64_t)groups_0"},  //
      {"s[n - t - 1]", "s[t]"},                                               // an index
      {"__fadd_rn", "__fsub_rn"},                                             // an operation
  };
  for (const auto& [right, wrong] : faults) {
    std::string changed = text;
    const std::size_t at = changed.find(right, changed.find("__global__ void assay_kernel"));
    ASSERT_NE(at, std::string::npos) << right << "\n" << text;
    changed.replace(at, right.size(), wrong);
    RULE_TRUE("CUDA-13", !found_by(changed, p, cases).empty()) << right << " -> " << wrong;
  }
}

TEST(Cuda, TellsWhatIsWrongWithTheOrderOfThreads) {
  if (simt_compiler() == nullptr) GTEST_SKIP() << "gcc is not here";
  const auto message = [](std::string_view text) {
    const Program p = parse(text);
    return compile_and_run_with(*simt_compiler(), p, {}, {}).message;
  };
  RULE_EQ("CUDA-10", std::string("threads of a group do not wait at the same barrier"),
          message("program p { output y: f32[8]  for t in 0..8 @workgroup { if t < 4 { barrier }  y[t] = 1.0 } }"));
  RULE_EQ("CUDA-10", std::string("threads of a group do not wait at the same barrier"),
          message("program p { output y: f32[8]  for t in 0..8 @workgroup {"
                  " if t < 4 { barrier  y[t] = 0.0 } else { barrier  y[t] = 1.0 } } }"));
  RULE_EQ("CUDA-11", std::string("the result depends on the order of the threads"),
          message("program p { output y: i32[1]  for t in 0..8 @workgroup { y[0] = i32(t) } }"));
  RULE_EQ("CUDA-11", std::string("the result depends on the order of the threads"),
          message("program p { output y: i32[1]  for t in 0..8 @grid { y[0] = i32(t) } }"));
  RULE_EQ("CUDA-8", std::string("a group has more threads than a device allows"),
          message("program p { output y: f32[1025]  for t in 0..1025 @workgroup { y[t] = 1.0 } }"));
  RULE_EQ("CUDA-8", std::string("a group needs more shared memory than a device has"),
          message("program p { output y: f32[2]  shared s: f32[60000]  for t in 0..2 @workgroup { s[t] = 1.0  y[t] = "
                  "s[t] } }"));
  RULE_EQ("CUDA-8", std::string("there are more groups than a device allows"),
          message("program p { output y: u8[65536]  for t in 0..65536 @grid { for u in 0..1 @grid { y[t] = 1 } } }"));
}

}  // namespace
}  // namespace assay::codegen::test
