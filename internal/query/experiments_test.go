package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/tracestoretest"
)

func (s brokenStore) Experiments(context.Context, tracestore.ExperimentQuery) ([]*tracestore.Experiment, error) {
	return nil, s.err
}

func (s brokenStore) ExperimentItems(context.Context, tracestore.ExperimentItemQuery) ([]*tracestore.ExperimentItem, error) {
	return nil, s.err
}

func (s brokenStore) NewestScores(context.Context, string, []tracestore.ScoreSubject, int) ([]*model.Score, error) {
	return nil, s.err
}

// experimentsOf returns a store with n experiments of one item each, one millisecond apart.
func experimentsOf(t *testing.T, n int) *tracestoretest.Memory {
	t.Helper()
	store := &tracestoretest.Memory{}
	for i := range n {
		insertRun(t, store, fmt.Sprintf("x%03d", i), fmt.Sprintf("t%03d", i), i)
	}
	return store
}

func insertRun(t *testing.T, store *tracestoretest.Memory, experiment, trace string, millis int) {
	t.Helper()
	o := &model.Observation{
		ProjectID: "p", TraceID: trace, ID: "task", Version: 1, StartTime: noon.Add(time.Duration(millis) * time.Millisecond), Input: "in",
		Experiment: &model.Experiment{ID: experiment, Name: "run", ItemID: "i", ItemRootID: "task"},
	}
	if err := store.Insert(t.Context(), []*model.Observation{o}); err != nil {
		t.Fatal(err)
	}
}

func experimentRequest(limit int) ExperimentRequest {
	return ExperimentRequest{Window: tracestore.Window{From: noon}, Limit: limit, ScoreLimit: 2, Scores: true}
}

func TestExperimentWalk(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rows, limit, pages int }{{0, 10, 1}, {10, 10, 1}, {11, 10, 2}, {7, 1, 7}, {100, 100, 1}, {101, 100, 2}} {
		service := New(experimentsOf(t, c.rows))
		walk := func(read func(ExperimentRequest) ([]string, string, error)) {
			t.Helper()
			req, pages := experimentRequest(c.limit), 0
			var ids []string
			for {
				page, cursor, err := read(req)
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, page...)
				pages++
				if req.Cursor = cursor; cursor == "" {
					break
				}
			}
			slices.Reverse(ids)
			if len(ids) != c.rows || pages != c.pages || !slices.IsSorted(ids) || len(slices.Compact(ids)) != c.rows {
				t.Errorf("%d rows by %d: saw %d on %d pages", c.rows, c.limit, len(ids), pages)
			}
		}
		walk(func(req ExperimentRequest) (ids []string, cursor string, err error) {
			page, err := service.Experiments(t.Context(), "p", req)
			for _, x := range page.Rows {
				ids = append(ids, x.ID)
			}
			return ids, page.Cursor, err
		})
		walk(func(req ExperimentRequest) (ids []string, cursor string, err error) {
			page, err := service.ExperimentItems(t.Context(), "p", req)
			for _, item := range page.Rows {
				ids = append(ids, item.TraceID)
			}
			return ids, page.Cursor, err
		})
	}
}

func scoreIDs(scores []*model.Score) []string {
	ids := []string{}
	for _, s := range scores {
		ids = append(ids, s.ID)
	}
	return ids
}

// Each row shows its own newest scores; those of the observation and of the trace are one list.
func TestExperimentScores(t *testing.T) {
	t.Parallel()
	store := experimentsOf(t, 2)
	score := func(id string, seconds int, edit func(*model.Score)) *model.Score {
		s := &model.Score{ProjectID: "p", ID: id, Type: model.Numeric, Timestamp: noon.Add(time.Duration(seconds) * time.Second), Version: 1}
		edit(s)
		return s
	}
	run := func(s *model.Score) { s.ExperimentID = "x001" }
	task := func(s *model.Score) { s.TraceID, s.ObservationID = "t001", "task" }
	trace := func(s *model.Score) { s.TraceID = "t001" }
	err := store.InsertScores(t.Context(), []*model.Score{
		score("run-1", 1, run), score("run-2", 2, run), score("run-3", 3, run),
		score("task-4", 4, task), score("trace-5", 5, trace), score("task-6", 6, task), score("trace-3", 3, trace),
		score("other", 9, func(s *model.Score) { s.TraceID, s.ObservationID = "t001", "other" }),
	})
	if err != nil {
		t.Fatal(err)
	}
	experiments, err := New(store).Experiments(t.Context(), "p", experimentRequest(5))
	if err != nil {
		t.Fatal(err)
	}
	items, err := New(store).ExperimentItems(t.Context(), "p", experimentRequest(5))
	if err != nil {
		t.Fatal(err)
	}
	got := [][]string{scoreIDs(experiments.Rows[0].Scores), scoreIDs(experiments.Rows[1].Scores), scoreIDs(items.Rows[0].Scores), scoreIDs(items.Rows[1].Scores)}
	if diff := cmp.Diff([][]string{{"run-3", "run-2"}, {}, {"task-6", "trace-5"}, {}}, got); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
	req := experimentRequest(5)
	req.Scores = false
	if items, err = New(store).ExperimentItems(t.Context(), "p", req); err != nil || len(items.Rows[0].Scores) != 0 {
		t.Errorf("scores that nobody asked for: %v (%v)", items.Rows[0].Scores, err)
	}
}

func TestExperimentRefusals(t *testing.T) {
	t.Parallel()
	service := New(experimentsOf(t, 1))
	condition := func(column string) string {
		return `[{"type":"string","column":"` + column + `","operator":"=","value":"x"}]`
	}
	for want, req := range map[string]ExperimentRequest{
		"limit must be between 1 and 100, got 0":      {ScoreLimit: 1},
		"limit must be between 1 and 100, got 101":    {Limit: 101, ScoreLimit: 1},
		"scoreLimit must be between 1 and 50, got 0":  {Limit: 1},
		"scoreLimit must be between 1 and 50, got 51": {Limit: 1, ScoreLimit: 51},
		"Invalid JSON in filter parameter":            {Limit: 1, ScoreLimit: 1, Filter: "["},
		`filter condition 1 (type "string", column "userId", operator "="): unknown column; use one of id, name, datasetId`: {
			Limit: 1, ScoreLimit: 1, Filter: condition("userId"),
		},
	} {
		_, err := service.Experiments(t.Context(), "p", req)
		var f *fault.Fault
		if !errors.As(err, &f) || f.Kind != fault.Invalid || f.Public() != want {
			t.Errorf("got %v, want an invalid fault %q", err, want)
		}
	}
	for _, cursor := range []string{"%", "e30"} {
		req := experimentRequest(1)
		req.Cursor = cursor
		if _, err := service.Experiments(t.Context(), "p", req); !fault.Is(err, fault.Invalid) {
			t.Errorf("cursor %q gives %v", cursor, err)
		}
		if _, err := service.ExperimentItems(t.Context(), "p", req); !fault.Is(err, fault.Invalid) {
			t.Errorf("cursor %q gives %v", cursor, err)
		}
	}
	req := experimentRequest(1)
	req.Filter = condition("name")
	if _, err := service.ExperimentItems(t.Context(), "p", req); !fault.Is(err, fault.Invalid) {
		t.Errorf("items take a condition on name: %v", err)
	}
	for _, c := range []struct {
		err  error
		want fault.Kind
	}{{fmt.Errorf("x: %w", tracestore.ErrTooExpensive), fault.Exhausted}, {fault.Unavailablef("engine"), fault.Unavailable}, {errors.New("boom"), fault.Internal}} {
		broken := New(brokenStore{err: c.err})
		_, first := broken.Experiments(t.Context(), "p", experimentRequest(1))
		_, second := broken.ExperimentItems(t.Context(), "p", experimentRequest(1))
		_, third := New(withoutScores{experimentsOf(t, 1), c.err}).Experiments(t.Context(), "p", experimentRequest(1))
		for _, err := range []error{first, second, third} {
			if !fault.Is(err, c.want) || !errors.Is(err, c.err) {
				t.Errorf("%v became %v", c.err, err)
			}
		}
	}
}

// withoutScores cannot read scores.
type withoutScores struct {
	*tracestoretest.Memory
	err error
}

func (s withoutScores) NewestScores(context.Context, string, []tracestore.ScoreSubject, int) ([]*model.Score, error) {
	return nil, s.err
}

// A condition takes the place of the parameter of its column, and no other; times are bounded.
func TestExperimentPlan(t *testing.T) {
	t.Parallel()
	name := filter.OneOf{Column: filter.Name, Values: []string{"a"}}
	id := filter.OneOf{Column: filter.ID, Values: []string{"x"}}
	req := ExperimentRequest{
		Window: tracestore.Window{To: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}, Fixed: []filter.Condition{name, id}, Limit: 1, ScoreLimit: 1,
		Filter: `[{"type":"null","column":"name","operator":"is null"}]`,
		Cursor: filter.EncodeCursor(filter.Position{StartTime: noon, ID: "x"}),
	}
	where, after, err := experimentPlan(&req, filter.Experiments)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]filter.Condition{id, filter.IsSet{Column: filter.Name}}, where); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
	if *after != (filter.Position{StartTime: noon, ID: "x"}) || !req.Window.From.Equal(earliest) || !req.Window.To.Equal(latest) {
		t.Errorf("after %+v in %+v", after, req.Window)
	}
}
