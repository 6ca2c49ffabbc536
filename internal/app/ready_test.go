package app

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/blob/blobtest"
	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/selfobs"
)

// A partition that waits and does not move is told, however much others do.
func TestProgress(t *testing.T) {
	t.Parallel()
	var p progress
	at := time.Now()
	for i, step := range []struct {
		after   time.Duration
		pending []uint64
		floors  []uint64
		want    time.Duration
	}{
		{0, []uint64{0, 0}, []uint64{5, 5}, 0},
		{time.Minute, []uint64{3, 0}, []uint64{5, 5}, 0}, // it waits since now, whatever was before
		{10 * time.Second, []uint64{9, 1}, []uint64{5, 5}, 10 * time.Second},
		{10 * time.Second, []uint64{9, 1}, []uint64{5, 6}, 20 * time.Second},
		{10 * time.Second, []uint64{9, 0}, []uint64{6, 7}, 0},
		{10 * time.Second, []uint64{9, 0}, []uint64{6, 7}, 10 * time.Second},
		{10 * time.Second, []uint64{0, 0}, []uint64{15, 7}, 0},
	} {
		at = at.Add(step.after)
		status := eventlog.Status{Floors: step.floors}
		for _, n := range step.pending {
			status.Parts = append(status.Parts, eventlog.Part{Pending: n})
		}
		p.observe(status, at)
		if got := p.stalled(at); got != step.want {
			t.Errorf("step %d: stalled for %s, want %s", i, got, step.want)
		}
	}
}

func TestFailuresOfBlobsAreCounted(t *testing.T) {
	t.Parallel()
	metrics := selfobs.NewMetrics()
	blobs := countedBlobs{&blobtest.Memory{}, metrics}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	stop := errors.New("enough")
	if err := blobs.Put(t.Context(), "a", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	_, missing := blobs.Get(t.Context(), "b")
	if err := blobs.List(t.Context(), "", func(string) error { return stop }); !errors.Is(err, stop) || !errors.Is(missing, blob.ErrNotFound) {
		t.Errorf("%v, %v", err, missing)
	}
	_ = blobs.Put(gone, "..", strings.NewReader("x")) // who left is no fault of the store
	for operation, want := range map[string]string{"put": "0", "get": "0", "list": "0"} {
		wantMetric(t, metrics, `sonde_blob_failures_total{operation="`+operation+`"}`, want)
	}
	_ = blobs.Put(t.Context(), "..", strings.NewReader("x"))
	_, _ = blobs.Get(t.Context(), "..")
	_ = blobs.Delete(t.Context(), "..")
	for _, operation := range []string{"put", "get", "delete"} {
		wantMetric(t, metrics, `sonde_blob_failures_total{operation="`+operation+`"}`, "1")
	}
}

func wantMetric(t *testing.T, metrics *selfobs.Metrics, name, want string) {
	t.Helper()
	answer := httptest.NewRecorder()
	metrics.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	if !strings.Contains(answer.Body.String(), name+" "+want+"\n") {
		t.Errorf("%s is not %s", name, want)
	}
}
