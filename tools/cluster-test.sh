#!/usr/bin/env bash
# Runs on a cluster what runs on one process otherwise, unchanged: scenarios, journeys of the SDKs, and the suites of the ports on
# the servers that a cluster has. Ends with "N passed, N failed".
# usage: tools/cluster-test.sh all|short
set -euo pipefail
cd "$(dirname "$0")/.."
export SONDE_ENGINE_LIBRARY=${SONDE_ENGINE_LIBRARY:-$PWD/.engine/libchdb.so}
size=${1:?usage: tools/cluster-test.sh all|short}

scenarios=. journeys="python js py4 py3 py2 js4 js3"
ports=(
  "-run=TestContractOnShards ./internal/tracestore/chstore"
  "-run=TestClusterOfThree ./internal/eventlog/natslog"
  "-run=TestPostgres ./internal/metastore/sqlstore"
  "-run=TestContract ./internal/blob/s3blob"
)
if [[ $size == short ]]; then # the suites of the other ports run with all other tests
  scenarios='TestEveryForm|TestGRPC|TestGoldens' journeys=python
  ports=("-run=TestContractOnShards -parallel=4 ./internal/tracestore/chstore")
  export SONDE_READ_CASES=${SONDE_READ_CASES:-6}
fi

passed=0 failed=0
# sum COMMAND...: shows what it says, and adds up its last line.
sum() {
  local log last
  log=$(mktemp)
  "$@" 2>&1 | tee "$log" || true
  last=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1 || true)
  rm -f "$log"
  if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
    passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
  else
    failed=$((failed + 1))
  fi
}

# Tests of single processes, their files and their engines say so and are skipped.
SONDE_E2E_SHAPE=cluster sum tools/testcount.py --skips-are-fine -p=1 -count=1 -timeout=60m "-run=$scenarios" ./e2e
SONDE_E2E_SHAPE=cluster JOURNEYS=$journeys sum e2e/sdk/run.sh
for port in ${ports+"${ports[@]}"}; do
  read -ra args <<<"$port"
  sum tools/testcount.py -p=1 -count=1 -timeout=60m "${args[@]}"
done
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
