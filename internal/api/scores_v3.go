package api

import (
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/query"
)

// scores serves GET /api/public/v3/scores.
func (s *server) scores(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	req, groups := scoreRequest(p)
	if err := p.err(); err != nil {
		return err
	}
	page, err := s.Query.Scores(r.Context(), caller.Project.ID, req)
	if err != nil {
		return err
	}
	answer := scorePage{Data: make([]scoreJSON, 0, len(page.Rows)), Meta: scoreMeta{req.Limit, page.Cursor}}
	for _, score := range page.Rows {
		if row, ok := scoreRow(score, groups); ok {
			answer.Data = append(answer.Data, row)
		}
	}
	writeJSON(w, http.StatusOK, answer)
	return nil
}

type scorePage struct {
	Data []scoreJSON `json:"data"`
	Meta scoreMeta   `json:"meta"`
}

type scoreMeta struct {
	Limit  int    `json:"limit"`
	Cursor string `json:"cursor,omitempty"`
}

// scoreLists are the parameters that hold lists: any of their values may match.
var scoreLists = []filter.Column{
	filter.ID, filter.Name, filter.Source, filter.DataType, filter.Environment, filter.ConfigID, filter.QueueID, filter.AuthorUserID,
	filter.TraceID, filter.SessionID, filter.ObservationID, filter.ExperimentID,
}

// scoreOthers are the parameters that are no such lists.
var scoreOthers = []string{"value", "valueMin", "valueMax", "fromTimestamp", "toTimestamp", "filter", "fields", "limit", "cursor"}

// scoreRequest reads the parameters; p collects whatever is wrong with any of them.
func scoreRequest(p *params) (query.ScoreRequest, scoreGroups) {
	for _, key := range []string{"userId", "traceTags"} { // known only to be refused
		if value, _ := p.text(key); value != "" {
			p.invalid(key, "is no filter of scores; filter by traceId, and find traces with GET /api/public/v2/observations")
		}
		delete(p.values, key)
	}
	p.known(append(texts(scoreLists), scoreOthers...))
	groups := p.scoreGroups()
	limit := p.number("limit", query.DefaultScoreLimit)
	if limit < 1 || limit > query.MaxScoreLimit {
		p.invalid("limit", "must be between 1 and %d, got %d", query.MaxScoreLimit, limit)
	}
	cursor, _ := p.text("cursor")
	advanced, _ := p.text("filter")
	return query.ScoreRequest{Fixed: p.scoreConditions(), Filter: advanced, Metadata: groups.details, Limit: limit, Cursor: cursor}, groups
}

// known refuses every parameter that is not in the list.
func (p *params) known(keys []string) {
	var unknown []string
	for key := range p.values {
		if !slices.Contains(keys, key) {
			unknown = append(unknown, key)
		}
	}
	slices.Sort(unknown)
	for i, key := range unknown {
		if i > 0 { // the list once: a request may name thousands
			p.invalid(key, "is no parameter of this request")
			continue
		}
		p.invalid(key, "is no parameter of this request; it takes %s", strings.Join(keys, ", "))
	}
}

func (p *params) scoreGroups() (groups scoreGroups) {
	fields, _ := p.text("fields")
	for _, name := range query.SplitList(fields) {
		switch name {
		case "core":
		case "details":
			groups.details = true
		case "subject":
			groups.subject = true
		case "annotation":
			groups.annotation = true
		default:
			p.invalid("fields", "must be a list of core, details, subject, annotation, got %q", name)
			return groups
		}
	}
	return groups
}

func (p *params) scoreConditions() []filter.Condition {
	var where []filter.Condition
	lists := map[filter.Column][]string{}
	for _, column := range scoreLists {
		if values := p.scoreList(column); len(values) > 0 {
			lists[column] = values
			where = append(where, filter.OneOf{Column: column, Values: values})
		}
	}
	p.oneSubject(lists)
	where = append(where, p.scoreValues(lists[filter.DataType])...)
	for _, bound := range []struct {
		key string
		op  filter.Order
	}{{"fromTimestamp", filter.AtLeast}, {"toTimestamp", filter.Below}} {
		text, _ := p.text(bound.key)
		if text == "" {
			continue
		}
		at, ok := filter.ParseTime(text)
		if !ok {
			p.invalid(bound.key, "must be a date or a date-time, such as 2026-05-01 or 2026-05-01T10:00:00.000Z")
		}
		where = append(where, filter.Time{Column: filter.Timestamp, Op: bound.op, At: at})
	}
	return where
}

// scoreList reads a list. Where the column has few values they may come in any letter case.
func (p *params) scoreList(column filter.Column) []string {
	text, _ := p.text(string(column))
	values := query.SplitList(text)
	field, _ := filter.Scores.Find(string(column))
	if field.Values == nil {
		return values
	}
	for i, value := range values {
		if values[i] = strings.ToUpper(value); !slices.Contains(field.Values, values[i]) {
			p.invalid(string(column), "must be a list of %s, got %q", strings.Join(field.Values, ", "), value)
			return nil
		}
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// oneSubject refuses to ask for several kinds of subjects at once: no score has them.
func (p *params) oneSubject(lists map[filter.Column][]string) {
	var given []string
	for _, column := range []filter.Column{filter.TraceID, filter.SessionID, filter.ExperimentID} {
		if len(lists[column]) > 0 {
			given = append(given, string(column))
		}
	}
	if len(given) > 1 {
		p.invalid(given[1], "must not be used together with %s; a score is about one of trace, session and experiment", given[0])
	}
	if len(lists[filter.ObservationID]) > 0 && len(lists[filter.TraceID]) == 0 {
		p.invalid(string(filter.ObservationID), "needs traceId, the trace that the observation belongs to")
	}
}

// scoreValues reads value, valueMin and valueMax, whose meaning hangs on the one data type that is asked for.
func (p *params) scoreValues(dataTypes []string) (where []filter.Condition) {
	only := model.ScoreType("")
	if len(dataTypes) == 1 {
		only = model.ScoreType(dataTypes[0])
	}
	for _, bound := range []struct {
		key string
		op  filter.Order
	}{{"valueMin", filter.AtLeast}, {"valueMax", filter.AtMost}} {
		text, _ := p.text(bound.key)
		if text == "" {
			continue
		}
		if only != model.Numeric {
			p.invalid(bound.key, "needs dataType=NUMERIC")
		}
		number, _ := p.finite(bound.key, text)
		where = append(where, filter.Number{Column: filter.Value, Op: bound.op, Value: number})
	}
	text, _ := p.text("value")
	values := query.SplitList(text)
	switch {
	case len(values) == 0:
	case only == model.Numeric:
		where = append(where, filter.NumberOneOf{Column: filter.Value, Values: p.numbers(values)})
	case only == model.Boolean:
		where = append(where, filter.NumberOneOf{Column: filter.Value, Values: p.booleans(values)})
	case only == model.Categorical:
		where = append(where, filter.OneOf{Column: filter.StringValue, Values: values})
	default:
		p.invalid("value", "needs exactly one dataType among NUMERIC, BOOLEAN, CATEGORICAL")
	}
	return where
}

func (p *params) numbers(values []string) (numbers []float64) {
	for _, value := range values {
		n, ok := p.finite("value", value)
		if !ok {
			break // one bad value says it all
		}
		numbers = append(numbers, n)
	}
	return numbers
}

func (p *params) booleans(values []string) (numbers []float64) {
	for _, value := range values {
		switch value {
		case "true":
			numbers = append(numbers, 1)
		case "false":
			numbers = append(numbers, 0)
		default:
			p.invalid("value", "must be true or false with dataType=BOOLEAN, got %q", value)
			return nil
		}
	}
	return numbers
}

// decimalNumber is a number in decimal; ParseFloat alone would read hexadecimal and infinity, too.
var decimalNumber = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)

func (p *params) finite(key, text string) (float64, bool) {
	text = strings.TrimSpace(text)
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(n, 0) || !decimalNumber.MatchString(text) {
		p.invalid(key, "must be a finite number, got %q", text)
		return 0, false
	}
	return n, true
}
