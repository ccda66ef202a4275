// Small kernels a second: emitted, compiled and run once, in batches, each run in a process of its own.
//
// The kernels are matrix products with an epilogue, 4 x 4, all different, so that no compiler can merge them. Time is wall
// time; the cache is off. Counters: `kernels_per_s`.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "bench/support.hpp"
#include "codegen/c.hpp"
#include "interp/inputs.hpp"

namespace assay::bench {
namespace {

std::vector<Program> small_kernels(int count) {
  std::vector<Program> programs;
  for (int n = 0; n < count; ++n) {
    programs.push_back(program_from(fmt::format(R"(
program small {{
  input A: f32[4, 4]  input B: f32[4, 4]  inout C: f32[4, 4]
  for i in 0..4 {{ for j in 0..4 {{
    for k in 0..4 {{ C[i, j] = C[i, j] + A[i, k] * B[k, j] }}
    C[i, j] = max(C[i, j] + {}.5, 0.0)
  }} }}
}}
)",
                                                n)));
  }
  return programs;
}

void small_kernels_by(benchmark::State& state, const std::string& name, int count) {
  ::setenv("ASSAY_CACHE", "off", 1);
  auto compilers = codegen::available_compilers();
  for (auto& level : codegen::compiler_levels()) compilers.push_back(std::move(level));
  const auto compiler = std::find_if(compilers.begin(), compilers.end(), [&](const auto& c) { return c.name == name; });
  if (compiler == compilers.end()) return state.SkipWithError((name + " is not here").c_str());
  const std::vector<Program> programs = small_kernels(count);
  std::vector<const Program*> pointers;
  for (const Program& p : programs) pointers.push_back(&p);
  const ParameterMap none;
  const TensorMap inputs = interp::generate_inputs(programs.front(), none, interp::InputKind::exact, 1);
  for (auto _ : state) {
    const auto compiled = codegen::compile_batch(pointers, *compiler);
    std::vector<codegen::KernelRun> runs;
    for (const auto& c : compiled) {
      if (!c.kernel) return state.SkipWithError(c.error.message.c_str());
      runs.push_back({c.kernel.get(), &none, &inputs});
    }
    for (const auto& outcome : codegen::run_batch(runs, std::chrono::seconds(10))) {
      if (outcome.status != codegen::KernelOutcome::Status::ok) return state.SkipWithError(outcome.message.c_str());
    }
  }
  state.counters["kernels_per_s"] = benchmark::Counter(count, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK_CAPTURE(small_kernels_by, tcc, "tcc", 500)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(small_kernels_by, gcc_O2, "c", 100)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(small_kernels_by, gcc_O0, "c-O0", 100)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(small_kernels_by, clang_O2, "clang", 100)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay::bench
