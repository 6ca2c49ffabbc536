package tracestoretest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var textTests = map[string]func(*testing.T, Stores){
	"a text is read in pieces":                piecesOfText,
	"a text is that of the newest version":    textVersions,
	"texts of deleted rows and other tenants": textsNotThere,
	"previews are beginnings":                 previewsOfTexts,
	"a search looks at every text of a trace": searchesInTrace,
	"searches agree with the oracle":          traceSearchProperty,
}

func withID(id string) []filter.Condition {
	return []filter.Condition{filter.OneOf{Column: filter.ID, Values: []string{id}}}
}

func findText(t *testing.T, store tracestore.Texts, project, id string, column filter.Column) *tracestore.Text {
	t.Helper()
	text, err := store.Text(t.Context(), tracestore.TextQuery{ProjectID: project, Where: withID(id), Column: column})
	if err != nil {
		t.Fatalf("find the %s of %s: %v", column, id, err)
	}
	return text
}

func piece(t *testing.T, store tracestore.Texts, text *tracestore.Text, offset, length int64) string {
	t.Helper()
	read, err := store.ReadText(t.Context(), text, offset, length)
	if err != nil {
		t.Fatalf("read %d bytes from %d: %v", length, offset, err)
	}
	return string(read)
}

func piecesOfText(t *testing.T, store Stores) {
	project, long := newProject(), strings.Repeat("é0123456789", 300_000)
	insert(t, store, newRow(project, "a", "row", 0, func(o *model.Observation) { o.Input, o.Output = `{"messages":["hi"]}`, long }),
		newRow(project, "a", "bare", 0))
	input := findText(t, store, project, "row", filter.Input)
	if !input.JSON || input.Size != 19 || input.TraceID != "a" || !input.StartTime.Equal(noon) {
		t.Errorf("found %+v", input)
	}
	output := findText(t, store, project, "row", filter.Output)
	if output.JSON || output.Size != int64(len(long)) {
		t.Errorf("found %+v", output)
	}
	for _, at := range [][2]int64{{0, 5}, {1, 1}, {int64(len(long)) - 3, 10}, {0, int64(len(long))}, {int64(len(long)), 1}, {5, 0}} {
		want := long[at[0]:min(at[0]+at[1], int64(len(long)))]
		if got := piece(t, store, output, at[0], at[1]); got != want {
			t.Errorf("%d bytes from %d: got %d bytes", at[1], at[0], len(got))
		}
	}
	if bare := findText(t, store, project, "bare", filter.Input); bare == nil || bare.Size != 0 || bare.JSON {
		t.Errorf("found %+v, want an empty text", bare)
	}
}

func textVersions(t *testing.T, store Stores) {
	project := newProject()
	says := func(text string, n int) *model.Observation {
		return newRow(project, "a", "row", 0, version(n), func(o *model.Observation) { o.Input = text })
	}
	insert(t, store, says("second", 2))
	insert(t, store, says("first", 1))
	before := findText(t, store, project, "row", filter.Input)
	if got := piece(t, store, before, 0, 100); got != "second" {
		t.Errorf("read %q", got)
	}
	insert(t, store, says("third", 3))
	after := findText(t, store, project, "row", filter.Input)
	if got := piece(t, store, after, 0, 100); got != "third" || after.Version == before.Version {
		t.Errorf("read %q of version %d, before %d", got, after.Version, before.Version)
	}
	// The old version may be gone, but never reads as the new one.
	if old, err := store.ReadText(t.Context(), before, 0, 100); err == nil && string(old) != "second" || err != nil && !errors.Is(err, tracestore.ErrTextGone) {
		t.Errorf("read %q, %v", old, err)
	}
}

func textsNotThere(t *testing.T, store Stores) {
	project, other := newProject(), newProject()
	said := func(o *model.Observation) { o.Input, o.Name = "secret", "secret" }
	insert(t, store, newRow(project, "a", "gone", 0, said, version(1)), newRow(other, "a", "foreign", 0, said))
	insert(t, store, newRow(project, "a", "gone", 0, version(2), func(o *model.Observation) { o.Deleted = true }))
	for _, id := range []string{"gone", "foreign", "nobody"} {
		if text := findText(t, store, project, id, filter.Input); text != nil {
			t.Errorf("%s: found %+v", id, text)
		}
		if previews, err := store.Previews(t.Context(), tracestore.PreviewQuery{ProjectID: project, Where: withID(id)}); err != nil || len(previews) > 0 {
			t.Errorf("%s: previews %+v, %v", id, previews, err)
		}
	}
	if ids, err := store.SearchTrace(t.Context(), tracestore.TraceSearch{ProjectID: project, TraceID: "a", Value: "secret", Limit: 9}); err != nil || len(ids) > 0 {
		t.Errorf("found %q, %v", ids, err)
	}
}

func previewsOfTexts(t *testing.T, store Stores) {
	project := newProject()
	exact := strings.Repeat("😀", tracestore.PreviewCharacters)
	insert(t, store,
		newRow(project, "a", "short", 0, func(o *model.Observation) { o.Input, o.Output = "in", exact }),
		newRow(project, "b", "long", 10, func(o *model.Observation) { o.Input = exact + "x" }),
		newRow(project, "b", "old", 20, version(1), func(o *model.Observation) { o.Input = "old" }))
	insert(t, store, newRow(project, "b", "old", 20, version(2), func(o *model.Observation) { o.Input = "new" }))
	q := tracestore.PreviewQuery{ProjectID: project, Where: []filter.Condition{
		filter.OneOf{Column: filter.ID, Values: []string{"short", "long", "old", "nobody"}},
		filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: noon},
	}}
	got, err := store.Previews(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	want := []tracestore.Preview{
		{TraceID: "b", ID: "old", Input: "new"}, {TraceID: "b", ID: "long", Input: exact, InputMore: true}, {TraceID: "a", ID: "short", Input: "in", Output: exact},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(tracestore.Preview{}, "StartTime")); diff != "" {
		t.Errorf("previews (-want +got):\n%s", diff)
	}
	q.Where = append(q.Where, filter.OneOf{Column: filter.TraceID, Values: []string{"a"}})
	if got, err := store.Previews(t.Context(), q); err != nil || len(got) != 1 || got[0].ID != "short" {
		t.Errorf("previews of one trace: %+v, %v", got, err)
	}
}

func searchesInTrace(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store,
		newRow(project, "a", "in", 50, func(o *model.Observation) { o.Input = "the Needle's eye" }),
		newRow(project, "a", "out", 40, func(o *model.Observation) { o.Output = "haystackneedle" }),
		newRow(project, "a", "name", 30, func(o *model.Observation) { o.Name = "find NEEDLE" }),
		newRow(project, "a", "key", 20, func(o *model.Observation) {
			o.Metadata = []model.MetadataEntry{{Name: "a.needle", Value: "1", Type: model.MetadataNumber}}
		}),
		newRow(project, "a", "value", 10, func(o *model.Observation) {
			o.Metadata = []model.MetadataEntry{{Name: "k", Value: "no needle", Type: model.MetadataString}}
		}),
		newRow(project, "a", "none", 5, func(o *model.Observation) { o.Input = "hay" }),
		newRow(project, "a", "changed", 6, version(1), func(o *model.Observation) { o.Input, o.Name = "needle", "needle" }),
		newRow(project, "a", model.TraceRowID("a"), 0, asRoot, func(o *model.Observation) { o.Input = "needle" }),
		newRow(project, "b", "other", 0, func(o *model.Observation) { o.Input = "needle" }),
	)
	insert(t, store, newRow(project, "a", "changed", 6, version(2)))
	for value, want := range map[string][]string{
		"needle": {"value", "key", "name", "out", "in"}, "NEEDLE'S e": {"in"}, "nothing": nil, "%": nil, `'\`: nil,
	} {
		q := tracestore.TraceSearch{ProjectID: project, TraceID: "a", Value: value, Limit: 100}
		got, err := store.SearchTrace(t.Context(), q)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%q: %v (-want +got):\n%s", value, err, diff)
		}
	}
	if got, err := store.SearchTrace(t.Context(), tracestore.TraceSearch{ProjectID: project, TraceID: "a", Value: "needle", Limit: 2}); err != nil || len(got) != 2 {
		t.Errorf("limited to 2: %q, %v", got, err)
	}
}

func traceSearchProperty(t *testing.T, store Stores) {
	seed := fromEnv(t, readSeedEnv, rand.IntN(1<<30))
	d := newTraceDataset(t, store, seed)
	for n, trace := range drawnTraceIDs {
		value := append([]string{"A", "é", "'", "k", "m"}, drawnTexts...)[(n+seed)%(5+len(drawnTexts))]
		if value == "" {
			continue
		}
		q := tracestore.TraceSearch{ProjectID: d.project, TraceID: trace, Value: value, Limit: 1 + n%20}
		want, _ := d.memory.SearchTrace(t.Context(), q)
		got, err := store.SearchTrace(t.Context(), q)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Fatalf("%s: %v (-want +got):\n%s", fmt.Sprintf("%+v of seed %d (set %s=%d)", q, seed, readSeedEnv, seed), err, diff)
		}
	}
}
