#!/usr/bin/env bash
# Runs the tests that an ordinary run leaves out, and prints how long each took.
#
#   scripts/long-tests.sh [NAME…]
#
# NAME: `sequences` (5,000 random schedules of up to eight steps), `numerics` (all 2^32 pairs of 16-bit floats, all 2^24
# fused products of 8-bit floats, dense MPFR samples of f32), `sweep` (every kept hash of an f32 operation, by the interpreter and by every compiler), or an operation of f32
# (`build/tests/f32_sweep list`) to check that one alone. Without NAME: sequences, numerics and sweep. This takes hours.
# ASSAY_BUILD names another build folder than build/. Exit status: 0 all passed, 1 something failed or
# nothing ran, 2 the command line or the build is wrong.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${ASSAY_BUILD:-build}
[[ -x $folder/tests/f32_sweep && -x $folder/tests/test_interp && -x $folder/tests/test_fuzz ]] || {
  echo "build first: cmake -S . -B $folder -DASSAY_TESTS=ON && cmake --build $folder" >&2
  exit 2
}

failed=0 ran=0
# timed TITLE COMMAND…
timed() {
  local title=$1 started=$SECONDS
  shift
  ran=$((ran + 1))
  if "$@"; then
    echo "passed $title ($((SECONDS - started)) s)"
  else
    echo "FAILED $title ($((SECONDS - started)) s)"
    failed=1
  fi
}
numerics() {
  local name
  while read -r name; do
    timed "$name" env ASSAY_LONG_TESTS=1 "$folder/tests/test_interp" --gtest_brief=1 "--gtest_filter=*.$name"
  done < <("$folder/tests/test_interp" --gtest_list_tests | sed -n 's/^  \(Long[A-Za-z]*\).*/\1/p')
}
sequences() {
  timed "sequences" env ASSAY_SEQUENCE_CASES=5000 RC_PARAMS=seed=20261130 "$folder/tests/test_fuzz" '--gtest_filter=SequenceProperty.Legal*'
}
sweep() {
  local name kept
  while read -r name kept; do
    if [[ $kept == kept ]]; then
      timed "$name" "$folder/tests/f32_sweep" check "$name"
    else
      echo "left out $name: no sweep of it is kept (f32_sweep record $name tests/data/f32/$name.hashes makes one)"
    fi
  done < <("$folder/tests/f32_sweep" list)
}

[[ $# -gt 0 ]] || set -- sequences numerics sweep
for what in "$@"; do
  if [[ $what != sequences && $what != numerics && $what != sweep ]] && ! "$folder/tests/f32_sweep" list | grep -q "^$what "; then
    echo "long-tests: no tests are named '$what' (sequences, numerics, sweep, or one of $folder/tests/f32_sweep list)" >&2
    exit 2
  fi
done
for what in "$@"; do
  case $what in
    sequences) sequences ;;
    numerics) numerics ;;
    sweep) sweep ;;
    *) timed "$what" "$folder/tests/f32_sweep" check "$what" ;;
  esac
done
if ((ran == 0)); then
  echo "long-tests: nothing was there to run" >&2
  exit 1
fi
exit "$failed"
