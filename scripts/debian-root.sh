#!/usr/bin/env bash
# A minimal Debian 12 in a folder of its own; sourced, not run. The one who sources it sets `root_user` (the script's name, for
# messages) and gets:
#
#   root_begin            checks rights and tools, makes the folder $root and arranges that nothing of it is left at the end
#   root_inside COMMAND   runs a shell command inside
#
# Needs root, debootstrap and this machine's apt sources, which are used inside too. The minimal system is kept as a tar file and
# reused: ASSAY_FRESH_CACHE names its folder (/var/tmp).
# shellcheck disable=SC2154  # root_user is set by the one who sources this

root_say() { echo "$root_user: $* [$SECONDS s]"; }

# Ends what still runs inside the root, and nothing else; then unmounts, innermost first. A folder that is still mounted
# somewhere below is never removed.
root_cleanup() {
  local status=$? at process
  for process in /proc/[0-9]*; do
    if [[ $(readlink "$process/root") == "$root"* ]]; then kill -KILL "${process#/proc/}" 2>/dev/null || true; fi
  done
  for ((at = ${#root_mounted[@]} - 1; at >= 0; at--)); do
    umount "${root_mounted[at]}" 2>/dev/null || umount --lazy "${root_mounted[at]}" || true
  done
  if grep -q " $root_work/" /proc/mounts; then
    echo "$root_user: $root_work is still mounted and is left where it is" >&2
  else
    rm -rf "$root_work"
  fi
  exit "$status"
}

# The address that this machine installs Debian 12 from.
# shellcheck disable=SC2016  # the placeholders are apt's
root_mirror() {
  apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 2>/dev/null | awk '$2 ~ /^bookworm$|^stable$/ { print $1; exit }'
}

root_unpack() {
  local tarball address
  tarball=$root_cache/assay-bookworm-$(dpkg --print-architecture).tar
  mkdir "$root"
  if [[ ! -f $tarball ]]; then
    address=$(root_mirror)
    root_say "debootstrap of a minimal bookworm from ${address:-Debian}"
    if ! debootstrap --variant=minbase --include=ca-certificates bookworm "$root" "${address:-http://deb.debian.org/debian}" >"$root_work/debootstrap.log" 2>&1; then
      tail -n 20 "$root_work/debootstrap.log" >&2
      return 1
    fi
    rm -rf "$root"/var/cache/apt/archives/*.deb
    # Under another name first: an interrupted run leaves no broken tar file.
    tar -C "$root" --one-file-system -cf "$root_work/root.tar" .
    mv "$root_work/root.tar" "$tarball"
  else
    root_say "minimal bookworm from $tarball"
    tar -C "$root" -xf "$tarball"
  fi
}

# The network and the apt sources of this machine: name resolution, sources with their keys, and how apt fetches.
root_use_host_network() {
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

root_begin() {
  local tool
  if [[ $(id -u) -ne 0 ]]; then
    echo "$root_user: needs root, for debootstrap and chroot" >&2
    exit 2
  fi
  for tool in debootstrap git tar; do
    if ! command -v "$tool" >/dev/null; then
      echo "$root_user: $tool is not installed: apt-get install $tool" >&2
      exit 2
    fi
  done
  root_cache=${ASSAY_FRESH_CACHE:-/var/tmp}
  mkdir -p "$root_cache"
  root_work=$(mktemp -d "$root_cache/assay-fresh.XXXXXX")
  root=$root_work/root
  root_mounted=()
  trap root_cleanup EXIT
  trap 'exit 1' INT TERM HUP
  root_unpack
  root_use_host_network
  mount -t proc proc "$root/proc" && root_mounted+=("$root/proc")
  mount --bind /dev "$root/dev" && root_mounted+=("$root/dev")
}

root_inside() {
  local proxies=() name
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
    if [[ -n ${!name:-} ]]; then proxies+=("$name=${!name}"); fi
  done
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    "FUZZ_SECONDS=${FUZZ_SECONDS:-60}" "${proxies[@]}" /bin/bash -c "$1" &
  # Waiting, rather than running it in front, lets a signal end this script at once.
  wait $!
}
