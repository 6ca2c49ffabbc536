package query

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/tracestoretest"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// storeWith returns a store with n rows of one project, one millisecond apart.
func storeWith(t *testing.T, project string, n int) *tracestoretest.Memory {
	t.Helper()
	store := &tracestoretest.Memory{}
	var rows []*model.Observation
	for i := range n {
		rows = append(rows, &model.Observation{
			ProjectID: project, TraceID: "t", ID: fmt.Sprintf("s%03d", i), Version: 1,
			StartTime: noon.Add(time.Duration(i) * time.Millisecond), Input: "in",
			Metadata: []model.MetadataEntry{{Name: "k", Value: "v", Type: model.MetadataString}},
		})
	}
	if err := store.Insert(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	return store
}

func TestWalk(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rows, limit, pages int }{
		{0, 10, 1}, {1, 10, 1}, {10, 10, 1}, {11, 10, 2}, {20, 10, 2}, {7, 1, 7}, {1000, 1000, 1}, {1001, 1000, 2},
	} {
		t.Run(fmt.Sprintf("%d rows by %d", c.rows, c.limit), func(t *testing.T) {
			t.Parallel()
			service := New(storeWith(t, "p", c.rows))
			req := Request{Limit: c.limit}
			seen, pages := 0, 0
			for {
				page, err := service.Observations(t.Context(), "p", req)
				if err != nil {
					t.Fatal(err)
				}
				for _, o := range page.Rows {
					if want := fmt.Sprintf("s%03d", c.rows-1-seen); o.ID != want {
						t.Fatalf("row %d is %s, want %s", seen, o.ID, want)
					}
					seen++
				}
				pages++
				if req.Cursor = page.Cursor; req.Cursor == "" {
					break
				}
			}
			if seen != c.rows || pages != c.pages {
				t.Errorf("saw %d rows on %d pages, want %d on %d", seen, pages, c.rows, c.pages)
			}
		})
	}
}

func TestLimitZero(t *testing.T) {
	t.Parallel()
	page, err := New(storeWith(t, "p", 3)).Observations(t.Context(), "p", Request{})
	if err != nil || len(page.Rows) != 0 || page.Cursor != "" {
		t.Errorf("got %+v, %v; want an empty page without cursor", page, err)
	}
}

func TestLoadsOnlyRequestedGroups(t *testing.T) {
	t.Parallel()
	service := New(storeWith(t, "p", 1))
	for groups, want := range map[Groups][2]bool{
		DefaultGroups: {false, false}, Core | IO: {true, false}, Core | Metadata: {false, true}, IO | Metadata: {true, true},
	} {
		page, err := service.Observations(t.Context(), "p", Request{Groups: groups, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]bool{page.Rows[0].Input != "", len(page.Rows[0].Metadata) > 0}; got != want {
			t.Errorf("groups %b: input and metadata loaded %v, want %v", groups, got, want)
		}
	}
}

// What a trace lends is only read for groups that show it; a condition on it needs no group.
func TestInheritedOnlyWhereShown(t *testing.T) {
	t.Parallel()
	store := storeWith(t, "p", 1)
	root := &model.Observation{ProjectID: "p", TraceID: "t", ID: "root", StartTime: noon.Add(-time.Second), Version: 1, UserID: "u"}
	child := &model.Observation{ProjectID: "p", TraceID: "t", ID: "child", ParentID: "root", StartTime: noon.Add(time.Second), Version: 1}
	if err := store.Insert(t.Context(), []*model.Observation{root, child}); err != nil {
		t.Fatal(err)
	}
	user := []filter.Condition{filter.OneOf{Column: filter.UserID, Values: []string{"u"}}}
	for groups, want := range map[Groups]string{Core: "", Core | IO | Time: "", Core | Basic: "u", Core | TraceContext: "u"} {
		page, err := New(store).Observations(t.Context(), "p", Request{Groups: groups, Fixed: user, Limit: 1})
		if err != nil || len(page.Rows) != 1 {
			t.Fatalf("groups %b: %d rows (%v), want 1", groups, len(page.Rows), err)
		}
		if got := page.Rows[0].UserID; got != want {
			t.Errorf("groups %b: user %q, want %q", groups, got, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		req  Request
		want string
	}{
		"limit below":        {Request{Limit: -1}, "limit must be between 0 and 1000, got -1"},
		"limit above":        {Request{Limit: 1001}, "limit must be between 0 and 1000, got 1001"},
		"cursor":             {Request{Cursor: "%"}, "Invalid cursor format"},
		"cursor, limit zero": {Request{Cursor: "abc", Limit: 0}, "Invalid cursor format"},
		"filter no JSON":     {Request{Filter: "[{"}, "Invalid JSON in filter parameter"},
		"filter no array":    {Request{Filter: `{"a":1}`}, "filter must be a JSON array of conditions {type, column, operator, value}"},
		"filter of numbers":  {Request{Filter: `[1]`}, "filter.0 must be a condition {type, column, operator, value}"},
		"filter": {
			Request{Filter: `[{"type":"number","column":"endTime","operator":"=","value":1}]`},
			`filter condition 1 (type "number", column "endTime", operator "="): column endTime takes conditions of type datetime or null`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := New(storeWith(t, "p", 1)).Observations(t.Context(), "p", c.req)
			var f *fault.Fault
			if !errors.As(err, &f) || f.Kind != fault.Invalid || f.Public() != c.want {
				t.Errorf("got %v, want an invalid fault %q", err, c.want)
			}
		})
	}
}

func TestEmptyFilterIsNone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " ", "[]", " [ ] ", "null"} {
		page, err := New(storeWith(t, "p", 2)).Observations(t.Context(), "p", Request{Filter: text, Limit: 5})
		if err != nil || len(page.Rows) != 2 {
			t.Errorf("filter %q: %d rows, %v", text, len(page.Rows), err)
		}
	}
}

func TestTimesAreBounded(t *testing.T) {
	t.Parallel()
	far := time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
	got, err := plan("p", Request{
		Limit: 1,
		Fixed: []filter.Condition{
			filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: time.Time{}},
			filter.Time{Column: filter.StartTime, Op: filter.Below, At: far},
			filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: noon.Add(1_234_567)},
		},
		Cursor: filter.EncodeCursor(filter.Position{StartTime: far, ID: "x"}),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []filter.Condition{
		filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: earliest},
		filter.Time{Column: filter.StartTime, Op: filter.Below, At: latest},
		filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: noon.Add(time.Millisecond)},
	}
	if diff := cmp.Diff(want, got.Where); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
	if !got.After.StartTime.Equal(latest) {
		t.Errorf("position at %v, want %v", got.After.StartTime, latest)
	}
}

type brokenStore struct {
	*tracestoretest.Memory
	err error
}

func (s brokenStore) Observations(context.Context, tracestore.ObservationQuery) ([]*model.Observation, error) {
	return nil, s.err
}

func TestStoreErrors(t *testing.T) {
	t.Parallel()
	expensive := fmt.Errorf("code 241: %w", tracestore.ErrTooExpensive)
	for _, c := range []struct {
		err  error
		want fault.Kind
	}{{expensive, fault.Exhausted}, {fault.Unavailablef("engine"), fault.Unavailable}, {errors.New("boom"), fault.Internal}} {
		_, err := New(brokenStore{err: c.err}).Observations(t.Context(), "p", Request{Limit: 1})
		if !fault.Is(err, c.want) || !errors.Is(err, c.err) {
			t.Errorf("%v became %v", c.err, err)
		}
	}
}

// TestPrecedence: a condition of the filter switches off the fixed parameters on its column, by
// whatever name it calls it, and no others.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	since := filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: noon}
	before := filter.Time{Column: filter.StartTime, Op: filter.Below, At: noon.Add(time.Hour)}
	production := filter.OneOf{Column: filter.Environment, Values: []string{"production"}}
	trace := filter.OneOf{Column: filter.TraceID, Values: []string{"t1"}}
	fixed := []filter.Condition{since, before, production, trace}
	for text, want := range map[string][]filter.Condition{
		`[]`: fixed,
		`[{"type":"positionInTrace","column":"startTime","operator":"=","key":"root"}]`: fixed,
		`[{"type":"null","column":"endTime","operator":"is null"}]`:                     append(fixed[:4:4], filter.IsSet{Column: filter.EndTime}),
		`[{"type":"datetime","column":"Start Time","operator":"<=","value":"2026-05-01T12:00:00.0019Z"}]`: {
			production, trace, filter.Time{Column: filter.StartTime, Op: filter.AtMost, At: noon.Add(time.Millisecond)},
		},
		`[{"type":"stringOptions","column":"traceEnvironment","operator":"none of","value":["dev"]}]`: {
			since, before, trace, filter.OneOf{Column: filter.Environment, Values: []string{"dev"}, Not: true},
		},
		`[{"type":"datetime","column":"endTime","operator":">","value":"0001-01-01"},{"type":"datetime","column":"endTime","operator":"<","value":"9999"}]`: append(fixed[:4:4],
			filter.Time{Column: filter.EndTime, Op: filter.Above, At: earliest}, filter.Time{Column: filter.EndTime, Op: filter.Below, At: latest}),
	} {
		got, err := plan("p", Request{Fixed: fixed, Filter: text, Limit: 1})
		if diff := cmp.Diff(want, got.Where); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, diff)
		}
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	name := filter.OneOf{Column: filter.Name, Values: []string{"fixed"}}
	since := filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: noon}
	before := filter.Time{Column: filter.StartTime, Op: filter.Below, At: noon}
	root := filter.IsTrue{Column: filter.IsRootObservation, Want: true}
	other := filter.OneOf{Column: filter.Name, Values: []string{"filter"}}
	for _, c := range []struct{ fixed, advanced, want []filter.Condition }{
		{nil, nil, nil},
		{[]filter.Condition{name, since}, nil, []filter.Condition{name, since}},
		{[]filter.Condition{name, since}, []filter.Condition{other}, []filter.Condition{since, other}},
		{[]filter.Condition{name, since, before, root}, []filter.Condition{since}, []filter.Condition{name, root, since}},
	} {
		if diff := cmp.Diff(c.want, merge(c.fixed, c.advanced), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("merge (-want +got):\n%s", diff)
		}
	}
}

func TestParseGroups(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]Groups{
		"": DefaultGroups, " , ": DefaultGroups, "core": Core, "nonsense": Core, "IO": Core,
		"io, metadata,,": Core | IO | Metadata, "trace_context,usage,unknown": Core | TraceContext | Usage,
		"basic,time,model,prompt,metrics": Core | Basic | Time | Model | Prompt | Metrics,
	} {
		if got := ParseGroups(list); got != want {
			t.Errorf("ParseGroups(%q) = %b, want %b", list, got, want)
		}
	}
}
