package otlp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/model"
)

// parseFile parses a captured body by the form its name says.
func parseFile(t *testing.T, path string) *Request {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	parse := ParseProtobuf
	if filepath.Ext(path) == ".json" {
		parse = ParseJSON
	}
	r, err := parse(data)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return r
}

// capturedBodies lists every recorded trace body.
func capturedBodies(t *testing.T) []string {
	t.Helper()
	bodies, err := filepath.Glob("testdata/captures/*/*_traces.*")
	if err != nil || len(bodies) < 80 {
		t.Fatalf("%d captured bodies, %v", len(bodies), err)
	}
	return bodies
}

func TestCapturesAreAccepted(t *testing.T) {
	t.Parallel()
	for _, path := range capturedBodies(t) {
		r := parseFile(t, path)
		if count, why := r.Rejected(); count != 0 || r.Spans() == 0 {
			t.Errorf("%s: %d spans, %d rejected: %s", path, r.Spans(), count, why)
		}
		for _, o := range mapAll(t, r) {
			if o.TraceID == "" || o.ID == "" || o.Name == "" || o.StartTime.IsZero() {
				t.Errorf("%s: incomplete row %+v", path, o)
			}
		}
	}
}

func TestCapturesAreTheSameInBothForms(t *testing.T) {
	t.Parallel()
	pairs := 0
	for _, path := range capturedBodies(t) {
		other := strings.TrimSuffix(path, ".bin") + ".json"
		if _, err := os.Stat(other); err != nil || other == path {
			continue
		}
		pairs++
		proto, fromJSON := mapAll(t, parseFile(t, path)), mapAll(t, parseFile(t, other))
		if diff := cmp.Diff(proto, fromJSON); diff != "" {
			t.Errorf("%s differs from its JSON form:\n%s", path, diff)
		}
	}
	if pairs < 30 {
		t.Errorf("only %d bodies are there in both forms", pairs)
	}
}

// uncovered are fields of the expected rows that the mapping does not fill yet or that are no
// fields of a row here, with the reason.
var uncovered = map[string]string{
	"ioSource":             "not stored",
	"doubtful":             "a remark",
	"experiment":           "no columns yet",
	"source":               "not stored",
	"ingestionApiKey":      "not stored",
	"ingestionSdkName":     "comes from the request's headers",
	"ingestionSdkVersion":  "comes from the request's headers",
	"telemetrySdkLanguage": "kept in the metadata only",
	"telemetrySdkName":     "kept in the metadata only",
	"telemetrySdkVersion":  "kept in the metadata only",
	"eventBytes":           "not stored",
	"metadataFlat":         "compared by bucketDiff: the reference does not decode the client's keys",
}

// uncoveredRows are single fields of single rows.
var uncoveredRows = map[string]string{
	"openai-usage usageDetails":         "OpenAI usage is not split yet",
	"openai-usage providedUsageDetails": "OpenAI usage is not split yet",
	"genai-span providedUsageDetails":   "gen_ai.usage.* is not read yet",
	"genai-span input":                  "gen_ai.prompt.N.* is not read yet",
}

func TestCapturedRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, rows string }{
		{"py5_basic/005_api_public_otel_v1_traces.bin", "py5_basic/expected_rows.json"},
		{"py4_basic/001_api_public_otel_v1_traces.bin", "py4_basic/expected_rows.json"},
		{"basic/004_api_public_otel_v1_traces.json", "basic/observed_rows_v4_16.json"},
	} {
		rows := mapAll(t, parseFile(t, "testdata/captures/"+c.body))
		data, err := os.ReadFile("testdata/captures/" + c.rows)
		if err != nil {
			t.Fatal(err)
		}
		var want []map[string]any
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		if len(rows) != len(want) {
			t.Fatalf("%s: %d rows, want %d", c.body, len(rows), len(want))
		}
		for i, o := range rows {
			if diff := rowDiff(o, want[i]); diff != "" {
				t.Errorf("%s, row %q:\n%s", c.body, o.Name, diff)
			}
		}
	}
}

// rowDiff compares a row with an expected one in every field that is covered.
func rowDiff(o *model.Observation, want map[string]any) string {
	covered := map[string]any{}
	for k, v := range want {
		if uncovered[k] == "" && uncoveredRows[o.Name+" "+k] == "" && k != "metadata" {
			covered[k] = v
		}
	}
	diff := caseDiff(o, covered)
	if metadata, ok := want["metadata"].(map[string]any); ok {
		diff += cmp.Diff(metadata, clientMetadata(o))
	}
	if flat, ok := want["metadataFlat"].([]any); ok {
		diff += bucketDiff(o, flat)
	}
	return diff
}

// bucketDiff compares the leaves the server adds, in their order. The reference rows leave the
// resource out; keys that will become the input are not taken out of the attributes yet.
func bucketDiff(o *model.Observation, flat []any) string {
	var want, got [][2]string
	for _, leaf := range flat {
		pair := leaf.([]any)
		if name := pair[0].(string); inBucket(name) {
			want = append(want, [2]string{name, pair[1].(string)})
		}
	}
	for _, e := range o.Metadata {
		if inBucket(e.Name) && !strings.HasPrefix(e.Name, resourceBucket) && !strings.HasPrefix(e.Name, "attributes.gen_ai.prompt.") {
			got = append(got, [2]string{e.Name, e.Value})
		}
	}
	return cmp.Diff(want, got)
}

// clientMetadata is the metadata a client set. A bare string is kept under the key "metadata",
// which the expected rows leave open.
func clientMetadata(o *model.Observation) map[string]any {
	got := map[string]any{}
	for _, e := range o.Metadata {
		if !inBucket(e.Name) && e.Name != "metadata" {
			got[e.Name] = leafValue(e)
		}
	}
	return got
}
