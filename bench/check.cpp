// A whole `check` of every example with its good schedule: proofs, interpretation, compiled code; without compile time.
//
// `check` compiles two programs, the first and the last. The same two are compiled again beside it, and that time is taken off.
// Counters: `total_ms`, `compile_ms`; the time of the benchmark is the difference.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "bench/measurements.hpp"
#include "bench/support.hpp"
#include "codegen/c.hpp"
#include "oracle/check.hpp"

namespace assay::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double seconds_to_compile(const Program& p, const codegen::CompilerSpec& compiler) {
  const auto start = Clock::now();
  codegen::KernelOutcome error;
  const auto kernel = codegen::compile(p, compiler, error);
  return kernel ? seconds_since(start) : 0;
}

void check_example(benchmark::State& state, const std::string& name) {
  const std::string folder = "examples/" + name + "/";
  const oracle::SourceText program_text{name + ".air", read_file(folder + name + ".air")};
  const oracle::SourceText schedule_text{"good.sched", read_file(folder + "good.sched")};
  const Program program = program_from(program_text.text);
  const Schedule schedule = schedule_from(schedule_text.text);
  const auto compilers = codegen::available_compilers();
  double total = 0;
  double compiling = 0;
  for (auto _ : state) {
    const auto start = Clock::now();
    const oracle::CheckResult result = oracle::check(program, program_text, schedule, schedule_text, {});
    total = seconds_since(start);
    if (result.report.verdict != oracle::Verdict::legal || !result.program) return state.SkipWithError("not legal");
    compiling = 0;
    for (const auto& compiler : compilers) {
      compiling += seconds_to_compile(program, compiler) + seconds_to_compile(*result.program, compiler);
    }
    state.SetIterationTime(std::max(total - compiling, 0.0));
  }
  state.counters["total_ms"] = total * 1e3;
  state.counters["compile_ms"] = compiling * 1e3;
}

}  // namespace

void register_checks() {
  for (const std::string& name : example_names()) {
    const std::string title = "check/" + name;
    benchmark::RegisterBenchmark(title.c_str(), [name](benchmark::State& state) { check_example(state, name); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond)
        ->Iterations(1);
  }
}

}  // namespace assay::bench
