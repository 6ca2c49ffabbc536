package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/importer/scripted"
)

func silent(string, time.Duration) {}

func clientOf(t *testing.T, h http.Handler, public, secret string) *client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return newClient(Server{URL: server.URL, PublicKey: public, SecretKey: secret}, silent)
}

// A server that is busy, away for a moment or breaks off is asked again, and one that refuses is not.
func TestClientPatience(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers []int // 0: breaks off
		asked   int
		status  int // of the refusal in the end; 0: none
	}{
		"at once":       {[]int{200}, 1, 0},
		"limited":       {[]int{429, 429, 200}, 3, 0},
		"failing":       {[]int{500, 503, 200}, 3, 0},
		"breaking off":  {[]int{0, 200}, 2, 0},
		"wrong keys":    {[]int{401, 200}, 1, 401},
		"not there":     {[]int{404, 200}, 1, 404},
		"does not like": {[]int{400, 200}, 1, 400},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			source := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				status := c.answers[asked]
				asked++
				w.Header().Set("Retry-After", "0.001")
				if status == 0 {
					w.Header().Set("Content-Length", "100")
					_, _ = io.WriteString(w, `{"data":[{"id":"a"},{"id`)
					panic(http.ErrAbortHandler)
				}
				w.WriteHeader(status)
				_, _ = io.WriteString(w, `{"data":[{"id":"a"}],"meta":{"totalPages":1}}`)
			}), "", "")
			rows := 0
			err := source.stream(t.Context(), "/x", nil, func(body io.Reader) error {
				rows = 0
				_, err := readPage(body, func(json.RawMessage) error { rows++; return nil })
				return err
			})
			if asked != c.asked {
				t.Errorf("asked %d times, want %d", asked, c.asked)
			}
			if c.status != 0 && !refusedWith(err, c.status) || c.status == 0 && (err != nil || rows != 1) {
				t.Errorf("%d rows, error %v", rows, err)
			}
		})
	}
	away := newClient(Server{URL: "http://127.0.0.1:1"}, silent)
	if _, err := away.project(t.Context()); err == nil || !strings.Contains(err.Error(), "is it the right address?") {
		t.Errorf("a server that never answered: %v", err)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"": 0, "2": 2 * time.Second, "0": time.Millisecond, "nonsense": 0, "Mon, 02 Jan 2006 15:04:05 GMT": time.Millisecond} {
		if got := retryAfter(http.Header{"Retry-After": {text}}); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// collector counts how often each row came in a page that was confirmed.
type collector struct {
	page []string
	seen map[string]int
	die  int // pages until it fails; -1: never
}

func (c *collector) begin() { c.page = nil }

func (c *collector) row(_ context.Context, raw json.RawMessage) error {
	var row struct{ ID string }
	err := json.Unmarshal(raw, &row)
	c.page = append(c.page, row.ID)
	return err
}

var errKilled = errors.New("killed")

func (c *collector) end(context.Context) (Tally, error) {
	if c.die == 0 {
		return Tally{}, errKilled
	}
	c.die--
	for _, id := range c.page {
		c.seen[id]++
	}
	return Tally{Rows: len(c.page)}, nil
}

// Whatever the generation of the source, each row is read, no page skips more than a window has rows, and an import that dies
// after any page goes on with the next one.
func TestWalkReadsEverythingOnce(t *testing.T) {
	t.Parallel()
	for _, newer := range []bool{false, true} {
		t.Run(fmt.Sprintf("newer %v", newer), func(t *testing.T) {
			t.Parallel()
			script := &scripted.Server{Data: scripted.Data{Observations: 4300, Newer: newer, Start: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}}
			deepest := 0
			source := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				page, _ := strconv.Atoi(r.URL.Query().Get("page"))
				deepest = max(deepest, page)
				script.ServeHTTP(w, r)
			}), scripted.PublicKey, scripted.SecretKey)
			l, err := choose(t.Context(), source, newerObservations, olderObservations)
			if err != nil || l.cursors != newer {
				t.Fatalf("chose %+v: %v", l, err)
			}
			to, kept, deaths := &collector{seen: map[string]int{}}, []byte(`{}`), 0
			for done := false; !done; {
				to.die = 7
				s := &Step{}
				if err := json.Unmarshal(kept, s); err != nil {
					t.Fatal(err)
				}
				w := walker{source: source, list: l, step: s, since: time.Unix(0, 0), until: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC), to: to, safe: func() (err error) {
					kept, err = json.Marshal(s)
					return err
				}}
				switch err := w.run(t.Context()); {
				case errors.Is(err, errKilled):
					deaths++
				case err != nil:
					t.Fatal(err)
				default:
					done = true
					if s.Tally.Rows != script.Data.Observations {
						t.Errorf("the tally has %d rows", s.Tally.Rows)
					}
				}
			}
			if len(to.seen) != script.Data.Observations || deaths == 0 {
				t.Errorf("%d rows of %d, %d deaths", len(to.seen), script.Data.Observations, deaths)
			}
			for id, n := range to.seen {
				if n != 1 {
					t.Errorf("%s came %d times", id, n)
				}
			}
			if deepest > maxNumbered/maxPage {
				t.Errorf("page %d was asked for", deepest)
			}
		})
	}
}

// A window whose rows change while it is read is read again.
func TestWalkNoticesShiftedPages(t *testing.T) {
	t.Parallel()
	n, shifted := 150, false
	source := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		from, _ := time.Parse(time.RFC3339, q.Get("from"))
		page, _ := strconv.Atoi(q.Get("page"))
		limit, _ := strconv.Atoi(q.Get("limit"))
		rows, total := []map[string]any{}, 0
		if from.Before(dawn) {
			if page == 2 && !shifted {
				n, shifted = n+1, true // a row arrives between two pages, and everything moves by one
			}
			total = n
			for i := (page - 1) * limit; i < min(page*limit, n); i++ {
				rows = append(rows, map[string]any{"id": strconv.Itoa(n - 1 - i)})
			}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": rows, "meta": map[string]any{"totalItems": total}})
	}), "", "")
	to, s := &collector{seen: map[string]int{}, die: -1}, &Step{}
	w := walker{source: source, list: list{path: "/x", from: "from", to: "to", limit: maxPage}, step: s, since: time.Unix(0, 0), until: dawn.Add(time.Hour), to: to, safe: func() error { return nil }}
	if err := w.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.Tally.Rows != 151 || len(to.seen) != 151 {
		t.Errorf("a tally of %d and %d rows, want 151", s.Tally.Rows, len(to.seen))
	}
}

// inbox is a target that takes everything.
type inbox struct {
	sync.Mutex
	events []struct {
		ID, Type, Timestamp string
		Body                map[string]json.RawMessage
	}
	spans   []span
	largest int
}

func (b *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.Lock()
	defer b.Unlock()
	text, _ := io.ReadAll(r.Body)
	b.largest = max(b.largest, len(text))
	switch r.URL.Path {
	case ingestionPath:
		var request struct {
			Batch json.RawMessage
		}
		_ = json.Unmarshal(text, &request)
		batch := b.events[len(b.events):]
		_ = json.Unmarshal(request.Batch, &batch)
		b.events = append(b.events, batch...)
		_, _ = io.WriteString(w, `{"successes":[],"errors":[]}`)
	case spansPath:
		var request struct {
			ResourceSpans []struct{ ScopeSpans []struct{ Spans []span } }
		}
		_ = json.Unmarshal(text, &request)
		b.spans = append(b.spans, request.ResourceSpans[0].ScopeSpans[0].Spans...)
		_, _ = io.WriteString(w, `{}`)
	}
}

func (s *span) attribute(name string) string {
	for _, a := range s.Attributes {
		if values, ok := a.Value.(map[string]any); ok && a.Key == "langfuse."+name {
			return fmt.Sprint(values["stringValue"])
		}
	}
	return ""
}

// Rows of current SDKs go as the spans they were, with the whole of metadata that the source shows cut, in requests of bounded size.
func TestNewerRowsGoAsSpans(t *testing.T) {
	t.Parallel()
	script := &scripted.Server{Data: scripted.Data{Observations: 1200, Newer: true, Start: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}}
	target := &inbox{}
	im := &importer{
		source: clientOf(t, script, scripted.PublicKey, scripted.SecretKey), target: clientOf(t, target, "", ""), progress: func(Progress) {},
		state: &State{Steps: map[string]*Step{}, Since: time.Unix(0, 0), Until: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)},
	}
	if err := im.observations(t.Context(), im.state.step(kindObservations)); err != nil {
		t.Fatal(err)
	}
	if len(target.spans) != 1200 || len(target.events) != 0 {
		t.Fatalf("%d spans and %d events", len(target.spans), len(target.events))
	}
	long := 0
	for i := range target.spans {
		s := &target.spans[i]
		var metadata map[string]any
		if err := json.Unmarshal([]byte(s.attribute("observation.metadata")), &metadata); err != nil {
			t.Fatal(err)
		}
		if text, ok := metadata["long"].(string); ok {
			long++
			if len(text) < 250 {
				t.Errorf("%s has %d characters of a long value", s.SpanID, len(text))
			}
		}
		if diff := cmp.Diff(map[string]any{"name": "langfuse-sdk"}, metadata["scope"]); diff != "" {
			t.Errorf("scope of %s: %s", s.SpanID, diff)
		}
	}
	if long != 200 {
		t.Errorf("%d rows have a long value", long)
	}
	if target.largest > maxBatchBytes+2<<20 { // a row of 1 MB may be the last
		t.Errorf("a request of %d bytes", target.largest)
	}
}

// What costs nothing in the source costs nothing in the target, and given amounts are exact.
func TestEventKeepsCosts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ row, want string }{
		"given":          {`{"model":"gpt-4o","costDetails":{"input":0.000001,"output":1e-9,"total":0.000001001}}`, `{"input":0.000001,"output":0.000000001,"total":0.000001001}`},
		"none":           {`{"model":"gpt-4o","usageDetails":{"input":5}}`, `{"total":0}`},
		"no model":       {`{}`, ``},
		"older servers":  {`{"model":"m","calculatedInputCost":0.5,"calculatedOutputCost":null,"calculatedTotalCost":0.75}`, `{"input":0.5,"total":0.75}`},
		"given as zeros": {`{"model":"m","costDetails":{"total":0}}`, `{"total":0}`},
	} {
		var o observation
		if err := json.Unmarshal([]byte(c.row), &o); err != nil {
			t.Fatal(err)
		}
		o.Type = "GENERATION"
		text, err := encode(o.event())
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Body struct{ CostDetails json.RawMessage }
		}
		if err := json.Unmarshal(text, &got); err != nil || string(got.Body.CostDetails) != c.want {
			t.Errorf("%s: %s (%v), want %s", name, got.Body.CostDetails, err, c.want)
		}
	}
}

// An event that is too large for a request is told in two, and one that cannot be is refused.
func TestLargeEvents(t *testing.T) {
	t.Parallel()
	half := json.RawMessage(`"` + strings.Repeat("x", 3<<20) + `"`)
	o := observation{ID: "o", TraceID: "t", Type: "AGENT", StartTime: "2026-03-01T00:00:00.000Z", Input: half, Output: half}
	texts, err := o.event().texts()
	if err != nil || len(texts) != 2 || slices.ContainsFunc(texts, func(text []byte) bool { return len(text) > maxEvent }) {
		t.Errorf("%d texts, %v", len(texts), err)
	}
	o.Input = json.RawMessage(`"` + strings.Repeat("x", 5<<20) + `"`)
	if _, err := o.event().texts(); err == nil {
		t.Error("an input of 5 MiB fits")
	}
}

func TestRecordsTellDifferences(t *testing.T) {
	t.Parallel()
	row := func(change string) *record {
		var o observation
		text := `{"id":"o","traceId":"t","type":"SPAN","startTime":"2026-03-01T00:00:00.000Z","input":{"a":1},"metadata":{"a":{"b":1}},"usageDetails":{"input":1,"output":2}` + change + `}`
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
		r := recordOf(&o, true)
		return &r
	}
	for change, want := range map[string][]string{
		``: nil,
		`,"parentObservationId":"t-t","input":"{\"a\":1}","metadata":{"a.b":1},"usageDetails":{"input":1,"output":2,"total":3},"costDetails":{"total":0},"level":"DEFAULT"`: nil,
		`,"metadata":{"a.b":"1"}`:                       {"metadata"},
		`,"costDetails":{"total":0.1},"name":"other"`:   {"cost", "name"},
		`,"startTime":"2026-03-01T00:00:00.001Z"`:       {"startTime"},
		`,"parentObservationId":"p","environment":"x"`:  {"environment", "parentObservationId"},
		`,"tags":["a"],"userId":"u","sessionId":"s"`:    {"sessionId", "tags", "userId"},
		`,"promptName":"p","promptVersion":2,"input":1`: {"input", "prompt"},
	} {
		if diff := cmp.Diff(want, row("").differences(row(change))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", change, diff)
		}
	}
}

// The sample does not depend on where an import was interrupted.
func TestSampleIsTheSameAfterRepetition(t *testing.T) {
	t.Parallel()
	once, again := &Step{}, &Step{}
	for i := range 500 {
		once.take(record{ID: strconv.Itoa(i)})
	}
	for i := range 1000 {
		again.take(record{ID: strconv.Itoa((i * 7) % 500)})
	}
	if diff := cmp.Diff(once.Sample, again.Sample, cmp.AllowUnexported(sampled{})); diff != "" || len(once.Sample) != sampleSize {
		t.Errorf("%d rows (-once +again):\n%s", len(once.Sample), diff)
	}
}

func TestStateBelongsToOnePair(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	s, err := openState(path, "a", "b")
	if err != nil {
		t.Fatal(err)
	}
	s.step(kindScores).Tally = Tally{Rows: 3, Cost: decimal.RequireFromString("0.5")}
	s.Configs["x"] = "y"
	if err := s.save(); err != nil {
		t.Fatal(err)
	}
	back, err := openState(path, "a", "b")
	if err != nil || back.step(kindScores).Tally.Rows != 3 || back.Configs["x"] != "y" {
		t.Errorf("%+v, %v", back, err)
	}
	if _, err := openState(path, "a", "c"); err == nil || !strings.Contains(err.Error(), "--state") {
		t.Errorf("another target: %v", err)
	}
}

func TestScoreSubjects(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`{"subject":{"kind":"observation","id":"o","traceId":"t"},"dataType":"BOOLEAN","value":true}`: `t/o// 1`,
		`{"subject":{"kind":"session","id":"s"},"dataType":"CATEGORICAL","value":"kind"}`:             `//s/ "kind"`,
		`{"subject":{"kind":"experiment","id":"r"},"dataType":"TEXT","value":"a <b>"}`:                `///r "a <b>"`,
		`{"traceId":"t","sessionId":"s","dataType":"NUMERIC","value":0.5}`:                            `//s/ 0.5`,
		`{"traceId":"t","observationId":"o","datasetRunId":"r","dataType":"NUMERIC","value":1}`:       `///r 1`,
		`{"traceId":"t","dataType":"CATEGORICAL","value":1,"stringValue":"kind"}`:                     `t/// "kind"`,
		`{"traceId":"t","dataType":"BOOLEAN","value":0,"stringValue":"False"}`:                        `t/// 0`,
	} {
		var s score
		if err := json.Unmarshal([]byte(given), &s); err != nil {
			t.Fatal(err)
		}
		s.settle()
		if got := fmt.Sprintf("%s/%s/%s/%s %s", s.TraceID, s.ObservationID, s.SessionID, s.DatasetRunID, s.value()); got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
}

func TestByIDFitsAnAddress(t *testing.T) {
	t.Parallel()
	ids := make([]string, 1000)
	for i := range ids {
		ids[i] = strings.Repeat("ä", 20)
	}
	n := fitting(ids, maxIDBytes)
	if used := len(url.QueryEscape(strings.Join(ids[:n], ","))); n == 0 || used > maxIDBytes {
		t.Errorf("%d ids take %d bytes", n, used)
	}
	if fitting([]string{strings.Repeat("x", 10_000)}, maxIDBytes) != 1 {
		t.Error("one id has no room")
	}
}
