package chstore

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/engine"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/testkit"
	"github.com/sondehq/sonde/internal/tracestore"
)

// told is all that a statement answers, in one text.
func told(t *testing.T, store *Store, statement string) string {
	t.Helper()
	var text proto.ColStr
	var lines []string
	err := store.inserts.do(t.Context(), ch.Query{
		Body: statement, Result: proto.Results{{Name: "text", Data: &text}},
		OnResult: func(context.Context, proto.Block) error {
			for i := range text.Rows() {
				lines = append(lines, text.Row(i))
			}
			return nil
		},
	})
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return strings.Join(lines, "\n")
}

// folded is what each table has of a project: how many rows, and a sum over every byte of them.
func folded(t *testing.T, store *Store, project string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, table := range movedTables() {
		all[table.table] = told(t, store, "SELECT concat(toString(count()), ' rows, sum ', toString(sum(cityHash64(toString(tuple(*)))))) AS text FROM "+table.table+" FINAL WHERE project_id = '"+project+"'")
	}
	return all
}

// fill stores something in every table, for several months.
func fill(t *testing.T, store *Store, project string, from, to int) {
	t.Helper()
	now := time.Now().UTC().Truncate(time.Microsecond)
	var rows []*model.Observation
	var scores []*model.Score
	var decisions []model.Decision
	var partials []tracestore.Partial
	for i := from; i < to; i++ {
		at, id := now.AddDate(0, 0, -5*(i%20)), fmt.Sprint("span", i)
		trace := fmt.Sprint("trace", i/5)
		rows = append(rows, &model.Observation{
			ProjectID: project, TraceID: trace, ID: id, StartTime: at, Name: id, UserID: fmt.Sprint("user", i%3), Tags: []string{"a", strconv.Itoa(i)},
			Type: model.Generation, Level: model.Default, Environment: model.DefaultEnvironment, Input: strings.Repeat("in ", i), Output: id,
			CostDetails: map[string]decimal.Decimal{model.TotalKey: decimal.New(int64(i), -3)}, UsageDetails: map[string]uint64{"input": uint64(i)},
			Version: model.RowVersion(now, i),
		})
		scores = append(scores, &model.Score{ProjectID: project, ID: id, TraceID: trace, Timestamp: at.Truncate(time.Millisecond), Name: "n", Type: model.Numeric, CreatedAt: now, Version: model.RowVersion(now, i)})
		decisions = append(decisions, model.Decision{ProjectID: project, RuleID: "r", TraceID: trace, ObservationID: id, StartTime: at, EvaluatorID: "e", Outcome: "scored", Cost: "0.25", At: now})
		partials = append(partials, tracestore.Partial{ProjectID: project, TraceID: trace, EntityID: id, EventTime: at, EventID: id, Kind: "k", Version: model.RowVersion(now, i), Body: []byte(`{"i":1}`)})
	}
	for what, err := range map[string]error{
		"rows": store.Insert(t.Context(), rows), "scores": store.InsertScores(t.Context(), scores),
		"decisions": store.InsertDecisions(t.Context(), decisions), "partials": store.InsertPartials(t.Context(), partials),
		"tombstones": store.InsertTombstones(t.Context(), []tracestore.Tombstone{{ProjectID: project, Kind: tracestore.TraceTombstone, ID: fmt.Sprint("trace", from), Version: 7}}),
	} {
		if err != nil {
			t.Fatalf("insert %s: %v", what, err)
		}
	}
}

// copied copies a project and returns how many rows of each table went, and since when to go on.
func copied(t *testing.T, from, to *Store, project string, since time.Time) (rows map[string]uint64, next time.Time) {
	t.Helper()
	rows = map[string]uint64{}
	next, err := from.CopyProject(t.Context(), to, project, since, func(c Copied) { rows[c.Table] += c.Rows })
	if err != nil {
		t.Fatal(err)
	}
	return rows, next
}

func wantSame(t *testing.T, what string, want, got map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-was +is):\n%s", what, diff)
	}
}

func wantMissing(t *testing.T, from, to *Store, project string, since time.Time, changed, want bool) {
	t.Helper()
	if where, err := from.MissingFrom(t.Context(), to, project, since, changed); (where != "") != want || err != nil {
		t.Errorf("of what changed (%v) since %s is missing %q, %v", changed, since, where, err)
	}
}

// A project goes from one store to another, of another shape, and back: every byte of it in every table, once however often
// it is copied, and nothing of its neighbor.
func TestProjectsMove(t *testing.T) {
	t.Parallel()
	one := openStore(t, Config{})
	two := openStore(t, Config{Nodes: testkit.ShardedEngines(t), Cluster: engine.Cluster})
	fill(t, one, "p", 0, 400)
	fill(t, one, "neighbor", 0, 10)
	neighbor := folded(t, one, "neighbor")

	rows, next := copied(t, one, two, "p", time.Time{})
	for _, table := range movedTables() {
		if rows[table.table] == 0 {
			t.Errorf("nothing of %s was copied", table.table)
		}
	}
	wantSame(t, "copied", folded(t, one, "p"), folded(t, two, "p"))
	fill(t, one, "p", 400, 450)
	wantMissing(t, one, two, "p", next, true, true)
	copied(t, one, two, "p", next)
	copied(t, one, two, "p", next) // again is as good as once
	want := folded(t, one, "p")
	wantSame(t, "what came since", want, folded(t, two, "p"))
	wantMissing(t, one, two, "p", next, true, false)
	wantMissing(t, one, two, "p", next, false, false)
	// Long ago is before all changes, so that nothing is old; and in the future everything is.
	fill(t, two, "other", 0, 10)
	wantMissing(t, two, one, "other", time.Unix(1, 0), false, false)
	wantMissing(t, two, one, "other", time.Now().Add(time.Hour), false, true)
	if none, _ := copied(t, one, two, "p", time.Now().Add(time.Hour)); none["observations"]+none["payloads"]+none["traces"] > 0 {
		t.Errorf("since a time to come: %v", none)
	}

	for range 2 {
		if err := one.ForgetProject(t.Context(), "p"); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := one.RowsOf(t.Context(), "p"); n != 0 || err != nil {
		t.Errorf("%d rows are left, %v", n, err)
	}
	wantSame(t, "the neighbor", neighbor, folded(t, one, "neighbor"))
	// The same blocks as at first: an engine that took them for repetitions would drop them.
	copied(t, two, one, "p", time.Time{})
	wantSame(t, "and back", want, folded(t, one, "p"))
}

// Every engine of every store has an identity of its own.
func TestIdentity(t *testing.T) {
	t.Parallel()
	ids := map[string]bool{}
	for _, store := range []*Store{
		openStore(t, Config{}), openStore(t, Config{Nodes: testkit.ShardedEngines(t), Cluster: engine.Cluster}),
	} {
		list, err := store.Identity(t.Context())
		for _, id := range list {
			ids[id] = true
		}
		if err != nil || len(list) != len(store.config.Nodes) {
			t.Errorf("%v, %v", list, err)
		}
	}
	if len(ids) != 3 {
		t.Errorf("three engines have the identities %v", ids)
	}
}

// Whoever adds a table or a column decides whether it moves.
func TestEverythingOfAProjectMoves(t *testing.T) {
	t.Parallel()
	store := openStore(t, Config{})
	var list []string
	for _, table := range movedTables() {
		for _, c := range table.columns() {
			list = append(list, table.table+"."+c.name)
		}
	}
	slices.Sort(list)
	got := told(t, store, "SELECT concat(table, '.', name) AS text FROM system.columns WHERE database = currentDatabase() AND table != 'rejections'"+
		" AND table IN (SELECT table FROM system.columns WHERE database = currentDatabase() AND name = 'project_id') ORDER BY text")
	if diff := cmp.Diff(strings.Split(got, "\n"), list); diff != "" {
		t.Errorf("in the tables, not moved (-), or moved and not there (+):\n%s", diff)
	}
}
