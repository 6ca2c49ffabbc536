package metastoretest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// datasetItem uses every field that a store keeps.
func datasetItem(d model.Dataset, id string) model.DatasetItem {
	return model.DatasetItem{
		ProjectID: d.ProjectID, ID: id, DatasetID: d.ID, DatasetName: d.Name, Status: model.ItemActive,
		Input: `{"q":"\u0000","n":1e400}`, ExpectedOutput: `"Paris"`, Metadata: `[null]`, SourceTraceID: "trace 'x'", SourceObservationID: "ö",
		CreatedAt: dawn, ValidFrom: dawn,
	}
}

func mustPut(t *testing.T, store metastore.Store, item model.DatasetItem, was time.Time, d model.Dataset) {
	t.Helper()
	if err := store.PutItem(t.Context(), item, was, d.UpdatedAt); err != nil {
		t.Fatalf("PutItem %s: %v", item.ID, err)
	}
}

func wantItem(t *testing.T, store metastore.Store, want model.DatasetItem) {
	t.Helper()
	got, err := store.Item(t.Context(), want.ProjectID, want.ID)
	wantError(t, "Item "+want.ID, err, nil)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("item %s (-want +got):\n%s", want.ID, diff)
	}
}

// wantItems checks all three ways to list items.
func wantItems(t *testing.T, store metastore.Store, q metastore.ItemQuery, want string) {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 100
	}
	ids, err := store.ItemIDs(t.Context(), q)
	if got := strings.Join(ids, " "); err != nil || got != want {
		t.Errorf("ItemIDs %+v = %q, %v, want %q", q, got, err, want)
	}
	var visited []string
	err = store.EachItem(t.Context(), q, func(i model.DatasetItem) error {
		visited = append(visited, i.ID)
		return nil
	})
	if got := strings.Join(visited, " "); err != nil || got != want {
		t.Errorf("EachItem %+v = %q, %v, want %q", q, got, err, want)
	}
}

func testItems(t *testing.T, store metastore.Store) {
	project, d := planted(t, store)
	item := datasetItem(d, "i")
	mustPut(t, store, item, time.Time{}, d)
	wantItem(t, store, item)
	empty := model.DatasetItem{ProjectID: project, ID: "empty", DatasetID: d.ID, DatasetName: d.Name, Status: model.ItemArchived, CreatedAt: dawn, ValidFrom: dawn}
	mustPut(t, store, empty, time.Time{}, d)
	wantItem(t, store, empty)
	_, err := store.Item(t.Context(), project, "I")
	wantError(t, "Item of none", err, metastore.ErrNotFound)
	item.DatasetID = "missing"
	item.ID = "x"
	wantError(t, "of no dataset", store.PutItem(t.Context(), item, time.Time{}, d.UpdatedAt), metastore.ErrNotFound)
	if count, err := store.CountItems(t.Context(), metastore.ItemQuery{ProjectID: project, AnyStatus: true}); count != 2 || err != nil {
		t.Errorf("CountItems = %d, %v, want 2", count, err)
	}
}

func testItemVersions(t *testing.T, store metastore.Store) {
	project, d := planted(t, store)
	first := datasetItem(d, "i")
	mustPut(t, store, first, time.Time{}, d)
	second := first
	second.Input, second.ValidFrom = `"later"`, dawn.Add(time.Millisecond)
	wantError(t, "of an unknown version", store.PutItem(t.Context(), second, dawn.Add(-time.Hour), d.UpdatedAt), metastore.ErrNotFound)
	wantError(t, "as if there were none", store.PutItem(t.Context(), second, time.Time{}, d.UpdatedAt), metastore.ErrExists)
	mustPut(t, store, second, dawn, d)
	wantItem(t, store, second)
	wantError(t, "of an older version", store.PutItem(t.Context(), second, dawn, d.UpdatedAt), metastore.ErrNotFound)

	for at, want := range map[time.Time]string{
		dawn.Add(-time.Microsecond): "", dawn: first.Input, dawn.Add(time.Millisecond - time.Microsecond): first.Input,
		dawn.Add(time.Millisecond): second.Input, dawn.Add(time.Hour): second.Input, {}: second.Input,
	} {
		got := ""
		err := store.EachItem(t.Context(), metastore.ItemQuery{ProjectID: project, ItemID: "i", At: at, Limit: 10}, func(i model.DatasetItem) error {
			got += i.Input
			return nil
		})
		if got != want || err != nil {
			t.Errorf("at %v: %q, %v, want %q", at, got, err, want)
		}
	}
}

func testDeletedItems(t *testing.T, store metastore.Store) {
	project, d := planted(t, store)
	mustPut(t, store, datasetItem(d, "i"), time.Time{}, d)
	marker := datasetItem(d, "i")
	marker.Deleted, marker.Input, marker.ValidFrom = true, "", dawn.Add(time.Second)
	mustPut(t, store, marker, dawn, d)
	wantItem(t, store, marker)
	q := metastore.ItemQuery{ProjectID: project, AnyStatus: true}
	wantItems(t, store, q, "")
	q.At = dawn.Add(time.Second - time.Millisecond)
	wantItems(t, store, q, "i")
	back := datasetItem(d, "i")
	back.ValidFrom = dawn.Add(time.Minute)
	mustPut(t, store, back, marker.ValidFrom, d)
	q.At = dawn.Add(2 * time.Second)
	wantItems(t, store, q, "")
	q.At = time.Time{}
	wantItems(t, store, q, "i")
}

func testFoundItems(t *testing.T, store metastore.Store) {
	project, d := planted(t, store)
	other := dataset(project, "other", "other")
	wantError(t, "CreateDataset", store.CreateDataset(t.Context(), other), nil)
	for i, id := range []string{"b", "a", "c", "archived", "elsewhere"} {
		in := d
		if id == "elsewhere" {
			in = other
		}
		item := datasetItem(in, id)
		item.ValidFrom = dawn.Add(time.Duration(i/2) * time.Millisecond) // b, a | c, archived | elsewhere
		item.SourceTraceID, item.SourceObservationID = "t"+strconv.Itoa(i%2), "o"+strconv.Itoa(i)
		if id == "archived" {
			item.Status = model.ItemArchived
		}
		mustPut(t, store, item, time.Time{}, in)
	}
	all := metastore.ItemQuery{ProjectID: project}
	wantItems(t, store, all, "elsewhere c a b")
	for want, edit := range map[string]func(*metastore.ItemQuery){
		"c a b":                    func(q *metastore.ItemQuery) { q.DatasetID = d.ID },
		"archived c a b":           func(q *metastore.ItemQuery) { q.DatasetID, q.AnyStatus = d.ID, true },
		"elsewhere c b":            func(q *metastore.ItemQuery) { q.SourceTraceID = "t0" },
		"c":                        func(q *metastore.ItemQuery) { q.SourceTraceID, q.SourceObservationID = "t0", "o2" },
		"":                         func(q *metastore.ItemQuery) { q.SourceObservationID = "o" },
		"a":                        func(q *metastore.ItemQuery) { q.ItemID = "a" },
		"c a":                      func(q *metastore.ItemQuery) { q.Offset, q.Limit = 1, 2 },
		"elsewhere archived c a b": func(q *metastore.ItemQuery) { q.AnyStatus = true },
	} {
		q := all
		edit(&q)
		wantItems(t, store, q, want)
	}
	stop := errors.New("enough")
	wantError(t, "EachItem", store.EachItem(t.Context(), metastore.ItemQuery{ProjectID: project, Limit: 10}, func(model.DatasetItem) error { return stop }), stop)
}

func testItemTenants(t *testing.T, store metastore.Store) {
	project, d := planted(t, store)
	other := dataset(secondProject(t, store), d.ID, d.Name)
	wantError(t, "CreateDataset", store.CreateDataset(t.Context(), other), nil)
	mine, theirs := datasetItem(d, "i"), datasetItem(other, "i")
	theirs.Input = `"secret"`
	mustPut(t, store, mine, time.Time{}, d)
	mustPut(t, store, theirs, time.Time{}, other)
	next := theirs
	next.ValidFrom = dawn.Add(time.Second)
	mustPut(t, store, next, dawn, other)
	wantItem(t, store, mine)
	wantItems(t, store, metastore.ItemQuery{ProjectID: project}, "i")
	wantDataset(t, store, func() model.Dataset { w := d; w.ItemWrites = 1; return w }())
}

func testRefusedItems(t *testing.T, store metastore.Store) {
	project, d := planted(t, store)
	for name, spoil := range map[string]func(*model.DatasetItem){
		"no id":           func(i *model.DatasetItem) { i.ID = "" },
		"no status":       func(i *model.DatasetItem) { i.Status = "" },
		"NUL":             func(i *model.DatasetItem) { i.Input = "\x00" },
		"not UTF-8":       func(i *model.DatasetItem) { i.Metadata = "\xff" },
		"long source":     func(i *model.DatasetItem) { i.SourceTraceID = strings.Repeat("x", metastore.MaxText+1) },
		"huge text":       func(i *model.DatasetItem) { i.ExpectedOutput = strings.Repeat("x", metastore.MaxItemDocument+1) },
		"no later period": func(i *model.DatasetItem) { i.ValidFrom = dawn.Add(-time.Hour) },
	} {
		item := datasetItem(d, "bad")
		spoil(&item)
		if err := store.PutItem(t.Context(), item, dawn.Add(-time.Minute), d.UpdatedAt); !fault.Is(err, fault.Invalid) {
			t.Errorf("PutItem with %s = %v, want fault.Invalid", name, err)
		}
	}
	for _, q := range []metastore.ItemQuery{{ItemID: "\x00"}, {DatasetID: "\xff"}, {SourceTraceID: "a\x00"}, {SourceObservationID: strings.Repeat("x", 2000)}} {
		q.ProjectID, q.Limit = project, 1
		_, counting := store.CountItems(t.Context(), q)
		_, listing := store.ItemIDs(t.Context(), q)
		for _, err := range []error{counting, listing, store.EachItem(t.Context(), q, func(model.DatasetItem) error { return nil })} {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("%+v = %v, want fault.Invalid", q, err)
			}
		}
	}
	largest := datasetItem(d, "large")
	largest.Input = `"` + strings.Repeat("ü", (metastore.MaxItemDocument-2)/2) + `"`
	mustPut(t, store, largest, time.Time{}, d)
	wantItem(t, store, largest)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantError(t, "PutItem", store.PutItem(ctx, datasetItem(d, "late"), time.Time{}, d.UpdatedAt), context.Canceled)
	_, err := store.CountItems(ctx, metastore.ItemQuery{ProjectID: project})
	wantError(t, "CountItems", err, context.Canceled)
}

// testItemsKnowSchemas: an item that was checked against schemas that are gone is not written, and
// schemas are not set when an item was written after the check of all.
func testItemsKnowSchemas(t *testing.T, store metastore.Store) {
	_, d := planted(t, store)
	for round := range 4 {
		stored, err := store.Dataset(t.Context(), d.ProjectID, d.Name)
		wantError(t, "Dataset", err, nil)
		next := stored
		next.UpdatedAt = stored.UpdatedAt.Add(time.Microsecond)
		item := datasetItem(d, fmt.Sprint("i", round))
		done := atOnce(2, func(i int) error {
			if i == 0 {
				return store.UpdateDataset(t.Context(), next, stored, true)
			}
			return store.PutItem(t.Context(), item, time.Time{}, stored.UpdatedAt)
		})
		if (done[0] == nil) == (done[1] == nil) {
			t.Errorf("schema and item at once: %v, want one of them refused", done)
		}
	}
}

// testItemVersionsAtOnce has many writers add versions to one item, each as often as it takes.
func testItemVersionsAtOnce(t *testing.T, store metastore.Store) {
	const writers = 50
	project, d := planted(t, store)
	for i, err := range atOnce(writers, func(i int) error {
		for {
			item := datasetItem(d, "wanted")
			item.Input = strconv.Itoa(i)
			var was time.Time
			current, err := store.Item(t.Context(), project, "wanted")
			if err == nil {
				was = current.ValidFrom
				item.ValidFrom = was.Add(time.Millisecond)
			} else if !errors.Is(err, metastore.ErrNotFound) {
				return err
			}
			err = store.PutItem(t.Context(), item, was, d.UpdatedAt)
			if err == nil || (!errors.Is(err, metastore.ErrNotFound) && !errors.Is(err, metastore.ErrExists)) {
				return err
			}
		}
	}) {
		wantError(t, fmt.Sprintf("writer %d", i), err, nil)
	}
	inputs := map[string]bool{}
	for n := range writers {
		at := dawn.Add(time.Duration(n) * time.Millisecond)
		found := 0
		err := store.EachItem(t.Context(), metastore.ItemQuery{ProjectID: project, ItemID: "wanted", At: at, Limit: 10}, func(i model.DatasetItem) error {
			found++
			inputs[i.Input] = true
			end := at.Add(time.Millisecond)
			if last := n == writers-1; !i.ValidFrom.Equal(at) || (last && !i.ValidTo.IsZero()) || (!last && !i.ValidTo.Equal(end)) {
				t.Errorf("version %d lasts from %v to %v", n, i.ValidFrom, i.ValidTo)
			}
			return nil
		})
		if err != nil || found != 1 {
			t.Errorf("%d versions at %v, %v, want 1", found, at, err)
		}
	}
	if len(inputs) != writers {
		t.Errorf("%d different versions of %d writers", len(inputs), writers)
	}
	wantItems(t, store, metastore.ItemQuery{ProjectID: project}, "wanted")
}

func testItemInTwoDatasets(t *testing.T, store metastore.Store) {
	project, d := planted(t, store)
	other := dataset(project, "other", "other")
	wantError(t, "CreateDataset", store.CreateDataset(t.Context(), other), nil)
	stored := 0
	for _, err := range atOnce(8, func(i int) error {
		in := []model.Dataset{d, other}[i%2]
		return store.PutItem(t.Context(), datasetItem(in, "wanted"), time.Time{}, in.UpdatedAt)
	}) {
		if err == nil {
			stored++
		} else if !errors.Is(err, metastore.ErrExists) {
			t.Errorf("PutItem = %v, want ErrExists", err)
		}
	}
	if stored != 1 {
		t.Errorf("%d current versions of one item", stored)
	}
	wantItems(t, store, metastore.ItemQuery{ProjectID: project}, "wanted")
}

// runItem uses every field that a store keeps.
func runItem(projectID, id string) model.RunItem {
	return model.RunItem{
		ProjectID: projectID, ID: id, DatasetID: "d", RunName: "run 'ö'", Description: "text", Metadata: `{"m":1}`, ItemID: "i",
		ItemVersion: dawn, TraceID: "t", ObservationID: "o", CreatedAt: dawn.Add(time.Microsecond), Due: dawn.Add(time.Second),
	}
}

func wantDue(t *testing.T, store metastore.Store, now time.Time, want ...model.RunItem) {
	t.Helper()
	got, err := store.DueRunItems(t.Context(), now, 10)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("due at %v: %v (-want +got):\n%s", now, err, diff)
	}
}

func testRunItems(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	other := secondProject(t, store)
	first, second, settled := runItem(other, "a"), runItem(project, "a"), runItem(project, "never")
	second.Due = first.Due.Add(time.Second)
	second.TraceID, second.ObservationID, second.Metadata, second.Description = "", "", "", ""
	settled.Due = time.Time{}
	for _, r := range []model.RunItem{second, first, settled} {
		wantError(t, "PutRunItem", store.PutRunItem(t.Context(), r), nil)
	}
	wantDue(t, store, dawn)
	wantDue(t, store, first.Due, first)
	wantDue(t, store, second.Due, first, second)
	if one, err := store.DueRunItems(t.Context(), second.Due, 1); len(one) != 1 || err != nil {
		t.Errorf("DueRunItems of 1 = %v, %v", one, err)
	}
	second.Due = time.Time{}
	wantError(t, "RescheduleRunItem", store.RescheduleRunItem(t.Context(), second), nil)
	first.Due = first.Due.Add(time.Hour)
	wantError(t, "RescheduleRunItem", store.RescheduleRunItem(t.Context(), first), nil)
	wantDue(t, store, first.Due.Add(-time.Microsecond))
	wantDue(t, store, first.Due, first)
}

func testRunItemAgain(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	first := runItem(project, "a")
	again := first
	again.RunName, again.Due = "another", dawn
	for _, r := range []model.RunItem{first, again} {
		wantError(t, "PutRunItem", store.PutRunItem(t.Context(), r), nil)
	}
	wantDue(t, store, first.Due, first)
}

func testRefusedRunItems(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	wantError(t, "no project", store.PutRunItem(t.Context(), runItem("nobody", "a")), metastore.ErrNotFound)
	for name, spoil := range map[string]func(*model.RunItem){
		"no run":    func(r *model.RunItem) { r.RunName = "" },
		"no item":   func(r *model.RunItem) { r.ItemID = "" },
		"NUL":       func(r *model.RunItem) { r.TraceID = "a\x00" },
		"not UTF-8": func(r *model.RunItem) { r.Metadata = "\xff" },
		"huge text": func(r *model.RunItem) { r.Description = strings.Repeat("x", 1<<20) },
	} {
		r := runItem(project, "bad")
		spoil(&r)
		if err := store.PutRunItem(t.Context(), r); !fault.Is(err, fault.Invalid) {
			t.Errorf("PutRunItem with %s = %v, want fault.Invalid", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := store.DueRunItems(ctx, dawn, 1)
	wantError(t, "DueRunItems", err, context.Canceled)
}
