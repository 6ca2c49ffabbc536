# shellcheck shell=bash
# To be sourced: one sonde server on a free loopback port, ended by its process id.
#
#   serve BINARY DIR   starts BINARY on DIR/data, waits until it is ready, sets SONDE_URL, SONDE_GRPC, SERVER_PID;
#                      with SONDE_E2E_SHAPE=cluster a whole cluster in DIR/data instead
#   serve_metrics      prints the server's metrics
#   serve_stop         ends it in good order, by force after 60 s
#
# The keys of the first project are in LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY.

export LANGFUSE_PUBLIC_KEY=pk-lf-journey LANGFUSE_SECRET_KEY=sk-lf-journey
SERVER_PID=

serve() {
  if [[ ${SONDE_E2E_SHAPE:-} == cluster ]]; then
    serve_cluster "$2"
    return
  fi
  local binary=$1 dir=$2 port log=$2/server.log
  port=$(serve_port)
  export SONDE_URL=http://127.0.0.1:$port SONDE_GRPC
  SONDE_GRPC=127.0.0.1:$(serve_port)
  SERVER_METRICS=127.0.0.1:$(serve_port)
  SONDE_INIT_PROJECT_PUBLIC_KEY=$LANGFUSE_PUBLIC_KEY SONDE_INIT_PROJECT_SECRET_KEY=$LANGFUSE_SECRET_KEY \
    SONDE_METRICS_LISTEN=$SERVER_METRICS SONDE_GRPC_LISTEN=$SONDE_GRPC \
    "$binary" serve --data-dir "$dir/data" --listen "127.0.0.1:$port" >>"$log" 2>&1 &
  SERVER_PID=$!
  for _ in $(seq 300); do
    if ! kill -0 "$SERVER_PID" 2>/dev/null; then
      SERVER_PID=
      break
    fi
    if serve_ready; then return 0; fi
    sleep 0.2
  done
  echo "the server did not get ready; the end of its log:" >&2
  tail -n 40 "$log" >&2
  return 1
}

serve_cluster() {
  local dir=$1 log=$1/server.log
  chmod 755 "$dir" # PostgreSQL runs as somebody else
  mkdir "$dir/data"
  go build -o "$dir/start" ./e2e/cluster/start
  SONDE_INIT_PROJECT_PUBLIC_KEY=$LANGFUSE_PUBLIC_KEY SONDE_INIT_PROJECT_SECRET_KEY=$LANGFUSE_SECRET_KEY \
    "$dir/start" -dir "$dir/data" -ready "$dir/ready" >>"$log" 2>&1 &
  SERVER_PID=$!
  for _ in $(seq 600); do
    if [[ -s $dir/ready ]]; then
      { read -r SONDE_URL && read -r SERVER_METRICS; } <"$dir/ready"
      export SONDE_URL SONDE_GRPC=${SONDE_URL#http://}
      return 0
    fi
    kill -0 "$SERVER_PID" 2>/dev/null || break
    sleep 0.2
  done
  echo "the cluster did not get ready; the end of its log:" >&2
  tail -n 40 "$log" >&2
  return 1
}

serve_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

serve_ready() {
  python3 -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1], timeout=2)' \
    "$SONDE_URL/api/public/ready" 2>/dev/null
}

serve_metrics() {
  python3 -c 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1], timeout=5).read().decode())' \
    "http://$SERVER_METRICS/metrics"
}

serve_stop() {
  [[ -n $SERVER_PID ]] || return 0
  kill -TERM "$SERVER_PID" 2>/dev/null || true
  for _ in $(seq 300); do
    kill -0 "$SERVER_PID" 2>/dev/null || break
    sleep 0.2
  done
  if kill -0 "$SERVER_PID" 2>/dev/null; then
    echo "the server did not end within 60 s" >&2
    kill -KILL "$SERVER_PID"
  fi
  wait "$SERVER_PID" 2>/dev/null || true
  SERVER_PID=
}
