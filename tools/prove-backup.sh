#!/usr/bin/env bash
# Seeds a server, backs it up while it runs, restores into an empty directory and compares what both answer.
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

end() {
  kill "$server"
  wait "$server"
  server=
}

# answers asks for counts, sums and pages, old and new.
answers() {
  local query='{"view":"observations","metrics":[{"measure":"count","aggregation":"count"},{"measure":"totalTokens","aggregation":"sum"},{"measure":"totalCost","aggregation":"sum"}],"dimensions":[{"field":"name"}],"fromTimestamp":"2000-01-01T00:00:00Z","toTimestamp":"2100-01-01T00:00:00Z"}'
  local get=(curl -sSf -u pk-lf-bench:sk-lf-bench -G)
  "${get[@]}" "http://$listen/api/public/v2/metrics" --data-urlencode "query=$query"
  "${get[@]}" "http://$listen/api/public/v2/observations" -d limit=500 -d fields=core,basic,io,usage,metadata
  "${get[@]}" "http://$listen/api/public/v2/observations" -d limit=500 -d fields=core,io --data-urlencode "toStartTime=$(date -u -d '10 days ago' +%FT%TZ)"
}

bin/sonde bench seed --rows "$rows" --dir "$dir/data" >/dev/null
serve "$dir/data"
bin/sonde backup --data-dir "$dir/data" --to "$dir/backup" 2>/dev/null
answers >"$dir/before"
end
bin/sonde restore --from "$dir/backup" --data-dir "$dir/restored" 2>/dev/null
serve "$dir/restored"
answers >"$dir/after"
end
echo "rows $rows, data directory $(du -sm "$dir/data" | cut -f1) MB, backup $(du -sm "$dir/backup" | cut -f1) MB, answers compared $(stat -c %s "$dir/before") bytes"
cmp "$dir/before" "$dir/after"
