package bench

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/sondehq/sonde/internal/otlp"
)

// A body sent again must be new spans: a soak that only re-sent old ones would grow no table.
func TestBodyAgainHasNewSpans(t *testing.T) {
	t.Parallel()
	template := newCorpus(1).bodies(spansPerBody, true)[0]
	first := traceIDs(t, template.compressed)
	later := template.again(1, time.Hour)
	second := traceIDs(t, later.compressed)
	if len(first) == 0 || len(second) != len(first) {
		t.Fatalf("%d traces, then %d", len(first), len(second))
	}
	for id, start := range second {
		if _, old := first[id]; old {
			t.Fatalf("trace %s came again", id)
		}
		if since := time.Until(start); since < 30*time.Minute {
			t.Fatalf("start %s is not an hour later", start)
		}
	}
	if again := traceIDs(t, template.compressed); len(again) != len(first) {
		t.Error("the template changed")
	}
}

func traceIDs(t *testing.T, compressed []byte) map[string]time.Time {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := otlp.Map(plain, otlp.Source{ProjectID: "p", AcceptedAt: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]time.Time{}
	for _, row := range rows {
		ids[row.TraceID] = row.StartTime
	}
	return ids
}

func TestSoakVerdict(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		result SoakResult
		holds  bool
	}{
		"good":    {SoakResult{EarlyMB: 1000, LateMB: 1200, LagP99: 0.4}, true},
		"refused": {SoakResult{EarlyMB: 1000, LateMB: 1000, Errors: 1}, false},
		"leak":    {SoakResult{EarlyMB: 1000, LateMB: 1300}, false},
		"behind":  {SoakResult{EarlyMB: 1000, LateMB: 1000, LagP99: 1}, false},
	} {
		if err := test.result.Verdict(); (err == nil) != test.holds {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSoakSummary(t *testing.T) {
	t.Parallel()
	samples := make([]soakSample, 100)
	for i := range samples {
		samples[i] = soakSample{rss: uint64(1000+i) * 1e6, lag: float64(i) / 100}
	}
	var r SoakResult
	r.summarize(samples)
	if r.EarlyMB != 1015 || r.LateMB != 1095 || r.PeakMB != 1099 || r.LagP99 != 0.99 || r.LagMax != 0.99 {
		t.Errorf("%+v", r)
	}
}
