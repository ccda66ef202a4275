// Whole schedules proved, as `assay apply` proves them: every example with its good schedule, from the parsed texts to the last
// obligation, without an execution. Counters: `steps` (lines of the schedule), `total_ms` (processor time).
#include <benchmark/benchmark.h>

#include <string>

#include "bench/measurements.hpp"
#include "bench/support.hpp"
#include "oracle/check.hpp"

namespace assay::bench {
namespace {

void prove_pipeline(benchmark::State& state, const std::string& name) {
  const std::string folder = "examples/" + name + "/";
  const oracle::SourceText program_text{name + ".air", read_file(folder + name + ".air")};
  const oracle::SourceText schedule_text{"good.sched", read_file(folder + "good.sched")};
  const Program program = program_from(program_text.text);
  const Schedule schedule = schedule_from(schedule_text.text);
  oracle::CheckOptions options;
  options.execute = false;
  double taken = 0;
  for (auto _ : state) {
    const double start = processor_microseconds();
    const oracle::CheckResult result = oracle::check(program, program_text, schedule, schedule_text, options);
    taken += processor_microseconds() - start;
    if (result.report.verdict != oracle::Verdict::legal) return state.SkipWithError("not legal");
  }
  state.counters["steps"] = static_cast<double>(schedule.lines.size());
  state.counters["total_ms"] = taken / 1e3 / static_cast<double>(state.iterations());
}

}  // namespace

void register_pipelines() {
  for (const std::string& name : example_names()) {
    const std::string title = "pipeline/" + name;
    benchmark::RegisterBenchmark(title.c_str(), [name](benchmark::State& state) {
      prove_pipeline(state, name);
    })->Unit(benchmark::kMillisecond);
  }
}

}  // namespace assay::bench
