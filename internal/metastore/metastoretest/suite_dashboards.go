package metastoretest

import (
	"encoding/json"
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

var dashboardsTests = map[string]func(*testing.T, metastore.Store){
	"dashboards":              testDashboards,
	"dashboards by revision":  testDashboardRevisions,
	"one dashboard at once":   testDashboardAtOnce,
	"refused dashboards":      testRefusedDashboards,
	"dashboards are limited":  testDashboardLimit,
	"dashboards of a project": testDashboardTenants,
}

func dashboard(projectID, id string, micros int) model.Dashboard {
	return model.Dashboard{
		ProjectID: projectID, ID: id, Name: "so \"müde\"", Description: "what it's for", TileCount: 2,
		Tiles: []model.Tile{
			{ID: "t1", Title: "Cost", Kind: model.LineTile, W: 6, H: 4, Query: json.RawMessage(`{"view":"observations","metrics":[]}`)},
			{ID: "t2", Kind: model.TextTile, X: 6, Y: 1, W: 3, H: 2, Text: "a 'note'"},
		},
		CreatedAt: annotated.Add(time.Duration(micros) * time.Microsecond), UpdatedAt: annotated.Add(time.Hour),
	}
}

func mustSaveDashboard(t *testing.T, store metastore.Store, d model.Dashboard) model.Dashboard {
	t.Helper()
	revision, err := store.SaveDashboard(t.Context(), d)
	if err != nil || revision != d.Revision+1 {
		t.Fatalf("SaveDashboard %s: revision %d, %v", d.ID, revision, err)
	}
	d.Revision = revision
	return d
}

func wantDashboard(t *testing.T, store metastore.Store, want model.Dashboard) {
	t.Helper()
	got, err := store.Dashboard(t.Context(), want.ProjectID, want.ID)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Dashboard %s: %v (-want +got):\n%s", want.ID, err, diff)
	}
}

func testDashboards(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	b, a := mustSaveDashboard(t, store, dashboard(project, "b", 0)), mustSaveDashboard(t, store, dashboard(project, "a", 1))
	wantDashboard(t, store, a)
	list, err := store.Dashboards(t.Context(), project)
	a.Tiles, b.Tiles = nil, nil
	if diff := cmp.Diff([]model.Dashboard{b, a}, list); err != nil || diff != "" {
		t.Errorf("Dashboards: %v (-want +got):\n%s", err, diff)
	}
	empty := dashboard(project, "empty", 2)
	empty.Tiles, empty.TileCount, empty.Description = []model.Tile{}, 0, ""
	wantDashboard(t, store, mustSaveDashboard(t, store, empty))

	wantError(t, "DeleteDashboard", store.DeleteDashboard(t.Context(), project, "a"), nil)
	wantError(t, "DeleteDashboard again", store.DeleteDashboard(t.Context(), project, "a"), metastore.ErrNotFound)
	_, err = store.Dashboard(t.Context(), project, "a")
	wantError(t, "Dashboard", err, metastore.ErrNotFound)
}

func testDashboardRevisions(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	first := mustSaveDashboard(t, store, dashboard(project, "a", 0))
	_, err := store.SaveDashboard(t.Context(), dashboard(project, "a", 0))
	wantError(t, "made twice", err, metastore.ErrDashboardChanged)
	changed := first
	changed.Name, changed.Tiles, changed.TileCount, changed.UpdatedAt = "another", first.Tiles[:1], 1, annotated.Add(2*time.Hour)
	moved := changed
	moved.CreatedAt = annotated.Add(time.Minute) // stays as it is
	changed.Revision = mustSaveDashboard(t, store, moved).Revision
	wantDashboard(t, store, changed)
	_, err = store.SaveDashboard(t.Context(), first)
	wantError(t, "a revision of the past", err, metastore.ErrDashboardChanged)
	wantDashboard(t, store, changed)
	gone := dashboard(project, "gone", 0)
	gone.Revision = 1
	_, err = store.SaveDashboard(t.Context(), gone)
	wantError(t, "one that is gone", err, metastore.ErrDashboardChanged)
}

func testDashboardAtOnce(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	for revision := range 2 {
		errs := atOnce(8, func(i int) error {
			d := dashboard(project, "a", i)
			d.Revision = int64(revision)
			_, err := store.SaveDashboard(t.Context(), d)
			return err
		})
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else if !errors.Is(err, metastore.ErrDashboardChanged) {
				t.Error(err)
			}
		}
		if won != 1 {
			t.Errorf("%d of 8 replaced revision %d, want one", won, revision)
		}
	}
}

func testRefusedDashboards(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	for name, change := range map[string]func(*model.Dashboard){
		"no name":         func(d *model.Dashboard) { d.Name = "" },
		"long name":       func(d *model.Dashboard) { d.Name = strings.Repeat("x", metastore.MaxText+1) },
		"odd description": func(d *model.Dashboard) { d.Description = "\x00" },
		"odd id":          func(d *model.Dashboard) { d.ID = "\xff" },
		"large tiles":     func(d *model.Dashboard) { d.Tiles[1].Text = strings.Repeat("x", metastore.MaxDashboardTiles) },
	} {
		d := dashboard(project, "a", 0)
		change(&d)
		if _, err := store.SaveDashboard(t.Context(), d); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v, want a fault of kind Invalid", name, err)
		}
	}
	_, err := store.SaveDashboard(t.Context(), dashboard("nowhere", "a", 0))
	wantError(t, "no project", err, metastore.ErrNotFound)
}

func testDashboardLimit(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	for i := range metastore.MaxDashboards {
		mustSaveDashboard(t, store, dashboard(project, strconv.Itoa(i), i))
	}
	if _, err := store.SaveDashboard(t.Context(), dashboard(project, "one more", 0)); !fault.Is(err, fault.Invalid) {
		t.Errorf("one more than allowed: %v", err)
	}
}

func testDashboardTenants(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	wantError(t, "CreateProject", store.CreateProject(t.Context(), model.Project{ID: "other", Organization: seed.Organization}), nil)
	own, foreign := mustSaveDashboard(t, store, dashboard(seed.Project.ID, "a", 0)), mustSaveDashboard(t, store, dashboard("other", "a", 0))
	own.Name = "changed"
	own = mustSaveDashboard(t, store, own)
	wantDashboard(t, store, foreign)
	wantError(t, "DeleteDashboard", store.DeleteDashboard(t.Context(), "other", "a"), nil)
	wantDashboard(t, store, own)
}
