package livetest

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/live"
)

// patience is how long tests wait for what must come soon.
const patience = 10 * time.Second

// Run checks what a bus promises within a node. open makes one that is gone when the test ends.
func Run(t *testing.T, open func(t *testing.T) live.Bus) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, live.Bus){
		"messages come in order":               inOrder,
		"a project hears only its own":         tenants,
		"every listener hears":                 everyListener,
		"nothing comes after the end":          ended,
		"heard while somebody listens":         heard,
		"a node does not ask itself":           alone,
		"ends and beginnings at once are fine": atOnce,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// RunNodes checks what it promises between two nodes of one installation.
func RunNodes(t *testing.T, open func(t *testing.T) (a, b live.Bus)) {
	t.Helper()
	for name, test := range map[string]func(t *testing.T, a, b live.Bus){
		"the other node hears":              across,
		"the other node knows of listeners": heardAcross,
		"the other node answers":            answers,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := open(t)
			test(t, a, b)
		})
	}
}

// ear remembers what it heard.
type ear struct {
	mu       sync.Mutex
	messages []string
}

func (e *ear) hear(message []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.messages = append(e.messages, string(message))
}

func (e *ear) heard() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.messages)
}

func (e *ear) await(t *testing.T, want ...string) {
	t.Helper()
	if !soon(func() bool { return len(e.heard()) >= len(want) }) || !slices.Equal(e.heard(), want) {
		t.Fatalf("heard other messages (-want +got):\n%s", cmp.Diff(want, e.heard()))
	}
}

// soon waits until something holds.
func soon(holds func() bool) bool {
	for end := time.Now().Add(patience); time.Now().Before(end); <-time.After(2 * time.Millisecond) {
		if holds() {
			return true
		}
	}
	return holds()
}

func listen(t *testing.T, bus live.Bus, projectID string) (*ear, func()) {
	t.Helper()
	e := &ear{}
	stop, err := bus.Listen(t.Context(), projectID, e.hear)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return e, stop
}

func inOrder(t *testing.T, bus live.Bus) {
	e, _ := listen(t, bus, "p")
	var want []string
	for i := range 500 {
		want = append(want, strconv.Itoa(i))
		bus.Publish("p", []byte(want[i]))
	}
	e.await(t, want...)
}

// Ids of projects are chosen by clients of old releases: none of them may reach another's news.
func tenants(t *testing.T, bus live.Bus) {
	ids := []string{"p", "P", "p.q", "*", ">", "p.>", "", " ", "p\x00", "\u00fc", live.Installation + "x"}
	ears := map[string]*ear{}
	for _, id := range ids {
		ears[id], _ = listen(t, bus, id)
	}
	for _, id := range ids {
		bus.Publish(id, fmt.Appendf(nil, "to %q", id))
	}
	for _, id := range ids {
		ears[id].await(t, fmt.Sprintf("to %q", id))
	}
}

func everyListener(t *testing.T, bus live.Bus) {
	first, stop := listen(t, bus, "p")
	second, _ := listen(t, bus, "p")
	bus.Publish("p", []byte("one"))
	first.await(t, "one")
	second.await(t, "one")
	stop()
	bus.Publish("p", []byte("two"))
	second.await(t, "one", "two")
	first.await(t, "one")
}

func ended(t *testing.T, bus live.Bus) {
	var stopped sync.RWMutex
	over := false
	stop, err := bus.Listen(t.Context(), "p", func([]byte) {
		stopped.RLock()
		defer stopped.RUnlock()
		if over {
			t.Error("heard something after the end")
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		bus.Publish("p", []byte("x"))
	}
	stop()
	stopped.Lock()
	over = true
	stopped.Unlock()
	after, _ := listen(t, bus, "p")
	bus.Publish("p", []byte("y"))
	if !soon(func() bool { return slices.Contains(after.heard(), "y") }) {
		t.Fatal("the bus is silent")
	}
	stop() // again
}

func heard(t *testing.T, bus live.Bus) {
	if bus.Heard("p") {
		t.Fatal("heard before anybody listened")
	}
	_, first := listen(t, bus, "p")
	_, second := listen(t, bus, "p")
	if !bus.Heard("p") || bus.Heard("q") {
		t.Fatalf("heard p %v, q %v, want true, false", bus.Heard("p"), bus.Heard("q"))
	}
	first()
	if !bus.Heard("p") {
		t.Fatal("one listener is left, and the project is not heard")
	}
	second()
	if end := time.Now().Add(live.HeardFor + patience); true {
		for bus.Heard("p") && time.Now().Before(end) {
			<-time.After(50 * time.Millisecond)
		}
	}
	if bus.Heard("p") {
		t.Fatal("still heard after the last listener went")
	}
}

func alone(t *testing.T, bus live.Bus) {
	bus.Answer(func(string) []byte { return []byte("me") })
	if got := bus.Ask(t.Context(), "p"); len(got) != 0 {
		t.Fatalf("asked itself: %q", got)
	}
}

func atOnce(t *testing.T, bus live.Bus) {
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				stop, err := bus.Listen(t.Context(), "p", func([]byte) {})
				if err != nil {
					t.Error(err)
					return
				}
				bus.Publish("p", []byte("x"))
				bus.Heard("p")
				stop()
			}
		})
	}
	group.Wait()
}

func across(t *testing.T, a, b live.Bus) {
	e, _ := listen(t, a, "p")
	other, _ := listen(t, a, "q")
	own, _ := listen(t, b, "p")
	b.Publish("p", []byte("from b"))
	e.await(t, "from b")
	own.await(t, "from b")
	a.Publish("p", []byte("from a"))
	own.await(t, "from b", "from a")
	other.await(t)
}

func heardAcross(t *testing.T, a, b live.Bus) {
	_, stop := listen(t, a, "p")
	if !soon(func() bool { return b.Heard("p") }) {
		t.Fatal("the other node does not know of the listener")
	}
	if b.Heard("q") {
		t.Fatal("a project is heard that nobody listens to")
	}
	stop()
	for end := time.Now().Add(live.HeardFor + patience); b.Heard("p") && time.Now().Before(end); {
		<-time.After(50 * time.Millisecond)
	}
	if b.Heard("p") {
		t.Fatal("still heard after the last listener went")
	}
}

func answers(t *testing.T, a, b live.Bus) {
	a.Answer(func(id string) []byte { return []byte("a on " + id) })
	b.Answer(func(id string) []byte { return []byte("b on " + id) })
	for bus, want := range map[live.Bus]string{a: "b on p", b: "a on p"} {
		var got [][]byte
		// A node that is slow may be left out, but not for good.
		if soon(func() bool { got = bus.Ask(t.Context(), "p"); return len(got) > 0 }); len(got) != 1 || string(got[0]) != want {
			t.Errorf("got %q, want only %q", got, want)
		}
	}
}
