package otlpgrpc_test

import (
	"context"
	"testing"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/otlp"
	"github.com/sondehq/sonde/internal/otlpgrpc"
)

// The exporter of the OpenTelemetry SDK for Go sends what it sends to any collector, and tries
// again when told that there is no room.
func TestPublishedExporter(t *testing.T) {
	t.Parallel()
	for _, compressor := range []string{"none", "gzip"} {
		t.Run(compressor, func(t *testing.T) {
			t.Parallel()
			bodies := make(chan []byte, 10)
			refusals := 1
			f := newFixture(t, func(c *otlpgrpc.Config) {
				c.Traces = func(_ context.Context, in ingest.Submission) (ingest.Outcome, error) {
					if refusals > 0 {
						refusals--
						return ingest.Outcome{}, fault.Unavailablef("the ingest log is full")
					}
					bodies <- append([]byte(nil), in.Body...)
					return ingest.Outcome{Accepted: 1}, nil
				}
			})
			options := []otlptracegrpc.Option{
				otlptracegrpc.WithEndpoint(f.address), otlptracegrpc.WithInsecure(),
				otlptracegrpc.WithHeaders(map[string]string{"authorization": "Basic good"}),
			}
			if compressor != "none" {
				options = append(options, otlptracegrpc.WithCompressor(compressor))
			}
			exporter, err := otlptracegrpc.New(t.Context(), options...)
			if err != nil {
				t.Fatal(err)
			}
			provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter))
			ctx, span := provider.Tracer("test").Start(t.Context(), "outer")
			_, inner := provider.Tracer("test").Start(ctx, "inner")
			inner.End()
			span.End()
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			if err := provider.Shutdown(ctx); err != nil {
				t.Fatal(err)
			}
			rows, err := otlp.Map(<-bodies, otlp.Source{ProjectID: "p", AcceptedAt: time.Now()})
			if err != nil || len(rows) != 2 || rows[0].Name != "inner" || rows[0].TraceID != span.SpanContext().TraceID().String() {
				t.Errorf("rows %+v, %v", rows, err)
			}
		})
	}
}
