package datasets_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/datasets"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/tracestoretest"
)

// linking is a linker on stores in memory, and a clock.
type linking struct {
	*datasets.Service
	meta *metastoretest.Memory
	rows *failing
	now  time.Time
}

// failing is a trace store that can be away.
type failing struct {
	tracestoretest.Memory
	err error
}

func (f *failing) Observations(ctx context.Context, q tracestore.ObservationQuery) ([]*model.Observation, error) {
	if f.err != nil {
		return nil, f.err
	}
	return f.Memory.Observations(ctx, q)
}

func newLinking(t *testing.T) *linking {
	t.Helper()
	service, meta := newService(t)
	l := &linking{Service: service, meta: meta, rows: &failing{}, now: time.Now()}
	mustSave(t, service, datasets.Change{Name: "d"})
	if _, err := service.SaveItem(t.Context(), project, datasets.ItemChange{
		ID: new("i"), DatasetName: "d", ExpectedOutput: []byte(`{"a":"Rome"}`), Metadata: []byte(`{"m":{"n":1}}`),
	}); err != nil {
		t.Fatal(err)
	}
	return l
}

// run adds a run item.
func (l *linking) run(t *testing.T, name, traceID, observationID string) model.RunItem {
	t.Helper()
	r, err := l.AddRun(t.Context(), project, datasets.Run{Name: name, Metadata: []byte(`{"rm":true}`), ItemID: "i", TraceID: traceID, ObservationID: observationID})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var start = time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)

func (l *linking) insert(t *testing.T, traceID, id, parent string, version uint64, edits ...func(*model.Observation)) {
	t.Helper()
	o := &model.Observation{
		ProjectID: project, TraceID: traceID, ID: id, ParentID: parent, StartTime: start, Type: model.Span, Level: model.Default,
		Environment: "default", Input: "question", Output: "answer", Version: version,
	}
	for _, edit := range edits {
		edit(o)
	}
	if err := l.rows.Insert(t.Context(), []*model.Observation{o}); err != nil {
		t.Fatal(err)
	}
}

// after lets time go by and links.
func (l *linking) after(t *testing.T, wait time.Duration) error {
	t.Helper()
	l.now = l.now.Add(wait)
	_, err := datasets.LinkerAt(l.meta, l.rows, slog.New(slog.DiscardHandler), func() time.Time { return l.now }).Once(t.Context())
	return err
}

// experimentOf reads the experiment of a row, nil when it has none.
func (l *linking) experimentOf(t *testing.T, id string) *model.Experiment {
	t.Helper()
	rows, err := l.rows.Memory.Observations(t.Context(), tracestore.ObservationQuery{
		ProjectID: project, Limit: 1, IO: true, Metadata: true, Where: []filter.Condition{filter.OneOf{Column: filter.ID, Values: []string{id}}},
	})
	if err != nil || len(rows) != 1 {
		t.Fatalf("row %s: %v, %v", id, rows, err)
	}
	if rows[0].Input != "question" || rows[0].Output != "answer" {
		t.Errorf("the texts of %s are %q and %q", id, rows[0].Input, rows[0].Output)
	}
	return rows[0].Experiment
}

func (l *linking) want(t *testing.T, id string, r model.RunItem) {
	t.Helper()
	item, err := l.Item(t.Context(), project, "i")
	if err != nil {
		t.Fatal(err)
	}
	want := &model.Experiment{
		ID: model.ExperimentID(project, item.DatasetID, r.RunName), Name: r.RunName, DatasetID: item.DatasetID,
		Metadata: []model.MetadataEntry{{Name: "rm", Value: "true", Type: model.MetadataBool}},
		ItemID:   "i", ItemVersion: item.ValidFrom, ItemRootID: id, ItemExpectedOutput: `{"a":"Rome"}`,
		ItemMetadata: []model.MetadataEntry{{Name: "m.n", Value: "1", Type: model.MetadataNumber}},
	}
	if diff := cmp.Diff(want, l.experimentOf(t, id)); diff != "" {
		t.Errorf("experiment of %s (-want +got):\n%s", id, diff)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// TestLinkBeforeAndAfter: the observation may come first or the run item, which names the trace, the
// observation or both.
func TestLinkBeforeAndAfter(t *testing.T) {
	t.Parallel()
	for name, named := range map[string]struct{ trace, observation, linked string }{
		"both":            {"t", "child", "child"},
		"the observation": {"", "child", "child"},
		"the trace":       {"t", "", "root"},
	} {
		for _, first := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				l := newLinking(t)
				var r model.RunItem
				if first {
					r = l.run(t, "run", named.trace, named.observation)
					must(t, l.after(t, time.Second))
				}
				l.insert(t, "t", "child", "root", 1)
				if !first {
					r = l.run(t, "run", named.trace, named.observation)
				}
				must(t, l.after(t, 2*time.Second))
				l.insert(t, "t", "root", "", 1)
				l.insert(t, "other", "stranger", "", 1)
				must(t, l.after(t, 20*time.Second))
				l.want(t, named.linked, r)
				for _, id := range []string{"child", "root", "stranger"} {
					if id != named.linked && l.experimentOf(t, id) != nil {
						t.Errorf("%s is in an experiment", id)
					}
				}
			})
		}
	}
}

// TestLinkAgain: a later version of the observation, which knows of no experiment, gets it again.
func TestLinkAgain(t *testing.T) {
	t.Parallel()
	l := newLinking(t)
	l.insert(t, "t", "root", "", 1)
	r := l.run(t, "run", "t", "root")
	must(t, l.after(t, time.Second))
	l.want(t, "root", r)
	for version := uint64(100); version < 400; version += 100 {
		l.insert(t, "t", "root", "", version)
		must(t, l.after(t, 7*time.Hour))
		l.want(t, "root", r)
	}
	l.now = l.now.Add(48 * time.Hour)
	must(t, l.after(t, 0))
	if due, err := l.meta.DueRunItems(t.Context(), l.now.Add(1000*time.Hour), 10); len(due) > 0 || err != nil {
		t.Errorf("after two days: %v, %v", due, err)
	}
}

// TestLinkLeavesExperiments: what is in an experiment stays there, and the first run item counts.
func TestLinkLeavesExperiments(t *testing.T) {
	t.Parallel()
	l := newLinking(t)
	l.insert(t, "t", "root", "", 1, func(o *model.Observation) { o.Experiment = &model.Experiment{ID: "own", ItemID: "x"} })
	l.insert(t, "u", "plain", "", 1)
	l.run(t, "run", "t", "root")
	first := l.run(t, "first", "u", "plain")
	must(t, l.after(t, time.Second))
	l.run(t, "second", "u", "plain")
	must(t, l.after(t, time.Minute))
	if x := l.experimentOf(t, "root"); x == nil || x.ID != "own" {
		t.Errorf("experiment %+v, want the observation's own", x)
	}
	l.want(t, "plain", first)
}

// TestTraceWithoutRoot: a trace whose root never comes is linked by its first row after a while.
func TestTraceWithoutRoot(t *testing.T) {
	t.Parallel()
	l := newLinking(t)
	l.insert(t, "t", "later", "gone", 1, func(o *model.Observation) { o.StartTime = start.Add(time.Second) })
	l.insert(t, "t", "sooner", "gone", 1)
	r := l.run(t, "run", "t", "")
	must(t, l.after(t, 10*time.Second))
	if l.experimentOf(t, "sooner") != nil {
		t.Error("linked before its root could come")
	}
	must(t, l.after(t, 5*time.Minute))
	l.want(t, "sooner", r)
}

// TestLinkLater: a store that is away loses nothing, and is not asked without a pause.
func TestLinkLater(t *testing.T) {
	t.Parallel()
	l := newLinking(t)
	l.insert(t, "t", "root", "", 1)
	r := l.run(t, "run", "t", "root")
	l.rows.err = errors.New("away")
	if err := l.after(t, time.Second); err == nil {
		t.Error("no error while the store is away")
	}
	must(t, l.after(t, 0)) // nothing is due
	l.rows.err = nil
	must(t, l.after(t, 10*time.Second))
	l.want(t, "root", r)
}

// TestLinkerRuns links in the background until it is stopped.
func TestLinkerRuns(t *testing.T) {
	t.Parallel()
	l := newLinking(t)
	l.insert(t, "t", "root", "", 1)
	r := l.run(t, "run", "t", "root")
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		datasets.NewLinker(l.meta, l.rows, slog.New(slog.DiscardHandler)).Run(ctx)
	}()
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(20 * time.Second); l.experimentOf(t, "root") == nil && time.Now().Before(deadline); {
		<-poll.C
	}
	stop()
	<-done
	l.want(t, "root", r)
}
