// Threads: what they cost the proofs and the race detector.
//
// `threads/lint/N`: one staged kernel linted with N threads in a group (proofs and runs); `threads/prove/N`: its proofs alone.
// `threads/phases/N`: a group that passes N barriers in a row, linted; `threads/loop_phases/N`: the same within a serial loop;
// `threads/buffer_phases/N`: each phase with buffers of its own. The table fits the exponent of N.
// `threads/pipelined_product`: all proofs of a staged, pipelined, tensorized product by itself, races and barriers included.
// `threads/detector/…`: the walk with and without a watch on races. Counter `us` is processor time.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/measurements.hpp"
#include "bench/support.hpp"
#include "fuzz/generators/random_threads.hpp"
#include "fuzz/judges/thread_races.hpp"
#include "interp/inputs.hpp"
#include "interp/interpreter.hpp"
#include "oracle/lint.hpp"
#include "proofs/portfolio/query.hpp"
#include "proofs/validate/validate.hpp"

namespace assay::bench {
namespace {

// A tile of `threads` cells goes through shared memory, mirrored, k times.
std::string staged(std::int64_t threads) {
  return fmt::format(
      "program staged {{ param n in 1..9  input A: f32[n, {0}]  inout O: f32[n, {0}]  shared S: f32[{0}]\n"
      "for b in 0..n @grid {{ for t in 0..{0} @workgroup {{ for k in 0..4 {{\n"
      "S[t] = A[b, t]  barrier  O[b, t] = O[b, t] + S[{1} - t]  barrier }} }} }} }}",
      threads, threads - 1);
}

// Phases that hand values over through two tiles, or through tiles of their own, with a barrier behind each.
std::string phases(std::int64_t barriers, bool loop, bool buffers) {
  std::string body, tiles;
  for (std::int64_t k = 0; k < barriers; ++k) {
    const std::int64_t to = buffers ? k : k % 2, from = buffers ? k - 1 : (k + 1) % 2;
    if (buffers || k < 2) tiles += fmt::format("shared S{}: f32[64] ", k);
    body += k == 0 ? fmt::format("S{}[t] = A[t]\n", to) : fmt::format("S{}[t] = S{}[63 - t] + 1.0\n", to, from);
    body += "barrier\n";
  }
  body += fmt::format("O[t] = S{}[t]\n", buffers ? barriers - 1 : (barriers + 1) % 2);
  if (loop) body = "for k in 0..n {\n" + body + "barrier\n}\n";
  return "program phases { param n in 1..9  input A: f32[64]  inout O: f32[64]  " + tiles +
         "\nfor t in 0..64 @workgroup {\n" + body + "} }\n";
}

// A tile product of 32 lanes, whose operands the same lanes copy, one block ahead.
constexpr const char* product = R"(
program gemm {
  param n in 1..20
  input A: f32[n, 20]  input B: f32[20, 16]  inout C: f32[n, 16]
  for i in 0..n { for j in 0..16 { for k in 0..20 { C[i, j] += A[i, k] * B[k, j] } } }
}
schedule s {
  pad i to=8
  pad k to=8
  split i factor=8 -> io, ii
  split j factor=8 -> jo, ji
  split k factor=8 -> ko, ki
  swap ii jo
  swap ji ko
  swap ii ko
  retype io axis=grid
  retype jo axis=grid
  tensorize ii ji ki simd=32
  stage A over=ii,ki shared cooperative=32 swizzle=b128 pipeline=2 -> As
  stage B over=ki,ji shared cooperative=32 swizzle=b128 pipeline=2 -> Bs
})";

void prove_threads(benchmark::State& state, const Program& p) {
  const auto query = make_portfolio_query();
  double taken = 0;
  for (auto _ : state) {
    const double start = processor_microseconds();
    for (const Obligation& o : lint_obligations(p, *query)) {
      if (o.status != Obligation::Status::proved) return state.SkipWithError(o.claim.c_str());
    }
    taken += processor_microseconds() - start;
  }
  state.counters["us"] = taken / static_cast<double>(state.iterations());
}

void lint_threads(benchmark::State& state, std::int64_t threads) {
  const std::string text = staged(threads);
  const Program p = program_from(text);
  double taken = 0;
  for (auto _ : state) {
    const double start = processor_microseconds();
    const oracle::Report r = oracle::lint(p, {"staged.air", text}, {});
    taken += processor_microseconds() - start;
    if (r.verdict != oracle::Verdict::clean) return state.SkipWithError(r.claim.c_str());
  }
  state.counters["us"] = taken / static_cast<double>(state.iterations());
}

void lint_phases(benchmark::State& state, std::int64_t barriers, bool loop, bool buffers) {
  const std::string text = phases(barriers, loop, buffers);
  const Program p = program_from(text);
  double taken = 0;
  for (auto _ : state) {
    const double start = processor_microseconds();
    const oracle::Report r = oracle::lint(p, {"phases.air", text}, {});
    taken += processor_microseconds() - start;
    if (r.verdict != oracle::Verdict::clean) return state.SkipWithError(r.claim.c_str());
  }
  state.counters["us"] = taken / static_cast<double>(state.iterations());
}

void walk(benchmark::State& state, const Program& p, interp::Options options) {
  options.parameters = {{"n", 8}};
  options.budget = 1'000'000'000;
  const TensorMap inputs = interp::generate_inputs(p, options.parameters, interp::InputKind::exact, 1);
  const double accesses = 8.0 * 256 * 4 * 5;  // of a thread in an iteration: two stores, three loads
  double taken = 0;
  for (auto _ : state) {
    const double start = processor_microseconds();
    if (interp::run(p, inputs, options).status != interp::Status::ok) return state.SkipWithError("no end");
    taken += processor_microseconds() - start;
  }
  state.counters["ns_per_access"] = taken * 1e3 / accesses / static_cast<double>(state.iterations());
}

// How often threads that never race are not proved to be ordered.
void needless_of_threads(benchmark::State& state) {
  int judged = 0, needless = 0;
  for (auto _ : state) {
    interp::Random random(20261201);
    const auto query = make_portfolio_query();
    for (int k = 0; k < 1000; ++k) {
      const Program p = number_statements(program_from(fuzz::random_threads(random)));
      bool ordered = true;
      for (std::int64_t n = 1; n < 5 && ordered; ++n) {
        const auto found = fuzz::find_thread_races(p, {{"n", n}});
        ordered = found && found->uniform && !found->thread_race;
      }
      if (!ordered) continue;
      ++judged;
      if (!threads_are_ordered(p, *query)) ++needless;
    }
  }
  state.counters["judged"] = judged;
  state.counters["needless"] = needless;
}
BENCHMARK(needless_of_threads)->Name("needless/races of threads")->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace

void register_threads() {
  const auto add = [](const std::string& name, auto f) {
    benchmark::RegisterBenchmark(name.c_str(), std::move(f))->Unit(benchmark::kMillisecond);
  };
  for (const std::int64_t threads : {64, 65536}) {
    add(fmt::format("threads/prove/{}", threads),
        [p = program_from(staged(threads))](benchmark::State& s) { prove_threads(s, p); });
    add(fmt::format("threads/lint/{}", threads), [threads](benchmark::State& s) { lint_threads(s, threads); });
  }
  for (const std::int64_t n : {10, 40, 160, 300}) {
    add(fmt::format("threads/phases/{}", n), [n](benchmark::State& s) { lint_phases(s, n, false, false); });
    add(fmt::format("threads/loop_phases/{}", n), [n](benchmark::State& s) { lint_phases(s, n, true, false); });
    add(fmt::format("threads/buffer_phases/{}", n), [n](benchmark::State& s) { lint_phases(s, n, false, true); });
  }
  add("threads/pipelined_product", [](benchmark::State& s) {
    const std::vector<Step> steps = steps_of(program_from(product), schedule_from(product));
    if (steps.empty()) return s.SkipWithError("the schedule does not apply");
    prove_threads(s, number_statements(steps.back().after));
  });
  const Program p = program_from(staged(256));
  const auto detector = [&](const std::string& name, interp::Engine engine, bool races) {
    interp::Options options;
    options.engine = engine;
    options.detect_races = races;
    add("threads/detector/" + name, [p, options](benchmark::State& s) { walk(s, p, options); });
  };
  detector("compiled, off", interp::Engine::compiled, false);
  detector("compiled, on", interp::Engine::compiled, true);
  detector("tree, off", interp::Engine::tree, false);
  detector("tree, on", interp::Engine::tree, true);
}

}  // namespace assay::bench
