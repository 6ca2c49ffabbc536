package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/ingest"
)

const ingestion = "/api/public/ingestion"

func (f *fakeIngest) AcceptEvents(_ context.Context, in ingest.EventSubmission) (ingest.Outcome, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events = append(f.events, in)
	return f.answer, f.err
}

type eventsAnswer struct {
	Successes []struct {
		ID     string
		Status int
	}
	Errors []struct {
		ID, Message, Error string
		Status             int
	}
}

func (f *fixture) ingest207(t testing.TB, key, body string, headers ...string) eventsAnswer {
	t.Helper()
	a := f.send(t, request("POST", ingestion, key, strings.NewReader(body), headers...))
	if a.status != http.StatusMultiStatus {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	var got eventsAnswer
	if err := json.Unmarshal([]byte(a.body), &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// summary lists "id status message" of an answer.
func (a eventsAnswer) summary() (list []string) {
	for _, s := range a.Successes {
		list = append(list, s.ID+" 201")
	}
	for _, e := range a.Errors {
		list = append(list, e.ID+" "+map[int]string{400: "400", 401: "401"}[e.Status]+" "+e.Message)
	}
	return list
}

const (
	spanEvent  = `{"id":"span","type":"span-create","timestamp":"2026-05-01T10:00:00Z","body":{"id":"s","traceId":"t"}}`
	laterEvent = `{"id":"later","type":"trace-create","timestamp":"2026-05-01T10:00:01+00:00","body":{"id":"t","timestamp":null,"strange":[]}}`
	updateEvt  = `{"id":"update","type":"span-update","timestamp":"2026-05-01T09:00:00.123456Z","body":{"id":"s","traceId":"t"}}`
	scoreEvent = `{"id":"score","type":"score-create","timestamp":"2026-05-01T10:00:02Z","body":{"id":"sc","traceId":"t","name":"n","value":1}}`
	badScore   = `{"id":"bad","type":"score-create","timestamp":"2026-05-01T10:00:02Z","body":{"id":"sc","name":"n","value":1}}`
	noteEvent  = `{"id":"note","type":"sdk-log","timestamp":"2026-05-01T10:00:02Z","body":{"log":"x"}}`
)

func batchOf(events ...string) string { return `{"batch":[` + strings.Join(events, ",") + `]}` }

func TestIngestionAnswersPerEvent(t *testing.T) {
	t.Parallel()
	const refused, invalid = "400 Event type not accepted", "400 Invalid request data"
	for name, c := range map[string]struct {
		body       string
		key        string
		scoresOnly bool
		want       []string
		kept       []string
		notes      int
	}{
		"empty":                  {body: batchOf(), want: nil},
		"order of the answer":    {body: batchOf(updateEvt, scoreEvent, laterEvent, spanEvent), want: []string{"span 201", "later 201", "score 201", "update 201"}, kept: []string{"update", "score", "later", "span"}},
		"a bad one harms nobody": {body: batchOf(spanEvent, `{"id":"x","type":"span-create","timestamp":"2026-05-01T10:00:00Z","body":{}}`, `7`, `{"type":"span-create"}`, badScore, `{"id":"u","type":"later-kind","timestamp":"2026-05-01T10:00:00Z","body":{}}`), want: []string{"span 201", "x " + invalid, "unknown " + invalid, "unknown " + invalid, "bad " + invalid, "u " + invalid}, kept: []string{"span"}},
		"notes are not answered": {body: batchOf(noteEvent, scoreEvent), want: []string{"score 201"}, kept: []string{"score"}, notes: 1},
		"scores only":            {body: batchOf(spanEvent, scoreEvent, noteEvent, `null`, `{"id":"none"}`, `{"id":"z","type":"zzz"}`), scoresOnly: true, want: []string{"score 201", "span " + refused, "unknown " + refused, "none " + refused, "z " + refused}, kept: []string{"score"}, notes: 1},
		"public key":             {body: batchOf(spanEvent, scoreEvent, noteEvent), key: scoresOnly, want: []string{"score 201", "span 401 Authentication error"}, kept: []string{"score"}, notes: 1},
		"score without an id":    {body: batchOf(`{"id":"e","type":"score-create","timestamp":"2026-05-01T10:00:02Z","body":{"traceId":"t","name":"n","value":1}}`), want: []string{"e 201"}},
		"internal type":          {body: batchOf(`{"id":"e","type":"dataset-run-item-create","timestamp":"2026-05-01T10:00:02Z","body":{}}`), want: []string{"e " + invalid}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, func(cfg *api.Config) { cfg.ScoresOnly = c.scoresOnly })
			if c.key == "" {
				c.key = keyA
			}
			if diff := cmp.Diff(c.want, f.ingest207(t, c.key, c.body).summary()); diff != "" {
				t.Error(diff)
			}
			in := f.ingest.events[0]
			var kept []string
			for _, e := range in.Events {
				kept = append(kept, e.ID)
			}
			if !slices.Equal(kept, c.kept) || in.Notes != c.notes || in.ProjectID != "project-a" {
				t.Errorf("kept %q and %d notes for %s", kept, in.Notes, in.ProjectID)
			}
		})
	}
}

func TestIngestionKnowsTheSender(t *testing.T) {
	t.Parallel()
	body := `{"batch":[` + scoreEvent + `],"metadata":{"sdk_name":"in the body","sdk_version":"9"}}`
	for want, headers := range map[string][]string{
		"python 2.60.10": {"x_langfuse_sdk_name", "python", "x_langfuse_sdk_version", "2.60.10"},
		"langfuse-js 3":  {"x-langfuse-sdk-name", "langfuse-js", "x-langfuse-sdk-version", "3"},
		"in the body 9":  nil,
	} {
		f := newFixture(t)
		f.ingest207(t, keyA, body, headers...)
		if in := f.ingest.events[0]; in.SDKName+" "+in.SDKVersion != want {
			t.Errorf("sender %s %s, want %s", in.SDKName, in.SDKVersion, want)
		}
	}
}

func TestIngestionFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		key, body string
		err       error
		status    int
		want      string
	}{
		"no object":    {key: keyA, body: `[]`, status: 400, want: `"message":"Invalid request data","errors":[`},
		"no JSON":      {key: keyA, body: `{`, status: 400, want: `"errors":[`},
		"no batch":     {key: keyA, body: `{}`, status: 400, want: `"errors":["batch: expected a list of events"]`},
		"batch object": {key: keyA, body: `{"batch":{}}`, status: 400, want: `"errors":[`},
		"nobody":       {body: batchOf(), status: 401, want: `"message":"No authorization header","error":"UnauthorizedError"`},
		"stranger":     {key: "Basic eHg6eXk=", body: batchOf(), status: 401, want: `"error":"UnauthorizedError"`},
		"outage":       {key: keyA, body: batchOf(spanEvent), err: fault.Unavailablef("the ingest log is full"), status: 500, want: `{"message":"Invalid request data","errors":["the ingest log is full"]}`},
		"our fault":    {key: keyA, body: batchOf(spanEvent), err: errors.New("secret"), status: 500, want: `"errors":["Internal Server Error"]`},
		"too large":    {key: keyA, body: batchOf(`"` + strings.Repeat("x", 5<<20) + `"`), status: 413, want: `4718592`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.ingest.err = c.err
			a := f.send(t, request("POST", ingestion, c.key, strings.NewReader(c.body)))
			if a.status != c.status || !strings.Contains(a.body, c.want) || strings.Contains(a.body, "secret") {
				t.Errorf("status %d: %s", a.status, a.body)
			}
		})
	}
}

// FuzzIngestion: whatever is sent, the answer is described, and every event of a batch is in one of
// the lists or is a note.
func FuzzIngestion(f *testing.F) {
	f.Add(batchOf(spanEvent, scoreEvent, noteEvent), false, false)
	f.Add(batchOf(badScore, updateEvt, "7", "null"), true, true)
	f.Add(`{"batch":[{"id":"\r","type":5,"timestamp":"x","body":[]}],"metadata":[]}`, false, true)
	f.Add("{\"batch\":[{\"id\":\"\xff\"}]}", true, false)
	f.Fuzz(func(t *testing.T, body string, scores, public bool) {
		fx := newFixture(t, func(cfg *api.Config) { cfg.ScoresOnly = scores })
		key := keyA
		if public {
			key = scoresOnly
		}
		a := fx.send(t, request("POST", ingestion, key, strings.NewReader(body)))
		if a.status == http.StatusBadRequest {
			return
		}
		var got eventsAnswer
		var sent struct{ Batch []json.RawMessage }
		if err := json.Unmarshal([]byte(a.body), &got); err != nil || a.status != http.StatusMultiStatus {
			t.Fatalf("status %d: %s", a.status, a.body)
		}
		if err := json.Unmarshal([]byte(body), &sent); err != nil {
			t.Fatalf("answered 207 to what is no batch: %v", err)
		}
		if n := len(got.Successes) + len(got.Errors) + fx.ingest.events[0].Notes; n != len(sent.Batch) {
			t.Errorf("%d of %d events are accounted for", n, len(sent.Batch))
		}
	})
}
