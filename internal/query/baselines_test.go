package query

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/tracestoretest"
)

func (s brokenStore) CompareExperiments(context.Context, tracestore.Compared) ([]tracestore.FigureSummary, error) {
	return nil, s.err
}

func (s brokenStore) ComparedItems(context.Context, tracestore.ComparedItemQuery) (tracestore.ComparedItems, error) {
	return tracestore.ComparedItems{}, s.err
}

// comparedStore has experiments a and b with so many items, of which the first few fell by 0.1 and all others rose by rise.
func comparedStore(t *testing.T, items, fallen int, rise float64) *tracestoretest.Memory {
	t.Helper()
	store := &tracestoretest.Memory{}
	var rows []*model.Observation
	var scores []*model.Score
	for i := range items {
		for _, x := range []string{"a", "b"} {
			trace := fmt.Sprintf("%s-%03d", x, i)
			rows = append(rows, &model.Observation{
				ProjectID: "p", TraceID: trace, ID: "task", Version: 1, StartTime: noon.Add(time.Duration(i) * time.Second),
				Experiment: &model.Experiment{ID: x, Name: "run " + x, ItemID: fmt.Sprintf("i%03d", i), ItemRootID: "task"},
			})
			number := 0.5
			if x == "b" {
				number += rise
				if i < fallen {
					number = 0.4
				}
			}
			scores = append(scores, &model.Score{
				ProjectID: "p", ID: trace, Timestamp: noon, Name: "accuracy", Type: model.Numeric, Number: number, TraceID: trace, Version: 1,
			})
		}
	}
	if err := errors.Join(store.Insert(t.Context(), rows), store.InsertScores(t.Context(), scores)); err != nil {
		t.Fatal(err)
	}
	return store
}

func TestComparisonInWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		items, fallen int
		rise          float64
		lower         []string
		want          string
		improved      uint64
	}{
		// SciPy on 60 times -0.1 and 137 times 0: mean -0.030457, interval -0.036940 to -0.023974, p 3.5e-17
		{items: 197, fallen: 60, want: "accuracy fell by 0.030 (95 % CI -0.037 to -0.024), p < 0.001, paired over 197 items"},
		{items: 10, fallen: 1, rise: 0.01, want: "accuracy fell by 0.0010 (95 % CI -0.0259 to 0.0239), p = 0.930, paired over 10 items", improved: 9},
		{items: 10, fallen: 1, rise: 0.01, lower: []string{"accuracy"}, want: "accuracy fell by 0.0010 (95 % CI -0.0259 to 0.0239), p = 0.930, paired over 10 items", improved: 1},
		{items: 3, want: "accuracy did not change, paired over 3 items"},
		{items: 4, rise: 0.25, want: "accuracy rose by 0.250 on each of 4 items", improved: 4},
		{items: 1, rise: 0.25, want: "accuracy rose by 0.250, paired over 1 item", improved: 1},
	} {
		got, err := New(comparedStore(t, c.items, c.fallen, c.rise)).
			CompareExperiments(t.Context(), "p", BaselineRequest{Baseline: "a", Others: []string{"b"}, LowerIsBetter: c.lower})
		if err != nil {
			t.Fatal(err)
		}
		change := got.Figures[0].Experiments[1]
		if change.Summary != c.want || change.Improved != c.improved {
			t.Errorf("%d items: %d improved, want %d\n got %s\nwant %s", c.items, change.Improved, c.improved, change.Summary, c.want)
		}
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	figure := func(kind tracestore.FigureKind, name string, of model.ScoreType) tracestore.Figure {
		return tracestore.Figure{Kind: kind, Name: name, Type: of}
	}
	for want, s := range map[string]tracestore.FigureSummary{
		"tone differs for 3 of 20 items":                                                           {Figure: figure("score", "tone", model.Categorical), Paired: 20, Rose: 3, Stayed: 17},
		"tone cannot be compared: no item has it in both":                                          {Figure: figure("score", "tone", model.Categorical)},
		"latency rose by 1.500 s (95 % CI 0.552 to 2.448), p = 0.012, paired over 5 items":         {Figure: figure("latency", "latency", model.Numeric), Paired: 5, Rose: 4, Fell: 1, Delta: 1.5, Deviation: 0.7637},
		"cost fell by 0.000012 USD, paired over 1 item":                                            {Figure: figure("cost", "cost", model.Numeric), Paired: 1, Fell: 1, Delta: -0.000012},
		"correct fell by 0.600 (95 % CI -1.280 to 0.080), p = 0.250, paired over 5 items":          {Figure: figure("score", "correct", model.Boolean), Paired: 5, Fell: 3, Stayed: 2, Delta: -0.6, Deviation: math.Sqrt(0.3)},
		"correct is the same on average (95 % CI -0.589 to 0.589), p = 1.000, paired over 9 items": {Figure: figure("score", "correct", model.Boolean), Paired: 9, Rose: 3, Fell: 3, Stayed: 3, Deviation: 0.7660},
	} {
		if got := changeOf(s, false).Summary; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestComparisonRefusals(t *testing.T) {
	t.Parallel()
	service := New(comparedStore(t, 2, 1, 0))
	many := strings.Split(strings.Repeat("x", 50), "")
	for field, req := range map[string]ComparedItemRequest{
		"baseline":      {},
		"c":             {BaselineRequest: BaselineRequest{Baseline: "a", Others: []string{"a"}}},
		"c ":            {BaselineRequest: BaselineRequest{Baseline: "a", Others: []string{""}}},
		"c  ":           {BaselineRequest: BaselineRequest{Baseline: "a", Others: []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}}},
		"lowerIsBetter": {BaselineRequest: BaselineRequest{Baseline: "a", LowerIsBetter: append(many, "y")}},
		"limit":         {BaselineRequest: BaselineRequest{Baseline: "a"}, Number: PageNumber{1, 101}, IO: true},
		"limit ":        {BaselineRequest: BaselineRequest{Baseline: "a"}, Number: PageNumber{1, 1001}},
		"page":          {BaselineRequest: BaselineRequest{Baseline: "a"}, Number: PageNumber{math.MaxInt / 2, 100}},
		"q":             {BaselineRequest: BaselineRequest{Baseline: "a"}, Number: PageNumber{1, 100}, Search: strings.Repeat("x", 1001)},
	} {
		_, err := service.ComparedItems(t.Context(), "p", req)
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), strings.TrimSpace(field)) {
			t.Errorf("%s: %v", field, err)
		}
	}
	_, err := service.CompareExperiments(t.Context(), "p", BaselineRequest{Baseline: "a", Others: []string{"unknown"}})
	if !fault.Is(err, fault.NotFound) {
		t.Errorf("an unknown experiment: %v", err)
	}
	broken := New(brokenStore{err: tracestore.ErrTooExpensive})
	_, first := broken.CompareExperiments(t.Context(), "p", BaselineRequest{Baseline: "a"})
	_, second := broken.ComparedItems(t.Context(), "p", ComparedItemRequest{BaselineRequest: BaselineRequest{Baseline: "a"}, Number: PageNumber{1, 1}})
	if !fault.Is(first, fault.Exhausted) || !fault.Is(second, fault.Exhausted) {
		t.Errorf("too expensive: %v, %v", first, second)
	}
}
