package e2e_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// load sends spans over some connections and remembers what became of each.
type load struct {
	stop    chan struct{}
	senders sync.WaitGroup

	mu         sync.Mutex
	taken      []span   // acknowledged
	unanswered []span   // refused, or the connection broke
	refusals   []answer // what was answered instead of 200
	broken     int      // requests without any answer
}

// loadPace is how long a sender waits between two exports.
const loadPace = 30 * time.Millisecond

// startLoad begins to send; it ends with the test at the latest.
func startLoad(t *testing.T, c *client, senders int) *load {
	t.Helper()
	l := &load{stop: make(chan struct{})}
	for range senders {
		l.senders.Go(func() {
			for {
				select {
				case <-l.stop:
					return
				case <-time.After(loadPace):
				}
				spans := newSpans(10)
				l.send(c, inProtobuf(t, spans...), spans)
			}
		})
	}
	t.Cleanup(l.end)
	return l
}

func (l *load) send(c *client, b body, spans []span) {
	a, err := c.export(b)
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err != nil:
		l.broken++
		l.unanswered = append(l.unanswered, spans...)
	case a.status != http.StatusOK:
		l.refusals = append(l.refusals, a)
		l.unanswered = append(l.unanswered, spans...)
	default:
		l.taken = append(l.taken, spans...)
	}
}

// end stops the senders and waits for their last answers; ending twice does nothing.
func (l *load) end() {
	l.mu.Lock()
	select {
	case <-l.stop:
	default:
		close(l.stop)
	}
	l.mu.Unlock()
	l.senders.Wait()
}

func (l *load) acknowledged() []span {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.taken)
}

func (l *load) refused() []answer {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.refusals)
}

// flawless reports every request that was not taken.
func (l *load) flawless() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.refusals) > 0 {
		return fmt.Errorf("%d requests were refused, the first with status %d: %s", len(l.refusals), l.refusals[0].status, l.refusals[0].body)
	}
	if l.broken > 0 {
		return fmt.Errorf("%d requests got no answer", l.broken)
	}
	return nil
}
