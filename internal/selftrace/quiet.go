package selftrace

import (
	"context"
	"log/slog"
	"sync"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// quiet logs now and then that traces cannot be sent, where the SDK would have one handler of errors for the whole process.
type quiet struct {
	sdktrace.SpanExporter
	logger *slog.Logger

	mu   sync.Mutex
	told time.Time
}

// ExportSpans implements sdktrace.SpanExporter. Spans that are not taken are dropped: they are about the past.
func (q *quiet) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := q.SpanExporter.ExportSpans(ctx, spans)
	if err == nil {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if time.Since(q.told) >= tellEvery {
		q.told = time.Now()
		q.logger.WarnContext(ctx, "traces of this server are not taken; see --self-trace-endpoint", "spans", len(spans), "error", err)
	}
	return nil
}
