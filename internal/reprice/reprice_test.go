package reprice_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/reprice"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/tracestoretest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const project = "p"

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// store is a trace store in memory that can amend, and fail when told.
type store struct {
	tracestoretest.Memory
	fuse  *fuse
	reads int
	wrote []*model.Observation
	dear  int // pages above so many rows are too expensive; 0: none
}

// fuse fails the operation with the given number, once: before it happens, or after.
type fuse struct {
	left  int
	after bool
	err   error
}

func (f *fuse) blow(do func() error) error {
	if f == nil || f.err == nil {
		return do()
	}
	f.left--
	if f.left != 0 {
		return do()
	}
	err := f.err
	if f.after {
		_ = do()
	}
	return err
}

func (s *store) Observations(ctx context.Context, q tracestore.ObservationQuery) (rows []*model.Observation, err error) {
	s.reads++
	if q.IO || !q.Metadata || !q.OwnOnly {
		return nil, errors.New("rows are to be read as Amend wants them")
	}
	if s.dear > 0 && q.Limit > s.dear {
		return nil, tracestore.ErrTooExpensive
	}
	err = s.fuse.blow(func() error { rows, err = s.Memory.Observations(ctx, q); return err })
	return rows, err
}

func (s *store) Amend(ctx context.Context, rows []*model.Observation) error {
	return s.fuse.blow(func() error {
		for _, row := range rows {
			s.wrote = append(s.wrote, row)
			full, err := s.Memory.Observations(ctx, tracestore.ObservationQuery{
				ProjectID: row.ProjectID, Limit: 1, IO: true, Metadata: true,
				Where: []filter.Condition{filter.OneOf{Column: filter.TraceID, Values: []string{row.TraceID}}, filter.OneOf{Column: filter.ID, Values: []string{row.ID}}},
			})
			if err != nil {
				return err
			}
			amended := *row
			amended.Input, amended.Output = full[0].Input, full[0].Output
			if err := s.Insert(ctx, []*model.Observation{&amended}); err != nil {
				return err
			}
		}
		return nil
	})
}

// pricer multiplies tokens by the price of the model.
type pricer map[string]string

func (p pricer) Apply(_ context.Context, rows []*model.Observation) error {
	for _, o := range rows {
		if len(o.CostDetails) > 0 && o.CostOrigin != model.Priced {
			return errors.New("a provided cost must not come here")
		}
		o.ModelID, o.CostOrigin, o.PricingTier = "", "", ""
		clear(o.CostDetails) // in place: the row before must not notice
		price, ok := p[o.Model]
		if !ok || len(o.UsageDetails) == 0 {
			continue
		}
		cost := decimal.RequireFromString(price).Mul(decimal.NewFromUint64(o.UsageDetails["total"]))
		o.ModelID, o.CostOrigin, o.CostDetails = "id of "+o.Model, model.Priced, map[string]decimal.Decimal{"total": cost}
	}
	return nil
}

// task is a job without a runner.
type task struct {
	job      jobs.Job
	fuse     *fuse
	progress []jobs.Progress
}

func (t *task) Job() jobs.Job            { return t.job }
func (t *task) Progress(p jobs.Progress) { t.progress = append(t.progress, p) }
func (t *task) Checkpoint(_ context.Context, c json.RawMessage) error {
	return t.fuse.blow(func() error { t.job.Checkpoint = slices.Clone(c); return nil })
}

func newTask(t testing.TB, edits ...func(*reprice.Parameters)) *task {
	t.Helper()
	p := reprice.Parameters{From: noon, To: noon.Add(time.Hour)}
	for _, edit := range edits {
		edit(&p)
	}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return &task{job: jobs.Job{ID: jobs.NewID(), Kind: reprice.Kind, ProjectID: project, Parameters: text}}
}

func row(id string, minute int, edits ...func(*model.Observation)) *model.Observation {
	o := &model.Observation{
		ProjectID: project, TraceID: "t" + id, ID: id, StartTime: noon.Add(time.Duration(minute) * time.Minute),
		Type: model.Generation, Model: "m", UsageDetails: map[string]uint64{"total": 100}, Version: 1000, Input: "in " + id,
		Metadata: []model.MetadataEntry{{Name: "k", Value: "v", Type: model.MetadataString}},
	}
	for _, edit := range edits {
		edit(o)
	}
	return o
}

func of(name string) func(*model.Observation) {
	return func(o *model.Observation) { o.Model = name }
}

func costs(total string, origin model.Origin) func(*model.Observation) {
	return func(o *model.Observation) {
		o.CostDetails, o.CostOrigin = map[string]decimal.Decimal{"total": decimal.RequireFromString(total)}, origin
		if origin == model.Priced {
			o.ModelID = "id of " + o.Model
		}
	}
}

func newStore(t testing.TB, rows ...*model.Observation) *store {
	t.Helper()
	s := &store{}
	if err := s.Insert(context.Background(), rows); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *store) all(t testing.TB) []*model.Observation {
	t.Helper()
	rows, err := s.Memory.Observations(context.Background(), tracestore.ObservationQuery{ProjectID: project, Limit: 1000, IO: true, Metadata: true})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// sample has rows of every kind that matters, around the range and in it.
func sample() []*model.Observation {
	return []*model.Observation{
		row("early", -1, costs("9", model.Priced)), row("late", 60, costs("9", model.Priced)),
		row("dear", 1, costs("0.3", model.Priced)), row("same", 2, costs("0.1", model.Priced)),
		row("free", 3), row("theirs", 4, costs("7", model.Provided)),
		row("other", 5, of("n"), costs("0.000000000001", model.Priced)), row("unknown", 5, of("gone"), costs("2", model.Priced)),
		row("plain", 6, of(""), func(o *model.Observation) { o.UsageDetails = nil }),
		row("theirs too", 6, of("n"), costs("1", model.Provided)), row("of old", 7, costs("1", "")),
	}
}

var prices = pricer{"m": "0.001", "n": "0.0000000000012345"}

func TestRepricing(t *testing.T) {
	t.Parallel()
	want := `{"preview":%t,"total":{"rows":5,"changed":4,"before":"2.400000000001","after":"0.30000000012345","difference":"-2.09999999987755"},"models":[` +
		`{"model":"gone","rows":1,"changed":1,"before":"2","after":"0","difference":"-2"},` +
		`{"model":"m","rows":3,"changed":2,"before":"0.4","after":"0.3","difference":"-0.1"},` +
		`{"model":"n","rows":1,"changed":1,"before":"0.000000000001","after":"0.00000000012345","difference":"0.00000000012245"}]}`
	for _, preview := range []bool{true, false} {
		s := newStore(t, sample()...)
		before := s.all(t)
		job := newTask(t, func(p *reprice.Parameters) { p.Preview = preview })
		result, err := reprice.New(s, prices).InPages(3).Run(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(fmt.Sprintf(want, preview), string(result)); diff != "" {
			t.Errorf("result (-want +got):\n%s", diff)
		}
		last := job.progress[len(job.progress)-1]
		if last.Done != 9 || last.Total != 9 || last.Text != "4 rows change" {
			t.Errorf("progress %+v", last)
		}
		if preview {
			if diff := cmp.Diff(before, s.all(t)); diff != "" || len(s.wrote) > 0 {
				t.Errorf("a preview wrote (-before +after):\n%s", diff)
			}
			continue
		}
		got := map[string]string{}
		for i, o := range s.all(t) {
			total := o.Costs().Total
			got[o.ID] = fmt.Sprint(total.Decimal, " ", o.CostOrigin, " v", o.Version)
			if o.Input != before[i].Input || len(o.Metadata) != 1 {
				t.Errorf("%s lost its payload or metadata", o.ID)
			}
		}
		wantRows := map[string]string{
			"early": "9 priced v1000", "late": "9 priced v1000", "dear": "0.1 priced v1001", "same": "0.1 priced v1000",
			"free": "0.1 priced v1001", "theirs": "7 provided v1000", "other": "0.00000000012345 priced v1001",
			"unknown": "0  v1001", "plain": "0  v1000", "theirs too": "1 provided v1000", "of old": "1  v1000",
		}
		if diff := cmp.Diff(wantRows, got); diff != "" {
			t.Errorf("rows (-want +got):\n%s", diff)
		}
	}
}

func TestModelFilter(t *testing.T) {
	t.Parallel()
	s := newStore(t, sample()...)
	if _, err := reprice.New(s, prices).Run(t.Context(), newTask(t, func(p *reprice.Parameters) { p.Model = "n" })); err != nil {
		t.Fatal(err)
	}
	if len(s.wrote) != 1 || s.wrote[0].ID != "other" {
		t.Errorf("wrote %v", s.wrote)
	}
}

func TestOtherProjectsStay(t *testing.T) {
	t.Parallel()
	s := newStore(t, row("x", 1, func(o *model.Observation) { o.ProjectID = "other" }))
	if _, err := reprice.New(s, prices).Run(t.Context(), newTask(t)); err != nil || len(s.wrote) > 0 {
		t.Errorf("wrote %v, %v", s.wrote, err)
	}
}

// A job that is cut off anywhere, before or after anything it does, and goes on ends as one that
// was not: the same rows, each written once, and the same result.
func TestInterruptedIsTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var rows []*model.Observation
		for i := range rapid.IntRange(0, 25).Draw(rt, "rows") {
			name := rapid.SampledFrom([]string{"m", "n", "gone"}).Draw(rt, "model")
			edit := func(*model.Observation) {}
			if total := rapid.SampledFrom([]string{"", "0.1", "3"}).Draw(rt, "cost"); total != "" {
				edit = costs(total, rapid.SampledFrom([]model.Origin{model.Priced, model.Provided}).Draw(rt, "origin"))
			}
			rows = append(rows, row(strconv.Itoa(i), rapid.IntRange(0, 5).Draw(rt, "minute"), of(name), edit))
		}
		page := rapid.IntRange(1, 7).Draw(rt, "page")
		preview := func(p *reprice.Parameters) { p.Preview = false }
		if rapid.Bool().Draw(rt, "preview") {
			preview = func(p *reprice.Parameters) { p.Preview = true }
		}
		whole := newStore(t, rows...)
		want, err := reprice.New(whole, prices).InPages(page).Run(context.Background(), newTask(t, preview))
		if err != nil {
			rt.Fatal(err)
		}
		cut, job := newStore(t, rows...), newTask(t, preview)
		var got json.RawMessage
		for {
			f := &fuse{rapid.IntRange(1, 12).Draw(rt, "cut at"), rapid.Bool().Draw(rt, "after"), errors.New("cut off")}
			cut.fuse, job.fuse = f, f
			if got, err = reprice.New(cut, prices).InPages(page).Run(context.Background(), job); err == nil {
				break
			}
			if f.left > 0 {
				rt.Fatal(err)
			}
			if f.left == 0 && rapid.IntRange(0, 9).Draw(rt, "give up") == 0 {
				cut.fuse, job.fuse = nil, nil
				if got, err = reprice.New(cut, prices).InPages(page).Run(context.Background(), job); err != nil {
					rt.Fatal(err)
				}
				break
			}
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			rt.Fatalf("result (-whole +cut):\n%s", diff)
		}
		if diff := cmp.Diff(whole.all(t), cut.all(t)); diff != "" {
			rt.Fatalf("rows (-whole +cut):\n%s", diff)
		}
		seen := map[string]bool{}
		for _, o := range cut.wrote {
			if seen[o.ID] {
				rt.Fatalf("row %s was written twice", o.ID)
			}
			seen[o.ID] = true
		}
	})
}

// A row that its client sends again while the job works keeps what the client sent.
func TestClientsWin(t *testing.T) {
	t.Parallel()
	s := newStore(t, row("x", 1, costs("5", model.Priced)))
	newer := row("x", 1, costs("7", model.Provided), func(o *model.Observation) { o.Version = 5000 })
	late := pricerFunc(func(ctx context.Context, rows []*model.Observation) error {
		if err := s.Insert(ctx, []*model.Observation{newer}); err != nil {
			return err
		}
		return prices.Apply(ctx, rows)
	})
	if _, err := reprice.New(s, late).Run(t.Context(), newTask(t)); err != nil {
		t.Fatal(err)
	}
	if got := s.all(t); len(got) != 1 || got[0].CostOrigin != model.Provided || got[0].Version != 5000 {
		t.Errorf("the row became %+v", got[0])
	}
}

type pricerFunc func(ctx context.Context, rows []*model.Observation) error

func (f pricerFunc) Apply(ctx context.Context, rows []*model.Observation) error { return f(ctx, rows) }

func TestExpensivePagesGetSmaller(t *testing.T) {
	t.Parallel()
	s := newStore(t, sample()...)
	s.dear = 60
	if _, err := reprice.New(s, prices).Run(t.Context(), newTask(t)); err != nil || len(s.wrote) != 4 {
		t.Errorf("wrote %d, %v", len(s.wrote), err)
	}
	s.dear = 10
	if _, err := reprice.New(s, prices).Run(t.Context(), newTask(t)); !fault.Is(err, fault.Exhausted) {
		t.Errorf("pages that are always too expensive: %v", err)
	}
}

func TestStoreErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		kind fault.Kind
	}{
		"away":    {fault.Unavailablef("the store is away"), fault.Unavailable},
		"unknown": {errors.New("connection reset"), fault.Unavailable},
		"refused": {tracestore.ErrRefused, fault.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t, sample()...)
			s.fuse = &fuse{left: 2, err: c.err} // the first operation reads, the second writes
			if _, err := reprice.New(s, prices).Run(t.Context(), newTask(t)); fault.KindOf(err) != c.kind || err == nil {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestManyModelsAreBounded(t *testing.T) {
	t.Parallel()
	var rows []*model.Observation
	for i := range 400 {
		rows = append(rows, row(strconv.Itoa(i), 1, of(fmt.Sprintf("model %d %0*d", i, 150, i))))
	}
	job := newTask(t)
	result, err := reprice.New(newStore(t, rows...), prices).InPages(100).Run(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	var r reprice.Result
	if err := json.Unmarshal(result, &r); err != nil {
		t.Fatal(err)
	}
	sum := uint64(0)
	for _, m := range r.Models {
		sum += m.Rows
	}
	if len(r.Models) != 301 || sum != 400 || r.Total.Rows != 400 {
		t.Errorf("%d models with %d rows", len(r.Models), sum)
	}
	if n := len(job.job.Checkpoint); n > jobs.MaxBytes/2 {
		t.Errorf("a checkpoint of %d bytes", n)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	h := reprice.New(nil, nil)
	got, err := h.Check(json.RawMessage(`{"kind":"reprice","from":"2026-05-01T02:00:00+02:00","to":"2026-05-02T00:00:00.5Z","preview":true}`))
	if want := `{"from":"2026-05-01T00:00:00Z","to":"2026-05-02T00:00:00.5Z","preview":true}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
	for _, bad := range []string{
		``, `[]`, `null`, `{}`, `{"from":"x","to":"y"}`, `{"from":"2026-05-01T00:00:00Z"}`, `{"from":"2026-05-01T00:00:00Z","to":"2026-05-01T00:00:00Z"}`,
		`{"from":"2026-05-01T00:00:00Z","to":"2026-05-02T00:00:00Z","models":["m"]}`, `{"from":1,"to":2}`,
		`{"from":"0001-01-01T00:00:00Z","to":"2026-05-02T00:00:00Z"}`, `{"from":"2026-05-01T00:00:00Z","to":"9999-05-02T00:00:00Z"}`,
		`{"from":"2026-05-01T00:00:00Z","to":"2026-05-02T00:00:00Z","preview":"yes"}`,
	} {
		if got, err := h.Check(json.RawMessage(bad)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s gives %s, %v", bad, got, err)
		}
	}
}

// FuzzCheck: whatever a client sends is refused, or is kept in a form that reads back the same.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(`{"from":"2026-05-01T00:00:00Z","to":"2026-05-02T00:00:00Z","model":"m","preview":true}`))
	f.Add([]byte(`{"from":null,"to":"2026-05-02T00:00:00Z"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		h := reprice.New(nil, nil)
		once, err := h.Check(raw)
		if err != nil {
			return
		}
		twice, err := h.Check(once)
		if err != nil || string(twice) != string(once) {
			t.Errorf("%q became %s, then %s, %v", raw, once, twice, err)
		}
	})
}
