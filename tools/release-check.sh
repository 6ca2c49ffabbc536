#!/usr/bin/env bash
# Builds a release twice, in two directories with other paths, times, masks and zones, and compares every sum.
# `tools/release-check.sh small` does it for this platform only, with the web interface as ui/dist has it and compiled
# packages shared, and leaves it in the directory that is named behind; without `small`, everything is built from nothing
# both times (half an hour on two cores).
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'chmod -R u+w "$work" && rm -rf "$work"' EXIT
COMMIT=$(git rev-parse --short=12 HEAD)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export COMMIT SOURCE_DATE_EPOCH

# build DIR: a release of the files that git knows, as they are now.
build() {
  mkdir -p "$1"
  git ls-files -z | tar --null --files-from - --create --ignore-failed-read | tar --extract --touch --directory "$1"
  if [[ ${small:-} ]]; then
    cp -r ui/dist/. "$1/ui/dist/"
    (cd "$1" && tools/release.sh "$(go env GOHOSTOS)/$(go env GOHOSTARCH)")
  else
    (cd "$1" && npm --prefix ui ci --ignore-scripts --no-audit --no-fund && npm --prefix ui/tools ci --ignore-scripts --no-audit --no-fund &&
      cd ui && npm run types && npm run build)
    (cd "$1" && GOCACHE=$work/cache-$2 tools/release.sh)
  fi
}

small=
if [[ ${1:-} == small ]]; then small=yes; fi
(umask 077 && TZ=Asia/Tokyo build "$work/a" 1) 2>&1 | tail -n 3
(umask 002 && TZ=America/Lima LANG=C.UTF-8 build "$work/another directory/below" 2) 2>&1 | tail -n 3
if ! diff "$work/a/dist/SHA256SUMS" "$work/another directory/below/dist/SHA256SUMS"; then
  echo "the same sources gave different bytes" >&2
  exit 1
fi
cat "$work/a/dist/SHA256SUMS"
if [[ ${2:-} ]]; then
  rm -rf "$2"
  cp -r "$work/a/dist" "$2"
fi
echo "both builds are the same: $(wc -l <"$work/a/dist/SHA256SUMS") files"
