package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/partial"
)

func (f *fixture) flag(t *testing.T, trace, key, body string) answer {
	t.Helper()
	return f.send(t, request(http.MethodPatch, "/api/public/traces/"+trace, key, strings.NewReader(body)))
}

func (f *fixture) flagsOf(t *testing.T, trace string) (public, bookmarked bool) {
	t.Helper()
	var shown struct{ Public, Bookmarked bool }
	if a := f.get(t, "/api/public/traces/"+trace); json.Unmarshal([]byte(a.body), &shown) != nil {
		t.Fatal(a.body)
	}
	return shown.Public, shown.Bookmarked
}

// A flag is changed alone, at once, and only in the caller's project.
func TestFlagTrace(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	whole := func(o *model.Observation) { o.ParentID, o.Input, o.UserID = "", "text", "ada" }
	f.insert(t, row("project-a", "t", "root", 0, whole), row("project-a", "t", "child", 1), row("project-b", "t", "root", 0, whole))
	if a := f.flag(t, "t", keyA, `{"public":true}`); a.status != http.StatusAccepted || !strings.Contains(a.body, `"public":true`) {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if a := f.flag(t, "t", keyA, `{"bookmarked":true}`); a.status != http.StatusAccepted {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if public, bookmarked := f.flagsOf(t, "t"); !public || !bookmarked {
		t.Errorf("public %t, bookmarked %t, want both", public, bookmarked)
	}
	if a := f.flag(t, "t", keyA, `{"public":false,"bookmarked":null}`); a.status != http.StatusAccepted {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if public, bookmarked := f.flagsOf(t, "t"); public || !bookmarked {
		t.Errorf("public %t, bookmarked %t, want the second alone", public, bookmarked)
	}
	if a := f.get(t, "/api/public/traces/t"); !strings.Contains(a.body, `"input":"text"`) || !strings.Contains(a.body, `"userId":"ada"`) {
		t.Errorf("the trace lost something: %s", a.body)
	}
	if a := f.send(t, request(http.MethodGet, "/api/public/traces/t", keyB, nil)); strings.Contains(a.body, `"bookmarked":true`) {
		t.Errorf("flagged in another project: %s", a.body)
	}
}

// A trace that its client told of by an event is flagged by another one.
func TestFlagTraceOfEvents(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.insert(t, row("project-a", "t", model.TraceRowID("t"), 0, func(o *model.Observation) { o.ParentID = "" }))
	if a := f.flag(t, "t", keyA, `{"public":true,"bookmarked":true}`); a.status != http.StatusAccepted {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if len(f.ingest.events) != 1 || len(f.ingest.events[0].Events) != 1 || f.ingest.events[0].ProjectID != "project-a" {
		t.Fatalf("events %+v, want one", f.ingest.events)
	}
	event := f.ingest.events[0].Events[0]
	trace, id := event.Entity()
	merged := partial.Merge("project-a", trace, id, []partial.Event{event})
	if id != model.TraceRowID("t") || merged == nil || !merged.Public || !merged.Bookmarked {
		t.Errorf("event of %s makes %+v, want a flagged trace", id, merged)
	}
}

func TestFlagTraceRefuses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.insert(t, row("project-a", "t", "root", 0, func(o *model.Observation) { o.ParentID = "" }))
	for _, c := range []struct {
		trace, body string
		status      int
	}{
		{"gone", `{"public":true}`, http.StatusNotFound},
		{"t", `{}`, http.StatusBadRequest},
		{"t", `{"public":1}`, http.StatusBadRequest},
		{"t", `{"name":"x"}`, http.StatusBadRequest},
		{"t", `null`, http.StatusBadRequest},
		{"t", `{"public":true` + strings.Repeat(" ", 2000) + `}`, http.StatusRequestEntityTooLarge},
		{strings.Repeat("x", 1001), `{"public":true}`, http.StatusBadRequest},
	} {
		if a := f.flag(t, c.trace, keyA, c.body); a.status != c.status {
			t.Errorf("%.20s %.30s: %d %s, want %d", c.trace, c.body, a.status, a.body, c.status)
		}
	}
}
