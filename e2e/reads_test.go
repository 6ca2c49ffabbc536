package e2e_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

// One project searches through everything it has, again and again, in more requests at once than the engine
// takes. What another project sends is acknowledged and becomes readable, and its small reads are answered.
// When the heavy readers hang up, the engine stops working for them.
func TestHeavyReadersHarmNobody(t *testing.T) {
	s := startNode(t)
	other := s.addProject("other")
	store := s.openEngine()
	fillForSearch(t, store)

	ctx, hangUp := context.WithCancel(t.Context())
	defer hangUp()
	readers := startHeavyReaders(ctx, s.client(), 24)
	eventually(t, 10*time.Second, "heavy reads run", func() error { return wantSearches(store, 1) })

	var acknowledged, readable, small []time.Duration
	for began := time.Now(); time.Since(began) < 5*time.Second; pause(100 * time.Millisecond) {
		spans := newSpans(3)
		at := time.Now()
		other.send(inProtobuf(t, spans...))
		acknowledged = append(acknowledged, time.Since(at))
		waited, err := other.untilReadable(spans[0])
		if err != nil {
			t.Fatal(err)
		}
		readable = append(readable, waited)
		at = time.Now()
		if _, err := other.observations(url.Values{"limit": {"10"}}); err != nil {
			t.Fatal(err)
		}
		small = append(small, time.Since(at))
	}
	t.Logf("%d batches beside heavy readers: acknowledged within %s, readable within %s, small reads within %s; %s",
		len(acknowledged), slices.Max(acknowledged), slices.Max(readable), slices.Max(small), readers.answers())
	for what, worst := range map[string]time.Duration{
		"an acknowledgement took": slices.Max(acknowledged), "a span was readable after": slices.Max(readable), "a small read took": slices.Max(small),
	} {
		if worst > 10*time.Second {
			t.Errorf("%s %s beside heavy readers", what, worst)
		}
	}
	if err := wantSearches(store, 1); err != nil {
		t.Errorf("nothing heavy ran at the end: the test shows nothing: %v", err)
	}
	hangUp()
	readers.wait(t)
	eventually(t, 5*time.Second, "the engine stops the searches", func() error { return wantSearches(store, 0) })
}

// openEngine connects to the server's engine, past the server.
func (s *server) openEngine() *chstore.Store {
	s.t.Helper()
	address, err := os.ReadFile(filepath.Join(s.dir, "engine.url"))
	if err != nil {
		s.t.Fatal(err)
	}
	store, err := chstore.Open(chstore.Config{Nodes: []string{string(address)}})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(store.Close)
	return store
}

// fillForSearch gives the first project rows whose metadata takes a while to look through.
func fillForSearch(t *testing.T, store *chstore.Store) {
	t.Helper()
	err := store.Exec(t.Context(), `INSERT INTO observations (project_id, trace_id, span_id, start_time, version, meta_names, meta_values, meta_types)
		SELECT '`+projectID+`', toString(intDiv(number, 10)), toString(number), now64(6) - number / 1000, 1, ['k'], [repeat(toString(sipHash64(number)), 20)], [0]
		FROM numbers(200000) SETTINGS max_insert_threads = 2, max_block_size = 50000, min_insert_block_size_bytes = 60000000`)
	if err != nil {
		t.Fatal(err)
	}
}

// searched is what the heavy reads look for; no row has it.
const searched = "no row has this"

// wantSearches fails unless least heavy reads run in the engine now; with 0, unless none does.
func wantSearches(store *chstore.Store, least int) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	n, err := store.Number(ctx, `SELECT toFloat64(count()) AS n FROM system.processes WHERE user = 'sonde_reader' AND query LIKE '%meta_values%'`)
	if err != nil {
		return err
	}
	if int(n) < least || least == 0 && n > 0 {
		return fmt.Errorf("%v searches run, want %d", n, least)
	}
	return nil
}

// heavyReaders search through all rows of a project.
type heavyReaders struct {
	running                            sync.WaitGroup
	answered, exhausted, refused, gone atomic.Int32
	odd                                atomic.Value
}

func startHeavyReaders(ctx context.Context, c *client, n int) *heavyReaders {
	h := &heavyReaders{}
	target := c.base + observationsPath + "?" + url.Values{"filter": {
		`[{"type":"stringObject","column":"metadata","key":"k","operator":"contains","value":"` + searched + `"}]`,
	}}.Encode()
	for range n {
		h.running.Go(func() {
			for ctx.Err() == nil {
				h.read(ctx, c, target)
			}
		})
	}
	return h
}

func (h *heavyReaders) read(ctx context.Context, c *client, target string) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		h.odd.Store(err.Error())
		return
	}
	request.Header.Set("Authorization", c.key)
	response, err := c.http.Do(request)
	if err != nil {
		h.gone.Add(1)
		return
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body) // cut off when the test hangs up
	switch {
	case response.StatusCode == http.StatusOK:
		h.answered.Add(1)
	case response.StatusCode == http.StatusUnprocessableEntity:
		h.exhausted.Add(1)
	case response.StatusCode == http.StatusServiceUnavailable && response.Header.Get("Retry-After") != "":
		h.refused.Add(1)
	default:
		h.odd.Store(fmt.Sprintf("status %d: %.300s", response.StatusCode, body))
	}
}

func (h *heavyReaders) answers() string {
	return fmt.Sprintf("heavy reads: %d answered, %d too expensive, %d told to come again", h.answered.Load(), h.exhausted.Load(), h.refused.Load())
}

func (h *heavyReaders) wait(t *testing.T) {
	t.Helper()
	h.running.Wait()
	if odd := h.odd.Load(); odd != nil {
		t.Errorf("a heavy read was answered oddly: %v", odd)
	}
}
