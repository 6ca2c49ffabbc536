package api

import (
	"bufio"
	"encoding/json"
	"maps"
	"net/http"
	"slices"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/query"
)

// deprecatedRoutes are the routes of reads that newer ones have replaced, and of the first writes. They are
// views over what the newer ones show.
func (s *server) deprecatedRoutes() []route {
	reads := []route{
		{path: "/api/public/traces", handle: s.oldTraces},
		{path: "/api/public/traces/{traceId}", handle: s.oldTrace},
		{path: "/api/public/observations", handle: s.oldObservations},
		{path: "/api/public/observations/{observationId}", handle: s.oldObservation},
		{path: "/api/public/sessions", handle: s.oldSessions},
		{path: "/api/public/sessions/{sessionId}", handle: s.oldSession},
		{path: "/api/public/scores", handle: s.oldScores},
		{path: "/api/public/scores/{scoreId}", handle: s.oldScore},
		{path: "/api/public/v2/scores", handle: s.scoresV2},
		{path: "/api/public/v2/scores/{scoreId}", handle: s.scoreV2},
		{path: "/api/public/metrics", handle: s.oldMetrics},
		{path: "/api/public/metrics/daily", handle: s.dailyMetrics},
	}
	for i := range reads {
		reads[i].method, reads[i].role, reads[i].deprecated = http.MethodGet, readNode, true
	}
	return append(reads, s.firstWrites()...)
}

// errDeprecated is the answer of deprecated routes where they are turned off: before anybody looks at
// credentials, and with the body of errors about those.
var errDeprecated = authError{fault.New(fault.NotFound, "This endpoint is deprecated and turned off on this server").
	Hint("use GET /api/public/v2/observations, /api/public/v3/scores, /api/public/v2/metrics or /api/public/experiments, or set api-deprecated-reads")}

// readNumbered reads the parameters of a list with numbered pages. An empty parameter is none: that is what
// older clients mean by it.
func readNumbered(r *http.Request) (*params, query.PageNumber, error) {
	p, err := readParams(r)
	if err != nil {
		return nil, query.PageNumber{}, err
	}
	for key, values := range p.values {
		if len(values) == 1 && values[0] == "" {
			delete(p.values, key)
		}
	}
	page, limit := p.page()
	return p, query.PageNumber{Page: page, Limit: limit}, nil
}

// commaList collects the values of a parameter that is repeated, or holds a list, or both.
func (p *params) commaList(key string) (values []string) {
	for _, value := range p.list(key) {
		values = append(values, query.SplitList(value)...)
	}
	return values
}

// equals makes conditions of parameters that name a value of a column.
func (p *params) equals(columns map[string]filter.Column) (where []filter.Condition) {
	for _, key := range slices.Sorted(maps.Keys(columns)) {
		if value, present := p.text(key); present {
			where = append(where, filter.OneOf{Column: columns[key], Values: []string{value}})
		}
	}
	return where
}

// anyOf makes a condition of a list.
func (p *params) anyOf(key string, column filter.Column) []filter.Condition {
	if values := p.commaList(key); len(values) > 0 {
		return []filter.Condition{filter.OneOf{Column: column, Values: values}}
	}
	return nil
}

// allTags makes a condition of a list of tags, all of which a trace must have.
func (p *params) allTags(key string) []filter.Condition {
	if values := p.commaList(key); len(values) > 0 {
		return []filter.Condition{filter.List{Column: filter.Tags, Op: filter.AllOf, Values: values}}
	}
	return nil
}

// timestamps makes conditions of fromTimestamp and toTimestamp.
func (p *params) timestamps(column filter.Column) (where []filter.Condition) {
	if from, present := p.time("fromTimestamp"); present {
		where = append(where, filter.Time{Column: column, Op: filter.AtLeast, At: from})
	}
	if to, present := p.time("toTimestamp"); present {
		where = append(where, filter.Time{Column: column, Op: filter.Below, At: to})
	}
	return where
}

// writeNumbered sends n rows, encoded one by one, and which page they are.
func writeNumbered(w http.ResponseWriter, n int, row func(i int) any, meta pageMeta) error {
	out := newRowWriter(w, `{"data":[`)
	for i := range n {
		if err := out.row(row(i)); err != nil {
			return err
		}
	}
	return out.end(`],"meta":`, meta)
}

// rowWriter sends a list within an object row by row, so that large ones are never in memory as a whole.
type rowWriter struct {
	out     *bufio.Writer
	encoder *json.Encoder
	next    string // what comes before the next row
}

func newRowWriter(w http.ResponseWriter, head string) *rowWriter {
	w.Header().Set("Content-Type", jsonType)
	out := bufio.NewWriterSize(w, pageBufferBytes)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return &rowWriter{out: out, encoder: encoder, next: head}
}

func (r *rowWriter) row(value any) error {
	if _, err := r.out.WriteString(r.next); err != nil {
		return err
	}
	r.next = ","
	return r.encoder.Encode(value)
}

// end closes the list, adds a last member under what tail begins, and closes the object.
func (r *rowWriter) end(tail string, last any) error {
	if r.next == "," {
		r.next = ""
	}
	r.next += tail
	if err := r.row(last); err != nil {
		return err
	}
	if _, err := r.out.WriteString("}"); err != nil {
		return err
	}
	return r.out.Flush()
}
