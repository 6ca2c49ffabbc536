# One image for every role: the program with its web interface, the engine's library, and nothing else.
#   docker build -t sonde .
# A platform without a known sum of the library (internal/engine/libraries.txt) needs --build-arg SONDE_ENGINE_SHA256=...
FROM node:20-bookworm-slim AS ui
WORKDIR /src
COPY ui/package.json ui/package-lock.json ui/
COPY ui/tools/package.json ui/tools/package-lock.json ui/tools/
RUN npm --prefix ui ci --ignore-scripts --no-audit --no-fund \
 && npm --prefix ui/tools ci --ignore-scripts --no-audit --no-fund
COPY internal/api/openapi.yaml internal/api/
COPY ui ui
RUN npm --prefix ui run types && npm --prefix ui run build

FROM node:20-bookworm-slim AS engine
WORKDIR /src
COPY tools/engine.sh tools/
COPY internal/engine/libraries.txt internal/engine/
ARG SONDE_ENGINE_SHA256=
RUN tools/engine.sh

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY cmd cmd
COPY internal internal
COPY ui/embed.go ui/
COPY ui/placeholder ui/placeholder
COPY --from=ui /src/ui/dist ui/dist
ARG VERSION=dev
ARG COMMIT=unknown
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false \
      -ldflags "-s -w -X github.com/sondehq/sonde/internal/selfobs.Version=${VERSION} -X github.com/sondehq/sonde/internal/selfobs.Commit=${COMMIT}" \
      -o /out/bin/sonde ./cmd/sonde \
 && mkdir -p /out/data

# The engine's library is linked against glibc, so the base must have one.
FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates=2023* \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/bin/sonde /usr/local/bin/sonde
COPY --from=engine /src/.engine/libchdb.so /usr/local/lib/sonde/libchdb.so
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
ENV SONDE_DATA_DIR=/data \
    SONDE_LISTEN=0.0.0.0:3000 \
    SONDE_GRPC_LISTEN=0.0.0.0:4317 \
    SONDE_METRICS_LISTEN=127.0.0.1:9464
VOLUME ["/data"]
EXPOSE 3000 4317
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s --retries=3 CMD ["/usr/local/bin/sonde", "health"]
ENTRYPOINT ["/usr/local/bin/sonde"]
CMD ["serve"]
