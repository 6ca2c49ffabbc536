package metastoretest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

var exportsTests = map[string]func(*testing.T, metastore.Store){
	"an export is kept whole":        testExports,
	"one of several changes":         testExportRevisions,
	"exports of others are not seen": testForeignExports,
	"hostile exports are refused":    testHostileExports,
}

// export uses every field that a store keeps.
func export(seed metastore.Seed) model.Export {
	at := time.Date(2026, 4, 1, 12, 0, 0, 123_456_000, time.UTC)
	return model.Export{
		ProjectID: seed.Project.ID, OrganizationID: seed.Organization.ID, ID: "export-1",
		Settings: model.ExportSettings{
			Type: "S3", Bucket: "b", Endpoint: "https://s3.example.com", Region: "r", AccessKeyID: "a", Prefix: "müßig/", Frequency: "hourly",
			Enabled: true, ForcePathStyle: true, FileType: "CSV", Mode: "FROM_CUSTOM_DATE", StartDate: at, Compressed: true, Source: "OBSERVATIONS_V2",
			FieldGroups: []string{"core", "io"},
		},
		SealedSecret: []byte{0, 0xff, '\''}, Until: at, Progress: `{"part":1}`, LastSyncAt: at.Add(time.Hour), LastError: "no", LastErrorAt: at.Add(time.Minute),
		CreatedAt: at, UpdatedAt: at.Add(time.Second),
	}
}

func mustSaveExport(t *testing.T, store metastore.Store, e model.Export) model.Export {
	t.Helper()
	revision, err := store.SaveExport(t.Context(), e)
	if err != nil || revision != e.Revision+1 {
		t.Fatalf("SaveExport = %d, %v", revision, err)
	}
	e.Revision = revision
	return e
}

func wantExport(t *testing.T, store metastore.Store, want model.Export) {
	t.Helper()
	got, err := store.Export(t.Context(), want.ProjectID)
	if err != nil {
		t.Fatalf("Export: %v", err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("export (-want +got):\n%s", diff)
	}
}

func testExports(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	_, err := store.Export(t.Context(), seed.Project.ID)
	wantError(t, "Export before there is one", err, metastore.ErrNotFound)
	e := mustSaveExport(t, store, export(seed))
	wantExport(t, store, e)

	other := e
	other.Settings = model.ExportSettings{Type: "S3", Frequency: "daily"}
	other.SealedSecret, other.Until, other.LastSyncAt, other.LastErrorAt = nil, time.Time{}, time.Time{}, time.Time{}
	other.Progress, other.LastError, other.UpdatedAt = "", "", e.UpdatedAt.Add(time.Hour)
	changed := mustSaveExport(t, store, other)
	wantExport(t, store, changed)

	if enabled, err := store.EnabledExports(t.Context(), "", 10); err != nil || len(enabled) != 0 {
		t.Errorf("a disabled export is among the enabled ones: %v, %v", enabled, err)
	}
	wantError(t, "DeleteExport", store.DeleteExport(t.Context(), seed.Project.ID), nil)
	wantError(t, "DeleteExport twice", store.DeleteExport(t.Context(), seed.Project.ID), metastore.ErrNotFound)
	wantExport(t, store, mustSaveExport(t, store, export(seed)))
}

func testExportRevisions(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	for name, start := range map[string]func() model.Export{
		"made":    func() model.Export { return export(seed) },
		"changed": func() model.Export { e, _ := store.Export(t.Context(), seed.Project.ID); return e },
	} {
		if name == "made" {
			_ = store.DeleteExport(t.Context(), seed.Project.ID) // whichever comes first
		} else if _, err := store.Export(t.Context(), seed.Project.ID); err != nil {
			mustSaveExport(t, store, export(seed))
		}
		e := start()
		won := 0
		for _, err := range atOnce(8, func(int) error { _, err := store.SaveExport(t.Context(), e); return err }) {
			switch {
			case err == nil:
				won++
			case !errors.Is(err, metastore.ErrExportChanged):
				t.Errorf("%s at once: %v", name, err)
			}
		}
		if won != 1 {
			t.Errorf("%d of 8 that %s the same revision did", won, name)
		}
	}
}

func testForeignExports(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	second := model.Project{ID: "another", Name: "Another", Organization: seed.Organization}
	wantError(t, "CreateProject", store.CreateProject(t.Context(), second), nil)
	for _, project := range []string{seed.Project.ID, second.ID} {
		e := export(seed)
		e.ProjectID = project
		mustSaveExport(t, store, e)
	}
	ids := func(list []model.Export, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, e := range list {
			ids = append(ids, e.ProjectID)
		}
		return strings.Join(ids, " ")
	}
	for what, got := range map[string]string{
		"another seed-project": ids(store.Exports(t.Context(), seed.Organization.ID, "", 10)),
		"another":              ids(store.Exports(t.Context(), seed.Organization.ID, "", 1)),
		"seed-project":         ids(store.EnabledExports(t.Context(), "another", 10)),
		"":                     ids(store.Exports(t.Context(), "other-organization", "", 10)),
	} {
		if got != what {
			t.Errorf("listed %q, want %q", got, what)
		}
	}
	for _, spoil := range []func(*model.Export){
		func(e *model.Export) { e.OrganizationID = "other-organization" },
		func(e *model.Export) { e.ProjectID = "nobody" },
	} {
		e := export(seed)
		spoil(&e)
		_, err := store.SaveExport(t.Context(), e)
		wantError(t, "SaveExport of a foreign project", err, metastore.ErrNotFound)
	}
}

func testHostileExports(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	for name, spoil := range map[string]func(*model.Export){
		"no project":     func(e *model.Export) { e.ProjectID = "" },
		"no id":          func(e *model.Export) { e.ID = "" },
		"NUL":            func(e *model.Export) { e.LastError = "a\x00b" },
		"not UTF-8":      func(e *model.Export) { e.Progress = "\xff" },
		"large settings": func(e *model.Export) { e.Settings.Prefix = strings.Repeat("x", 2<<20) },
		"large secret":   func(e *model.Export) { e.SealedSecret = make([]byte, 1<<20) },
	} {
		e := export(seed)
		spoil(&e)
		if _, err := store.SaveExport(t.Context(), e); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := store.Export(t.Context(), "a\x00b"); !fault.Is(err, fault.Invalid) {
		t.Errorf("a project with NUL: %v", err)
	}
}
