package media_test

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/media"
	"github.com/sondehq/sonde/internal/metastore"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func sum(data []byte) [sha256.Size]byte { return sha256.Sum256(data) }

// D01: clients compute the same id.
func TestID(t *testing.T) {
	t.Parallel()
	if got := media.ID(sum([]byte("hello"))); got != helloID {
		t.Errorf("id of hello: %s", got)
	}
}

func announcement(content string) media.Announcement {
	hash := sum([]byte(content))
	return media.Announcement{
		ContentType: "text/plain", Length: int64(len(content)), SHA256: base64.StdEncoding.EncodeToString(hash[:]),
		Link: metastore.MediaLink{TraceID: "t", ObservationID: "o", Field: media.FieldInput},
	}
}

func (w *workshop) announce(t testing.TB, project, content string) media.Announced {
	t.Helper()
	a, err := w.service.Announce(t.Context(), project, announcement(content))
	if err != nil {
		t.Fatalf("Announce: %v", err)
	}
	return a
}

func upload(a media.Announced, content string) media.Upload {
	return media.Upload{ID: a.ID, Ticket: a.Ticket, ContentType: "text/plain", Length: -1, Body: strings.NewReader(content)}
}

func TestUpload(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, "q")
	a := w.announce(t, "p", "hello")
	if a.ID != helloID || a.Ticket == "" {
		t.Fatalf("announced %+v", a)
	}
	if _, err := w.service.Find(t.Context(), "p", a.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("found before the upload: %v", err)
	}
	for range 2 {
		if project, err := w.service.Upload(t.Context(), upload(a, "hello")); project != "p" || err != nil {
			t.Fatalf("Upload = %s, %v", project, err)
		}
	}
	if got := w.bytesOf(t, "p", a.ID); got != "hello" {
		t.Errorf("stored %q", got)
	}
	if again := w.announce(t, "p", "hello"); again.Ticket != "" || again.ID != a.ID {
		t.Errorf("announced again: %+v", again)
	}
	// Another project learns nothing of it.
	other := w.announce(t, "q", "hello")
	if other.Ticket == "" {
		t.Error("another project is told that the content is there")
	}
	if _, err := w.service.Open(t.Context(), "q", a.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("another project: %v", err)
	}
}

func TestSameBytesUnderAnotherTypeAreUploadedAgain(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	a := w.announce(t, "p", "hello")
	if _, err := w.service.Upload(t.Context(), upload(a, "hello")); err != nil {
		t.Fatal(err)
	}
	html := announcement("hello")
	html.ContentType = "text/html"
	typed, err := w.service.Announce(t.Context(), "p", html)
	if err != nil || typed.Ticket == "" {
		t.Fatalf("announced under another type: %+v, %v", typed, err)
	}
	if found, err := w.service.Find(t.Context(), "p", a.ID); err != nil || found.ContentType != "text/plain" {
		t.Errorf("an announcement changed the type: %+v, %v", found, err)
	}
	in := upload(typed, "hello")
	in.ContentType = "text/html"
	if _, err := w.service.Upload(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if found, err := w.service.Find(t.Context(), "p", a.ID); err != nil || found.ContentType != "text/html" {
		t.Errorf("after another upload: %+v, %v", found, err)
	}
}

func TestUploadOfSomethingElseStoresNothing(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	a := w.announce(t, "p", "hello")
	with := func(edit func(*media.Upload)) media.Upload {
		in := upload(a, "hello")
		edit(&in)
		return in
	}
	for name, c := range map[string]struct {
		in   media.Upload
		says string
	}{
		"other bytes":   {upload(a, "hellO"), "announced was LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="},
		"too few":       {upload(a, "hell"), "4 bytes, announced were 5"},
		"none":          {upload(a, ""), "0 bytes, announced were 5"},
		"too many":      {upload(a, "hello!"), "more than the announced 5"},
		"endless":       {with(func(u *media.Upload) { u.Body = endless{} }), "more than the announced 5"},
		"byte by byte":  {with(func(u *media.Upload) { u.Body = iotest.OneByteReader(strings.NewReader("hellO")) }), "announced was"},
		"data with EOF": {with(func(u *media.Upload) { u.Body = iotest.DataErrReader(strings.NewReader("hellO")) }), "announced was"},
		"breaks off": {with(func(u *media.Upload) {
			u.Body = io.MultiReader(strings.NewReader("he"), iotest.ErrReader(io.ErrUnexpectedEOF))
		}), "broke off after 2 of 5"},
		"length header":   {with(func(u *media.Upload) { u.Length = 6 }), "6 bytes, announced were 5"},
		"type header":     {with(func(u *media.Upload) { u.ContentType = "text/html" }), `"text/html", announced was "text/plain"`},
		"no type header":  {with(func(u *media.Upload) { u.ContentType = "" }), `announced was "text/plain"`},
		"checksum header": {with(func(u *media.Upload) { u.Checksum = "AAAA" }), "AAAA, announced was LPJN"},
	} {
		_, err := w.service.Upload(t.Context(), c.in)
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
	if w.blobs.Len() != 0 {
		t.Errorf("%d blobs are stored", w.blobs.Len())
	}
	if _, err := w.service.Find(t.Context(), "p", a.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("found: %v", err)
	}
	w.blobs.away.Store(true)
	if _, err := w.service.Upload(t.Context(), upload(a, "hello")); !fault.Is(err, fault.Unavailable) || !errors.Is(err, errAway) {
		t.Errorf("blobs away: %v", err)
	}
}

func TestUploadIsFoundOnlyOnceItIsRegistered(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	a := w.announce(t, "p", "hello")
	w.meta.before = func(list []metastore.Media) {
		if w.blobs.Len() != 1 || list[0].UploadedAt.IsZero() {
			t.Errorf("registered with %d blobs: %+v", w.blobs.Len(), list)
		}
	}
	var away error = fault.Unavailablef("database away")
	w.meta.err.Store(&away)
	if _, err := w.service.Upload(t.Context(), upload(a, "hello")); !fault.Is(err, fault.Unavailable) {
		t.Errorf("metadata away: %v", err)
	}
	if _, err := w.service.Find(t.Context(), "p", a.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("found: %v", err)
	}
	w.meta.err.Store(nil)
	if _, err := w.service.Upload(t.Context(), upload(a, "hello")); err != nil || w.bytesOf(t, "p", a.ID) != "hello" {
		t.Errorf("again: %v", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestTicketsAreForOneThing(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, "q")
	a, b := w.announce(t, "p", "hello"), w.announce(t, "p", "world")
	if _, err := w.service.Upload(t.Context(), upload(a, "hello")); err != nil {
		t.Fatal(err)
	}
	found, err := w.service.Find(t.Context(), "p", a.ID)
	if err != nil {
		t.Fatal(err)
	}
	swapped := b
	swapped.Ticket = a.Ticket
	download := a
	download.Ticket = found.Ticket
	for name, in := range map[string]media.Announced{
		"none": {ID: a.ID}, "of another content": swapped, "for a download": download,
		"changed": {ID: a.ID, Ticket: "A" + a.Ticket[1:]}, "cut": {ID: a.ID, Ticket: a.Ticket[:len(a.Ticket)-4]},
	} {
		if _, err := w.service.Upload(t.Context(), upload(in, "hello")); !fault.Is(err, fault.Forbidden) {
			t.Errorf("upload with a ticket %s: %v", name, err)
		}
	}
	if project, err := w.service.Downloader(found.Ticket, a.ID); project != "p" || err != nil {
		t.Errorf("Downloader = %s, %v", project, err)
	}
	for name, ticket := range map[string]string{"none": "", "for an upload": a.Ticket, "changed": "A" + found.Ticket[1:]} {
		if _, err := w.service.Downloader(ticket, a.ID); !fault.Is(err, fault.Forbidden) {
			t.Errorf("download with a ticket %s: %v", name, err)
		}
	}
	if _, err := w.service.Downloader(found.Ticket, b.ID); !fault.Is(err, fault.Forbidden) {
		t.Errorf("download of another media: %v", err)
	}
	stranger := media.New(media.Config{Blobs: w.blobs, Store: w.meta, Secret: []byte("another secret"), MaxLength: maxLength})
	if _, err := stranger.Downloader(found.Ticket, a.ID); !fault.Is(err, fault.Forbidden) {
		t.Errorf("another installation: %v", err)
	}
}

func TestTicketsExpire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		a := w.announce(t, "p", "hello")
		time.Sleep(time.Hour - time.Millisecond) // fake time: nobody waits
		if _, err := w.service.Upload(t.Context(), upload(a, "hello")); err != nil {
			t.Fatalf("within the hour: %v", err)
		}
		found, err := w.service.Find(t.Context(), "p", a.ID)
		if err != nil || !found.Expires.Equal(time.Now().Add(time.Hour).Truncate(time.Millisecond)) {
			t.Fatalf("found %+v, %v", found, err)
		}
		time.Sleep(2 * time.Millisecond)
		if _, err := w.service.Upload(t.Context(), upload(a, "hello")); !fault.Is(err, fault.Forbidden) || !strings.Contains(err.Error(), "expired") {
			t.Errorf("upload after an hour: %v", err)
		}
		time.Sleep(time.Hour)
		if _, err := w.service.Downloader(found.Ticket, a.ID); !fault.Is(err, fault.Forbidden) || !strings.Contains(err.Error(), "expired") {
			t.Errorf("download after an hour: %v", err)
		}
	})
}

func TestAnnouncementsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	for name, edit := range map[string]func(*media.Announcement){
		"contentType":    func(a *media.Announcement) { a.ContentType = "application/x-msdownload" },
		"no type":        func(a *media.Announcement) { a.ContentType = "" },
		"parameters":     func(a *media.Announcement) { a.ContentType = "text/plain; charset=utf-8" },
		"zero":           func(a *media.Announcement) { a.Length = 0 },
		"negative":       func(a *media.Announcement) { a.Length = -1 },
		"too long":       func(a *media.Announcement) { a.Length = maxLength + 1 },
		"hash cut":       func(a *media.Announcement) { a.SHA256 = a.SHA256[:43] },
		"hash in hex":    func(a *media.Announcement) { a.SHA256 = strings.Repeat("ab", 32) },
		"hash for URLs":  func(a *media.Announcement) { a.SHA256 = strings.ReplaceAll(a.SHA256, "+", "-") },
		"no place":       func(a *media.Announcement) { a.Link = metastore.MediaLink{Field: "input"} },
		"mixed":          func(a *media.Announcement) { a.Link.DatasetID, a.Link.DatasetItemID = "d", "i" },
		"no trace":       func(a *media.Announcement) { a.Link.TraceID = "" },
		"half an item":   func(a *media.Announcement) { a.Link = metastore.MediaLink{DatasetID: "d", Field: "input"} },
		"other half":     func(a *media.Announcement) { a.Link = metastore.MediaLink{DatasetItemID: "i", Field: "input"} },
		"no field":       func(a *media.Announcement) { a.Link.Field = "" },
		"field of items": func(a *media.Announcement) { a.Link.Field = "expectedOutput" },
		"field of traces": func(a *media.Announcement) {
			a.Link = metastore.MediaLink{DatasetID: "d", DatasetItemID: "i", Field: "output"}
		},
		"trace id with NUL": func(a *media.Announcement) { a.Link.TraceID = "a\x00" },
		"trace id too long": func(a *media.Announcement) { a.Link.TraceID = strings.Repeat("t", 257) },
	} {
		in := announcement("hello")
		edit(&in)
		if got, err := w.service.Announce(t.Context(), "p", in); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	item := announcement("hello")
	item.Link = metastore.MediaLink{DatasetID: "d", DatasetItemID: "i", Field: media.FieldExpectedOutput}
	if _, err := w.service.Announce(t.Context(), "p", item); err != nil {
		t.Errorf("a dataset item: %v", err)
	}
	if err := w.service.Registered(t.Context(), "p", helloID); err != nil {
		t.Errorf("Registered: %v", err)
	}
	if err := w.service.Registered(t.Context(), "p", "unknown"); !fault.Is(err, fault.NotFound) {
		t.Errorf("Registered for an unknown id: %v", err)
	}
}

func TestNoRoom(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	a := w.announce(t, "p", "hello")
	full := media.New(media.Config{
		Blobs: w.blobs, Store: w.meta, Secret: make([]byte, 32), MaxLength: maxLength,
		Room: func() error { return fault.Unavailablef("the disk is nearly full") },
	})
	if _, err := full.Announce(t.Context(), "p", announcement("hello")); !fault.Is(err, fault.Unavailable) {
		t.Errorf("Announce: %v", err)
	}
	if _, err := w.service.Upload(t.Context(), upload(a, "hello")); err != nil {
		t.Fatal(err)
	}
	// What needs no room is told.
	if got, err := full.Announce(t.Context(), "p", announcement("hello")); err != nil || got.Ticket != "" {
		t.Errorf("Announce of what is there: %+v, %v", got, err)
	}
}

func TestContentTypes(t *testing.T) {
	t.Parallel()
	inline := 0
	for _, contentType := range media.ContentTypes() {
		if media.Inline(contentType) {
			inline++
		}
		if name := media.FileName("id", contentType); !strings.HasPrefix(name, "id.") || len(name) < 5 {
			t.Errorf("%s is saved as %s", contentType, name)
		}
	}
	// 10 images less SVG, 10 of sound, 7 of video.
	if n := len(media.ContentTypes()); n != 52 || inline != 26 {
		t.Errorf("%d content types, %d of them inline", n, inline)
	}
	for _, active := range []string{"text/html", "image/svg+xml", "application/xml", "application/javascript", "application/pdf", "text/plain", "image/unknown", ""} {
		if media.Inline(active) {
			t.Errorf("%s is shown inline", active)
		}
	}
}
