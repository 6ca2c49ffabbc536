package e2e_test

import (
	"testing"
	"time"
)

// One client with start times all over the calendar makes many partitions; nobody else may wait for it.
func TestManyMonthsDelayNobody(t *testing.T) {
	s := startServer(t)
	odd, usual := s.client(), s.addProject("usual")
	usual.send(inProtobuf(t, newSpans(1)...)) // connections are open, caches warm
	s.stored(1)

	scattered := newSpans(200)
	for i := range scattered {
		scattered[i].start = time.Date(2009, time.Month(1+i), 15, 12, 0, 0, 0, time.UTC)
	}
	odd.send(inProtobuf(t, scattered...))
	sent := time.Now()
	var slowest time.Duration
	for range 8 {
		spans := newSpans(5)
		usual.send(inProtobuf(t, spans...))
		slowest = max(slowest, eventually(t, 20*time.Second, "usual traffic is readable", func() error {
			rows, err := usual.walk(map[string][]string{"traceId": {spans[0].trace}}, 1000)
			if err != nil {
				return err
			}
			return exactly(rows, spans)
		}))
	}
	odd.showsWithin(time.Minute, scattered)
	t.Logf("usual traffic was readable after %s at most, all months after %s", slowest.Round(time.Millisecond), time.Since(sent).Round(time.Millisecond))
	if slowest > 2*time.Second {
		t.Errorf("usual traffic was readable after %s only", slowest)
	}
}
