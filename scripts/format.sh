#!/usr/bin/env bash
# Formats the tracked C++ files with clang-format 14, or only looks.
#
#   scripts/format.sh            rewrites the files that differ
#   scripts/format.sh --check    changes nothing; fails and names the files that differ
#
# Exit status: 0 nothing to say, 1 something differs, 2 the command line is wrong or a tool is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

need() {
  if ! command -v "$1" >/dev/null; then
    echo "format: $1 is not installed: scripts/packages.sh install develop" >&2
    exit 2
  fi
}

mapfile -t files < <(git ls-files -- '*.cpp' '*.hpp' '*.h')
case ${1:-} in
  "")
    need clang-format-14
    clang-format-14 -i "${files[@]}"
    ;;
  --check)
    need clang-format-14
    differing=0
    for file in "${files[@]}"; do
      if ! clang-format-14 "$file" | cmp -s "$file" -; then
        echo "$file"
        differing=$((differing + 1))
      fi
    done
    echo "format: ${#files[@]} files, $differing differ"
    ((differing == 0))
    ;;
  *)
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0" >&2
    exit 2
    ;;
esac
