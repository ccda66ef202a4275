// Cost of the interpreter per operation, beside that of gcc -O2 on the same program.
//
// An operation is one innermost iteration of a matrix product (two loads, a multiplication, an addition, a store). For
// compiled code, start-up, copying and the worker process are measured at a tiny size and subtracted, so that what remains is
// the loop nest alone. Counters: `ns_per_op`, which scripts/bench.sh divides.
#include <benchmark/benchmark.h>

#include <chrono>

#include "bench/support.hpp"
#include "codegen/c.hpp"
#include "interp/inputs.hpp"
#include "interp/interpreter.hpp"

namespace assay::bench {
namespace {

constexpr std::string_view product = R"(
program product {
  param n in 1..1025
  input A: f32[n, n]
  input B: f32[n, n]
  inout C: f32[n, n]
  for i in 0..n { for j in 0..n { for k in 0..n { C[i, j] = C[i, j] + A[i, k] * B[k, j] } } }
}
)";

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void interpreter_matrix_product(benchmark::State& state) {
  const Program p = program_from(product);
  const ParameterMap size{{"n", state.range(0)}};
  const TensorMap inputs = interp::generate_inputs(p, size, interp::InputKind::exact, 1);
  interp::Options options;
  options.parameters = size;
  options.budget = 1'000'000'000;
  for (auto _ : state) {
    const auto outcome = interp::run(p, inputs, options);
    if (outcome.status != interp::Status::ok) return state.SkipWithError("the interpretation did not end");
  }
  const auto n = static_cast<double>(state.range(0));
  state.counters["ns_per_op"] =
      benchmark::Counter(n * n * n * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(interpreter_matrix_product)->Arg(64)->Unit(benchmark::kMillisecond);

void compiled_matrix_product(benchmark::State& state) {
  const Program p = program_from(product);
  const auto compilers = codegen::available_compilers();
  if (compilers.empty()) return state.SkipWithError("no compiler");
  codegen::KernelOutcome error;
  const auto kernel = codegen::compile(p, compilers.front(), error);
  if (!kernel) return state.SkipWithError(error.message.c_str());
  const auto time_at = [&](std::int64_t n) {
    const ParameterMap size{{"n", n}};
    const TensorMap inputs = interp::generate_inputs(p, size, interp::InputKind::exact, 1);
    const auto start = std::chrono::steady_clock::now();
    const auto outcome = kernel->run(size, inputs, std::chrono::seconds(60));
    const double taken = seconds_since(start);
    if (outcome.status != codegen::KernelOutcome::Status::ok) state.SkipWithError(outcome.message.c_str());
    return taken;
  };
  for (auto _ : state) state.SetIterationTime(time_at(state.range(0)) - time_at(1));
  const auto n = static_cast<double>(state.range(0));
  state.counters["ns_per_op"] =
      benchmark::Counter(n * n * n * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(compiled_matrix_product)->Arg(512)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay::bench
