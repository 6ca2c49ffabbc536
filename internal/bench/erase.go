package bench

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// EraseResult says what deletes under load do.
type EraseResult struct {
	Rows    int            `json:"rows"`
	Traces  int            `json:"deleted_traces"`
	Before  map[string]int `json:"files_with_marker_before"`
	After   map[string]int `json:"files_with_marker_after"`
	Left    []Finding      `json:"left"`
	Scanned int64          `json:"decoded_bytes"`

	AnswerMS float64 `json:"answer_ms"`      // of the slower delete
	WalkMS   float64 `json:"walk_ms"`        // from the answer until every route had been read, all asked at once
	Shown    string  `json:"shown"`          // the first route that showed something deleted
	EraseS   float64 `json:"erased_after_s"` // from the answer until the jobs were done
	Attempts int     `json:"attempts"`

	Rate       float64 `json:"rate"`
	StoredRate float64 `json:"stored_spans_per_s"`
	MaxLagS    float64 `json:"max_lag_s"`
	Killed     bool    `json:"killed"`

	maxLag time.Duration
}

// EraseOptions bound the run.
type EraseOptions struct {
	Rows, Traces, Rate int
	Kill               bool
	MaxLag             time.Duration
}

// Places that must hold the marker before, or the proof proves nothing.
var markedPlaces = []string{"engine", "log", "log: dead letters", "blobs: media", "blobs: oversize"}

const (
	mostEraseSeconds = 600
	ratePart         = 0.9
)

// Verdict names the promises that did not hold.
func (r EraseResult) Verdict() error {
	var errs []error
	for _, place := range markedPlaces {
		if r.Before[place] == 0 {
			errs = append(errs, fmt.Errorf("the marker was not in %s before", place))
		}
	}
	if len(r.After) > 0 {
		errs = append(errs, fmt.Errorf("the marker is still in %v", r.After))
	}
	if r.Shown != "" {
		errs = append(errs, fmt.Errorf("shown after the delete: %s", r.Shown))
	}
	if !r.Killed && r.StoredRate < ratePart*r.Rate {
		errs = append(errs, fmt.Errorf("stored %.0f of %.0f spans/s", r.StoredRate, r.Rate))
	}
	if !r.Killed && r.MaxLagS > r.maxLag.Seconds() {
		errs = append(errs, fmt.Errorf("a lag of %.1f s", r.MaxLagS))
	}
	return errors.Join(errs...)
}

// Erase plants a marker wherever clients can put a text, deletes its traces while spans come in, and looks for it
// in every answer and in every file.
func Erase(ctx context.Context, o EraseOptions, p *Progress) (result EraseResult, err error) {
	s, err := newServer()
	if err != nil {
		return result, err
	}
	defer func() { err = joinRemove(err, s) }()
	if err := os.MkdirAll(s.data, 0o700); err != nil {
		return result, err
	}
	m := newMarked("zq"+strings.ToLower(rand.Text())[:22], o.Traces)
	if err := m.buryLetter(ctx, s.data); err != nil {
		return result, err
	}
	if _, err := s.start(ctx); err != nil {
		return result, err
	}
	load, err := s.eraseLoad(ctx, &o, &result, p)
	if err != nil {
		return result, err
	}
	p.say("planting %d rows and the marker in %d traces", o.Rows, o.Traces)
	bodies := newCorpus(1).bodies(o.Rows, false)
	if _, err := s.sendAll(ctx, bodies, 8); err != nil {
		return result, err
	}
	if err := m.plant(ctx, s); err != nil {
		return result, err
	}
	result.Rows, result.Traces, result.Killed = len(bodies)*spansPerBody, len(m.traces), o.Kill
	result.maxLag = o.MaxLag
	before, err := Scan(ctx, s.data, m.marker)
	result.Before = before.Places
	if err != nil {
		return result, err
	}
	p.say("the marker is in %v; deleting while %d spans/s come in", before.Places, o.Rate)
	if err := m.deleteUnder(ctx, s, load, o, &result, p); err != nil {
		return result, err
	}
	after, err := Scan(ctx, s.data, m.marker)
	result.After, result.Left, result.Scanned = after.Places, after.Found, after.Decoded
	return result, err
}

// eraseLoad is the server as the project that sends meanwhile, and the rate it sends at.
func (s *server) eraseLoad(ctx context.Context, o *EraseOptions, result *EraseResult, p *Progress) (*server, error) {
	key, err := s.loadProject(ctx)
	if err != nil {
		return nil, err
	}
	load := s.as(key)
	if o.Rate == 0 {
		p.say("measuring the peak of ingest")
		var found IngestResult
		if err := load.drive(ctx, newCorpus(2).bodies(peakSeconds*assumedPerSec, false), 8, &found); err != nil {
			return nil, err
		}
		o.Rate = int(found.SpansPerSecond / 2)
	}
	result.Rate = float64(o.Rate)
	return load, nil
}

// deleteUnder deletes under load and waits until the jobs are done.
func (m *marked) deleteUnder(ctx context.Context, s, load *server, o EraseOptions, result *EraseResult, p *Progress) error {
	var sending sync.WaitGroup
	var sent steadyLoad
	loading, stop := context.WithCancel(ctx)
	defer sending.Wait()
	defer stop()
	sending.Go(func() { sent = load.sendUntil(loading, o.Rate) })
	if err := sleep(ctx, 2*time.Second); err != nil {
		return err
	}
	jobs, err := m.delete(ctx, s, result)
	if err != nil {
		return err
	}
	answered := time.Now()
	result.Shown, err = m.shown(ctx, s)
	if err != nil {
		return err
	}
	result.WalkMS = round(float64(time.Since(answered).Microseconds())/1000, 1)
	p.say("all routes were asked with the answer and read after %.0f ms; waiting for %d jobs", result.WalkMS, len(jobs))
	if o.Kill {
		if err := s.killDuring(ctx, jobs[0], p); err != nil {
			return err
		}
	}
	for _, id := range jobs {
		if err := s.awaitErased(ctx, id, result, p); err != nil {
			return err
		}
	}
	result.EraseS = round(time.Since(answered).Seconds(), 1)
	stop()
	sending.Wait()
	result.StoredRate, result.MaxLagS = round(sent.rate, 0), round(sent.lag.Seconds(), 2)
	return nil
}

// awaitErased waits for the end of a job.
func (s *server) awaitErased(ctx context.Context, id string, result *EraseResult, p *Progress) error {
	ctx, cancel := context.WithTimeout(ctx, mostEraseSeconds*time.Second)
	defer cancel()
	said := ""
	for {
		var job struct {
			State, Reason string
			Attempts      int
			Progress      struct{ Text string }
		}
		err := s.ask(ctx, "/api/public/jobs/"+id, &job)
		switch {
		case err == nil && job.State == "done":
			result.Attempts = max(result.Attempts, job.Attempts)
			return nil
		case err == nil && (job.State == "failed" || job.State == "canceled"):
			return fmt.Errorf("the job %s: %s", job.State, job.Reason)
		}
		if now := job.State + ": " + job.Progress.Text + " " + job.Reason; err == nil && now != said {
			said = now
			p.say("%s", said)
		}
		if err := sleep(ctx, 200*time.Millisecond); err != nil {
			return fmt.Errorf("the job %s is not done: %w", id, err)
		}
	}
}

// killDuring waits until the job rewrites the store, then kills the engine, and the server a moment later.
func (s *server) killDuring(ctx context.Context, id string, p *Progress) error {
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); {
		var job struct{ Progress struct{ Done int } }
		if err := s.ask(ctx, "/api/public/jobs/"+id, &job); err == nil && job.Progress.Done >= 3 {
			break
		}
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	engine, err := s.enginePid()
	if err != nil {
		return err
	}
	p.say("killing engine and server")
	if err := errors.Join(s.kill(engine), sleep(ctx, 300*time.Millisecond), s.kill(s.pid())); err != nil {
		return err
	}
	s.waitExit()
	_, err = s.start(ctx)
	return err
}
