#!/usr/bin/env bash
# Checks every file that Sonde is packaged and deployed with, by the programs that read them or their schemas:
# Dockerfile, compose files, Helm chart, package for Debian, list of parts, change notes.
# Needs .cache/tools/helm (make helm) and bin/sonde; `UPDATE=1 tools/packaging.sh` writes what charts render to anew.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=$PWD/.cache/packaging
if ! cmp -s tools/packaging.txt "$venv/installed.txt"; then
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r tools/packaging.txt
  cp tools/packaging.txt "$venv/installed.txt"
fi
helm=$PWD/.cache/tools/helm chart=deploy/helm/sonde
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
good=0 bad=0

# check WHAT COMMAND...
check() {
  local what=$1
  shift
  if "$@" >"$work/said" 2>&1; then
    good=$((good + 1))
    echo "ok    $what"
  else
    bad=$((bad + 1))
    echo "FAIL  $what"
    sed 's/^/      /' "$work/said"
  fi
}

# Kubernetes' own schemas say nothing about ServiceMonitor.
manifests() {
  awk -v dir="$1" 'BEGIN { RS = "---\n" } /\nkind:/ && !/kind: ServiceMonitor/ { n++; print > (dir "/" n ".yaml") }' "$2"
}
renders() {
  "$helm" template sonde "$chart" --namespace sonde --values "deploy/helm/examples/$1.values.yaml" >"$work/$1.yaml"
  if [[ ${UPDATE:-} ]]; then cp "$work/$1.yaml" "deploy/helm/examples/$1.golden.yaml"; fi
  diff -u "deploy/helm/examples/$1.golden.yaml" "$work/$1.yaml"
}
kubernetes_takes() {
  mkdir -p "$work/$1"
  manifests "$work/$1" "$work/$1.yaml"
  # The oldest version that the chart says it is for, and the newest that is known.
  for version in 1.27 1.37; do "$venv/bin/kubernetes-validate" --strict --kubernetes-version "$version" "$work/$1"/*.yaml; done
}
# refuses TEXT FLAG...: the chart says why it does not take these values.
refuses() {
  local text=$1
  shift
  if "$helm" template sonde "$chart" "$@" >"$work/out" 2>&1; then return 1; fi
  grep -F "$text" "$work/out" || { cat "$work/out"; return 1; }
}
versions_are_the_release() {
  [[ $(sed -n 's/^\(version\|appVersion\): //p' "$chart/Chart.yaml" | sort -u) == $(<VERSION) ]] || { echo "Chart.yaml does not say $(<VERSION)"; return 1; }
  local named
  named=$(grep -rhoE --include='*.md' '(sonde_|download/v)[0-9]+\.[0-9]+\.[0-9]+' docs | sed -E 's/.*[_v]//' | sort -u)
  [[ $named == $(<VERSION) ]] || { echo "docs name files of ${named//$'\n'/ } and not of $(<VERSION)"; return 1; }
}
parts_are_listed() {
  SOURCE_DATE_EPOCH=0 tools/sbom.py "$(<VERSION)" test bin/sonde >"$work/parts.json"
  "$venv/bin/python" - "$work/parts.json" <<'PY'
import json, sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

text = open(sys.argv[1]).read()
problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
names = {part["name"] for part in json.loads(text)["components"]}
missing = {"std", "github.com/nats-io/nats-server/v2", "react", "@chdb/lib-linux-x64-gnu"} - names
sys.exit(str(problem) if problem else f"missing: {missing}" if missing or len(names) < 100 else 0)
PY
}

check "Dockerfile" "$venv/bin/hadolint" Dockerfile
for file in deploy/compose/*.yaml; do
  check "$file" "$venv/bin/check-jsonschema" --builtin-schema vendor.compose-spec "$file"
done
for example in single cluster; do
  check "helm takes the chart as $example" "$helm" lint --strict "$chart" --values "deploy/helm/examples/$example.values.yaml"
  check "the chart renders as reviewed: $example" renders "$example"
  check "kubernetes takes it: $example" kubernetes_takes "$example"
done
check "the chart refuses an unknown value" refuses "additional properties" --set typo=1
check "the chart refuses a setting that is none" refuses "does not match pattern" --set settings.LISTEN=x
check "the chart refuses a cluster without addresses" refuses "cluster mode needs SONDE_ENCRYPTION_KEY" --set mode=cluster
check "the chart refuses a cluster without a bucket" refuses "name the bucket" --set mode=cluster,existingSecret=x
check "chart and docs have the release's version" versions_are_the_release
check "the list of parts is CycloneDX" parts_are_listed
check "change notes can be gathered" tools/changelog.py --check
check "units and scripts of the package" bash -c 'for f in deploy/debian/sonde.p*; do sh -n "$f"; done'
echo "$good passed, $bad failed"
((bad == 0))
