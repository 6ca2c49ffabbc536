package tracestoretest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sondehq/sonde/internal/tracestore"
)

var rejectionTests = map[string]func(*testing.T, Stores){
	"rejections come back by item": rejectionsInOrder,
	"inserting again does nothing": rejectionsFold,
	"of the given records only":    rejectionsOfOthers,
	"since and limit":              rejectionsBounds,
	"no rejections are no error":   rejectionsEmpty,
}

// noted is recent: what is older than 30 days may be gone before it is read.
var noted = time.Now().UTC().Truncate(time.Millisecond)

func newRejection(project string, at tracestore.LogPosition, item int) tracestore.Rejection {
	return tracestore.Rejection{
		ProjectID: project, Partition: at.Partition, Sequence: at.Sequence, Item: item,
		TraceID: "t", ObservationID: "o", Reason: "it's \x00 \\ no span", At: noted,
	}
}

func insertRejections(t *testing.T, store tracestore.Rejections, list ...tracestore.Rejection) {
	t.Helper()
	if err := store.InsertRejections(t.Context(), list); err != nil {
		t.Fatalf("insert %d rejections: %v", len(list), err)
	}
}

func rejectionsOf(t *testing.T, store tracestore.Rejections, project string, since time.Time, limit int, records ...tracestore.LogPosition) []tracestore.Rejection {
	t.Helper()
	got, err := store.RejectionsOf(t.Context(), project, records, since, limit)
	if err != nil {
		t.Fatalf("read rejections: %v", err)
	}
	return got
}

func requireRejections(t *testing.T, got []tracestore.Rejection, want ...tracestore.Rejection) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("rejections (-want +got):\n%s", diff)
	}
}

var (
	record1 = tracestore.LogPosition{Partition: 0, Sequence: 9}
	record2 = tracestore.LogPosition{Partition: 3, Sequence: 1 << 60}
)

func rejectionsInOrder(t *testing.T, store Stores) {
	project := newProject()
	bare := tracestore.Rejection{ProjectID: project, Partition: 3, Sequence: 1 << 60, Item: 5, At: noted}
	want := []tracestore.Rejection{newRejection(project, record1, 0), newRejection(project, record2, 0), newRejection(project, record1, 4), bare}
	for _, i := range []int{2, 3, 0, 1} {
		insertRejections(t, store, want[i])
	}
	requireRejections(t, rejectionsOf(t, store, project, noted, everything, record2, record1, record1), want...)
}

func rejectionsFold(t *testing.T, store Stores) {
	project := newProject()
	first, second := newRejection(project, record1, 0), newRejection(project, record1, 1)
	for range 3 {
		insertRejections(t, store, first, second, first)
	}
	requireRejections(t, rejectionsOf(t, store, project, noted, everything, record1), first, second)
}

func rejectionsOfOthers(t *testing.T, store Stores) {
	mine, theirs := newProject(), newProject()
	swapped := tracestore.LogPosition{Partition: 9, Sequence: 0}
	insertRejections(t, store, newRejection(theirs, record1, 0), newRejection(mine, swapped, 0))
	requireRejections(t, rejectionsOf(t, store, mine, noted, everything, record1, record2))
	requireRejections(t, rejectionsOf(t, store, theirs, noted, everything, record1, swapped), newRejection(theirs, record1, 0))
}

func rejectionsBounds(t *testing.T, store Stores) {
	project := newProject()
	old, now := newRejection(project, record1, 0), newRejection(project, record1, 1)
	old.At = noted.Add(-time.Hour)
	insertRejections(t, store, old, now)
	requireRejections(t, rejectionsOf(t, store, project, noted, everything, record1), now)
	requireRejections(t, rejectionsOf(t, store, project, old.At, everything, record1), old, now)
	requireRejections(t, rejectionsOf(t, store, project, noted.Add(time.Millisecond), everything, record1))
	requireRejections(t, rejectionsOf(t, store, project, old.At, 1, record1), old)
	requireRejections(t, rejectionsOf(t, store, project, old.At, 0, record1))
}

func rejectionsEmpty(t *testing.T, store Stores) {
	insertRejections(t, store)
	requireRejections(t, rejectionsOf(t, store, newProject(), noted, everything))
	requireRejections(t, rejectionsOf(t, store, newProject(), noted, everything, record1))
	if err := store.InsertRejections(canceled(), []tracestore.Rejection{newRejection(newProject(), record1, 0)}); err == nil {
		t.Error("an insert with a canceled context reports success")
	}
}
