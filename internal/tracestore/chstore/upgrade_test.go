package chstore

import (
	"strconv"
	"testing"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/testkit"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Rows of the first schema are read through every later one, amended and deleted.
func TestRowsOfTheFirstSchema(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	store, err := Open(Config{Nodes: []string{testkit.Engine(t)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	migrateTo(t, store, 1)
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	version := model.RowVersion(at, 0)
	var p params
	for _, statement := range []string{
		"INSERT INTO payloads (project_id, trace_id, start_time, span_id, version, input, output) SELECT 'p', 't', " + p.micros(at.UnixMicro()) + ", 's', " + p.bind("UInt64", strconv.FormatUint(version, 10)) + ", 'in', 'out'",
		"INSERT INTO observations (project_id, trace_id, span_id, start_time, type, name, version) SELECT 'p', 't', 's', " + p.micros(at.UnixMicro()) + ", 'SPAN', 'n', " + p.bind("UInt64", strconv.FormatUint(version, 10)),
	} {
		if err := store.inserts.do(ctx, ch.Query{Body: statement, Parameters: p.list}); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Migrate(ctx); err != nil {
		t.Fatal(err)
	}

	want := &model.Observation{
		ProjectID: "p", TraceID: "t", ID: "s", StartTime: at, Type: model.Span, Name: "n", Input: "in", Output: "out",
		CreatedAt: at, Version: version,
	}
	requireOnly := func(want ...*model.Observation) {
		t.Helper()
		for _, where := range [][]filter.Condition{nil, {filter.OneOf{Column: filter.Name, Values: []string{"n"}}}} {
			got, err := store.Observations(ctx, tracestore.ObservationQuery{ProjectID: "p", Where: where, Limit: 9, IO: true, Metadata: true})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		}
	}
	requireOnly(want)
	want.CostOrigin, want.Version = model.Priced, version+1
	if err := store.Amend(ctx, []*model.Observation{want}); err != nil {
		t.Fatal(err)
	}
	requireOnly(want)
	gone := &model.Observation{ProjectID: "p", TraceID: "t", ID: "s", StartTime: at, Version: version + 2, Deleted: true}
	if err := store.Insert(ctx, tracestore.Batch{Rows: []*model.Observation{gone}}); err != nil {
		t.Fatal(err)
	}
	requireOnly()
}

// migrateTo applies the first n migrations, as an older program would.
func migrateTo(t *testing.T, store *Store, n int) {
	t.Helper()
	steps, err := loadMigrations()
	if err != nil {
		t.Fatal(err)
	}
	options, err := parseAddress(store.config.Nodes[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := createDatabase(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	node := newPool(options, 1)
	defer node.close()
	if err := migrateNode(t.Context(), node, steps[:n], store.config); err != nil {
		t.Fatal(err)
	}
}
