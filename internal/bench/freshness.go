package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// FreshnessResult is how long after its acknowledgement a span can be read.
type FreshnessResult struct {
	Rate    float64 `json:"rate"`
	P50     float64 `json:"p50_ms"`
	P99     float64 `json:"p99_ms"`
	Max     float64 `json:"max_ms"`
	Samples int     `json:"samples"`
	Peak    float64 `json:"peak_spans_per_s,omitempty"`
}

// FreshnessOptions bound the run.
type FreshnessOptions struct {
	Rate    int // spans per second; 0: half of a peak measured first
	Seconds int
}

// One body is watched at a time and asked for every watchEvery: more would make watching
// the load, and a late body would bring ever more watchers.
const (
	watchers   = 1
	watchEvery = 50 * time.Millisecond
)

// Freshness sends at a steady rate and watches sampled bodies until their last span is read.
func Freshness(ctx context.Context, o FreshnessOptions, p *Progress) (result FreshnessResult, err error) {
	s, err := newServer()
	if err != nil {
		return result, err
	}
	defer func() { err = joinRemove(err, s) }()
	if _, err := s.start(ctx); err != nil {
		return result, err
	}
	if o.Rate == 0 {
		p.say("measuring the peak first")
		var peak IngestResult
		bodies := newCorpus(uint64(time.Now().UnixNano())).bodies(8*assumedPerSec, false)
		if err := s.drive(ctx, bodies, 8, &peak); err != nil {
			return result, err
		}
		result.Peak = peak.SpansPerSecond
		o.Rate = int(peak.SpansPerSecond / 2)
	}
	p.say("sending %d spans/s for %d s", o.Rate, o.Seconds)
	bodies := newCorpus(uint64(time.Now().UnixNano())).bodies(o.Rate*o.Seconds, false)
	waits, sent, err := s.sendSteadily(ctx, bodies, o.Rate)
	if err != nil {
		return result, err
	}
	result.Rate = round(float64(len(bodies)*spansPerBody)/sent.Seconds(), 0)
	result.P50, result.P99, result.Max = percentile(waits, 0.5), percentile(waits, 0.99), percentile(waits, 1)
	result.Samples = len(waits)
	return result, nil
}

// sendSteadily sends one body per tick, whether or not earlier ones are acknowledged.
func (s *server) sendSteadily(ctx context.Context, bodies []body, rate int) ([]time.Duration, time.Duration, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex
	var waits []time.Duration
	var senders sync.WaitGroup
	free := make(chan struct{}, watchers)
	interval := time.Second * spansPerBody / time.Duration(rate)
	began := time.Now()
	for i := range bodies {
		if err := sleep(ctx, time.Until(began.Add(time.Duration(i)*interval))); err != nil {
			break
		}
		senders.Go(func() {
			if _, err := s.send(ctx, &bodies[i], publicKey, secretKey); err != nil {
				cancel(fmt.Errorf("send body %d: %w", i, err))
				return
			}
			select {
			case free <- struct{}{}:
				defer func() { <-free }()
			default:
				return
			}
			wait, err := s.untilReadable(ctx, &bodies[i])
			if err != nil {
				cancel(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			waits = append(waits, wait)
		})
	}
	sent := time.Since(began)
	senders.Wait()
	return waits, sent, context.Cause(ctx)
}

func (s *server) untilReadable(ctx context.Context, b *body) (time.Duration, error) {
	began := time.Now()
	for {
		ok, err := s.readable(ctx, b)
		if err != nil || ok {
			return time.Since(began), err
		}
		if time.Since(began) > time.Minute {
			return 0, errors.New("a span was acknowledged a minute ago and cannot be read")
		}
		if err := sleep(ctx, watchEvery); err != nil {
			return 0, err
		}
	}
}
