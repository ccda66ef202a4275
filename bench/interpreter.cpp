// Cost of the interpreters per operation, beside that of gcc -O2 on the same program.
//
// An operation is one innermost iteration of a 64³ matrix product (two loads, a multiplication, an addition, a store). For
// compiled code, start-up, copying and the worker process are measured with one repetition and subtracted, so that what
// remains is the loop nest alone. Counters: `ns_per_op`, which scripts/bench-table.py divides.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>

#include "bench/measurements.hpp"
#include "bench/support.hpp"
#include "codegen/c.hpp"
#include "interp/enclosure/enclosure.hpp"
#include "interp/inputs.hpp"
#include "interp/interpreter.hpp"

namespace assay::bench {
namespace {

constexpr double operations = 64.0 * 64 * 64;

/// What differs between the measurements; the loops are over `n` = 64.
struct Feature {
  const char* name;
  const char* body;
};
constexpr const char* product =
    "for i in 0..n { for j in 0..n { for k in 0..n { C[i, j] = C[i, j] + A[i, k] * B[k, j] } } }";
constexpr Feature features[] = {
    {"vectorized",
     "for i in 0..n { for k in 0..n { for j in 0..n @vectorized { C[i, j] = C[i, j] + A[i, k] * B[k, j] } } }"},
    {"lanes of 8",
     "for i in 0..n { for k in 0..n { for q in 0..floordiv(n, 8) { for j in 0..8 @vectorized {"
     " C[i, 8*q + j] = C[i, 8*q + j] + A[i, k] * B[k, 8*q + j] } } } }"},
    {"dynamic index",
     "for i in 0..n { for j in 0..n { for k in 0..n { C[i, j] = C[i, j] + A[i, k] * B[ids[k], j] } } }"},
    {"guard",
     "for i in 0..n { for j in 0..n { for k in 0..n { if k + i < 100 { C[i, j] = C[i, j] + A[i, k] * B[k, j] } } } }"},
    {"data guard",
     "for i in 0..n { for j in 0..n { for k in 0..n { if A[i, k] > 0.0 { C[i, j] = C[i, j] + A[i, k] * B[k, j] } } } "
     "}"},
    {"? :",
     "for i in 0..n { for j in 0..n { for k in 0..n { C[i, j] = C[i, j] + (A[i, k] > 0.0 ? A[i, k] * B[k, j] : B[k, "
     "j]) } } }"},
    {"select",
     "for i in 0..n { for j in 0..n { for k in 0..n { C[i, j] = C[i, j] + select(A[i, k] > 0.0, A[i, k] * B[k, j], "
     "B[k, j]) } } }"},
    {"scope",
     "for i in 0..n { for j in 0..n { C[i, j] = scope s: f32 { s = 0.0  for k in 0..n { s = s + A[i, k] * B[k, j] } } "
     "} }"},
    {"variable",
     "for i in 0..n { for j in 0..n { var s: f32 = 0.0  for k in 0..n { var x: f32 = A[i, k] * B[k, j]  s = s + x }  "
     "C[i, j] = s } }"},
    {"grid", "for i in 0..n @grid { for j in 0..n @grid { for k in 0..n { C[i, j] = C[i, j] + A[i, k] * B[k, j] } } }"},
    {"grid, races",
     "for i in 0..n @grid { for j in 0..n @grid { for k in 0..n { C[i, j] = C[i, j] + A[i, k] * B[k, j] } } }"},
    {"threads",
     "for i in 0..n @grid { for j in 0..n @workgroup { for k in 0..n { C[i, j] = C[i, j] + A[i, k] * B[k, j] } } }"},
    {"barriers",
     "for bj in 0..4 @grid { for i in 0..n @grid { for tj in 0..16 @workgroup { for kk in 0..2 {"
     " S[2*tj] = A[i, 32*kk + 2*tj]  S[2*tj + 1] = A[i, 32*kk + 2*tj + 1]  barrier"
     " for k in 0..32 { C[i, 16*bj + tj] = C[i, 16*bj + tj] + S[k] * B[32*kk + k, 16*bj + tj] }  barrier } } } }"},
    {"tile of 8 by 8",
     "for bi in 0..8 @grid { for bj in 0..8 @grid { for ti in 0..8 @workgroup { for tj in 0..8 @workgroup { for kk in "
     "0..8 {"
     " S[8*ti + tj] = A[8*bi + ti, 8*kk + tj]  T[ti, tj] = B[8*kk + ti, 8*bj + tj]  barrier"
     " for k in 0..8 { C[8*bi + ti, 8*bj + tj] = C[8*bi + ti, 8*bj + tj] + S[8*ti + k] * T[k, tj] }  barrier } } } } "
     "}"},
    {"recurrence", "for i in 0..n { for j in 0..n { for k in 1..n { C[j, k] = C[j, k - 1] * A[i, k] + B[k, j] } } }"},
    {"recurrence along one loop", "for i in 0..n { for k in 0..4096 { R[k + 1] = R[k] * R[k + 1] + 1.0 } }"},
    {"short loops",
     "for i in 0..n { for j in 0..n { for q in 0..16 { for k in 0..4 {"
     " C[i, j] = C[i, j] + A[i, 4*q + k] * B[4*q + k, j] } } } }"},
    {"few threads",
     "for bj in 0..16 @grid { for i in 0..n @grid { for tj in 0..4 @workgroup { for kk in 0..16 {"
     " S[tj] = A[i, 4*kk + tj]  barrier"
     " for k in 0..4 { C[i, 4*bj + tj] = C[i, 4*bj + tj] + S[k] * B[4*kk + k, 4*bj + tj] }  barrier } } } }"},
    {"element by thread",
     "for r in 0..n @grid { for i in 0..n @grid { for j in 0..n @workgroup { X[r, i, j] = A[i, j] * B[r, j] } } }"},
};

Program program_of(std::string_view type, std::string_view body) {
  const auto uses = [&](std::string_view name) { return body.find(name) != std::string_view::npos; };
  const std::string_view result = uses("X[") ? "inout X: f32[n, n, n]" : uses("R[") ? "inout R: f32[4097]" : "";
  return program_from(
      fmt::format("program p {{ param n in 1..65  input A: {0}[n, n]  input B: {0}[n, n]  inout C: {0}[n, n]\n"
                  "{1}  input ids: i32[n] in 0..64  shared S: {0}[64]  shared T: {0}[8, 8]\n{2} }}",
                  type, result, body));
}

void set_counter(benchmark::State& state) {
  state.counters["ns_per_op"] = benchmark::Counter(
      operations * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void interpret(benchmark::State& state, const Program& p, interp::Options options) {
  options.parameters = {{"n", 64}};
  options.budget = 1'000'000'000;
  const TensorMap inputs = interp::generate_inputs(p, options.parameters, interp::InputKind::exact, 1);
  for (auto _ : state) {
    const auto outcome = interp::run(p, inputs, options);
    if (outcome.status != interp::Status::ok) return state.SkipWithError("the interpretation did not end");
  }
  set_counter(state);
}

// What a run costs whatever it computes: resolution, compilation, buffers, outputs.
void start(benchmark::State& state, const Program& p) {
  interp::Options options;
  options.parameters = {{"n", 1}};
  const TensorMap inputs = interp::generate_inputs(p, options.parameters, interp::InputKind::exact, 1);
  for (auto _ : state) benchmark::DoNotOptimize(interp::run(p, inputs, options).operations);
}

void enclose(benchmark::State& state, const Program& p) {
  interp::Options options;
  options.parameters = {{"n", 64}};
  options.budget = 1'000'000'000;
  const TensorMap inputs = interp::generate_inputs(p, options.parameters, interp::InputKind::exact, 1);
  for (auto _ : state) {
    const auto e = interp::enclosure::enclose(p, inputs, options);
    if (!e.undecided.empty()) return state.SkipWithError(e.undecided.c_str());
  }
  set_counter(state);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void compiled_matrix_product(benchmark::State& state) {
  const Program p =
      program_from(fmt::format("program p {{ param n in 64..65  param repeated in 1..10001  input A: f32[n, n]  input "
                               "B: f32[n, n]  inout C: f32[n, n]\n"
                               "for r in 0..repeated {{ {} }} }}",
                               product));
  const auto compilers = codegen::available_compilers();
  if (compilers.empty()) return state.SkipWithError("no compiler");
  codegen::KernelOutcome error;
  const auto kernel = codegen::compile(p, compilers.front(), error);
  if (!kernel) return state.SkipWithError(error.message.c_str());
  constexpr std::int64_t repetitions = 1000;
  const auto time_at = [&](std::int64_t repeated) {
    const ParameterMap size{{"n", 64}, {"repeated", repeated}};
    const TensorMap inputs = interp::generate_inputs(p, size, interp::InputKind::exact, 1);
    const auto start = std::chrono::steady_clock::now();
    const auto outcome = kernel->run(size, inputs, std::chrono::seconds(60));
    const double taken = seconds_since(start);
    if (outcome.status != codegen::KernelOutcome::Status::ok) state.SkipWithError(outcome.message.c_str());
    return taken;
  };
  for (auto _ : state)
    state.SetIterationTime((time_at(1 + repetitions) - time_at(1)) / static_cast<double>(repetitions));
  set_counter(state);
}
BENCHMARK(compiled_matrix_product)->UseManualTime()->Iterations(3)->Unit(benchmark::kMillisecond);

}  // namespace

void register_interpreters() {
  const auto add = [](const std::string& name, auto f) {
    benchmark::RegisterBenchmark(name.c_str(), std::move(f))->Unit(benchmark::kMillisecond);
  };
  for (const Type type : storage_types) {
    if (!is_float(type) && !is_int(type)) continue;
    const std::string text(name(type));
    add("interpreter/type/" + text, [p = program_of(text, product)](benchmark::State& s) { interpret(s, p, {}); });
  }
  // Blocks have no arithmetic: they are moved, and mixed by the cheapest function that they have.
  const std::pair<const char*, const char*> blocks[] = {
      {"u32x4", "for i in 0..n { for j in 0..n { for k in 0..n { C[i, j] = select(k == j, A[i, k], B[k, j]) } } }"},
      {"u32x4, mixed",
       "for i in 0..n { for j in 0..n { for k in 0..n { C[i, k] = threefry_light(A[i, k], B[k, j]) } } }"}};
  for (const auto& [name, body] : blocks)
    add(fmt::format("interpreter/type/{}", name),
        [p = program_of("u32x4", body)](benchmark::State& s) { interpret(s, p, {}); });
  for (const Feature& f : features) {
    interp::Options options;
    options.detect_races = std::string_view(f.name).ends_with("races");
    add(fmt::format("interpreter/feature/{}", f.name),
        [p = program_of("f32", f.body), options](benchmark::State& s) { interpret(s, p, options); });
  }
  interp::Options tree;
  tree.engine = interp::Engine::tree;
  add("interpreter/start", [p = program_of("f32", product)](benchmark::State& s) { start(s, p); });
  add("interpreter/tree", [p = program_of("f32", product), tree](benchmark::State& s) { interpret(s, p, tree); });
  interp::Options marks;
  marks.reordered = {3};
  for (const char* type : {"f32", "f64", "f16"})
    add(fmt::format("interpreter/marks/{}", type),
        [p = program_of(type, product), marks](benchmark::State& s) { interpret(s, p, marks); });
  add("enclosure", [p = program_of("f64", product)](benchmark::State& s) { enclose(s, p); });
}

}  // namespace assay::bench
