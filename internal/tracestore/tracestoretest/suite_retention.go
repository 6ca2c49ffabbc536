package tracestoretest

import (
	"fmt"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var retentionTests = map[string]func(*testing.T, Stores){
	"rows go at their own time in every project": expireByProject,
	"texts go before their rows":                 expireTextsFirst,
	"a trace lends as long as it has rows":       expireLending,
	"partials go with the texts":                 expirePartials,
	"doing it again does nothing":                expireAgain,
	"what comes late goes the next time":         expireLate,
	"all versions of a row go":                   expireVersions,
}

const day = 24 * time.Hour

// daysAgo makes a row start that many days before noon.
func daysAgo(n float64) func(*model.Observation) {
	return func(o *model.Observation) { o.StartTime = noon.Add(-time.Duration(n * float64(day))) }
}

func texts(o *model.Observation) { o.Input, o.Output, o.Happenings = "in", "out", `[{"name":"x"}]` }

func expire(t *testing.T, store Stores, due ...tracestore.Expiry) tracestore.Expired {
	t.Helper()
	expired, err := store.Expire(t.Context(), due)
	if err != nil {
		t.Fatal(err)
	}
	return expired
}

func before(days float64) time.Time { return noon.Add(-time.Duration(days * float64(day))) }

func expireByProject(t *testing.T, store Stores) {
	short, long, ever := newProject(), newProject(), newProject()
	for _, project := range []string{short, long, ever} {
		for i, days := range []float64{0, 1, 6.9, 7.1, 20, 45, 400} {
			id := fmt.Sprint(days)
			insert(t, store, newRow(project, fmt.Sprint("t", i%2), id, 0, daysAgo(days)))
			insertScores(t, store, newScore(project, id, 0, func(s *model.Score) { s.Timestamp = before(days) }))
		}
	}
	expire(t, store,
		tracestore.Expiry{ProjectID: short, Before: before(7), TextsBefore: before(7)},
		tracestore.Expiry{ProjectID: long, Before: before(30), TextsBefore: before(30)})
	want := map[string][]string{
		short: {"0", "1", "6.9"}, long: {"0", "1", "6.9", "7.1", "20"}, ever: {"0", "1", "6.9", "7.1", "20", "45", "400"},
	}
	for project, ids := range want {
		requireIDs(t, read(t, store, tracestore.ObservationQuery{ProjectID: project, Limit: everything}), ids...)
		if n := count(t, store, project); n != len(ids) {
			t.Errorf("counted %d, want %d", n, len(ids))
		}
		scores, err := store.Scores(t.Context(), tracestore.ScoreQuery{ProjectID: project, Limit: everything})
		if err != nil || len(scores) != len(ids) {
			t.Errorf("%d scores, %v, want %d", len(scores), err, len(ids))
		}
	}
}

func expireTextsFirst(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store,
		newRow(project, "t", "young", 0, texts, daysAgo(1)),
		newRow(project, "t", "bare", 0, texts, daysAgo(10)),
		newRow(project, "t", "gone", 0, texts, daysAgo(40)))
	expire(t, store, tracestore.Expiry{ProjectID: project, Before: before(30), TextsBefore: before(5)})
	rows := read(t, store, tracestore.ObservationQuery{ProjectID: project, Limit: everything, IO: true, Metadata: true})
	requireIDs(t, rows, "young", "bare")
	if rows[0].Input != "in" || rows[1].Input != "" || rows[1].Output != "" || rows[1].Happenings != "" {
		t.Errorf("texts: %q; %q, %q, %q", rows[0].Input, rows[1].Input, rows[1].Output, rows[1].Happenings)
	}
	// A new version brings its texts with it.
	insert(t, store, newRow(project, "t", "bare", 0, texts, daysAgo(10), version(1)))
	if rows := read(t, store, tracestore.ObservationQuery{ProjectID: project, Limit: everything, IO: true}); rows[1].Input != "in" {
		t.Errorf("a later version has the input %q", rows[1].Input)
	}
}

func expireLending(t *testing.T, store Stores) {
	project := newProject()
	user := func(name string) func(*model.Observation) { return func(o *model.Observation) { o.UserID = name } }
	insert(t, store, newRow(project, "lives", "root", 0, asRoot, user("u1"), daysAgo(40)))
	insert(t, store, newRow(project, "lives", "child", 0, daysAgo(1)))
	insert(t, store, newRow(project, "over", "root", 0, asRoot, user("u2"), daysAgo(40)), newRow(project, "over", "child", 0, daysAgo(35)))
	expire(t, store, tracestore.Expiry{ProjectID: project, Before: before(30), TextsBefore: before(30)})
	rows := read(t, store, tracestore.ObservationQuery{ProjectID: project, Limit: everything})
	requireIDs(t, rows, "child")
	if rows[0].UserID != "u1" {
		t.Errorf("the user of a trace that goes on is %q", rows[0].UserID)
	}
	insert(t, store, newRow(project, "over", "late", 0, daysAgo(0)))
	for _, o := range read(t, store, tracestore.ObservationQuery{ProjectID: project, Limit: everything}) {
		if o.ID == "late" && o.UserID != "" {
			t.Errorf("a trace that was over lends %q", o.UserID)
		}
	}
}

func expirePartials(t *testing.T, store Stores) {
	project := newProject()
	entity := tracestore.Entity{ProjectID: project, TraceID: "t", EntityID: "e"}
	partial := func(id string, days float64) tracestore.Partial {
		return tracestore.Partial{
			ProjectID: project, TraceID: "t", EntityID: "e", Kind: "k", EventTime: noon, EventID: id, Version: model.RowVersion(before(days), 0), Body: []byte("x"),
		}
	}
	if err := store.InsertPartials(t.Context(), []tracestore.Partial{partial("old", 40), partial("new", 3)}); err != nil {
		t.Fatal(err)
	}
	expire(t, store, tracestore.Expiry{ProjectID: project, TextsBefore: before(10)})
	list, err := store.PartialsOf(t.Context(), []tracestore.Entity{entity})
	if err != nil || len(list) != 1 || list[0].EventID != "new" {
		t.Errorf("partials = %v, %v", list, err)
	}
}

func expireAgain(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "a", 0, daysAgo(40)), newRow(project, "t", "b", 0, daysAgo(1)))
	due := tracestore.Expiry{ProjectID: project, Before: before(30), TextsBefore: before(30)}
	if expired := expire(t, store, due); expired.Rows == 0 {
		t.Error("nothing went")
	}
	if expired := expire(t, store, due); expired.Rows != 0 {
		t.Errorf("%d rows went the second time", expired.Rows)
	}
	requireIDs(t, read(t, store, tracestore.ObservationQuery{ProjectID: project, Limit: everything}), "b")
}

func expireLate(t *testing.T, store Stores) {
	project := newProject()
	due := tracestore.Expiry{ProjectID: project, Before: before(30), TextsBefore: before(30)}
	expire(t, store, due)
	insert(t, store, newRow(project, "t", "late", 0, daysAgo(40)))
	requireIDs(t, read(t, store, tracestore.ObservationQuery{ProjectID: project, Limit: everything}), "late")
	expire(t, store, due)
	requireIDs(t, read(t, store, tracestore.ObservationQuery{ProjectID: project, Limit: everything}))
}

func expireVersions(t *testing.T, store Stores) {
	project := newProject()
	for n := range 4 {
		insert(t, store, newRow(project, "t", "a", 0, daysAgo(31), version(n)), newRow(project, "t", fmt.Sprint("b", n), 0, daysAgo(29)))
	}
	expire(t, store, tracestore.Expiry{ProjectID: project, Before: before(30)})
	requireIDs(t, read(t, store, tracestore.ObservationQuery{ProjectID: project, Limit: everything, IO: true}), "b3", "b2", "b1", "b0")
}
