package metastoretest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// media returns a media of content that has no bytes yet.
func media(projectID, content string) metastore.Media {
	return metastore.Media{
		ProjectID: projectID, ID: "id-of-" + content, SHA256: sha256.Sum256([]byte(content)),
		ContentType: "image/png", Length: int64(len(content)),
	}
}

func uploaded(m metastore.Media, contentType string, at time.Time) metastore.Media {
	m.ContentType, m.UploadedAt = contentType, at
	return m
}

func mustPutMedia(t *testing.T, store metastore.Store, media []metastore.Media, links ...metastore.MediaLink) {
	t.Helper()
	if err := store.PutMedia(t.Context(), media, links); err != nil {
		t.Fatalf("PutMedia: %v", err)
	}
}

func wantMedia(t *testing.T, store metastore.Store, want metastore.Media) {
	t.Helper()
	got, err := store.Media(t.Context(), want.ProjectID, want.ID)
	if diff := gocmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Media %s: %v (-want +got):\n%s", want.ID, err, diff)
	}
}

func testMedia(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	_, err := store.Media(t.Context(), project, "nothing")
	wantError(t, "Media of nothing", err, metastore.ErrNotFound)

	announced := media(project, "cat")
	mustPutMedia(t, store, []metastore.Media{announced})
	wantMedia(t, store, announced)

	// An announcement changes nothing, whatever type it names.
	again := announced
	again.ContentType = "text/plain"
	mustPutMedia(t, store, []metastore.Media{again})
	wantMedia(t, store, announced)

	at := time.Date(2026, 5, 1, 10, 0, 0, 123_456_789, time.UTC)
	mustPutMedia(t, store, []metastore.Media{uploaded(announced, "image/png", at)})
	want := uploaded(announced, "image/png", at.Truncate(time.Microsecond))
	wantMedia(t, store, want)
	mustPutMedia(t, store, []metastore.Media{again})
	wantMedia(t, store, want)

	// Another upload of the same bytes: the newest type, the first time.
	mustPutMedia(t, store, []metastore.Media{uploaded(announced, "text/plain", at.Add(time.Hour))})
	want.ContentType = "text/plain"
	wantMedia(t, store, want)

	atOnceStored := uploaded(media(project, "dog"), "audio/wav", at.Truncate(time.Microsecond))
	atOnceStored.Length = 5_000_000_000
	mustPutMedia(t, store, []metastore.Media{atOnceStored})
	wantMedia(t, store, atOnceStored)
}

func testMediaLinks(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	cat, dog := media(project, "cat"), media(project, "dog")
	long := strings.Repeat("x", metastore.MaxLinkText)
	links := []metastore.MediaLink{
		{ProjectID: project, MediaID: cat.ID, TraceID: "t", Field: "input"},
		{ProjectID: project, MediaID: cat.ID, TraceID: "t", Field: "output"},
		{ProjectID: project, MediaID: cat.ID, TraceID: "t", ObservationID: "o", Field: "input"},
		{ProjectID: project, MediaID: cat.ID, DatasetID: "d", DatasetItemID: "i", Field: "expectedOutput"},
		{ProjectID: project, MediaID: cat.ID, TraceID: long, ObservationID: long, Field: "metadata"},
	}
	mustPutMedia(t, store, []metastore.Media{cat, dog}, append(links, links...)...)
	mustPutMedia(t, store, nil, links[2], metastore.MediaLink{ProjectID: project, MediaID: dog.ID, TraceID: "t", Field: "input"})

	got, err := store.MediaLinks(t.Context(), project, cat.ID, 100)
	byText := func(a, b metastore.MediaLink) int {
		return cmp.Compare(a.TraceID+a.ObservationID+a.DatasetID+a.Field, b.TraceID+b.ObservationID+b.DatasetID+b.Field)
	}
	slices.SortFunc(got, byText)
	slices.SortFunc(links, byText)
	if diff := gocmp.Diff(links, got); err != nil || diff != "" {
		t.Errorf("MediaLinks: %v (-want +got):\n%s", err, diff)
	}
	if got, err := store.MediaLinks(t.Context(), project, cat.ID, 2); len(got) != 2 || err != nil {
		t.Errorf("MediaLinks with a limit of 2: %d, %v", len(got), err)
	}
}

func testMediaTenants(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	other := model.Project{ID: "other", Name: "Other", Organization: seed.Organization}
	if err := store.CreateProject(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	mine := uploaded(media(seed.Project.ID, "cat"), "image/png", at)
	link := metastore.MediaLink{ProjectID: seed.Project.ID, MediaID: mine.ID, TraceID: "t", Field: "input"}
	mustPutMedia(t, store, []metastore.Media{mine}, link)

	_, err := store.Media(t.Context(), other.ID, mine.ID)
	wantError(t, "Media of another project", err, metastore.ErrNotFound)
	if got, err := store.MediaLinks(t.Context(), other.ID, mine.ID, 10); len(got) != 0 || err != nil {
		t.Errorf("MediaLinks of another project: %v, %v", got, err)
	}
	foreign := link
	foreign.ProjectID = other.ID
	wantError(t, "link to a media of another project",
		store.PutMedia(t.Context(), nil, []metastore.MediaLink{foreign}), metastore.ErrNotFound)

	theirs := media(other.ID, "cat")
	mustPutMedia(t, store, []metastore.Media{theirs}, foreign)
	wantMedia(t, store, theirs)
	wantMedia(t, store, mine)
}

func testMediaAtOnce(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	at := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	cat, dog := uploaded(media(project, "cat"), "image/png", at), uploaded(media(project, "dog"), "image/png", at)
	link := metastore.MediaLink{ProjectID: project, MediaID: cat.ID, TraceID: "t", Field: "input"}
	other := metastore.MediaLink{ProjectID: project, MediaID: dog.ID, TraceID: "t", Field: "input"}
	errs := atOnce(8, func(i int) error {
		if i%2 == 0 {
			return store.PutMedia(t.Context(), []metastore.Media{cat, dog}, []metastore.MediaLink{link, other})
		}
		return store.PutMedia(t.Context(), []metastore.Media{dog, cat}, []metastore.MediaLink{other, link})
	})
	if err := errors.Join(errs...); err != nil {
		t.Errorf("PutMedia at once: %v", err)
	}
	wantMedia(t, store, cat)
	if got, err := store.MediaLinks(t.Context(), project, cat.ID, 10); len(got) != 1 || err != nil {
		t.Errorf("MediaLinks: %v, %v, want one", got, err)
	}
}

func testMediaRefused(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	good := media(project, "good")
	wantError(t, "PutMedia in no project", store.PutMedia(t.Context(), []metastore.Media{media("nobody", "x")}, nil), metastore.ErrNotFound)
	dangling := metastore.MediaLink{ProjectID: project, MediaID: "nothing", TraceID: "t", Field: "input"}
	wantError(t, "PutMedia with a link to nothing", store.PutMedia(t.Context(), []metastore.Media{good}, []metastore.MediaLink{dangling}), metastore.ErrNotFound)
	_, err := store.Media(t.Context(), project, good.ID)
	wantError(t, "Media beside a refused link", err, metastore.ErrNotFound)

	for _, text := range []string{"\x00", "a\xff", strings.Repeat("x", metastore.MaxLinkText+1)} {
		withID := good
		withID.ID = text
		trace, item := dangling, dangling
		trace.TraceID, item.DatasetItemID = text, text
		_, reading := store.Media(t.Context(), project, text)
		wantError(t, "Media by a text that is no id", reading, metastore.ErrNotFound)
		for what, err := range map[string]error{
			"media id": store.PutMedia(t.Context(), []metastore.Media{withID}, nil),
			"trace id": store.PutMedia(t.Context(), nil, []metastore.MediaLink{trace}),
			"item id":  store.PutMedia(t.Context(), nil, []metastore.MediaLink{item}),
		} {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("%s %.10q = %v, want fault.Invalid", what, text, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantError(t, "PutMedia", store.PutMedia(ctx, []metastore.Media{good}, nil), context.Canceled)
	_, err = store.Media(ctx, project, good.ID)
	wantError(t, "Media", err, context.Canceled)
	_, err = store.MediaLinks(ctx, project, good.ID, 1)
	wantError(t, "MediaLinks", err, context.Canceled)
}
