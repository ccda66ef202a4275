#!/usr/bin/env bash
# Builds the Debian packages assay and libassay-dev, and lets lintian look at them.
#
#   scripts/package.sh [--check]
#
# The packages go to build-package/ (ASSAY_BUILD names another folder, to which -package is appended). --check then installs them
# into a minimal Debian 12 with nothing but what they depend on, and uses them there: an installed example checked and run, the
# manual page found, a client of the library built. It needs root and debootstrap (scripts/debian-root.sh).
# Exit status: 0 built (and checked), 1 something fails, 2 the command line, the rights or a package is wrong.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh
source scripts/build.sh
root_user=package
source scripts/debian-root.sh

case ${1:-} in
  "" | --check) ;;
  *)
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0" >&2
    exit 2
    ;;
esac
packages_install core package
folder=${ASSAY_BUILD:-$assay_root/build}-package
assay_configure "$folder" -DASSAY_TESTS=OFF -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_EXE_LINKER_FLAGS=-Wl,-z,relro,-z,now,--as-needed
assay_build "$folder"
rm -f "$folder"/*.deb
if ! (cd "$folder" && fakeroot cpack -G DEB >package.log 2>&1); then
  tail -n 30 "$folder/package.log" >&2
  exit 1
fi
packages=("$folder"/*.deb)
for package in "${packages[@]}"; do
  echo "package: $(basename "$package"), $(stat -c %s "$package") bytes; depends on $(dpkg-deb -f "$package" Depends)"
done
echo "package: lintian"
# Not of an upstream package: no bug number of a first upload.
lintian --allow-root --no-cfg --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "${packages[@]}"
if [[ ${1:-} != --check ]]; then exit 0; fi

root_begin
mkdir "$root/root/packages"
cp "${packages[@]}" "$root/root/packages/"
cp -r tests/package/client "$root/root/client"
step() {
  root_say "$1"
  if ! root_inside "set -e; $2" >"$root_work/step.log" 2>&1; then
    tail -n 30 "$root_work/step.log" >&2
    root_say "FAILED: $1"
    exit 1
  fi
}
step "apt-get update" "apt-get -q update"
# Documents are excluded by some minimal systems; the examples are among them.
step "installing assay with what it depends on" "rm -f /etc/dpkg/dpkg.cfg.d/*; DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install /root/packages/assay_*.deb"
examples=/usr/share/doc/assay/examples
step "assay --version" "assay --version"
step "assay check of an installed example, legal" "cd $examples/fir_interleaved && assay check fir_interleaved.air good.sched | tee /dev/stderr | tail -n 1 | grep -q '^legal'"
step "the compiled code ran too" "cd $examples/fir_interleaved && assay check fir_interleaved.air good.sched --require c"
step "assay check of an installed example, illegal" "cd $examples/fir_interleaved && if assay check fir_interleaved.air wrong.sched; then exit 1; else test \$? -eq 1; fi"
step "assay run of an installed example" "cd /tmp && assay run $examples/fir_interleaved/fir_interleaved.air --out outputs && ls outputs/*.npy"
step "no file is left in /tmp" "rm -r /tmp/outputs; test -z \"\$(ls -A /tmp)\""
step "man-db and bash" "DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install man-db"
step "man -w assay" "man -w assay && man --warnings assay >/dev/null"
step "completion" "bash -c 'source /usr/share/bash-completion/completions/assay && complete -p assay'"
step "installing libassay-dev" "DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install g++ cmake make /root/packages/libassay-dev_*.deb"
step "a C++ client by find_package" "cd /root/client && cmake -S . -B build && cmake --build build && cd $examples/fir_interleaved && test \"\$(/root/client/build/client fir_interleaved.air good.sched)\" = legal"
step "a C client by pkg-config" "cd /root/client && gcc -std=c11 client.c \$(pkg-config --cflags --libs assay) -o c-client && cd $examples/fir_interleaved && /root/client/c-client fir_interleaved.air good.sched | grep -q '\"verdict\": \"legal\"'"
step "removing both leaves nothing" "apt-get -q -y purge assay libassay-dev && test -z \"\$(find / -xdev -name '*assay*' -not -path '/root/*' -not -path '/var/*' -not -path '/proc/*' -not -path '/tmp/*')\""
root_say "passed: both packages install with what they depend on, and work, on a fresh Debian 12"
