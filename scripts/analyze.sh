#!/usr/bin/env bash
# Static analysis of everything that is ours; silent tools and exit status 0 mean clean.
#
#   scripts/analyze.sh [TOOL…]      tidy cppcheck clang shell python format; without a name all of them
#
#   tidy      clang-tidy 14 with .clang-tidy on every source of ours but the tests   (about half an hour on two cores)
#   cppcheck  warnings, performance, portability                                     (minutes)
#   clang     clang 14 compiles the whole tree without a warning, in build-clang/    (the length of a build)
#   shell     shellcheck on the scripts
#   python    pyflakes on the scripts and tests
#   format    clang-format 14
#
# Not part of scripts/test.sh, because of the times above. A file that tidy found clean is not looked at again while neither it, nor
# a header, nor .clang-tidy changes (build-clang/tidy; ccache does the same for the compilers).
# Exit status: 0 clean, 1 something was found, 2 the command line is wrong or a tool is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh
source scripts/build.sh

tools=("$@")
((${#tools[@]} > 0)) || tools=(shell python format cppcheck clang tidy)
for tool in "${tools[@]}"; do
  case $tool in
    tidy | cppcheck | clang | shell | python | format) ;;
    *)
      sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0" >&2
      exit 2
      ;;
  esac
done
packages_install core tests fuzz develop

# Each source by itself: a batch hides a missing include, and its files may shadow each other's names.
export ASSAY_UNITY=0
clang_options=(-DCMAKE_C_COMPILER=clang-14 -DCMAKE_CXX_COMPILER=clang++-14)

run_tidy() {
  assay_configure "$assay_root/build-clang" "${clang_options[@]}" || return
  # Generated sources must be there to be included.
  assay_build "$assay_root/build-clang" assay >/dev/null || return
  local clean=build-clang/tidy sources headers
  mkdir -p "$clean"
  mapfile -t sources < <(git ls-files -- '*.cpp' | grep -vE '^(tests|bench)/')
  headers=$(git ls-files -- '*.hpp' '*.h' .clang-tidy | xargs sha256sum | sha256sum | cut -c1-16)
  # shellcheck disable=SC2016  # for the inner shell
  printf '%s\n' "${sources[@]}" | xargs -P "$(nproc)" -n 1 bash -c '
    key=$(sha256sum "$2" | cut -c1-16) mark=$0/$1-$key-${2//\//_}
    [[ ! -e $mark ]] || exit 0
    clang-tidy-14 -p build-clang --quiet "$2" 2>/dev/null && touch "$mark"
  ' "$clean" "$headers"
}
run_cppcheck() {
  # passedByValue: small trivially copyable structs are passed by value; copies that cost something are clang-tidy's to find.
  # The roots of the include paths are links to the folders, so "ir/program.hpp" is found from here.
  cppcheck -j "$(nproc)" --enable=warning,performance,portability --std=c++20 --quiet --error-exitcode=1 --inline-suppr \
    --suppress=missingIncludeSystem --suppress=passedByValue -I . ir proofs transforms interp codegen oracle fuzz cli spec
}
run_clang() {
  assay_configure "$assay_root/build-clang" "${clang_options[@]}" || return
  assay_build "$assay_root/build-clang"  # warnings are errors
}
run_shell() { git ls-files -- 'scripts/*.sh' .ci/run | xargs shellcheck; }
run_python() { git ls-files -- '*.py' | xargs pyflakes3; }
run_format() { scripts/format.sh --check; }

failed=()
for tool in "${tools[@]}"; do
  echo "== $tool"
  started=$SECONDS
  "run_$tool" || failed+=("$tool")
  echo "   ($((SECONDS - started)) s)"
done
if ((${#failed[@]} > 0)); then
  echo "analyze: found something: ${failed[*]}"
  exit 1
fi
echo "analyze: clean: ${tools[*]}"
