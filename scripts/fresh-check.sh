#!/usr/bin/env bash
# What a new user sees: a minimal Debian 12 in a folder of its own, a clone of this repository in it, and there the two commands
# of the README.
#
#   scripts/fresh-check.sh [--packages-only]
#
# --packages-only stops after the packages of both commands are installed. Needs root, debootstrap and this machine's apt
# sources, which are used inside too. The minimal system is kept as a tar file and reused: ASSAY_FRESH_CACHE names its folder
# (/var/tmp). What is cloned is the last commit, not the working tree. FUZZ_SECONDS is passed on to scripts/test.sh.
# Exit status: 0 both commands succeed, 1 one fails, 2 the command line, the rights or a tool is wrong.
set -euo pipefail
cd "$(dirname "$0")/.."
source_tree=$PWD
cache=${ASSAY_FRESH_CACHE:-/var/tmp}

case ${1:-} in
  "" | --packages-only) ;;
  *)
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0" >&2
    exit 2
    ;;
esac
if [[ $(id -u) -ne 0 ]]; then
  echo "fresh-check: needs root, for debootstrap and chroot" >&2
  exit 2
fi
for tool in debootstrap git tar; do
  if ! command -v "$tool" >/dev/null; then
    echo "fresh-check: $tool is not installed: apt-get install $tool" >&2
    exit 2
  fi
done

mkdir -p "$cache"
work=$(mktemp -d "$cache/assay-fresh.XXXXXX")
root=$work/root
mounted=()
# Ends what still runs inside the root, and nothing else; then unmounts, innermost first. A folder that is still mounted
# somewhere below is never removed.
cleanup() {
  local status=$? at process
  for process in /proc/[0-9]*; do
    if [[ $(readlink "$process/root") == "$root"* ]]; then kill -KILL "${process#/proc/}" 2>/dev/null || true; fi
  done
  for ((at = ${#mounted[@]} - 1; at >= 0; at--)); do
    umount "${mounted[at]}" 2>/dev/null || umount --lazy "${mounted[at]}" || true
  done
  if grep -q " $work/" /proc/mounts; then
    echo "fresh-check: $work is still mounted and is left where it is" >&2
  else
    rm -rf "$work"
  fi
  exit "$status"
}
trap cleanup EXIT
trap 'exit 1' INT TERM HUP

say() { echo "fresh-check: $* [$SECONDS s]"; }

# The address that this machine installs Debian 12 from.
# shellcheck disable=SC2016  # the placeholders are apt's
mirror() {
  apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 2>/dev/null | awk '$2 ~ /^bookworm$|^stable$/ { print $1; exit }'
}

minimal_root() {
  local tarball address
  tarball=$cache/assay-bookworm-$(dpkg --print-architecture).tar
  mkdir "$root"
  if [[ ! -f $tarball ]]; then
    address=$(mirror)
    say "debootstrap of a minimal bookworm from ${address:-Debian}"
    if ! debootstrap --variant=minbase --include=ca-certificates bookworm "$root" "${address:-http://deb.debian.org/debian}" >"$work/debootstrap.log" 2>&1; then
      tail -n 20 "$work/debootstrap.log" >&2
      return 1
    fi
    rm -rf "$root"/var/cache/apt/archives/*.deb
    # Under another name first: an interrupted run leaves no broken tar file.
    tar -C "$root" --one-file-system -cf "$work/root.tar" .
    mv "$work/root.tar" "$tarball"
  else
    say "minimal bookworm from $tarball"
    tar -C "$root" -xf "$tarball"
  fi
}

# The network and the apt sources of this machine: name resolution, sources with their keys, and how apt fetches.
use_host_network() {
  local file
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
  rm -f "$root/etc/apt/sources.list"
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
    if [[ -f $file ]]; then cp "$file" "$root$file"; fi
  done
  cp -r /etc/apt/trusted.gpg.d/. "$root/etc/apt/trusted.gpg.d/"
  cp -r /usr/share/keyrings/. "$root/usr/share/keyrings/"
  apt-config dump | grep '^Acquire::' >"$root/etc/apt/apt.conf.d/99-host" || true
}

mount_kernel_folders() {
  mount -t proc proc "$root/proc" && mounted+=("$root/proc")
  mount --bind /dev "$root/dev" && mounted+=("$root/dev")
}

inside() {
  local proxies=() name
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
    if [[ -n ${!name:-} ]]; then proxies+=("$name=${!name}"); fi
  done
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    "FUZZ_SECONDS=${FUZZ_SECONDS:-60}" "${proxies[@]}" /bin/bash -c "cd /root/assay && $1" &
  # Waiting, rather than running it in front, lets a signal end this script at once.
  wait $!
}

minimal_root
use_host_network
mount_kernel_folders
git clone -q --no-hardlinks "$source_tree" "$root/root/assay"
say "cloned $(git -C "$source_tree" log -1 --format='%h (%s)')"
if [[ -n $(git -C "$source_tree" status --porcelain) ]]; then
  say "the working tree has changes that are not committed; they are not part of this check"
fi

if [[ ${1:-} == --packages-only ]]; then
  inside "scripts/packages.sh install core tests" >"$work/packages.log" 2>&1 || { tail -n 30 "$work/packages.log"; exit 1; }
  inside "scripts/packages.sh install core tests"
  say "packages installed"
  exit 0
fi
for command in scripts/quickstart.sh scripts/quickstart.sh scripts/test.sh; do
  say "$command"
  inside "$command" || { say "FAILED: $command"; exit 1; }
done
say "passed: quickstart twice and all tests, on a fresh Debian 12"
