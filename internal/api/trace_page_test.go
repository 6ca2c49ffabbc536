package api_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// shownTrace is the example of docs/formats/trace-skeleton.md.
func shownTrace(t *testing.T) *fixture {
	t.Helper()
	f := newFixture(t)
	until := func(millis int, edit func(*model.Observation)) func(*model.Observation) {
		return func(o *model.Observation) {
			o.EndTime = noon.Add(time.Duration(millis) * time.Millisecond)
			edit(o)
		}
	}
	f.insert(t,
		row("project-a", "7c1e", "a1", 0, until(2500, func(o *model.Observation) {
			o.ParentID, o.Name, o.UserID, o.Tags, o.AppRoot = "", "answer", "ada", []string{"beta"}, true
		})),
		row("project-a", "7c1e", "b2", 10, until(810, func(o *model.Observation) {
			o.ParentID, o.Name, o.Type, o.Model, o.CompletionStartTime = "a1", "chat", model.Generation, "gpt-4.1", o.StartTime.Add(120*time.Millisecond)
			o.UsageDetails = map[string]uint64{"input": 120, "output": 30, "total": 150}
			o.CostDetails = map[string]decimal.Decimal{"total": decimal.RequireFromString("0.000125")}
			o.Input, o.Output = `{"messages":[{"role":"user","content":"hi"}]}`, strings.Repeat("é", 300)
			o.Metadata = []model.MetadataEntry{{Name: "long", Value: strings.Repeat("x", 500), Type: model.MetadataString}, {Name: "n", Value: "1", Type: model.MetadataNumber}}
		})),
		row("project-a", "7c1e", "c3", 900, until(1000, func(o *model.Observation) {
			o.ParentID, o.Name, o.Type, o.Level, o.StatusMessage = "a1", "search", model.Tool, model.Error, "no such file"
		})),
		row("project-a", "7c1e", "d4", 40, func(o *model.Observation) { o.ParentID, o.Name, o.Type = "lost", "search", model.Tool }),
	)
	return f
}

func TestSkeleton(t *testing.T) {
	t.Parallel()
	f := shownTrace(t)
	a := f.get(t, "/api/public/traces/7c1e/skeleton")
	if got := a.header.Get("Content-Type"); got != "application/x-ndjson" {
		t.Errorf("content type %q", got)
	}
	golden(t, "skeleton", fmt.Sprintf("%d\n%s", a.status, a.body))
	for name, send := range map[string]answer{
		"unknown": f.get(t, "/api/public/traces/nobody/skeleton"),
		"foreign": f.send(t, request(http.MethodGet, "/api/public/traces/7c1e/skeleton", keyB, nil)),
	} {
		if send.status != http.StatusNotFound || !strings.Contains(send.body, "no trace with this id") {
			t.Errorf("%s: %d %s", name, send.status, send.body)
		}
	}
}

// A trace of several lines says each name once, where it is first needed.
func TestSkeletonLines(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const rows = 20_001
	f.store.skeleton = &tracestore.Skeleton{
		TraceID: "long", Count: rows, Roots: rows, SyntheticRoot: tracestore.NoRow, Names: []string{"unused", "one \"\u2028", "two", "three"},
		Rows: func(yield func(tracestore.SkeletonRow) bool) {
			for i := range rows {
				if !yield(tracestore.SkeletonRow{ID: strconv.Itoa(i), Parent: tracestore.NoRow, Name: 3 - i/8000, Model: tracestore.NoRow, Type: model.Span, Level: model.Default}) {
					return
				}
			}
		},
	}
	lines := strings.Split(strings.TrimSuffix(f.get(t, "/api/public/traces/long/skeleton").body, "\n"), "\n")
	if len(lines) != 5 {
		t.Fatalf("%d lines", len(lines))
	}
	for i, want := range []string{
		`{"line":"trace",`, `{"line":"rows","from":0,"count":10000,"names":["three","two"],`,
		`{"line":"rows","from":10000,"count":10000,"names":["one \"\u2028"],`, `{"line":"rows","from":20000,"count":1,"parent":[-1],"name":[2],`, `{"line":"end","rows":20001}`,
	} {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d is %.120s, want %s", i, lines[i], want)
		}
	}
}

func TestObservationText(t *testing.T) {
	t.Parallel()
	f := shownTrace(t)
	const of = "/api/public/observations/b2/io?traceId=7c1e&part="
	input := f.get(t, of+"input")
	if input.status != http.StatusOK || input.body != `{"messages":[{"role":"user","content":"hi"}]}` || input.header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("input: %+v", input)
	}
	output := f.get(t, of+"output")
	if output.body != strings.Repeat("é", 300) || output.header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("output: %+v", output)
	}
	metadata := f.get(t, of+"metadata")
	if want := `{"long"` + "\n" + `:"` + strings.Repeat("x", 500); !strings.HasPrefix(metadata.body, want) {
		t.Errorf("metadata: %+v", metadata)
	}
	tag := input.header.Get("ETag")
	if tag == "" || strings.HasPrefix(tag, "W/") {
		t.Errorf("tag %q", tag)
	}
	for name, c := range map[string]struct {
		headers []string
		status  int
		body    string
	}{
		"range":          {[]string{"Range", "bytes=2-9"}, http.StatusPartialContent, "messages"},
		"the end":        {[]string{"Range", "bytes=-2"}, http.StatusPartialContent, "]}"},
		"beyond":         {[]string{"Range", "bytes=1000-"}, http.StatusRequestedRangeNotSatisfiable, "invalid range: failed to overlap\n"},
		"known":          {[]string{"If-None-Match", tag}, http.StatusNotModified, ""},
		"another":        {[]string{"If-None-Match", `"x"`, "Range", "bytes=0-0"}, http.StatusPartialContent, "{"},
		"a stale range":  {[]string{"If-Range", `"x"`, "Range", "bytes=0-0"}, http.StatusOK, input.body},
		"never in parts": {[]string{"Accept-Encoding", "gzip"}, http.StatusOK, input.body},
	} {
		a := f.send(t, request(http.MethodGet, of+"input", keyA, nil, c.headers...))
		if a.status != c.status || a.body != c.body {
			t.Errorf("%s: %d %q, want %d %q", name, a.status, a.body, c.status, c.body)
		}
	}
	if a := f.get(t, "/api/public/observations/a1/io?part=input"); a.status != http.StatusOK || a.body != "" {
		t.Errorf("no text: %+v", a)
	}
	for target, status := range map[string]int{
		"/api/public/observations/b2/io": http.StatusBadRequest,
		of + "name":                      http.StatusBadRequest,
		"/api/public/observations/nobody/io?part=input":             http.StatusNotFound,
		"/api/public/observations/b2/io?part=input&traceId=another": http.StatusNotFound,
		"/api/public/observations/b2/io?part=metadata&traceId=x":    http.StatusNotFound,
	} {
		if a := f.get(t, target); a.status != status {
			t.Errorf("%s: %d %s, want %d", target, a.status, a.body, status)
		}
	}
	if a := f.send(t, request(http.MethodGet, of+"output", keyB, nil)); a.status != http.StatusNotFound {
		t.Errorf("foreign: %+v", a)
	}
}

func TestPreviewsAndSearch(t *testing.T) {
	t.Parallel()
	f := shownTrace(t)
	for name, target := range map[string]string{
		"previews":         "/api/public/previews?ids=b2,a1,nobody&fromStartTime=2026-05-01T00:00:00Z&toStartTime=2026-05-02T00:00:00Z",
		"previews_trace":   "/api/public/previews?ids=b2&traceId=another",
		"previews_sums":    "/api/public/previews?ids=b2,a1&traceSums=true",
		"previews_none":    "/api/public/previews?ids=,",
		"previews_many":    "/api/public/previews?ids=" + strings.Repeat("x,", 101),
		"trace_search":     "/api/public/traces/7c1e/search?q=SEARCH",
		"trace_search_io":  "/api/public/traces/7c1e/search?q=content",
		"trace_search_no":  "/api/public/traces/nobody/search?q=x",
		"trace_search_bad": "/api/public/traces/7c1e/search",
	} {
		a := f.get(t, target)
		golden(t, name, fmt.Sprintf("%s\n\n%d\n%s", target[:min(len(target), 150)], a.status, a.body))
	}
	f.store.err = fmt.Errorf("scan: %w", tracestore.ErrTooExpensive)
	if a := f.get(t, "/api/public/observations/b2/io?part=metadata"); a.status != http.StatusUnprocessableEntity || !strings.Contains(a.body, "traceId") {
		t.Errorf("too expensive: %+v", a)
	}
}
