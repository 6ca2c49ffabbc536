package api_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/blob/blobtest"
	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/eventlog/eventlogtest"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/otlp"
	"github.com/sondehq/sonde/internal/selfobs"
)

// realIngest is the API on the real ingest and a log in memory.
type realIngest struct {
	*fixture
	log     *eventlogtest.Memory
	gate    error
	service *ingest.Service
}

func newRealIngest(t *testing.T) *realIngest {
	t.Helper()
	r := &realIngest{log: eventlogtest.NewMemory(eventlogtest.Options{Partitions: 1})}
	metrics := selfobs.NewMetrics()
	r.service = ingest.New(r.log, &blobtest.Memory{}, func() error { return r.gate }, metrics)
	door := ingest.NewDoor(ingest.Limits{MaxBodyBytes: 100_000}, r.service.Open, metrics)
	r.fixture = newFixture(t, func(c *api.Config) { c.Ingest, c.Door = r.service, door })
	return r
}

// rows maps everything that was logged.
func (r *realIngest) rows(t *testing.T) []*model.Observation {
	t.Helper()
	var rows []*model.Observation
	for _, d := range r.log.Due() {
		e, err := eventlog.DecodeEnvelope(d.Record())
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind != eventlog.KindOTLPTraces {
			continue // the reasons of rejected spans
		}
		more, err := otlp.Map(e.Payload, otlp.Source{ProjectID: e.ProjectID, AcceptedAt: e.AcceptedAt, First: e.First})
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, more...)
	}
	return rows
}

func field(out []byte, number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(out, number, protowire.BytesType), value)
}

// protobufSpans are spans of one scope called my-lib; id 0 makes one without ids.
func protobufSpans(ids ...int) string {
	scope := field(nil, 1, field(nil, 1, []byte("my-lib")))
	for _, id := range ids {
		var span []byte
		if id > 0 {
			span = field(field(nil, 1, bytes.Repeat([]byte{7}, 16)), 2, fmt.Appendf(nil, "%08d", id))
		}
		span = field(span, 5, []byte("name"))
		scope = field(scope, 2, protowire.AppendFixed64(protowire.AppendTag(span, 7, protowire.Fixed64Type), uint64(noon.UnixNano())))
	}
	return string(field(nil, 1, field(nil, 2, scope)))
}

func jsonSpan(more string) string {
	return `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","name":"n","startTimeUnixNano":"1777629600000000000"` + more + `}]}]}]}`
}

// rpcStatus is the message of a google.rpc.Status.
func rpcStatus(t *testing.T, body string) (code uint64, message string) {
	t.Helper()
	for b := []byte(body); len(b) > 0; {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Fatalf("not a status: %q", body)
		}
		b = b[n:]
		if kind == protowire.VarintType {
			code, n = protowire.ConsumeVarint(b)
		} else {
			var text []byte
			text, n = protowire.ConsumeBytes(b)
			if number == 2 {
				message = string(text)
			}
		}
		b = b[n:]
	}
	return code, message
}

// Over HTTP every case of the contract, by its id. H06 and H07 are answered as partial success, like
// every request that can be decoded (ADR 0028).
func TestConformance(t *testing.T) {
	t.Parallel()
	const (
		protobuf = "application/x-protobuf"
		inJSON   = "application/json"
	)
	type headers = []string
	for _, c := range []struct {
		id, key, contentType, body string
		headers                    headers
		gate                       error
		status                     int
		code                       uint64 // of a protobuf answer
		want                       string // text of a good answer, or a part of the message
		rows                       int
	}{
		{id: "H01", contentType: protobuf, body: gzipped(t, protobufSpans(1, 2)), headers: headers{"Content-Encoding", "gzip"}, status: 200, rows: 2},
		{id: "H02", contentType: inJSON, body: jsonSpan(""), status: 200, want: "{}\n", rows: 1},
		{id: "H03 json", contentType: inJSON, body: `{"resourceSpans": []}`, status: 200, want: "{}\n"},
		{id: "H03 json, absent", contentType: inJSON, body: `{}`, status: 200, want: "{}\n"},
		{id: "H03 protobuf", contentType: protobuf, status: 200},
		{id: "H04 text", contentType: "text/plain", body: "{}", status: 400, want: "Invalid content type"},
		{id: "H04 none", body: "{}", status: 400, want: "Invalid content type"},
		{id: "H05 gzip", contentType: protobuf, body: "plain", headers: headers{"Content-Encoding", "gzip"}, status: 400, code: 3, want: "Failed to decompress request body"},
		{id: "H05 gzip, json", contentType: inJSON, body: "plain", headers: headers{"Content-Encoding", "gzip"}, status: 400, want: "Failed to decompress request body"},
		{id: "H05 protobuf", contentType: protobuf, body: protobufSpans(1)[:30], status: 400, code: 3, want: "Failed to parse OTel Protobuf Trace"},
		{id: "H05 json", contentType: inJSON, body: `{"resourceSpans":[`, status: 400, want: "Failed to parse OTel JSON Trace"},
		{id: "H06", contentType: protobuf, body: protobufSpans(0, 0), status: 200, want: "\x0a\x25\x08\x02\x12\x21traceId:absent ×2 (scope my-lib)"},
		{id: "H07", contentType: inJSON, body: jsonSpan(`,"attributes":{"a":1}`), status: 200, want: `{"partialSuccess":{"rejectedSpans":"1","errorMessage":"attributes:not_an_array ×1"}}` + "\n"},
		{id: "H08 json", contentType: inJSON, body: strings.Replace(jsonSpan(""), `"spans":[`, `"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c"},`, 1), status: 200, want: `{"partialSuccess":{"rejectedSpans":"1","errorMessage":"spanId:absent ×1"}}` + "\n", rows: 1},
		{id: "H08 protobuf", contentType: protobuf, body: protobufSpans(1, 2, 3, 4, 0, 5, 6, 7, 8, 9), status: 200, want: "\x0a\x25\x08\x01\x12\x21traceId:absent ×1 (scope my-lib)", rows: 9},
		{id: "H09", contentType: inJSON, body: jsonSpan(`,"attributes":[{"key":"a"}]`), status: 200, want: "{}\n", rows: 1},
		{id: "H10 5", contentType: inJSON, body: jsonSpan(""), headers: headers{"x-langfuse-ingestion-version", "5"}, status: 400, want: `Unsupported x-langfuse-ingestion-version: "5". Maximum supported: "4".`},
		{id: "H10 abc", contentType: protobuf, headers: headers{"x-langfuse-ingestion-version", "abc"}, status: 400, code: 3, want: `Unsupported x-langfuse-ingestion-version: "abc". Maximum supported: "4".`},
		{id: "H10 3", contentType: inJSON, body: jsonSpan(""), headers: headers{"x-langfuse-ingestion-version", "3"}, status: 200, want: "{}\n", rows: 1},
		{id: "H10 underscores", contentType: inJSON, body: jsonSpan(""), headers: headers{"x_langfuse_ingestion_version", "5"}, status: 400, want: `Unsupported x-langfuse-ingestion-version: "5"`},
		{id: "H11 none", key: "-", contentType: inJSON, body: "{}", status: 401, want: "No authorization header"},
		{id: "H11 wrong", key: basic("pk-a", "wrong"), contentType: protobuf, status: 401, code: 16, want: "Invalid credentials. Confirm that you've configured the correct host."},
		{id: "H11 public", key: scoresOnly, contentType: inJSON, body: "{}", status: 403, want: "Access denied - insufficient permissions for this endpoint"},
		{id: "H11 organization", key: organizationKey, contentType: inJSON, body: "{}", status: 403, want: "Access denied - insufficient permissions for this endpoint"},
		{id: "H12 plain", contentType: inJSON, body: strings.Repeat(" ", 100_001), status: 413, want: "The request body is larger than 100000 bytes"},
		{id: "H12 bomb", contentType: protobuf, body: gzipped(t, strings.Repeat("\x00", 200_000)), headers: headers{"Content-Encoding", "gzip"}, status: 413, code: 8, want: "The request body is larger than 100000 bytes"},
		{id: "H13", contentType: inJSON, body: jsonSpan(""), gate: fault.Unavailablef("the disk is nearly full"), status: 503, want: "the disk is nearly full"},
		{id: "H16", contentType: inJSON, body: strings.Replace(jsonSpan(""), "resourceSpans", "resource_spans", 1), status: 200, want: "{}\n"},
		{id: "coding", contentType: inJSON, body: "x", headers: headers{"Content-Encoding", "br"}, status: 415, want: `Content-Encoding "br" is not supported`},
	} {
		for _, chunked := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s chunked=%t", c.id, chunked), func(t *testing.T) {
				t.Parallel()
				f := newRealIngest(t)
				f.gate = c.gate
				key := map[string]string{"": keyA, "-": ""}[c.key]
				if len(c.key) > 1 {
					key = c.key
				}
				r := request("POST", traces, key, io.MultiReader(strings.NewReader(c.body)), append(c.headers, "Content-Type", c.contentType)...)
				if c.contentType == "" {
					r.Header.Del("Content-Type")
				}
				if r.ContentLength = int64(len(c.body)); chunked {
					r.ContentLength = -1
				}
				f.check(t, f.send(t, r), c.contentType == protobuf, c.status, c.code, c.want)
				if rows := f.rows(t); len(rows) != c.rows {
					t.Errorf("%d rows, want %d", len(rows), c.rows)
				}
			})
		}
	}
}

// The keys of the organizations of project A and project B belong to no project.
const (
	organizationKey  = "Basic organization"
	organizationKeyB = "Basic organization-b"
)

// check compares an answer with what the contract has.
func (r *realIngest) check(t *testing.T, a answer, protobuf bool, status int, code uint64, want string) {
	t.Helper()
	contentType := "application/json; charset=utf-8"
	if protobuf {
		contentType = "application/x-protobuf"
	}
	if got := a.header.Get("Content-Type"); a.status != status || got != contentType {
		t.Errorf("status %d, want %d; content type %s; body %q", a.status, status, got, a.body)
	}
	if wait := a.header.Get("Retry-After"); (wait == "1") != (status == http.StatusServiceUnavailable) {
		t.Errorf("Retry-After %q", wait)
	}
	switch {
	case status == http.StatusOK:
		if a.body != want {
			t.Errorf("body %q, want %q", a.body, want)
		}
	case protobuf:
		if gotCode, message := rpcStatus(t, a.body); gotCode != code || !strings.Contains(message, want) {
			t.Errorf("code %d, message %q", gotCode, message)
		}
	default:
		quoted := strings.ReplaceAll(want, `"`, `\"`)
		if !strings.HasPrefix(a.body, `{"message":"`) || !strings.Contains(a.body, quoted) {
			t.Errorf("body %s", a.body)
		}
		// Whoever has no key reads "message" alone; others find the text under "error", too.
		if has := strings.Contains(a.body, `"error":"`); has == (status == 401 || status == 403) {
			t.Errorf("body %s", a.body)
		}
	}
}

// H14: a body that is sent twice makes rows that fold into one, because only their version differs.
func TestConformanceRepeated(t *testing.T) {
	t.Parallel()
	f := newRealIngest(t)
	for range 2 {
		if a := f.send(t, request("POST", traces, keyA, strings.NewReader(jsonSpan("")), "Content-Type", "application/json")); a.status != http.StatusOK {
			t.Fatalf("status %d", a.status)
		}
	}
	rows := f.rows(t)
	if len(rows) != 2 || rows[0].TraceID != rows[1].TraceID || rows[0].ID != rows[1].ID || !rows[0].StartTime.Equal(rows[1].StartTime) || rows[0].Version >= rows[1].Version {
		t.Errorf("rows %+v", rows)
	}
}

// H15: metrics are taken and not kept, whatever they are; a GET of traces is no method.
func TestConformanceOthers(t *testing.T) {
	t.Parallel()
	f := newRealIngest(t)
	if a := f.send(t, request("POST", "/api/public/otel/v1/metrics", keyA, strings.NewReader("x"))); a.status != 200 || a.body != `{"message":"OK"}`+"\n" {
		t.Errorf("metrics: status %d, body %s", a.status, a.body)
	}
	if a := f.send(t, request("GET", traces, keyA, nil)); a.status != 405 || a.body != `{"message":"Method not allowed","error":"MethodNotAllowedError"}`+"\n" {
		t.Errorf("GET: status %d, body %s", a.status, a.body)
	}
	if a := f.send(t, request("POST", "/api/public/otel/v1/profiles", keyA, nil)); a.status != 404 || a.body != `{"message":"Not found","error":"LangfuseNotFoundError"}`+"\n" {
		t.Errorf("profiles: status %d, body %s", a.status, a.body)
	}
}

// H13: what is refused for the moment is taken when it is sent again, once.
func TestConformanceRefusedThenTaken(t *testing.T) {
	t.Parallel()
	f := newRealIngest(t)
	send := func() int {
		return f.send(t, request("POST", traces, keyA, strings.NewReader(protobufSpans(1, 2)), "Content-Type", "application/x-protobuf")).status
	}
	f.gate = fault.Unavailablef("full")
	refused := send()
	f.gate = nil
	if taken := send(); refused != 503 || taken != 200 {
		t.Errorf("status %d, then %d", refused, taken)
	}
	if rows := f.rows(t); len(rows) != 2 {
		t.Errorf("%d rows", len(rows))
	}
}
