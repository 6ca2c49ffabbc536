package export_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/blob/blobtest"
	"github.com/sondehq/sonde/internal/export"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/seal"
	"github.com/sondehq/sonde/internal/tracestore/tracestoretest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// places is one place in memory that dies when told: before a put, after it, or in the middle.
type places struct {
	blobtest.Memory
	puts  int
	fuse  int // the put that dies, from 1; 0: none
	after bool
}

var errKilled = errors.New("killed")

func (p *places) Check(s model.ExportSettings) error {
	if s.Bucket == "forbidden" {
		return fault.Invalidf("endpoint", "is not allowed")
	}
	return nil
}

func (p *places) Open(model.ExportSettings, string) (blob.Store, func(), error) {
	return p, func() {}, nil
}

func (p *places) Put(ctx context.Context, key string, r io.Reader) error {
	p.puts++
	if p.puts != p.fuse {
		return p.Memory.Put(ctx, key, r)
	}
	if !p.after {
		_, _ = io.CopyN(io.Discard, r, 100)
		return errKilled
	}
	if err := p.Memory.Put(ctx, key, r); err != nil {
		return err
	}
	return errKilled
}

// horizon is where the clock of a test stands.
type horizon struct{ at time.Time }

func (h *horizon) Settled(context.Context) (time.Time, error) { return h.at, nil }

// task runs a job without a runner.
type task struct{ job jobs.Job }

func (t *task) Job() jobs.Job          { return t.job }
func (t *task) Progress(jobs.Progress) {}
func (t *task) Checkpoint(_ context.Context, text json.RawMessage) error {
	t.job.Checkpoint = text
	return nil
}

// world is everything around an export.
type world struct {
	t        *testing.T
	store    *tracestoretest.Memory
	meta     *metastoretest.Memory
	place    *places
	horizon  *horizon
	handler  *export.Handler
	service  *export.Service
	org, prj string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	box, err := seal.NewBox(seal.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, store: &tracestoretest.Memory{}, meta: metastoretest.NewMemory(), place: &places{}, horizon: &horizon{noon}}
	seed := metastoretest.Seed("seed")
	if _, err := w.meta.Plant(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	w.org, w.prj = seed.Organization.ID, seed.Project.ID
	w.handler = export.NewHandler(w.store, w.meta, w.horizon, w.place, box).WithBounds(3, 7, time.Hour)
	w.service = export.NewService(w.meta, box, w.place, nil, time.Minute)
	return w
}

func settings(edits ...func(*model.ExportSettings)) model.ExportSettings {
	s := model.ExportSettings{
		Type: export.S3, Bucket: "b", Region: "r", Frequency: export.Hourly, Enabled: true, FileType: export.JSONL, Mode: export.FullHistory,
	}
	for _, edit := range edits {
		edit(&s)
	}
	return s
}

func (w *world) configure(s model.ExportSettings) {
	w.t.Helper()
	secret := "secret"
	if _, err := w.service.Upsert(w.t.Context(), w.org, export.Input{ProjectID: w.prj, Settings: s, Secret: &secret}); err != nil {
		w.t.Fatal(err)
	}
}

// run runs one job as a runner would; parameters may be empty.
func (w *world) run(parameters string) (export.Result, error) {
	w.t.Helper()
	checked, err := w.handler.Check(json.RawMessage(parameters))
	if err != nil {
		w.t.Fatal(err)
	}
	var result export.Result
	answer, err := w.handler.Run(w.t.Context(), &task{jobs.Job{ID: "job-1", ProjectID: w.prj, Parameters: checked}})
	if err == nil {
		err = json.Unmarshal(answer, &result)
	}
	return result, err
}

func (w *world) insert(id string, started, accepted time.Time, edits ...func(*model.Observation)) {
	w.t.Helper()
	o := &model.Observation{
		ProjectID: w.prj, TraceID: "t", ID: id, StartTime: started, Type: model.Span, Level: model.Default, Environment: "default",
		CreatedAt: accepted, Version: model.RowVersion(accepted, 0), Input: "in " + id,
	}
	for _, edit := range edits {
		edit(o)
	}
	if err := w.store.Insert(w.t.Context(), []*model.Observation{o}); err != nil {
		w.t.Fatal(err)
	}
}

// exported is what all files of a kind hold: id and time of acceptance of every row, with how often it is there.
func (w *world) exported(kind string) map[string]int {
	w.t.Helper()
	rows := map[string]int{}
	err := w.place.List(w.t.Context(), w.prj+"/"+kind, func(key string) error {
		r, err := w.place.Get(w.t.Context(), key)
		if err != nil {
			return err
		}
		lines := bufio.NewScanner(r)
		for lines.Scan() {
			var row struct{ ID, UpdatedAt string }
			if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			rows[row.ID+" "+row.UpdatedAt]++
		}
		return errors.Join(lines.Err(), r.Close())
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return rows
}

func stampOf(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func TestLateDataIsInTheWindowOfItsArrival(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.insert("early", noon.Add(-3*time.Hour), noon.Add(-3*time.Hour))
	w.configure(settings())
	first, err := w.run("")
	if err != nil || first.Rows != 1 || !first.To.Equal(noon) {
		t.Fatalf("first window: %+v, %v", first, err)
	}
	if again, err := w.run(""); err != nil || again.Files != 0 {
		t.Fatalf("nothing is due: %+v, %v", again, err)
	}
	w.insert("late", noon.Add(-3*time.Hour), noon.Add(time.Minute))
	w.insert("early", noon.Add(-3*time.Hour), noon.Add(2*time.Minute)) // sent again
	w.insert("too new", noon, noon.Add(time.Hour))
	w.horizon.at = noon.Add(time.Hour + time.Minute)
	second, err := w.run("")
	if err != nil || second.Rows != 2 || !second.From.Equal(noon) || !second.To.Equal(noon.Add(time.Hour)) {
		t.Fatalf("second window: %+v, %v", second, err)
	}
	want := map[string]int{
		"early " + stampOf(noon.Add(-3*time.Hour)):  1,
		"early " + stampOf(noon.Add(2*time.Minute)): 1,
		"late " + stampOf(noon.Add(time.Minute)):    1,
	}
	if got := w.exported("observations"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("exported %v, want %v", got, want)
	}
}

// A run is killed again and again, rows change in between, and still every row is there once.
func TestKilledRunsExportEveryRowOnce(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			killed(t, rand.New(rand.NewPCG(seed, 1)))
		})
	}
}

func killed(t *testing.T, random *rand.Rand) {
	w := newWorld(t)
	newest := map[string]time.Time{}
	write := func(n int, from time.Time) {
		for range n {
			id := fmt.Sprintf("o%d", random.IntN(60))
			accepted := from.Add(time.Duration(random.IntN(50)) * time.Minute)
			if accepted.After(newest[id]) {
				newest[id] = accepted
			}
			w.insert(id, noon.Add(-time.Duration(id[1])*time.Minute), accepted)
		}
	}
	w.configure(settings())
	for hour := range 4 {
		write(random.IntN(40), noon.Add(time.Duration(hour)*time.Hour))
		w.horizon.at = noon.Add(time.Duration(hour+1) * time.Hour)
		for try := 0; ; try++ {
			w.place.puts, w.place.fuse, w.place.after = 0, random.IntN(4), random.IntN(2) == 0
			if try > 30 {
				w.place.fuse = 0
			}
			if _, err := w.run(""); err == nil {
				break
			}
			write(random.IntN(3), w.horizon.at) // of the next window
		}
	}
	w.place.fuse, w.horizon.at = 0, noon.Add(10*time.Hour)
	if _, err := w.run(""); err != nil {
		t.Fatal(err)
	}
	got := w.exported("observations")
	for row, n := range got {
		if n != 1 {
			t.Errorf("%s is there %d times", row, n)
		}
	}
	for id, accepted := range newest {
		if got[id+" "+stampOf(accepted)] != 1 {
			t.Errorf("the newest version of %s, of %s, is not there", id, stampOf(accepted))
		}
	}
}

func TestDeletedRowsAndOtherProjectsAreNotExported(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.insert("kept", noon, noon.Add(-time.Hour))
	w.insert("gone", noon, noon.Add(-time.Hour))
	w.insert("gone", noon, noon.Add(-time.Minute), func(o *model.Observation) { o.Deleted = true })
	w.insert("foreign", noon, noon.Add(-time.Hour), func(o *model.Observation) { o.ProjectID = "other" })
	w.configure(settings())
	if result, err := w.run(""); err != nil || result.Rows != 1 {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestAFailureIsRememberedAndMended(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.insert("a", noon, noon.Add(-time.Hour))
	w.configure(settings())
	w.place.fuse = 1
	if _, err := w.run(""); !fault.Is(err, fault.Exhausted) || !strings.Contains(err.Error(), "killed") {
		t.Errorf("a place that fails: %v", err)
	}
	status, err := w.service.Status(t.Context(), w.org, w.prj)
	if err != nil || status.Sync != "error" || !strings.Contains(status.LastError, "killed") {
		t.Errorf("after a failure: %+v, %v", status, err)
	}
	w.place.fuse = 0
	if _, err := w.run(""); err != nil {
		t.Fatal(err)
	}
	status, err = w.service.Status(t.Context(), w.org, w.prj)
	if err != nil || status.Sync != "up_to_date" || status.LastError != "" || w.service.NextSync(status.Export, noon).IsZero() {
		t.Errorf("after it went well: %+v, %v", status, err)
	}
}

func TestARunLetsOthersWorkAndGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.handler.WithBounds(3, 3, 0)
	for i := range 10 {
		w.insert(fmt.Sprint("o", i), noon.Add(time.Duration(i)*time.Second), noon.Add(-time.Hour))
	}
	w.configure(settings())
	turns := 0
	for ; ; turns++ {
		_, err := w.run("")
		if err == nil {
			break
		}
		if !fault.Is(err, fault.Unavailable) || turns > 20 {
			t.Fatal(err)
		}
	}
	if got := w.exported("observations"); turns < 3 || len(got) != 10 {
		t.Errorf("%d turns, %v", turns, got)
	}
}

func TestARangeOnceLeavesTheScheduleAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.insert("a", noon, noon.Add(-2*time.Hour))
	w.insert("b", noon, noon.Add(-time.Hour))
	w.configure(settings())
	result, err := w.run(fmt.Sprintf(`{"from":%q,"to":%q}`, stampOf(noon.Add(-90*time.Minute)), stampOf(noon.Add(time.Hour))))
	if err != nil || result.Rows != 1 || !result.To.Equal(noon) {
		t.Errorf("%+v, %v", result, err)
	}
	if got := w.exported("jobs/job-1/observations"); len(got) != 1 {
		t.Errorf("exported %v", got)
	}
	if result, err := w.run(""); err != nil || result.Rows != 2 {
		t.Errorf("the schedule after it: %+v, %v", result, err)
	}
}

func TestSettingsThatChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.insert("a", noon, noon.Add(-2*time.Hour))
	w.configure(settings())
	for _, c := range []struct {
		name string
		edit func(*model.ExportSettings)
		rows int
	}{
		{"first", func(*model.ExportSettings) {}, 1},
		{"the same", func(*model.ExportSettings) {}, 0},
		{"another file type goes on", func(s *model.ExportSettings) { s.FileType = export.CSV }, 0},
		{"another mode begins anew", func(s *model.ExportSettings) { s.Mode, s.StartDate = export.FromCustomDate, noon.Add(-3*time.Hour) }, 1},
		{"a later date", func(s *model.ExportSettings) { s.Mode, s.StartDate = export.FromCustomDate, noon.Add(-time.Hour) }, 0},
	} {
		w.configure(settings(c.edit))
		if result, err := w.run(""); err != nil || result.Rows != c.rows {
			t.Errorf("%s: %+v, %v, want %d rows", c.name, result, err, c.rows)
		}
	}
	w.configure(settings(func(s *model.ExportSettings) { s.Mode = export.FullHistory }))
	e, err := w.meta.Export(t.Context(), w.prj)
	if err != nil || strings.Contains(string(e.SealedSecret), "secret") || len(e.SealedSecret) == 0 {
		t.Errorf("the secret is kept as %q, %v", e.SealedSecret, err)
	}
}
