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

func (s brokenStore) Scores(context.Context, tracestore.ScoreQuery) ([]*model.Score, error) {
	return nil, s.err
}

func scoresOf(t *testing.T, n int) *tracestoretest.Memory {
	t.Helper()
	store := &tracestoretest.Memory{}
	var scores []*model.Score
	for i := range n {
		scores = append(scores, &model.Score{
			ProjectID: "p", ID: fmt.Sprintf("s%03d", i), TraceID: "t", Timestamp: noon.Add(time.Duration(i/3) * time.Millisecond), Version: 1,
			Metadata: []model.MetadataEntry{{Name: "k", Value: "v", Type: model.MetadataString}},
		})
	}
	if err := store.InsertScores(t.Context(), scores); err != nil {
		t.Fatal(err)
	}
	return store
}

func TestScoreWalk(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rows, limit, pages int }{{0, 10, 1}, {10, 10, 1}, {11, 10, 2}, {7, 1, 7}, {100, 100, 1}, {201, 100, 3}} {
		service, req := New(scoresOf(t, c.rows)), ScoreRequest{Limit: c.limit}
		var ids []string
		pages := 0
		for {
			page, err := service.Scores(t.Context(), "p", req)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range page.Rows {
				ids = append(ids, s.ID)
			}
			pages++
			if req.Cursor = page.Cursor; req.Cursor == "" {
				break
			}
		}
		slices.Reverse(ids)
		if len(ids) != c.rows || pages != c.pages || !slices.IsSorted(ids) || len(slices.Compact(ids)) != c.rows {
			t.Errorf("%d scores by %d: saw %d on %d pages", c.rows, c.limit, len(ids), pages)
		}
	}
}

func TestScoreRefusals(t *testing.T) {
	t.Parallel()
	service := New(scoresOf(t, 1))
	for want, req := range map[string]ScoreRequest{
		"limit must be between 1 and 100, got 0":   {},
		"limit must be between 1 and 100, got 101": {Limit: 101},
		"Invalid cursor format":                    {Limit: 1, Cursor: "%"},
	} {
		_, err := service.Scores(t.Context(), "p", req)
		var f *fault.Fault
		if !errors.As(err, &f) || f.Kind != fault.Invalid || f.Public() != want {
			t.Errorf("got %v, want an invalid fault %q", err, want)
		}
	}
	for _, c := range []struct {
		err  error
		want fault.Kind
	}{{fmt.Errorf("x: %w", tracestore.ErrTooExpensive), fault.Exhausted}, {fault.Unavailablef("engine"), fault.Unavailable}, {errors.New("boom"), fault.Internal}} {
		if _, err := New(brokenStore{err: c.err}).Scores(t.Context(), "p", ScoreRequest{Limit: 1}); !fault.Is(err, c.want) || !errors.Is(err, c.err) {
			t.Errorf("%v became %v", c.err, err)
		}
	}
}

// Times that no store holds mean the same as the first or last that it does.
func TestScoreTimesAreBounded(t *testing.T) {
	t.Parallel()
	var got tracestore.ScoreQuery
	service := New(noting{scoresOf(t, 1), &got})
	at := func(year int) filter.Condition {
		return filter.Time{Column: filter.Timestamp, Op: filter.Below, At: time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)}
	}
	if _, err := service.Scores(t.Context(), "p", ScoreRequest{Limit: 1, Fixed: []filter.Condition{at(1), at(9999)}}); err != nil {
		t.Fatal(err)
	}
	want := []filter.Condition{
		filter.Time{Column: filter.Timestamp, Op: filter.Below, At: earliest}, filter.Time{Column: filter.Timestamp, Op: filter.Below, At: latest},
	}
	if diff := cmp.Diff(want, got.Where); diff != "" || got.Limit != 2 || got.Metadata {
		t.Errorf("asked %+v (-want +got):\n%s", got, diff)
	}
}

type noting struct {
	*tracestoretest.Memory
	query *tracestore.ScoreQuery
}

func (n noting) Scores(ctx context.Context, q tracestore.ScoreQuery) ([]*model.Score, error) {
	*n.query = q
	return n.Memory.Scores(ctx, q)
}
