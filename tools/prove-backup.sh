#!/usr/bin/env bash
# Seeds a server, backs it up while it runs, once whole and once onto that after more rows, and has both restored and compared:
# the first with the answers that were taken along, the second with the running server.
# usage: tools/prove-backup.sh ROWS
set -euo pipefail
cd "$(dirname "$0")/.."
export SONDE_ENGINE_LIBRARY=${SONDE_ENGINE_LIBRARY:-$PWD/.engine/libchdb.so}
rows=${1:?rows}
dir=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null || true; wait || true; rm -rf "$dir"' EXIT

port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

serve() { # DATA_DIRECTORY
  listen=127.0.0.1:$(port)
  bin/sonde serve --data-dir "$1" --listen "$listen" --grpc-listen= --metrics-listen "127.0.0.1:$(port)" --logging-level warn &
  server=$!
  for _ in $(seq 600); do
    bin/sonde health --ready --listen "$listen" >/dev/null 2>&1 && return
    kill -0 "$server"
    sleep 0.2
  done
  echo "the server did not get ready" >&2
  return 1
}

# send stores a trace of today.
send() {
  local now
  now=$(date +%s%N)
  curl -sSf -u pk-lf-bench:sk-lf-bench -H 'Content-Type: application/json' "http://$listen/api/public/otel/v1/traces" -d "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"$(printf %032x "$now")\",\"spanId\":\"$(printf %016x "$now")\",\"name\":\"later\",\"startTimeUnixNano\":\"$now\",\"endTimeUnixNano\":\"$now\"}]}]}]}" >/dev/null
}

bin/sonde bench seed --rows "$rows" --dir "$dir/data" >/dev/null
serve "$dir/data"
bin/sonde backup --data-dir "$dir/data" --to "$dir/plain" 2>/dev/null
bin/sonde backup --data-dir "$dir/data" --to "$dir/whole" --with-answers 2>/dev/null
bin/sonde backup verify "$dir/whole" 2>/dev/null
send
sleep 2 # until it is stored
bin/sonde backup --data-dir "$dir/data" --to "$dir/later" --onto "$dir/whole" 2>/dev/null
bin/sonde backup verify "$dir/later" --against "$dir/data" 2>/dev/null
echo "rows $rows, data directory $(du -sm "$dir/data" | cut -f1) MB, backup $(du -sm "$dir/whole" | cut -f1) MB, the one onto it $(du -sm "$dir/later" | cut -f1) MB"
