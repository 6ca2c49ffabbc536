package chstore

import (
	"slices"
	"strings"

	"github.com/sondehq/sonde/internal/filter"
)

// textColumns are the texts whose value is the row's own.
var textColumns = map[filter.Column]string{
	filter.ID:                  "span_id",
	filter.TraceID:             "trace_id",
	filter.ParentObservationID: "parent_span_id",
	filter.Type:                "type",
	filter.Name:                "name",
	filter.Level:               "level",
	filter.StatusMessage:       "status_message",
	filter.Environment:         "environment",
	filter.CodeVersion:         "code_version",
	filter.Model:               "model",
	filter.ModelID:             "model_id",
	filter.PromptName:          "prompt_name",
	filter.ExperimentID:        "experiment['id']",
	filter.ExperimentName:      "experiment['name']",
	filter.ExperimentDatasetID: "experiment['dataset_id']",
}

// listColumns are the lists whose value is the row's own.
var listColumns = map[filter.Column]string{
	filter.ToolNames:       "tool_names",
	filter.CalledToolNames: "called_tool_names",
}

// test is a test of a value that may be a row's own or its trace's.
type test struct {
	holds  func(value string) string // renders it for an expression
	ofNone bool                      // whether it holds when there is no value
	// among are the values of a test for being one of them, or for being none of them; nil: another test.
	among []string
}

func (r conditions) onOneOf(c filter.OneOf) string {
	if column, ok := inheritedColumns[c.Column]; ok && !column.list {
		return r.inherited(column, r.testOneOf(c))
	}
	column, ok := textColumns[c.Column]
	if !ok {
		return ""
	}
	values := r.texts(c.Values)
	if c.Not {
		return column + " NOT IN " + values
	}
	clause := column + " IN " + values
	if c.Column == filter.TraceID && !r.wanted {
		// The trace's time range, known by key, spares reading the rest of the project.
		bounds := "FROM traces WHERE " + r.project + " AND trace_id IN " + values
		clause += " AND start_time >= (SELECT min(first_start) " + bounds + ") AND start_time <= (SELECT max(last_start) " + bounds + ")"
	}
	return clause
}

func (r conditions) testOneOf(c filter.OneOf) test {
	values := r.texts(c.Values)
	t := test{ofNone: slices.Contains(c.Values, "") != c.Not}
	t.holds = func(value string) string {
		if c.Not {
			return value + " NOT IN " + values
		}
		return value + " IN " + values
	}
	if !slices.Contains(c.Values, "") {
		t.among = c.Values
	}
	return t
}

func (r conditions) onText(c filter.Text) string {
	if c.Op == filter.Equal {
		return r.onOneOf(filter.OneOf{Column: c.Column, Values: []string{c.Value}})
	}
	compare, ok := textComparisons[c.Op]
	if !ok {
		return ""
	}
	value := r.text(c.Value)
	holds := func(text string) string { return compare(text, value) }
	if column, ok := inheritedColumns[c.Column]; ok && !column.list {
		return r.inherited(column, test{holds: holds, ofNone: (c.Value == "") != (c.Op == filter.NotContains)})
	}
	if column, ok := textColumns[c.Column]; ok {
		return holds(column)
	}
	return ""
}

// textComparisons go byte by byte.
var textComparisons = map[filter.TextOp]func(text, value string) string{
	filter.Equal:       func(text, value string) string { return text + " = " + value },
	filter.Contains:    func(text, value string) string { return "position(" + text + ", " + value + ") > 0" },
	filter.NotContains: func(text, value string) string { return "position(" + text + ", " + value + ") = 0" },
	filter.StartsWith:  func(text, value string) string { return "startsWith(" + text + ", " + value + ")" },
	filter.EndsWith:    func(text, value string) string { return "endsWith(" + text + ", " + value + ")" },
}

func (r conditions) onList(c filter.List) string {
	t, ok := r.testList(c)
	if !ok {
		return ""
	}
	if column, ok := inheritedColumns[c.Column]; ok && column.list {
		return r.inherited(column, t)
	}
	if column, ok := listColumns[c.Column]; ok {
		return t.holds(column)
	}
	return ""
}

func (r conditions) testList(c filter.List) (test, bool) {
	values := r.texts(c.Values)
	call := func(format string) func(string) string {
		return func(list string) string { return strings.NewReplacer("LIST", list, "VALUES", values).Replace(format) }
	}
	switch c.Op {
	case filter.AnyOf:
		return test{holds: call("hasAny(LIST, VALUES)")}, true
	case filter.NoneOf:
		return test{holds: call("NOT hasAny(LIST, VALUES)"), ofNone: true}, true
	case filter.AllOf:
		return test{holds: call("hasAll(LIST, VALUES)"), ofNone: len(c.Values) == 0}, true
	}
	return test{}, false
}
