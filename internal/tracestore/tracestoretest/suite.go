package tracestoretest

import (
	"context"
	"crypto/rand"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Stores is all that a trace store implements.
type Stores interface {
	tracestore.Store
	tracestore.Amender
	tracestore.Partials
	tracestore.Rejections
	tracestore.Scores
	tracestore.Tombstones
	tracestore.Eraser
	tracestore.Experiments
	tracestore.Baselines
	tracestore.Metrics
	tracestore.Traces
	tracestore.Places
	tracestore.Lists
	tracestore.Retainer
	tracestore.Skeletons
	tracestore.Texts
	tracestore.ScoreAnalytics
	tracestore.Decisions
}

// Run checks that a store keeps the promises of the port.
//
// Every test works in projects with random ids, so open may hand out one shared store.
func Run(t *testing.T, open func(t *testing.T) Stores) {
	t.Helper()
	groups := map[string]map[string]func(*testing.T, Stores){
		"fields":      fieldTests,
		"fold":        foldTests,
		"pages":       pageTests,
		"conditions":  conditionTests,
		"inheritance": inheritanceTests,
		"tenants":     tenantTests,
		"tombstones":  tombstoneTests,
		"buried":      traceTombstoneTests,
		"amend":       amendTests,
		"partials":    partialTests,
		"rejections":  rejectionTests,
		"metrics":     metricsTests,
		"scores":      scoreTests,
		"analytics":   analyticsTests,
		"search":      searchTests,
		"experiments": experimentTests,
		"baselines":   baselineTests,
		"traces":      traceTests,
		"lists":       listTests,
		"acceptance":  acceptanceTests,
		"retention":   retentionTests,
		"skeleton":    skeletonTests,
		"texts":       textTests,
		"decisions":   decisionTests,
	}
	// Those that rewrite everything or walk through it come first: others leave parts of hundreds of weeks, which each of these looks at.
	for _, group := range []string{"retention", "search", "tenants", "traces"} {
		t.Run(group, func(t *testing.T) { run(t, groups[group], open) }) //nolint:paralleltest // its tests are
		delete(groups, group)
	}
	for group, tests := range groups {
		t.Run(group, func(t *testing.T) {
			t.Parallel()
			run(t, tests, open)
		})
	}
}

// RunErasure checks that what is deleted can be erased. It wants a store apart from that of Run: an erasure waits
// until parts are rewritten and gone, and a table with parts of hundreds of months, as Run leaves it, has many.
func RunErasure(t *testing.T, open func(t *testing.T) Stores) {
	t.Helper()
	run(t, eraseTests, open)
}

func run(t *testing.T, tests map[string]func(*testing.T, Stores), open func(t *testing.T) Stores) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// noon is when the rows of the suite start, unless a test says otherwise.
var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// everything is a page larger than any test fills.
const everything = 10_000

// newProject returns an id that no other test and no earlier run uses.
func newProject() string { return "project-" + rand.Text() }

// newRow makes a plain row that started at the given millisecond after noon.
func newRow(project, trace, id string, millis int, edits ...func(*model.Observation)) *model.Observation {
	o := &model.Observation{
		ProjectID: project, TraceID: trace, ID: id, ParentID: "parent",
		StartTime: noon.Add(time.Duration(millis) * time.Millisecond),
		Type:      model.Span, Level: model.Default, Environment: model.DefaultEnvironment,
	}
	setVersion(o, 0)
	for _, edit := range edits {
		edit(o)
	}
	return o
}

// setVersion makes o the nth version of its row. Version and CreatedAt name the same moment, as
// model.RowVersion has it: a store may keep one of them only.
func setVersion(o *model.Observation, n int) {
	o.CreatedAt = noon.Add(time.Hour + time.Duration(n)*time.Millisecond)
	o.Version = model.RowVersion(o.CreatedAt, 0)
}

func version(n int) func(*model.Observation) {
	return func(o *model.Observation) { setVersion(o, n) }
}

func asRoot(o *model.Observation) { o.ParentID = "" }

func insert(t *testing.T, store tracestore.Store, rows ...*model.Observation) {
	t.Helper()
	if err := store.Insert(t.Context(), rows); err != nil {
		t.Fatalf("insert %d rows: %v", len(rows), err)
	}
}

func read(t *testing.T, store tracestore.Store, q tracestore.ObservationQuery) []*model.Observation {
	t.Helper()
	rows, err := store.Observations(t.Context(), q)
	if err != nil {
		t.Fatalf("read %+v: %v", q, err)
	}
	if len(rows) > q.Limit {
		t.Fatalf("a page of %d rows, asked for %d", len(rows), q.Limit)
	}
	return rows
}

// readAll reads all rows of a project that match, complete.
func readAll(t *testing.T, store tracestore.Store, project string, where ...filter.Condition) []*model.Observation {
	t.Helper()
	return read(t, store, tracestore.ObservationQuery{
		ProjectID: project, Where: where, Limit: everything, IO: true, Metadata: true,
	})
}

// readOne reads the only row of a project that matches.
func readOne(t *testing.T, store tracestore.Store, project string, where ...filter.Condition) *model.Observation {
	t.Helper()
	rows := readAll(t, store, project, where...)
	if len(rows) != 1 {
		t.Fatalf("read %d rows, want 1: %q", len(rows), idsOf(rows))
	}
	return rows[0]
}

func count(t *testing.T, store tracestore.Store, project string, where ...filter.Condition) int {
	t.Helper()
	n, err := store.CountObservations(t.Context(), project, where)
	if err != nil {
		t.Fatalf("count %+v: %v", where, err)
	}
	return int(n)
}

// walk follows a query page by page to its end and calls between after every page.
func walk(t *testing.T, store tracestore.Store, q tracestore.ObservationQuery, between func()) []*model.Observation {
	t.Helper()
	var all []*model.Observation
	for range everything {
		page := read(t, store, q)
		all = append(all, page...)
		if len(page) < q.Limit {
			return all
		}
		last := positionOf(page[len(page)-1])
		q.After = &last
		between()
	}
	t.Fatal("the walk does not end")
	return nil
}

func idsOf(rows []*model.Observation) []string {
	ids := make([]string, len(rows))
	for i, o := range rows {
		ids[i] = o.ID
	}
	return ids
}

// requireIDs compares the ids of rows in page order.
func requireIDs(t *testing.T, rows []*model.Observation, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, idsOf(rows), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("ids (-want +got):\n%s", diff)
	}
}

// requireSame compares whole rows. Texts of megabytes are compared apart, so that a difference
// does not print them.
func requireSame(t *testing.T, got, want *model.Observation) {
	t.Helper()
	got, want = clone(got), clone(want)
	for name, pair := range map[string][2]*string{"input": {&got.Input, &want.Input}, "output": {&got.Output, &want.Output}} {
		if len(*pair[1]) < 10_000 {
			continue
		}
		if *pair[0] != *pair[1] {
			t.Errorf("%s of %d bytes came back different, with %d bytes", name, len(*pair[1]), len(*pair[0]))
		}
		*pair[0], *pair[1] = "", ""
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("row %q (-want +got):\n%s", want.ID, diff)
	}
}

// requireOrder checks that rows are in page order and none appears twice.
func requireOrder(t *testing.T, rows []*model.Observation) {
	t.Helper()
	for i := 1; i < len(rows); i++ {
		if newestFirst(positionOf(rows[i-1]), positionOf(rows[i])) >= 0 {
			t.Fatalf("row %d %+v is not below row %d %+v", i, positionOf(rows[i]), i-1, positionOf(rows[i-1]))
		}
	}
}

func sorted(rows []*model.Observation) []*model.Observation {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b *model.Observation) int { return newestFirst(positionOf(a), positionOf(b)) })
	return rows
}

func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
