// OpenCL text: its form, and its runs by PoCL and Oclgrind beside the interpreter. Both are slow to begin: few programs.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/device/device.hpp"
#include "codegen/worker/process.hpp"
#include "device_support.hpp"
#include "fuzz/generators/random_threads.hpp"
#include "ir/text/source.hpp"
#include "support.hpp"

namespace assay::codegen::test {
namespace {

std::string opencl_text(std::string_view program) {
  const auto text = emit_opencl(parse(program));
  return text ? *text : text.error().front().code + ": " + text.error().front().message;
}

const CompilerSpec* find_backend(Dialect dialect) {
  static const std::vector<CompilerSpec> here = device_compilers();
  const auto found =
      std::find_if(here.begin(), here.end(), [&](const CompilerSpec& c) { return c.dialect == dialect; });
  return found == here.end() ? nullptr : &*found;
}

constexpr std::string_view reversed =
    "program reversed { param n in 1..64  input x: f32[3, n]  output y: f32[3, n]  shared s: f32[64]  shared r: f32[n]"
    "  const k: f32[2] = {1.0, 3.0}  for g in 0..3 @grid { for t in 0..n @workgroup {"
    "  s[t] = x[g, t]  r[t] = x[g, t] * 2.0  barrier  y[g, t] = s[n - 1 - t] * r[t] + k[1] } } }";

TEST(OpenCl, IsTheSameKernelsInOtherWords) {
  const std::string text = opencl_text(reversed);
  RULE_TRUE("OCL-2", contains(text,
                              "__kernel void assay_kernel_launch_0(const int64_t n, __global const float *restrict "
                              "const x, __global float *const y, __local ulong2 *const assay_memory)"));
  RULE_TRUE("OCL-2", contains(text, "__local uint8_t *const assay_shared = (__local uint8_t *)assay_memory;"));
  RULE_TRUE("OCL-2", contains(text, "group_0 = (int64_t)get_group_id(0);"));
  RULE_TRUE("OCL-3", contains(text, "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"));
  RULE_TRUE("OCL-4", contains(text, "FP_CONTRACT OFF") && contains(text, "-cl-fp32-correctly-rounded-divide-sqrt"));
  RULE_TRUE("OCL-5", contains(opencl_text("program p { output C: f32[4]  for kernel in 0..4 { C[kernel] = 1.0 } }"),
                              "int64_t kernel_ = 0"));
}

TEST(OpenCl, RefusesWhatItDoesNotCover) {
  const auto refused = [](std::string_view text) {
    return contains(opencl_text(text), "OCL-1: generated OpenCL does not");
  };
  RULE_TRUE("OCL-1",
            refused("program p { param n in 1..9  local q: f32[n]  output C: f32[1]  q[0] = 1.0  C[0] = q[0] }"));
  RULE_TRUE("OCL-1", refused("program p { inout C: f32[3] input A: f32[4]  for t in 0..4 @workgroup { if t < 3 {"
                             " for i in 0..4 @reduce { C[t] += A[i] } } } }"));
  RULE_TRUE("OCL-11", !refused("program p { inout C: f32[3] input A: f32[4]  for t in 0..3 @workgroup {"
                               " for i in 0..4 @reduce { C[t] += A[i] } } }"));
  RULE_TRUE("OCL-11", !refused("program p { inout C: f32[3] input A: f32[1]  for t in 0..4 @workgroup { if t < 3 {"
                               " for i in 0..1 @reduce { C[t] += A[i] } } } }"));
  const auto with_loop = [](std::string_view bounds) {
    return fmt::format(
        "program p {{ output y: f32[4]  for t in 0..4 @workgroup {{ y[t] = 0.0  for k in {} {{"
        " if k < 2 {{ barrier }} }} }} }}",
        bounds);
  };
  RULE_TRUE("OCL-12", refused(with_loop("0..t + 2")) && !refused(with_loop("0..2")) && !refused(with_loop("t..t + 2")));
  RULE_TRUE("OCL-6", !refused("program p { inout C: f32[4] for i in 0..4 { C[i] = exp(C[i]) } }"));
  RULE_TRUE("OCL-6", !refused("program p { inout C: f16[4] for i in 0..4 { C[i] = pow(C[i], C[i]) } }"));
}

/// Runs each program on one input, in a unit of its own. Returns how many agree.
int compare(const std::vector<Program>& programs, const ParameterMap& given, const CompilerSpec& compiler) {
  int compared = 0;
  for (const Program& p : programs) {
    if (!emit_opencl(p) || has_uncompared_operations(p)) continue;
    const std::vector<Case> cases = given.empty() ? right_cases(p) : right_cases(p, given);
    if (cases.empty()) continue;
    const Case& c = cases[cases.size() / 2];
    const KernelOutcome out = compile_and_run_with(compiler, p, c.parameters, c.inputs);
    const bool agrees = out.status == KernelOutcome::Status::ok && same_outputs(c.expected, out.outputs);
    RULE_TRUE("OCL-7", agrees) << compiler.name << ": " << out.message << "\n" << print(p);
    compared += agrees ? 1 : 0;
  }
  return compared;
}

/// Programs of the cases with threads, each `step`-th.
std::vector<Program> with_threads(int step) {
  std::vector<Program> out;
  int number = 0;
  for (const Program& p : covered_programs()) {
    if (contains(*emit_cuda(p), "threadIdx.x;") && number++ % step == 0) out.push_back(p);
  }
  return out;
}

std::vector<Program> random_programs(int count) {
  std::vector<Program> out;
  interp::Random random(7);
  while (static_cast<int>(out.size()) < count) {
    const auto file = parse_source(fuzz::random_threads(random), "random.air");
    if (file && !right_cases(file->programs.front(), {{"n", 3}}).empty()) out.push_back(file->programs.front());
  }
  return out;
}

TEST(OpenCl, AgreesInTheSimulator) {
  const CompilerSpec* oclgrind = find_backend(Dialect::oclgrind);
  if (oclgrind == nullptr) GTEST_SKIP() << "oclgrind or gcc is not here";
  const int step = program_step();
  const int cases = compare(with_threads(2 * step), {}, *oclgrind),
            random = compare(random_programs(step == 1 ? 12 : 2), {{"n", 3}}, *oclgrind);
  std::printf("oclgrind: %d programs of the cases and %d random ones agree\n", cases, random);
  EXPECT_GT(cases, step == 1 ? 12 : 1);
  EXPECT_GT(random, step == 1 ? 8 : 0);
}

TEST(OpenCl, AgreesOnAPlatform) {
  const CompilerSpec* opencl = find_backend(Dialect::opencl);
  if (opencl == nullptr) GTEST_SKIP() << "no OpenCL platform, or no gcc, is here";
  const int step = program_step();
  std::vector<Program> programs = with_threads(9 * step);
  programs.push_back(
      parse("program numbers { input A: f16[64]  input B: f32[64]  input D: f64[64]  output C: f16[64]  output E: "
            "f32[64]  output F: f64[64]"
            "  output I: i32[64]  output R: u32x4[64]  for g in 0..8 @grid { for t in 0..8 @workgroup {"
            "  C[8*g + t] = exp(A[8*g + t]) + A[8*g + t]  E[8*g + t] = B[8*g + t] * B[8*g + t] + B[8*g + t] / 3.0"
            "  F[8*g + t] = sqrt(abs(D[8*g + t])) * 0.1  I[8*g + t] = floormod(i32(B[8*g + t]), 7)"
            "  R[8*g + t] = threefry_light(u32x4(1, 2, 3, 4), u32x4(u32(g), u32(t), 0, 0)) } } }"));
  const int compared = compare(programs, {}, *opencl);
  std::printf("opencl: %d programs agree\n", compared);
  EXPECT_GT(compared, step == 1 ? 3 : 0);
}

/// In a process of its own, whose worker has the fake platform: prints what the outcome says.
[[noreturn]] void run_on_fake(const Program& p, const CompilerSpec& compiler, const char* lacking) {
  ::setenv("ASSAY_OPENCL_LIBRARY", ASSAY_FAKE_OPENCL, 1);
  ::setenv("FAKE_OPENCL_LACKS", lacking, 1);
  const KernelOutcome out = compile_and_run_with(compiler, p, {}, {{"x", tensor(Type::f32, {1, 2, 3, 4, 5, 6, 7, 8})}});
  std::fprintf(stderr, "%s%s\n", out.status == KernelOutcome::Status::unavailable ? "left out: " : "",
               out.message.c_str());
  std::exit(0);
}

TEST(OpenCl, DevicesThatDoNotDoAreLeftOut) {
  if (find_command("gcc") == std::nullopt) GTEST_SKIP() << "gcc is not here";
  const CompilerSpec opencl{"opencl", "gcc", "-O1", Dialect::opencl};
  const Program p = parse(
      "program p { input x: f32[8]  output y: f32[8]  shared s: f32[8]"
      "  for t in 0..8 @workgroup { s[t] = x[t]  barrier  y[t] = s[7 - t] } }");
  for (const auto& [lacking, message] :
       {std::pair{"device", "left out: there is no device"},
        {"f64", "left out: the device has no f64"},
        {"subnormals", "left out: the device does not compute f32 as IEEE 754 says"},
        {"division", "left out: the device does not compute f32 as IEEE 754 says"},
        {"threads", "left out: a group has more threads than a device allows"},
        {"local", "left out: a group needs more shared memory than a device has"},
        {"nothing", "^the platform's compiler of OpenCL does not take the kernels"}})  // it builds nothing
    EXPECT_EXIT(run_on_fake(p, opencl, lacking), ::testing::ExitedWithCode(0), message) << lacking;
  RULE_TRUE("OCL-10", !::testing::Test::HasFailure());
}

TEST(OpenCl, TheSimulatorFindsRacesAndDivergence) {
  const CompilerSpec* oclgrind = find_backend(Dialect::oclgrind);
  if (oclgrind == nullptr) GTEST_SKIP() << "oclgrind or gcc is not here";
  const auto message = [&](std::string_view text) {
    const Program p = parse(text);
    return compile_and_run_with(*oclgrind, p, {}, {{"x", tensor(Type::f32, {1, 2, 3, 4, 5, 6, 7, 8})}}).message;
  };
  const std::string reported = "Oclgrind reports a race, a divergence or an access out of bounds";
  RULE_EQ("OCL-9", reported,
          message("program p { input x: f32[8]  output y: f32[8]  shared s: f32[8]"
                  "  for t in 0..8 @workgroup { s[t] = x[t]  y[t] = s[7 - t] } }"));
  RULE_EQ("OCL-9", reported,
          message("program p { input x: f32[8]  output y: f32[8]"
                  "  for t in 0..8 @workgroup { if t < 4 { barrier }  y[t] = x[t] } }"));
  RULE_EQ("OCL-8", std::string(),
          message("program p { input x: f32[8]  output y: f32[8]  shared s: f32[8]"
                  "  for t in 0..8 @workgroup { s[t] = x[t]  barrier  y[t] = s[7 - t] } }"));
  RULE_EQ("OCL-10", std::string("a group needs more shared memory than a device has"),
          message("program p { input x: f32[8]  output y: f32[2]  shared s: f32[60000]"
                  "  for t in 0..2 @workgroup { s[t] = x[t]  y[t] = s[t] } }"));
}

}  // namespace
}  // namespace assay::codegen::test
