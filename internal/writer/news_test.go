package writer_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/eventlog"
)

// newspaper remembers what it was told of the projects that are heard.
type newspaper struct {
	mu    sync.Mutex
	heard string
	told  []string
}

func (n *newspaper) Heard(projectID string) bool { return projectID == n.heard }

func (n *newspaper) Stored(projectID string, rows, roots int, traceIDs []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	slices.Sort(traceIDs) // the order of the rows of one batch is not promised
	n.told = append(n.told, fmt.Sprint(projectID, " ", rows, " ", roots, " ", strings.Join(traceIDs, ",")))
}

func (n *newspaper) all() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.told
}

func TestTellsWhatIsStored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		news := &newspaper{heard: "p"}
		f.news = news
		defer f.start(f.store)()
		other := envelope(3, "a")
		other.ProjectID = "q"
		events := eventlog.Envelope{Kind: eventlog.KindPartials, ProjectID: "p", AcceptedAt: time.Now(), Payload: []byte(
			`{"id":"e","time_us":1,"kind":"trace-create","body":{"id":"old","timestamp":"2026-05-01T10:00:00Z"}}` + "\n")}
		for _, e := range []eventlog.Envelope{envelope(1, "a", "b"), envelope(2, "a"), other, events} {
			f.append(e)
		}
		time.Sleep(time.Minute)
		trace := func(n int) string { return strings.Repeat(fmt.Sprintf("%02x", n), 16) }
		want := []string{"p 3 3 " + trace(1) + "," + trace(2), "p 1 1 old"}
		if diff := cmp.Diff(want, news.all()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
