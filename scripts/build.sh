#!/usr/bin/env bash
# Configures and builds, the same way for every script; sourced, not run.
#
#   assay_configure FOLDER [CMAKE OPTION…]   configures once; again when an option differs from last time
#   assay_build FOLDER [TARGET…]             builds, and says when there was nothing to do
#
# Sources are compiled in batches (ASSAY_UNITY in CMakeLists.txt): a whole build takes half the time, but one changed file is
# compiled with the others of its batch. ASSAY_UNITY=0 in the environment compiles them one by one.
#
# Output goes to FOLDER/configure.log and FOLDER/build.log, and to the terminal only when something fails.

# The root of the source tree, whatever the current directory is.
assay_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# A compiler cache that two checkouts in different folders can share.
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$assay_root} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR:-1}

assay_configure() {
  local folder=$1
  shift
  local options=("$@")
  if [[ ${ASSAY_UNITY:-1} != 0 ]]; then
    options+=(-DASSAY_UNITY=ON)
  fi
  if command -v ccache >/dev/null; then
    options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  mkdir -p "$folder"
  if [[ -f $folder/build.ninja && $(cat "$folder/options.txt" 2>/dev/null) == "${options[*]}" ]]; then
    return 0
  fi
  if ! cmake -S "$assay_root" -B "$folder" -G Ninja "${options[@]}" >"$folder/configure.log" 2>&1; then
    cat "$folder/configure.log" >&2
    echo "build: configuring $folder failed" >&2
    return 1
  fi
  printf '%s' "${options[*]}" >"$folder/options.txt"
}

assay_build() {
  local folder=$1 started=$SECONDS compiled
  shift
  if ! ninja -C "$folder" "$@" >"$folder/build.log" 2>&1; then
    cat "$folder/build.log" >&2
    echo "build: $folder failed" >&2
    return 1
  fi
  compiled=$(grep -cE '^\[[0-9]+/[0-9]+\] Building' "$folder/build.log" || true)
  if ((compiled == 0)); then
    echo "build: ${folder#"$assay_root"/} is up to date, nothing compiled"
  else
    echo "build: ${folder#"$assay_root"/}: $compiled files compiled in $((SECONDS - started)) s"
  fi
}
