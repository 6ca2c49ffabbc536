package partial_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/partial"
)

func parseOne(t testing.TB, kind, body string) partial.Batch {
	t.Helper()
	b, err := partial.Parse(fmt.Appendf(nil, `{"batch":[{"id":"e","type":%q,"timestamp":"2026-05-01T10:00:00Z","body":%s}]}`, kind, body), partial.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestEventsAreCheckedAlone(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 801)
	for _, c := range []struct{ kind, body, issue string }{
		{"span-create", `{"id":"o"}`, ""},
		{"span-create", `{"id":"o","anything":{"else":1},"startTime":null,"usage":null,"tags":5}`, ""},
		{"span-create", `{"id":"o","startTime":"2026-05-01T12:00:00+02:00","endTime":"2026-05-01T10:00:00.123456Z"}`, ""},
		{"span-create", `{}`, "id: required"},
		{"span-create", `{"id":7}`, "id: expected text"},
		{"span-create", `{"id":"a\rb"}`, "id: must not contain a carriage return"},
		{"span-create", `{"id":"` + long + `"}`, "id: longer than 800 bytes"},
		{"span-create", `{"id":"o","startTime":"yesterday"}`, "startTime: expected a time"},
		{"span-create", `{"id":"o","startTime":"2026-05-01T10:00:00"}`, "startTime: expected a time"},
		{"span-create", `{"id":"o","startTime":"2101-01-01T00:00:00Z"}`, "startTime: expected a time"},
		{"span-create", `{"id":"o","level":"loud"}`, "level: expected one of DEBUG, DEFAULT, WARNING, ERROR"},
		{"span-create", `[]`, "body: expected an object"},
		{"generation-create", `{"id":"o","promptName":"p"}`, "promptName: promptName and promptVersion go together"},
		{"generation-create", `{"id":"o","promptName":"p","promptVersion":1.5}`, "promptVersion: expected a whole number"},
		{"generation-create", `{"id":"o","modelParameters":[]}`, "modelParameters: expected an object"},
		{"generation-create", `{"id":"o","costDetails":{"input":-1,"output":"x"},"usageDetails":{"a":-1}}`, ""},
		{"observation-create", `{"id":"o"}`, "type: required"},
		{"observation-create", `{"id":"o","type":"TOOL"}`, "type: expected one of GENERATION, SPAN, EVENT"},
		{"observation-update", `{"id":"o","type":"EVENT"}`, ""},
		{"trace-create", `{}`, ""},
		{"trace-create", `{"id":"t","tags":["a",1]}`, "tags: expected a list of texts"},
		{"trace-create", `{"id":"t","public":"yes"}`, "public: expected true or false"},
		{"trace-create", `{"id":"t","name":"` + strings.Repeat("n", 1001) + `"}`, "name: longer than 1000 bytes"},
		{"tool-update", `{"id":"o"}`, "type: unknown event type"},
	} {
		b := parseOne(t, c.kind, c.body)
		got := ""
		if len(b.Problems) == 1 {
			got = b.Problems[0].Error
		}
		if got != c.issue && (c.issue == "" || !strings.HasPrefix(got, c.issue)) || len(b.Events)+len(b.Problems) != 1 {
			t.Errorf("%s %.80s: %q, want %q", c.kind, c.body, got, c.issue)
		}
	}
}

func TestScores(t *testing.T) {
	t.Parallel()
	for body, issue := range map[string]string{
		`"traceId":"t","value":0.5`:                                      "",
		`"traceId":"t","observationId":"o","value":"good"`:               "",
		`"sessionId":"s","value":1,"traceId":null,"dataType":null`:       "",
		`"datasetRunId":"r","value":1`:                                   "",
		`"traceId":"t","value":1,"dataType":"BOOLEAN","session_id":"s"`:  "",
		`"traceId":"t","value":"x","dataType":"CORRECTION"`:              "",
		`"traceId":"t","value":"x","source":"EVAL"`:                      "",
		`"traceId":"t","value":"x","source":"ANNOTATION","configId":"c"`: "",
		`"value":1`: "traceId: exactly one",
		`"traceId":"t","sessionId":"s","value":1`:       "traceId: exactly one",
		`"sessionId":"s","observationId":"o","value":1`: "observationId: needs traceId",
		`"traceId":"t"`:                                                    "value: required",
		`"traceId":"t","value":true`:                                       "value: expected a number or text",
		`"traceId":"t","value":true,"dataType":"BOOLEAN"`:                  "value: expected 0 or 1",
		`"traceId":"t","value":2,"dataType":"BOOLEAN"`:                     "value: expected 0 or 1",
		`"traceId":"t","value":"1","dataType":"NUMERIC"`:                   "value: expected a number",
		`"traceId":"t","value":1,"dataType":"CATEGORICAL"`:                 "value: expected text",
		`"traceId":"t","value":"","dataType":"TEXT"`:                       "value: expected text of 1 to 500",
		`"traceId":"t","value":1,"dataType":"OTHER"`:                       "dataType: expected one of",
		`"traceId":"t","value":"x","source":"ANNOTATION"`:                  "configId: required",
		`"sessionId":"t","value":"x","dataType":"CORRECTION"`:              "traceId: a correction",
		`"traceId":"t","value":"x","dataType":"CORRECTION","configId":"c"`: "configId: a correction",
		`"traceId":"t","value":1,"timestamp":"noon"`:                       "timestamp: expected a time",
		`"traceId":"t","value":1,"source":"ME"`:                            "source: expected one of",
	} {
		b := parseOne(t, "score-create", `{"id":"sc","name":"n",`+body+`}`)
		got := ""
		if len(b.Problems) == 1 {
			got = b.Problems[0].Error
		}
		if issue == "" && got != "" || !strings.HasPrefix(got, issue) {
			t.Errorf("%s: %q, want %q", body, got, issue)
		}
	}
	if b := parseOne(t, "score-create", `{"id":"sc","traceId":"t","value":1}`); len(b.Problems) != 1 {
		t.Error("a score without a name is taken")
	}
}

func TestLinesRoundTrip(t *testing.T) {
	t.Parallel()
	want := captured(t, "py2")
	var payload []byte
	for i := range want {
		var err error
		if payload, err = partial.AppendLine(payload, &want[i]); err != nil {
			t.Fatal(err)
		}
	}
	got, err := partial.ParseLines(payload)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d of %d events: %v", len(got), len(want), err)
	}
	for i := range got {
		got[i].Version = want[i].Version
		text, err := got[i].Stored()
		if err != nil {
			t.Fatal(err)
		}
		again, err := partial.Restore(partial.Event{ID: got[i].ID, Time: got[i].Time, Kind: got[i].Kind, Version: got[i].Version}, text)
		if err != nil {
			t.Fatal(err)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, want[i].Body); err != nil {
			t.Fatal(err)
		}
		want[i].Body = compact.Bytes()
		if diff := cmp.Diff(want[i], again); diff != "" {
			t.Fatal(diff)
		}
	}
}

// FuzzParse: no body breaks the reader; what it accepts can be kept, read again and merged, and an
// accepted event makes a row with the identity it names.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"py1/002", "py2/017", "js2/005", "js3/013"} {
		body, err := os.ReadFile(filepath.Join("testdata", name+"_api_public_ingestion.json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Add([]byte(`{"batch":[{"id":"e","type":"generation-create","timestamp":"2026-05-01T10:00:00Z","body":{"id":"o","usage":{"input":1e99,"inputCost":1e-400},"costDetails":{"a":1e300},"metadata":{"a":{"a.b":1},"a.a.b":2},"promptName":"p","promptVersion":4294967295}}]}`))
	f.Add([]byte(`{"batch":[null,1,"x",[],{},{"id":"\u0000","type":"sdk-log","timestamp":"2026-05-01T10:00:00Z"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		batch, err := partial.Parse(body, partial.Policy{})
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Fatalf("an error of another kind: %v", err)
			}
			return
		}
		var payload []byte
		for i := range batch.Events {
			if payload, err = partial.AppendLine(payload, &batch.Events[i]); err != nil {
				t.Fatal(err)
			}
		}
		events, err := partial.ParseLines(payload)
		if err != nil || len(events) != len(batch.Events) {
			t.Fatalf("%d of %d events: %v", len(events), len(batch.Events), err)
		}
		for i := range events {
			events[i].Version = model.RowVersion(noon, i)
		}
		for at, row := range merged(events) {
			if row.ID != at.id || row.TraceID != at.trace || row.ID == "" || row.StartTime.Year() < 1970 || row.StartTime.After(noon.Add(100*365*24*time.Hour)) {
				t.Errorf("row %+v of %v", row, at)
			}
		}
	})
}
