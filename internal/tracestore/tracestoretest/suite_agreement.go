package tracestoretest

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/tracestore"
)

// agreementProperty: whatever the filter, everything that is said about its rows is about the same ones. The count
// over a list (the timeline), a tile of a dashboard (metrics), an export of the list (a walk of large pages) and what
// a delete of it would take (the traces of a walk) agree.
func agreementProperty(t *testing.T, store Stores) {
	var d dataset
	for n := range fromEnv(t, readCasesEnv, 40) {
		if n%casesPerDataset == 0 {
			d = newDataset(t, store, 810+n)
		}
		where := rapid.SliceOfN(drawnCondition, 0, 3).Example(810_000 + n)
		rows := walk(t, store, tracestore.ObservationQuery{ProjectID: d.project, Where: where, Limit: 7}, func() {})
		exported := read(t, store, tracestore.ObservationQuery{ProjectID: d.project, Where: where, Limit: everything})
		traces := map[string]bool{}
		for _, o := range rows {
			traces[o.TraceID] = true
		}
		timeline, err := store.Timeline(t.Context(), tracestore.TimelineQuery{ProjectID: d.project, Where: where, Width: time.Hour, MaxRows: everything})
		if err != nil {
			t.Fatalf("timeline of %+v: %v", where, err)
		}
		counted, distinct := countedByMetrics(t, store, d.project, where)
		if len(exported) != len(rows) || int(timeline.Rows) != len(rows) || counted != len(rows) || distinct != len(traces) {
			t.Errorf("%+v: a list has %d rows of %d traces, an export %d, the count above a list %d, metrics %d rows of %d traces",
				where, len(rows), len(traces), len(exported), timeline.Rows, counted, distinct)
		}
	}
}

func countedByMetrics(t *testing.T, store Stores, project string, where []filter.Condition) (rows, traces int) {
	t.Helper()
	answer, err := store.Metrics(t.Context(), tracestore.MetricsQuery{
		ProjectID: project, View: tracestore.ObservationsView, From: noon.AddDate(-5, 0, 0), To: noon.AddDate(5, 0, 0), Where: where, Limit: 1,
		Metrics: []tracestore.Metric{{Measure: tracestore.Count, Aggregation: tracestore.CountOf}, {Measure: tracestore.TraceIDs, Aggregation: tracestore.Uniq}},
	})
	if err != nil || len(answer) != 1 {
		t.Fatalf("metrics of %+v: %v, %v", where, answer, err)
	}
	number := func(value any) int {
		n, ok := value.(decimal.Decimal)
		if !ok {
			t.Fatalf("metrics of %+v: %v", where, value)
		}
		return int(n.IntPart())
	}
	return number(answer[0].Metrics[0]), number(answer[0].Metrics[1])
}
