# For scripts that try something in a bare Debian 12: source this file behind `fail`, with "$0" and the script's arguments.
#   source scripts/bare_debian.sh "$@"
# Needs root (sudo is used if it is there) and mmdebstrap. The system's archive and downloaded packages stay in build/bare for the next time.

# Becomes root, in a namespace whose mounts end with the script.
if [[ $(id -u) != 0 ]]; then
  command -v sudo >/dev/null || fail "not root and no sudo; only root can make a bare Debian"
  exec sudo --preserve-env=http_proxy,https_proxy "$0" "$@"
fi
[[ -n ${FLOPCAST_OWN_MOUNTS-} ]] || exec env FLOPCAST_OWN_MOUNTS=1 unshare --mount --propagation private "$0" "$@"

bare_cache=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/build/bare
root=$bare_cache/root.$$
log=$bare_cache/log.$$
mkdir -p "$bare_cache"

say() { printf '\n== %s\n' "$*"; }
# Runs a command, and prints the end of its output where it fails.
quietly() { "$@" >"$log" 2>&1 || { tail -n 20 "$log" >&2; fail "'${*:0:200}' failed"; }; }

# Unmounts and removes "$root". Where the downloaded packages stay mounted, nothing is removed, since they would be removed, too.
remove_root() {
  umount -l "$root"/{proc,sys,dev,var/cache/apt/archives} 2>/dev/null || true
  ! mountpoint -q "$root/var/cache/apt/archives" || return 0
  rm -rf --one-file-system "$root" "$log"
}

# Makes the folder "$root": a bare Debian 12 that reaches the network as this system does, with an ordinary user `scientist`.
make_root() {
  exec 9>"$bare_cache/lock"
  flock --nonblock 9 || fail "$bare_cache is used by another try"
  rm -rf --one-file-system "$bare_cache"/root.* "$bare_cache"/log.*  # what a killed try left; its mounts ended with it
  if [[ ! -e $bare_cache/base.tar ]]; then
    say "a bare Debian 12"
    quietly mmdebstrap --format=tar --variant=minbase --include=ca-certificates bookworm "$bare_cache/base.tar.new"
    mv "$bare_cache/base.tar.new" "$bare_cache/base.tar"
  fi
  trap remove_root EXIT
  mkdir "$root"
  tar -xf "$bare_cache/base.tar" -C "$root"
  cp /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null || true
  grep -rhi proxy /etc/apt/apt.conf.d /etc/apt/apt.conf >"$root/etc/apt/apt.conf.d/90proxy" 2>/dev/null || true
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/quick"
  mount -t proc proc "$root/proc"
  local name
  for name in sys dev; do mount --rbind "/$name" "$root/$name"; done
  mkdir -p "$bare_cache/archives/partial"
  mount --bind "$bare_cache/archives" "$root/var/cache/apt/archives"
  quietly in_root "useradd --create-home --shell /bin/bash scientist && apt-get update -q && apt-get upgrade -y -q"
}

# Run a command line in "$root", as root or as the ordinary user.
in_root() {
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    http_proxy="${http_proxy-}" https_proxy="${https_proxy-}" bash -euo pipefail -c "$1" </dev/null
}
as_user() {
  chroot --userspec=scientist:scientist "$root" /usr/bin/env -i HOME=/home/scientist USER=scientist PATH=/usr/bin:/bin TERM=dumb LC_ALL=C.UTF-8 \
    http_proxy="${http_proxy-}" https_proxy="${https_proxy-}" bash -euo pipefail -c "cd; $1" </dev/null
}
