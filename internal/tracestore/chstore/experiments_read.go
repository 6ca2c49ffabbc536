package chstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/tracestore"
)

var _ tracestore.Experiments = (*Store)(nil)

// pagePlace orders observations as pages do; the greatest is the newest.
const pagePlace = "(start_time, xxHash32(trace_id), span_id, trace_id)"

// newestOf is the value of a key of the map in the newest row of a group that has one.
func newestOf(key string) string {
	value := experimentPlace(key)
	return "argMaxIf(" + value + ", " + pagePlace + ", " + value + " != '')"
}

// isItemRoot holds for rows that stand for an item of an experiment.
const isItemRoot = "experiment['" + experimentItem + "'] != '' AND experiment['" + experimentItemRoot + "'] = span_id"

// inWindow renders the project and a range of start times.
func inWindow(p *params, projectID string, w tracestore.Window) string {
	window := "project_id = " + p.text(projectID) + " AND start_time >= " + p.micros(w.From.UnixMicro())
	if !w.To.IsZero() {
		window += " AND start_time < " + p.micros(w.To.UnixMicro())
	}
	return window
}

// ofExperiment holds for rows of an experiment. The size of the map, nearly always 0, is read first.
const ofExperiment = " AND notEmpty(experiment) AND experiment['" + experimentID + "'] != ''"

// experimentRows renders what to ask of folded rows: those of experiments in a window that meet match,
// a list of conditions each led by AND.
//
// Folding must see all versions of a row but not all rows of the project, which would take seconds.
// Versions share their start time, which is in the primary key: so the rows that any version makes a
// candidate are found first, without folding, and FINAL reads only the granules of their start times.
func experimentRows(p *params, projectID string, w tracestore.Window, match string) string {
	window := inWindow(p, projectID, w)
	return window + " AND start_time IN (SELECT start_time FROM observations WHERE " + window + ofExperiment + match + ")" +
		ofExperiment + match + notDeleted + " AND " + traceStands("project_id = "+p.text(projectID))
}

// traceStands holds for rows whose trace was not deleted after they were accepted.
func traceStands(project string) string {
	return hiddenBy(project, tracestore.TraceTombstone).alive("trace_id", "version")
}

// Experiments groups the folded rows of the window, all of them: which experiment is the latest is known
// only then.
func (s *Store) Experiments(ctx context.Context, q tracestore.ExperimentQuery) ([]*tracestore.Experiment, error) {
	if q.Limit <= 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	page, err := s.experimentGroups(ctx, q)
	if err != nil {
		return nil, readError("read experiments", err)
	}
	if q.Metadata && len(page) > 0 {
		if err := s.loadExperimentMetadata(ctx, q, page); err != nil {
			return nil, readError("read metadata of experiments", err)
		}
	}
	return page, nil
}

// The columns of experiments: the id in rows, what is shown in groups.
var (
	rowColumns   = map[filter.Column]string{filter.ID: experimentPlace(experimentID)}
	groupColumns = map[filter.Column]string{filter.Name: "shown_name", filter.DatasetID: "shown_dataset"}
)

func (s *Store) experimentGroups(ctx context.Context, q tracestore.ExperimentQuery) ([]*tracestore.Experiment, error) {
	var p params
	// The id is the same for all rows of a group, so it is asked of rows; the others are asked of groups.
	isID := func(c filter.Condition) bool { return c.On() == filter.ID }
	match, err := experimentWhere(&p, rowColumns, slices.DeleteFunc(slices.Clone(q.Where), func(c filter.Condition) bool { return !isID(c) }))
	if err != nil {
		return nil, err
	}
	having, err := experimentWhere(&p, groupColumns, slices.DeleteFunc(slices.Clone(q.Where), isID))
	if err != nil {
		return nil, err
	}
	if q.After != nil {
		having += " AND (latest, experiment_id) < (" + p.micros(q.After.StartTime.UnixMicro()) + ", " + p.text(q.After.ID) + ")"
	}
	rows := experimentRows(&p, q.ProjectID, q.Window, match)
	block := newExperimentBlock()
	var page []*tracestore.Experiment
	err = s.reads.do(ctx, ch.Query{
		Body: "SELECT " + experimentPlace(experimentID) + " AS experiment_id, min(start_time) AS earliest, max(start_time) AS latest, max(end_time) AS ended," +
			" uniqExactIf((trace_id, span_id), " + isItemRoot + ") AS items, " + newestOf(experimentName) + " AS shown_name, " +
			newestOf(experimentDescription) + " AS shown_description, " + newestOf(experimentDataset) + " AS shown_dataset" +
			" FROM observations FINAL WHERE " + rows + " GROUP BY experiment_id HAVING 1" + having +
			fmt.Sprintf(" ORDER BY latest DESC, experiment_id DESC LIMIT %d", q.Limit),
		Parameters: p.list,
		Result:     block.results(),
		OnResult: func(context.Context, proto.Block) error {
			for i := range block.id.Rows() {
				page = append(page, block.row(i))
			}
			return nil
		},
	})
	return page, err
}

// experimentBlock is one block of groups.
type experimentBlock struct {
	id, name, description, dataset proto.ColStr
	earliest, latest, ended        proto.ColDateTime64
	items                          proto.ColUInt64
}

func newExperimentBlock() *experimentBlock {
	b := &experimentBlock{}
	for _, at := range []*proto.ColDateTime64{&b.earliest, &b.latest, &b.ended} {
		at.WithPrecision(proto.PrecisionMicro).WithLocation(time.UTC)
	}
	return b
}

func (b *experimentBlock) results() proto.Results {
	return proto.Results{
		{Name: "experiment_id", Data: &b.id},
		{Name: "earliest", Data: &b.earliest},
		{Name: "latest", Data: &b.latest},
		{Name: "ended", Data: &b.ended},
		{Name: "items", Data: &b.items},
		{Name: "shown_name", Data: &b.name},
		{Name: "shown_description", Data: &b.description},
		{Name: "shown_dataset", Data: &b.dataset},
	}
}

func (b *experimentBlock) row(i int) *tracestore.Experiment {
	return &tracestore.Experiment{
		ID: b.id.Row(i), Name: b.name.Row(i), Description: b.description.Row(i), DatasetID: b.dataset.Row(i), Items: b.items.Row(i),
		Start: time.UnixMicro(int64(b.earliest.Data[i])).UTC(), Latest: time.UnixMicro(int64(b.latest.Data[i])).UTC(),
		End: time.UnixMicro(int64(max(b.ended.Data[i], b.earliest.Data[i]))).UTC(),
	}
}

// loadExperimentMetadata reads metadata for the page alone: a group of all experiments would hold a map
// for each.
func (s *Store) loadExperimentMetadata(ctx context.Context, q tracestore.ExperimentQuery, page []*tracestore.Experiment) error {
	byID := make(map[string]*tracestore.Experiment, len(page))
	ids := make([]string, len(page))
	for i, x := range page {
		byID[x.ID], ids[i] = x, x.ID
	}
	var p params
	rows := experimentRows(&p, q.ProjectID, q.Window, " AND "+experimentPlace(experimentID)+" IN "+p.texts(ids)+
		" AND arrayExists(k -> startsWith(k, '"+experimentMetadata+"'), mapKeys(experiment))")
	var id proto.ColStr
	entries := proto.NewMap[string, string](new(proto.ColStr), new(proto.ColStr))
	return s.reads.do(ctx, ch.Query{
		Body: "SELECT " + experimentPlace(experimentID) + " AS experiment_id, argMax(mapFilter((k, v) -> startsWith(k, '" + experimentMetadata + "'), experiment), " +
			pagePlace + ") AS entries FROM observations FINAL WHERE " + rows + " GROUP BY experiment_id",
		Parameters: p.list,
		Result:     proto.Results{{Name: "experiment_id", Data: &id}, {Name: "entries", Data: entries}},
		OnResult: func(context.Context, proto.Block) error {
			for i := range id.Rows() {
				if x := byID[id.Row(i)]; x != nil {
					x.Metadata = experimentOf(entries.RowKV(i), true).Metadata
				}
			}
			return nil
		},
	})
}
