package bench

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

// IngestResult compares the whole way of a span with bare inserts into the same tables.
type IngestResult struct {
	Accepted       int     `json:"accepted"`
	Stored         int     `json:"stored"`
	SpansPerSecond float64 `json:"spans_per_s"`
	BareRows       float64 `json:"bare_rows_per_s"`
	Ratio          float64 `json:"ratio"`
	AckP50         float64 `json:"ack_p50_ms"`
	AckP99         float64 `json:"ack_p99_ms"`
	BytesPerSpan   float64 `json:"bytes_per_span"`

	RawBytesPerSpan    float64 `json:"raw_bytes_per_span"`
	AcceptedPerSecond  float64 `json:"accepted_per_s"`
	ServerCPUMicros    float64 `json:"server_cpu_us_per_span"`
	EngineCPUMicros    float64 `json:"engine_cpu_us_per_span"`
	GeneratorCPUMicros float64 `json:"generator_cpu_us_per_span"`
	BareEngineMicros   float64 `json:"bare_engine_cpu_us_per_row"`
	BareClientMicros   float64 `json:"bare_client_cpu_us_per_row"`
	BareConnections    int     `json:"bare_connections"`
	BareBatchRows      int     `json:"bare_batch_rows"`
	PeakRSSMegabytes   float64 `json:"peak_rss_mb"`
	Batches            float64 `json:"batches"`
}

// IngestOptions bound the run.
type IngestOptions struct {
	Seconds     int // about this long at 20,000 spans/s; what counts is the number of spans
	Connections int
	SkipBare    bool // leave out the comparison
}

const (
	spansPerBody  = 100
	assumedPerSec = 20_000
)

// Ingest sends prepared bodies as fast as they are acknowledged and stops the clock when the last
// span can be read; then it inserts the same rows bare.
func Ingest(ctx context.Context, o IngestOptions, p *Progress) (result IngestResult, err error) {
	s, err := newServer()
	if err != nil {
		return result, err
	}
	defer func() { err = joinRemove(err, s) }()
	total := o.Seconds * assumedPerSec
	p.say("making %d spans", total)
	bodies := newCorpus(uint64(time.Now().UnixNano())).bodies(total, true)
	if _, err := s.start(ctx); err != nil {
		return result, err
	}
	p.say("sending %d bodies over %d connections", len(bodies), o.Connections)
	if err := s.drive(ctx, bodies, o.Connections, &result); err != nil {
		return result, err
	}
	p.say("counting by id through the API")
	if err := s.countStored(ctx, bodies, &result); err != nil {
		return result, err
	}
	if o.SkipBare {
		return result, nil
	}
	if err := s.bare(ctx, bodies, &result, p); err != nil {
		return result, err
	}
	result.Ratio = round(result.SpansPerSecond/result.BareRows, 3)
	return result, nil
}

// drive sends all bodies and waits until they can be read.
func (s *server) drive(ctx context.Context, bodies []body, connections int, result *IngestResult) error {
	engine, err := s.enginePid()
	if err != nil {
		return err
	}
	before, err := s.measureAll(engine)
	if err != nil {
		return err
	}
	peak := watchPeak(ctx, s.pid())
	began := time.Now()
	acks, err := s.sendAll(ctx, bodies, connections)
	if err != nil {
		return err
	}
	accepted := time.Since(began)
	if err := s.waitReadable(ctx, bodies); err != nil {
		return err
	}
	took := time.Since(began)
	after, err := s.measureAll(engine)
	if err != nil {
		return err
	}
	spans, raw := 0, 0
	for i := range bodies {
		spans += len(bodies[i].ids)
		raw += bodies[i].rawBytes
	}
	if result.Batches, err = s.metric(ctx, "sonde_writer_insert_seconds_count"); err != nil {
		return err
	}
	result.Accepted = spans
	result.SpansPerSecond = round(float64(spans)/took.Seconds(), 0)
	result.AcceptedPerSecond = round(float64(spans)/accepted.Seconds(), 0)
	result.AckP50, result.AckP99 = percentile(acks, 0.5), percentile(acks, 0.99)
	result.RawBytesPerSpan = round(float64(raw)/float64(spans), 0)
	result.ServerCPUMicros = perSpan(after.server-before.server, spans)
	result.EngineCPUMicros = perSpan(after.engine-before.engine, spans)
	result.GeneratorCPUMicros = perSpan(after.self-before.self, spans)
	result.PeakRSSMegabytes = round(float64(peak())/1e6, 0)
	return nil
}

// sendAll keeps every connection busy until all bodies are acknowledged.
func (s *server) sendAll(ctx context.Context, bodies []body, connections int) ([]time.Duration, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	acks := make([]time.Duration, len(bodies))
	var next atomic.Int64
	var senders sync.WaitGroup
	for range connections {
		senders.Go(func() {
			for {
				i := int(next.Add(1) - 1)
				if i >= len(bodies) || ctx.Err() != nil {
					return
				}
				ack, err := s.send(ctx, &bodies[i], s.key.public, s.key.secret)
				if err != nil {
					cancel(fmt.Errorf("send body %d: %w", i, err))
					return
				}
				acks[i] = ack
			}
		})
	}
	senders.Wait()
	return acks, context.Cause(ctx)
}

// waitReadable returns when the log is drained and the last bodies come out of the API. It asks
// the cheap question first: polling the API would compete with what it waits for.
func (s *server) waitReadable(ctx context.Context, bodies []body) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	for {
		pending, err := s.metric(ctx, "sonde_log_pending_envelopes")
		if err != nil {
			return err
		}
		if pending == 0 {
			break
		}
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return fmt.Errorf("the log is not drained after five minutes: %w", err)
		}
	}
	for i := max(0, len(bodies)-8); i < len(bodies); {
		ok, err := s.readable(ctx, &bodies[i])
		if err != nil {
			return err
		}
		if ok {
			i++
			continue
		}
		if err := sleep(ctx, 10*time.Millisecond); err != nil {
			return fmt.Errorf("the last spans are not readable after five minutes: %w", err)
		}
	}
	return nil
}

// countStored walks all pages and compares ids with what was sent.
func (s *server) countStored(ctx context.Context, bodies []body, result *IngestResult) error {
	seen, err := s.walk(ctx, map[string][]string{})
	if err != nil {
		return err
	}
	for i := range bodies {
		for _, id := range bodies[i].ids {
			if seen[id] == 1 {
				result.Stored++
			}
		}
	}
	if result.Stored != result.Accepted || len(seen) != result.Accepted {
		return fmt.Errorf("accepted %d spans, found %d of them once, and %d ids in all", result.Accepted, result.Stored, len(seen))
	}
	store, err := s.openStore(chstore.DefaultDatabase, 1)
	if err != nil {
		return err
	}
	defer store.Close()
	disk, err := store.DiskBytes(ctx)
	if err != nil {
		return err
	}
	result.BytesPerSpan = round(disk/float64(result.Stored), 1)
	return nil
}
