package chstore

import (
	"fmt"
	"strings"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
)

// plainColumns are the columns whose value is the row's own.
var plainColumns = map[filter.Column]string{
	filter.ID:                  "span_id",
	filter.TraceID:             "trace_id",
	filter.Name:                "name",
	filter.Type:                "type",
	filter.Level:               "level",
	filter.Environment:         "environment",
	filter.CodeVersion:         "code_version",
	filter.ParentObservationID: "parent_span_id",
}

// inheritedColumns are the columns that a row takes from its trace when it has no value.
var inheritedColumns = map[filter.Column]string{
	filter.UserID:    "user_id",
	filter.SessionID: "session_id",
}

// where renders the conditions of a query. Values are bound, never spliced.
func where(p *params, projectID string, conditions []filter.Condition) (string, error) {
	clauses := []string{"project_id = " + p.text(projectID)}
	for _, c := range conditions {
		clause, err := clause(p, clauses[0], c)
		if err != nil {
			return "", err
		}
		clauses = append(clauses, clause)
	}
	return strings.Join(clauses, " AND "), nil
}

func clause(p *params, project string, c filter.Condition) (string, error) {
	switch c := c.(type) {
	case filter.OneOf:
		return oneOf(p, project, c)
	case filter.Since:
		if c.Column == filter.StartTime {
			return "start_time >= " + p.micros(c.At.UnixMicro()), nil
		}
	case filter.Before:
		if c.Column == filter.StartTime {
			return "start_time < " + p.micros(c.At.UnixMicro()), nil
		}
	case filter.IsTrue:
		if c.Column == filter.IsRootObservation {
			return fmt.Sprintf("(parent_span_id = '' OR app_root) = %t", c.Want), nil
		}
	}
	return "", fault.New(fault.Internal, "condition %#v has no SQL", c)
}

func oneOf(p *params, project string, c filter.OneOf) (string, error) {
	if column, ok := plainColumns[c.Column]; ok {
		values := p.texts(c.Values)
		clause := column + " IN " + values
		if c.Column == filter.TraceID {
			// The trace's time range, known by key, spares reading the rest of the project.
			bounds := "FROM traces WHERE " + project + " AND trace_id IN " + values
			clause += " AND start_time >= (SELECT min(first_start) " + bounds + ") AND start_time <= (SELECT max(last_start) " + bounds + ")"
		}
		return clause, nil
	}
	if column, ok := inheritedColumns[c.Column]; ok {
		return inheritedOneOf(p, project, column, c.Values), nil
	}
	return "", fault.New(fault.Internal, "column %s has no SQL", c.Column)
}

// inheritedOneOf tests a row's own value, or its trace's when it has none.
func inheritedOneOf(p *params, project, column string, values []string) string {
	var set []string
	unset := false
	for _, v := range values {
		if v == "" {
			unset = true
			continue
		}
		set = append(set, v)
	}
	var alternatives []string
	if len(set) > 0 {
		list := p.texts(set)
		// The inner IN finds candidates by index; the HAVING decides over all parts of the trace.
		alternatives = append(alternatives, column+" IN "+list,
			column+" = '' AND trace_id IN (SELECT trace_id FROM traces WHERE "+project+
				" AND trace_id IN (SELECT trace_id FROM traces WHERE "+project+" AND "+column+".value IN "+list+")"+
				" GROUP BY trace_id HAVING min("+column+").value IN "+list+")")
	}
	if unset {
		alternatives = append(alternatives,
			column+" = '' AND trace_id NOT IN (SELECT trace_id FROM traces WHERE "+project+" AND "+column+".value != '')")
	}
	return "((" + strings.Join(alternatives, ") OR (") + "))"
}
