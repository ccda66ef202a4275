// Runs the measurements; takes the options of Google Benchmark.
#include <benchmark/benchmark.h>

#include "bench/measurements.hpp"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  assay::bench::register_interpreters();
  assay::bench::register_checks();
  assay::bench::register_pipelines();
  assay::bench::register_threads();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
