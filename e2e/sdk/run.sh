#!/usr/bin/env bash
# Runs the journeys of the published Python and JavaScript SDKs against bin/sonde.
# CHECKS selects checks (see README.md); by default those that now.txt promises.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
cache=$root/.cache/sdk
export CHECKS=${CHECKS:-@$root/e2e/sdk/now.txt}
if [[ $CHECKS == all ]]; then CHECKS=; fi
export SONDE_ENGINE_LIBRARY=${SONDE_ENGINE_LIBRARY:-$root/.engine/libchdb.so}
# shellcheck source=../../tools/serve.sh
source tools/serve.sh

# install NAME FILE COMMAND...: runs the command unless it did so for the same FILE before.
install() {
  local stamp=$cache/$1.installed file=$2
  shift 2
  if cmp -s "$file" "$stamp"; then return; fi
  "$@" >"$cache/install.log" 2>&1 || { tail -n 40 "$cache/install.log"; exit 1; }
  cp "$file" "$stamp"
}
install_python() {
  python3 -m venv --clear "$cache/venv"
  "$cache/venv/bin/pip" install --quiet --disable-pip-version-check -r e2e/sdk/python/requirements.txt
}
install_js() {
  npm install --prefix "$cache/js" --no-audit --no-fund --no-package-lock
}

mkdir -p "$cache/js"
cp e2e/sdk/js/package.json e2e/sdk/js/journey.mjs "$cache/js/" # modules are looked up beside the script
install python e2e/sdk/python/requirements.txt install_python
install js e2e/sdk/js/package.json install_js

work=$(mktemp -d)
trap 'serve_stop; rm -rf "$work"' EXIT
serve "$root/bin/sonde" "$work"

# journey NAME COMMAND...: shows its checks and adds its last line to the sums.
passed=0 failed=0
journey() {
  local name=$1 out=$work/$1.log last
  shift
  echo "--- $name"
  "$@" 2>"$out.err" | tee "$out" || true # an SDK complains there about what we do not have yet
  last=$(tail -n 1 "$out")
  if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
    passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
    summary+="$name: $last"$'\n'
  else
    failed=$((failed + 1))
    tail -n 40 "$out.err"
    summary+="$name: ended without a summary"$'\n'
  fi
}
summary=
journey python "$cache/venv/bin/python" e2e/sdk/python/journey.py
journey js node "$cache/js/journey.mjs"

if ((failed)); then
  echo "--- end of the server's log"
  tail -n 40 "$work/server.log"
fi
printf -- '---\n%s%d passed, %d failed\n' "$summary" "$passed" "$failed"
((failed == 0 && passed > 0))
