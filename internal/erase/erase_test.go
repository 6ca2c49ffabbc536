package erase

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sondehq/sonde/internal/blob/blobtest"
	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/eventlog/eventlogtest"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/jobs/jobstest"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/tracestoretest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is everything in memory.
type fixture struct {
	*testing.T
	store   *tracestoretest.Memory
	log     *eventlogtest.Memory
	meta    *metastoretest.Memory
	blobs   *blobtest.Memory
	jobs    *jobstest.Memory
	list    *jobs.Service
	service *Service
	handler *Handler
	project string
	gone    []string // projects that were marked and forgotten
	media   []string // whose bytes were erased
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{
		T: t, store: &tracestoretest.Memory{}, log: eventlogtest.NewMemory(eventlogtest.Options{Partitions: 1}),
		meta: metastoretest.NewMemory(), blobs: &blobtest.Memory{}, jobs: &jobstest.Memory{},
	}
	seed := metastoretest.Seed("seed")
	if _, err := f.meta.Plant(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	f.project = seed.Project.ID
	f.handler = NewHandler(Parts{Store: f.store, Log: f.log, Metadata: f.meta, Media: f, Blobs: f.blobs, Projects: f})
	f.handler.settled, f.handler.patience, f.handler.poll = 0, time.Second, time.Millisecond
	f.list = jobs.NewService(f.jobs, map[string]jobs.Handler{Kind: f.handler})
	f.service = New(f.store, f.meta, f, f.list, slog.New(slog.DiscardHandler))
	return f
}

func (f *fixture) MarkProjectDeleted(_ context.Context, id string) error {
	f.gone = append(f.gone, "marked "+id)
	return nil
}

func (f *fixture) ForgetProject(_ context.Context, id string) error {
	f.gone = append(f.gone, "forgot "+id)
	return nil
}

func (f *fixture) Erase(_ context.Context, m metastore.Media) error {
	f.media = append(f.media, m.ID)
	return nil
}

func (f *fixture) insert(traces ...string) {
	f.Helper()
	var rows []*model.Observation
	for _, trace := range traces {
		rows = append(rows, &model.Observation{
			ProjectID: f.project, TraceID: trace, ID: "s", StartTime: time.Now().Truncate(time.Millisecond), Name: "n", Type: model.Span,
			Version: model.RowVersion(time.Now(), 0),
		})
	}
	if err := f.store.Insert(f.Context(), rows); err != nil {
		f.Fatal(err)
	}
}

// asker deletes in these tests.
var asker = model.Requester{OrganizationID: "o", Kind: model.ActorKey, ID: "k", RequestID: "r"}

func (f *fixture) delete(traces ...string) string {
	f.Helper()
	id, err := f.service.Delete(f.Context(), f.project, traces, asker)
	if err != nil {
		f.Fatal(err)
	}
	return id
}

// task is a job in hand.
type task struct {
	job  jobs.Job
	kept json.RawMessage
}

func (t *task) Job() jobs.Job                                         { return t.job }
func (t *task) Progress(jobs.Progress)                                {}
func (t *task) Checkpoint(_ context.Context, c json.RawMessage) error { t.kept = c; return nil }

func (f *fixture) run(checkpoint json.RawMessage) (Result, json.RawMessage, error) {
	f.Helper()
	work := &task{job: jobs.Job{ProjectID: f.project, Checkpoint: checkpoint}}
	text, err := f.handler.Run(f.Context(), work)
	var r Result
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	return r, work.kept, err
}

func (f *fixture) unerased() int {
	f.Helper()
	list, err := f.store.Unerased(f.Context(), f.project, 10)
	if err != nil {
		f.Fatal(err)
	}
	return len(list)
}

func (f *fixture) traces() (list []string) {
	f.Helper()
	rows, err := f.store.Observations(f.Context(), tracestore.ObservationQuery{ProjectID: f.project, Limit: 10})
	if err != nil {
		f.Fatal(err)
	}
	for _, o := range rows {
		list = append(list, o.TraceID)
	}
	slices.Sort(list)
	return list
}

func TestDeleteHidesThenErases(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.insert("a", "b")
	first := f.delete("a", "unknown")
	if got := f.traces(); !slices.Equal(got, []string{"b"}) {
		t.Errorf("visible after the delete: %v", got)
	}
	if second := f.delete("c"); first == "" || second != first {
		t.Errorf("deletes started the jobs %q and %q, want one", first, second)
	}
	result, _, err := f.run(nil)
	if err != nil || result.Traces != 3 || f.unerased() != 0 {
		t.Errorf("%+v, %v, %d left", result, err, f.unerased())
	}
	f.insert("a") // new data
	if got := f.traces(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("visible afterwards: %v", got)
	}
}

// A job that has begun may have read its tombstones already: it is not joined.
func TestDeleteJoinsOnlyJobsThatWait(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.delete("a")
	job, err := f.jobs.Get(t.Context(), f.project, first)
	if err != nil {
		t.Fatal(err)
	}
	job.State = jobs.Running
	if _, err := f.jobs.Update(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	if second := f.delete("b"); second == "" || second == first {
		t.Errorf("the second delete has the job %q, the first %q", second, first)
	}
}

func (f *fixture) envelope(kind eventlog.Kind, payload string) []byte {
	f.Helper()
	record, err := eventlog.Envelope{Kind: kind, ProjectID: f.project, AcceptedAt: time.Now(), Payload: []byte(payload)}.Encode()
	if err != nil {
		f.Fatal(err)
	}
	return record
}

func (f *fixture) bury(record []byte) {
	f.Helper()
	if _, err := f.log.Append(f.Context(), record); err != nil {
		f.Fatal(err)
	}
	deliveries, err := f.log.Fetch(f.Context(), 0, 1, 1<<20)
	if err != nil || len(deliveries) != 1 {
		f.Fatal(deliveries, err)
	}
	if err := f.log.Bury(f.Context(), deliveries[0], "reason"); err != nil {
		f.Fatal(err)
	}
}

func event(trace string) string {
	return `{"id":"e","at":1,"kind":"span-create","body":{"id":"o","traceId":"` + trace + `"}}` + "\n"
}

// The job waits for what is still in the log, and goes on from its checkpoint.
func TestJobWaitsForTheLog(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.handler.patience = 0
	if _, err := f.log.Append(t.Context(), f.envelope(eventlog.KindPartials, event("a"))); err != nil {
		t.Fatal(err)
	}
	f.delete("a")
	_, kept, err := f.run(nil)
	if !fault.Is(err, fault.Unavailable) || kept == nil || f.unerased() != 1 {
		t.Fatalf("with a record in the log: %v, checkpoint %s", err, kept)
	}
	deliveries, err := f.log.Fetch(t.Context(), 0, 1, 1<<20)
	if err != nil || len(deliveries) != 1 {
		t.Fatal(deliveries, err)
	}
	if err := deliveries[0].Ack(); err != nil {
		t.Fatal(err)
	}
	f.delete("later") // the next job's
	result, _, err := f.run(kept)
	if err != nil || result.Traces != 1 || f.unerased() != 1 {
		t.Errorf("%+v, %v, %d left", result, err, f.unerased())
	}
	if s, _ := f.log.Status(t.Context()); s.Records != 0 {
		t.Errorf("the log still has %d records", s.Records)
	}
}

// Letters lose what is deleted and keep what is not.
func TestDeadLetters(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.bury(f.envelope(eventlog.KindPartials, event("a")))
	f.bury(f.envelope(eventlog.KindPartials, event("a")+event("b")))
	f.bury(f.envelope(eventlog.KindPartials, event("b")))
	f.bury(f.envelope("strange", "a"))
	f.delete("a")
	result, _, err := f.run(nil)
	if err != nil || result.DeadLetters != 2 || result.UnreadableLetters != 1 {
		t.Fatalf("%+v, %v", result, err)
	}
	letters, err := f.log.DeadLetters(t.Context(), eventlog.DeadLetterQuery{ProjectID: f.project, Limit: 10})
	if err != nil || len(letters) != 2 {
		t.Errorf("letters: %+v, %v", letters, err)
	}
	deliveries, err := f.log.Fetch(t.Context(), 0, 10, 1<<20)
	if err != nil || len(deliveries) != 1 {
		t.Fatal(deliveries, err)
	}
	envelope, err := eventlog.DecodeEnvelope(deliveries[0].Record())
	if err != nil || strings.Contains(string(envelope.Payload), `"a"`) || !strings.Contains(string(envelope.Payload), `"b"`) {
		t.Errorf("the rest of the mixed letter is %q, %v", envelope.Payload, err)
	}
}

func TestMediaAndLargeSpans(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	link := func(id, trace string) metastore.MediaLink {
		return metastore.MediaLink{ProjectID: f.project, MediaID: id, TraceID: trace, Field: "input"}
	}
	m := func(id string) metastore.Media {
		return metastore.Media{ProjectID: f.project, ID: id, ContentType: "image/png", Length: 1, UploadedAt: time.Now()}
	}
	err := f.meta.PutMedia(t.Context(), []metastore.Media{m("alone"), m("shared")}, []metastore.MediaLink{link("alone", "a"), link("shared", "a"), link("shared", "b")})
	if err != nil {
		t.Fatal(err)
	}
	old, own, other := "oversize/2026-05-01/019a0000-0000-7000-8000-000000000000", eventlog.NewBlobKey(f.project), eventlog.NewBlobKey("another")
	for _, key := range []string{old, own, other} {
		if err := f.blobs.Put(t.Context(), key, strings.NewReader("x")); err != nil {
			t.Fatal(err)
		}
	}
	f.delete("a")
	if found, err := f.meta.Media(t.Context(), f.project, "alone"); err != nil || !found.UploadedAt.IsZero() {
		t.Errorf("media of a deleted trace is readable: %+v, %v", found, err)
	}
	result, _, err := f.run(nil)
	if err != nil || result.Media != 1 || !slices.Equal(f.media, []string{"alone"}) {
		t.Errorf("%+v, %v, erased %v", result, err, f.media)
	}
	var left []string
	if err := f.blobs.List(t.Context(), "", func(key string) error { left = append(left, key); return nil }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(left, []string{other}) {
		t.Errorf("blobs left: %v", left)
	}
}

func TestProject(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.insert("a", "b")
	f.bury(f.envelope("strange", "a"))
	if id, err := f.service.Project(t.Context(), f.project, asker); err != nil || id == "" {
		t.Fatal(id, err)
	}
	if got := f.traces(); len(got) > 0 {
		t.Errorf("visible after the delete: %v", got)
	}
	result, _, err := f.run(nil)
	if err != nil || !result.Project || result.DeadLetters != 1 || f.unerased() != 0 {
		t.Errorf("%+v, %v", result, err)
	}
	if want := []string{"marked " + f.project, "forgot " + f.project}; !slices.Equal(f.gone, want) {
		t.Errorf("the project was %v", f.gone)
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.delete("a")
	for range 2 {
		if err := f.service.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	open := func() (n int) {
		list, err := f.list.List(t.Context(), f.project, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, job := range list {
			if !job.State.Final() {
				n++
			}
		}
		return n
	}
	if open() != 1 {
		t.Errorf("%d open jobs, want the delete's", open())
	}
	if _, err := f.list.Cancel(t.Context(), f.project, id); err != nil {
		t.Fatal(err)
	}
	if err := f.service.Sweep(t.Context()); err != nil || open() != 1 {
		t.Errorf("after the job was canceled a sweep has %d open jobs, %v", open(), err)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	h := NewHandler(Parts{})
	if got, err := h.Check(json.RawMessage(`{"kind":"erase"}`)); err != nil || string(got) != "{}" {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := h.Check(json.RawMessage(`{"kind":"erase","traces":[]}`)); !fault.Is(err, fault.Invalid) {
		t.Errorf("parameters are taken: %v", err)
	}
}
