package api_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/connections"
	"github.com/sondehq/sonde/internal/llm"
	"github.com/sondehq/sonde/internal/llm/llmtest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/outbound"
	"github.com/sondehq/sonde/internal/playground"
)

const (
	runsPath          = "/api/public/playground/runs"
	offeredPath       = "/api/public/playground/models"
	connectionTests   = "/api/public/playground/connection-tests"
	promptVersions    = "/api/public/prompt-versions"
	promptDependents  = "/api/public/prompt-dependents"
	promptTags        = "/api/public/prompt-tags"
	runOfProvider     = `{"provider":"gateway","model":"MODEL","messages":[{"role":"user","content":"hello there"}],"prompt":{"name":"greeting","version":3}}`
	connectionAllowed = "http://127.0.0.1:1"
)

// traced tells whose traces it got.
type traced chan string

func (t traced) Trace(_ context.Context, projectID string, _ []byte) error {
	select {
	case t <- projectID:
	default: // nobody counts so many
	}
	return nil
}

// unpriced knows no prices.
type unpriced struct{}

func (unpriced) Apply(context.Context, []*model.Observation) error { return nil }

// newPlayground asks models through connections at one address.
func newPlayground(t testing.TB, links *connections.Service, allowed string, traces traced) *playground.Service {
	t.Helper()
	guard := outbound.NewGuard([]string{allowed})
	t.Cleanup(guard.Close)
	return playground.New(llm.New(links, guard), traces, unpriced{}, slog.New(slog.DiscardHandler))
}

// withProvider has a connection of project A to a provider.
func withProvider(t *testing.T) (*fixture, *llmtest.Provider, traced) {
	t.Helper()
	provider, traces := llmtest.New(t), make(traced, 1)
	f := newFixture(t, func(c *api.Config) {
		c.Playground, c.Stopping = newPlayground(t, c.Connections, provider.URL, traces), nil
	})
	f.call(t, "PUT", llmConnections, keyA, `{"provider":"gateway","adapter":"openai","secretKey":"`+llmtest.Key+`","baseURL":"`+provider.URL+`","customModels":["echo"],"withDefaultModels":false}`)
	return f, provider, traces
}

// stream sends a run to a real server, and returns the status and the events.
func stream(t *testing.T, f *fixture, key, body string) (int, string) {
	t.Helper()
	server := httptest.NewServer(f.bare)
	defer server.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+runsPath, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", key)
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	events, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(events)
}

func TestPlaygroundStreams(t *testing.T) {
	t.Parallel()
	f, _, traces := withProvider(t)
	status, events := stream(t, f, keyA, strings.Replace(runOfProvider, "MODEL", llmtest.Echo, 1))
	if status != http.StatusOK || !strings.Contains(events, "event: delta\ndata: {\"text\":\"You \",\"tool\":null}\n\n") {
		t.Fatalf("%d %s", status, events)
	}
	_, done, found := strings.Cut(events, "event: done\ndata: ")
	var result struct {
		Text    string            `json:"text"`
		Usage   map[string]uint64 `json:"usageDetails"`
		Cost    *string           `json:"cost"`
		TraceID string            `json:"traceId"`
	}
	if err := json.Unmarshal([]byte(done), &result); !found || err != nil || result.Text != "You said: hello there" || result.Usage["total"] != 17 || result.Cost != nil || len(result.TraceID) != 32 {
		t.Errorf("%v %+v in %s", err, result, events)
	}
	if got := <-traces; got != "project-a" {
		t.Errorf("traced for %q", got)
	}
}

func TestPlaygroundFailures(t *testing.T) {
	t.Parallel()
	f, _, _ := withProvider(t)
	for name, want := range map[string]struct {
		status int
		words  string
	}{
		llmtest.Refuses: {http.StatusBadRequest, "temperature is not for this model"},
		llmtest.Limited: {http.StatusTooManyRequests, "Rate limit reached"},
		llmtest.Fails:   {http.StatusServiceUnavailable, "failed"},
		llmtest.Broken:  {http.StatusOK, "event: error\ndata: {\"message\":\"the answer of gateway broke off; try again\""},
	} {
		if status, body := stream(t, f, keyA, strings.Replace(runOfProvider, "MODEL", name, 1)); status != want.status || !strings.Contains(body, want.words) {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	for _, body := range []string{`{}`, `{"provider":"gateway","model":"echo","messages":[]}`, `{"provider":"gateway","model":"echo","messages":[{"role":"x"}]}`, `{"x":1}`, `[]`, `{"parameters":{"temperature":"hot"}}`} {
		if status, got := f.callStatus(t, "POST", runsPath, keyA, body); status != http.StatusBadRequest {
			t.Errorf("%s: %d %v", body, status, got)
		}
	}
	if status, _ := f.callStatus(t, "POST", runsPath, keyB, strings.Replace(runOfProvider, "MODEL", llmtest.Echo, 1)); status != http.StatusNotFound {
		t.Errorf("through the connection of another project: %d", status)
	}
}

// Whoever hangs up stops the model.
func TestPlaygroundStops(t *testing.T) {
	t.Parallel()
	f, _, traces := withProvider(t)
	server := httptest.NewServer(f.bare)
	t.Cleanup(server.Close)
	ctx, hangUp := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+runsPath, strings.NewReader(strings.Replace(runOfProvider, "MODEL", llmtest.Silent, 1)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", keyA)
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	hangUp()
	if got := <-traces; got != "project-a" {
		t.Errorf("traced for %q", got)
	}
}

func TestOfferedModelsAndTests(t *testing.T) {
	t.Parallel()
	f, provider, _ := withProvider(t)
	f.call(t, "PUT", llmConnections, keyA, `{"provider":"aws","adapter":"bedrock","secretKey":"k","config":{"region":"r"}}`)
	_, got := f.callStatus(t, "GET", offeredPath, keyA, "")
	text, _ := json.Marshal(got)
	for _, want := range []string{`"models":["echo"],"problem":null,"provider":"gateway"`, `"problem":"Models of bedrock cannot be called from here yet`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if status, got := f.callStatus(t, "POST", connectionTests, keyA, `{"provider":"gateway","model":"echo"}`); status != http.StatusOK || got["model"] != "echo-2026" || provider.Last().Body["max_tokens"] == nil {
		t.Errorf("test: %d %v", status, got)
	}
	if status, got := f.callStatus(t, "POST", connectionTests, keyA, `{"provider":"gateway","model":"unknown"}`); status != http.StatusBadRequest || !strings.Contains(got["message"].(string), "does not know the model") {
		t.Errorf("test of an unknown model: %d %v", status, got)
	}
}

func TestPromptHistory(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, text := range []string{"one", "two"} {
		f.call(t, "POST", promptsRoute, keyA, `{"name":"a/leaf","prompt":"`+text+`","commitMessage":"why `+text+`"}`)
	}
	f.call(t, "POST", promptsRoute, keyA, `{"name":"parent","prompt":"@@@langfusePrompt:name=a/leaf|version=1@@@ @@@langfusePrompt:name=a/leaf|label=latest@@@"}`)
	_, got := f.callStatus(t, "GET", promptVersions+"?name=a/leaf", keyA, "")
	text, _ := json.Marshal(got)
	for _, want := range []string{`"version":2`, `"commitMessage":"why one"`, `"labels":["latest"]`, `"totalItems":2`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	_, got = f.callStatus(t, "GET", promptDependents+"?name=a/leaf", keyA, "")
	text, _ = json.Marshal(got["data"])
	if want := `[{"includesLabel":null,"includesVersion":1,"name":"parent","version":1},{"includesLabel":"latest","includesVersion":null,"name":"parent","version":1}]`; string(text) != want {
		t.Errorf("dependents %s", text)
	}
	for target, want := range map[string]int{promptVersions + "?name=none": 404, promptVersions: 400, promptDependents: 400, promptDependents + "?name=none": 200} {
		if status, got := f.callStatus(t, "GET", target, keyA, ""); status != want {
			t.Errorf("%s: %d %v", target, status, got)
		}
	}
}

func TestPromptTags(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.call(t, "POST", promptsRoute, keyA, `{"name":"a/leaf","prompt":"one","tags":["old"]}`)
	if _, got := f.call(t, "PUT", promptTags, keyA, `{"name":"a/leaf","tags":["new","eu"]}`); got["name"] != "a/leaf" {
		t.Errorf("answered %v", got)
	}
	_, got := f.call(t, "GET", promptsRoute+"/a%2Fleaf?label=latest", keyA, "")
	text, _ := json.Marshal(got)
	if !strings.Contains(string(text), `"tags":["new","eu"]`) || !strings.Contains(string(text), `"version":1`) {
		t.Errorf("read %s", text)
	}
	for body, want := range map[string]int{`{"name":"none","tags":[]}`: 404, `{"name":"a/leaf"}`: 400, `{"name":"","tags":[]}`: 400, `{"name":"a/leaf","tags":[""]}`: 400, `{"name":"a/leaf","tags":[],"more":1}`: 400} {
		if status, got := f.callStatus(t, "PUT", promptTags, keyA, body); status != want {
			t.Errorf("%s: %d %v", body, status, got)
		}
	}
}

// addPlaygroundValues adds what B asks the playground and the history of prompts with.
func addPlaygroundValues(v *foreignValues) {
	run := `{"provider":"zqxsecret","model":"m","messages":[{"role":"user","content":"x"}]}`
	v.bodies["POST "+runsPath] = []string{run}
	v.bodies["POST "+connectionTests] = []string{`{"provider":"zqxsecret","model":"m"}`}
	v.bodies["PUT "+promptTags] = []string{`{"name":"foreign-prompt","tags":["x"]}`}
	for _, path := range []string{promptVersions, promptDependents} {
		v.parameters["GET "+path+" name"] = []string{"foreign-prompt"}
		v.always["GET "+path] = "name=foreign-prompt"
	}
}
