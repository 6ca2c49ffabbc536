#!/usr/bin/env bash
# Runs every fuzz target of the repository for the given number of seconds each.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?usage: tools/fuzz.sh SECONDS}

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# The go command calls a worker that is busy when the time is up a failure; it names no input then.
timed_out() { grep -q 'context deadline exceeded' "$log" && ! grep -q 'Failing input' "$log"; }

count=0
while IFS=: read -r file target; do
  echo "--- ${file%/*} $target"
  if ! go test -p 2 -run '^$' -fuzz "^$target\$" -fuzztime "${seconds}s" "./${file%/*}" 2>&1 | tee "$log" && ! timed_out; then
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
