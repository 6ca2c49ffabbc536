package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// numberedBody is a numbered page as a client sees it.
type numberedBody struct {
	Data []map[string]any
	Meta struct{ Page, Limit, TotalItems, TotalPages int }
}

func (f *fixture) numbered(t testing.TB, target string) numberedBody {
	t.Helper()
	a := f.get(t, target)
	if a.status != http.StatusOK {
		t.Fatalf("%s: status %d: %s", target, a.status, a.body)
	}
	var page numberedBody
	if err := json.Unmarshal([]byte(a.body), &page); err != nil {
		t.Fatalf("%v in %s", err, a.body)
	}
	return page
}

func (b numberedBody) ids() string {
	var ids []string
	for _, row := range b.Data {
		ids = append(ids, fmt.Sprint(row["id"]))
	}
	return strings.Join(ids, " ")
}

// plantViews stores three traces: old and new of one session, and one that an older client sent.
func plantViews(t testing.TB, f *fixture) {
	t.Helper()
	root := func(o *model.Observation) { o.ParentID = "" }
	f.insert(t,
		row("project-a", "old", "r", 0, root, func(o *model.Observation) {
			o.Name, o.UserID, o.SessionID, o.Tags, o.Release, o.CodeVersion, o.Environment = "first", "u1", "s", []string{"x", "y"}, "r1", "v1", "prod"
			o.Input, o.Output, o.EndTime = `{"a":1}`, "plain", o.StartTime.Add(1500*time.Millisecond)
			o.Metadata = []model.MetadataEntry{{Name: "k", Value: strings.Repeat("long ", 60), Type: model.MetadataString}}
		}),
		row("project-a", "old", "g", 10, func(o *model.Observation) {
			o.ParentID, o.Type, o.Name, o.Model, o.PromptName, o.PromptVersion = "r", model.Generation, "llm", "gpt", "greet", 3
			o.UsageDetails = map[string]uint64{"input": 2, "output": 3}
			o.CostDetails = map[string]decimal.Decimal{"input": decimal.RequireFromString("0.1"), "total": decimal.RequireFromString("0.3")}
		}),
		row("project-a", "new", "n", 5000, root, func(o *model.Observation) { o.Name, o.UserID, o.SessionID, o.Tags = "second", "u2", "s", []string{"x"} }),
		row("project-a", "sent", model.TraceRowID("sent"), 9000, root, func(o *model.Observation) { o.Name, o.Input = "legacy", "in" }),
		row("project-a", "sent", "c", 9001, func(o *model.Observation) { o.ParentID = model.TraceRowID("sent") }),
	)
	score := func(id string, kind model.ScoreType, edit func(*model.Score)) *model.Score {
		s := &model.Score{
			ProjectID: "project-a", ID: id, Name: "n-" + id, Type: kind, Source: model.FromAPI, Timestamp: noon.Add(time.Duration(len(id)) * time.Second),
			Environment: "prod", CreatedAt: noon, Version: model.RowVersion(noon, 0), Metadata: []model.MetadataEntry{{Name: "judge", Value: "v2", Type: model.MetadataString}},
		}
		edit(s)
		return s
	}
	scores := []*model.Score{
		score("a", model.Numeric, func(s *model.Score) { s.TraceID, s.ObservationID, s.Number = "old", "g", 0.5 }),
		score("bb", model.Boolean, func(s *model.Score) { s.TraceID, s.Number, s.Text = "new", 1, "True" }),
		score("ccc", model.Categorical, func(s *model.Score) { s.SessionID, s.Text, s.Source = "s", "good", model.FromEvaluation }),
		score("dddd", model.TextScore, func(s *model.Score) { s.TraceID, s.Text = "gone", "free" }),
		score("eeeee", model.Correction, func(s *model.Score) { s.TraceID, s.Text = "old", "better" }),
	}
	if err := f.store.InsertScores(t.Context(), scores); err != nil {
		t.Fatal(err)
	}
}

func TestOldTraces(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	plantViews(t, f)
	filtered := func(conditions string) string { return "filter=" + url.QueryEscape(conditions) }
	for query, want := range map[string]string{
		"":                              "sent new old",
		"page=&limit=&userId=":          "sent new old",
		"limit=2&page=2":                "old",
		"limit=2&page=3":                "",
		"page=9223372036854775807":      "",
		"userId=u1":                     "old",
		"name=second":                   "new",
		"name=llm":                      "",
		"sessionId=s":                   "new old",
		"tags=x&tags=y":                 "old",
		"tags=x%2Cy":                    "old",
		"tags=x":                        "new old",
		"version=v1&release=r1":         "old",
		"environment=prod&environment=": "old",
		"environment=prod,default":      "sent new old",
		"fromTimestamp=2026-05-01T12:00:05Z&toTimestamp=2026-05-01T12:00:09Z": "new",
		"orderBy=timestamp.asc": "old new sent",
		"orderBy=name.desc":     "new sent old",
		"fields=core&unknown=1": "sent new old",
		filtered(`[{"type":"string","column":"name","operator":"contains","value":"s"}]`) + "&name=legacy":          "new old",
		filtered(`[{"type":"number","column":"totalCost","operator":">","value":0.2}]`):                             "old",
		filtered(`[{"type":"stringObject","column":"metadata","key":"k","operator":"starts with","value":"long"}]`): "old",
	} {
		if got := f.numbered(t, "/api/public/traces?"+query).ids(); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	page := f.numbered(t, "/api/public/traces?limit=2&page=2")
	if page.Meta != (struct{ Page, Limit, TotalItems, TotalPages int }{2, 2, 3, 2}) {
		t.Errorf("meta %+v", page.Meta)
	}
	golden(t, "deprecated_trace", indented(t, page.Data[0]))
	bare := f.numbered(t, "/api/public/traces?fields=core&userId=u1").Data[0]
	if bare["latency"] != -1.0 || bare["totalCost"] != -1.0 || bare["input"] != nil || bare["metadata"] != nil || len(bare["observations"].([]any)) != 0 {
		t.Errorf("a trace without parts: %v", bare)
	}
}

func indented(t *testing.T, value any) string {
	t.Helper()
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

func TestOldTraceWhole(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	plantViews(t, f)
	var trace map[string]any
	if a := f.get(t, "/api/public/traces/old"); json.Unmarshal([]byte(a.body), &trace) != nil {
		t.Fatal(a.body)
	}
	golden(t, "deprecated_whole_trace", indented(t, trace))
	// The row that stands for the trace is the trace, no observation of it.
	a := f.get(t, "/api/public/traces/sent")
	if json.Unmarshal([]byte(a.body), &trace) != nil || len(trace["observations"].([]any)) != 1 || trace["input"] != "in" {
		t.Errorf("a trace of an older client: %s", a.body)
	}
	if child := trace["observations"].([]any)[0].(map[string]any); child["parentObservationId"] != nil {
		t.Errorf("its child has the parent %v", child["parentObservationId"])
	}
	if got := f.numbered(t, "/api/public/observations?traceId=sent").ids(); got != "c" {
		t.Errorf("its observations: %s", got)
	}
}

// A trace is sent a few observations at a time, all of them in the end.
func TestOldTraceOfManyRows(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 450 {
		f.insert(t, row("project-a", "large", fmt.Sprintf("s%04d", i), i))
	}
	var trace struct{ Observations []struct{ ID string } }
	a := f.get(t, "/api/public/traces/large")
	if err := json.Unmarshal([]byte(a.body), &trace); err != nil || len(trace.Observations) != 450 || trace.Observations[449].ID != "s0000" {
		t.Errorf("%v, %d observations", err, len(trace.Observations))
	}
}

func TestOldObservations(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	plantViews(t, f)
	for query, want := range map[string]string{
		"":                         "c n g r",
		"limit=3&page=2":           "r",
		"limit=1&page=3":           "g",
		"traceId=old":              "g r",
		"name=llm&type=GENERATION": "g",
		"userId=u1":                "g r",
		"parentObservationId=r":    "g",
		"level=ERROR":              "",
		"environment=prod":         "r",
		"version=v1":               "r",
		"sessionId=nobody's":       "c n g r",
		"fromStartTime=2026-05-01T12:00:05Z&toStartTime=2026-05-01T12:00:09Z":                            "n",
		"filter=" + url.QueryEscape(`[{"type":"string","column":"model","operator":"=","value":"gpt"}]`): "g",
	} {
		if got := f.numbered(t, "/api/public/observations?"+query).ids(); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	if meta := f.numbered(t, "/api/public/observations?limit=3").Meta; meta.TotalItems != 4 || meta.TotalPages != 2 {
		t.Errorf("meta %+v", meta)
	}
	var one map[string]any
	if a := f.get(t, "/api/public/observations/g"); json.Unmarshal([]byte(a.body), &one) != nil || one["id"] != "g" || one["totalTokens"] != 5.0 {
		t.Errorf("one: %s", a.body)
	}
}

func TestOldScores(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	plantViews(t, f)
	filtered := "filter=" + url.QueryEscape(`[{"type":"stringObject","column":"metadata","key":"judge","operator":"=","value":"v2"},{"type":"string","column":"stringValue","operator":"starts with","value":"go"}]`)
	for target, want := range map[string]string{
		"scores":                               "dddd bb a",
		"v2/scores":                            "eeeee dddd ccc bb a",
		"v2/scores?limit=2&page=2":             "ccc bb",
		"scores?userId=u1":                     "a",
		"scores?traceTags=x":                   "bb a",
		"scores?name=n-a":                      "a",
		"scores?dataType=BOOLEAN":              "bb",
		"scores?value=0.6&operator=%3C":        "dddd a",
		"scores?value=0.5&operator=!%3D":       "dddd bb",
		"scores?value=1":                       "bb",
		"scores?scoreIds=a,bb":                 "bb a",
		"scores?source=EVAL":                   "",
		"v2/scores?source=EVAL":                "ccc",
		"v2/scores?sessionId=s":                "ccc",
		"v2/scores?traceId=old":                "eeeee a",
		"v2/scores?observationId=g,x":          "a",
		"v2/scores?datasetRunId=nobody":        "",
		"v2/scores?" + filtered:                "ccc",
		"scores?fields=score&environment=prod": "dddd bb a",
		"scores?fromTimestamp=2026-05-01T12:00:02Z&toTimestamp=2026-05-01T12:00:03Z": "bb",
	} {
		if got := f.numbered(t, "/api/public/"+target).ids(); got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
	golden(t, "deprecated_scores", indented(t, f.numbered(t, "/api/public/v2/scores").Data))
	for target, want := range map[string]int{
		"scores/a": 200, "v2/scores/eeeee": 200, "scores/eeeee": 404, "scores/ccc": 404, "v2/scores/none": 404,
		"scores?fields=trace": 400, "scores?fields=score&userId=u": 400, "scores?fields=score,x": 400, "scores?value=x": 400, "scores?operator=~": 400,
		"scores?dataType=numeric": 400, "scores?source=api": 400, "scores?limit=101": 400, "scores?page=0": 400, "scores?page=1&page=2": 400,
	} {
		if a := f.get(t, "/api/public/"+target); a.status != want {
			t.Errorf("%s: status %d, want %d: %s", target, a.status, want, a.body)
		}
	}
}

func TestOldSessions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	plantViews(t, f)
	page := f.numbered(t, "/api/public/sessions?environment=prod&fromTimestamp=2026-05-01T12:00:00Z")
	want := []map[string]any{{"id": "s", "createdAt": "2026-05-01T12:00:00.000Z", "projectId": "project-a", "environment": "prod"}}
	if diff := cmp.Diff(want, page.Data); diff != "" || page.Meta.TotalItems != 1 {
		t.Errorf("%+v (-want +got):\n%s", page.Meta, diff)
	}
	if got := f.numbered(t, "/api/public/sessions?environment=other").ids(); got != "" {
		t.Errorf("sessions of another environment: %s", got)
	}
	var session struct {
		ID     string
		Traces []struct{ ID string }
	}
	a := f.get(t, "/api/public/sessions/s")
	if err := json.Unmarshal([]byte(a.body), &session); err != nil || session.ID != "s" || len(session.Traces) != 2 || session.Traces[0].ID != "new" {
		t.Errorf("%v: %s", err, a.body)
	}
}

func TestOldMetrics(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	plantViews(t, f)
	const window = `"fromTimestamp":"2026-05-01T00:00:00Z","toTimestamp":"2026-05-02T00:00:00Z"`
	for query, want := range map[string]string{
		`{"view":"traces","metrics":[{"measure":"count","aggregation":"count"},{"measure":"observationsCount","aggregation":"sum"},{"measure":"scoresCount","aggregation":"sum"},{"measure":"totalCost","aggregation":"sum"},{"measure":"latency","aggregation":"max"}],` + window + `}`: `{"data":[{"count_count":3,"max_latency":1500,"sum_observationsCount":4,"sum_scoresCount":2,"sum_totalCost":0.3}]}`,
		`{"view":"traces","metrics":[{"measure":"count","aggregation":"count"}],"dimensions":[{"field":"name"},{"field":"userId"}],"orderBy":[{"field":"name","direction":"asc"}],` + window + `}`:                                                                                       `{"data":[{"count_count":1,"name":"first","userId":"u1"},{"count_count":1,"name":"legacy","userId":null},{"count_count":1,"name":"second","userId":"u2"}]}`,
		`{"view":"observations","metrics":[],"dimensions":[{"field":"traceId"}],"filters":[{"type":"string","column":"traceId","operator":"=","value":"old"}],` + window + `}`:                                                                                                           `{"data":[{"count":2,"traceId":"old"}]}`,
	} {
		if a := f.get(t, "/api/public/metrics?query="+url.QueryEscape(query)); strings.TrimSpace(a.body) != want {
			t.Errorf("%s:\n%s, want\n%s", query, a.body, want)
		}
	}
	golden(t, "deprecated_daily", indented(t, f.numbered(t, "/api/public/metrics/daily?userId=u1&tags=x")))
	if page := f.numbered(t, "/api/public/metrics/daily?toTimestamp=2026-05-01T12:00:00Z"); page.Meta.TotalItems != 0 || len(page.Data) != 0 {
		t.Errorf("before everything: %+v", page)
	}
	if a := f.get(t, "/api/public/metrics"); a.status != 400 {
		t.Errorf("without a query: status %d", a.status)
	}
}

// Each way in of the first clients becomes one event.
func TestFirstWrites(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method, path, body string
		status             int
		kind, id           string
	}{
		{"POST", "traces", `{"id":"t1","name":"n"}`, 200, "trace-create", "t1"},
		{"POST", "spans", `{"id":"s1","traceId":"t1","startTime":"2026-05-01T10:00:00Z"}`, 200, "span-create", "s1"},
		{"PATCH", "spans", `{"spanId":"s1","traceId":"t1","output":"x"}`, 200, "span-update", "s1"},
		{"POST", "generations", `{"traceId":"t1","model":"m","usage":{"promptTokens":1}}`, 200, "generation-create", ""},
		{"PATCH", "generations", `{"generationId":"g1","endTime":"2026-05-01T10:00:01Z"}`, 200, "generation-update", "g1"},
		{"POST", "events", `{"id":"e1","traceId":"t1"}`, 200, "event-create", "e1"},
		{"PATCH", "generations", `{"id":"g1"}`, 400, "", ""},
		{"POST", "traces", `[]`, 400, "", ""},
		{"POST", "traces", `{`, 400, "", ""},
		{"POST", "traces", `{"id":7}`, 400, "", ""},
		{"POST", "spans", `{"id":"s1","startTime":"yesterday"}`, 400, "", ""},
	} {
		f := newFixture(t)
		a := f.send(t, request(c.method, "/api/public/"+c.path, keyA, strings.NewReader(c.body), "Content-Type", "application/json"))
		if a.status != c.status {
			t.Errorf("%s %s %s: status %d: %s", c.method, c.path, c.body, a.status, a.body)
		}
		if c.status != 200 {
			continue
		}
		var answer struct{ ID string }
		event := f.ingest.events[0].Events[0]
		if err := json.Unmarshal([]byte(a.body), &answer); err != nil || string(event.Kind) != c.kind || answer.ID == "" || c.id != "" && answer.ID != c.id {
			t.Errorf("%s %s: %s, an event %s: %s", c.method, c.path, a.body, event.Kind, event.Body)
		}
		if !strings.Contains(string(event.Body), `"id":"`+answer.ID+`"`) {
			t.Errorf("%s %s: the event is of %s", c.method, c.path, event.Body)
		}
	}
}

// Where they are turned off, deprecated routes are not there, whoever asks; their neighbors are.
func TestDeprecatedRoutesTurnedOff(t *testing.T) {
	t.Parallel()
	off := newFixture(t, func(c *api.Config) { c.NoDeprecated = true })
	on := newFixture(t)
	count := 0
	for _, route := range api.Routes() {
		operation := loadDescription().Document.Paths.Find(route.Path).GetOperation(route.Method)
		if !operation.Deprecated {
			continue
		}
		count++
		target := strings.NewReplacer("{", "", "}", "").Replace(route.Path)
		for _, key := range []string{keyA, ""} {
			if a := off.send(t, request(route.Method, target, key, nil)); a.status != 404 || strings.Contains(a.body, `"error"`) {
				t.Errorf("%s %s turned off: status %d: %s", route.Method, target, a.status, a.body)
			}
		}
		if a := on.send(t, request(route.Method, target, "", nil)); a.status != 401 {
			t.Errorf("%s %s without credentials: status %d", route.Method, target, a.status)
		}
	}
	if count < 18 {
		t.Errorf("only %d deprecated routes", count)
	}
	if a := off.post(t, keyA, scoresPath, `{"traceId":"t","name":"n","value":1}`); a.status != 200 {
		t.Errorf("a score: status %d", a.status)
	}
	if a := off.send(t, request("PUT", "/api/public/traces", "", nil)); a.status != 405 {
		t.Errorf("a wrong method: status %d", a.status)
	}
	scores := newFixture(t, func(c *api.Config) { c.ScoresOnly = true })
	if a := scores.send(t, request("POST", "/api/public/traces", keyA, strings.NewReader(`{}`))); a.status != 404 {
		t.Errorf("a trace where only scores are taken: status %d", a.status)
	}
}

func TestDeprecatedFailures(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for target, want := range map[string]int{
		"traces/none": 404, "observations/none": 404, "sessions/none": 404, "traces/a%2Fb": 404, "sessions/%00": 404, "observations/%FF": 404,
		"traces?limit=0": 400, "traces?orderBy=cost.asc": 400, "traces?orderBy=name": 400, "traces?fromTimestamp=yesterday": 400,
		"traces?filter=x": 400, "traces?filter=" + url.QueryEscape(`[{"type":"string","column":"input","operator":"=","value":"x"}]`): 400,
		"observations?type=span": 400, "observations?level=BAD": 400, "sessions?toTimestamp=1": 400, "metrics/daily?limit=x": 400, "traces?userId=a&userId=b": 400,
	} {
		if a := f.get(t, "/api/public/"+target); a.status != want {
			t.Errorf("%s: status %d, want %d: %s", target, a.status, want, a.body)
		}
	}
	f.store.err = fmt.Errorf("too much: %w", tracestore.ErrTooExpensive)
	for _, target := range []string{"traces", "observations", "sessions", "metrics/daily", "traces/x", "sessions/x"} {
		if a := f.get(t, "/api/public/"+target); a.status != 422 {
			t.Errorf("%s: status %d when the store gives up: %s", target, a.status, a.body)
		}
	}
	f.store.err = fault.Unavailablef("the store is away")
	if a := f.get(t, "/api/public/traces"); a.status != 503 {
		t.Errorf("status %d while the store is away", a.status)
	}
}
