// Backend `cuda` without a GPU: units of real text and real PTX, run through a driver that is a fake (fake_cuda.c) and has the same
// kernels compiled for the CPU. So what a GPU would be asked for is seen, and what becomes of the buffers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "codegen/device/device.hpp"
#include "device_support.hpp"
#include "ir/text/source.hpp"
#include "oracle/judges.hpp"
#include "proofs/validate/async.hpp"
#include "support.hpp"
#include "tests/support/files.hpp"

namespace assay::codegen::test {
namespace {

using ::testing::ExitedWithCode;

const CompilerSpec* cuda(std::string_view name = "cuda") {
  static const std::vector<CompilerSpec> here = device_compilers();
  const auto found = std::find_if(here.begin(), here.end(), [&](const CompilerSpec& c) { return c.name == name; });
  return found == here.end() ? nullptr : &*found;
}

/// The driver's world: its log, and the kernels of a program for the CPU.
class Driver {
 public:
  explicit Driver(const Program& p, const CompilerSpec& compiler = *cuda(), const CopyPieces& copies = {})
      : p_(p), compiler_(compiler), copies_(copies) {
    // The functions that call the kernels are found by name.
    std::string text = emit_device_batch({&p}, Dialect::simt, compiler.tiles, {copies}).text;
    const std::string_view hidden = "static void assay_kernel";
    for (std::size_t at; (at = text.find(hidden)) != std::string::npos;) text.erase(at, 7);
    assay::test::write_file(folder_.file("kernels.c"), text);
    built_ = std::system(fmt::format("gcc -O1 {} -w -shared -fPIC {} -o {} -lm", required_flags,
                                     folder_.file("kernels.c"), folder_.file("kernels.so"))
                             .c_str()) == 0;
  }
  bool built() const { return built_; }

  /// In a process of its own, whose worker has the fake driver: runs a case, and exits with 0 when the outputs are right, else
  /// with 1 and what the outcome says.
  [[noreturn]] void run(const Case& c, const char* failing, const char* capability = "80") const {
    ::setenv("FAKE_CUDA_CAPABILITY", capability, 1);
    ::setenv("ASSAY_CUDA_LIBRARY", ASSAY_FAKE_CUDA, 1);
    ::setenv("FAKE_CUDA_LOG", folder_.file("log").c_str(), 1);
    ::setenv("FAKE_CUDA_KERNELS", folder_.file("kernels.so").c_str(), 1);
    ::setenv("FAKE_CUDA_FAILS", failing, 1);
    std::vector<Compiled> compiled = compile_batch({&p_}, compiler_, {copies_});
    const KernelOutcome out = compiled[0].kernel
                                  ? compiled[0].kernel->run(c.parameters, c.inputs, std::chrono::seconds(20))
                                  : compiled[0].error;
    const bool right = out.status == KernelOutcome::Status::ok && same_outputs(c.expected, out.outputs);
    std::fprintf(stderr, "%s\n", right ? "right" : out.message.empty() ? "other outputs" : out.message.c_str());
    std::exit(right ? 0 : 1);
  }

  std::vector<std::string> log() const {
    std::vector<std::string> lines;
    std::ifstream file(folder_.file("log"));
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  std::vector<std::string> log(std::string_view call) const {
    std::vector<std::string> lines = log();
    std::erase_if(lines, [&](const std::string& line) {
      return line.compare(0, call.size() + 1, fmt::format("{} ", call)) != 0;
    });
    return lines;
  }

 private:
  const Program& p_;
  const CompilerSpec& compiler_;
  const CopyPieces copies_;
  assay::test::TemporaryDirectory folder_;
  bool built_ = false;
};

using Lines = std::vector<std::string>;

TEST(Driver, RunsTheLaunchesOnCopiesOfTheBuffers) {
  if (cuda() == nullptr) GTEST_SKIP() << "neither NVRTC nor nvcc is here";
  const Program p = parse(
      "program p { param n in 1..64  input x: f32[3, n]  output y: f32[3, n]  inout z: i32[4]  temp w: f32[3, n]"
      "  shared s: f32[64]  shared big: f64[7000]"
      "  for g in 0..3 @grid { for t in 0..n @workgroup { s[t] = x[g, t]  big[t] = 0.5  barrier"
      "    w[g, t] = s[n - 1 - t] * f32(big[t]) } }"
      "  launch  for g in 0..3 @grid { for t in 0..n @workgroup { y[g, t] = exp(w[g, t]) } }"
      "  launch  for j in 0..2 @workgroup { for i in 0..8 @reduce { z[j] += i32(i) } } }");
  const std::vector<Case> cases = right_cases(p, {{"n", 5}});
  ASSERT_FALSE(cases.empty());
  const Driver driver(p);
  ASSERT_TRUE(driver.built());
  EXPECT_EXIT(driver.run(cases.front(), ""), ExitedWithCode(0), "right");
  RULE_EQ("CUDA-31",
          (Lines{"cuLaunchKernel 3 1 1 x 5 1 1, 56256", "cuLaunchKernel 3 1 1 x 5 1 1, 0",
                 "cuLaunchKernel 1 1 1 x 8 2 1, 0"}),
          driver.log("cuLaunchKernel"));
  RULE_EQ("CUDA-31", Lines{"cuFuncSetAttribute 8 56256"}, driver.log("cuFuncSetAttribute"));
  RULE_EQ("CUDA-31", Lines{"cuModuleLoadData sm_80"}, driver.log("cuModuleLoadData"));
  RULE_EQ("CUDA-31", std::size_t{3}, driver.log("cuCtxSynchronize").size());
  RULE_EQ("CUDA-31", (Lines{"cuMemcpyHtoD 60", "cuMemcpyHtoD 60", "cuMemcpyHtoD 16", "cuMemcpyHtoD 60"}),
          driver.log("cuMemcpyHtoD"));
  RULE_EQ("CUDA-31", (Lines{"cuMemcpyDtoH 60", "cuMemcpyDtoH 16", "cuMemcpyDtoH 60"}), driver.log("cuMemcpyDtoH"));
  RULE_EQ("CUDA-31", std::string("cuMemFree left 0"), driver.log("cuMemFree").back());
}

TEST(Driver, RunsProgramsOfTheCases) {
  if (cuda() == nullptr) GTEST_SKIP() << "neither NVRTC nor nvcc is here";
  int number = 0, run = 0;
  for (const Program& p : covered_programs()) {
    if (emit_cuda(p)->find("threadIdx.x;") == std::string::npos || ++number % 25 != 0) continue;
    const std::vector<Case> cases = right_cases(p);
    if (cases.empty() || has_uncompared_operations(p)) continue;
    const Driver driver(p);
    ASSERT_TRUE(driver.built());
    EXPECT_EXIT(driver.run(cases.front(), ""), ExitedWithCode(0), "right") << print(p);
    RULE_TRUE("CUDA-31", !driver.log("cuLaunchKernel").empty());
    ++run;
  }
  std::printf("driver: %d programs\n", run);
  EXPECT_GT(run, 2);
}

// Matrix instructions and asynchronous copies: on a device of their generation only, whose arithmetic the model is about.
TEST(Driver, TakesTheDeviceOfTheGeneration) {
  if (cuda() == nullptr) GTEST_SKIP() << "neither NVRTC nor nvcc is here";
  const Program p = parse(
      "program p { input A: f16[16, 32]  input B: f16[32, 8]  inout C: f32[16, 8]  shared S: f16[16, 32] swizzle b128"
      "  for l in 0..32 @workgroup { for i in 0..16 { S[i, l] = A[i, l] }  barrier }"
      "  for lane in 0..32 @tile { for i in 0..16 { for j in 0..8 { for k in 0..32 {"
      "    C[i, j] += f32(S[i, k]) * f32(B[k, j]) } } } } }");
  const std::unique_ptr<Query> query = oracle::Judges{}.query(default_query_budget);
  const CopyPieces copies = proved_copies(p, *query);
  ASSERT_EQ(copies.size(), 1U);
  for (const auto& [name, capability, unit] :
       {std::tuple{"cuda-sm_80", "80", TileUnit::sm_80}, std::tuple{"cuda-sm_90", "90", TileUnit::sm_90}}) {
    ASSERT_NE(cuda(name), nullptr);
    std::vector<Case> cases = right_cases(p);
    ASSERT_FALSE(cases.empty());
    interp::Options options;
    options.tiles = unit;
    cases.front().expected = interp::run(p, cases.front().inputs, options).outputs;
    const Driver driver(p, *cuda(name), copies);
    ASSERT_TRUE(driver.built());
    EXPECT_EXIT(driver.run(cases.front(), "", capability), ExitedWithCode(0), "right");
    RULE_EQ("CUDA-32", Lines{fmt::format("cuModuleLoadData sm_{}", capability)}, driver.log("cuModuleLoadData"));
    RULE_EQ("CUDA-32", std::size_t{1}, driver.log("cuLaunchKernel").size());
    for (const char* other : {"70", "86", "89", capability[0] == '8' ? "90" : "80"})
      EXPECT_EXIT(driver.run(cases.front(), "", other), ExitedWithCode(1), "no device is of the generation") << other;
    EXPECT_EXIT(driver.run(cases.front(), "cuDeviceGetAttribute", capability), ExitedWithCode(1),
                "no device is of the generation");
    EXPECT_EXIT(driver.run(cases.front(), "cuDeviceGetCount", capability), ExitedWithCode(1), "there is no device");
  }
  RULE_TRUE("CUDA-32", !::testing::Test::HasFailure());
}

TEST(Driver, WhatFailsIsAnOutcome) {
  if (cuda() == nullptr) GTEST_SKIP() << "neither NVRTC nor nvcc is here";
  const Program p = parse(
      "program p { input x: f32[4]  output y: f32[4]  shared big: f64[7000]"
      "  for t in 0..4 @workgroup { big[t] = 2.0  y[t] = x[t] * f32(big[t]) } }");
  const std::vector<Case> cases = right_cases(p);
  ASSERT_FALSE(cases.empty());
  const Driver driver(p);
  ASSERT_TRUE(driver.built());
  for (const char* call : {"cuInit", "cuDeviceGetCount", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent"})
    EXPECT_EXIT(driver.run(cases.front(), call), ExitedWithCode(1), "there is no device") << call;
  for (const char* call : {"cuMemAlloc", "cuMemcpyHtoD", "cuModuleLoadData", "cuModuleGetFunction", "cuLaunchKernel",
                           "cuCtxSynchronize", "cuMemcpyDtoH"})
    EXPECT_EXIT(driver.run(cases.front(), call), ExitedWithCode(1), "the device reports an error") << call;
  EXPECT_EXIT(driver.run(cases.front(), "cuFuncSetAttribute"), ExitedWithCode(1),
              "more shared memory than a device has");
  RULE_TRUE("CUDA-8", !::testing::Test::HasFailure());
}

}  // namespace
}  // namespace assay::codegen::test
