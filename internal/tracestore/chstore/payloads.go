package chstore

import (
	"context"
	"slices"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/model"
)

// The names of texts that few rows have. They are stored: never change one.
const (
	happeningsText  = "happenings"
	expectedText    = "expected_output"
	definitionsText = "tool_definitions"
	callsText       = "tool_calls"
)

// payloads is one block of the table payloads.
type payloads struct {
	projectID               *proto.ColLowCardinality[string]
	traceID, spanID         proto.ColStr
	start                   proto.ColDateTime64
	version                 proto.ColUInt64
	input, output           proto.ColStr
	texts                   *proto.ColMap[string, []string] // by the names above
	keyColumns, textColumns []namedColumn
}

func newPayloads() *payloads {
	p := &payloads{projectID: lowCardinality(), texts: proto.NewMap[string, []string](new(proto.ColStr), new(proto.ColStr).Array())}
	p.start.WithPrecision(proto.PrecisionMicro).WithLocation(time.UTC)
	p.keyColumns = []namedColumn{{"trace_id", &p.traceID}, {"start_time", &p.start}, {"span_id", &p.spanID}}
	p.textColumns = []namedColumn{{"input", &p.input}, {"output", &p.output}, {"texts", p.texts}}
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
	p.appendText(happeningsText, o.Happenings)
	if o.Experiment != nil {
		p.appendText(expectedText, o.Experiment.ItemExpectedOutput)
	}
	p.appendTools(definitionsText, o.ToolDefinitions)
	p.appendTools(callsText, o.ToolCalls)
	p.texts.Offsets.Append(uint64(p.texts.Keys.Rows()))
}

func (p *payloads) appendText(name, text string) {
	if text != "" {
		p.texts.Keys.Append(name)
		p.texts.Values.Append([]string{text})
	}
}

func (p *payloads) appendTools(name string, tools []model.Tooling) {
	if len(tools) == 0 {
		return
	}
	texts := make([]string, len(tools))
	for i, tool := range tools {
		texts[i] = tool.JSON
	}
	p.texts.Keys.Append(name)
	p.texts.Values.Append(texts)
}

// appendErased writes the key of a tombstone without texts: merges then drop those it hides.
func (p *payloads) appendErased(o *model.Observation) {
	p.append(&model.Observation{ProjectID: o.ProjectID, TraceID: o.TraceID, ID: o.ID, StartTime: o.StartTime, Version: o.Version})
}

// fill gives o the texts of row i.
func (p *payloads) fill(o *model.Observation, i int) {
	o.Input, o.Output = p.input.Row(i), p.output.Row(i)
	for _, text := range p.texts.RowKV(i) {
		switch text.Key {
		case happeningsText:
			o.Happenings = text.Value[0]
		case expectedText:
			if o.Experiment == nil {
				o.Experiment = &model.Experiment{}
			}
			o.Experiment.ItemExpectedOutput = text.Value[0]
		case definitionsText:
			fillTexts(o.ToolDefinitions, text.Value)
		case callsText:
			fillTexts(o.ToolCalls, text.Value)
		}
	}
}

// fillTexts goes as far as both lists do: a version that arrived since the names were read may have
// more or fewer.
func fillTexts(tools []model.Tooling, texts []string) {
	for i := range min(len(tools), len(texts)) {
		tools[i].JSON = texts[i]
	}
}

func (p *payloads) appendKey(o *model.Observation) {
	p.traceID.Append(o.TraceID)
	p.start.AppendRaw(micros(o.StartTime))
	p.spanID.Append(o.ID)
}

// key is that of row i.
func (p *payloads) key(i int) payloadKey {
	return payloadKey{p.traceID.Row(i), int64(p.start.Data[i]), p.spanID.Row(i)}
}

// loadPayloads fills the texts of rows by key, from the newest payload that is there: a version that
// amends a row has none of its own. A row that a tombstone of its trace does not hide has a payload that is
// not hidden either, because only an insert brings it back. The keys travel as a table of their own.
func (s *Store) loadPayloads(ctx context.Context, projectID string, rows []*model.Observation) error {
	if len(rows) == 0 {
		return nil
	}
	byKey := make(map[payloadKey]*model.Observation, len(rows))
	for _, o := range rows {
		byKey[payloadKeyOf(o)] = o
	}
	var p params
	got := newPayloads()
	names, results := resultOf(slices.Concat(got.keyColumns, got.textColumns))
	return s.reads.do(ctx, ch.Query{
		Body: "SELECT " + names + " FROM payloads WHERE project_id = " + p.text(projectID) +
			" AND " + keyed + " ORDER BY version DESC LIMIT 1 BY trace_id, start_time, span_id",
		Parameters:    p.list,
		ExternalTable: "wanted",
		ExternalData:  inputOf(keyTable(keysOf(rows)).columns),
		Result:        results,
		OnResult: func(context.Context, proto.Block) error {
			for i := range got.traceID.Rows() {
				if o := byKey[got.key(i)]; o != nil {
					got.fill(o, i)
				}
			}
			return nil
		},
	})
}
