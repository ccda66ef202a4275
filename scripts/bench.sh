#!/usr/bin/env bash
# Builds and runs the measurements of bench/, and prints a small table.
#
#   scripts/bench.sh [GOOGLE BENCHMARK OPTION…]
#
# Everything is measured in one run on this machine; the numbers that are meant to be compared between machines are the ratios.
# Exit status: 0 measured, 1 a measurement failed, 2 packages are missing and cannot be installed from here.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh
source scripts/build.sh

packages_install core bench
assay_configure "$assay_root/build-bench" -DASSAY_TESTS=OFF -DASSAY_BENCH=ON
assay_build "$assay_root/build-bench" assay_bench
build-bench/assay_bench --benchmark_repetitions=5 --benchmark_report_aggregates_only=true \
  --benchmark_out=build-bench/bench.json --benchmark_out_format=json "$@" >build-bench/bench.log
python3 -B scripts/bench-table.py build-bench/bench.json
