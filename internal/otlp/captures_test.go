package otlp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/otlp/otlptest"
)

// parseBody parses a captured body by the form it has.
func parseBody(t *testing.T, b otlptest.Body) *Request {
	t.Helper()
	parse := ParseProtobuf
	if b.JSON {
		parse = ParseJSON
	}
	r, err := parse(b.Data)
	if err != nil {
		t.Fatalf("%s: %v", b.Name, err)
	}
	return r
}

func TestCapturesAreAccepted(t *testing.T) {
	t.Parallel()
	bodies := 0
	for _, c := range otlptest.Captures() {
		for _, b := range c.Bodies {
			bodies++
			r := parseBody(t, b)
			if count, why := r.Rejected(); count != 0 || r.Spans() == 0 {
				t.Errorf("%s/%s: %d spans, %d rejected: %s", c.Name, b.Name, r.Spans(), count, why)
			}
			for _, o := range mapAll(t, r) {
				if o.TraceID == "" || o.ID == "" || o.Name == "" || o.StartTime.IsZero() {
					t.Errorf("%s/%s: incomplete row %+v", c.Name, b.Name, o)
				}
			}
		}
	}
	if bodies < 55 {
		t.Errorf("only %d bodies", bodies)
	}
}

func TestCapturesAreTheSameInBothForms(t *testing.T) {
	t.Parallel()
	pairs := 0
	for _, c := range otlptest.Captures() {
		for _, b := range c.Bodies {
			if b.Twin == nil {
				continue
			}
			pairs++
			twin := otlptest.Body{Name: b.Name, Data: b.Twin, JSON: true}
			if diff := cmp.Diff(mapAll(t, parseBody(t, b)), mapAll(t, parseBody(t, twin))); diff != "" {
				t.Errorf("%s/%s differs from its JSON form:\n%s", c.Name, b.Name, diff)
			}
		}
	}
	if pairs < 30 {
		t.Errorf("only %d bodies are there in both forms", pairs)
	}
}

func TestCapturedRows(t *testing.T) {
	t.Parallel()
	rows, fields := 0, 0
	for _, c := range otlptest.Captures() {
		got := map[[2]any]*model.Observation{}
		for _, b := range c.Bodies {
			for _, o := range mapAll(t, parseBody(t, b)) {
				got[[2]any{o.TraceID, o.ID}] = o
			}
		}
		if c.Want != nil && len(got) != len(c.Want) {
			t.Errorf("%s: %d rows, want %d", c.Name, len(got), len(c.Want))
		}
		for _, want := range c.Want {
			o := got[[2]any{want["traceId"], want["id"]}]
			if o == nil {
				t.Errorf("%s: row %v is missing", c.Name, want["name"])
				continue
			}
			rows, fields = rows+1, fields+len(want)
			if diff := otlptest.Diff(want, otlptest.Of(o)); len(diff) > 0 {
				t.Errorf("%s, row %v %v:\n%s", c.Name, want["id"], want["name"], strings.Join(diff, "\n"))
			}
		}
	}
	t.Logf("%d recorded rows, %d fields compared", rows, fields)
}
