#!/usr/bin/env bash
# Proves that the last release's data opens with this version: builds the last commit in RELEASES,
# lets it store a trace in a fresh data directory, opens the directory with bin/sonde, reads the
# trace back and stores another one beside it.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
export SONDE_ENGINE_LIBRARY=${SONDE_ENGINE_LIBRARY:-$root/.engine/libchdb.so}
# shellcheck source=serve.sh
source tools/serve.sh

read -r version commit _ < <(grep -vE '^[[:space:]]*(#|$)' RELEASES | tail -n 1) || true
if [[ -z ${version:-} ]]; then
  echo "no release yet: there is nothing to upgrade from"
  exit 0
fi
if ! git cat-file -e "$commit^{commit}" 2>/dev/null; then
  echo "release $version: commit $commit is not in this checkout (a shallow clone?)" >&2
  exit 1
fi

work=$(mktemp -d)
trap 'serve_stop; rm -rf "$work"' EXIT
old=$root/.cache/releases/sonde-$version-$commit
if [[ ! -x $old ]]; then
  mkdir -p "$work/source" "$root/.cache/releases"
  git archive "$commit" | tar -x -C "$work/source"
  (cd "$work/source" && CGO_ENABLED=0 go build -trimpath -o "$old" ./cmd/sonde)
fi

# trace SEED store|read: one trace of three observations, sent as OTLP JSON or read until it is whole.
trace() {
  python3 - "$@" <<'PY'
import base64, hashlib, json, os, sys, time, urllib.request

seed, what = sys.argv[1:]
trace = hashlib.sha256(seed.encode()).hexdigest()[:32]
key = os.environ["LANGFUSE_PUBLIC_KEY"] + ":" + os.environ["LANGFUSE_SECRET_KEY"]
headers = {"content-type": "application/json", "authorization": "Basic " + base64.b64encode(key.encode()).decode()}


def call(path, body=None):
    request = urllib.request.Request(os.environ["SONDE_URL"] + "/api/public/" + path, body, headers)
    return json.load(urllib.request.urlopen(request, timeout=10))


def span(n):
    now = time.time_ns()
    parent = {} if n == 1 else {"parentSpanId": "%016x" % 1}
    text = {"key": "langfuse.observation.input", "value": {"stringValue": "%s %d" % (seed, n)}}
    return {"traceId": trace, "spanId": "%016x" % n, "name": "step", "kind": 1, "attributes": [text],
            "startTimeUnixNano": str(now), "endTimeUnixNano": str(now + 1_000_000), **parent}


if what == "store":
    spans = {"scope": {"name": "upgrade"}, "spans": [span(n) for n in (1, 2, 3)]}
    call("otel/v1/traces", json.dumps({"resourceSpans": [{"scopeSpans": [spans]}]}).encode())

want = ["%s %d" % (seed, n) for n in (1, 2, 3)]
end = time.monotonic() + 10
while True:
    got = sorted(r.get("input") for r in call("v2/observations?fields=io&traceId=" + trace)["data"])
    if got == want:
        break
    if time.monotonic() > end:
        sys.exit("trace %s: got %r, want %r" % (seed, got, want))
    time.sleep(0.1)
print("ok    trace %r: %s" % (seed, "stored and read" if what == "store" else "read"))
PY
}

echo "--- $version ($commit)"
serve "$old" "$work"
trace before store
serve_stop
echo "--- this version"
serve "$root/bin/sonde" "$work"
trace before read
trace after store
serve_stop
echo "--- this version again"
serve "$root/bin/sonde" "$work"
trace before read
trace after read
echo "5 passed, 0 failed"
