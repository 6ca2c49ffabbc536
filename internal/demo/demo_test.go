package demo_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"

	"github.com/sondehq/sonde/internal/demo"
)

var until = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// recorder keeps what was sent to it, span by span, and is busy once.
type recorder struct {
	mu    sync.Mutex
	calls int
	spans []string
	paths map[string]int
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls++; r.calls == 3 {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	r.paths[request.URL.Path]++
	if !strings.HasSuffix(request.URL.Path, "/v1/traces") {
		_, _ = io.WriteString(w, `{"id":"given"}`)
		return
	}
	z, err := gzip.NewReader(request.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	text, err := io.ReadAll(z)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	var body struct {
		ResourceSpans []struct {
			ScopeSpans []struct {
				Spans []struct {
					TraceID, SpanID, ParentSpanID, Name, StartTimeUnixNano, EndTimeUnixNano string
					Attributes                                                              []struct {
						Key   string
						Value struct{ StringValue string }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(text, &body); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	for _, s := range body.ResourceSpans[0].ScopeSpans[0].Spans {
		line := []string{}
		for _, a := range s.Attributes {
			line = append(line, a.Key+"="+a.Value.StringValue)
		}
		slices.Sort(line)
		r.spans = append(r.spans, strings.Join(append([]string{s.TraceID, s.SpanID, s.ParentSpanID, s.Name, s.StartTimeUnixNano, s.EndTimeUnixNano}, line...), " "))
	}
}

func send(t *testing.T, seed uint64) (*recorder, demo.Summary) {
	t.Helper()
	r := &recorder{paths: map[string]int{}}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	volume := demo.Volume{Sessions: 3, PromptVersions: 4, Experiments: 2, ExperimentItems: 5}
	config := demo.Config{URL: server.URL + "/", PublicKey: "pk", SecretKey: "sk", Traces: 40, Days: 2, Until: until, Seed: seed, Volume: volume}
	sent, err := demo.Run(t.Context(), config, func(string, int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	return r, sent
}

// Tests of pages look for ids and times by name: the same seed must give the same data.
func TestTheSameSeedGivesTheSameData(t *testing.T) {
	t.Parallel()
	first, sent := send(t, 1)
	second, _ := send(t, 1)
	if diff := cmp.Diff(first.spans, second.spans); diff != "" {
		t.Errorf("two runs differ: %s", diff)
	}
	if other, _ := send(t, 2); cmp.Equal(first.spans, other.spans) {
		t.Error("another seed gave the same data")
	}
	if sent.Observations != len(first.spans) || sent.Scores != first.paths["/api/public/scores"] {
		t.Errorf("summary %+v, but %d spans and %d scores arrived", sent, len(first.spans), first.paths["/api/public/scores"])
	}
	if len(sent.Odd) == 0 {
		t.Error("no odd trace is named")
	}
}

func TestVolumesAreExact(t *testing.T) {
	t.Parallel()
	got, _ := send(t, 1)
	sessions, experiments := map[string]bool{}, map[string]bool{}
	for _, line := range got.spans {
		for word := range strings.FieldsSeq(line) {
			if strings.HasPrefix(word, "session.id=visit-") {
				sessions[word] = true
			}
			if strings.HasPrefix(word, "langfuse.experiment.id=") {
				experiments[word] = true
			}
		}
	}
	if len(sessions) != 3 || len(experiments) != 2 || got.paths["/api/public/v2/prompts"] != 6 || got.paths["/api/public/dataset-items"] != 6 {
		t.Errorf("%d sessions, %d experiments and calls %v; want 3, 2, 6 prompts and 5 items with one that is archived", len(sessions), len(experiments), got.paths)
	}
}

// The rule is off: what somebody sends later costs nothing until they turn it on.
func TestEvaluatorsAreMadeOnceAndAppliedToTheFirstDay(t *testing.T) {
	t.Parallel()
	got, _ := send(t, 1)
	want := map[string]int{"/api/public/v2/evaluators": 4, "/api/public/v2/evaluators/given": 1, "/api/public/v2/evaluation-rules": 2, "/api/public/jobs": 1}
	for path, calls := range want {
		if got.paths[path] != calls {
			t.Errorf("%d calls of %s, want %d", got.paths[path], path, calls)
		}
	}
}

func TestRefusedKeysAreExplained(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(server.Close)
	_, err := demo.Run(t.Context(), demo.Config{URL: server.URL, Days: 1, Until: until}, func(string, int, int) {})
	if err == nil || !strings.Contains(err.Error(), "refuses the keys") {
		t.Errorf("got %v, want a word about the keys", err)
	}
}
