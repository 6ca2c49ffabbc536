package api_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/connections"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/metastore/sqlstore"
	"github.com/sondehq/sonde/internal/seal"
)

const llmConnections = "/api/public/llm-connections"

func TestConnections(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	full := `{"provider":"gateway","adapter":"openai","secretKey":"sk-0123456789abcdef","baseURL":"https://x.example/v1","customModels":["m1","m2"],` +
		`"withDefaultModels":false,"extraHeaders":{"X-B":"b","X-A":"a"},"config":{"useResponsesApi":true}}`
	a, made := f.call(t, "PUT", llmConnections, keyA, full)
	want := map[string]any{
		"id": made["id"], "provider": "gateway", "adapter": "openai", "displaySecretKey": "...cdef", "baseURL": "https://x.example/v1",
		"customModels": []any{"m1", "m2"}, "withDefaultModels": false, "extraHeaderKeys": []any{"X-A", "X-B"},
		"config": map[string]any{"useResponsesApi": true}, "createdAt": made["createdAt"], "updatedAt": made["createdAt"],
	}
	if diff := cmp.Diff(want, made); a.status != http.StatusCreated || diff != "" {
		t.Fatalf("%d (-want +got):\n%s", a.status, diff)
	}
	a, replaced := f.call(t, "PUT", llmConnections, keyA, `{"provider":"gateway","adapter":"anthropic","secretKey":"short","baseURL":null,"customModels":null,"extraHeaders":null,"config":null}`)
	want = map[string]any{
		"id": made["id"], "provider": "gateway", "adapter": "anthropic", "displaySecretKey": "...", "baseURL": nil,
		"customModels": []any{}, "withDefaultModels": true, "extraHeaderKeys": []any{},
		"config": nil, "createdAt": made["createdAt"], "updatedAt": replaced["updatedAt"],
	}
	if diff := cmp.Diff(want, replaced); a.status != http.StatusOK || diff != "" {
		t.Fatalf("%d (-want +got):\n%s", a.status, diff)
	}
	_, page := f.call(t, "GET", llmConnections+"?page=1&limit=10", keyA, "")
	if diff := cmp.Diff([]any{want}, page["data"]); diff != "" || fmt.Sprint(page["meta"]) != "map[limit:10 page:1 totalItems:1 totalPages:1]" {
		t.Errorf("page %v (-want +got):\n%s", page["meta"], diff)
	}
	path := llmConnections + "/" + fmt.Sprint(made["id"])
	f.ask400(t, map[string]asking{"no such": {"DELETE", llmConnections + "/x", "", 404}, "NUL": {"DELETE", llmConnections + "/%00", "", 400}, "strict": {"GET", llmConnections + "?x=1", "", 400}})
	if a := f.send(t, request("DELETE", path, keyB, nil)); a.status != http.StatusNotFound {
		t.Error("another project deletes it:", a.status, a.body)
	}
	if a, got := f.call(t, "DELETE", path, keyA, ""); a.status != http.StatusOK || len(got) != 1 || got["message"] == nil {
		t.Error(a.status, a.body)
	}
	f.ask400(t, map[string]asking{"gone": {"DELETE", path, "", 404}})
}

func TestConnectionsAreStrict(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	put := func(members string, want int) asking {
		return asking{"PUT", llmConnections, `{"provider":"p","secretKey":"sk-x",` + members + `}`, want}
	}
	f.ask400(t, map[string]asking{
		"no adapter":         {"PUT", llmConnections, `{"provider":"p","secretKey":"k"}`, 400},
		"no key":             {"PUT", llmConnections, `{"provider":"p","adapter":"azure"}`, 400},
		"blank key":          {"PUT", llmConnections, `{"provider":"p","adapter":"azure","secretKey":" "}`, 400},
		"no provider":        {"PUT", llmConnections, `{"secretKey":"k","adapter":"azure"}`, 400},
		"null":               {"PUT", llmConnections, `null`, 400},
		"huge":               {"PUT", llmConnections, `{"secretKey":"` + strings.Repeat("x", 1<<20) + `"}`, 413},
		"other adapter":      put(`"adapter":"mistral"`, 400),
		"further member":     put(`"adapter":"azure","apiKey":"x"`, 400),
		"bedrock":            put(`"adapter":"bedrock","config":{"region":"us-east-1"}`, 201),
		"bedrock, none":      put(`"adapter":"bedrock"`, 400),
		"bedrock, more":      put(`"adapter":"bedrock","config":{"region":"r","x":1}`, 400),
		"bedrock, number":    put(`"adapter":"bedrock","config":{"region":1}`, 400),
		"bedrock, empty":     put(`"adapter":"bedrock","config":{"region":""}`, 400),
		"openai, text":       put(`"adapter":"openai","config":{"useResponsesApi":"yes"}`, 400),
		"openai, other":      put(`"adapter":"openai","config":{"region":"r"}`, 400),
		"openai, empty":      put(`"adapter":"openai","config":{}`, 400),
		"azure with config":  put(`"adapter":"azure","config":{"region":"r"}`, 400),
		"studio with config": put(`"adapter":"google-ai-studio","config":{}`, 400),
		"config is a list":   put(`"adapter":"openai","config":[]`, 400),
		"no address":         put(`"adapter":"azure","baseURL":"x.example"`, 400),
		"other scheme":       put(`"adapter":"azure","baseURL":"file:///etc/passwd"`, 400),
		"credentials":        put(`"adapter":"azure","baseURL":"https://u:p@x.example"`, 400),
		"odd header":         put(`"adapter":"azure","extraHeaders":{"a b":"c"}`, 400),
		"header in lines":    put(`"adapter":"azure","extraHeaders":{"a":"c\r\nd: e"}`, 400),
		"header of number":   put(`"adapter":"azure","extraHeaders":{"a":1}`, 400),
		"empty model":        put(`"adapter":"azure","customModels":[""]`, 400),
		"models as text":     put(`"adapter":"azure","customModels":"a"`, 400),
		"flag as text":       put(`"adapter":"azure","withDefaultModels":"true"`, 400),
	})
	const location = `{"provider":"v","secretKey":"sk-x","adapter":"google-vertex-ai","config":{"location":"europe-west1"}}`
	f.ask400(t, map[string]asking{"vertex": {"PUT", llmConnections, location, 201}})
}

// No answer, no line of the log and no page of the database holds a secret in plain text.
func TestSecretsStaySecret(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, err := sqlstore.OpenSQLite(t.Context(), filepath.Join(dir, "metadata.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	seed := metastoretest.Seed("seed")
	seed.Project.ID = "project-a"
	if _, err := store.Plant(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	key := seal.NewKey()
	box, err := seal.NewBox(key)
	if err != nil {
		t.Fatal(err)
	}
	var shown, logged bytes.Buffer
	service := connections.New(store, box)
	f := newFixture(t, func(c *api.Config) {
		c.Connections, c.Log = service, slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	const secret, header = "plainsecret-0123456789-tail", "plainheader-0123456789"
	for _, members := range []string{
		`"adapter":"openai"`, `"adapter":"openai","config":{"useResponsesApi":false}`, // makes, replaces
		`"adapter":"bedrock"`, `"adapter":"none"`, `"adapter":"azure","baseURL":"x"`, `"adapter":7`, `"adapter":"azure","x":1`, // refused
	} {
		a := f.send(t, request("PUT", llmConnections, keyA, strings.NewReader(`{"provider":"p","secretKey":"`+secret+`","extraHeaders":{"Authorization":"`+header+`"},`+members+`}`)))
		shown.WriteString(a.body)
		fmt.Fprint(&shown, a.header)
	}
	for _, body := range []string{`{"provider":"p","adapter":"openai","secretKey":98765432109876}`, `{"secretKey":["` + secret + `"]}`} {
		shown.WriteString(f.send(t, request("PUT", llmConnections, keyA, strings.NewReader(body))).body)
	}
	shown.WriteString(f.get(t, llmConnections).body)
	made, err := store.ConnectionByProvider(t.Context(), "project-a", "p")
	if err != nil {
		t.Fatal(err)
	}
	if plain, headers, err := service.Secrets(made); err != nil || plain != secret || headers["Authorization"] != header {
		t.Errorf("%q %q %v", plain, headers, err)
	}
	checkHidden(t, dir, shown.String()+logged.String(), secret, header, seal.KeyText(key), string(key))
	if err := store.Close(); err != nil { // which writes the last of the log into the database
		t.Fatal(err)
	}
	checkHidden(t, dir, "", secret, header, seal.KeyText(key), string(key))
	if strings.Contains(shown.String(), "98765432109876") {
		t.Error("an answer repeats a key that was no text")
	}
}

// checkHidden looks for secrets in what was shown and in all files of a directory.
func checkHidden(t *testing.T, dir, shown string, secrets ...string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	found := map[string]string{"an answer or the log": shown}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		found[file.Name()] = string(text)
	}
	for where, text := range found {
		for _, secret := range secrets {
			if strings.Contains(text, secret) || strings.Contains(text, secret[:len(secret)-6]) {
				t.Errorf("%s holds a secret", where)
			}
		}
	}
}
