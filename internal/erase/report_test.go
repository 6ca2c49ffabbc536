package erase

import (
	"testing"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

func (f *fixture) reports() []model.Erasure {
	f.Helper()
	list, err := f.meta.ErasuresAsked(f.Context(), metastore.ErasureQuery{Organization: asker.OrganizationID, Limit: 10})
	if err != nil {
		f.Fatal(err)
	}
	return list
}

// A request is hidden when it is answered, and erased with what was found and done when the job has looked whether anything is left.
func TestEveryRequestGetsItsReport(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.insert("a", "b", "c")
	f.delete("a", "unknown")
	f.delete("b")
	for _, e := range f.reports() {
		if !e.FinishedAt.IsZero() || e.By != asker || e.Kind != model.ErasureOfTraces || e.AskedAt.IsZero() {
			t.Errorf("before the job: %+v", e)
		}
	}
	if _, _, err := f.run(nil); err != nil {
		t.Fatal(err)
	}
	list := f.reports()
	if len(list) != 2 || len(list[1].TraceIDs) != 2 {
		t.Fatalf("%+v", list)
	}
	for _, e := range list {
		r := e.Report
		if e.FinishedAt.IsZero() || r.Requests != 2 || r.Traces != 3 || r.Rows["observations"] != 2 || r.RowsLeft != 0 {
			t.Errorf("after the job: %+v", e)
		}
	}
	f.delete("c")
	if list = f.reports(); len(list) != 3 || !list[0].FinishedAt.IsZero() || list[1].FinishedAt.IsZero() {
		t.Errorf("a later request: %+v", list)
	}
}
