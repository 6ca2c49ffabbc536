#!/usr/bin/env bash
# Sends generated requests, good and bad ones, to every operation of the served description and holds the
# answers against it, with all checks: no 5xx, no status, header or body that is not described, and nothing
# accepted that the description forbids. `tools/schemathesis.sh 50` draws more examples per operation;
# what follows the number is given to schemathesis.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
export SONDE_ENGINE_LIBRARY=${SONDE_ENGINE_LIBRARY:-$root/.engine/libchdb.so}
# shellcheck source=serve.sh
source tools/serve.sh

venv=$root/.cache/schemathesis
if ! cmp -s tools/schemathesis.txt "$venv/installed.txt"; then
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r tools/schemathesis.txt
  cp tools/schemathesis.txt "$venv/installed.txt"
fi

work=$(mktemp -d)
trap 'serve_stop; rm -rf "$work"' EXIT
export SONDE_ADMIN_API_KEY=admin-of-the-generated-requests SONDE_SQL_ENABLED=true # what is off by default is described, too
serve bin/sonde "$work"
seed=$(python3 tools/schemathesis_seed.py)
eval "$seed"
cd "$work" # it leaves files where it runs
# From a file: the program leaves out the operation that it reads the description from.
python3 -c 'import sys, urllib.request; urllib.request.urlretrieve(*sys.argv[1:])' "$SONDE_URL/api/openapi.yaml" openapi.yaml
# One worker: threads of the program get into each other's way in some versions of Python.
"$venv/bin/schemathesis" --config-file "$root/tools/schemathesis.toml" run openapi.yaml --url "$SONDE_URL" \
  --checks all --phases examples,coverage,fuzzing \
  --max-examples "${1:-10}" --workers 1 --seed "${SEED:-1}" --warnings off --request-timeout 30 --no-color "${@:2}"
if grep -q '"level":"ERROR"\|level=ERROR' "$work/server.log"; then
  echo "the server logged errors:" >&2
  grep '"level":"ERROR"\|level=ERROR' "$work/server.log" | head -n 20 >&2
  exit 1
fi
