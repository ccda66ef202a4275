#!/usr/bin/env bash
# Generated CUDA on a GPU, beside the interpreter, bit for bit: the programs of the test cases and examples, what the good schedules of the
# examples make of them, random programs with threads and without, and the math functions at every argument of the narrow types.
#
#   scripts/gpu-check.sh
#
# Prints one line for each group of programs. Takes a few minutes. ASSAY_BUILD names another build folder.
# Exit status: 0 all agree, 1 something differs, 2 it cannot be built, 77 there is no GPU or no nvcc here, and nothing was checked.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/build.sh
folder=${ASSAY_BUILD:-$assay_root/build}

PATH=$PATH:/usr/local/cuda/bin
if ! command -v nvcc >/dev/null; then
  echo "gpu-check: nvcc is not here (CUDA toolkit 12 or later); nothing was checked"
  exit 77
fi
if ! { command -v nvidia-smi >/dev/null && nvidia-smi -L | grep -q .; }; then
  echo "gpu-check: no GPU is here (nvidia-smi lists none); nothing was checked"
  exit 77
fi
nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv,noheader
nvcc --version | tail -n 2

assay_configure "$folder" -DASSAY_TESTS=ON || exit 2
assay_build "$folder" assay assay-worker test_codegen || exit 2

programs=$(mktemp -d)
trap 'rm -rf "$programs"' EXIT
for schedule in examples/*/good.sched; do
  name=$(basename "$(dirname "$schedule")")
  "$folder/assay" apply "examples/$name/$name.air" "$schedule" -o "$programs/$name.air" >/dev/null 2>&1 ||
    echo "gpu-check: the schedule of $name could not be applied"
done
echo "$(find "$programs" -name '*.air' | wc -l) schedules of the examples applied"

log=$folder/gpu-check.txt
status=0
ASSAY_DEVICE=cuda ASSAY_DEVICE_PROGRAMS=$programs RC_PARAMS=seed=20261130 \
  "$folder/tests/test_codegen" --gtest_filter='Cuda.Agrees*:Cuda.Folds*:CudaFunctions.Are*:Nvcc.*' >"$log" 2>&1 || status=1
grep -E '^cuda: |^nvcc: |\[  (FAILED|SKIPPED)| OK \]' "$log" || true
if ((status != 0)); then
  grep -A 30 -m 3 'Failure' "$log" || true
  echo "gpu-check: something differs (log: $log)"
fi
exit "$status"
