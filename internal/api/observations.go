package api

import (
	"bufio"
	"encoding/json"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/query"
)

// observations serves GET /api/public/v2/observations.
func (s *server) observations(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	req, form, err := observationRequest(p)
	if err != nil {
		return err
	}
	page, err := s.Query.Observations(r.Context(), caller.Project.ID, req)
	if err != nil {
		return err
	}
	form.prices = s.rowPrices(r.Context())
	form.promptID = s.promptIDs(r.Context(), caller.Project.ID)
	return writePage(w, len(page.Rows), func(i int) any { return form.row(page.Rows[i]) }, page.Cursor)
}

// observationRequest turns parameters into a request and the form of its answer.
func observationRequest(p *params) (query.Request, rowForm, error) {
	fields, _ := p.text("fields")
	expand, _ := p.text("expandMetadata")
	cursor, _ := p.text("cursor")
	advanced, _ := p.text("filter")
	if parse, _ := p.flag("parseIoAsJson"); parse {
		p.invalid("parseIoAsJson", "is no longer supported: input and output are returned as stored; leave it out or send false")
	}
	req := query.Request{
		Fixed:  append(fixedConditions(p), searchConditions(p)...),
		Filter: advanced,
		Groups: query.ParseGroups(fields),
		Limit:  p.number("limit", query.DefaultLimit),
		Cursor: cursor,
	}
	return req, rowForm{groups: req.Groups, expand: query.SplitList(expand)}, p.err()
}

// fixedConditions reads the parameters that name a column. An empty value asks for rows in which
// the column is not set.
func fixedConditions(p *params) []filter.Condition {
	var where []filter.Condition
	equals := func(column filter.Column, value string, present bool) {
		if present {
			where = append(where, filter.OneOf{Column: column, Values: []string{value}})
		}
	}
	for _, column := range []filter.Column{
		filter.TraceID, filter.Name, filter.UserID, filter.SessionID, filter.CodeVersion, filter.ParentObservationID,
	} {
		value, present := p.text(string(column))
		equals(column, value, present)
	}
	kind, present := p.choice("type", texts(model.Types))
	equals(filter.Type, kind, present)
	level, present := p.choice("level", texts(model.Levels))
	equals(filter.Level, level, present)

	var environments []string
	for _, value := range p.list("environment") {
		environments = append(environments, query.SplitList(value)...)
	}
	if len(environments) > 0 {
		where = append(where, filter.OneOf{Column: filter.Environment, Values: environments})
	}
	if root, present := p.flag("isRootObservation"); present {
		where = append(where, filter.IsTrue{Column: filter.IsRootObservation, Want: root})
	}
	return append(where, startTimes(p)...)
}

// startTimes reads the bounds on when rows started.
func startTimes(p *params) []filter.Condition {
	var where []filter.Condition
	if from, present := p.time("fromStartTime"); present {
		where = append(where, filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: from})
	}
	if to, present := p.time("toStartTime"); present {
		where = append(where, filter.Time{Column: filter.StartTime, Op: filter.Below, At: to})
	}
	return where
}

func texts[T ~string](values []T) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = string(v)
	}
	return list
}

// pageBufferBytes is how much of an answer is held before it goes out: rows are encoded one by
// one, so a page of large inputs is never in memory a second time.
const pageBufferBytes = 32 << 10

// writePage sends n rows and where the next page starts, if there is one.
func writePage(w http.ResponseWriter, n int, row func(i int) any, cursor string) error {
	w.Header().Set("Content-Type", jsonType)
	out := bufio.NewWriterSize(w, pageBufferBytes)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	next := `{"data":[`
	for i := range n {
		if _, err := out.WriteString(next); err != nil {
			return err
		}
		if err := encoder.Encode(row(i)); err != nil {
			return err
		}
		next = ","
	}
	if n > 0 {
		next = ""
	}
	if _, err := out.WriteString(next + `],"meta":`); err != nil {
		return err
	}
	var meta struct {
		Cursor string `json:"cursor,omitempty"`
	}
	meta.Cursor = cursor
	if err := encoder.Encode(meta); err != nil {
		return err
	}
	if _, err := out.WriteString("}"); err != nil {
		return err
	}
	return out.Flush()
}
