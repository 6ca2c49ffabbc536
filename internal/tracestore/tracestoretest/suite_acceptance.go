package tracestoretest

import (
	"slices"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var acceptanceTests = map[string]func(*testing.T, Stores){
	"a row is in the window of its newest version": rowsByAcceptance,
	"a score likewise":              scoresByAcceptance,
	"versions within a microsecond": acceptanceBounds,
}

// acceptedIn are the conditions of a window of acceptance, in milliseconds after the first version of newRow.
func acceptedIn(from, to int) []filter.Condition {
	at := func(millis int) time.Time { return noon.Add(time.Hour + time.Duration(millis)*time.Millisecond) }
	return []filter.Condition{
		filter.Time{Column: filter.AcceptedAt, Op: filter.AtLeast, At: at(from)},
		filter.Time{Column: filter.AcceptedAt, Op: filter.Below, At: at(to)},
	}
}

func rowsByAcceptance(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store,
		newRow(project, "t", "early", 5, version(0)), newRow(project, "t", "changed", 4, version(0)),
		newRow(project, "t", "late", 3, version(20)), newRow(project, "t", "gone", 2, version(0)), newRow(project, "buried", "b", 1, version(0)))
	insert(t, store, newRow(project, "t", "changed", 4, version(10)))
	insert(t, store, newRow(project, "t", "gone", 2, version(5), func(o *model.Observation) { o.Deleted = true }))
	bury := tracestore.Tombstone{ProjectID: project, Kind: tracestore.TraceTombstone, ID: "buried", Version: model.RowVersion(noon.Add(2*time.Hour), 0)}
	if err := store.InsertTombstones(t.Context(), []tracestore.Tombstone{bury}); err != nil {
		t.Fatal(err)
	}
	requireIDs(t, readAll(t, store, project, acceptedIn(0, 10)...), "early")
	requireIDs(t, readAll(t, store, project, acceptedIn(10, 20)...), "changed")
	requireIDs(t, readAll(t, store, project, acceptedIn(20, 30)...), "late")
	requireIDs(t, readAll(t, store, project, acceptedIn(0, 30)...), "early", "changed", "late")
	requireIDs(t, readAll(t, store, project, acceptedIn(30, 40)...))
}

func scoresByAcceptance(t *testing.T, store Stores) {
	project := newProject()
	insertScores(t, store, newScore(project, "early", 3), newScore(project, "changed", 2), newScore(project, "gone", 1))
	insertScores(t, store, newScore(project, "changed", 2, scoreVersion(10)), newScore(project, "gone", 1, scoreVersion(5), deletedScore))
	ids := func(from, to int) (ids []string) {
		for _, s := range allScores(t, store, project, acceptedIn(from, to)...) {
			ids = append(ids, s.ID)
		}
		return ids
	}
	requireTexts(t, ids(0, 10), "early")
	requireTexts(t, ids(10, 20), "changed")
	requireTexts(t, ids(20, 30))
}

func acceptanceBounds(t *testing.T, store Stores) {
	project := newProject()
	last := model.RowVersion(noon.Add(time.Hour+10*time.Millisecond), 0) - 1
	insert(t, store, newRow(project, "t", "last", 0, func(o *model.Observation) { o.Version, o.CreatedAt = last, model.AcceptedAt(last) }))
	requireIDs(t, readAll(t, store, project, acceptedIn(0, 10)...), "last")
	requireIDs(t, readAll(t, store, project, acceptedIn(10, 20)...))
}

func requireTexts(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
