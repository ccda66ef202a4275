#!/usr/bin/env bash
# Generated CUDA on a GPU, beside the interpreter, bit for bit: every pipeline of the examples and the test cases, random programs,
# collectives, the math functions, and on a GPU of a generation that has a model (compute capability 8.0 or 9.0) whole kernels with
# matrix instructions and asynchronous copies; the examples also by `assay check --require cuda`, on small sizes.
#
#   scripts/gpu-check.sh [--built]
#
# Prints one line for each group, and at the end a summary in JSON (also BUILD/gpu-check.json). Meant for one go of under ten
# minutes; --built builds nothing and uses what is in the build folder. ASSAY_BUILD names another build folder.
# Exit status: 0 all agree, 1 something differs, 2 it cannot be built, 77 there is no GPU or no compiler of CUDA, and nothing was checked.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/build.sh
folder=${ASSAY_BUILD:-$assay_root/build}
built=0
case ${1:-} in
  "") ;;
  --built) built=1 ;;
  *)
    echo "gpu-check: there is no option '$1' (--built)" >&2
    exit 2
    ;;
esac

PATH=$PATH:/usr/local/cuda/bin
left_out() {
  echo "gpu-check: $1; nothing was checked"
  printf '{"gpu": null, "verdict": "left out", "reason": "%s"}\n' "$1"
  exit 77
}
if ! { command -v nvidia-smi >/dev/null && nvidia-smi -L | grep -q '^GPU'; }; then
  left_out "no GPU is here (nvidia-smi lists none)"
fi
gpu=$(nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv,noheader | head -n 1)
echo "$gpu"
# Machine code for this GPU: the driver then has nothing to compile in each run.
architecture=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d '. ')
export ASSAY_CUDA_ARCHITECTURE=sm_$architecture

if ((built == 0)); then
  assay_configure "$folder" -DASSAY_TESTS=ON || exit 2
  assay_build "$folder" assay assay_worker test_codegen || exit 2
fi
assay=$folder/assay tests=$folder/tests/test_codegen
[[ -x $assay && -x $tests && -x $folder/assay-worker ]] || {
  echo "gpu-check: $folder holds no assay, assay-worker and tests/test_codegen" >&2
  exit 2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'program p { output C: f32[4]  for i in 0..4 @grid { C[i] = 1.0 } }' >"$work/p.air"
case $("$assay" check "$work/p.air" --backends cuda 2>&1) in
  *"there is no device"*) left_out "the driver of CUDA has no device" ;;
  *"cuda (host"*) ;;
  *) left_out "there is neither NVRTC nor nvcc (CUDA 12 or later)" ;;
esac

started=$SECONDS
status=0
groups=()  # "NAME STATUS SECONDS" of each

# Groups of tests side by side: a run on a GPU takes a fraction of a second to begin, whatever it does.
names=(pipelines random collectives functions instructions)
filters=('Pipelines.AgreeAsCuda*' 'Cuda.AgreesWithTheInterpreterOnRandom*:Cuda.Folds*' 'Reductions.Have*:Reductions.Touch*'
  'CudaFunctions.Are*:CudaFunctions.Pow*' 'Tiles.AgreeWith*:Pipelines.AgreeByInstructions')
processes=()
for i in "${!names[@]}"; do
  (
    from=$SECONDS code=0
    ASSAY_DEVICE=cuda RC_PARAMS=seed=20261130 timeout 400 "$tests" "--gtest_filter=${filters[$i]}" \
      >"$folder/gpu-check-${names[$i]}.txt" 2>&1 || code=$?
    echo "$code $((SECONDS - from))" >"$work/${names[$i]}"
  ) &
  processes+=($!)
done
for i in "${!names[@]}"; do
  wait "${processes[$i]}" || true
  read -r code seconds <"$work/${names[$i]}"
  groups+=("${names[$i]} $code $seconds")
  log=$folder/gpu-check-${names[$i]}.txt
  grep -aE '^(cuda|cuda-sm_[0-9]+|pipelines): |left out|\[  (FAILED|SKIPPED)' "$log" || true
  if ((code != 0)); then
    status=1
    grep -a -A 30 -m 3 'Failure' "$log" || true
    echo "gpu-check: ${names[$i]} failed (log: $log)"
  fi
done

# What matrix instructions do with their addends, beside the published model (spec/tiles.md).
from=$SECONDS code=0
if ! command -v nvcc >/dev/null; then
  echo "tile probe: left out, there is no nvcc"
else
  nvcc "-arch=sm_$architecture" -I. tests/gpu/tile_probe.cu codegen/worker/host/tile_unit.c -o "$work/tile_probe" &&
    timeout 120 "$work/tile_probe" >"$folder/gpu-check-tiles.txt" || code=$?
  grep -E 'bits kept|terms at once|open|DIFFERS|tile_probe|fused in order' "$folder/gpu-check-tiles.txt" || true
  ((code == 0)) || status=1
  groups+=("tile_probe $code $((SECONDS - from))")
fi

# The examples whose good schedule needs a device, judged as a user would, four at a time.
# shellcheck disable=SC2317  # xargs calls it
check_example() {
  local folder=$1 name parameter answer arguments=()
  name=$(basename "$folder")
  while read -r parameter; do
    arguments+=(--param "$parameter")
  done < <("$assay" run "$folder/$name.air" --json 2>/dev/null |
    python3 -c 'import json, re, sys
claim = json.load(sys.stdin).get("claim", "")  # "… at m = 1, n = 1; 3807 operations"
for name, value in re.findall(r"([\w.]+) = (-?\d+)", claim.split(";")[0]): print(f"{name}={value}")')
  answer=$(timeout 300 "$assay" check "$folder/$name.air" "$folder/good.sched" "${arguments[@]}" \
    --backends cuda --require cuda 2>&1 | tail -n 1) || true
  echo "$name: $answer"
}
export -f check_example
export assay
from=$SECONDS
printf '%s\n' examples/*/good.sched | xargs -n 1 dirname | xargs -P 4 -I '{}' bash -c 'check_example {}' | sort | tee "$work/examples"
agreed=$(grep -c ': legal' "$work/examples" || true)
total=$(wc -l <"$work/examples")
((agreed == total)) || status=1
groups+=("examples $((agreed == total ? 0 : 1)) $((SECONDS - from))")

verdict=agree
((status == 0)) || verdict=differs
python3 - "$gpu" "$verdict" "$((SECONDS - started))" "$agreed" "$total" "${groups[@]}" >"$folder/gpu-check.json" <<'PYTHON'
import json, sys
gpu, verdict, seconds, agreed, total = sys.argv[1:6]
groups = [g.split() for g in sys.argv[6:]]
print(json.dumps({
    "gpu": gpu, "verdict": verdict, "seconds": int(seconds),
    "groups": [{"name": n, "status": int(c), "seconds": int(s)} for n, c, s in groups],
    "examples": {"legal_with_cuda_required": int(agreed), "of": int(total)},
}))
PYTHON
cat "$folder/gpu-check.json"
exit "$status"
