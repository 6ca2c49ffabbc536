package chstore

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// conditions renders conditions on rows of the table observations. Every clause is true or false, never
// null, so that it may be negated.
type conditions struct {
	*params
	project string // the clause project_id = …, which goes for every table
	hidden  hidden // traces that tombstones hide
	// from and to bound the start times of rows, both included; zero: no bound.
	from, to time.Time
	// wanted says that the statement carries a table of that name with the keys of the rows to test.
	wanted bool
}

// where renders the conditions of a query on observations, but for those on input and output. Values are
// bound, never spliced. Rows that a tombstone of their trace hides are left out; rows that are tombstones
// themselves are not, because that is known after folding only (see notDeleted).
//
// Conditions on columns that can change hold of one version: the statement must fold by FINAL.
func where(p *params, projectID string, list []filter.Condition) (string, error) {
	r := conditions{params: p, project: "project_id = " + p.text(projectID)}
	r.hidden = hiddenBy(r.project, tracestore.TraceTombstone)
	return r.within(list).all(list)
}

// all renders the conjunction of a list.
func (r conditions) all(list []filter.Condition) (string, error) {
	clauses := []string{r.project}
	for _, c := range list {
		clause, err := r.clause(c)
		if err != nil {
			return "", err
		}
		clauses = append(clauses, clause)
	}
	if r.hidden != (hidden{}) {
		clauses = append(clauses, r.hidden.alive("trace_id", "version"))
	}
	return strings.Join(clauses, " AND "), nil
}

func (r conditions) clause(c filter.Condition) (string, error) {
	clause := ""
	switch c := c.(type) {
	case filter.OneOf:
		clause = r.onOneOf(c)
	case filter.Text:
		clause = r.onText(c)
	case filter.List:
		clause = r.onList(c)
	case filter.Number:
		clause = r.onNumber(c)
	case filter.Time:
		clause = r.onTime(c)
	case filter.IsTrue:
		if truth, ok := boolColumns[c.Column]; ok {
			clause = fmt.Sprintf("(%s) = %t", truth, c.Want)
		}
	case filter.IsSet:
		clause = r.onIsSet(c)
	case filter.MetadataText:
		clause = r.onMetadataText(c)
	case filter.MetadataNumber:
		clause = r.onMetadataNumber(c)
	case filter.MetadataSet:
		clause = r.onMetadataSet(c)
	}
	if clause == "" {
		return "", fault.New(fault.Internal, "condition %#v has no SQL", c)
	}
	return clause, nil
}

var boolColumns = map[filter.Column]string{
	filter.IsRootObservation:        "parent_span_id = '' OR app_root",
	filter.HasParentObservation:     "parent_span_id != ''",
	filter.StandsForTrace:           "span_id = concat('t-', trace_id)",
	filter.IsExperimentItemRootSpan: "experiment['item_root_id'] = span_id AND experiment['item_id'] != ''",
}

// setTimes says when a time is set: the epoch stands for none.
var setTimes = map[filter.Column]string{
	filter.StartTime: "true",
	filter.EndTime:   "toUnixTimestamp64Micro(end_time) != 0",
}

var comparisons = map[filter.Order]string{filter.Same: "=", filter.Above: ">", filter.Below: "<", filter.AtLeast: ">=", filter.AtMost: "<="}

// accepted tests when a version was taken; empty for comparisons that versions do not have.
func accepted(p *params, c filter.Time) string {
	if c.Op != filter.AtLeast && c.Op != filter.Below {
		return ""
	}
	return "version " + comparisons[c.Op] + " " + p.bind("UInt64", strconv.FormatUint(model.RowVersion(c.At, 0), 10))
}

func (r conditions) onTime(c filter.Time) string {
	if c.Column == filter.AcceptedAt {
		return accepted(r.params, c)
	}
	op, at := comparisons[c.Op], r.micros(c.At.UnixMicro())
	switch {
	case op == "":
		return ""
	case c.Column == filter.StartTime:
		return "start_time " + op + " " + at
	case c.Column == filter.EndTime:
		return "(" + setTimes[filter.EndTime] + " AND end_time " + op + " " + at + ")"
	}
	return ""
}

// onIsSet tests whether a column has a value. Columns that always have one are set in every row.
func (r conditions) onIsSet(c filter.IsSet) string {
	if inherited, ok := inheritedColumns[c.Column]; ok {
		holds := func(value string) string { return negated(inherited.isSet(value), !c.Want) }
		return r.inherited(inherited, test{holds: holds, ofNone: !c.Want})
	}
	var set string
	if column, ok := textColumns[c.Column]; ok {
		set = column + " != ''"
	} else if column, ok := listColumns[c.Column]; ok {
		set = "notEmpty(" + column + ")"
	} else if column, ok := numberColumns[c.Column]; ok {
		set = column.set
	} else if at, ok := setTimes[c.Column]; ok {
		set = at
	} else if _, ok := boolColumns[c.Column]; ok {
		set = "true"
	} else if c.Column == filter.Metadata {
		set = "notEmpty(meta_names)"
	} else {
		return ""
	}
	return "(" + negated(set, !c.Want) + ")"
}

func negated(clause string, not bool) string {
	if not {
		return "NOT (" + clause + ")"
	}
	return clause
}
