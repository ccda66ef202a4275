// Obligations per second on a tiled matrix product: deriving and discharging those of every step of examples/gemm.
//
// Times are processor time. Counters: `obligations_per_s`; `median_us`, the median over the steps of the time per obligation
// of a step; `query_median_us`, the median time of one question to the engine (an obligation asks none, one, or several). Both with the native prover in front of isl and without it.
#include <benchmark/benchmark.h>

#include <time.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "bench/support.hpp"
#include "proofs/isl/query.hpp"
#include "proofs/portfolio/query.hpp"
#include "proofs/validate/validate.hpp"
#include "transforms/operation.hpp"

namespace assay::bench {
namespace {

/// Processor time of this thread: proofs run in one, and a busy machine does not slow it.
double processor_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// An engine whose answers are timed.
class TimedQuery final : public Query {
 public:
  explicit TimedQuery(std::unique_ptr<Query> engine) : engine_(std::move(engine)) {}
  Answer solve(const Formula& f, const std::vector<Symbol>& minimise_first) override {
    const double start = processor_microseconds();
    Answer answer = engine_->solve(f, minimise_first);
    times_.push_back(processor_microseconds() - start);
    return answer;
  }
  const std::vector<double>& times() const { return times_; }

 private:
  std::unique_ptr<Query> engine_;
  std::vector<double> times_;
};

struct Step {
  Program before, after;
};

/// Every step of the schedule, each guard folding a step of its own, as `check` has them.
std::vector<Step> steps_of(Program p, const Schedule& schedule) {
  std::vector<Step> steps;
  const auto query = make_isl_query();
  for (const auto& line : schedule.lines) {
    const Program numbered = number_statements(p);
    auto rewritten = apply_line(numbered, line, *query);
    if (!rewritten) return {};
    steps.push_back({numbered, rewritten->program});
    const Program unfolded = number_statements(rewritten->program);
    Rewrite folded = fold_guards(unfolded, *query);
    steps.push_back({unfolded, folded.program});
    p = std::move(folded.program);
  }
  return steps;
}

/// With the native prover in front of isl, or isl alone.
void obligations_of_tiled_product(benchmark::State& state, bool native) {
  const auto steps =
      steps_of(program_from(read_file("examples/gemm/gemm.air")), schedule_from(read_file("examples/gemm/good.sched")));
  if (steps.empty()) return state.SkipWithError("a step does not apply");
  std::vector<double> per_obligation;
  TimedQuery query(native ? make_portfolio_query() : make_isl_query());
  std::size_t obligations = 0;
  std::size_t open = 0;
  for (auto _ : state) {
    for (const auto& step : steps) {
      const double start = processor_microseconds();
      const Validation v = validate(step.before, step.after, query);
      const double taken = processor_microseconds() - start;
      if (v.obligations.empty()) continue;
      per_obligation.push_back(taken / static_cast<double>(v.obligations.size()));
      obligations += v.obligations.size();
      for (const auto& o : v.obligations) open += o.status != Obligation::Status::proved;
    }
  }
  if (open > 0) return state.SkipWithError("an obligation of the good schedule was not proved");
  state.counters["obligations_per_s"] =
      benchmark::Counter(static_cast<double>(obligations), benchmark::Counter::kIsRate);
  state.counters["median_us"] = median(per_obligation);
  state.counters["query_median_us"] = median(query.times());
}
/// All proofs of all examples: the obligations of each program by itself and of every step that applies, right and wrong
/// schedules alike. Counter `total_ms`.
void obligations_of_examples(benchmark::State& state, bool native) {
  namespace fs = std::filesystem;
  std::vector<Program> programs;
  std::vector<Step> steps;
  for (const auto& folder : fs::directory_iterator(fs::path(ASSAY_SOURCE_DIR) / "examples")) {
    const fs::path text = folder.path() / (folder.path().filename().string() + ".air");
    if (!fs::exists(text)) continue;
    programs.push_back(number_statements(program_from(read_file(fs::relative(text, ASSAY_SOURCE_DIR).string()))));
    for (const auto& file : fs::directory_iterator(folder.path())) {
      if (file.path().extension() != ".sched") continue;
      const std::string schedule = read_file(fs::relative(file.path(), ASSAY_SOURCE_DIR).string());
      for (Step& s : steps_of(programs.back(), schedule_from(schedule))) steps.push_back(std::move(s));
    }
  }
  if (programs.empty() || steps.empty()) return state.SkipWithError("no examples");
  const auto query = native ? make_portfolio_query() : make_isl_query();
  double total = 0;
  std::size_t obligations = 0;
  for (auto _ : state) {
    const double start = processor_microseconds();
    for (const Program& p : programs) obligations += lint_obligations(p, *query).size();
    for (const Step& s : steps) obligations += validate(s.before, s.after, *query).obligations.size();
    total += processor_microseconds() - start;
  }
  const auto runs = static_cast<double>(state.iterations());
  state.counters["total_ms"] = total / 1e3 / runs;
  state.counters["obligations"] = static_cast<double>(obligations) / runs;
}

BENCHMARK_CAPTURE(obligations_of_examples, native_first, true)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(obligations_of_examples, isl_alone, false)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(obligations_of_tiled_product, native_first, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(obligations_of_tiled_product, isl_alone, false)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay::bench
