package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// seedState is the file in a seeded directory that says how far the seed is.
type seedState struct {
	seedPlan
	Sent    int         `json:"requests_sent"` // all before this one are acknowledged
	Seconds float64     `json:"seconds"`
	Result  *SeedResult `json:"result,omitempty"` // once all is stored

	dir string
}

// ownDir is where benches keep their files in a data directory.
func (s *seedState) ownDir() string { return filepath.Join(s.dir, "bench") }

func (s *seedState) path() string { return filepath.Join(s.ownDir(), "seed.json") }

// readSeed finds what a directory was seeded with; fs.ErrNotExist when it was not.
func readSeed(dir string) (*seedState, error) {
	s := &seedState{dir: dir}
	text, err := os.ReadFile(s.path())
	if err != nil {
		return nil, fmt.Errorf("read the seed of %s: %w", dir, err)
	}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("read the seed of %s: %w", dir, err)
	}
	return s, nil
}

// openSeed finds the state of a plan in a directory, or begins it there.
func openSeed(dir string, plan seedPlan) (*seedState, error) {
	s, err := readSeed(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if exists(filepath.Join(dir, "metadata.sqlite")) {
			return nil, fmt.Errorf("%s holds data that no seed made; give another --dir", dir)
		}
		s = &seedState{seedPlan: plan, dir: dir}
		if err := os.MkdirAll(s.ownDir(), 0o700); err != nil {
			return nil, fmt.Errorf("make the seed's directory: %w", err)
		}
		return s, s.save()
	case err != nil:
		return nil, err
	case s.seedPlan != plan:
		return nil, fmt.Errorf("%s was seeded with %s, not with %s; give another --dir or remove it", dir, s.seedPlan, plan)
	}
	return s, nil
}

// String says what a plan was asked for by.
func (p seedPlan) String() string {
	dense := "a dense newest minute"
	if !p.Dense {
		dense = "no dense minute"
	}
	return fmt.Sprintf("%d rows, seed %d, %s (format %d)", p.Rows, p.Seed, dense, p.Format)
}

// save replaces the file whole: an interrupted run finds the old one or the new one.
func (s *seedState) save() error {
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("render the seed's state: %w", err)
	}
	next := s.path() + ".next"
	if err := os.WriteFile(next, text, 0o600); err != nil {
		return fmt.Errorf("write the seed's state: %w", err)
	}
	if err := os.Rename(next, s.path()); err != nil {
		return fmt.Errorf("write the seed's state: %w", err)
	}
	return nil
}

// floor finds below which number everything is done, in whatever order it was.
type floor struct {
	mu    sync.Mutex
	low   int
	above map[int]bool
}

func newFloor(low int) *floor { return &floor{low: low, above: map[int]bool{}} }

func (f *floor) done(i int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.above[i] = true
	for f.above[f.low] {
		delete(f.above, f.low)
		f.low++
	}
}

func (f *floor) reached() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.low
}
