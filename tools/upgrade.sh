#!/usr/bin/env bash
# Runs the last release and this version on the same data, under load: a cluster of both beside each other and one node after
# the other, forward, back and forward again. Everything acknowledged must be there once.
# usage: tools/upgrade.sh [SECONDS]   how long each state lasts, 5 unless given
#
# The last release is built from its commit in RELEASES, once, into .cache/releases.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
export SONDE_ENGINE_LIBRARY=${SONDE_ENGINE_LIBRARY:-$root/.engine/libchdb.so}

read -r version commit _ < <(grep -vE '^[[:space:]]*(#|$)' RELEASES | tail -n 1) || true
if [[ -z ${version:-} ]]; then
  echo "no release yet: there is nothing to upgrade from"
  exit 0
fi
if ! git cat-file -e "$commit^{commit}" 2>/dev/null; then
  echo "release $version: commit $commit is not in this checkout (a shallow clone?)" >&2
  exit 1
fi

old=$root/.cache/releases/sonde-$version-$commit
if [[ ! -x $old ]]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  mkdir -p "$root/.cache/releases"
  git archive "$commit" | tar -x -C "$work"
  (cd "$work" && CGO_ENABLED=0 go build -trimpath -o "$old" ./cmd/sonde)
fi

echo "--- from $version ($commit)"
SONDE_PREVIOUS=$old SONDE_UPGRADE_STAY=${1:-5} go test -count=1 -timeout=30m -tags=upgrade -v -run='^TestUpgrade' ./e2e |
  tee >(awk '/^--- PASS/ { good++ } /^--- (FAIL|SKIP)/ { bad++ } END { printf "%d passed, %d failed\n", good, bad }')
