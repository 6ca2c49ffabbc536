package e2e_test

import (
	"context"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// exportByGRPC makes spans with the OpenTelemetry SDK for Go and sends them with its exporter.
func exportByGRPC(t *testing.T, s *server, key string, names ...string) ([]span, error) {
	t.Helper()
	exporter, err := otlptracegrpc.New(t.Context(), otlptracegrpc.WithEndpoint(s.grpc), otlptracegrpc.WithInsecure(),
		otlptracegrpc.WithHeaders(map[string]string{"authorization": key}), otlptracegrpc.WithCompressor("gzip"))
	if err != nil {
		t.Fatal(err)
	}
	sync := sdktrace.NewSimpleSpanProcessor(exporter)
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(sync))
	recorder := &recording{}
	provider.RegisterSpanProcessor(recorder)
	for _, name := range names {
		_, made := provider.Tracer("e2e").Start(t.Context(), name)
		made.SetAttributes(attribute.String("langfuse.observation.input", "hello"))
		made.End()
	}
	// The processor reports errors nowhere: send once more by hand to see one.
	err = exporter.ExportSpans(t.Context(), recorder.ended)
	if failed := provider.Shutdown(context.WithoutCancel(t.Context())); failed != nil {
		t.Error(failed)
	}
	var spans []span
	for _, made := range recorder.ended {
		spans = append(spans, span{trace: made.SpanContext().TraceID().String(), id: made.SpanContext().SpanID().String(), name: made.Name()})
	}
	return spans, err
}

// recording remembers spans that ended.
type recording struct{ ended []sdktrace.ReadOnlySpan }

func (*recording) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (r *recording) OnEnd(s sdktrace.ReadOnlySpan)                 { r.ended = append(r.ended, s) }
func (*recording) Shutdown(context.Context) error                  { return nil }
func (*recording) ForceFlush(context.Context) error                { return nil }

// The exporter of the OpenTelemetry SDK for Go reaches the same store by the same keys.
func TestGRPC(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	spans, err := exportByGRPC(t, s, basicAuth(publicKey, secretKey), "one", "two", "three")
	if err != nil {
		t.Fatal(err)
	}
	s.client().showsWithin(20*time.Second, spans) // sent twice, there once
	if _, err := exportByGRPC(t, s, basicAuth(publicKey, "wrong"), "never"); err == nil {
		t.Error("a wrong secret is taken")
	}
	other := s.addProject("other")
	more, err := exportByGRPC(t, s, other.key, "four")
	if err != nil {
		t.Fatal(err)
	}
	other.showsWithin(20*time.Second, more)
	s.client().shows(spans, 2)
	const route = `sonde_http_requests_total{route="/opentelemetry.proto.collector.trace.v1.TraceService/Export",status="200"}`
	if n, err := s.metric(route); err != nil || n < 4 {
		t.Errorf("%v calls are counted: %v", n, err)
	}
}
