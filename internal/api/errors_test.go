package api_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/tracestore"
)

const observations = "/api/public/v2/observations"

// errorCase is a request that fails, and what is broken then.
type errorCase struct {
	name    string
	request *http.Request
	store   error
	ingest  error
	edit    func(*api.Config)
}

// searchErrors are the cases of the search parameters.
func searchErrors() []errorCase {
	return []errorCase{
		{name: "search_mode", request: request("GET", observations+"?search=x&searchMode=fuzzy", keyA, nil)},
		{name: "search_in", request: request("GET", observations+"?search=x&searchIn=input,name", keyA, nil)},
		{name: "search_regex", request: request("GET", observations+"?search=a%28b&searchMode=regex", keyA, nil)},
		{name: "search_phrase", request: request("GET", observations+"?search=%3F%21&searchMode=phrase", keyA, nil)},
		{name: "search_too_long", request: request("GET", observations+"?search="+strings.Repeat("x", filter.MaxSearchBytes+1), keyA, nil)},
		{name: "search_too_expensive", request: request("GET", observations+"?search=x", keyA, nil), store: fmt.Errorf("x: %w", tracestore.ErrTooExpensive)},
	}
}

// TestErrorBodies pins what clients parse.
func TestErrorBodies(t *testing.T) {
	t.Parallel()
	authDown := func(c *api.Config) { c.Auth = fakeAuth{err: fault.Unavailablef("Service Unavailable")} }
	authBroken := func(c *api.Config) { c.Auth = fakeAuth{err: errors.New("secret detail")} }
	jsonBody := []string{"Content-Type", "application/json"}
	for _, c := range append(searchErrors(), []errorCase{
		{name: "auth_missing", request: request("GET", "/api/public/projects", "", nil)},
		{name: "auth_unknown", request: request("GET", "/api/public/projects", "Basic xyz", nil)},
		{name: "auth_scores_only", request: request("GET", observations, scoresOnly, nil)},
		{name: "auth_down", request: request("GET", observations, keyA, nil), edit: authDown},
		{name: "auth_broken", request: request("GET", observations, keyA, nil), edit: authBroken},
		{name: "unknown_path", request: request("GET", "/api/public/nothing", keyA, nil)},
		{name: "unknown_method", request: request("DELETE", observations, keyA, nil)},
		{name: "method_before_auth", request: request("PUT", observations, "", nil)},
		{name: "parameter", request: request("GET", observations+"?limit=many", keyA, nil)},
		{name: "parameters", request: request("GET", observations+"?type=X&level=Y&fromStartTime=today", keyA, nil)},
		{name: "parameter_limit", request: request("GET", observations+"?limit=1001", keyA, nil)},
		{name: "parameter_twice", request: request("GET", observations+"?name=a&name=b", keyA, nil)},
		{name: "parse_io", request: request("GET", observations+"?parseIoAsJson=true", keyA, nil)},
		{name: "cursor", request: request("GET", observations+"?cursor=abc", keyA, nil)},
		{name: "filter_json", request: request("GET", observations+"?filter=%5B", keyA, nil)},
		{name: "filter_shape", request: request("GET", observations+"?filter=%7B%7D", keyA, nil)},
		{name: "filter_members", request: filtered(`[{"type":"string","column":"name"},1,{"type":"stringOptions","column":"name","operator":"any of","value":[]},{"type":"stringObject","column":"metadata","operator":"is set"}]`)},
		{name: "filter_column", request: filtered(`[{"type":"null","column":"release","operator":"is null"},{"type":"string","column":"scores","operator":"=","value":"x"}]`)},
		{name: "filter_type", request: filtered(`[{"type":"string","column":"tags","operator":"=","value":"x"}]`)},
		{name: "filter_scores_only", request: filtered(`[{"type":"categoryOptions","column":"metadata","key":"k","operator":"any of","value":["x"]}]`)},
		{name: "filter_payload_contains", request: filtered(`[{"type":"string","column":"input","operator":"matches","value":"x"},{"type":"string","column":"output","operator":"contains","value":"x"}]`)},
		{name: "filter_payload_null", request: filtered(`[{"type":"null","column":"output","operator":"is null","value":""}]`)},
		{name: "filter_matches_column", request: filtered(`[{"type":"string","column":"name","operator":"matches","value":"x"}]`)},
		{name: "filter_matches_value", request: filtered(`[{"type":"string","column":"input","operator":"matches","value":"?!"}]`)},
		{name: "filter_too_many", request: filtered("[" + strings.Repeat("{},", filter.MaxConditions) + "{}]")},
		{name: "filter_too_long", request: filtered(strings.Repeat(" ", filter.MaxBytes) + "[]")},
		{name: "cursor_shape", request: request("GET", observations+"?cursor=e30", keyA, nil)},
		{name: "query_escape", request: rawQuery(request("GET", observations, keyA, nil), "name=%zz")},
		{name: "too_expensive", request: request("GET", observations, keyA, nil), store: fmt.Errorf("x: %w", tracestore.ErrTooExpensive)},
		{name: "store_down", request: request("GET", observations, keyA, nil), store: fault.Unavailablef("the trace store does not answer")},
		{name: "store_broken", request: request("GET", observations, keyA, nil), store: errors.New("secret detail")},
		{name: "otlp_content_type", request: request("POST", traces, keyA, strings.NewReader("x"), "Content-Type", "text/plain")},
		{name: "otlp_no_content_type", request: request("POST", traces, keyA, strings.NewReader("x"))},
		{name: "otlp_version", request: request("POST", traces, keyA, strings.NewReader("{}"), append(jsonBody, "x-langfuse-ingestion-version", "5")...)},
		{name: "otlp_coding", request: request("POST", traces, keyA, strings.NewReader("x"), append(jsonBody, "Content-Encoding", "br")...)},
		{name: "otlp_gzip", request: request("POST", traces, keyA, strings.NewReader("x"), append(jsonBody, "Content-Encoding", "gzip")...)},
		{name: "otlp_auth", request: request("POST", traces, "", strings.NewReader("{}"), jsonBody...)},
		{name: "otlp_auth_protobuf", request: request("POST", traces, "", strings.NewReader(""), "Content-Type", "application/x-protobuf")},
		{name: "otlp_scores_only", request: request("POST", traces, scoresOnly, strings.NewReader("{}"), jsonBody...)},
		{
			name: "otlp_undecodable", request: request("POST", traces, keyA, strings.NewReader("{"), jsonBody...),
			ingest: fault.New(fault.Invalid, "Failed to parse OTel JSON Trace").Because(errors.New("secret detail")),
		},
		{
			name: "otlp_undecodable_protobuf", request: request("POST", traces, keyA, strings.NewReader("{"), "Content-Type", "application/x-protobuf"),
			ingest: fault.New(fault.Invalid, "Failed to parse OTel Protobuf Trace"),
		},
		{
			name: "otlp_full", request: request("POST", traces, keyA, strings.NewReader("{}"), jsonBody...),
			ingest: fault.Unavailablef("the ingest log is full").Hint("send again").Because(errors.New("secret detail")),
		},
		{
			name: "otlp_full_protobuf", request: request("POST", traces, keyA, strings.NewReader(""), "Content-Type", "application/x-protobuf"),
			ingest: fault.Unavailablef("the ingest log is full"),
		},
		{name: "otlp_broken", request: request("POST", traces, keyA, strings.NewReader("{}"), jsonBody...), ingest: errors.New("secret detail")},
		{
			name:    "otlp_too_large",
			request: request("POST", traces, keyA, strings.NewReader(strings.Repeat(" ", 1001)), jsonBody...),
			edit:    bounded(1000),
		},
		{name: "otlp_method", request: request("GET", traces, keyA, nil)},
		{name: "metrics_auth", request: request("POST", "/api/public/otel/v1/metrics", "", nil)},
	}...) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			edit := c.edit
			if edit == nil {
				edit = func(*api.Config) {}
			}
			f := newFixture(t, edit)
			f.store.err, f.ingest.err = c.store, c.ingest
			a := f.send(t, c.request)
			if strings.Contains(a.body, "secret") {
				t.Errorf("the body shows the cause: %s", a.body)
			}
			golden(t, c.name, printed(a))
		})
	}
}

// filtered asks for observations with the text of a filter.
func filtered(text string) *http.Request {
	return request("GET", observations+"?filter="+url.QueryEscape(text), keyA, nil)
}

func rawQuery(r *http.Request, query string) *http.Request {
	r.URL.RawQuery = query
	return r
}

// printed shows what of an answer is pinned.
func printed(a answer) string {
	var b strings.Builder
	fmt.Fprintln(&b, a.status, http.StatusText(a.status))
	for _, name := range []string{"Content-Type", "Retry-After", "Allow"} {
		if value := a.header.Get(name); value != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	body := a.body
	if a.header.Get("Content-Type") == "application/x-protobuf" {
		body = fmt.Sprintf("%q\n", body)
	}
	return b.String() + "\n" + body
}
