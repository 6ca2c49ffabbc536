#!/usr/bin/env bash
# Runs the proofs: measurements of `sonde bench`, and tests made longer, that fail when a promise does not hold.
# usage: tools/prove.sh small|long [NAME]
set -euo pipefail
cd "$(dirname "$0")/.."
export SONDE_ENGINE_LIBRARY=${SONDE_ENGINE_LIBRARY:-$PWD/.engine/libchdb.so}

# One line per proof: arguments of `sonde bench`, or the name of a test below. CI runs the small ones, `make prove` the long ones.
small=(
  "crash --rounds 20"
  "projects --duration 2m"
  "storage --turns 30,mixed --spans 20000"
)
long=(
  "crash --rounds 200"
  "projects --duration 30m"
  "soak --rate 12000 --duration 30m"
  "fairness"
  "storage --turns 10,30,100,mixed --spans 240000"
  "outage 60"
)

# prove NAME ARGUMENTS...
prove() {
  case $1 in
    outage) SONDE_E2E_OUTAGE=$2 go test -count=1 -timeout 20m -v -run TestEngineAwayUnderLoad ./e2e ;;
    *) bin/sonde bench "$@" ;;
  esac
}

case ${1:-} in
  small) proofs=("${small[@]}") ;;
  long) proofs=("${long[@]}") ;;
  *) echo "usage: tools/prove.sh small|long [NAME]" >&2; exit 2 ;;
esac

passed=0 failed=0
for proof in "${proofs[@]}"; do
  if [[ -n ${2:-} && ${proof%% *} != "$2" ]]; then continue; fi
  echo "--- $proof"
  read -ra args <<<"$proof"
  if prove "${args[@]}"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
