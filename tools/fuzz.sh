#!/usr/bin/env bash
# Runs every fuzz target of the repository for the given number of seconds each. A package is built once for all of its targets.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?usage: tools/fuzz.sh SECONDS}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
inputs=$(go env GOCACHE)/fuzz # what earlier runs found interesting

# A worker that is busy when the time is up is called a failure; no input is named then.
timed_out() { grep -q 'context deadline exceeded' "$log" && ! grep -q 'Failing input' "$log"; }

# fuzz PACKAGE TARGET: new failing inputs are written into the package's testdata.
fuzz() {
  (cd "$1" && "$work/test" -test.run '^$' -test.fuzz "^$2\$" -test.fuzztime "${seconds}s" -test.fuzzcachedir "$inputs/$1") 2>&1 | tee "$log" || timed_out
}

count=0 built=
while IFS=: read -r file target; do
  package=${file%/*}
  if [[ $package != "$built" ]]; then
    go test -p 2 -c -fuzz . -o "$work/test" "./$package"
    built=$package
  fi
  echo "--- $package $target"
  if ! fuzz "$package" "$target"; then
    echo "$count passed, 1 failed"
    exit 1
  fi
  count=$((count + 1))
done < <(grep -rEo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' cmd e2e internal | sed 's/func //' | sort)
if ((count == 0)); then
  echo "found no fuzz target" >&2
  exit 1
fi
echo "$count passed, 0 failed"
