#!/usr/bin/env bash
# Runs the journeys of the published Python and JavaScript SDKs, old majors included, against bin/sonde.
# CHECKS selects checks (see README.md); by default those that now.txt promises. A journey of which no
# check is selected is neither installed nor run. JOURNEYS="py3 js4" runs only these.
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
install_python() { # NAME REQUIREMENTS
  python3 -m venv --clear "$cache/$1"
  "$cache/$1/bin/pip" install --quiet --disable-pip-version-check -r "$2"
}
install_js() { # NAME
  npm install --prefix "$cache/$1" --no-audit --no-fund --no-package-lock
}

# python NAME REQUIREMENTS SCRIPT, js NAME PACKAGE SCRIPT...: installs an SDK and runs its journey.
python() {
  wanted "$1" || return 0
  install "$1" "$2" install_python "$1" "$2"
  journey "$1" "$cache/$1/bin/python" -B "$3"
}
js() {
  local name=$1 package=$2
  wanted "$name" || return 0
  shift 2
  mkdir -p "$cache/$name"
  cp "$package" "$cache/$name/package.json"
  cp "$@" "$cache/$name/" # modules are looked up beside the script
  install "$name" "$package" install_js "$name"
  journey "$name" node "$cache/$name/$(basename "$1")"
}

# wanted NAME: whether the journey was asked for, and the file of checks has one of its own.
wanted() {
  if [[ -n ${JOURNEYS:-} && " $JOURNEYS " != *" $1 "* ]]; then return 1; fi
  [[ $CHECKS != @* ]] || grep -q "^$1:" "${CHECKS#@}"
}

mkdir -p "$cache"
work=$(mktemp -d)
trap 'serve_stop; rm -rf "$work"' EXIT
serve "$root/bin/sonde" "$work"
export LANGFUSE_HOST=$SONDE_URL LANGFUSE_BASE_URL=$SONDE_URL # older and newer SDKs

# journey NAME COMMAND...: shows its checks and adds its last line to the sums.
passed=0 failed=0
journey() {
  local name=$1 out=$work/$1.log last
  shift
  export JOURNEY=$name
  echo "--- $name"
  rm -f "$root/.cache/compat/sdk-$name.json"
  serve_metrics >"$work/before"
  "$@" 2>"$out.err" | tee "$out" || true # an SDK complains there about what we do not have yet
  last=$(tail -n 1 "$out")
  if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
    passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
    summary+="$name: $last"$'\n'
    if [[ $CHECKS == @* && ${BASH_REMATCH[2]} == 0 && -z ${SONDE_E2E_SHAPE:-} ]]; then # for docs/compat.md
      serve_metrics >"$work/after"
      tools/compat.py journey "$name" "$work/before" "$work/after" "${BASH_REMATCH[1]}"
    fi
  else
    failed=$((failed + 1))
    tail -n 40 "$out.err"
    summary+="$name: ended without a summary"$'\n'
  fi
}
summary=
old=e2e/sdk/legacy
python python e2e/sdk/python/requirements.txt e2e/sdk/python/journey.py
js js e2e/sdk/js/package.json e2e/sdk/js/journey.mjs
python py4 $old/requirements-py4.txt e2e/sdk/python/journey.py # as 5, but for its texts in metadata
python py3 $old/requirements-py3.txt $old/py3_journey.py
python py2 $old/requirements-py2.txt $old/py2_journey.py
js js4 $old/package-js4.json $old/js4_journey.mjs $old/checks.mjs
js js3 $old/package-js3.json $old/js3_journey.mjs $old/checks.mjs

if ((failed)); then
  echo "--- end of the server's log"
  tail -n 40 "$work/server.log"
fi
printf -- '---\n%s%d passed, %d failed\n' "$summary" "$passed" "$failed"
((failed == 0 && passed > 0))
