#!/usr/bin/env bash
# What a new user sees: a minimal Debian 12 in a folder of its own, a clone of this repository in it, and there the two commands
# of the README.
#
#   scripts/fresh-check.sh [--packages-only]
#
# --packages-only stops after the packages of both commands are installed. Needs root and debootstrap (scripts/debian-root.sh).
# What is cloned is the last commit, not the working tree. FUZZ_SECONDS is passed on to scripts/test.sh.
# Exit status: 0 both commands succeed, 1 one fails, 2 the command line, the rights or a tool is wrong.
set -euo pipefail
cd "$(dirname "$0")/.."
source_tree=$PWD
root_user=fresh-check
source scripts/debian-root.sh

case ${1:-} in
  "" | --packages-only) ;;
  *)
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0" >&2
    exit 2
    ;;
esac
root_begin
inside() { root_inside "cd /root/assay && $1"; }

git clone -q --no-hardlinks "$source_tree" "$root/root/assay"
root_say "cloned $(git -C "$source_tree" log -1 --format='%h (%s)')"
if [[ -n $(git -C "$source_tree" status --porcelain) ]]; then
  root_say "the working tree has changes that are not committed; they are not part of this check"
fi

if [[ ${1:-} == --packages-only ]]; then
  inside "scripts/packages.sh install core tests" >"$root_work/packages.log" 2>&1 || { tail -n 30 "$root_work/packages.log"; exit 1; }
  inside "scripts/packages.sh install core tests"
  root_say "packages installed"
  exit 0
fi
for command in scripts/quickstart.sh scripts/quickstart.sh scripts/test.sh; do
  root_say "$command"
  inside "$command" || { root_say "FAILED: $command"; exit 1; }
done
root_say "passed: quickstart twice and all tests, on a fresh Debian 12"
