package pricing

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/sondehq/sonde/internal/price"
)

const (
	// maxAge is how old the definitions of a project may be.
	maxAge = time.Second
	// readWithin is how long a row waits for them.
	readWithin = 500 * time.Millisecond
	// maxProjects is how many projects are remembered.
	maxProjects = 10_000
)

// Counting tokens takes a project a fifth of a second per second, after a reserve of one second:
// one that leaves all counting to us must not slow down the others.
const (
	countingReserve = time.Second
	countingShare   = 5
	complainEvery   = time.Minute
)

// projects remembers the definitions of projects.
type projects struct {
	source Definitions
	logger *slog.Logger

	mu      sync.Mutex
	known   map[string]*project
	failing bool
	resting time.Time // until when a source that failed is left alone
}

// project is what is known about one.
type project struct {
	mu       sync.Mutex
	checked  time.Time
	text     string // of the definitions, to see whether they changed
	list     *price.List
	reserve  time.Duration
	refilled time.Time
	said     time.Time
}

func newProjects(source Definitions, logger *slog.Logger) *projects {
	return &projects{source: source, logger: logger, known: map[string]*project{}}
}

var none = mustList(nil)

func mustList(definitions []*price.Definition) *price.List {
	list, err := price.NewList(definitions)
	if err != nil {
		panic(err)
	}
	return list
}

// get returns a project with definitions that are at most maxAge old, or the last known ones when
// newer ones cannot be had.
func (p *projects) get(ctx context.Context, id string) *project {
	known := p.find(id)
	known.mu.Lock()
	defer known.mu.Unlock()
	now := time.Now()
	if now.Sub(known.checked) < maxAge || p.rests(now) {
		return known
	}
	reading, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	definitions, err := p.source.Models(reading, id)
	p.report(ctx, err)
	if err != nil {
		return known
	}
	known.checked = now
	if text, err := json.Marshal(definitions); err == nil && string(text) != known.text {
		known.text, known.list = string(text), p.prepared(ctx, id, definitions)
	}
	return known
}

func (p *projects) find(id string) *project {
	p.mu.Lock()
	defer p.mu.Unlock()
	known := p.known[id]
	if known == nil {
		if len(p.known) >= maxProjects {
			clear(p.known)
		}
		known = &project{list: none, reserve: countingReserve}
		p.known[id] = known
	}
	return known
}

func (p *projects) rests(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return now.Before(p.resting)
}

// report remembers whether definitions can be read, and says so once when that changes.
func (p *projects) report(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return // the caller's end says nothing about the database
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	changed := p.failing != (err != nil)
	if p.failing = err != nil; p.failing {
		p.resting = time.Now().Add(maxAge)
	}
	switch {
	case changed && p.failing:
		p.logger.WarnContext(ctx, "model definitions of projects cannot be read; pricing with those known last, else with the built-in ones", "error", err)
	case changed:
		p.logger.InfoContext(ctx, "model definitions of projects can be read again")
	}
}

// prepared makes a list of those definitions that can be used.
func (p *projects) prepared(ctx context.Context, id string, definitions []price.Definition) *price.List {
	var usable []*price.Definition
	for i := range definitions {
		d := &definitions[i]
		if err := d.Prepare(); err != nil {
			p.logger.WarnContext(ctx, "a model definition cannot be used", "project", id, "model_id", d.ID, "error", err)
			continue
		}
		usable = append(usable, d)
	}
	list, err := price.NewList(usable)
	if err != nil {
		return none // cannot be: each was prepared
	}
	return list
}

// definitions returns the project's own ones.
func (p *project) definitions() *price.List {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.list
}

// share is how long tokens may be counted now.
func (p *project) share(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.refilled.IsZero() {
		p.reserve = min(p.reserve+now.Sub(p.refilled)/countingShare, countingReserve)
	}
	p.refilled = now
	return p.reserve
}

func (p *project) spend(took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reserve -= took
}

// complain says, now and then, that rows stay without usage.
func (p *project) complain(ctx context.Context, logger *slog.Logger, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Sub(p.said) < complainEvery {
		return
	}
	p.said = now
	logger.WarnContext(ctx, "a project has no time left for counting tokens; rows without usage stay so")
}
