package metastoretest

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

var datasetsTests = map[string]func(*testing.T, metastore.Store){
	"datasets":                     testDatasets,
	"dataset pages":                testDatasetPages,
	"updated datasets":             testUpdateDataset,
	"datasets of projects":         testDatasetTenants,
	"refused datasets":             testRefusedDatasets,
	"same dataset at once":         testSameDatasetAtOnce,
	"dataset names":                testDatasetNames,
	"dataset items":                testItems,
	"dataset item versions":        testItemVersions,
	"deleted dataset items":        testDeletedItems,
	"found dataset items":          testFoundItems,
	"dataset items of projects":    testItemTenants,
	"refused dataset items":        testRefusedItems,
	"dataset items know schemas":   testItemsKnowSchemas,
	"item versions at once":        testItemVersionsAtOnce,
	"same item in two datasets":    testItemInTwoDatasets,
	"dataset items together":       testItemsTogether,
	"batches of items at once":     testBatchesAtOnce,
	"searched dataset items":       testSearchedItems,
	"history of dataset items":     testItemHistory,
	"summaries of datasets":        testDatasetSummaries,
	"run items":                    testRunItems,
	"run items come once":          testRunItemAgain,
	"run items of nobody, refused": testRefusedRunItems,
}

var dawn = time.Date(2026, 4, 1, 12, 0, 0, 123_000_000, time.UTC)

// dataset uses every field that a store keeps.
func dataset(projectID, id, name string) model.Dataset {
	return model.Dataset{
		ProjectID: projectID, ID: id, Name: name, Description: "it's \"müßig\"", Metadata: `{"a":[1,"\u0000"]}`,
		InputSchema: `{"type":"string"}`, ExpectedOutputSchema: `true`, CreatedAt: dawn, UpdatedAt: dawn.Add(123 * time.Microsecond),
	}
}

// planted makes a project with one dataset.
func planted(t *testing.T, store metastore.Store) (string, model.Dataset) {
	t.Helper()
	project := mustPlant(t, store, Seed("seed")).Project.ID
	d := dataset(project, "d", "capitals")
	wantError(t, "CreateDataset", store.CreateDataset(t.Context(), d), nil)
	return project, d
}

func wantDataset(t *testing.T, store metastore.Store, want model.Dataset) {
	t.Helper()
	byName, err := store.Dataset(t.Context(), want.ProjectID, want.Name)
	wantError(t, "Dataset", err, nil)
	byID, err := store.DatasetByID(t.Context(), want.ProjectID, want.ID)
	wantError(t, "DatasetByID", err, nil)
	for how, got := range map[string]model.Dataset{"name": byName, "id": byID} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("dataset by %s (-want +got):\n%s", how, diff)
		}
	}
}

func testDatasets(t *testing.T, store metastore.Store) {
	project, d := planted(t, store)
	wantDataset(t, store, d)
	wantError(t, "same name", store.CreateDataset(t.Context(), dataset(project, "other", "capitals")), metastore.ErrExists)
	wantError(t, "same id", store.CreateDataset(t.Context(), dataset(project, "d", "other")), metastore.ErrExists)
	wantError(t, "no project", store.CreateDataset(t.Context(), dataset("nobody", "x", "x")), metastore.ErrNotFound)
	_, err := store.Dataset(t.Context(), project, "Capitals")
	wantError(t, "name in other case", err, metastore.ErrNotFound)
	_, err = store.DatasetByID(t.Context(), project, "capitals")
	wantError(t, "name as id", err, metastore.ErrNotFound)
}

func testDatasetPages(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	for i, id := range []string{"c", "a", "b", "e", "d"} {
		d := dataset(project, id, "set "+id)
		d.CreatedAt = dawn.Add(time.Duration(i/2) * time.Second) // c, a | b, e | d
		wantError(t, "CreateDataset", store.CreateDataset(t.Context(), d), nil)
	}
	for _, page := range []struct {
		offset, limit int
		want          string
	}{{0, 50, "d b e a c"}, {0, 2, "d b"}, {2, 2, "e a"}, {4, 2, "c"}, {6, 2, ""}, {1 << 40, 1, ""}} {
		list, count, err := store.Datasets(t.Context(), project, page.offset, page.limit)
		var ids []string
		for _, d := range list {
			ids = append(ids, d.ID)
		}
		if got := strings.Join(ids, " "); err != nil || count != 5 || got != page.want {
			t.Errorf("page %d+%d = %q of %d, %v, want %q", page.offset, page.limit, got, count, err, page.want)
		}
	}
}

func testUpdateDataset(t *testing.T, store metastore.Store) {
	_, d := planted(t, store)
	changed := d
	changed.Description, changed.Metadata, changed.InputSchema, changed.ExpectedOutputSchema = "", "", "", `{"type":"null"}`
	changed.UpdatedAt = d.UpdatedAt.Add(time.Microsecond)
	wantError(t, "UpdateDataset", store.UpdateDataset(t.Context(), changed, d, true), nil)
	wantDataset(t, store, changed)
	wantError(t, "of an older state", store.UpdateDataset(t.Context(), d, d, false), metastore.ErrNotFound)
	item := datasetItem(d, "i")
	wantError(t, "PutItem", store.PutItem(t.Context(), item, time.Time{}, changed.UpdatedAt), nil)
	again := changed
	again.UpdatedAt = changed.UpdatedAt.Add(time.Microsecond)
	wantError(t, "after an item was written", store.UpdateDataset(t.Context(), again, changed, true), metastore.ErrNotFound)
	wantError(t, "whatever items are written", store.UpdateDataset(t.Context(), again, changed, false), nil)
	again.ItemWrites = 1
	wantDataset(t, store, again)
	again.ID = "missing"
	wantError(t, "of none", store.UpdateDataset(t.Context(), again, again, false), metastore.ErrNotFound)
}

// secondProject adds a project to the seed's organization.
func secondProject(t *testing.T, store metastore.Store) string {
	t.Helper()
	other := model.Project{ID: "other", Name: "Other", Organization: Seed("seed").Organization}
	wantError(t, "CreateProject", store.CreateProject(t.Context(), other), nil)
	return other.ID
}

func testDatasetTenants(t *testing.T, store metastore.Store) {
	project, d := planted(t, store)
	other := secondProject(t, store)
	twin := dataset(other, d.ID, d.Name)
	twin.Description = "another's"
	wantError(t, "CreateDataset", store.CreateDataset(t.Context(), twin), nil)
	change := twin
	change.UpdatedAt = twin.UpdatedAt.Add(time.Microsecond)
	wantError(t, "UpdateDataset", store.UpdateDataset(t.Context(), change, twin, true), nil)
	wantDataset(t, store, d)
	if list, count, err := store.Datasets(t.Context(), project, 0, 10); err != nil || count != 1 || len(list) != 1 || list[0].ProjectID != project {
		t.Errorf("Datasets = %v, %d, %v", list, count, err)
	}
}

func testRefusedDatasets(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	for name, spoil := range map[string]func(*model.Dataset){
		"no id":       func(d *model.Dataset) { d.ID = "" },
		"no name":     func(d *model.Dataset) { d.Name = "" },
		"NUL":         func(d *model.Dataset) { d.Name = "a\x00" },
		"not UTF-8":   func(d *model.Dataset) { d.Description = "\xff" },
		"long name":   func(d *model.Dataset) { d.Name = strings.Repeat("x", metastore.MaxText+1) },
		"huge schema": func(d *model.Dataset) { d.InputSchema = strings.Repeat("x", 1<<20) },
		"huge text":   func(d *model.Dataset) { d.Metadata = strings.Repeat("x", 1<<20) },
	} {
		d := dataset(project, "bad", "bad")
		spoil(&d)
		if err := store.CreateDataset(t.Context(), d); !fault.Is(err, fault.Invalid) {
			t.Errorf("CreateDataset with %s = %v, want fault.Invalid", name, err)
		}
		if err := store.UpdateDataset(t.Context(), d, d, false); !fault.Is(err, fault.Invalid) {
			t.Errorf("UpdateDataset with %s = %v, want fault.Invalid", name, err)
		}
	}
	for _, text := range []string{"", "a\x00", "\xff"} {
		if _, err := store.Dataset(t.Context(), project, text); !fault.Is(err, fault.Invalid) {
			t.Errorf("Dataset %q = %v, want fault.Invalid", text, err)
		}
		if _, err := store.DatasetByID(t.Context(), project, text); !fault.Is(err, fault.Invalid) {
			t.Errorf("DatasetByID %q = %v, want fault.Invalid", text, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantError(t, "CreateDataset", store.CreateDataset(ctx, dataset(project, "late", "late")), context.Canceled)
	_, _, err := store.Datasets(ctx, project, 0, 1)
	wantError(t, "Datasets", err, context.Canceled)
}

func testSameDatasetAtOnce(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	made := 0
	for _, err := range atOnce(8, func(i int) error {
		return store.CreateDataset(t.Context(), dataset(project, strconv.Itoa(i), "wanted"))
	}) {
		if err == nil {
			made++
		} else if !errors.Is(err, metastore.ErrExists) {
			t.Errorf("CreateDataset = %v, want ErrExists", err)
		}
	}
	if made != 1 {
		t.Errorf("%d datasets of one name", made)
	}
}

func testDatasetNames(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	names := []string{
		"a", "A", "ä", "a\u0308", "a/b", "a%2Fb", "%", "_", "a ", "'; DROP TABLE datasets; --", `\`, "\u202e", "\U0001F600",
		"\n", "NULL", strings.Repeat("x", metastore.MaxText), strings.Repeat("ü", metastore.MaxText/2),
	}
	for i, name := range names {
		wantError(t, "CreateDataset "+name, store.CreateDataset(t.Context(), dataset(project, strconv.Itoa(i), name)), nil)
	}
	for i, name := range names {
		wantDataset(t, store, dataset(project, strconv.Itoa(i), name))
	}
}
