package e2e_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"syscall"
	"testing"
	"time"
)

// A log at its capacity refuses as a full disk does, until the engine has caught up.
func TestLogFull(t *testing.T) {
	s := startNode(t, "--eventlog-capacity=32MiB")
	client := s.client()
	l := startLoad(t, client, 1)
	sendLarge := func() { // small ones may always fit
		spans := newSpans(1)
		spans[0].attributes = map[string]string{"langfuse.observation.input": noise(900_000)}
		l.send(client, inProtobuf(t, spans...), spans)
	}
	refusesForAWhile(t, s, l, true, func() (empty func()) {
		for len(l.refused()) < 5 {
			sendLarge()
		}
		return func() {
			eventually(t, time.Minute, "large spans are taken again", func() error {
				before := len(l.refused())
				sendLarge()
				if len(l.refused()) > before {
					return errors.New(last(l.refused()))
				}
				return nil
			})
		}
	})
}

// refusesForAWhile fills something while the engine hangs, so that the log holds spans that nobody
// can read yet, and follows what happens to them and to new ones.
func refusesForAWhile(t *testing.T, s *server, l *load, drains bool, fill func() (empty func())) {
	t.Helper()
	client, engine := s.client(), s.engine()
	awaitMore(t, "spans are taken", l, 100)
	s.signal(engine, syscall.SIGSTOP)
	awaitMore(t, "spans are taken while the engine hangs", l, 300)
	empty := fill()
	eventually(t, 20*time.Second, "new spans are refused", func() error {
		if refused := l.refused(); len(refused) < 5 {
			return fmt.Errorf("%d requests were refused", len(refused))
		}
		return nil
	})
	s.signal(engine, syscall.SIGCONT)
	drained := time.Duration(0)
	if taken := l.acknowledged(); drains {
		drained = eventually(t, time.Minute, "what was taken is readable while there is no room", func() error {
			rows, err := client.walk(nil, 1000)
			if err != nil {
				return err
			}
			return exactly(rows, taken, l.all()...)
		})
	}
	empty()
	began := time.Now()
	awaitMore(t, "spans are taken again", l, 50)
	again := time.Since(began)
	l.end()
	client.showsWithin(time.Minute, l.acknowledged(), l.unanswered...)
	t.Logf("%d spans taken, %d requests refused; readable after %s, taken again %s after there was room",
		len(l.taken), len(l.refusals), drained.Round(10*time.Millisecond), again.Round(10*time.Millisecond))
	for _, a := range l.refusals {
		if a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") != "1" {
			t.Fatalf("refused with status %d, Retry-After %q: %s", a.status, a.header.Get("Retry-After"), a.body)
		}
	}
	if dead, err := s.metric("sonde_log_dead_letters"); err != nil || dead != 0 {
		t.Errorf("%v dead letters: %v", dead, err)
	}
	if engine != s.engine() {
		t.Errorf("the engine was replaced: process %d is now %d", engine, s.engine())
	}
}

func awaitMore(t *testing.T, what string, l *load, spans int) {
	t.Helper()
	before := len(l.acknowledged())
	eventually(t, time.Minute, what, func() error {
		if n := len(l.acknowledged()) - before; n < spans {
			return fmt.Errorf("%d of %d spans; the last refusal: %s", n, spans, last(l.refused()))
		}
		return nil
	})
}

func (l *load) all() []span {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Concat(l.taken, l.unanswered)
}

func last(list []answer) string {
	if len(list) == 0 {
		return "none"
	}
	return list[len(list)-1].body
}
