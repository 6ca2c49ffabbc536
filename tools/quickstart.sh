#!/usr/bin/env bash
# Does what docs/quickstart.md says, word for word, as somebody who has nothing but the page and a release: every block of
# the page runs in an empty directory, those up to `sonde serve` in one shell, the others in a second one beside it.
# Only downloads are replaced: the release is the directory that is named (default: dist, from make release), packages of
# Python come from a folder that is filled before. It runs in a network of its own, so that ports are free.
set -euo pipefail
if [[ ${1:-} != --inside ]]; then
  release=$(realpath "${1:-dist}")
  cd "$(dirname "$0")/.."
  cache=$PWD/.cache/quickstart
  mkdir -p "$cache"
  if ! compgen -G "$cache/wheels/langfuse-*" >/dev/null; then
    python3 -m pip download --quiet --disable-pip-version-check --dest "$cache/wheels" langfuse
  fi
  engine=$(compgen -G "$release/sonde-engine_*_linux_amd64.tar.gz" || true)
  if [[ -z $engine ]]; then # a small release has none
    engine=$cache/engine.tar.gz
    library=${SONDE_ENGINE_LIBRARY:-.engine/libchdb.so}
    if [[ ! -f $engine || $library -nt $engine ]]; then
      tar --create --dereference --directory "$(dirname "$library")" libchdb.so | gzip -1 >"$engine"
    fi
  fi
  exec unshare --net --pid --fork --kill-child "$PWD/tools/quickstart.sh" --inside "$release" "$engine" "$cache/wheels" "$PWD/docs/quickstart.md"
fi
release=$2 engine=$3 wheels=$4 page=$5
ip link set lo up 2>/dev/null || python3 - <<'PY' # the loopback is down in a new network
import fcntl, socket, struct
s = socket.socket()
fcntl.ioctl(s, 0x8914, struct.pack("16sh", b"lo", 0x49))
PY

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir user
# blocks: the page's code, with what the network would bring taken from here.
blocks() {
  awk '/^```sh$/ { code = 1; next } /^```$/ { code = 0 } code' "$page" |
    sed -e "s|^release=.*|release=file://$release|" -e "s|^./sonde engine fetch$|./sonde engine fetch --from '$engine'|"
}
blocks | sed '/^\.\/sonde serve$/q' >first.sh
blocks | sed '1,/^\.\/sonde serve$/d' >second.sh
wc -l first.sh second.sh | head -n 2

user=(env -i "HOME=$work/user" "PATH=/usr/local/bin:/usr/bin:/bin" "PIP_NO_INDEX=1" "PIP_FIND_LINKS=$wheels" PIP_DISABLE_PIP_VERSION_CHECK=1)
began=$SECONDS
(cd user && exec "${user[@]}" bash -euo pipefail ../first.sh) >first.log 2>&1 &
server=$!
until grep -qs 'msg="ready' first.log; do
  if ! kill -0 "$server" 2>/dev/null || ((SECONDS - began > 300)); then
    cat first.log
    echo "the first terminal did not get to a server" >&2
    exit 1
  fi
  sleep 0.2
done
serving=$((SECONDS - began))
if ! (cd user/sonde_*/ && exec "${user[@]}" bash -euo pipefail "$work/second.sh") >second.log 2>&1; then
  cat first.log second.log
  echo "the second terminal did not get to a trace" >&2
  exit 1
fi
took=$((SECONDS - began))

passed=0
has() { # has WHAT TEXT FILE
  if ! grep -qF "$2" "$3"; then
    cat first.log second.log
    echo "FAIL  $1: no '$2'" >&2
    exit 1
  fi
  passed=$((passed + 1))
  echo "ok    $1"
}
has "the archive has the sum that the release says" "linux_amd64.tar.gz: OK" first.log
has "the engine was fetched and checked" "The engine's library" first.log
has "every check is ok" "ok    engine" first.log
has "the password was shown" "ada@example.com" first.log
has "the first trace is there" '"name": "first-trace"' second.log
has "its generation has its model" "gpt-4o-mini" second.log
has "and a cost" '"totalCost": 7.2e-06' second.log
echo "a server with TLS and an account after $serving s, the first trace read back after $took s"
echo "$passed passed, 0 failed"
