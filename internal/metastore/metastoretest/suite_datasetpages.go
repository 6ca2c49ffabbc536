package metastoretest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// testItemsTogether: all versions of a batch are written, or none is.
func testItemsTogether(t *testing.T, store metastore.Store) {
	project, d := planted(t, store)
	mustPut(t, store, datasetItem(d, "old"), time.Time{}, d)
	next, fresh := datasetItem(d, "old"), datasetItem(d, "new")
	next.ValidFrom, next.Input = dawn.Add(time.Second), `"later"`
	all := metastore.ItemQuery{ProjectID: project}
	for name, batch := range map[string]struct {
		versions []metastore.NewVersion
		want     error
	}{
		"one is there":      {[]metastore.NewVersion{{Item: fresh}, {Item: next}}, metastore.ErrExists},
		"one is not there":  {[]metastore.NewVersion{{Item: fresh}, {Item: next, Was: dawn.Add(-time.Hour)}}, metastore.ErrNotFound},
		"of another schema": {[]metastore.NewVersion{{Item: fresh}}, metastore.ErrNotFound},
	} {
		changed := d.UpdatedAt
		if name == "of another schema" {
			changed = changed.Add(time.Second)
		}
		wantError(t, name, store.PutItems(t.Context(), batch.versions, changed), batch.want)
		wantItems(t, store, all, "old")
	}
	other := fresh
	other.DatasetID = "other"
	for name, versions := range map[string][]metastore.NewVersion{
		"one twice":       {{Item: fresh}, {Item: fresh}},
		"of two datasets": {{Item: fresh}, {Item: other}},
		"one is spoiled":  {{Item: fresh}, {Item: model.DatasetItem{ProjectID: project, DatasetID: d.ID}}},
	} {
		if err := store.PutItems(t.Context(), versions, d.UpdatedAt); !fault.Is(err, fault.Invalid) {
			t.Errorf("PutItems, %s = %v, want fault.Invalid", name, err)
		}
		wantItems(t, store, all, "old")
	}
	wantError(t, "PutItems", store.PutItems(t.Context(), []metastore.NewVersion{{Item: fresh}, {Item: next, Was: dawn}}, d.UpdatedAt), nil)
	wantError(t, "PutItems of none", store.PutItems(t.Context(), nil, d.UpdatedAt), nil)
	wantItem(t, store, next)
	wantItem(t, store, fresh)
	if stored, err := store.Dataset(t.Context(), project, d.Name); err != nil || stored.ItemWrites != 3 {
		t.Errorf("item writes = %d, %v, want 3", stored.ItemWrites, err)
	}
}

// testBatchesAtOnce: batches that share items do not mix.
func testBatchesAtOnce(t *testing.T, store metastore.Store) {
	_, d := planted(t, store)
	written := 0
	for _, err := range atOnce(8, func(i int) error {
		a, b := datasetItem(d, "a"), datasetItem(d, "b")
		a.Input = strings.Repeat("1", i+1)
		b.Input = a.Input
		return store.PutItems(t.Context(), []metastore.NewVersion{{Item: a}, {Item: b}}, d.UpdatedAt)
	}) {
		if err == nil {
			written++
		} else if !errors.Is(err, metastore.ErrExists) {
			t.Errorf("PutItems = %v, want ErrExists", err)
		}
	}
	a, errA := store.Item(t.Context(), d.ProjectID, "a")
	b, errB := store.Item(t.Context(), d.ProjectID, "b")
	if written != 1 || errA != nil || errB != nil || a.Input != b.Input {
		t.Errorf("%d batches written, items %q and %q, %v, %v; want both of one batch", written, a.Input, b.Input, errA, errB)
	}
}

func testSearchedItems(t *testing.T, store metastore.Store) {
	project, d := planted(t, store)
	for i, texts := range [][4]string{
		{"First-ID", `"a"`, `""`, ``}, {"percent", `"100%"`, ``, ``}, {"under", ``, `"a_b"`, ``}, {"slash", ``, ``, `"a\\b"`}, {"late", `"Grüße"`, ``, ``},
	} {
		item := datasetItem(d, texts[0])
		item.Input, item.ExpectedOutput, item.Metadata = texts[1], texts[2], texts[3]
		item.ValidFrom = dawn.Add(time.Duration(i) * time.Millisecond)
		mustPut(t, store, item, time.Time{}, d)
	}
	for search, want := range map[string]string{
		"first-": "First-ID", "100%": "percent", "%": "percent", "A_B": "under", "axb": "", `a\\b`: "slash", "rüß": "late", "'": "", "ST": "First-ID", "nowhere": "",
	} {
		wantItems(t, store, metastore.ItemQuery{ProjectID: project, DatasetID: d.ID, Search: []string{search}}, want)
	}
	wantItems(t, store, metastore.ItemQuery{ProjectID: project, Search: []string{"nowhere", "a_b"}}, "under")
	if count, err := store.CountItems(t.Context(), metastore.ItemQuery{ProjectID: project, Search: []string{"_"}}); count != 1 || err != nil {
		t.Errorf("CountItems with a search = %d, %v, want 1", count, err)
	}
}

// testItemHistory reads all versions of an item, the texts cut, and when items of a dataset changed.
func testItemHistory(t *testing.T, store metastore.Store) {
	project, d := planted(t, store)
	item := datasetItem(d, "i")
	item.Input = `"größer"`
	mustPut(t, store, item, time.Time{}, d)
	mustPut(t, store, datasetItem(d, "j"), time.Time{}, d)
	archived := item
	archived.Status, archived.Input, archived.ValidFrom = model.ItemArchived, `1`, dawn.Add(time.Second)
	mustPut(t, store, archived, dawn, d)
	marker := archived
	marker.Deleted, marker.ValidFrom = true, dawn.Add(time.Minute)
	mustPut(t, store, marker, archived.ValidFrom, d)
	var got []string
	err := store.EachItem(t.Context(), metastore.ItemQuery{ProjectID: project, ItemID: "i", AllVersions: true, AnyStatus: true, Cut: 4, Limit: 10}, func(i model.DatasetItem) error {
		got = append(got, string(i.Status)+" "+i.Input+" "+i.ExpectedOutput+" until "+i.ValidTo.Format(time.TimeOnly))
		return nil
	})
	want := []string{`ARCHIVED 1 "Par until 12:01:00`, `ACTIVE "grö "Par until 12:00:01`}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("versions of an item: %v (-want +got):\n%s", err, diff)
	}
	q := metastore.ItemQuery{ProjectID: project, Archived: true, At: dawn.Add(2 * time.Second)}
	wantItems(t, store, q, "i")
	q.At = dawn
	wantItems(t, store, q, "")

	times, err := store.ItemTimes(t.Context(), project, d.ID, 10)
	wantTimes := []model.ItemTime{{At: dawn.Add(time.Minute), Deleted: 1}, {At: dawn.Add(time.Second), Written: 1}, {At: dawn, Written: 2}}
	if diff := cmp.Diff(wantTimes, times); err != nil || diff != "" {
		t.Errorf("times: %v (-want +got):\n%s", err, diff)
	}
	if some, err := store.ItemTimes(t.Context(), project, d.ID, 1); err != nil || len(some) != 1 || !some[0].At.Equal(dawn.Add(time.Minute)) {
		t.Errorf("the newest time = %v, %v", some, err)
	}
	for _, of := range [][2]string{{secondProject(t, store), d.ID}, {project, "none"}} {
		if none, err := store.ItemTimes(t.Context(), of[0], of[1], 10); err != nil || len(none) != 0 {
			t.Errorf("times of %v = %v, %v, want none", of, none, err)
		}
	}
}

func testDatasetSummaries(t *testing.T, store metastore.Store) {
	project, d := planted(t, store)
	empty := dataset(project, "e", "Empty")
	empty.InputSchema, empty.ExpectedOutputSchema, empty.Description = "", "", strings.Repeat("ü", model.SummaryText+1)
	wantError(t, "CreateDataset", store.CreateDataset(t.Context(), empty), nil)
	foreign := dataset(secondProject(t, store), "d", "foreign")
	wantError(t, "CreateDataset", store.CreateDataset(t.Context(), foreign), nil)
	mustPut(t, store, datasetItem(foreign, "theirs"), time.Time{}, foreign)
	for i, id := range []string{"a", "b", "archived", "gone"} {
		item := datasetItem(d, id)
		item.ValidFrom = dawn.Add(time.Duration(i) * time.Second)
		if id == "archived" {
			item.Status = model.ItemArchived
		}
		mustPut(t, store, item, time.Time{}, d)
	}
	later := datasetItem(d, "a")
	later.ValidFrom = dawn.Add(time.Minute)
	mustPut(t, store, later, dawn, d)
	marker := datasetItem(d, "gone")
	marker.Deleted, marker.ValidFrom = true, dawn.Add(time.Hour)
	mustPut(t, store, marker, dawn.Add(3*time.Second), d)
	want := []model.DatasetSummary{
		{ID: "e", Name: "Empty", Description: strings.Repeat("ü", model.SummaryText), CreatedAt: empty.CreatedAt, UpdatedAt: empty.UpdatedAt},
		{
			ID: "d", Name: "capitals", Description: d.Description, HasInputSchema: true, HasExpectedOutputSchema: true, CreatedAt: d.CreatedAt, UpdatedAt: d.UpdatedAt,
			Active: 2, Archived: 1, ItemsChanged: dawn.Add(time.Minute),
		},
	}
	got, err := store.DatasetSummaries(t.Context(), project)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("summaries: %v (-want +got):\n%s", err, diff)
	}
}
