package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/jobs"
)

const jobsPath = "/api/public/jobs"

// echo is a kind of job whose parameters may be anything with a text.
type echo struct{}

func (echo) Check(raw json.RawMessage) (json.RawMessage, error) {
	var p struct{ Text string }
	if err := json.Unmarshal(raw, &p); err != nil || p.Text == "" {
		return nil, fault.Invalidf("text", "is missing")
	}
	return json.Marshal(map[string]string{"text": p.Text})
}

func (echo) Run(context.Context, jobs.Task) (json.RawMessage, error) { return nil, nil }

func createJob(t *testing.T, f *fixture, key, text string) jobs.Job {
	t.Helper()
	a := f.send(t, request("POST", jobsPath, key, strings.NewReader(fmt.Sprintf(`{"kind":"echo","text":%q}`, text))))
	var job jobs.Job
	if err := json.Unmarshal([]byte(a.body), &job); err != nil || a.status != http.StatusAccepted || job.ID == "" {
		t.Fatalf("status %d, %v: %s", a.status, err, a.body)
	}
	return job
}

func TestJobsAreKeptAndShown(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first, second := createJob(t, f, keyA, "one"), createJob(t, f, keyA, "two")
	held, err := f.jobs.Get(t.Context(), "project-a", first.ID)
	if err != nil {
		t.Fatal(err)
	}
	held.State, held.Result, held.Checkpoint = jobs.Done, json.RawMessage(`{"n":1.50}`), json.RawMessage(`"inside"`)
	held.StartedAt, held.EndedAt, held.Attempts = noon, noon, 2
	held.CreatedAt, held.UpdatedAt = noon, noon
	held.Progress = jobs.Progress{Done: 3, Total: 4, Text: "nearly"}
	if _, err := f.jobs.Update(t.Context(), held); err != nil {
		t.Fatal(err)
	}
	want := `{"id":"` + first.ID + `","kind":"echo","state":"done","parameters":{"text":"one"},` +
		`"progress":{"done":3,"total":4,"text":"nearly"},"result":{"n":1.50},"reason":null,"attempts":2,` +
		`"createdAt":"2026-05-01T12:00:00.000Z","startedAt":"2026-05-01T12:00:00.000Z","updatedAt":"2026-05-01T12:00:00.000Z","endedAt":"2026-05-01T12:00:00.000Z"}` + "\n"
	if a := f.get(t, jobsPath+"/"+first.ID); a.status != http.StatusOK || a.body != want {
		t.Errorf("status %d (-want +got):\n%s", a.status, cmp.Diff(want, a.body))
	}
	for query, want := range map[string][]string{"": {second.ID, first.ID}, "?limit=1": {second.ID}} {
		if diff := cmp.Diff(want, decodePage(t, f.get(t, jobsPath+query)).ids()); diff != "" {
			t.Errorf("list %q (-want +got):\n%s", query, diff)
		}
	}
	for _, query := range []string{"?limit=0", "?limit=101", "?limit=x", "?limit=1&limit=2"} {
		if a := f.get(t, jobsPath+query); a.status != http.StatusBadRequest {
			t.Errorf("list %q: status %d", query, a.status)
		}
	}
}

func TestJobsOfOthersAreNotThere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	job := createJob(t, f, keyA, "secret")
	for _, r := range []*http.Request{
		request("GET", jobsPath+"/"+job.ID, keyB, nil), request("POST", jobsPath+"/"+job.ID+"/cancel", keyB, nil),
		request("GET", jobsPath+"/nothing", keyA, nil), request("GET", jobsPath+"/%2A", keyA, nil),
	} {
		a := f.send(t, r)
		if a.status != http.StatusNotFound || strings.Contains(a.body, "secret") {
			t.Errorf("%s: status %d, %s", r.URL, a.status, a.body)
		}
	}
	if a := f.send(t, request("GET", jobsPath, keyB, nil)); a.body != "{\"data\":[]}\n" {
		t.Errorf("list: %s", a.body)
	}
	if a := f.send(t, request("GET", jobsPath, scoresOnly, nil)); a.status != http.StatusForbidden {
		t.Errorf("a key for scores only: %d", a.status)
	}
	if got := f.get(t, jobsPath+"/"+job.ID); !strings.Contains(got.body, `"state":"queued"`) {
		t.Errorf("the job became %s", got.body)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	job := createJob(t, f, keyA, "x")
	for range 2 {
		a := f.send(t, request("POST", jobsPath+"/"+job.ID+"/cancel", keyA, nil))
		if a.status != http.StatusOK || !strings.Contains(a.body, `"state":"canceled"`) {
			t.Errorf("status %d, %s", a.status, a.body)
		}
	}
	done := createJob(t, f, keyA, "x")
	held, err := f.jobs.Get(t.Context(), "project-a", done.ID)
	if err != nil {
		t.Fatal(err)
	}
	held.State = jobs.Done
	if _, err := f.jobs.Update(t.Context(), held); err != nil {
		t.Fatal(err)
	}
	if a := f.send(t, request("POST", jobsPath+"/"+done.ID+"/cancel", keyA, nil)); a.status != http.StatusConflict {
		t.Errorf("status %d, %s", a.status, a.body)
	}
}

func TestJobsThatCannotBe(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for body, want := range map[string]struct {
		status int
		text   string
	}{
		``:                           {400, `send one like {\"kind\":\"reprice\"`},
		`[]`:                         {400, "not a JSON object"},
		`{}`:                         {400, "kind must be one of echo"},
		`{"kind":"brew","text":"x"}`: {400, `"path":["kind"]`},
		`{"kind":"echo"}`:            {400, `"path":["text"]`},
		`{"kind":"echo","text":"` + strings.Repeat("x", 70_000) + `"}`: {413, "larger than 65536 bytes"},
	} {
		a := f.send(t, request("POST", jobsPath, keyA, strings.NewReader(body)))
		if a.status != want.status || !strings.Contains(a.body, want.text) {
			t.Errorf("%.40s: status %d, %s", body, a.status, a.body)
		}
	}
	for range jobs.MaxOpen {
		createJob(t, f, keyA, "x")
	}
	a := f.send(t, request("POST", jobsPath, keyA, strings.NewReader(`{"kind":"echo","text":"x"}`)))
	if a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") == "" {
		t.Errorf("too many: status %d, %s", a.status, a.body)
	}
	createJob(t, f, keyB, "x")
}

func TestNodesWithoutJobs(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *api.Config) { c.Jobs = nil })
	for _, path := range []string{jobsPath, jobsPath + "/x"} {
		if a := f.get(t, path); a.status != http.StatusNotFound {
			t.Errorf("%s: status %d", path, a.status)
		}
	}
}

// FuzzJobBody: whatever is sent, it becomes a job or a refusal that fits the description.
func FuzzJobBody(f *testing.F) {
	for _, seed := range []string{``, `{}`, `{"kind":"echo","text":"x"}`, `{"kind":1}`, `null`, `{"kind":"echo","text":"\u0000"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		fx := newFixture(t)
		a := fx.send(t, request("POST", jobsPath, keyA, strings.NewReader(string(body))))
		if a.status != http.StatusAccepted && a.status != http.StatusBadRequest {
			t.Errorf("status %d for %q", a.status, body)
		}
	})
}
