package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"

	"github.com/sondehq/sonde/internal/otlp"
	"github.com/sondehq/sonde/internal/otlp/otlptest"
)

// goldenSet is golden data in a project of its own: cases share the ids of their spans, and bodies are
// sent as they were recorded.
type goldenSet struct {
	name string
	send func(c *client) error
	want []golden
	rows int // that the project must have
	// counted is false for samples that send the same once more in another way
	counted bool
	// who sent it when it was recorded, in which form, in how many requests
	sender, form string
	requests     int
}

// golden is one wanted row.
type golden struct {
	convention string
	want       otlptest.Row  // of an answer
	unseen     otlptest.Row  // what no answer shows: compared with the mapped row
	mapped     *otlptest.Row // nil when there is nothing unseen
	adapt      func(got otlptest.Row)
}

// From bytes to the answer of the API: every mapping case, every usage, every recorded body of OTLP in the form
// and with the headers it was sent with, and every batch of older SDKs becomes the golden rows.
func TestGoldens(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	samples := slices.Concat(caseSamples(t), usageSamples(t), captureSamples(t), batchSamples(t))
	clients := s.addProjects(len(samples))
	for i, x := range samples {
		if err := x.send(clients[i]); err != nil {
			t.Errorf("%s: %v", x.name, err)
		}
	}
	s.drained(30 * time.Second)
	seen := newTally(t)
	for i, x := range samples {
		seen.compare(clients[i], x)
	}
	t.Logf("%d samples, %d rows; equal: %d values in answers, %d that answers do not show in mapped rows, and %d that say nothing",
		len(samples), seen.rows, seen.shown, seen.unseen, seen.empty)
	if len(samples) < 245 || seen.rows < 660 {
		t.Error("golden data is missing")
	}
	if !t.Failed() {
		seen.write(t)
	}
}

// addProjects creates projects past the running server and returns a client of each.
func (s *server) addProjects(n int) []*client {
	s.t.Helper()
	store := s.metadata()
	first := s.client()
	clients := make([]*client, n)
	for i := range clients {
		c := *first
		c.key = addProject(s.t, store, fmt.Sprintf("golden-%d", i))
		clients[i] = &c
	}
	if err := store.Close(); err != nil {
		s.t.Fatal(err)
	}
	return clients
}

func caseSamples(t *testing.T) (samples []goldenSet) {
	t.Helper()
	for _, c := range otlptest.Cases() {
		text, err := json.Marshal(map[string]any{"resourceSpans": c.ResourceSpans})
		if err != nil {
			t.Fatal(err)
		}
		b := otlptest.Body{Data: text, JSON: true}
		mapped := mappedRows(t, b)
		if len(mapped) != 1 {
			t.Fatalf("%s: %d rows", c.ID, len(mapped))
		}
		otlptest.Inherit([]otlptest.Row{c.Want})
		g := newGolden(c.Convention(), c.Want, mapped)
		samples = append(samples, goldenSet{
			name: c.ID + " " + c.Name, want: []golden{g}, rows: 1, counted: true,
			send: func(client *client) error { return client.sendRecorded(b, nil) },
		})
	}
	return samples
}

func captureSamples(t *testing.T) (samples []goldenSet) {
	t.Helper()
	for _, c := range otlptest.Captures() {
		var mapped []otlptest.Row
		ids := map[[2]any]bool{}
		for _, b := range c.Bodies {
			for _, row := range mappedRows(t, b) {
				mapped = append(mapped, row)
				ids[[2]any{row["traceId"], row["id"]}] = true
			}
		}
		otlptest.Inherit(c.Want)
		x := goldenSet{name: c.Name, rows: len(ids), counted: true, requests: len(c.Bodies)}
		x.sender, x.form = recordedBy(c)
		for _, want := range c.Want {
			x.want = append(x.want, newGolden(want.Convention(), want, mapped))
		}
		x.send = eachBody(c, func(client *client, b otlptest.Body) error { return client.sendRecorded(b, c.Headers) })
		samples = append(samples, x)
		if !c.Bodies[0].JSON {
			x.name, x.counted = c.Name+" over gRPC", false
			x.send = eachBody(c, func(client *client, b otlptest.Body) error { return client.exportGRPC(b.Data) })
			samples = append(samples, x)
		}
	}
	return samples
}

func eachBody(c otlptest.Capture, send func(*client, otlptest.Body) error) func(*client) error {
	return func(client *client) error {
		for _, b := range c.Bodies {
			if err := send(client, b); err != nil {
				return fmt.Errorf("%s: %w", b.Name, err)
			}
		}
		return nil
	}
}

// recordedBy says who sent a capture, and in which form.
func recordedBy(c otlptest.Capture) (sender, form string) {
	sender, form = c.Headers["user-agent"], "OTLP protobuf"
	if sdk := c.Headers["x-langfuse-sdk-name"]; sdk != "" {
		sender += ", SDK " + sdk + " " + c.Headers["x-langfuse-sdk-version"]
	}
	if c.Bodies[0].JSON {
		form = "OTLP JSON"
	}
	if encoding := c.Headers["content-encoding"]; encoding != "" {
		form += ", " + encoding
	}
	return sender, form
}

// mappedRows maps a body without a server.
func mappedRows(t *testing.T, b otlptest.Body) (rows []otlptest.Row) {
	t.Helper()
	parse := otlp.ParseProtobuf
	if b.JSON {
		parse = otlp.ParseJSON
	}
	request, err := parse(b.Data)
	if err != nil {
		t.Fatalf("%s: %v", b.Name, err)
	}
	for _, part := range request.Split(1 << 30) {
		observations, err := otlp.Map(part.Payload, otlp.Source{ProjectID: "p", AcceptedAt: time.Now(), First: part.First})
		if err != nil {
			t.Fatalf("%s: %v", b.Name, err)
		}
		for _, o := range observations {
			rows = append(rows, otlptest.Of(o))
		}
	}
	return rows
}

func newGolden(convention string, want otlptest.Row, mapped []otlptest.Row) golden {
	g := golden{convention: convention}
	g.want, g.unseen = want.Split()
	for _, row := range mapped {
		if len(mapped) == 1 || row["id"] == want["id"] && row["traceId"] == want["traceId"] {
			g.mapped = &row
		}
	}
	return g
}

// sendRecorded sends a body in the form it was recorded in.
func (c *client) sendRecorded(b otlptest.Body, recorded map[string]string) error {
	headers := []string{"Content-Type", "application/x-protobuf"}
	if b.JSON {
		headers[1] = "application/json"
	}
	data := bytes.NewBuffer(b.Data)
	for name, value := range recorded {
		headers = append(headers, name, value)
		if name == "content-encoding" {
			var err error
			if data, err = encoded(value, b.Data); err != nil {
				return err
			}
		}
	}
	return c.taken(c.do(http.MethodPost, tracesPath, data.Bytes(), headers...))
}

func encoded(encoding string, data []byte) (*bytes.Buffer, error) {
	var out bytes.Buffer
	switch encoding {
	case "gzip":
		w := gzip.NewWriter(&out)
		_, _ = w.Write(data) // into memory
		return &out, w.Close()
	case "deflate":
		w := zlib.NewWriter(&out)
		_, _ = w.Write(data)
		return &out, w.Close()
	}
	return nil, fmt.Errorf("a body in %s was recorded", encoding)
}

// batchSamples are what SDKs sent before OTLP, one SDK after the other.
func batchSamples(t *testing.T) (samples []goldenSet) {
	t.Helper()
	for sdk, sender := range map[string]string{
		"js2": "SDK javascript 2.8.0", "js3": "SDK javascript 3.39.2", "py1": "SDK python 1.14.0", "py2": "SDK python 2.60.10",
	} {
		dir := filepath.Join("..", "internal", "partial", "testdata", sdk)
		var file struct{ Traces, Observations []otlptest.Row }
		text, err := os.ReadFile(filepath.Join(dir, "expected_rows.json"))
		if err == nil {
			err = json.Unmarshal(text, &file)
		}
		if err != nil {
			t.Fatal(err)
		}
		requests, err := filepath.Glob(filepath.Join(dir, "*ingestion.json"))
		if err != nil || len(requests) == 0 {
			t.Fatalf("%s: no requests (%v)", sdk, err)
		}
		slices.Sort(requests)
		x := goldenSet{
			name: "batches of " + sdk, rows: len(file.Traces) + len(file.Observations), counted: true,
			sender: sender, form: "JSON batches", requests: len(requests),
			send: func(c *client) error { return c.sendBatches(requests) },
		}
		traces := map[any]otlptest.Row{}
		for _, row := range file.Traces {
			traces[row["id"]] = row
			x.want = append(x.want, ofTrace(row))
		}
		for _, row := range file.Observations {
			x.want = append(x.want, inTrace(row, traces[row["traceId"]]))
		}
		samples = append(samples, x)
	}
	return samples
}

// refusedInBatch reports whether an event was refused, but for scores that name a config: those of the
// recordings' project are not there.
func refusedInBatch(body string) bool {
	var answer struct{ Errors []struct{ Error string } }
	err := json.Unmarshal([]byte(body), &answer)
	return err != nil || slices.ContainsFunc(answer.Errors, func(e struct{ Error string }) bool {
		return e.Error != "configId: no score config with this id in this project"
	})
}

// ofTrace makes the row that stands for a trace: the root of all rows of it.
func ofTrace(row otlptest.Row) golden {
	want := maps.Clone(row)
	want["traceId"], want["id"], want["startTime"] = row["id"], "t-"+row["id"].(string), row["timestamp"]
	delete(want, "timestamp")
	return batchGolden(want)
}

// inTrace makes a row of an observation, with what its trace lends; nil: no batch told of the trace.
func inTrace(row, trace otlptest.Row) golden {
	want := maps.Clone(row)
	if trace != nil {
		for _, lent := range []string{"userId", "sessionId", "tags", "release"} {
			want[lent] = trace[lent]
		}
		want["traceName"] = trace["name"]
	}
	return batchGolden(want)
}

// batchGolden makes a row of the older form. Where the golden file has no parent, the row of the
// trace may be it.
func batchGolden(want otlptest.Row) golden {
	doubtful, _ := want["doubtful"].([]any)
	for _, remark := range append(doubtful, "doubtful", "scenario", "events", "notes") {
		delete(want, remark.(string))
	}
	g := golden{convention: otlptest.Batches}
	g.want, g.unseen = want.Split()
	g.adapt = func(got otlptest.Row) {
		if got["parentObservationId"] == "t-"+fmt.Sprint(got["traceId"]) {
			got["parentObservationId"] = nil
		}
		if metadata, ok := got["metadata"].(map[string]any); ok {
			// The files leave null out, and let servers keep or drop a text with U+0000.
			maps.DeleteFunc(metadata, func(name string, v any) bool { return v == nil || name == "nul" })
		}
	}
	return g
}

func (c *client) sendBatches(files []string) error {
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		a, err := c.do(http.MethodPost, "/api/public/ingestion", text, "Content-Type", "application/json")
		if err != nil {
			return err
		}
		if a.status != http.StatusMultiStatus || refusedInBatch(a.body) {
			return fmt.Errorf("%s: status %d: %s", file, a.status, a.body)
		}
	}
	return nil
}

// answered reads all rows of the client's project with every field, metadata uncut.
func (c *client) answered(want []golden) (map[[2]any]otlptest.Row, error) {
	expand := []string{"attributes", "resourceAttributes", "scope"}
	for _, g := range want {
		expand = append(expand, g.want.LongMetadata()...)
	}
	slices.Sort(expand)
	query := url.Values{"fields": {everyGroup}, "limit": {"1000"}, "expandMetadata": {strings.Join(slices.Compact(expand), ",")}}
	a, err := c.do(http.MethodGet, observationsPath+"?"+query.Encode(), nil)
	if err == nil {
		err = a.err()
	}
	if err != nil {
		return nil, err
	}
	var page struct{ Data []json.RawMessage }
	if err := json.Unmarshal([]byte(a.body), &page); err != nil {
		return nil, err
	}
	rows := map[[2]any]otlptest.Row{}
	for _, text := range page.Data {
		row, err := otlptest.Answer(text)
		if err != nil {
			return nil, err
		}
		rows[[2]any{row["traceId"], row["id"]}] = row
	}
	if len(rows) != len(page.Data) {
		return nil, fmt.Errorf("%d of %d rows are there twice", len(page.Data)-len(rows), len(page.Data))
	}
	return rows, nil
}
