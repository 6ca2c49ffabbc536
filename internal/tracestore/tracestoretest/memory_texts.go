package tracestoretest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Text finds the newest row that matches. An amended row has the version of the amendment here.
func (m *Memory) Text(ctx context.Context, q tracestore.TextQuery) (*tracestore.Text, error) {
	rows, err := m.Observations(ctx, tracestore.ObservationQuery{ProjectID: q.ProjectID, Where: q.Where, Limit: 1, IO: true})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	o := rows[0]
	text, err := textOf(o, q.Column)
	return &tracestore.Text{
		ProjectID: o.ProjectID, TraceID: o.TraceID, ID: o.ID, StartTime: o.StartTime, Column: q.Column, Version: o.Version,
		Size: int64(len(text)), JSON: json.Valid([]byte(text)),
	}, err
}

// ReadText cuts the text of the same version.
func (m *Memory) ReadText(ctx context.Context, t *tracestore.Text, offset, length int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read a text: %w", err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	o := m.projects[t.ProjectID][rowKey{t.TraceID, t.ID, t.StartTime.UnixMicro()}]
	if o == nil || o.Version != t.Version {
		return nil, fmt.Errorf("read a text: %w", tracestore.ErrTextGone)
	}
	text, err := textOf(o, t.Column)
	size := int64(len(text))
	return []byte(text[min(offset, size):min(offset+max(length, 0), size)]), err
}

// Previews cuts the texts of a page.
func (m *Memory) Previews(ctx context.Context, q tracestore.PreviewQuery) ([]tracestore.Preview, error) {
	rows, err := m.Observations(ctx, tracestore.ObservationQuery{ProjectID: q.ProjectID, Where: q.Where, Limit: tracestore.MaxPreviews, IO: true})
	var previews []tracestore.Preview
	for _, o := range rows {
		preview := tracestore.Preview{TraceID: o.TraceID, ID: o.ID, StartTime: o.StartTime}
		preview.Input, preview.InputMore = beginning(o.Input, tracestore.PreviewCharacters)
		preview.Output, preview.OutputMore = beginning(o.Output, tracestore.PreviewCharacters)
		previews = append(previews, preview)
	}
	return previews, err
}

func beginning(text string, characters int) (string, bool) {
	if utf8.RuneCountInString(text) <= characters {
		return text, false
	}
	return string([]rune(text)[:characters]), true
}

// SearchTrace looks at every text of every row.
func (m *Memory) SearchTrace(ctx context.Context, q tracestore.TraceSearch) ([]string, error) {
	rows, err := m.Observations(ctx, tracestore.ObservationQuery{
		ProjectID: q.ProjectID, Limit: everything, IO: true, Metadata: true, OwnOnly: true,
		Where: []filter.Condition{filter.OneOf{Column: filter.TraceID, Values: []string{q.TraceID}}},
	})
	slices.SortFunc(rows, func(a, b *model.Observation) int {
		return cmp.Or(a.StartTime.Compare(b.StartTime), strings.Compare(a.ID, b.ID))
	})
	value := filter.LowerASCII(q.Value)
	var ids []string
	for _, o := range rows {
		texts := []string{o.Input, o.Output, o.Name}
		for _, entry := range o.Metadata {
			texts = append(texts, entry.Name, entry.Value)
		}
		found := slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(filter.LowerASCII(text), value) })
		if found && !o.StandsForTrace() && !slices.Contains(ids, o.ID) {
			ids = append(ids, o.ID)
		}
	}
	return ids[:min(len(ids), q.Limit)], err
}
