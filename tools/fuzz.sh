#!/usr/bin/env bash
# Runs every fuzz target of the repository for the given number of seconds each.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?usage: tools/fuzz.sh SECONDS}

count=0
while IFS=: read -r file target; do
  echo "--- ${file%/*} $target"
  go test -p 2 -run '^$' -fuzz "^$target\$" -fuzztime "${seconds}s" "./${file%/*}" || {
    echo "$count passed, 1 failed"
    exit 1
  }
  count=$((count + 1))
done < <(grep -rEo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' cmd e2e internal | sed 's/func //' | sort)
if ((count == 0)); then
  echo "found no fuzz target" >&2
  exit 1
fi
echo "$count passed, 0 failed"
