#!/usr/bin/env bash
# Builds everything and runs every test.
#
#   scripts/test.sh [--sanitize | --threads]
#
# --sanitize does the same in build-sanitize/, with AddressSanitizer and UndefinedBehaviorSanitizer.
# --threads runs in build-threads/, with ThreadSanitizer, the tests of what may run in parallel, and nothing else.
# FUZZ_SECONDS (60): how long the fuzzer of the parser runs; 0 leaves it out.
# ASSAY_PROPERTY_CASES: how many cases the property tests draw; unset, all of them (with --sanitize 500).
# ASSAY_BUILD names another build folder than build/ (with --sanitize, -sanitize is appended).
# The last line is `N passed, N failed, N skipped`. Exit status: 0 all passed, 1 something failed, 2 the command line or the
# packages are wrong.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh
source scripts/build.sh

folder=${ASSAY_BUILD:-$assay_root/build}
# The sanitizers stay out of generated kernels, so both runs use the same.
export ASSAY_CACHE=$folder/kernels
options=(-DASSAY_TESTS=ON)
case ${1:-} in
  "") ;;
  --sanitize)
    folder=$folder-sanitize
    options+=(-DASSAY_SANITIZE=ON "-DASSAY_TEST_KERNELS=$ASSAY_CACHE")
    export ASSAY_PROPERTY_CASES=${ASSAY_PROPERTY_CASES:-500}
    ;;
  --threads)
    folder=$folder-threads
    options+=(-DASSAY_SANITIZE=thread)
    ;;
  *)
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0" >&2
    exit 2
    ;;
esac
results=$folder/results
fuzz_seconds=${FUZZ_SECONDS:-60}

# step NAME COMMAND…: runs it, and notes how it ended; a failure does not stop the run.
step() {
  local name=$1 started=$SECONDS
  shift
  echo "== $name"
  if "$@"; then
    echo "passed $name" >>"$results/steps.txt"
  else
    echo "failed $name" >>"$results/steps.txt"
  fi
  echo "   ($((SECONDS - started)) s)"
}
left_out() {
  echo "== $1: left out, $2"
  echo "skipped $1 ($2)" >>"$results/steps.txt"
}

# These two have results per case of their own; a step fails only where those cannot show it.
run_ctest() {
  # An entry that failed is in ctest.xml.
  ctest --test-dir "$folder" -j "$(nproc)" --output-on-failure --output-junit "$results/ctest.xml" >"$results/ctest.log" 2>&1 || true
  grep -vE '^ +Start |Test project' "$results/ctest.log" || true
  [[ -s $results/ctest.xml ]]
}
run_text_tests() {
  local failed=0
  # A process for each folder and each file beside them, as many at a time as there are cores. 0 and 1 are in the results; 2 (a
  # malformed test) and 70 (two judges disagree) need not be.
  # shellcheck disable=SC2016  # for the inner shell
  printf '%s\n' examples tests/cases/*.air tests/cases/*/ | xargs -P "$(nproc)" -I{} bash -c '
    path=${3%/} status=0
    "$1/assay" test "$path" --junit "$2/text/${path//\//-}.xml" >"$2/text/${path//\//-}.out" 2>&1 || status=$?
    [[ -s $2/text/${path//\//-}.xml ]] && ((status < 2))
  ' bash "$folder" "$results" {} || failed=1
  cat "$results"/text/*.out
  return "$failed"
}
run_parser_fuzzer() {
  local build=$assay_root/build-fuzz
  assay_configure "$build" -DASSAY_TESTS=OFF -DASSAY_FUZZERS=ON -DCMAKE_C_COMPILER=clang-14 -DCMAKE_CXX_COMPILER=clang++-14 || return
  assay_build "$build" fuzz_parser || return
  mkdir -p "$build/corpus" "$build/findings"
  # New inputs go to the first folder; the kept corpus is only read. -timeout: an answer within 2 s on any input.
  if ! "$build/fuzz_parser" "$build/corpus" tests/corpus/parser tests/cases examples \
    -dict=tests/parser_fuzzer/parser.dict -max_total_time="$fuzz_seconds" -timeout=2 -rss_limit_mb=2048 -max_len=8192 -artifact_prefix="$build/findings/" \
    -print_final_stats=1 >"$build/fuzz.log" 2>&1; then
    tail -n 40 "$build/fuzz.log"
    return 1
  fi
  grep -E 'number_of_executed_units|new_units_added' "$build/fuzz.log" || true
}
# What tests/agreement compares with comes from PyPI, into the build folder. Without a network that test says that it is left out.
fetch_agreement() {
  local place=$folder/agreement
  cmp -s tests/agreement/requirements.txt "$place/requirements.txt" && return
  rm -rf "$place"
  if ! { python3 -m venv "$place" && "$place/bin/pip" install --quiet --disable-pip-version-check --timeout 20 --retries 1 \
    --only-binary :all: --target "$place/packages" -r tests/agreement/requirements.txt; } >"$results/agreement.log" 2>&1; then
    echo "not there: $(tr '\n' ' ' <tests/agreement/requirements.txt)($(tail -n 1 "$results/agreement.log"))"
    rm -rf "$place"
    return
  fi
  cp tests/agreement/requirements.txt "$place/"
}

echo "== packages"
packages_install core tests
echo "== build"
[[ -z ${ASSAY_PROPERTY_CASES:-} ]] || echo "ASSAY_PROPERTY_CASES=$ASSAY_PROPERTY_CASES"
assay_configure "$folder" "${options[@]}"
if [[ ${1:-} == --threads ]]; then
  assay_build "$folder" test_oracle
else
  assay_build "$folder"
fi
# Logs of an earlier run would hide a test that no longer runs.
rm -rf "$results" "$folder/rules"
mkdir -p "$results/cases" "$results/text" "$folder/rules"

if [[ ${1:-} == --threads ]]; then
  # Not through ctest: the other programs are not built.
  step "threads" env TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS:-}" "$folder/tests/test_oracle" --gtest_filter='Threads.*'
  python3 -B scripts/count-results.py "$results"
  exit
fi
[[ ${1:-} == --sanitize ]] || fetch_agreement
step "ctest" run_ctest
step "assay test examples tests/cases" run_text_tests
step "rules" python3 -B scripts/check-rules.py --logs "$folder/rules"
if [[ ${1:-} == --sanitize ]]; then
  left_out "parser fuzzer" "scripts/test.sh without --sanitize runs it, with sanitizers of its own"
elif ((fuzz_seconds == 0)); then
  left_out "parser fuzzer" "FUZZ_SECONDS=0"
elif ! command -v clang++-14 >/dev/null || [[ -n $(packages_missing fuzz) ]]; then
  left_out "parser fuzzer" "clang is not installed: scripts/packages.sh install fuzz"
else
  step "parser fuzzer ($fuzz_seconds s)" run_parser_fuzzer
fi

echo "== results ($SECONDS s)"
python3 -B scripts/count-results.py "$results"
