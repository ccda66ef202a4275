// CUDA text by nvcc, without a GPU: no warning, PTX that rounds as it says, machine code for two generations.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "codegen/device/device.hpp"
#include "codegen/worker/build.hpp"
#include "codegen/worker/cuda.hpp"
#include "device_support.hpp"
#include "nvcc_support.hpp"
#include "support.hpp"
#include "tests/support/files.hpp"

namespace assay::codegen::test {
namespace {
using assay::test::TemporaryDirectory;
using assay::test::write_file;

int count(const std::string& text, std::string_view part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(Nvcc, CompilesTheProgramsOfAllCases) {
  if (nvcc().empty()) GTEST_SKIP() << "nvcc is not here: CUDA text is compiled by gcc only";
  // What has threads or a function of its own, and some of the rest: nvcc takes its time.
  std::vector<const Program*> programs;
  int number = 0;
  for (const Program& p : covered_programs()) {
    const std::string text = *emit_cuda(p);
    const bool parallel =
        text.find("threadIdx.x;") != std::string::npos || text.find("blockIdx.x;") != std::string::npos;
    if (parallel || ++number % 12 == 0) programs.push_back(&p);
  }
  const int step = program_step();
  int place = 0;
  std::erase_if(programs, [&](const Program*) { return place++ % step != 0; });
  const std::string text = emit_device_batch(programs, Dialect::cuda).device_text;
  const TemporaryDirectory directory;
  write_file(directory.file("unit.cu"), text);
  RULE_EQ("CUDA-15", std::string(), compiled(directory, "-ptx -arch=compute_80 -o unit.ptx"));
  const std::string ptx = content(directory.file("unit.ptx"));
  std::printf("nvcc: %zu programs, %zu bytes of PTX\n", programs.size(), ptx.size());
  RULE_TRUE("CUDA-4", count(ptx, "mul.rn.f32") > 10 / step && count(ptx, ".approx") == 0 && count(ptx, ".ftz") == 0);
  for (const char* arch : {"80", "90"}) {
    RULE_EQ("CUDA-15", std::string(),
            compiled(directory, fmt::format("-cubin -gencode arch=compute_{0},code=sm_{0} -o unit.cubin", arch)));
  }
}

// A variable of one launch is named in another, where it has no value.
TEST(Nvcc, CompilesVariablesOfSeveralLaunches) {
  if (nvcc().empty()) GTEST_SKIP() << "nvcc is not here";
  const Program p = parse(
      "program p { input X: f32[6]  output Y: f32[6]  var v: f32 = X[0]  var w: u32x4 = u32x4(1, 2, 3, 4)  launch  "
      "for j in 0..6 @grid { Y[j] = v }  launch  v = X[1]  for j in 0..6 @grid { Y[j] = v + uniform_lane(f32, w, "
      "u32(j)) } }");
  const TemporaryDirectory directory;
  write_file(directory.file("unit.cu"), *emit_cuda(p));
  RULE_EQ("CUDA-15", std::string(), compiled(directory, "-ptx -arch=compute_80 -o unit.ptx"));
}

TEST(Nvcc, ContractsNothing) {
  if (nvcc().empty()) GTEST_SKIP() << "nvcc is not here";
  const Program plain = parse(
      "program p { input A: f32[4]  input B: f64[4]  input H: f16[4]  output C: f32[4]  output D: f64[4]  output E: "
      "f16[4]"
      "  for i in 0..4 @grid { C[i] = A[i] * A[i] + A[i]  D[i] = B[i] * B[i] - B[i]  E[i] = fma(H[i], H[i], H[i]) } }");
  const Program fused = parse("program p { inout C: f32[4]  for i in 0..4 @grid { C[i] = fma(C[i], C[i], C[i]) } }");
  const auto fusions = [](const Program& p) {
    const TemporaryDirectory directory;
    write_file(directory.file("unit.cu"), *emit_cuda(p));
    RULE_EQ("CUDA-15", std::string(), compiled(directory, "-ptx -arch=compute_90 -o unit.ptx"));
    return count(content(directory.file("unit.ptx")), "fma.rn");
  };
  RULE_EQ("CUDA-4", 0, fusions(plain));
  RULE_EQ("CUDA-4", 1, fusions(fused));
}

TEST(Nvrtc, CompilesTheSameTextToTheSameKernels) {
  if (!find_nvrtc()) GTEST_SKIP() << "NVRTC is not here: CUDA text is compiled by nvcc, or by gcc only";
  const int step = program_step();
  std::vector<const Program*> programs;
  for (const Program& p : covered_programs()) {
    if (programs.size() < 60U / static_cast<unsigned>(step) && emit_cuda(p)->find("threadIdx.x;") != std::string::npos)
      programs.push_back(&p);
  }
  const Program functions = parse(
      "program p { inout A: f32[4]  inout B: f16[4]  inout D: f64[4]  inout E: f8e4m3fn[4]  for i in 0..4 @grid {"
      "  A[i] = pow(sin(A[i]), cos(A[i])) + exp2(log(A[i]))  B[i] = tanh(B[i]) * B[i]  D[i] = exp(D[i]) * D[i] + D[i]"
      "  E[i] = pow(E[i], E[i]) } }");
  programs.push_back(&functions);
  const std::string text = emit_device_batch(programs, Dialect::cuda).device_text;
  const Built built = build_image(text);
  ASSERT_TRUE(built.object) << built.error.message;
  const std::string ptx = content_of(built.object.get()).value_or("");
  RULE_TRUE("CUDA-30", ptx.find(".target sm_80") != std::string::npos) << ptx.substr(0, 400);
  RULE_EQ("CUDA-30", count(text, "__global__ void assay_kernel_"), count(ptx, ".visible .entry assay_kernel_"));
  RULE_TRUE("CUDA-4", count(ptx, "mul.rn.f64") > 10 / step && count(ptx, ".approx") == 0 && count(ptx, ".ftz") == 0);
  RULE_TRUE("CUDA-30", build_image("this is no CUDA").error.status == KernelOutcome::Status::compile_error);
}

TEST(Nvrtc, MakesMachineCodeToo) {
  if (!find_nvrtc()) GTEST_SKIP() << "NVRTC is not here";
  const Program p = parse("program p { inout C: f32[4]  for i in 0..4 @grid { C[i] = exp(C[i]) } }");
  const std::string text = emit_device_batch({&p}, Dialect::cuda).device_text;
  for (const char* arch : {"sm_80", "sm_90"}) {
    ::setenv("ASSAY_CUDA_ARCHITECTURE", arch, 1);
    const Built built = build_image(text);
    ::unsetenv("ASSAY_CUDA_ARCHITECTURE");
    ASSERT_TRUE(built.object) << built.error.message;
    const std::string code = content_of(built.object.get()).value_or("");
    RULE_TRUE("CUDA-30", code.compare(0, 4, "\177ELF") == 0 && code.find("assay_kernel_0_0") != std::string::npos);
    // The image is the same bytes in the unit.
    const std::string unit = image_text(code) +
                             "#include <stdio.h>\nint main(void) { return fwrite(assay_image, 1, sizeof "
                             "assay_image - 1, stdout) == 0; }\n";
    const TemporaryDirectory directory;
    write_file(directory.file("image.c"), unit);
    const std::string command = fmt::format("gcc {0}/image.c -o {0}/image && {0}/image > {0}/bytes", directory.path());
    RULE_TRUE("CUDA-30", std::system(command.c_str()) == 0 && content(directory.file("bytes")) == code);
  }
}

TEST(Nvrtc, WithoutItNvccMakesTheImage) {
  if (nvcc().empty()) GTEST_SKIP() << "nvcc is not here";
  const Program p = parse("program p { inout C: f32[4]  for i in 0..4 @grid { C[i] = exp(C[i]) } }");
  const std::string text = emit_device_batch({&p}, Dialect::cuda).device_text;
  ::setenv("ASSAY_NVRTC", "off", 1);
  const Built built = build_image(text);
  ::unsetenv("ASSAY_NVRTC");
  ASSERT_TRUE(built.object) << built.error.message;
  const std::string ptx = content_of(built.object.get()).value_or("");
  RULE_TRUE("CUDA-30", ptx.find(".target sm_80") != std::string::npos && count(ptx, ".entry assay_kernel_0_0") == 1);
}

TEST(Nvcc, WithoutADeviceTheRunSaysSo) {
  const auto here = device_compilers();
  const auto cuda =
      std::find_if(here.begin(), here.end(), [](const CompilerSpec& c) { return c.dialect == Dialect::cuda; });
  if (cuda == here.end()) GTEST_SKIP() << "neither NVRTC nor nvcc is here";
  const KernelOutcome out =
      compile_and_run_with(*cuda, parse("program p { output C: f32[4]  for i in 0..4 @grid { C[i] = 1.0 } }"), {}, {});
  const bool none = out.status == KernelOutcome::Status::unavailable && out.message == "there is no device";
  RULE_TRUE("CUDA-8", none || out.status == KernelOutcome::Status::ok) << out.message;
}

}  // namespace
}  // namespace assay::codegen::test
