// How often a right step is refused: random affine programs and random steps whose obligations are left undecided though no
// enumeration of instances and no run shows a difference. Counters: `judged`, `needless`.
#include <benchmark/benchmark.h>

#include "fuzz/targets/flow_property.hpp"
#include "fuzz/targets/rewrite_property.hpp"
#include "fuzz/targets/step_property.hpp"

namespace assay::bench {
namespace {

void report(benchmark::State& state, int judged, int needless, bool failed) {
  if (failed) return state.SkipWithError("a judge contradicts a proof");
  state.counters["judged"] = judged;
  state.counters["needless"] = needless;
}

int sum(const std::map<std::string, int>& counts) {
  int n = 0;
  for (const auto& [what, count] : counts) n += count;
  return n;
}

void steps(benchmark::State& state) {
  fuzz::StepPropertyResult r;
  for (auto _ : state) r = fuzz::check_steps({.pairs = 3000});
  report(state, r.pairs, sum(r.needless), !r.failures.empty());
}
void programs(benchmark::State& state) {
  fuzz::StepPropertyResult r;
  for (auto _ : state) r = fuzz::check_steps({.pairs = 3000});
  report(state, r.linted, sum(r.needless_lint), !r.failures.empty());
}
template <char schema>
void moves(benchmark::State& state) {
  fuzz::FlowPropertyResult r;
  for (auto _ : state) r = fuzz::check_flow_steps({.pairs = 400, .schema = schema});
  report(state, r.pairs, r.needless, !r.failures.empty());
}
void rewrites(benchmark::State& state) {
  fuzz::RewritePropertyResult r;
  for (auto _ : state) r = fuzz::check_rewriting_steps({.pairs = 400});
  report(state, r.pairs, r.needless, !r.failures.empty());
}

BENCHMARK(steps)->Name("needless/steps that reorder")->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(programs)->Name("needless/programs by themselves")->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(moves<'F'>)->Name("needless/steps that move values")->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(moves<'A'>)->Name("needless/steps on accumulations")->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(rewrites)->Name("needless/rewrites of expressions")->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace assay::bench
