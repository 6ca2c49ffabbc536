#!/usr/bin/env bash
# Installs the package for Debian for real, on a copy of this machine that is thrown away: tools/deb-check.sh PACKAGE.deb
# Then looks at rights and unit, runs the unit's ExecStart line as its user, and upgrades, removes and purges the package.
# Needs root and Linux with overlayfs; nothing of it stays on the machine.
set -euo pipefail
if [[ ${1:-} != --inside ]]; then
  package=$(realpath "$1")
  cd "$(dirname "$0")/.."
  exec unshare --mount --propagation private "$PWD/tools/deb-check.sh" --inside "$package" "${SONDE_ENGINE_LIBRARY:-$PWD/.engine/libchdb.so}"
fi
package=$2 library=$(realpath "$3")

copy=$(mktemp -d)
mount -t tmpfs tmpfs "$copy"
mkdir "$copy"/{above,work,root}
mount -t overlay overlay -o "lowerdir=/,upperdir=$copy/above,workdir=$copy/work" "$copy/root"
root=$copy/root
for place in dev proc sys; do mount --rbind "/$place" "$root/$place"; done
mount -t tmpfs tmpfs "$root/run"
cp "$package" "$root/run/sonde.deb"
server=
end() {
  if [[ $server ]]; then kill "$server" 2>/dev/null || true; fi
  cd /
  umount --lazy --recursive "$copy"
  rmdir "$copy"
}
trap end EXIT
within() { chroot "$root" "$@"; }
passed=0
ok() {
  passed=$((passed + 1))
  echo "ok    $1"
}
is() { # is WHAT WANT GOT
  if [[ $2 != "$3" ]]; then
    echo "FAIL  $1: want $2, got $3" >&2
    exit 1
  fi
  ok "$1"
}

# adduser is the package's one dependency.
within sh -c 'command -v adduser' >/dev/null || within apt-get install -q -y --no-install-recommends adduser >/dev/null
within dpkg --install /run/sonde.deb
is "the user is there" sonde "$(within id -gn sonde)"
is "only the user sees the data" "sonde:sonde 700" "$(within stat -c '%U:%G %a' /var/lib/sonde)"
is "only root and the user see the settings" "root:sonde 640" "$(within stat -c '%U:%G %a' /etc/sonde/sonde.yaml)"
is "the settings are a conffile" "/etc/sonde/sonde.yaml" "$(within dpkg-query -W -f '${Conffiles}' sonde | awk 'NF { print $1 }')"
is "files are what was packed" "" "$(within dpkg --verify sonde)"
within systemd-analyze verify /lib/systemd/system/sonde.service
ok "systemd takes the unit"

unit=$root/lib/systemd/system/sonde.service
command=$(sed -n 's/^ExecStart=//p' "$unit")
user=$(sed -n 's/^User=//p' "$unit")
data=/var/lib/$(sed -n 's/^StateDirectory=//p' "$unit")
mkdir -p "$root/usr/lib/sonde"
touch "$root/usr/lib/sonde/libchdb.so"
mount --bind "$library" "$root/usr/lib/sonde/libchdb.so"
port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
printf '%s\n' "SONDE_LISTEN=127.0.0.1:$(port)" "SONDE_GRPC_LISTEN=" "SONDE_METRICS_LISTEN=" >"$root/etc/sonde/sonde.env"
mapfile -t settings <"$root/etc/sonde/sonde.env"
as_user=(chroot "$root" setpriv --reuid "$user" --regid "$user" --clear-groups env -i PATH=/usr/bin:/bin "${settings[@]}")
# shellcheck disable=SC2086 # the words of the line
"${as_user[@]}" $command >"$copy/server.log" 2>&1 &
server=$!
for _ in $(seq 300); do
  if "${as_user[@]}" sonde health --config /etc/sonde/sonde.yaml --ready >/dev/null 2>&1; then break; fi
  if ! kill -0 "$server" 2>/dev/null; then cat "$copy/server.log" >&2; exit 1; fi
  sleep 0.1
done
"${as_user[@]}" sonde health --config /etc/sonde/sonde.yaml --ready >/dev/null || { cat "$copy/server.log" >&2; exit 1; }
ok "the unit's line serves as $user"
is "its files are the user's" sonde "$(within stat -c %U "$data/metadata.sqlite")"
kill "$server"
wait "$server" || { cat "$copy/server.log" >&2; exit 1; }
server=
ok "it stops in good order"

echo "# mine" >>"$root/etc/sonde/sonde.yaml"
within dpkg --install /run/sonde.deb >/dev/null
is "an upgrade keeps changed settings" "# mine" "$(tail -n 1 "$root/etc/sonde/sonde.yaml")"
within dpkg --remove sonde >/dev/null
is "removing keeps settings and data" "yes" "$([[ -f $root/etc/sonde/sonde.yaml && -f $root$data/metadata.sqlite ]] && echo yes)"
is "and takes the program" "" "$(ls "$root/usr/bin/sonde" 2>/dev/null || true)"
within dpkg --purge sonde >/dev/null
is "purging takes the settings and leaves the data" "yes" "$([[ ! -e $root/etc/sonde && -f $root$data/metadata.sqlite ]] && echo yes)"
echo "$passed passed, 0 failed"
