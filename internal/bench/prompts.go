package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// PromptsResult compares reads of a prompt with a handler that sends the same bytes and does nothing else,
// both while spans come in.
type PromptsResult struct {
	Peak     float64 `json:"peak_spans_per_s"`
	Ingest   float64 `json:"ingest_spans_per_s"`
	ReadRate int     `json:"reads_per_s"`
	Bytes    int     `json:"answer_bytes"`
	Samples  int     `json:"samples"` // of each of the two
	Errors   int     `json:"errors"`  // of both

	P50     float64 `json:"p50_ms"`
	P99     float64 `json:"p99_ms"`
	BareP50 float64 `json:"bare_p50_ms"`
	BareP99 float64 `json:"bare_p99_ms"`

	RatioP50 float64 `json:"ratio_p50"`
	Ratio    float64 `json:"ratio"` // of the p99
	maxRatio float64
}

// Verdict fails when reads are much slower than bare answers, or when one failed.
func (r PromptsResult) Verdict() error {
	var broken []error
	if r.Samples == 0 || r.Errors > 0 {
		broken = append(broken, fmt.Errorf("%d of %d reads failed", r.Errors, r.Errors+2*r.Samples))
	}
	if r.Ratio > r.maxRatio {
		broken = append(broken, fmt.Errorf("p99 of prompt reads is %.2f ms, %.2f times that of a bare handler, at most %.2f wanted", r.P99, r.Ratio, r.maxRatio))
	}
	return errors.Join(broken...)
}

// PromptsOptions bound the run.
type PromptsOptions struct {
	Rate       int           // reads per second
	Duration   time.Duration // of reading, half of it from the bare handler
	IngestPeak int           // spans per second, of which half is sent; 0: measured first
	MaxRatio   float64
}

const (
	promptSlice  = 100 * time.Millisecond // of reading one of the two before the other: nothing may cool down meanwhile
	promptBytes  = 2000                   // of the prompt's text
	promptTarget = "/api/public/v2/prompts/"
)

// Prompts reads a prompt at a steady rate while spans come in, in turns with a bare handler.
func Prompts(ctx context.Context, o PromptsOptions, p *Progress) (result PromptsResult, err error) {
	if o.Rate < 1 || o.Duration < 2*time.Second {
		return result, errors.New("there must be a rate, and two seconds")
	}
	result.ReadRate, result.Peak, result.maxRatio = o.Rate, float64(o.IngestPeak), o.MaxRatio
	s, err := newServer()
	if err != nil {
		return result, err
	}
	defer func() { err = joinRemove(err, s) }()
	if _, err := s.start(ctx); err != nil {
		return result, err
	}
	answer, err := s.makePrompt(ctx, "bench/prompt")
	if err != nil {
		return result, err
	}
	result.Bytes = len(answer)
	bare, err := s.startStatic(ctx, answer)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, bare.stop()) }()
	if o.IngestPeak == 0 {
		p.say("measuring the peak of ingest")
		var found IngestResult
		if err := s.drive(ctx, newCorpus(uint64(time.Now().UnixNano())).bodies(peakSeconds*assumedPerSec, false), 8, &found); err != nil {
			return result, err
		}
		result.Peak = found.SpansPerSecond
	}
	rate := int(result.Peak / 2)
	if rate < spansPerBody {
		return result, fmt.Errorf("half of a peak of %.0f spans/s is no load", result.Peak)
	}
	p.say("reading %d prompts/s for %s, half of them bare, while %d spans/s come in", o.Rate, o.Duration, rate)
	bodies := newCorpus(uint64(time.Now().UnixNano())).bodies(int(float64(rate)*o.Duration.Seconds()), false)
	var load LoadedReads
	failed := make(chan error, 1)
	go func() { failed <- s.offer(ctx, bodies, rate, &load) }()
	read, direct, err := s.readInTurns(ctx, o, bare.url, answer)
	if err = errors.Join(err, <-failed); err != nil {
		return result, err
	}
	result.fill(read, direct)
	result.Ingest = load.StoredRate
	return result, nil
}

func (r *PromptsResult) fill(read, direct *phase) {
	r.Samples, r.Errors = min(len(read.acks), len(direct.acks)), read.errors+direct.errors
	r.P50, r.P99 = percentile(read.acks, 0.5), percentile(read.acks, 0.99)
	r.BareP50, r.BareP99 = percentile(direct.acks, 0.5), percentile(direct.acks, 0.99)
	if r.BareP50 > 0 && r.BareP99 > 0 {
		r.RatioP50, r.Ratio = round(r.P50/r.BareP50, 2), round(r.P99/r.BareP99, 2)
	}
}

// readInTurns is an open loop: each read is sent at its time, whatever became of those before, and its time
// counts from when it should have been sent. They are read in short turns, so that both meet the same load.
func (s *server) readInTurns(ctx context.Context, o PromptsOptions, bare string, want []byte) (read, direct *phase, err error) {
	read, direct = &phase{}, &phase{}
	interval := time.Second / time.Duration(o.Rate)
	perSlice := int(promptSlice / interval)
	var readers sync.WaitGroup
	began := time.Now()
	for i := range int(o.Duration / interval) {
		due := began.Add(time.Duration(i) * interval)
		if err := sleep(ctx, time.Until(due)); err != nil {
			break
		}
		into, address := read, s.url+promptTarget+"bench%2Fprompt"
		if i/perSlice%2 == 1 {
			into, address = direct, bare
		}
		readers.Go(func() {
			err := s.readPrompt(ctx, address, want)
			into.note(&into.acks, time.Since(due), err)
		})
	}
	readers.Wait()
	return read, direct, ctx.Err()
}

func (s *server) readPrompt(ctx context.Context, address string, want []byte) error {
	got, err := s.exchange(ctx, http.MethodGet, address, nil, http.StatusOK)
	if err == nil && !bytes.Equal(got, want) {
		return errors.New("another answer than the first one")
	}
	return err
}

// makePrompt creates a prompt and returns the answer to reading it.
func (s *server) makePrompt(ctx context.Context, name string) ([]byte, error) {
	words := newCorpus(1).words
	text := strings.Join(words[:promptBytes/8], " ")
	body, err := json.Marshal(map[string]any{"name": name, "prompt": text[:min(len(text), promptBytes)], "labels": []string{"production"}, "config": map[string]any{"model": "bench"}})
	if err != nil {
		return nil, err
	}
	if _, err := s.exchange(ctx, http.MethodPost, s.url+"/api/public/v2/prompts", body, http.StatusCreated); err != nil {
		return nil, err
	}
	return s.exchange(ctx, http.MethodGet, s.url+promptTarget+"bench%2Fprompt", nil, http.StatusOK)
}

// promptReader keeps its connections apart from those of the load. When all are busy a read waits for one,
// and that counts as its time.
var promptReader = &http.Client{
	Timeout:   60 * time.Second,
	Transport: &http.Transport{MaxConnsPerHost: 64, MaxIdleConnsPerHost: 64, DisableCompression: true},
}

// exchange sends a request with the server's key and returns the answer.
func (s *server) exchange(ctx context.Context, method, address string, body []byte, status int) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.SetBasicAuth(s.key.public, s.key.secret)
	resp, err := promptReader.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != status {
		err = &refusedError{resp.StatusCode, string(got)}
	}
	return got, err
}
