package chstore

import (
	"context"
	"slices"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/tracestore"
)

// partials is one block of the table partials.
type partials struct {
	projectID, kind            *proto.ColLowCardinality[string]
	traceID, entityID, eventID proto.ColStr
	body                       proto.ColBytes
	eventTime                  proto.ColDateTime64
	version                    proto.ColUInt64
	entityColumns, restColumns []namedColumn
}

func newPartials() *partials {
	p := &partials{projectID: lowCardinality(), kind: lowCardinality()}
	p.eventTime.WithPrecision(proto.PrecisionMicro).WithLocation(time.UTC)
	p.entityColumns = []namedColumn{{"project_id", p.projectID}, {"trace_id", &p.traceID}, {"entity_id", &p.entityID}}
	p.restColumns = []namedColumn{
		{"event_time", &p.eventTime}, {"event_id", &p.eventID}, {"kind", p.kind}, {"version", &p.version}, {"body", &p.body},
	}
	return p
}

func (p *partials) columns() []namedColumn { return slices.Concat(p.entityColumns, p.restColumns) }

func (p *partials) append(partial tracestore.Partial) {
	p.appendEntity(tracestore.Entity{ProjectID: partial.ProjectID, TraceID: partial.TraceID, EntityID: partial.EntityID})
	p.eventTime.AppendRaw(micros(partial.EventTime))
	p.eventID.Append(partial.EventID)
	p.kind.Append(partial.Kind)
	p.version.Append(partial.Version)
	p.body.Append(partial.Body)
}

func (p *partials) appendEntity(e tracestore.Entity) {
	p.projectID.Append(e.ProjectID)
	p.traceID.Append(e.TraceID)
	p.entityID.Append(e.EntityID)
}

func (p *partials) row(i int) tracestore.Partial {
	return tracestore.Partial{
		ProjectID: p.projectID.Row(i), TraceID: p.traceID.Row(i), EntityID: p.entityID.Row(i),
		Kind: p.kind.Row(i), EventTime: timeOf(p.eventTime.Data[i]), EventID: p.eventID.Row(i),
		Version: p.version.Row(i), Body: slices.Clone(p.body.Row(i)),
	}
}

// InsertPartials stores the events; a repetition folds.
func (s *Store) InsertPartials(ctx context.Context, list []tracestore.Partial) error {
	block := newPartials()
	for _, partial := range list {
		block.append(partial)
	}
	return s.insertBlock(ctx, newTableBlock("partials", block.columns()))
}

// partialOrder ends with what tells events of different entities apart.
const partialOrder = "event_time, event_id, kind, project_id, trace_id, entity_id"

// hiddenPartials are the partials of the wanted entities that a tombstone of their trace hides. Nearly always
// there is no such tombstone, and then nothing is read for it.
const hiddenPartials = "SELECT project_id, trace_id, entity_id, version FROM partials" +
	" INNER JOIN (SELECT project_id, id AS trace_id, max(version) AS hidden FROM tombstones" +
	" WHERE kind = 'trace' AND (project_id, id) IN (SELECT project_id, trace_id FROM wanted) GROUP BY project_id, id) AS t USING (project_id, trace_id)" +
	" WHERE (project_id, trace_id, entity_id) IN (SELECT project_id, trace_id, entity_id FROM wanted) AND version < hidden"

// PartialsOf reads by key, in one statement and so of one moment. The keys travel as a table of
// their own.
func (s *Store) PartialsOf(ctx context.Context, entities []tracestore.Entity) ([]tracestore.Partial, error) {
	if len(entities) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	wanted, got := newPartials(), newPartials()
	for _, e := range entities {
		wanted.appendEntity(e)
	}
	names, results := resultOf(got.columns())
	var list []tracestore.Partial
	err := s.reads.do(ctx, ch.Query{
		Body: "SELECT " + names + " FROM partials WHERE (project_id, trace_id, entity_id) IN (SELECT project_id, trace_id, entity_id FROM wanted)" +
			" AND (project_id, trace_id, entity_id, version) NOT IN (" + hiddenPartials + ")" +
			" ORDER BY " + partialOrder + ", version DESC LIMIT 1 BY " + partialOrder,
		ExternalTable: "wanted",
		ExternalData:  inputOf(wanted.entityColumns),
		Result:        results,
		OnResult: func(context.Context, proto.Block) error {
			for i := range got.version.Rows() {
				list = append(list, got.row(i))
			}
			return nil
		},
	})
	if err != nil {
		return nil, readError("read partials", err)
	}
	return list, nil
}
