// Package selftrace sends traces of the server itself to an OTLP receiver: of what was slow or failed always, of the
// rest a share.
//
// A span is made when its work is over, from what the work tells anyway; so nothing is carried along, and what is not
// sent costs a comparison. Spans hold routes, statuses, sizes and times: nothing that a client sent.
//
// The receiver may be the server itself. Then sending would make requests and batches that make spans again. They are
// told by their client's name, selfobs.SelfSDK, and never traced; and no more than a few spans a second leave, whatever
// happens.
package selftrace

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/time/rate"

	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/selfobs"
)

// Config says where traces go, and how many.
type Config struct {
	Endpoint string            // http://host:port or https://host:port of an OTLP receiver over gRPC
	Headers  map[string]string // sent with every export, such as authorization
	Ratio    float64           // share of the quick and successful
	Logger   *slog.Logger
}

const (
	// slow is from when on a request or a batch is always sent.
	slow = time.Second
	// perSecond bounds what is sent; burst is for the moment in which much goes wrong at once.
	perSecond, burst = 10, 50
	// sendEvery is how long a span waits for others.
	sendEvery  = 2 * time.Second
	sendWithin = 5 * time.Second
	// tellEvery is how often it is logged that traces cannot be sent.
	tellEvery = time.Minute
)

// Tracer sends spans. A nil one sends nothing.
type Tracer struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	ratio    float64
	bound    *rate.Limiter
}

// New makes a tracer; it connects when it has something to send.
func New(ctx context.Context, c Config) (*Tracer, error) {
	headers := map[string]string{"x-sonde-sdk-name": selfobs.SelfSDK, "x-sonde-sdk-version": selfobs.Version}
	maps.Copy(headers, c.Headers)
	exporter, err := otlptracegrpc.New(ctx, otlptracegrpc.WithEndpointURL(c.Endpoint), otlptracegrpc.WithHeaders(headers),
		otlptracegrpc.WithTimeout(sendWithin), otlptracegrpc.WithCompressor("gzip"), otlptracegrpc.WithRetry(otlptracegrpc.RetryConfig{}))
	if err != nil {
		return nil, fmt.Errorf("open the way for traces of this server: %w", err)
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithSampler(sdktrace.AlwaysSample()), // what gets here was chosen
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", "sonde"), attribute.String("service.version", selfobs.Version))),
		sdktrace.WithBatcher(&quiet{SpanExporter: exporter, logger: c.Logger}, sdktrace.WithBatchTimeout(sendEvery), sdktrace.WithExportTimeout(sendWithin)),
	)
	return &Tracer{provider: provider, tracer: provider.Tracer("sonde"), ratio: c.Ratio, bound: rate.NewLimiter(perSecond, burst)}, nil
}

// Flush sends what waits.
func (t *Tracer) Flush(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.ForceFlush(ctx)
}

// Close ends the tracer; what it has not sent is dropped.
func (t *Tracer) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// chosen decides about one piece of work.
func (t *Tracer) chosen(notable bool) bool {
	return (notable || rand.Float64() < t.ratio) && t.bound.Allow()
}

// internalError is from when on a status is a fault of ours.
const internalError = 500

// Request tells of an answered request.
func (t *Tracer) Request(r selfobs.Request) {
	if t == nil || r.SDK == selfobs.SelfSDK || !t.chosen(r.Status >= internalError || r.Took >= slow) {
		return
	}
	span := t.start(nil, r.Protocol+" "+r.Route, r.Began, trace.SpanKindServer,
		attribute.String("http.route", r.Route), attribute.Int("http.response.status_code", r.Status), attribute.String("network.protocol.name", r.Protocol),
		attribute.String("sonde.request_id", r.ID), attribute.Float64("sonde.acknowledge_seconds", r.Acknowledged.Seconds()))
	if r.Status >= internalError {
		span.SetStatus(codes.Error, fmt.Sprintf("status %d", r.Status))
	}
	span.End(trace.WithTimestamp(r.Began.Add(r.Took)))
}

// Batch tells of a batch that the writer is done with.
func (t *Tracer) Batch(b selfobs.Batch) {
	if t == nil || b.Own || !t.chosen(b.Failed || b.Took >= slow) {
		return
	}
	span := t.start(nil, "write batch", b.Began, trace.SpanKindConsumer,
		attribute.Int("sonde.envelopes", b.Envelopes), attribute.Int("sonde.rows", b.Rows), attribute.Int("sonde.bytes", b.Bytes))
	if b.Failed {
		span.SetStatus(codes.Error, "not stored; the log keeps it")
	}
	for _, stage := range b.Stages {
		t.start(span, stage.Name, stage.Began, trace.SpanKindInternal).End(trace.WithTimestamp(stage.Began.Add(stage.Took)))
	}
	span.End(trace.WithTimestamp(b.Began.Add(b.Took)))
}

// Job tells of a run of a job. Jobs are few: each is sent.
func (t *Tracer) Job(r jobs.Run) {
	if t == nil || !t.chosen(true) {
		return
	}
	span := t.start(nil, "job "+r.Kind, r.Began, trace.SpanKindInternal,
		attribute.String("sonde.job", r.Job), attribute.String("sonde.outcome", r.Outcome), attribute.Int("sonde.attempt", r.Attempt))
	if r.Outcome == jobs.FailedRun {
		span.SetStatus(codes.Error, r.Outcome)
	}
	span.End(trace.WithTimestamp(r.Began.Add(r.Took)))
}

// start begins a span of work that is over, whose context is gone: it has a parent, or none.
func (t *Tracer) start(parent trace.Span, name string, began time.Time, kind trace.SpanKind, attributes ...attribute.KeyValue) trace.Span {
	ctx := context.Background() //nolint:forbidigo // see above
	if parent != nil {
		ctx = trace.ContextWithSpan(ctx, parent)
	}
	_, span := t.tracer.Start(ctx, name, trace.WithTimestamp(began), trace.WithSpanKind(kind), trace.WithAttributes(attributes...))
	return span
}
