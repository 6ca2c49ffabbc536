package e2e_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
)

// formsNow are the forms that this server takes. A form that joins them must give the same rows.
var formsNow = []string{"HTTP protobuf", "HTTP JSON", "gRPC", "JSON batch"}

// forms are the ways in which a program can tell what it did.
var forms = map[string]func(c *client, trace string, did []deed) error{
	"HTTP protobuf": sendProtobuf,
	"HTTP JSON":     sendJSON,
	"gRPC":          sendGRPC,
	"JSON batch":    sendBatch,
}

// deed is something that a program did, whatever form tells of it.
type deed struct {
	id, parent string
	kind       string // span, generation or event
	name       string
	start, end time.Time
	first      time.Time // token
	input      string
	output     string
	metadata   map[string]string
	model      string
	parameters string
	usage      string
	level      string
	status     string
}

// The facts of the trace, and where the program ran.
const (
	formUser, formSession, formName = "ada", "conversation 7", "answer a question"
	formEnvironment, formRelease    = "staging", "2.4.1"
)

var formTags = []string{"beta", "english"}

func theProgram() []deed {
	at := func(ms int) time.Time {
		return time.Now().UTC().Truncate(time.Second).Add(-time.Minute + time.Duration(ms)*time.Millisecond)
	}
	return []deed{
		{id: "00000000000000a1", kind: "span", name: "chat", start: at(0), end: at(900), input: `{"question":"Why?"}`, output: `{"answer":"Because."}`, metadata: map[string]string{"customer": "acme", "tier": "gold"}},
		{id: "00000000000000a2", parent: "00000000000000a1", kind: "generation", name: "think", start: at(100), end: at(700), first: at(250), input: `[{"role":"user","content":"Why?"}]`, output: "Because.", model: "some-model-7", parameters: `{"temperature":0.5}`, usage: `{"input":11,"output":3}`, metadata: map[string]string{"round": "one"}},
		{id: "00000000000000a3", parent: "00000000000000a1", kind: "event", name: "noted", start: at(800), level: "WARNING", status: "slow"},
		{id: "00000000000000a4", parent: "00000000000000a2", kind: "span", name: "tool", start: at(300), end: at(400), input: "plain text", output: "ünïcode ✓", level: "ERROR", status: "no luck"},
	}
}

// The same program gives the same rows in whatever form it tells of itself; only ids of traces and
// who sent them differ.
func TestEveryFormGivesTheSameRows(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	c := s.client()
	did := theProgram()
	rows := map[string][]map[string]any{}
	for _, name := range formsNow {
		trace := fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64()|1)
		if err := forms[name](c, trace, did); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		eventually(t, 20*time.Second, name+" is readable", func() (err error) {
			rows[name], err = c.story(trace)
			if err == nil && len(rows[name]) != len(did) {
				err = fmt.Errorf("%d rows, want %d", len(rows[name]), len(did))
			}
			return err
		})
	}
	first := rows[formsNow[0]]
	for _, want := range []struct {
		row   int
		field string
		value any
	}{
		{0, "name", "chat"},
		{0, "userId", formUser},
		{0, "sessionId", formSession},
		{0, "traceName", formName},
		{0, "environment", formEnvironment},
		{0, "release", formRelease},
		{0, "input", `{"question":"Why?"}`},
		{1, "type", "GENERATION"},
		{1, "model", "some-model-7"},
		{2, "level", "WARNING"},
		{2, "parentObservationId", "00000000000000a1"},
		{3, "output", "ünïcode ✓"},
		{3, "statusMessage", "no luck"},
	} {
		if got := first[want.row][want.field]; got != want.value {
			t.Errorf("%s of row %d is %v, want %v", want.field, want.row, got, want.value)
		}
	}
	for _, name := range formsNow[1:] {
		if diff := cmp.Diff(first, rows[name]); diff != "" {
			t.Errorf("rows (-%s +%s):\n%s", formsNow[0], name, diff)
		}
	}
}

// story reads a trace with every field, by id, without what tells traces and senders apart.
func (c *client) story(trace string) ([]map[string]any, error) {
	query := url.Values{"traceId": {trace}, "fields": {everyGroup}}
	a, err := c.do(http.MethodGet, observationsPath+"?"+query.Encode(), nil)
	if err == nil {
		err = a.err()
	}
	if err != nil {
		return nil, err
	}
	var page struct{ Data []map[string]any }
	if err := json.Unmarshal([]byte(a.body), &page); err != nil {
		return nil, err
	}
	// Batches tell of the trace itself as well, which becomes the root of its rows.
	ofTrace := "t-" + trace
	rows := slices.DeleteFunc(page.Data, func(row map[string]any) bool { return row["id"] == ofTrace })
	for _, row := range rows {
		if row["parentObservationId"] == ofTrace {
			row["parentObservationId"], row["isRootObservation"] = nil, true
		}
		for _, name := range []string{"traceId", "createdAt", "updatedAt"} {
			delete(row, name)
		}
		if row["type"] == "EVENT" { // as a span it has the end that spans must have
			delete(row, "endTime")
			delete(row, "latency")
		}
		if metadata, ok := row["metadata"].(map[string]any); ok {
			maps.DeleteFunc(metadata, func(key string, _ any) bool {
				from, _, _ := strings.Cut(key, ".")
				return from == "attributes" || from == "resourceAttributes" || from == "scope"
			})
		}
	}
	slices.SortFunc(rows, func(a, b map[string]any) int { return strings.Compare(fmt.Sprint(a["id"]), fmt.Sprint(b["id"])) })
	return rows, nil
}

// attr is a key with a text, or with a list of texts.
type attr struct {
	key   string
	value string
	list  []string
}

// attributes are a deed's, those of the trace on its root.
func (s deed) attributes() []attr {
	list := []attr{{key: "langfuse.observation.type", value: s.kind}, {key: "langfuse.environment", value: formEnvironment}, {key: "langfuse.release", value: formRelease}}
	add := func(key, value string) {
		if value != "" {
			list = append(list, attr{key: key, value: value})
		}
	}
	add("langfuse.observation.input", s.input)
	add("langfuse.observation.output", s.output)
	add("langfuse.observation.model.name", s.model)
	add("langfuse.observation.model.parameters", s.parameters)
	add("langfuse.observation.usage_details", s.usage)
	add("langfuse.observation.level", s.level)
	add("langfuse.observation.status_message", s.status)
	if !s.first.IsZero() {
		add("langfuse.observation.completion_start_time", s.first.Format(time.RFC3339Nano))
	}
	for key, value := range s.metadata {
		add("langfuse.observation.metadata."+key, value)
	}
	if s.parent == "" {
		add("user.id", formUser)
		add("session.id", formSession)
		add("langfuse.trace.name", formName)
		list = append(list, attr{key: "langfuse.trace.tags", list: formTags})
	}
	return list
}

// ended is when a deed ended. An event has no end, but a span must have one.
func (s deed) ended() time.Time {
	if s.end.IsZero() {
		return s.start
	}
	return s.end
}

func sendJSON(c *client, trace string, did []deed) error {
	var spans []any
	for _, s := range did {
		var attributes []any
		for _, a := range s.attributes() {
			value := map[string]any{"stringValue": a.value}
			if a.list != nil {
				var items []any
				for _, item := range a.list {
					items = append(items, map[string]any{"stringValue": item})
				}
				value = map[string]any{"arrayValue": map[string]any{"values": items}}
			}
			attributes = append(attributes, map[string]any{"key": a.key, "value": value})
		}
		spans = append(spans, map[string]any{
			"traceId": trace, "spanId": s.id, "parentSpanId": s.parent, "name": s.name, "attributes": attributes,
			"startTimeUnixNano": nanoText(s.start), "endTimeUnixNano": nanoText(s.ended()),
		})
	}
	text, err := json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{"scopeSpans": []any{map[string]any{"spans": spans}}}}})
	if err != nil {
		return err
	}
	return c.taken(c.export(body{bytes: text, contentType: "application/json"}))
}

// taken is an error unless everything was taken.
func (c *client) taken(a answer, err error) error {
	if err == nil {
		err = a.err()
	}
	if err == nil && strings.Contains(a.body, "partialSuccess") {
		err = fmt.Errorf("not all taken: %s", a.body)
	}
	return err
}

func sendProtobuf(c *client, trace string, did []deed) error {
	request, err := exportRequest(trace, did)
	if err != nil {
		return err
	}
	return c.taken(c.export(body{bytes: request, contentType: "application/x-protobuf"}))
}

// exportRequest encodes ExportTraceServiceRequest.
func exportRequest(trace string, did []deed) ([]byte, error) {
	var scope []byte
	for _, s := range did {
		var out []byte
		for number, id := range map[protowire.Number]string{1: trace, 2: s.id, 4: s.parent} {
			raw, err := hex.DecodeString(id)
			if err != nil {
				return nil, err
			}
			out = field(out, number, raw)
		}
		out = field(out, 5, []byte(s.name))
		for number, at := range map[protowire.Number]time.Time{7: s.start, 8: s.ended()} {
			out = protowire.AppendFixed64(protowire.AppendTag(out, number, protowire.Fixed64Type), uint64(at.UnixNano()))
		}
		for _, a := range s.attributes() {
			value := field(nil, 1, []byte(a.value))
			if a.list != nil {
				var items []byte
				for _, item := range a.list {
					items = field(items, 1, field(nil, 1, []byte(item)))
				}
				value = field(nil, 5, items)
			}
			out = field(out, 9, field(field(nil, 1, []byte(a.key)), 2, value))
		}
		scope = field(scope, 2, out)
	}
	return field(nil, 1, field(nil, 2, scope)), nil
}

func sendGRPC(c *client, trace string, did []deed) error {
	message, err := exportRequest(trace, did)
	if err != nil {
		return err
	}
	return c.exportGRPC(message)
}

// exportGRPC calls Export without a gRPC library: a length before the message, a status in the trailer.
func (c *client) exportGRPC(message []byte) error {
	framed := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message)))
	request, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost,
		"http://"+c.grpc+"/opentelemetry.proto.collector.trace.v1.TraceService/Export", bytes.NewReader(append(framed, message...)))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", c.key)
	request.Header.Set("Content-Type", "application/grpc")
	request.Header.Set("Te", "trailers")
	transport := &http.Transport{Protocols: &http.Protocols{}}
	transport.Protocols.SetUnencryptedHTTP2(true)
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport, Timeout: 10 * time.Second}).Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	reply, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	status := response.Trailer.Get("Grpc-Status") + response.Header.Get("Grpc-Status")
	if status != "0" {
		return fmt.Errorf("status %q: %s", status, response.Trailer.Get("Grpc-Message")+response.Header.Get("Grpc-Message"))
	}
	if len(reply) > 5 {
		return errors.New("not all taken")
	}
	return nil
}

// sendBatch tells of the trace and each deed in a JSON batch, as older SDKs do.
func sendBatch(c *client, trace string, did []deed) error {
	iso := func(at time.Time) any {
		if at.IsZero() {
			return nil
		}
		return at.Format("2006-01-02T15:04:05.000Z")
	}
	events := []any{batchEvent("trace-create", map[string]any{
		"id": trace, "name": formName, "userId": formUser, "sessionId": formSession, "tags": formTags,
		"release": formRelease, "environment": formEnvironment, "timestamp": iso(did[0].start),
	})}
	for _, s := range did {
		fields := map[string]any{
			"id": s.id, "traceId": trace, "name": s.name, "environment": formEnvironment, "startTime": iso(s.start),
			"input": value(s.input), "output": value(s.output), "metadata": s.metadata, "level": text(s.level), "statusMessage": text(s.status),
			"parentObservationId": text(s.parent), "model": text(s.model), "modelParameters": value(s.parameters), "usageDetails": value(s.usage),
			"completionStartTime": iso(s.first), "endTime": iso(s.end),
		}
		maps.DeleteFunc(fields, func(_ string, v any) bool { return v == nil })
		events = append(events, batchEvent(s.kind+"-create", fields))
	}
	batch, err := json.Marshal(map[string]any{"batch": events})
	if err != nil {
		return err
	}
	a, err := c.do(http.MethodPost, "/api/public/ingestion", batch, "Content-Type", "application/json")
	if err != nil {
		return err
	}
	if a.status != http.StatusMultiStatus || !strings.Contains(a.body, `"errors":[]`) {
		return fmt.Errorf("status %d: %s", a.status, a.body)
	}
	return nil
}

func batchEvent(kind string, fields map[string]any) any {
	return map[string]any{
		"id": fmt.Sprintf("%016x", rand.Uint64()), "type": kind, "timestamp": time.Now().UTC().Format(time.RFC3339Nano), "body": fields,
	}
}

// value is JSON where the text is, the text where it is not, nothing where it is empty.
func value(s string) any {
	if json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	return text(s)
}

func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}
