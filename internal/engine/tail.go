package engine

import (
	"bytes"
	"strings"
	"sync"
)

const (
	tailLines = 40
	tailWidth = 400
)

// tail keeps the last lines written to it. It never fails and never blocks, so that a talkative
// child cannot stall.
type tail struct {
	mu      sync.Mutex
	lines   []string
	partial []byte
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rest := p
	for {
		line, after, found := bytes.Cut(rest, []byte{'\n'})
		t.partial = append(t.partial, line[:min(len(line), tailWidth-len(t.partial))]...)
		if !found {
			return len(p), nil
		}
		if len(bytes.TrimSpace(t.partial)) > 0 {
			t.lines = append(t.lines, string(t.partial))
		}
		if extra := len(t.lines) - tailLines; extra > 0 {
			t.lines = append(t.lines[:0], t.lines[extra:]...)
		}
		t.partial = t.partial[:0]
		rest = after
	}
}

// last returns the newest n lines.
func (t *tail) last(n int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines[max(0, len(t.lines)-n):], "\n")
}
