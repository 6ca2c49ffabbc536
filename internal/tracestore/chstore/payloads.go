package chstore

import (
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/model"
)

// payloads is one block of the table payloads.
type payloads struct {
	projectID               *proto.ColLowCardinality[string]
	traceID, spanID         proto.ColStr
	start                   proto.ColDateTime64
	version                 proto.ColUInt64
	input, output           proto.ColStr
	keyColumns, textColumns []namedColumn
}

func newPayloads() *payloads {
	p := &payloads{projectID: lowCardinality()}
	p.start.WithPrecision(proto.PrecisionMicro).WithLocation(time.UTC)
	p.keyColumns = []namedColumn{{"trace_id", &p.traceID}, {"start_time", &p.start}, {"span_id", &p.spanID}}
	p.textColumns = []namedColumn{{"input", &p.input}, {"output", &p.output}}
	return p
}

func (p *payloads) insertColumns() []namedColumn {
	columns := []namedColumn{{"project_id", p.projectID}, {"version", &p.version}}
	return append(append(columns, p.keyColumns...), p.textColumns...)
}

func (p *payloads) append(o *model.Observation) {
	p.projectID.Append(o.ProjectID)
	p.appendKey(o)
	p.version.Append(o.Version)
	p.input.Append(o.Input)
	p.output.Append(o.Output)
}

func (p *payloads) appendKey(o *model.Observation) {
	p.traceID.Append(o.TraceID)
	p.start.AppendRaw(micros(o.StartTime))
	p.spanID.Append(o.ID)
}
