package chstore

import (
	"context"
	"fmt"
	"slices"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var _ tracestore.Texts = (*Store)(nil)

// keyOnly reads rows for their keys and versions.
func keyOnly(projectID string, where []filter.Condition, limit int) tracestore.ObservationQuery {
	return tracestore.ObservationQuery{ProjectID: projectID, Where: where, Limit: limit, Brief: true, OwnOnly: true}
}

// wholeText is the column that a text lies in, alone.
func wholeText(column filter.Column) (string, error) {
	if name := payloadColumns[column]; name == string(column) {
		return name, nil
	}
	return "", fmt.Errorf("column %q holds no text of its own", column)
}

// payloadOf is the condition that a payload belongs to one row.
func payloadOf(p *params, t *tracestore.Text) string {
	return "project_id = " + p.text(t.ProjectID) + " AND trace_id = " + p.text(t.TraceID) +
		" AND start_time = " + p.micros(t.StartTime.UnixMicro()) + " AND span_id = " + p.text(t.ID)
}

// Text finds the row, then its newest payload. A row whose texts retention has removed has none.
func (s *Store) Text(ctx context.Context, q tracestore.TextQuery) (*tracestore.Text, error) {
	column, err := wholeText(q.Column)
	if err != nil {
		return nil, err
	}
	rows, err := s.Observations(ctx, keyOnly(q.ProjectID, q.Where, 1))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	o := rows[0]
	text := &tracestore.Text{ProjectID: q.ProjectID, TraceID: o.TraceID, ID: o.ID, StartTime: o.StartTime, Column: q.Column, Version: o.Version}
	var p params
	var version, size proto.ColUInt64
	var isJSON proto.ColUInt8
	err = s.reads.do(ctx, ch.Query{
		Body: "SELECT version, length(" + column + ") AS size, isValidJSON(" + column + ") AS is_json FROM payloads WHERE " +
			payloadOf(&p, text) + " ORDER BY version DESC LIMIT 1",
		Parameters: p.list,
		Result:     proto.Results{{Name: "version", Data: &version}, {Name: "size", Data: &size}, {Name: "is_json", Data: &isJSON}},
		OnResult: func(context.Context, proto.Block) error {
			if version.Rows() > 0 {
				text.Version, text.Size, text.JSON = version.Row(0), int64(size.Row(0)), isJSON.Row(0) != 0
			}
			return nil
		},
	})
	if err != nil {
		return nil, readError("find a text", err)
	}
	return text, nil
}

// ReadText has the engine cut the piece.
func (s *Store) ReadText(ctx context.Context, t *tracestore.Text, offset, length int64) ([]byte, error) {
	column, err := wholeText(t.Column)
	if err != nil || length <= 0 || offset >= t.Size {
		return nil, err
	}
	var p params
	var piece proto.ColStr
	var read []byte
	found := false
	err = s.reads.do(ctx, ch.Query{
		Body: fmt.Sprintf("SELECT substring(%s, %d, %d) AS piece FROM payloads WHERE %s AND version = %d LIMIT 1",
			column, offset+1, length, payloadOf(&p, t), t.Version),
		Parameters: p.list,
		Result:     proto.Results{{Name: "piece", Data: &piece}},
		OnResult: func(context.Context, proto.Block) error {
			if piece.Rows() > 0 {
				found, read = true, slices.Clone(piece.RowBytes(0))
			}
			return nil
		},
	})
	switch {
	case err != nil:
		return nil, readError("read a text", err)
	case !found:
		return nil, fmt.Errorf("read a text: %w", tracestore.ErrTextGone)
	}
	return read, nil
}

// beginning is what a preview shows of a text.
func beginning(column string) string { return firstOf(column, tracestore.PreviewCharacters) }

// firstOf is the first characters of a text. A character has at most 4 bytes, so no more than these are counted.
func firstOf(text string, characters int) string {
	return fmt.Sprintf("substringUTF8(substring(%s, 1, %d), 1, %d)", text, 4*characters, characters)
}

// Previews finds rows by the spine, which has an index of ids, and the beginnings of their texts by key.
func (s *Store) Previews(ctx context.Context, q tracestore.PreviewQuery) ([]tracestore.Preview, error) {
	rows, err := s.Observations(ctx, keyOnly(q.ProjectID, q.Where, tracestore.MaxPreviews))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	previews, places := make([]tracestore.Preview, len(rows)), make(map[payloadKey]int, len(rows))
	for i, o := range rows {
		previews[i] = tracestore.Preview{TraceID: o.TraceID, ID: o.ID, StartTime: o.StartTime}
		places[payloadKeyOf(o)] = i
	}
	if err := s.fillPreviews(ctx, q.ProjectID, rows, func(k payloadKey) *tracestore.Preview { return &previews[places[k]] }); err != nil {
		return nil, readError("read previews", err)
	}
	return previews, nil
}

func (s *Store) fillPreviews(ctx context.Context, projectID string, rows []*model.Observation, preview func(payloadKey) *tracestore.Preview) error {
	var p params
	var input, output proto.ColStr
	var inputMore, outputMore proto.ColUInt8
	got := newPayloads()
	names, results := resultOf(got.keyColumns)
	return s.reads.do(ctx, ch.Query{
		Body: "SELECT " + names + ", " + beginning("input") + " AS i, " + beginning("output") + " AS o," +
			" length(input) > length(i) AS input_more, length(output) > length(o) AS output_more FROM payloads WHERE project_id = " +
			p.text(projectID) + " AND " + keyed + " ORDER BY version DESC LIMIT 1 BY trace_id, start_time, span_id",
		Parameters:    p.list,
		ExternalTable: "wanted",
		ExternalData:  inputOf(keyTable(keysOf(rows)).columns),
		Result: append(results, proto.ResultColumn{Name: "i", Data: &input}, proto.ResultColumn{Name: "o", Data: &output},
			proto.ResultColumn{Name: "input_more", Data: &inputMore}, proto.ResultColumn{Name: "output_more", Data: &outputMore}),
		OnResult: func(context.Context, proto.Block) error {
			for k := range got.traceID.Rows() {
				to := preview(got.key(k))
				to.Input, to.Output = input.Row(k), output.Row(k)
				to.InputMore, to.OutputMore = inputMore.Row(k) != 0, outputMore.Row(k) != 0
			}
			return nil
		},
	})
}

// SearchTrace folds the rows of the trace and their texts. A trace lies together in payloads, so all of its texts are
// read: the text index would not help.
func (s *Store) SearchTrace(ctx context.Context, q tracestore.TraceSearch) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	var p params
	trace := []filter.Condition{ofTrace(q.TraceID)}
	where, err := foldedWhere(&p, q.ProjectID, append(trace, filter.IsTrue{Column: filter.StandsForTrace}))
	if err != nil {
		return nil, err
	}
	texts, err := countTexts(&p, q.ProjectID, []filter.Condition{filter.Search{In: filter.SearchColumns, Mode: filter.Substring, Value: q.Value}}, trace)
	if err != nil {
		return nil, err
	}
	value := p.text(filter.LowerASCII(q.Value))
	has := func(text string) string { return "position(lower(" + text + "), " + value + ") > 0" }
	var span proto.ColStr
	var ids []string
	err = s.reads.do(ctx, ch.Query{
		Body: "SELECT span_id FROM observations FINAL WHERE " + where + " AND (" + has("name") +
			" OR arrayExists(n -> " + has("n") + ", meta_names) OR arrayExists(v -> " + has("v") + ", meta_values) OR " + texts + ")" +
			fmt.Sprintf(" ORDER BY start_time, span_id LIMIT 1 BY span_id LIMIT %d", q.Limit),
		Parameters: p.list,
		Result:     proto.Results{{Name: "span_id", Data: &span}},
		OnResult: func(context.Context, proto.Block) error {
			for i := range span.Rows() {
				ids = append(ids, span.Row(i))
			}
			return nil
		},
	})
	if err != nil {
		return nil, readError("search a trace", err)
	}
	return ids, nil
}
