#!/usr/bin/env bash
# From a fresh clone to checked schedules: installs what is missing, builds `assay` in build/, and lets it judge every example.
#
#   scripts/quickstart.sh
#
# Each folder of examples/ holds a kernel, a good schedule for it, and a wrong one that differs from the good one in one word or number.
# Run again it installs and compiles nothing, and repeats the checks.
# ASSAY_BUILD names another build folder.
# Exit status: 0 every verdict is the expected one, 1 one is not, 2 packages are missing and cannot be installed from here.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh
source scripts/build.sh

shown=fir_interleaved # the example whose two answers are shown in full
folder=${ASSAY_BUILD:-$assay_root/build}
answers=$folder/quickstart
assay=$folder/assay

# expected FILE: the verdict word of the file's `# expect: [COMMAND] VERDICT [CODE]` line.
expected() {
  sed -nE 's/^ *# expect: +((parse|run|lint|check|apply|prove) +)?([a-z]+).*/\3/p;' "$1" | head -n 1
}
# lines FILE: a schedule without its comments and empty lines.
lines() {
  sed -E 's/[[:space:]]*#.*//; /^[[:space:]]*$/d' "$1"
}
# changed KERNEL: the lines in which the wrong schedule differs from the good one.
changed() {
  diff <(lines "examples/$1/good.sched") <(lines "examples/$1/wrong.sched") | sed -nE 's/^([<>])/\1/p' || true
}
# changed_words KERNEL: of these lines, the words that the wrong schedule has in place of the good one's.
changed_words() {
  changed "$1" | awk '/^</ { for (i = 2; i <= NF; i++) good[i] = $i }
                      /^>/ { for (i = 2; i <= NF; i++) if ($i != good[i]) printf "%s ", $i }'
}
# check KERNEL SCHEDULE: what a user would type; the answer goes to a file, its last line begins with the verdict.
check() {
  local answer=$answers/$1.$2
  "$assay" check "examples/$1/$1.air" "examples/$1/$2.sched" >"$answer.out" 2>"$answer.err" || true
}
verdict() {
  tail -n 1 "$answers/$1.$2.out" | sed -E 's/^([a-z]*).*/\1/'
}
show() {
  echo
  echo "\$ assay check examples/$1/$1.air examples/$1/$2.sched"
  cat "$answers/$1.$2.out" "$answers/$1.$2.err"
}

echo "Assay proves the steps of a schedule, interprets both programs, runs both as C compiled by gcc, and compares bit for bit."
echo
packages_install core
if [[ ! -f $folder/build.ninja ]]; then
  assay_configure "$folder" -DASSAY_TESTS=OFF
fi
assay_build "$folder" assay

kernels=()
for program in examples/*/*.air; do
  kernel=$(basename "$(dirname "$program")")
  if [[ $program == "examples/$kernel/$kernel.air" && -f examples/$kernel/good.sched && -f examples/$kernel/wrong.sched ]]; then
    kernels+=("$kernel")
  fi
done
if ((${#kernels[@]} == 0)); then
  echo "quickstart: no examples found" >&2
  exit 1
fi
[[ -f examples/$shown/$shown.air ]] || shown=${kernels[0]}

rm -rf "$answers"
mkdir -p "$answers"
echo "checking ${#kernels[@]} kernels, each with a good and a wrong schedule …"
started=$SECONDS
running=0
for kernel in "${kernels[@]}"; do
  for schedule in good wrong; do
    if ((running == $(nproc))); then
      wait -n
      running=$((running - 1))
    fi
    check "$kernel" "$schedule" &
    running=$((running + 1))
  done
done
wait

show "$shown" good
echo
echo "The same schedule with one number changed (< before, > after):"
changed "$shown"
show "$shown" wrong

echo
echo "All examples ($((SECONDS - started)) s):"
printf '  %-18s %-9s %-9s %-36s %s\n' kernel good wrong "a step of the good schedule" "in the wrong one"
failures=0
for kernel in "${kernels[@]}"; do
  printf '  %-18s %-9s %-9s %-36s %s\n' "$kernel" "$(verdict "$kernel" good)" "$(verdict "$kernel" wrong)" \
    "$(changed "$kernel" | sed -n 's/^< //p' | head -n 1)" "$(changed_words "$kernel")"
  for schedule in good wrong; do
    want=$(expected "examples/$kernel/$schedule.sched")
    if [[ -z $want || $(verdict "$kernel" "$schedule") != "$want" ]]; then
      failures=$((failures + 1))
      echo "  expected '$want', got:"
      tail -n 3 "$answers/$kernel.$schedule.out" "$answers/$kernel.$schedule.err" | sed 's/^/    /'
    fi
  done
done
echo
echo "Ran on the CPU alone: no GPU, CUDA or OpenCL is needed, and none was used. The answers in full are in ${answers#"$assay_root"/}/."
if ((failures > 0)); then
  echo "quickstart: $failures verdicts are not the expected ones"
  exit 1
fi
echo "quickstart: all $((2 * ${#kernels[@]})) verdicts are the expected ones"
