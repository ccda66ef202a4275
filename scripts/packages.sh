#!/usr/bin/env bash
# The Debian packages that Assay needs: the one place that lists them.
#
#   scripts/packages.sh list [GROUP…]      prints the names
#   scripts/packages.sh missing [GROUP…]   prints those that are not installed
#   scripts/packages.sh install [GROUP…]   installs those that are not installed (as root, or through sudo)
#
# Groups: core (build and run `assay`; the default), tests (build and run the tests), fuzz (the fuzzer of the parser),
# bench, package (build and check the Debian packages), develop (format, analysis, a compiler cache, readers of the manual page and
# of the completion scripts), solvers (a second SMT solver), backends (further
# compilers that `check` uses where they are here). Other scripts source this file and call its functions.
# Exit status: 0 done, 2 the command line is wrong, or something is missing and cannot be installed from here.

packages_core=(g++ gcc cmake ninja-build pkg-config python3
  libisl-dev libz3-dev libgmp-dev libmpfr-dev nettle-dev libfmt-dev libexpected-dev nlohmann-json3-dev libcli11-dev)
packages_tests=(libgtest-dev librapidcheck-dev python3-venv)
packages_fuzz=(clang-14 libclang-rt-14-dev)
packages_bench=(libbenchmark-dev)
packages_package=(dpkg-dev fakeroot lintian debootstrap)
packages_develop=(ccache clang-format-14 clang-tidy-14 cppcheck pyflakes3 shellcheck man-db groff mandoc zsh fish)
packages_solvers=(cvc5)
packages_backends=(clang-14 libtcc-dev pocl-opencl-icd ocl-icd-libopencl1 oclgrind)

# packages_in GROUP…: the packages of those groups, one a line.
packages_in() {
  local group
  for group in "$@"; do
    case $group in
      core) printf '%s\n' "${packages_core[@]}" ;;
      tests) printf '%s\n' "${packages_tests[@]}" ;;
      fuzz) printf '%s\n' "${packages_fuzz[@]}" ;;
      bench) printf '%s\n' "${packages_bench[@]}" ;;
      package) printf '%s\n' "${packages_package[@]}" ;;
      develop) printf '%s\n' "${packages_develop[@]}" ;;
      solvers) printf '%s\n' "${packages_solvers[@]}" ;;
      backends) printf '%s\n' "${packages_backends[@]}" ;;
      *)
        echo "packages: no group '$group' (core tests fuzz bench package develop solvers backends)" >&2
        return 2
        ;;
    esac
  done
}

# packages_missing GROUP…: those that dpkg does not know as installed, one a line.
packages_missing() {
  local wanted package
  wanted=$(packages_in "$@") || return
  for package in $wanted; do
    # Not `dpkg -s`: it also succeeds for a package that was removed and left its configuration.
    if [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) != installed ]]; then
      echo "$package"
    fi
  done
}

# packages_install GROUP…: installs what is missing and says so; does nothing, without network, when nothing is.
packages_install() {
  local missing log as_root=()
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "packages: this system has no apt-get; Assay is built on Debian 12. Install the equivalents of:" >&2
    packages_in "$@" | tr '\n' ' ' >&2
    echo >&2
    return 2
  fi
  missing=$(packages_missing "$@") || return
  if [[ -z $missing ]]; then
    echo "packages ($*): all present, nothing installed"
    return 0
  fi
  missing=${missing//$'\n'/ }
  if [[ $(id -u) -ne 0 ]]; then
    if ! command -v sudo >/dev/null; then
      echo "packages: missing: $missing" >&2
      echo "packages: neither root nor sudo here; ask an administrator for: apt-get install $missing" >&2
      return 2
    fi
    as_root=(sudo)
  fi
  echo "packages ($*): installing $missing …"
  log=$(mktemp)
  # shellcheck disable=SC2086  # a list of words
  if ! "${as_root[@]}" apt-get -q update >"$log" 2>&1 ||
    ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install $missing >>"$log" 2>&1; then
    tail -n 30 "$log" >&2
    echo "packages: apt-get failed (log: $log); still missing: $(packages_missing "$@" | tr '\n' ' ')" >&2
    return 2
  fi
  rm -f "$log"
}

# Only when run, not when sourced.
if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  set -euo pipefail
  command=${1:-}
  shift || true
  (($# > 0)) || set -- core
  case $command in
    list) packages_in "$@" ;;
    missing) packages_missing "$@" ;;
    install) packages_install "$@" ;;
    *)
      sed -n '2,/^$/s/^# \{0,1\}//p' "$0" >&2
      exit 2
      ;;
  esac
fi
