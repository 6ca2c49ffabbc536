#!/usr/bin/env bash
# Fetches the engine library (libchdb: ClickHouse as a shared library) into .engine/ and checks its sum.
# Does nothing when the right file is already there, a link included.
#
# A platform without a pinned sum needs SONDE_ENGINE_SHA256, the sum of a library you trust.
set -euo pipefail
cd "$(dirname "$0")/.."

target=.engine/libchdb.so
stamp=.engine/libchdb.stamp
cache=.cache/engine

case "$(uname -m)" in
  x86_64) arch=amd64 ;;
  aarch64) arch=arm64 ;;
  *) arch=$(uname -m) ;;
esac
platform=$(uname -s | tr '[:upper:]' '[:lower:]')-$arch
read -r package version sum < <(awk -v p="$platform" '$1 "-" $2 == p { print $3, $4, $5 }' internal/engine/libraries.txt) || {
  echo "there is no engine library for $platform: set engine.address to a ClickHouse server" >&2
  exit 1
}
sum=${sum#-}
sum=${SONDE_ENGINE_SHA256:-$sum}
if [[ -z $sum ]]; then
  echo "no checksum is pinned for $platform: set SONDE_ENGINE_SHA256 to that of a library you trust" >&2
  exit 1
fi

sha256() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

# What changes when the file does, so that 566 MB are not read at every build.
fingerprint() {
  stat -Lc '%s %Y' "$1" 2>/dev/null || stat -Lf '%z %m' "$1"
}

stamp_target() {
  printf '%s %s\n' "$sum" "$(fingerprint "$target")" >"$stamp"
}

is_right() {
  [[ -f $target ]] || return 1
  if [[ -f $stamp && $(<"$stamp") == "$sum $(fingerprint "$target")" ]]; then return 0; fi
  [[ $(sha256 "$target") == "$sum" ]] || return 1
  stamp_target
}

fetch() {
  local archive=$cache/$platform-$version.tgz file
  work=$(mktemp -d "$cache/work.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  if [[ ! -f $archive ]]; then
    npm pack --loglevel=error --pack-destination "$work" "$package@$version" >/dev/null
    mv "$work"/*.tgz "$archive"
  fi
  tar -xzf "$archive" -C "$work"
  file=$(find "$work/package" -name 'libchdb.so' -o -name 'libchdb.dylib' | head -n 1)
  if [[ $(sha256 "$file") != "$sum" ]]; then
    rm -f "$archive"
    echo "the fetched library of $platform does not have the checksum $sum" >&2
    exit 1
  fi
  touch "$file"
  mv -f "$file" "$target"
  stamp_target
}

mkdir -p .engine "$cache"
if ! is_right; then fetch; fi
echo "engine library $version ($platform) is at $target"
