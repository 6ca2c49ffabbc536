package tracestoretest

import (
	"testing"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var tenantTests = map[string]func(*testing.T, Stores){
	"two projects with the same ids": sameIDs,
	"hostile ids":                    hostileIDs,
	"by every condition":             foreignConditions,
}

func sameIDs(t *testing.T, store Stores) {
	mine, theirs := newProject(), newProject()
	for i, project := range []string{mine, theirs} {
		text := []string{"mine", "theirs"}[i]
		for millis, id := range []string{"a", "b", "c"} {
			insert(t, store, newRow(project, "t", id, millis, func(o *model.Observation) {
				o.Name, o.Input = text, text
				o.Metadata = []model.MetadataEntry{{Name: "k", Value: text, Type: model.MetadataString}}
			}))
		}
	}
	insert(t, store, newRow(theirs, "t", "only theirs", 9, named("theirs")))
	rows := readAll(t, store, mine)
	requireIDs(t, rows, "c", "b", "a")
	for _, o := range rows {
		if o.ProjectID != mine || o.Name != "mine" || o.Input != "mine" || o.Metadata[0].Value != "mine" {
			t.Errorf("row of another project: %+v", o)
		}
	}
	requireIDs(t, readAll(t, store, mine, oneOf(filter.Name, "theirs")))
	requireIDs(t, readAll(t, store, mine, oneOf(filter.ID, "only theirs")))
	if n := count(t, store, mine); n != 3 {
		t.Errorf("counted %d rows, want 3", n)
	}
	requireIDs(t, readAll(t, store, newProject()))
}

// hostileTexts are ids that mean something to a query language, a subject or a path.
var hostileTexts = []string{
	"x", "*", ">", "a.b.*", ".", "..", "/", "%", "_", "'", `"`, "`", `\`, `\'`, `\\`, "\x00", "\n", "\t", "👩‍👧", "\xff\xfe",
	"' OR 1=1 --", "'; DROP TABLE observations; --", "{project:String}", "$1", "?", "[]", "['a']", "NULL", " ", "-1",
}

func hostileIDs(t *testing.T, store Stores) {
	base := newProject() // a shared beginning, so that a pattern would find the others
	var rows []*model.Observation
	for _, text := range hostileTexts {
		rows = append(rows, newRow(base+text, text, text, 0), newRow(base+text, text+text, "second", -1))
	}
	insert(t, store, rows...)
	for _, text := range hostileTexts {
		project := base + text
		requireIDs(t, readAll(t, store, project, oneOf(filter.TraceID, text, "' OR ''='"), oneOf(filter.ID, text)), text)
		after := positionOf(newRow(project, text, text, 0))
		requireIDs(t, read(t, store, tracestore.ObservationQuery{ProjectID: project, Limit: 5, After: &after}), "second")
	}
	for _, text := range []string{"%", `\'`, "\x00"} {
		if n := count(t, store, base+text, oneOf(filter.TraceID, text)); n != 1 {
			t.Errorf("counted %d rows of %q, want 1", n, text)
		}
	}
	requireIDs(t, readAll(t, store, base))
}
