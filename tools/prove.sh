#!/usr/bin/env bash
# Runs the proofs: measurements of `sonde bench`, and tests made longer, that fail when a promise does not hold.
# usage: tools/prove.sh small|long [NAME]
set -euo pipefail
cd "$(dirname "$0")/.."
export SONDE_ENGINE_LIBRARY=${SONDE_ENGINE_LIBRARY:-$PWD/.engine/libchdb.so}

# One line per proof: arguments of `sonde bench`, or the name of a test below. CI runs the small ones, `make prove` the long ones.
# Beside CI's other work times count in the rough only.
small=(
  "crash --rounds 2"
  "projects --duration 15s"
  "storage --turns mixed --spans 20000"
  "read-30k"
  "conditions 60"
  "agreement 20"
  "prompts --duration 10s --ingest-peak 8000 --max-ratio 10"
  "erase --rows 5000 --traces 200 --rate 500 --kill"
  "backup 5000"
  "evaluate --rows 1500 --kills 1 --within 10m"
  "import --observations 1000 --kills 1"
)
long=(
  "crash --rounds 200"
  "projects --duration 30m"
  "soak --rate 12000 --duration 30m"
  "fairness"
  "storage --turns 10,30,100,mixed --spans 240000"
  "read-10m"
  "outage 60"
  "conditions 10000"
  "agreement 2000"
  "prompts --duration 60s"
  "erase --rows 1000000"
  "erase --rows 50000 --rate 2000 --kill"
  "backup 1000000"
  "evaluate --rows 100000 --kills 3"
  "import --observations 100000 --kills 3"
  "import --observations 100000 --kills 3 --newer"
)

# reads ROWS ARGUMENTS...: seeds a directory, measures reads of it, and keeps the result for a comparison.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
reads() {
  local rows=$1 dir=$scratch/$1 rc=0
  shift
  bin/sonde bench seed --rows "$rows" --dir "$dir" && bin/sonde bench read --json --dir "$dir" "$@" | tee "$scratch/$rows.json" || rc=$?
  rm -rf "$dir"
  return "$rc"
}

# drawn CASES TEST: a property of the store's contract, on an engine, with as many cases.
drawn() { SONDE_READ_CASES=$1 go test -count=1 -timeout 60m -v -run "TestContractOnEngine/$2" ./internal/tracestore/chstore; }

# prove NAME ARGUMENTS...
prove() {
  case $1 in
    outage) SONDE_E2E_OUTAGE=$2 go test -count=1 -timeout 20m -v -run TestEngineAwayUnderLoad ./e2e ;;
    # Beside CI's other work a few milliseconds say little: answers and memory count, and times in the rough.
    read-30k) reads 30000 --max-ratio 3 --max-extra 30ms --max-rare-word 2s --classes newest,trace,id,user,metadata,rare-word,facets,histogram,sessions ;;
    read-10m) reads 1000000 && reads 10000000 --compare "$scratch/1000000.json" --with-ingest ;;
    conditions) drawn "$2" conditions/any_conditions ;;
    agreement) drawn "$2" lists/any_filter ;;
    backup) tools/prove-backup.sh "$2" ;;
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
  began=$SECONDS
  if prove "${args[@]}"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
  echo "--- took $((SECONDS - began)) s"
done
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
