package testkit

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const description = `
openapi: 3.1.0
info: {title: names, version: "1"}
paths:
  /names/{id}:
    get:
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses:
        "200":
          description: a name
          content: {application/json: {schema: {type: object, required: [data], properties: {data: {type: array, items: {$ref: "#/components/schemas/Name"}}}}}}
        "404": {$ref: "#/components/responses/Missing"}
components:
  responses:
    Missing: {description: no name, content: {application/json: {schema: {$ref: "#/components/schemas/Error"}}}}
  schemas:
    Name: {type: object, required: [name, at], additionalProperties: false, properties: {name: {type: [string, "null"]}, at: {type: string, format: date-time}, parent: {$ref: "#/components/schemas/Name"}}}
    Error: {type: object, required: [message], properties: {message: {type: string}}}
`

// listener keeps what a test would be told.
type listener struct {
	testing.TB
	told []string
}

func (l *listener) Errorf(format string, values ...any) {
	l.told = append(l.told, fmt.Sprintf(format, values...))
}

// The checks of all answers are worth what they refuse.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	openAPI := LoadOpenAPI(t, []byte(description))
	const name = `{"name":"ada","at":"2026-05-01T10:00:00Z"`
	for what, c := range map[string]struct {
		path, body  string
		status      int
		contentType string
		refused     string // a part of what is said; empty: nothing is wrong
	}{
		"as described":                 {path: "/names/1", status: 200, body: `{"data":[` + name + `},{"name":null,"at":"2026-05-01T10:00:00Z"}]}`},
		"one in one":                   {path: "/names/1", status: 200, body: `{"data":[` + name + `,"parent":` + name + `}}]}`},
		"an error":                     {path: "/names/1", status: 404, body: `{"message":"no such name"}`},
		"a path that is not there":     {path: "/nowhere", status: 404, body: `{"message":"no such page"}`},
		"another type":                 {path: "/names/1", status: 200, body: `{"data":{}}`, refused: "/data"},
		"a property that is missing":   {path: "/names/1", status: 200, body: `{"data":[{"name":"ada"}]}`, refused: "at"},
		"one too many, further down":   {path: "/names/1", status: 200, body: `{"data":[` + name + `,"parent":` + name + `,"age":1}}]}`, refused: "age"},
		"a time that is none":          {path: "/names/1", status: 200, body: `{"data":[{"name":"ada","at":"yesterday"}]}`, refused: "date-time"},
		"an error of another form":     {path: "/names/1", status: 404, body: `{"error":"no such name"}`, refused: "message"},
		"a status that is not there":   {path: "/names/1", status: 500, body: `{"message":"no"}`, refused: "status"},
		"another content type":         {path: "/names/1", status: 200, contentType: "text/plain", body: "ada", refused: "text/plain"},
		"no JSON":                      {path: "/names/1", status: 200, body: `{"data":[`, refused: "EOF"},
		"a path with a slash too many": {path: "/names/1/", status: 200, body: `{"data":[]}`, refused: "not described"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			heard := &listener{TB: t}
			handler := openAPI.Handler(heard, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if c.contentType != "" {
					w.Header().Set("Content-Type", c.contentType)
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}))
			handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, c.path, nil))
			told := strings.Join(heard.told, "\n")
			if (told == "") != (c.refused == "") || !strings.Contains(told, c.refused) {
				t.Errorf("it says %q, which should tell of %q", told, c.refused)
			}
		})
	}
}
