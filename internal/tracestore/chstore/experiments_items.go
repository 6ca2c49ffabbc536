package chstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// itemColumns tell where the columns of items are.
var itemColumns = map[filter.Column]string{
	filter.ExperimentID:     experimentPlace(experimentID),
	filter.ExperimentName:   experimentPlace(experimentName),
	filter.ExperimentItemID: experimentPlace(experimentItem),
	filter.DatasetID:        experimentPlace(experimentDataset),
}

// ExperimentItems reads one page in two steps, as Observations does: a start time that the page cannot
// reach below, found without folding, then the folded rows above it.
func (s *Store) ExperimentItems(ctx context.Context, q tracestore.ExperimentItemQuery) ([]*tracestore.ExperimentItem, error) {
	if q.Limit <= 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	rows, err := s.itemRoots(ctx, q)
	if err != nil {
		return nil, readError("read experiment items", err)
	}
	if q.IO {
		if err := s.loadPayloads(ctx, q.ProjectID, rows); err != nil {
			return nil, readError("read payloads", err)
		}
	}
	items := make([]*tracestore.ExperimentItem, len(rows))
	for i, o := range rows {
		items[i] = &tracestore.ExperimentItem{
			ID: o.ID, TraceID: o.TraceID, StartTime: o.StartTime, EndTime: o.EndTime, Level: o.Level, Environment: o.Environment,
			Experiment: *o.Experiment, Metadata: o.Metadata, Input: o.Input, Output: o.Output,
		}
	}
	return items, nil
}

func (s *Store) itemRoots(ctx context.Context, q tracestore.ExperimentItemQuery) ([]*model.Observation, error) {
	var p params
	match, err := experimentWhere(&p, itemColumns, q.Where)
	if err != nil {
		return nil, err
	}
	match += " AND " + isItemRoot + after(&p, q.After)
	for fetch := 2*q.Limit + 1; ; fetch *= 4 {
		count, lowest, err := s.lowestItem(ctx, p, q, match, fetch)
		if err != nil || count == 0 {
			return nil, err
		}
		rows, err := s.itemRootsFrom(ctx, p, q, match, lowest)
		if err != nil || len(rows) == q.Limit || count < fetch {
			return rows, err
		}
	}
}

func (s *Store) lowestItem(ctx context.Context, p params, q tracestore.ExperimentItemQuery, match string, fetch int) (int, time.Time, error) {
	p.list = slices.Clip(p.list)
	var count proto.ColUInt64
	var lowest proto.ColDateTime64
	err := s.reads.do(ctx, ch.Query{
		Body: "SELECT count() AS n, min(start_time) AS lowest FROM (SELECT start_time FROM observations WHERE " + inWindow(&p, q.ProjectID, q.Window) + ofExperiment + match +
			fmt.Sprintf(" ORDER BY %s LIMIT %d)", pageOrder, fetch),
		Parameters: p.list,
		Result:     proto.Results{{Name: "n", Data: &count}, {Name: "lowest", Data: &lowest}},
	})
	if err != nil || count.Rows() == 0 {
		return 0, time.Time{}, err
	}
	return int(count.Row(0)), lowest.Row(0), nil
}

func (s *Store) itemRootsFrom(ctx context.Context, p params, q tracestore.ExperimentItemQuery, match string, lowest time.Time) ([]*model.Observation, error) {
	p.list = slices.Clip(p.list)
	q.Window.From = lowest
	where := experimentRows(&p, q.ProjectID, q.Window, match)
	block := newItemBlock(q.Metadata)
	names, results := resultOf(block.columns)
	var rows []*model.Observation
	err := s.reads.do(ctx, ch.Query{
		Body:       "SELECT " + names + " FROM observations FINAL WHERE " + where + fmt.Sprintf(" ORDER BY %s LIMIT %d", pageOrder, q.Limit),
		Parameters: p.list,
		Result:     results,
		OnResult: func(context.Context, proto.Block) error {
			for i := range block.traceID.Rows() {
				rows = append(rows, block.row(i))
			}
			return nil
		},
	})
	return rows, err
}

// itemBlock is one block of item roots: few columns, because FINAL reads them for whole granules.
type itemBlock struct {
	traceID, spanID       proto.ColStr
	start, end            proto.ColDateTime64
	level, environment    *proto.ColLowCardinality[string]
	experiment            *proto.ColMap[string, string]
	metaNames, metaValues *proto.ColArr[string]
	metaTypes             *proto.ColArr[uint8]

	metadata bool
	columns  []namedColumn
}

func newItemBlock(metadata bool) *itemBlock {
	b := &itemBlock{
		level: lowCardinality(), environment: lowCardinality(), experiment: proto.NewMap[string, string](new(proto.ColStr), new(proto.ColStr)),
		metaNames: proto.NewArray[string](lowCardinality()), metaValues: new(proto.ColStr).Array(), metaTypes: new(proto.ColUInt8).Array(),
		metadata: metadata,
	}
	b.start.WithPrecision(proto.PrecisionMicro).WithLocation(time.UTC)
	b.end.WithPrecision(proto.PrecisionMicro).WithLocation(time.UTC)
	b.columns = []namedColumn{
		{"trace_id", &b.traceID},
		{"span_id", &b.spanID},
		{"start_time", &b.start},
		{"end_time", &b.end},
		{"level", b.level},
		{"environment", b.environment},
		{"experiment", b.experiment},
	}
	if metadata {
		b.columns = append(b.columns, namedColumn{"meta_names", b.metaNames}, namedColumn{"meta_values", b.metaValues}, namedColumn{"meta_types", b.metaTypes})
	}
	return b
}

func (b *itemBlock) row(i int) *model.Observation {
	o := &model.Observation{
		TraceID: b.traceID.Row(i), ID: b.spanID.Row(i), StartTime: timeOf(b.start.Data[i]), EndTime: timeOf(b.end.Data[i]),
		Level: model.Level(b.level.Row(i)), Environment: b.environment.Row(i), Experiment: experimentOf(b.experiment.RowKV(i), b.metadata),
	}
	if b.metadata {
		values, types := b.metaValues.Row(i), b.metaTypes.Row(i)
		for j, name := range b.metaNames.Row(i) {
			o.Metadata = append(o.Metadata, model.MetadataEntry{Name: name, Value: values[j], Type: model.MetadataType(types[j])})
		}
	}
	return o
}
