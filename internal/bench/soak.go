package bench

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// SoakResult is how a server stands a steady load over a long time.
type SoakResult struct {
	Minutes  float64 `json:"minutes"`
	Rate     float64 `json:"spans_per_s"`
	Sent     int64   `json:"bodies_sent"`
	Errors   int64   `json:"errors"`
	EarlyMB  float64 `json:"early_rss_mb"` // median of the second tenth: the first is warming up
	LateMB   float64 `json:"late_rss_mb"`  // median of the last tenth
	PeakMB   float64 `json:"peak_rss_mb"`
	LagP99   float64 `json:"lag_p99_s"`
	LagMax   float64 `json:"lag_max_s"`
	AckP99   float64 `json:"ack_p99_ms"`
	Restarts float64 `json:"engine_restarts"`
}

// Growth is what memory may grow by between early and late before it counts as a leak: merges
// come and go in the engine.
const growth = 1.25

// Verdict says what was not held.
func (r SoakResult) Verdict() error {
	switch {
	case r.Errors > 0:
		return fmt.Errorf("%d requests were not accepted", r.Errors)
	case r.LateMB > r.EarlyMB*growth:
		return fmt.Errorf("memory grew from %.0f to %.0f MB", r.EarlyMB, r.LateMB)
	case r.LagP99 >= 1:
		return fmt.Errorf("the writer was %.1f s behind (p99)", r.LagP99)
	}
	return nil
}

// SoakOptions bound the run.
type SoakOptions struct {
	Rate     int // spans per second
	Duration time.Duration
}

// soakBodies are made once; every send gives them new trace ids and times.
const soakBodies = 200

// soakSample is one look at the server.
type soakSample struct {
	rss uint64
	lag float64
}

// Soak sends new spans at a steady rate and watches memory, lag and answers.
func Soak(ctx context.Context, o SoakOptions, p *Progress) (result SoakResult, err error) {
	s, err := newServer()
	if err != nil {
		return result, err
	}
	defer func() { err = joinRemove(err, s) }()
	if _, err := s.start(ctx); err != nil {
		return result, err
	}
	templates := newCorpus(uint64(time.Now().UnixNano())).bodies(soakBodies*spansPerBody, true)
	made := time.Now()

	watching, cancel := context.WithCancel(ctx)
	defer cancel()
	samples := make(chan []soakSample, 1)
	go func() { samples <- s.watchSoak(watching, p) }()

	var acks []time.Duration
	var mu sync.Mutex
	var failed atomic.Int64
	interval := time.Second * spansPerBody / time.Duration(o.Rate)
	began := time.Now()
	var senders sync.WaitGroup
	for i := 0; time.Since(began) < o.Duration; i++ {
		if err := sleep(ctx, time.Until(began.Add(time.Duration(i)*interval))); err != nil {
			break
		}
		senders.Go(func() {
			b := templates[i%len(templates)].again(uint64(i/len(templates)+1), time.Since(made))
			ack, err := s.send(ctx, &b, publicKey, secretKey)
			if err != nil {
				failed.Add(1)
				p.say("request %d: %v", i, err)
				return
			}
			mu.Lock()
			acks = append(acks, ack)
			mu.Unlock()
		})
	}
	senders.Wait()
	took := time.Since(began)
	cancel()
	result.summarize(<-samples)
	result.Minutes = round(took.Minutes(), 1)
	result.Sent, result.Errors = int64(len(acks)), failed.Load()
	result.Rate = round(float64(result.Sent*spansPerBody)/took.Seconds(), 0)
	result.AckP99 = percentile(acks, 0.99)
	result.Restarts, err = s.metric(ctx, "sonde_engine_restarts")
	return result, err
}

// watchSoak looks at the server every few seconds until ctx ends.
func (s *server) watchSoak(ctx context.Context, p *Progress) []soakSample {
	const every = 2 * time.Second
	var list []soakSample
	for sleep(ctx, every) == nil {
		u, err := measureTree(s.pid())
		if err != nil {
			continue // a process ended between listing and reading
		}
		lag, err := s.metric(ctx, "sonde_log_lag_seconds")
		if err != nil {
			continue
		}
		list = append(list, soakSample{u.rssBytes, lag})
		if len(list)%30 == 0 {
			p.say("%4.0f s: %.0f MB, %.2f s behind", (time.Duration(len(list)) * every).Seconds(), float64(u.rssBytes)/1e6, lag)
		}
	}
	return list
}

func (r *SoakResult) summarize(samples []soakSample) {
	if len(samples) == 0 {
		return
	}
	tenth := max(1, len(samples)/10)
	r.EarlyMB = medianMB(samples[min(tenth, len(samples)-1):min(2*tenth+1, len(samples))])
	r.LateMB = medianMB(samples[len(samples)-tenth:])
	lags := make([]float64, len(samples))
	for i, s := range samples {
		lags[i] = s.lag
		r.PeakMB = max(r.PeakMB, round(float64(s.rss)/1e6, 0))
	}
	slices.Sort(lags)
	r.LagP99 = round(lags[min(len(lags)-1, len(lags)*99/100)], 2)
	r.LagMax = round(lags[len(lags)-1], 2)
}

func medianMB(samples []soakSample) float64 {
	sizes := make([]uint64, len(samples))
	for i, s := range samples {
		sizes[i] = s.rss
	}
	slices.Sort(sizes)
	return round(float64(sizes[len(sizes)/2])/1e6, 0)
}

// again is the body with other trace ids and later times: new spans for the price of a gzip.
func (b *body) again(round uint64, later time.Duration) body {
	plain := slices.Clone(b.plain)
	eachField(plain, func(_ protowire.Number, resourceSpans []byte) {
		eachField(resourceSpans, func(field protowire.Number, scopeSpans []byte) {
			if field != 2 {
				return
			}
			eachField(scopeSpans, func(field protowire.Number, span []byte) {
				if field == 2 {
					renew(span, round, later)
				}
			})
		})
	})
	return body{compressed: compress(plain), ids: b.ids, rawBytes: len(plain)}
}

// renew changes a span in place: its trace id and its two times keep their length.
func renew(span []byte, round uint64, later time.Duration) {
	eachField(span, func(field protowire.Number, content []byte) {
		if field == 1 { // trace id; the first byte keeps its bit that makes it non-zero
			for i := range 8 {
				content[1+i] ^= byte(round >> (8 * i))
			}
		}
		if field == 7 || field == 8 { // start and end
			at, _ := protowire.ConsumeFixed64(content)
			protowire.AppendFixed64(content[:0], at+uint64(later))
		}
	})
}

// eachField calls do with every length-delimited or fixed64 field of a message that we encoded.
func eachField(message []byte, do func(field protowire.Number, content []byte)) {
	for len(message) > 0 {
		field, kind, n := protowire.ConsumeTag(message)
		size := protowire.ConsumeFieldValue(field, kind, message[n:])
		value := message[n : n+size]
		switch kind {
		case protowire.BytesType:
			content, _ := protowire.ConsumeBytes(value)
			do(field, content)
		case protowire.Fixed64Type:
			do(field, value)
		default: // nothing else carries ids or times
		}
		message = message[n+size:]
	}
}
