package e2e_test

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"
)

// One project sends a hundred times as much as each of the others. They hardly notice: what they
// send is acknowledged about as fast as without it, and readable in time.
func TestFairness(t *testing.T) {
	s := startServer(t)
	heavy := s.client()
	var light []*client
	for i := range 49 {
		light = append(light, s.addProject(fmt.Sprintf("light-%02d", i)))
	}
	sendLightly(t, light, time.Second) // connections, caches
	// Other programs on the machine disturb either measurement: starvation fails every time.
	var err error
	for range 3 {
		if err = compareWith(t, heavy, light); err == nil {
			return
		}
		t.Log(err)
	}
	t.Error(err)
}

// compareWith measures the light projects alone, then beside the heavy one.
func compareWith(t *testing.T, heavy *client, light []*client) error {
	t.Helper()
	const lasting, floor = 6 * time.Second, 150 * time.Millisecond
	alone, readableAlone := sendLightly(t, light, lasting)
	stop := sendHeavily(t, heavy)
	beside, readable := sendLightly(t, light, lasting)
	stop()
	if len(alone)*len(beside)*len(readable)*len(readableAlone) == 0 {
		return errors.New("nothing was measured")
	}
	worst, worstAlone := slices.Max(readable), slices.Max(readableAlone)
	t.Logf("p99 of %d acknowledgements: %s alone, %s beside the heavy project; readable after at most %s and %s",
		len(beside), percentile(alone), percentile(beside), worstAlone, worst)
	if got, most := percentile(beside), 2*percentile(alone)+floor; got > most {
		return fmt.Errorf("p99 is %s beside the heavy project, at most %s wanted", got, most)
	}
	if most := max(2*time.Second, 3*worstAlone); worst > most {
		return fmt.Errorf("a span was readable only after %s beside the heavy project, at most %s wanted", worst, most)
	}
	return nil
}

// sendHeavily sends a hundred bodies a second, while a light project sends one.
func sendHeavily(t *testing.T, heavy *client) (stop func()) {
	t.Helper()
	done := make(chan struct{})
	var senders sync.WaitGroup
	for range 25 {
		senders.Go(func() {
			ticks := time.NewTicker(250 * time.Millisecond)
			defer ticks.Stop()
			for {
				select {
				case <-done:
					return
				case <-ticks.C:
				}
				a, err := heavy.export(inProtobuf(t, newSpans(3)...))
				if err == nil && a.status != 200 && (a.status != 503 || a.header.Get("Retry-After") != "1") {
					err = a.err()
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	return func() { close(done); senders.Wait() }
}

func percentile(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)*99/100]
}

// sendLightly lets every client send once a second and returns how long acknowledgements took
// and, of some, how long after them the spans could be read.
func sendLightly(t *testing.T, clients []*client, lasting time.Duration) (acknowledged, readable []time.Duration) {
	t.Helper()
	var mu sync.Mutex
	var senders sync.WaitGroup
	began := time.Now()
	for i, c := range clients {
		senders.Go(func() {
			for n := 0; ; n++ {
				due := began.Add(time.Duration(n)*time.Second + time.Duration(i)*time.Second/time.Duration(len(clients)))
				if due.Sub(began) >= lasting {
					return
				}
				pause(time.Until(due))
				spans := newSpans(3)
				b := inProtobuf(t, spans...)
				sent := time.Now()
				a, err := c.export(b)
				took := time.Since(sent)
				if err == nil {
					err = a.err()
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				acknowledged = append(acknowledged, took)
				mu.Unlock()
				if (i+n)%10 != 0 {
					continue
				}
				waited, err := c.untilReadable(spans[2])
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				readable = append(readable, waited)
				mu.Unlock()
			}
		})
	}
	senders.Wait()
	return acknowledged, readable
}

// untilReadable waits until a span comes out of the API.
func (c *client) untilReadable(s span) (time.Duration, error) {
	for began := time.Now(); ; pause(50 * time.Millisecond) {
		p, err := c.observations(url.Values{"traceId": {s.trace}, "fields": {"core"}})
		if err != nil {
			return 0, err
		}
		if slices.ContainsFunc(p.Data, func(r row) bool { return r.ID == s.id }) {
			return time.Since(began), nil
		}
		if time.Since(began) > 20*time.Second {
			return 0, fmt.Errorf("span %s cannot be read after 20 s", s.id)
		}
	}
}
