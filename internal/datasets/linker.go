package datasets

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/partial"
	"github.com/sondehq/sonde/internal/tracestore"
)

// How the linker works.
const (
	lookEvery    = time.Second
	linksAtOnce  = 100
	rowsOfTrace  = 100            // looked at to find the one that stands for a trace
	rootExpected = time.Minute    // after that the first row of a trace stands for it
	watchedFor   = 48 * time.Hour // how long run items are looked after
	longestWait  = 6 * time.Hour  // between two looks
)

// Rows is the part of the trace store that the linker needs.
type Rows interface {
	Observations(ctx context.Context, q tracestore.ObservationQuery) ([]*model.Observation, error)
	Insert(ctx context.Context, rows []*model.Observation) error
}

// Linker makes observations items of experiments where only a run item says that they are: those of
// older clients carry no word of it.
//
// A run item may come before its trace, and a later version of an observation may come without the
// experiment again. So every run item is looked after for two days, ever less often: whenever its
// observation is there without an experiment, a version with it is stored just above. One that is in an
// experiment already stays there. Several linkers at once do the same thing twice, which is harmless.
type Linker struct {
	store metastore.Datasets
	rows  Rows
	log   *slog.Logger
	now   func() time.Time
}

// NewLinker makes a linker.
func NewLinker(store metastore.Datasets, rows Rows, log *slog.Logger) *Linker {
	return &Linker{store: store, rows: rows, log: log, now: time.Now}
}

// Run works until ctx ends.
func (l *Linker) Run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		more, err := l.Once(ctx)
		if err != nil && ctx.Err() == nil {
			l.log.WarnContext(ctx, "run items cannot be linked now, trying again", "error", err)
		}
		if more && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Once links what is due, and reports whether more is. A run item that cannot be linked now does not
// keep the others from it.
func (l *Linker) Once(ctx context.Context) (more bool, err error) {
	now := l.now().UTC()
	due, err := l.store.DueRunItems(ctx, now, linksAtOnce)
	if err != nil {
		return false, fmt.Errorf("read due run items: %w", err)
	}
	var failed []error
	for _, r := range due {
		if err := l.link(ctx, r, now); err != nil {
			failed = append(failed, fmt.Errorf("link run item %s: %w", r.ID, err))
		}
		r.Due = nextLook(r.CreatedAt, now)
		if err := l.store.RescheduleRunItem(ctx, r); err != nil {
			return false, fmt.Errorf("reschedule run item %s: %w", r.ID, err)
		}
	}
	return len(due) == linksAtOnce, errors.Join(failed...)
}

// nextLook doubles the age of a run item from look to look; zero when it is old enough.
func nextLook(created, now time.Time) time.Time {
	age := now.Sub(created)
	if age > watchedFor {
		return time.Time{}
	}
	return now.Add(min(max(age, lookEvery), longestWait))
}

// link stores the observation of a run item with its experiment, if it is there and has none.
func (l *Linker) link(ctx context.Context, r model.RunItem, now time.Time) error {
	ctx = tracestore.ForProject(ctx, r.ProjectID)
	if r.ObservationID == "" {
		root, err := l.rootOf(ctx, r, now)
		if err != nil || root == "" {
			return err
		}
		r.ObservationID = root
	}
	where := []filter.Condition{filter.OneOf{Column: filter.ID, Values: []string{r.ObservationID}}}
	if r.TraceID != "" {
		where = append(where, filter.OneOf{Column: filter.TraceID, Values: []string{r.TraceID}})
	}
	rows, err := l.rows.Observations(ctx, tracestore.ObservationQuery{
		ProjectID: r.ProjectID, Where: where, Limit: 1, IO: true, Metadata: true, OwnOnly: true,
	})
	if err != nil || len(rows) == 0 || (rows[0].Experiment != nil && rows[0].Experiment.ID != "") {
		return err
	}
	experiment, err := l.experiment(ctx, r)
	if err != nil {
		return err
	}
	tagged := *rows[0]
	experiment.ItemRootID = tagged.ID
	tagged.Experiment = experiment
	tagged.Version++
	return l.rows.Insert(ctx, []*model.Observation{&tagged})
}

// rootOf finds the observation that stands for a trace, empty while it is not there.
func (l *Linker) rootOf(ctx context.Context, r model.RunItem, now time.Time) (string, error) {
	q := tracestore.ObservationQuery{
		ProjectID: r.ProjectID, Limit: rowsOfTrace, OwnOnly: true, Brief: true,
		Where: []filter.Condition{
			filter.OneOf{Column: filter.TraceID, Values: []string{r.TraceID}},
			filter.IsTrue{Column: filter.IsRootObservation, Want: true},
		},
	}
	rows, err := l.rows.Observations(ctx, q)
	if err == nil && len(rows) == 0 && now.Sub(r.CreatedAt) > rootExpected {
		q.Where = q.Where[:1]
		rows, err = l.rows.Observations(ctx, q)
	}
	if err != nil || len(rows) == 0 {
		return "", err
	}
	return slices.MinFunc(rows, func(a, b *model.Observation) int {
		return cmp.Or(a.StartTime.Compare(b.StartTime), cmp.Compare(a.ID, b.ID))
	}).ID, nil
}

// experiment is what a run item and its item say.
func (l *Linker) experiment(ctx context.Context, r model.RunItem) (*model.Experiment, error) {
	x := &model.Experiment{
		ID: ExperimentOf(r), Name: r.RunName, Description: r.Description, DatasetID: r.DatasetID,
		Metadata: partial.Metadata(json.RawMessage(r.Metadata)), ItemID: r.ItemID, ItemVersion: r.ItemVersion,
	}
	q := metastore.ItemQuery{ProjectID: r.ProjectID, ItemID: r.ItemID, At: r.ItemVersion, AnyStatus: true, Limit: 1}
	err := l.store.EachItem(ctx, q, func(i model.DatasetItem) error {
		x.ItemExpectedOutput = textOf(i.ExpectedOutput)
		x.ItemMetadata = partial.Metadata(json.RawMessage(i.Metadata))
		return nil
	})
	return x, err
}

// textOf is a JSON value as rows hold it: a text as it is, everything else as JSON.
func textOf(raw string) string {
	var text string
	if json.Unmarshal([]byte(raw), &text) == nil {
		return text
	}
	return raw
}
