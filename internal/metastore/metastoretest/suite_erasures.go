package metastoretest

import (
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/metastore"
)

var erasuresTests = map[string]func(*testing.T, metastore.Store){
	"media that nothing uses is hidden, then forgotten": testUnusedMedia,
	"links made later stay":                             testLaterLinksStay,
	"media of a project":                                testUnlinkProject,
}

func unused(t *testing.T, store metastore.Store, project string) (ids []string) {
	t.Helper()
	list, err := store.UnusedMedia(t.Context(), project, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		ids = append(ids, m.ID)
	}
	return ids
}

func linkTo(m metastore.Media, trace string) metastore.MediaLink {
	return metastore.MediaLink{ProjectID: m.ProjectID, MediaID: m.ID, TraceID: trace, Field: "input"}
}

func testUnusedMedia(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	at := time.Now().UTC().Truncate(time.Microsecond)
	alone := uploaded(media(project, "alone"), "image/png", at)
	shared := uploaded(media(project, "shared"), "image/png", at)
	announced := media(project, "announced")
	mustPutMedia(t, store, []metastore.Media{alone, shared, announced}, linkTo(alone, "t"), linkTo(shared, "t"), linkTo(shared, "u"), linkTo(announced, "u"))
	if err := store.UnlinkTraces(t.Context(), project, []string{"t", "unknown"}, time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	hidden := alone
	hidden.UploadedAt = time.Time{}
	wantMedia(t, store, hidden)
	wantMedia(t, store, shared)
	if diff := gocmp.Diff([]string{alone.ID}, unused(t, store, project)); diff != "" {
		t.Errorf("unused media (-want +got):\n%s", diff)
	}
	for range 2 {
		if err := store.DeleteUnusedMedia(t.Context(), project, alone.ID); err != nil {
			t.Fatal(err)
		}
	}
	_, err := store.Media(t.Context(), project, alone.ID)
	wantError(t, "Media of what was forgotten", err, metastore.ErrNotFound)

	// One that is used again stays, without its bytes.
	if err := store.DeleteUnusedMedia(t.Context(), project, shared.ID); err != nil {
		t.Fatal(err)
	}
	shared.UploadedAt = time.Time{}
	wantMedia(t, store, shared)
	if err := store.Scrub(t.Context()); err != nil {
		t.Error(err)
	}
}

func testLaterLinksStay(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	m := uploaded(media(project, "cat"), "image/png", time.Now().UTC().Truncate(time.Microsecond))
	before := time.Now().Add(-time.Minute)
	mustPutMedia(t, store, []metastore.Media{m}, linkTo(m, "t"))
	if err := store.UnlinkTraces(t.Context(), project, []string{"t"}, before); err != nil {
		t.Fatal(err)
	}
	wantMedia(t, store, m)
	if list := unused(t, store, project); len(list) > 0 {
		t.Errorf("unused media: %v", list)
	}
}

func testUnlinkProject(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	m := uploaded(media(project, "cat"), "image/png", time.Now().UTC().Truncate(time.Microsecond))
	mustPutMedia(t, store, []metastore.Media{m}, linkTo(m, "t"), linkTo(m, "u"))
	if err := store.UnlinkProject(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff([]string{m.ID}, unused(t, store, project)); diff != "" {
		t.Errorf("unused media (-want +got):\n%s", diff)
	}
}
