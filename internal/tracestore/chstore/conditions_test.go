package chstore

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/testkit"
	"github.com/sondehq/sonde/internal/tracestore"
)

var may = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

var (
	texts = []filter.Column{
		filter.ID, filter.TraceID, filter.ParentObservationID, filter.Type, filter.Name, filter.Level, filter.StatusMessage,
		filter.Environment, filter.CodeVersion, filter.UserID, filter.SessionID, filter.TraceName, filter.Release,
		filter.Model, filter.ModelID, filter.PromptName, filter.ExperimentID, filter.ExperimentName, filter.ExperimentDatasetID,
	}
	lists   = []filter.Column{filter.Tags, filter.ToolNames, filter.CalledToolNames}
	numbers = []filter.Column{
		filter.Latency, filter.TimeToFirstToken, filter.TokensPerSecond, filter.InputTokens, filter.OutputTokens,
		filter.TotalTokens, filter.InputCost, filter.OutputCost, filter.TotalCost, filter.PromptVersion,
		filter.ToolDefinitions, filter.ToolCalls,
	}
	times  = []filter.Column{filter.StartTime, filter.EndTime}
	truths = []filter.Column{filter.IsRootObservation, filter.HasParentObservation, filter.IsExperimentItemRootSpan}

	textOps = []filter.TextOp{filter.Equal, filter.Contains, filter.NotContains, filter.StartsWith, filter.EndsWith}
	listOps = []filter.ListOp{filter.AnyOf, filter.NoneOf, filter.AllOf}
	orders  = []filter.Order{filter.Same, filter.Above, filter.Below, filter.AtLeast, filter.AtMost}
)

// everyCondition has each column with each operator that it takes.
func everyCondition() []filter.Condition {
	var all []filter.Condition
	add := func(c ...filter.Condition) { all = append(all, c...) }
	for _, column := range texts {
		add(filter.OneOf{Column: column, Values: []string{"a"}}, filter.OneOf{Column: column, Values: []string{"a", ""}, Not: true})
		for _, op := range textOps {
			add(filter.Text{Column: column, Op: op, Value: "a"})
		}
	}
	for _, column := range lists {
		for _, op := range listOps {
			add(filter.List{Column: column, Op: op, Values: []string{"a", "b"}})
		}
	}
	for _, op := range orders {
		for _, column := range numbers {
			add(filter.Number{Column: column, Op: op, Value: 1.5})
		}
		add(filter.MetadataNumber{Key: "k", Op: op, Value: 1e-7})
		if op != filter.Same {
			add(filter.Time{Column: filter.StartTime, Op: op, At: may}, filter.Time{Column: filter.EndTime, Op: op, At: may})
		}
	}
	for _, op := range append(textOps, filter.Matches) {
		add(filter.MetadataText{Key: "k", Op: op, Value: "a, b"})
	}
	for _, want := range []bool{true, false} {
		for _, column := range truths {
			add(filter.IsTrue{Column: column, Want: want})
		}
		for _, columns := range [][]filter.Column{texts, lists, numbers, times, truths, {filter.Metadata}} {
			for _, column := range columns {
				add(filter.IsSet{Column: column, Want: want})
			}
		}
		add(filter.MetadataSet{Key: "k", Want: want})
	}
	return all
}

// What is sent to the engine is a reviewed file; values never stand in it.
func TestConditionText(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	for _, c := range everyCondition() {
		p := params{}
		r := conditions{params: &p, project: "PROJECT"}
		clause, err := r.clause(c)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "-- %s\n%s\n", strings.TrimPrefix(fmt.Sprintf("%+v", c), "filter."), clause)
		for _, parameter := range p.list {
			text.WriteString("  " + parameter.Key + " = " + parameter.Value + "\n")
		}
	}
	testkit.Golden(t, "testdata/conditions.sql", text.Bytes())
}

// The ways in which the traces of an inherited column are narrowed, and tombstones.
func TestWhereText(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	list := []filter.Condition{
		filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: may},
		filter.Time{Column: filter.StartTime, Op: filter.Below, At: may.Add(time.Hour)},
		filter.Text{Column: filter.TraceName, Op: filter.Contains, Value: "it's"},
		filter.OneOf{Column: filter.UserID, Values: []string{"u"}},
	}
	write := func(name string, render func(p *params) (string, error)) {
		var p params
		clause, err := render(&p)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "-- %s\n%s\n", name, clause)
		for _, parameter := range p.list {
			text.WriteString("  " + parameter.Key + " = " + parameter.Value + "\n")
		}
	}
	q := tracestore.ObservationQuery{ProjectID: "project", Where: list, After: &filter.Position{StartTime: may, TraceID: "t", ID: `back\slash`}}
	write("tombstones read by the statement", func(p *params) (string, error) { return where(p, "project", list) })
	write("a page, no tombstones", func(p *params) (string, error) { return pageWhere(p, q, graves{}) })
	write("a page, two tombstones", func(p *params) (string, error) {
		return pageWhere(p, q, graves{ids: map[string]uint64{"t1": 7, "t2": 1 << 63}})
	})
	write("a page of a deleted project", func(p *params) (string, error) {
		return pageWhere(p, q, graves{ids: map[string]uint64{"t1": 7}, project: 9})
	})
	write("rows by key", func(p *params) (string, error) {
		return conditions{params: p, project: "PROJECT", wanted: true}.all(list)
	})
	testkit.Golden(t, "testdata/where.sql", text.Bytes())
}

func TestUnknownConditionsAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []filter.Condition{
		filter.OneOf{Column: "nope", Values: []string{"x"}},
		filter.OneOf{Column: filter.Tags, Values: []string{"x"}},
		filter.Text{Column: filter.Name, Op: filter.Matches, Value: "x"},
		filter.Text{Column: filter.Latency, Op: filter.Contains, Value: "x"},
		filter.Text{Column: filter.Name, Value: "x"},
		filter.Text{Column: filter.Input, Op: filter.Equal, Value: "x"},
		filter.Text{Column: filter.Output, Op: filter.Matches, Value: "x"},
		filter.List{Column: filter.Name, Op: filter.AnyOf, Values: []string{"x"}},
		filter.List{Column: filter.Tags, Values: []string{"x"}},
		filter.List{Column: filter.UserID, Op: filter.AnyOf, Values: []string{"x"}},
		filter.Number{Column: filter.Name, Op: filter.Above},
		filter.Number{Column: filter.Latency},
		filter.Time{Column: filter.Name, Op: filter.AtLeast},
		filter.Time{Column: filter.StartTime},
		filter.IsTrue{Column: filter.Name},
		filter.IsTrue{Column: filter.HasInput, Want: true},
		filter.IsTrue{Column: filter.HasOutput},
		filter.IsSet{Column: filter.Input},
		filter.IsSet{Column: "nope"},
		filter.MetadataText{Key: "k", Value: "x"},
		filter.MetadataNumber{Key: "k"},
	} {
		var p params
		if clause, err := where(&p, "project", []filter.Condition{c}); err == nil {
			t.Errorf("%#v has SQL: %s", c, clause)
		}
	}
}

// A bound compares with every cost as the number itself does.
func TestBoundCost(t *testing.T) {
	t.Parallel()
	for value, want := range map[float64]string{
		0: "0", 0.1: "0.1", -2.5: "-2.5", 0.000000000001: "0.000000000001", 1e-15: "0.0000000000005", -1e-300: "-0.0000000000005",
		0.3000000000004: "0.3000000000005", 1e300: "10000000", -1e300: "-10000000",
	} {
		bound := decimal.RequireFromString(boundCost(value))
		if !bound.Equal(decimal.RequireFromString(want)) || bound.Exponent() < -13 {
			t.Errorf("%v is bound as %s, want %s", value, bound, want)
		}
	}
}
