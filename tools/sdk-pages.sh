#!/usr/bin/env bash
# Runs the program of every page in docs/sdks as it stands, against a server and a stand-in for the model, and reads back
# what it sent: a generation with its model, tokens and a cost. Packages are those that the page installs, newest version,
# in .cache/sdk-pages. `tools/sdk-pages.sh openai langchain` runs these pages only. Half an hour the first time, for downloads.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
export SONDE_ENGINE_LIBRARY=${SONDE_ENGINE_LIBRARY:-$root/.engine/libchdb.so}
# shellcheck source=serve.sh
source tools/serve.sh
work=$(mktemp -d)
model=
trap 'serve_stop; if [[ $model ]]; then kill "$model"; fi; rm -rf "$work"' EXIT
serve bin/sonde "$work"

# The stand-in answers every chat in the same way.
port=$(serve_port)
python3 - "$port" <<'PY' &
import http.server, json, sys

class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        body = json.dumps({
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-4o-mini",
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "A probe."}}],
            "usage": {"prompt_tokens": 25, "completion_tokens": 9, "total_tokens": 34},
        }).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Model).serve_forever()
PY
model=$!
export OPENAI_API_KEY=none OPENAI_BASE_URL=http://127.0.0.1:$port/v1
export LANGFUSE_BASE_URL=$SONDE_URL OTEL_EXPORTER_OTLP_ENDPOINT=$SONDE_URL/api/public/otel
OTEL_EXPORTER_OTLP_HEADERS="Authorization=Basic%20$(printf %s "$LANGFUSE_PUBLIC_KEY:$LANGFUSE_SECRET_KEY" | base64 -w 0)"
export OTEL_EXPORTER_OTLP_HEADERS

# block PAGE LANGUAGE: the first code of a page in a language
block() { awk -v fence="\`\`\`$2" '$0 == fence { code = 1; next } /^```$/ && code { exit } code' "docs/sdks/$1.md"; }

# arrived BEFORE: a generation of the model that was accepted since, with tokens and a cost
arrived() {
  python3 - "$1" <<'PY'
import base64, json, os, sys, time, urllib.parse, urllib.request

key = os.environ["LANGFUSE_PUBLIC_KEY"] + ":" + os.environ["LANGFUSE_SECRET_KEY"]
headers = {"authorization": "Basic " + base64.b64encode(key.encode()).decode()}
query = urllib.parse.urlencode({"fields": "core,basic,model,usage", "fromStartTime": sys.argv[1], "limit": 100})
for _ in range(60):
    request = urllib.request.Request(os.environ["SONDE_URL"] + "/api/public/v2/observations?" + query, headers=headers)
    rows = json.load(urllib.request.urlopen(request, timeout=10))["data"]
    for row in rows:
        model = row.get("providedModelName") or ""
        if row["type"] == "GENERATION" and "gpt-4o-mini" in model and row["totalUsage"] and row["totalCost"]:
            print(f"{len(rows)} observations, {row['name']!r} by {model}, {row['totalUsage']} tokens, {row['totalCost']:.7f} USD")
            sys.exit()
    time.sleep(0.5)
sys.exit(f"no generation with tokens and a cost: {json.dumps(rows, indent=1)[:3000]}")
PY
}

good=0 bad=0
for file in docs/sdks/*.md; do
  page=$(basename "$file" .md)
  if [[ $page == index || ($# -gt 0 && " $* " != *" $page "*) ]]; then continue; fi
  install=$(block "$page" sh) home=$root/.cache/sdk-pages/$page log=$work/$page.log
  began=$(date -u +%FT%T.%3NZ)
  if (
    mkdir -p "$home"
    if [[ $install == pip* ]]; then
      if [[ ! -x $home/bin/python ]]; then python3 -m venv "$home"; fi
      PATH=$home/bin:$PATH
      if [[ $(cat "$home/installed" 2>/dev/null) != "$install" ]]; then eval "$install" --quiet --disable-pip-version-check && echo "$install" >"$home/installed"; fi
      block "$page" python >"$home/program.py"
      cd "$work" && "$home/bin/python" "$home/program.py"
    else
      cd "$home"
      if [[ ! -f package.json ]]; then echo '{"private": true, "type": "module"}' >package.json; fi
      if [[ $(cat installed 2>/dev/null) != "$install" ]]; then eval "$install" --no-audit --no-fund --ignore-scripts --loglevel=error && echo "$install" >installed; fi
      (cd "$root" && block "$page" js) >program.mjs
      node program.mjs
    fi
  ) >"$log" 2>&1 && found=$(arrived "$began" 2>>"$log"); then
    good=$((good + 1))
    echo "ok    $page: $found"
  else
    bad=$((bad + 1))
    echo "FAIL  $page"
    tail -n 30 "$log" | sed 's/^/      /'
  fi
done
echo "$good passed, $bad failed"
((bad == 0))
