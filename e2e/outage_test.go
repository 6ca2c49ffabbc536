package e2e_test

import (
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// outage is how long an engine is away: seconds in SONDE_E2E_OUTAGE, or a few.
func outage(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("SONDE_E2E_OUTAGE")
	if text == "" {
		return 6 * time.Second
	}
	seconds, err := strconv.Atoi(text)
	if err != nil || seconds < 1 {
		t.Fatalf("SONDE_E2E_OUTAGE must be a number of seconds, it is %q", text)
	}
	return time.Duration(seconds) * time.Second
}

// Clients do not notice an engine that is away: everything is taken meanwhile, and there once, when
// the engine is back.
func TestEngineAwayUnderLoad(t *testing.T) {
	for name, away := range map[string]func(s *server, until time.Time){
		"it hangs": func(s *server, until time.Time) {
			engine := s.engine()
			s.signal(engine, syscall.SIGSTOP)
			pause(time.Until(until))
			s.signal(engine, syscall.SIGCONT)
		},
		"it crashes again and again": func(s *server, until time.Time) {
			for time.Now().Before(until) {
				if engine := s.engine(); engine != 0 {
					s.signal(engine, syscall.SIGKILL)
				}
				pause(200 * time.Millisecond)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := startNode(t)
			l := startLoad(t, s.client(), 2)
			pause(500 * time.Millisecond)
			away(s, time.Now().Add(outage(t)))
			pause(500 * time.Millisecond)
			l.end()
			if err := l.flawless(); err != nil {
				t.Error(err)
			}
			took := s.client().showsWithin(2*time.Minute, l.acknowledged())
			t.Logf("%d spans were readable %s after the outage", len(l.acknowledged()), took.Round(time.Millisecond))
			dead, err := s.metric("sonde_log_dead_letters")
			if err != nil || dead != 0 {
				t.Errorf("%v dead letters: %v", dead, err)
			}
		})
	}
}
