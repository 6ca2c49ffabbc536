package chstore

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/selfobs"
	"github.com/sondehq/sonde/internal/testkit"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/upgrade"
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
	if err := store.Insert(ctx, []*model.Observation{gone}); err != nil {
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

// A store of the release before is planned without being changed, marked when it is migrated, and refused to a program that
// is too old for it.
func TestPlanAndMark(t *testing.T) { //nolint:paralleltest // it is another version for a while
	version := selfobs.Version
	defer func() { selfobs.Version = version }()
	selfobs.Version = "0.6.0"
	store, err := Open(Config{Nodes: []string{testkit.Engine(t)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	plans, err := store.Plan(t.Context())
	if err != nil || len(plans) != 1 || !plans[0].New || len(plans[0].Pending) < 6 {
		t.Fatalf("of nothing: %+v, %v", plans, err)
	}
	asTheReleaseBeforeLeftIt(t, store)
	for range 2 { // looking changes nothing
		plans, err = store.Plan(t.Context())
		if err != nil || plans[0].New || plans[0].Mark != (upgrade.Mark{}) || plans[0].Pending[0].Name != "0004_search" || plans[0].Pending[0].Kind != upgrade.Expand {
			t.Fatalf("of the third schema: %+v, %v", plans, err)
		}
	}
	if step := plans[0].Pending[0]; len(step.Tables) == 0 || step.Rows < 7 {
		t.Errorf("it changes tables with rows: %+v", step)
	}
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if plans, err = store.Plan(t.Context()); err != nil || len(plans[0].Pending) > 0 || plans[0].Mark != (upgrade.Mark{WrittenBy: "0.6.0"}) {
		t.Errorf("after all: %+v, %v", plans, err)
	}

	refusedOnceContracted(t, store)
}

// asTheReleaseBeforeLeftIt makes the third schema with some rows, and a list of migrations without marks.
func asTheReleaseBeforeLeftIt(t *testing.T, store *Store) {
	t.Helper()
	migrateTo(t, store, 3)
	for _, statement := range []string{
		"ALTER TABLE sonde_migrations DROP COLUMN written_by, DROP COLUMN oldest",
		"INSERT INTO observations (project_id, trace_id, span_id, start_time, type, name, version) SELECT 'p', 't', toString(number), now64(6), 'SPAN', 'n', 1 FROM numbers(7)",
	} {
		if err := store.inserts.do(t.Context(), ch.Query{Body: statement}); err != nil {
			t.Fatal(err)
		}
	}
}

// refusedOnceContracted leaves the mark of a contracting migration, and comes with an older program and with the oldest that may.
func refusedOnceContracted(t *testing.T, store *Store) {
	t.Helper()
	insert := "INSERT INTO sonde_migrations (name, checksum, written_by, oldest) VALUES ('9999_contract', 'x', '0.6.0', '0.5.0')"
	if err := store.inserts.do(t.Context(), ch.Query{Body: insert}); err != nil {
		t.Fatal(err)
	}
	selfobs.Version = "0.4.9"
	if err := store.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "the trace store was changed by sonde 0.6.0, and versions before 0.5.0 cannot open it") {
		t.Errorf("Migrate of an older program: %v", err)
	}
	selfobs.Version = "0.5.0"
	if err := store.Migrate(t.Context()); err != nil {
		t.Errorf("Migrate of the oldest that may: %v", err)
	}
}
