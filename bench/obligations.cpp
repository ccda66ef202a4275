// Obligations per second on a tiled matrix product: deriving and discharging those of every step of examples/gemm.
//
// Times are processor time. Counters: `obligations_per_s`; `median_us`, the median over the steps of the time per obligation
// of a step; `query_median_us`, the median time of one question to the engine (an obligation asks none, one, or several). Both with the native prover in front of isl and without it.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <vector>

#include "bench/support.hpp"
#include "proofs/isl/query.hpp"
#include "proofs/portfolio/query.hpp"
#include "proofs/validate/validate.hpp"

namespace assay::bench {
namespace {

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
  const Examples examples = all_examples();
  if (examples.steps.empty()) return state.SkipWithError("no examples");
  const auto query = native ? make_portfolio_query() : make_isl_query();
  double total = 0;
  std::size_t obligations = 0;
  for (auto _ : state) {
    const double start = processor_microseconds();
    for (const Program& p : examples.programs) obligations += lint_obligations(p, *query).size();
    for (const Step& s : examples.steps) obligations += validate(s.before, s.after, *query).obligations.size();
    total += processor_microseconds() - start;
  }
  const auto runs = static_cast<double>(state.iterations());
  state.counters["total_ms"] = total / 1e3 / runs;
  state.counters["obligations"] = static_cast<double>(obligations) / runs;
}

/// The same by kind of obligation: each question that was asked is asked again. Counters: `KIND.count`, `KIND.median_us`,
/// `KIND.slowest_us`, of an obligation. What is decided by structure alone asks nothing and counts as 0.
void obligations_by_kind(benchmark::State& state) {
  const Examples examples = all_examples();
  if (examples.steps.empty()) return state.SkipWithError("no examples");
  const auto query = make_portfolio_query();
  std::map<std::string, std::vector<double>> times;
  const auto ask_again = [&](const std::vector<Obligation>& obligations) {
    for (const Obligation& o : obligations) {
      const double start = processor_microseconds();
      for (const Formula& question : o.questions) benchmark::DoNotOptimize(query->solve(question, {}));
      times[o.kind].push_back(o.questions.empty() ? 0 : processor_microseconds() - start);
    }
  };
  for (auto _ : state) {
    for (const Program& p : examples.programs) ask_again(lint_obligations(p, *query));
    for (const Step& s : examples.steps) ask_again(validate(s.before, s.after, *query).obligations);
  }
  for (const auto& [kind, each] : times) {
    state.counters[kind + ".count"] = static_cast<double>(each.size()) / static_cast<double>(state.iterations());
    state.counters[kind + ".median_us"] = median(each);
    state.counters[kind + ".slowest_us"] = *std::max_element(each.begin(), each.end());
  }
}

BENCHMARK(obligations_by_kind)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(obligations_of_examples, native_first, true)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(obligations_of_examples, isl_alone, false)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(obligations_of_tiled_product, native_first, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(obligations_of_tiled_product, isl_alone, false)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay::bench
