package api

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/query"
	"github.com/sondehq/sonde/internal/tracestore"
)

// tracePageRoutes are what a page that shows a trace asks for, and what a model reads of it.
func (s *server) tracePageRoutes() []route {
	return []route{
		{method: http.MethodGet, path: "/api/public/traces/{traceId}/skeleton", handle: s.skeleton, role: readNode},
		{method: http.MethodGet, path: "/api/public/traces/{traceId}/digest", handle: s.traceDigest, role: readNode},
		{method: http.MethodGet, path: "/api/public/traces/{traceId}/search", handle: s.searchTrace, role: readNode},
		{method: http.MethodGet, path: "/api/public/observations/{observationId}/io", handle: s.observationText, role: readNode},
		{method: http.MethodGet, path: "/api/public/previews", handle: s.previews, role: readNode},
	}
}

// hitsJSON is what a search in a trace found.
type hitsJSON struct {
	Data      []string `json:"data"`
	Truncated bool     `json:"truncated"`
}

// searchTrace serves GET /api/public/traces/{traceId}/search.
func (s *server) searchTrace(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	text, _ := p.text("q")
	if err := p.err(); err != nil {
		return err
	}
	ids, more, err := s.Query.SearchTrace(r.Context(), caller.Project.ID, r.PathValue("traceId"), text)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, hitsJSON{Data: append([]string{}, ids...), Truncated: more})
	return nil
}

// previewJSON is the beginning of what an observation says.
type previewJSON struct {
	ID         string  `json:"id"`
	TraceID    *string `json:"traceId"`
	StartTime  string  `json:"startTime"`
	Input      *string `json:"input"`
	Output     *string `json:"output"`
	InputMore  bool    `json:"inputMore"`
	OutputMore bool    `json:"outputMore"`
	// Trace is what the whole trace of the observation sums up to, when that was asked for.
	Trace *traceSumsJSON `json:"trace,omitempty"`
}

// traceSumsJSON sums up the observations of a trace.
type traceSumsJSON struct {
	Observations uint64      `json:"observations"`
	InputTokens  uint64      `json:"inputTokens"`
	OutputTokens uint64      `json:"outputTokens"`
	TotalTokens  uint64      `json:"totalTokens"`
	TotalCost    json.Number `json:"totalCost"`
}

// previews serves GET /api/public/previews.
func (s *server) previews(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	list, _ := p.text("ids")
	where := startTimes(p)
	if traceID, present := p.text("traceId"); present {
		where = append(where, filter.OneOf{Column: filter.TraceID, Values: []string{traceID}})
	}
	sums, _ := p.flag("traceSums")
	if err := p.err(); err != nil {
		return err
	}
	found, err := s.Query.Previews(r.Context(), caller.Project.ID, query.SplitList(list), where)
	if err != nil {
		return err
	}
	rows := make([]previewJSON, len(found))
	for i, f := range found {
		rows[i] = previewJSON{f.ID, orNull(f.TraceID), stamp(f.StartTime), orNull(f.Input), orNull(f.Output), f.InputMore, f.OutputMore, nil}
	}
	if sums {
		if err := s.addTraceSums(r.Context(), caller.Project.ID, rows); err != nil {
			return err
		}
	}
	writeJSON(w, http.StatusOK, struct {
		Data []previewJSON `json:"data"`
	}{rows})
	return nil
}

// addTraceSums reads the traces of the rows at once. A row whose trace was deleted meanwhile stays without.
func (s *server) addTraceSums(ctx context.Context, projectID string, rows []previewJSON) error {
	names := make([]*string, len(rows))
	for i, row := range rows {
		names[i] = row.TraceID
	}
	traces, err := s.tracesNamed(ctx, projectID, names)
	if err != nil {
		return err
	}
	for i, row := range rows {
		if row.TraceID == nil {
			continue
		}
		if t, ok := traces[*row.TraceID]; ok {
			rows[i].Trace = &traceSumsJSON{t.Observations, t.InputTokens, t.OutputTokens, t.TotalTokens, json.Number(t.TotalCost.String())}
		}
	}
	return nil
}

// tracesNamed reads the traces of these ids at once, by id. Nil names none.
func (s *server) tracesNamed(ctx context.Context, projectID string, names []*string) (map[string]*tracestore.Trace, error) {
	var ids []string
	for _, name := range names {
		if name != nil && !slices.Contains(ids, *name) {
			ids = append(ids, *name)
		}
	}
	return s.Query.TracesByID(ctx, projectID, ids)
}

// textParts are the parts of an observation that can be read on their own.
var textParts = []string{"input", "output", "metadata"}

// observationText serves GET /api/public/observations/{observationId}/io. Input and output are sent as they are stored,
// and read as they are sent.
func (s *server) observationText(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	part := textPart(p)
	where := []filter.Condition{filter.OneOf{Column: filter.ID, Values: []string{r.PathValue("observationId")}}}
	if traceID, present := p.text("traceId"); present {
		where = append(where, filter.OneOf{Column: filter.TraceID, Values: []string{traceID}})
	}
	if err := p.err(); err != nil {
		return err
	}
	return s.answerText(w, r, caller.Project.ID, part, where)
}

// textPart is the part that is asked for.
func textPart(p *params) string {
	part, _ := p.choice("part", textParts)
	if !p.values.Has("part") {
		p.invalid("part", "must be one of input, output, metadata")
	}
	return part
}

// answerText sends one part of the observation that meets the conditions.
func (s *server) answerText(w http.ResponseWriter, r *http.Request, projectID, part string, where []filter.Condition) error {
	if part == "metadata" {
		return s.wholeMetadata(w, r, projectID, where)
	}
	text, err := s.Query.Text(r.Context(), projectID, where, filter.Column(part))
	if err != nil {
		return err
	}
	kind := "text/plain; charset=utf-8"
	if text.JSON {
		kind = jsonType
	}
	textHeaders(w.Header(), kind, text.TraceID, text.StartTime, text.Version)
	content := &failing{ReadSeeker: s.Query.ReadText(r.Context(), text)}
	http.ServeContent(w, r, "", time.Time{}, content)
	return content.err
}

// wholeMetadata sends all of an observation's metadata, no value cut.
func (s *server) wholeMetadata(w http.ResponseWriter, r *http.Request, projectID string, where []filter.Condition) error {
	o, err := s.Query.WithMetadata(r.Context(), projectID, where)
	if err != nil {
		return err
	}
	textHeaders(w.Header(), jsonType, o.TraceID, o.StartTime, o.Version)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(flatObject(o.Metadata, typedValue)))
	return nil
}
