package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/sondehq/sonde/internal/mcp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const description = `
paths:
  /things:
    get:
      operationId: listThings
      tags: [Things]
      summary: List things
      parameters:
        - {$ref: "#/components/parameters/Limit"}
        - {name: filter, in: query, schema: {type: string}}
    post:
      operationId: createThing
      tags: [Things]
      summary: Create a thing
      security: [{key: []}, {publicKey: []}]
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: "#/components/schemas/Thing"}}}
  /things/{name}:
    delete:
      operationId: deleteThing
      tags: [Things]
      summary: Delete a thing
      parameters:
        - {name: name, in: path, required: true, schema: {type: string}}
    put: {operationId: oldThing, tags: [Things], deprecated: true}
  /probe:
    get: {operationId: probe, tags: [Things], security: []}
  /spans:
    post: {operationId: sendSpans, tags: [Ingestion]}
components:
  parameters:
    Limit: {name: limit, in: query, description: How many., schema: {type: integer}}
  schemas:
    Thing: {type: object, properties: {parts: {type: array, items: {$ref: "#/components/schemas/Thing"}}}}
`

// connect starts a server of tools over an API and a client of the protocol's own library.
func connect(t *testing.T, api http.HandlerFunc) *sdk.ClientSession {
	t.Helper()
	handler, err := mcp.Handler([]byte(description), "1.2.3", "/base", api)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: server.URL, DisableStandaloneSSE: true, HTTPClient: &http.Client{Transport: keyed{}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// keyed sends a key with every request.
type keyed struct{}

func (keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(context.WithoutCancel(r.Context()))
	r.Header.Set("Authorization", "Basic key")
	return http.DefaultTransport.RoundTrip(r)
}

func TestToolsAreTheOperationsOfAProject(t *testing.T) {
	t.Parallel()
	session := connect(t, nil)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	schemas := map[string]string{}
	for _, tool := range list.Tools {
		text, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		names, schemas[tool.Name] = append(names, tool.Name), string(text)
	}
	if diff := cmp.Diff([]string{"createThing", "deleteThing", "listThings"}, names); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	want := map[string]string{
		"createThing": `{"$defs":{"Thing":{"properties":{"parts":{"items":{"$ref":"#/$defs/Thing"},"type":"array"}},"type":"object"}},"additionalProperties":false,"properties":{"body":{"$ref":"#/$defs/Thing"}},"required":["body"],"type":"object"}`,
		"deleteThing": `{"additionalProperties":false,"properties":{"name":{"type":"string"}},"required":["name"],"type":"object"}`,
		"listThings":  `{"additionalProperties":false,"properties":{"filter":{"type":"string"},"limit":{"description":"How many.","type":"integer"}},"required":[],"type":"object"}`,
	}
	if diff := cmp.Diff(want, schemas); diff != "" {
		t.Errorf("schemas (-want +got):\n%s", diff)
	}
}

// A call is a request with the caller's key: arguments stand where the description has them.
func TestCallIsARequest(t *testing.T) {
	t.Parallel()
	var got string
	session := connect(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = r.Method + " " + r.RequestURI + " " + r.Header.Get("Authorization") + " " + string(body)
		if r.Method == http.MethodDelete {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = io.WriteString(w, `{"id":"a"}`)
	})
	for _, c := range []struct {
		tool, arguments, request, answer string
		failed                           bool
	}{
		{"listThings", `{"limit":2,"filter":[{"a":"b c"}]}`, `GET /base/things?filter=%5B%7B%22a%22%3A%22b+c%22%7D%5D&limit=2 Basic key `, `{"id":"a"}`, false},
		{"listThings", `{"limit":null,"filter":"x&y"}`, `GET /base/things?filter=x%26y Basic key `, `{"id":"a"}`, false},
		{"createThing", `{"body":{"parts":[]}}`, `POST /base/things Basic key {"parts":[]}`, `{"id":"a"}`, false},
		{"deleteThing", `{"name":"folder/a b"}`, `DELETE /base/things/folder%2Fa%20b Basic key `, `404 Not Found: {"id":"a"}`, true},
		{"deleteThing", `{}`, ``, `argument "name" is missing`, true},
		{"listThings", `{"page":1}`, ``, `argument "page" is not known`, true},
	} {
		got = ""
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: c.tool, Arguments: json.RawMessage(c.arguments)})
		if err != nil {
			t.Errorf("%s %s: %v", c.tool, c.arguments, err)
			continue
		}
		text := result.Content[0].(*sdk.TextContent).Text
		if got != c.request || text != c.answer || result.IsError != c.failed {
			t.Errorf("%s %s: request %q answered %q, error %v; want %q, %q, %v", c.tool, c.arguments, got, text, result.IsError, c.request, c.answer, c.failed)
		}
	}
}

func FuzzArguments(f *testing.F) {
	handler, err := mcp.Handler([]byte(description), "1", "", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add("deleteThing", `{"name":"a"}`)
	f.Add("listThings", `{"limit":1e400,"filter":{}}`)
	f.Fuzz(func(t *testing.T, tool, arguments string) {
		body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": json.RawMessage(arguments)}})
		if err != nil {
			return // no JSON: a client cannot send it
		}
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", http.NoBody)
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		handler.ServeHTTP(w, r)
		if w.Code >= http.StatusInternalServerError {
			t.Errorf("%s %s: %d %s", tool, arguments, w.Code, w.Body)
		}
	})
}
