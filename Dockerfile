# One node of Sonde: the program, the engine's library, and nothing else.
# docker build -t sonde .    (needs .engine/libchdb.so and ui/dist beside it: make engine ui)
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
ARG COMMIT=unknown
RUN CGO_ENABLED=0 go build -trimpath \
      -ldflags "-s -w -X github.com/sondehq/sonde/internal/selfobs.Version=${VERSION} -X github.com/sondehq/sonde/internal/selfobs.Commit=${COMMIT}" \
      -o /out/sonde ./cmd/sonde \
 && mkdir -p /out/data

# The engine's library is linked against glibc, so the base must have one.
FROM debian:bookworm-slim
COPY --from=build /out/sonde /usr/local/bin/sonde
COPY .engine/libchdb.so /usr/local/lib/sonde/libchdb.so
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
ENV SONDE_DATA_DIR=/data \
    SONDE_ENGINE_LIBRARY=/usr/local/lib/sonde/libchdb.so \
    SONDE_LISTEN=0.0.0.0:3000 \
    SONDE_GRPC_LISTEN=0.0.0.0:4317 \
    SONDE_METRICS_LISTEN=127.0.0.1:9464
VOLUME ["/data"]
EXPOSE 3000 4317
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s --retries=3 CMD ["/usr/local/bin/sonde", "health"]
ENTRYPOINT ["/usr/local/bin/sonde"]
CMD ["serve"]
