package chstore

import (
	"fmt"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/testkit"
	"github.com/sondehq/sonde/internal/tracestore"
)

// A lookup by entity or by record reads a few marks' worth of rows, not the table.
func TestLookupsByKey(t *testing.T) {
	t.Parallel()
	config := Config{Nodes: []string{testkit.Engine(t)}}
	store, err := Open(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	ctx := t.Context()
	if err := store.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	const n, readable = 40_000, 20_000
	now := time.Now()
	var events []tracestore.Partial
	var reasons []tracestore.Rejection
	for i := range n {
		events = append(events, tracestore.Partial{
			ProjectID: fmt.Sprintf("p%d", i%3), TraceID: fmt.Sprintf("t%d", i%5000), EntityID: fmt.Sprintf("e%d", i),
			EventTime: now, Version: model.RowVersion(now.AddDate(0, -i%2, 0), i),
		})
		reasons = append(reasons, tracestore.Rejection{ProjectID: fmt.Sprintf("p%d", i%3), Sequence: uint64(i), At: now})
	}
	if err := store.InsertPartials(ctx, events); err != nil {
		t.Fatal(err)
	}
	if err := store.InsertRejections(ctx, reasons); err != nil {
		t.Fatal(err)
	}
	options := store.reads.own.options
	settings := append(store.config.readSettings(), setting("max_rows_to_read", readable))
	bounded := &Store{config: store.config, reads: &readers{own: newPool(withSettings(options, settings), 1)}}
	t.Cleanup(bounded.reads.own.close)

	entity := func(i int) tracestore.Entity {
		return tracestore.Entity{ProjectID: events[i].ProjectID, TraceID: events[i].TraceID, EntityID: events[i].EntityID}
	}
	found, err := bounded.PartialsOf(ctx, []tracestore.Entity{entity(7), entity(n - 1), entity(n / 2)})
	if err != nil || len(found) != 3 {
		t.Errorf("found %d partials, want 3: %v", len(found), err)
	}
	records := []tracestore.LogPosition{{Sequence: 0}, {Sequence: 3}, {Sequence: n - 1}}
	rejected, err := bounded.RejectionsOf(ctx, "p0", records, now.Add(-time.Hour), 10)
	if err != nil || len(rejected) != 3 {
		t.Errorf("found %d rejections, want 3: %v", len(rejected), err)
	}
	if _, err := bounded.Number(ctx, "SELECT toFloat64(sum(length(body))) AS n FROM partials"); err == nil {
		t.Error("the bound does not bind: the whole table was read")
	}
}
