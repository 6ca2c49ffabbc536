package retention_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/blob/blobtest"
	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/eventlog/eventlogtest"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/jobs/jobstest"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/retention"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/tracestoretest"
)

func TestEffective(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		own, fallback model.Retention
		days, texts   int
	}{
		"for ever":                        {model.Retention{}, model.Retention{}, 0, 0},
		"own":                             {model.Retention{Days: 90, PayloadDays: 7}, model.Retention{Days: 1, PayloadDays: 1}, 90, 7},
		"own rows, texts as rows":         {model.Retention{Days: 90}, model.Retention{Days: 30, PayloadDays: 7}, 90, 90},
		"of the instance":                 {model.Retention{}, model.Retention{Days: 30, PayloadDays: 7}, 30, 7},
		"own texts, rows of the instance": {model.Retention{PayloadDays: 5}, model.Retention{Days: 30, PayloadDays: 7}, 30, 5},
		"texts never longer than rows":    {model.Retention{PayloadDays: 50}, model.Retention{Days: 30}, 30, 30},
		"texts only":                      {model.Retention{PayloadDays: 5}, model.Retention{}, 0, 5},
	} {
		if days, texts := retention.Effective(tt.own, tt.fallback); days != tt.days || texts != tt.texts {
			t.Errorf("%s: %d and %d, want %d and %d", name, days, texts, tt.days, tt.texts)
		}
	}
}

func TestDueIsWholeDays(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 23, 59, 0, 0, time.FixedZone("", 3600))
	got := retention.Due([]model.Project{
		{ID: "a", Retention: model.Retention{Days: 9, PayloadDays: 1}},
		{ID: "ever"},
		{ID: "leaving", Retention: model.Retention{Days: 9}, ErasingAt: now},
		{ID: "texts", Retention: model.Retention{PayloadDays: 2}},
	}, model.Retention{}, now)
	want := []tracestore.Expiry{
		{ProjectID: "a", Before: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), TextsBefore: time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC)},
		{ProjectID: "texts", TextsBefore: time.Date(2026, 3, 8, 0, 0, 0, 0, time.UTC)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// task is a job in hand.
type task struct{}

func (task) Job() jobs.Job                                     { return jobs.Job{} }
func (task) Progress(jobs.Progress)                            {}
func (task) Checkpoint(context.Context, json.RawMessage) error { return nil }

// eraser deletes blobs of media as the service of media does.
type eraser struct{ erased []string }

func (e *eraser) Erase(_ context.Context, m metastore.Media) error {
	e.erased = append(e.erased, m.ID)
	return nil
}

// world is a server of memory whose clock stands where the test puts it.
type world struct {
	store   *tracestoretest.Memory
	meta    *metastoretest.Memory
	log     *eventlogtest.Memory
	blobs   *blobtest.Memory
	media   *eraser
	handler *retention.Handler
	project string
}

func newWorld(t *testing.T, now time.Time, keep model.Retention) *world {
	t.Helper()
	w := &world{
		store: &tracestoretest.Memory{}, meta: metastoretest.NewMemory(), log: eventlogtest.NewMemory(eventlogtest.Options{Partitions: 1}),
		blobs: &blobtest.Memory{}, media: &eraser{},
	}
	seed := metastoretest.Seed("seed")
	if _, err := w.meta.Plant(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	w.project = seed.Project.ID
	if err := w.meta.SetRetention(t.Context(), w.project, keep); err != nil {
		t.Fatal(err)
	}
	w.handler = retention.New(retention.Parts{
		Store: w.store, Metadata: w.meta, Media: w.media, Log: w.log, Blobs: w.blobs, Logger: slog.New(slog.DiscardHandler), Now: func() time.Time { return now },
	})
	return w
}

func (w *world) run(t *testing.T) retention.Result {
	t.Helper()
	text, err := w.handler.Run(t.Context(), task{})
	if err != nil {
		t.Fatal(err)
	}
	var result retention.Result
	if err := json.Unmarshal(text, &result); err != nil {
		t.Fatal(err)
	}
	return result
}

func TestMediaGoWithTheLastTraceThatUsesThem(t *testing.T) {
	t.Parallel()
	now := time.Now()
	w := newWorld(t, now.AddDate(0, 0, 40), model.Retention{Days: 90, PayloadDays: 30})
	var list []metastore.Media
	for _, id := range []string{"old", "shared", "item"} {
		list = append(list, metastore.Media{ProjectID: w.project, ID: id, SHA256: sha256.Sum256([]byte(id)), ContentType: "image/png", Length: 1, UploadedAt: now})
	}
	link := func(media, trace, item string) metastore.MediaLink {
		return metastore.MediaLink{ProjectID: w.project, MediaID: media, TraceID: trace, DatasetItemID: item, Field: "input"}
	}
	if err := w.meta.PutMedia(t.Context(), list, []metastore.MediaLink{
		link("old", "past", ""), link("shared", "past", ""), link("shared", "long", ""), link("item", "past", ""), link("item", "", "i"),
	}); err != nil {
		t.Fatal(err)
	}
	rows := []*model.Observation{
		{ProjectID: w.project, TraceID: "past", ID: "a", StartTime: now, Input: "x", Version: 1},
		{ProjectID: w.project, TraceID: "long", ID: "b", StartTime: now, Input: "x", Version: 1},
		{ProjectID: w.project, TraceID: "long", ID: "c", StartTime: now.AddDate(0, 0, 20), Input: "x", Version: 1},
	}
	if err := w.store.Insert(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	if result := w.run(t); result.Media != 1 || result.Projects != 1 {
		t.Errorf("%+v", result)
	}
	if diff := cmp.Diff([]string{"old"}, w.media.erased); diff != "" {
		t.Error(diff)
	}
	got, err := w.store.Observations(t.Context(), tracestore.ObservationQuery{ProjectID: w.project, Limit: 10, IO: true})
	if err != nil || len(got) != 3 {
		t.Fatalf("%d rows, %v", len(got), err)
	}
	for _, o := range got {
		if (o.Input != "") != (o.ID == "c") {
			t.Errorf("row %s has the input %q", o.ID, o.Input)
		}
	}
	if again := w.run(t); again.Media != 0 {
		t.Errorf("the second time: %+v", again)
	}
}

func TestLargeSpansGoOnceTheyAreStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Now().Add(72*time.Hour), model.Retention{})
	keys := map[string]string{}
	for _, name := range []string{"stored", "letter"} {
		keys[name] = eventlog.NewBlobKey(w.project)
		if err := w.blobs.Put(t.Context(), keys[name], strings.NewReader(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.blobs.Put(t.Context(), "media/x", strings.NewReader("other")); err != nil {
		t.Fatal(err)
	}
	record, err := eventlog.Envelope{Kind: eventlog.KindOTLPTraces, ProjectID: w.project, BlobKey: keys["letter"]}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.log.Append(t.Context(), record); err != nil {
		t.Fatal(err)
	}
	deliveries, err := w.log.Fetch(t.Context(), 0, 10, 1<<20)
	if err != nil || len(deliveries) != 1 {
		t.Fatalf("%d deliveries, %v", len(deliveries), err)
	}
	if err := w.log.Bury(t.Context(), deliveries[0], "odd"); err != nil {
		t.Fatal(err)
	}
	if result := w.run(t); result.LargeSpans != 1 {
		t.Errorf("%+v", result)
	}
	for key, there := range map[string]bool{keys["stored"]: false, keys["letter"]: true, "media/x": true} {
		r, err := w.blobs.Get(t.Context(), key)
		if err == nil {
			_ = r.Close()
		}
		if errors.Is(err, blob.ErrNotFound) == there {
			t.Errorf("%s: %v", key, err)
		}
	}
}

func TestOneJobAtATime(t *testing.T) {
	t.Parallel()
	store := &jobstest.Memory{}
	now := time.Now()
	start := func(at time.Time) int {
		t.Helper()
		if err := retention.Start(t.Context(), store, 24*time.Hour, at); err != nil {
			t.Fatal(err)
		}
		list, err := store.List(t.Context(), "", 10)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	if n := start(now); n != 1 {
		t.Errorf("%d jobs", n)
	}
	if n := start(now.Add(48 * time.Hour)); n != 1 {
		t.Errorf("%d jobs while the first is open", n)
	}
	list, err := store.List(t.Context(), "", 1)
	if err != nil {
		t.Fatal(err)
	}
	list[0].State = jobs.Done
	if _, err := store.Update(t.Context(), list[0]); err != nil {
		t.Fatal(err)
	}
	if n := start(now.Add(23 * time.Hour)); n != 1 {
		t.Errorf("%d jobs before the time", n)
	}
	if n := start(now.Add(25 * time.Hour)); n != 2 {
		t.Errorf("%d jobs when it is time", n)
	}
	if _, err := retention.New(retention.Parts{}).Check(nil); !fault.Is(err, fault.Invalid) {
		t.Errorf("a client may start one: %v", err)
	}
}

// Cells share blobs, but each knows only its own log: what waits for the writer of another cell must stay.
func TestProjectsOfOtherCellsAreLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Now().Add(72*time.Hour), model.Retention{Days: 1})
	if err := w.blobs.Put(t.Context(), eventlog.NewBlobKey(w.project), strings.NewReader("waits")); err != nil {
		t.Fatal(err)
	}
	w.handler.Cell = "another"
	if result := w.run(t); result != (retention.Result{}) {
		t.Errorf("in another cell: %+v", result)
	}
	w.handler.Cell = ""
	if result := w.run(t); result.LargeSpans != 1 || result.Projects != 1 {
		t.Errorf("in its own cell: %+v", result)
	}
}
