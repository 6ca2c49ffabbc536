package chstore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// ComparedItems finds the runs, which of their items are on the page, and then the figures and texts of those alone.
func (s *Store) ComparedItems(ctx context.Context, q tracestore.ComparedItemQuery) (tracestore.ComparedItems, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	runs, err := s.itemRuns(ctx, q.Compared, func(p *params) string {
		if q.ItemID == "" {
			return ""
		}
		return " AND " + experimentPlace(experimentItem) + " = " + p.text(q.ItemID)
	})
	if err != nil {
		return tracestore.ComparedItems{}, readError("read runs of items", err)
	}
	if q.Search != "" {
		if runs, err = s.searchRuns(ctx, q.ProjectID, q.Search, runs); err != nil {
			return tracestore.ComparedItems{}, readError("search runs of items", err)
		}
	}
	page, items, err := s.itemPage(ctx, q, runs)
	if err != nil {
		return page, readError("compare items", err)
	}
	page.List = groupRuns(items, runs)
	if err := s.fillFigures(ctx, q.ProjectID, page.List, runs); err != nil {
		return page, readError("read figures of items", err)
	}
	if q.Characters > 0 {
		if err := s.fillRunTexts(ctx, q.ProjectID, page.List, q.Characters); err != nil {
			return page, readError("read texts of items", err)
		}
	}
	return page, nil
}

// itemPage finds the items of a page and counts all.
func (s *Store) itemPage(ctx context.Context, q tracestore.ComparedItemQuery, runs []itemRun) (page tracestore.ComparedItems, items []string, err error) {
	if len(runs) == 0 || q.Limit <= 0 {
		return page, nil, nil
	}
	var p params
	body := itemPageSQL(&p, q) + fmt.Sprintf(" LIMIT %d OFFSET %d", q.Limit, q.Offset)
	var item proto.ColStr
	var total proto.ColUInt64
	err = s.reads.do(ctx, ch.Query{
		Body:          body,
		Parameters:    p.list,
		ExternalTable: "runs",
		ExternalData:  runTable(runs),
		Result:        proto.Results{{Name: "item", Data: &item}, {Name: "total", Data: &total}},
		OnResult: func(context.Context, proto.Block) error {
			for i := range item.Rows() {
				items, page.Total = append(items, item.Row(i)), total.Row(i)
			}
			return nil
		},
	})
	if err == nil && len(items) == 0 && q.Offset > 0 { // the total of a page behind the last
		q.Offset, q.Limit = 0, 1
		first, _, err := s.itemPage(ctx, q, runs)
		return first, nil, err
	}
	return page, items, err
}

// itemPageSQL orders items. Figures are read only where somebody asks what became of an item: its lowest change for the better,
// over experiments and scores.
func itemPageSQL(p *params, q tracestore.ComparedItemQuery) string {
	changes, where, order := "", []string{"true"}, ""
	if q.Regressed || q.WorstFirst {
		changes = " LEFT JOIN (" + itemChanges(p, q) + ") AS c ON c.changed = i.item"
	}
	if q.InBaseline {
		where = append(where, "in_baseline")
	}
	if q.Regressed {
		where = append(where, "became < -"+sameWithin)
	}
	if q.WorstFirst {
		order = "changed = '', became, "
	}
	return "SELECT item, count() OVER () AS total FROM (SELECT item, min(start) AS first, minIf(start, x = 0) AS base_start, countIf(x = 0) > 0 AS in_baseline FROM runs GROUP BY item) AS i" +
		changes + " WHERE " + strings.Join(where, " AND ") + " ORDER BY " + order + "NOT in_baseline, if(in_baseline, base_start, first), item"
}

// itemChanges renders what became of the items that the baseline and another experiment have a score of.
func itemChanges(p *params, q tracestore.ComparedItemQuery) string {
	ofScore := "kind = 'score' AND type != 'CATEGORICAL'"
	if q.Score != "" {
		ofScore += " AND figure = " + p.text(q.Score)
	}
	return "SELECT item AS changed, min(better) AS became FROM (SELECT item, arrayFirst(v -> v.1 = 0, given).2 AS base," +
		" arrayMin(v -> (v.2 - base) * if(figure IN " + p.texts(q.LowerIsBetter) + ", -1, 1), arrayFilter(v -> v.1 != 0, given)) AS better" +
		" FROM (SELECT item, figure, type, groupArray((x, number)) AS given FROM " + figures(p, q.ProjectID) + " WHERE " + ofScore + " GROUP BY item, figure, type)" +
		" WHERE arrayExists(v -> v.1 = 0, given) AND length(given) > 1) GROUP BY item"
}

// groupRuns gives the items their runs, by the number of their experiment.
func groupRuns(items []string, runs []itemRun) []tracestore.ComparedItem {
	list, places := make([]tracestore.ComparedItem, len(items)), make(map[string]int, len(items))
	for i, item := range items {
		list[i].ItemID, places[item] = item, i
	}
	inOrder := slices.Clone(runs)
	slices.SortStableFunc(inOrder, func(a, b itemRun) int { return int(a.experiment) - int(b.experiment) })
	for _, r := range inOrder {
		if i, ok := places[r.item]; ok {
			list[i].Runs = append(list[i].Runs, r.ItemRun)
		}
	}
	return list
}

// fillFigures reads the figures of the runs of a page.
func (s *Store) fillFigures(ctx context.Context, projectID string, page []tracestore.ComparedItem, runs []itemRun) error {
	if len(page) == 0 {
		return nil
	}
	type place struct{ item, experiment string }
	places := map[place]*tracestore.ItemRun{}
	for i := range page {
		for j := range page[i].Runs {
			places[place{page[i].ItemID, page[i].Runs[j].ExperimentID}] = &page[i].Runs[j]
		}
	}
	shown := slices.DeleteFunc(slices.Clone(runs), func(r itemRun) bool { return places[place{r.item, r.ExperimentID}] == nil })
	ids := map[uint8]string{}
	for _, r := range shown {
		ids[r.experiment] = r.ExperimentID
	}
	var p params
	var x proto.ColUInt8
	var item, kind, figure, scoreType, text proto.ColStr
	var number proto.ColFloat64
	return s.reads.do(ctx, ch.Query{
		Body:          "SELECT x, item, kind, figure, type, number, text FROM " + figures(&p, projectID) + " ORDER BY x, item, kind, figure, type",
		Parameters:    p.list,
		ExternalTable: "runs",
		ExternalData:  runTable(shown),
		Result: proto.Results{
			{Name: "x", Data: &x},
			{Name: "item", Data: &item},
			{Name: "kind", Data: &kind},
			{Name: "figure", Data: &figure},
			{Name: "type", Data: &scoreType},
			{Name: "number", Data: &number},
			{Name: "text", Data: &text},
		},
		OnResult: func(context.Context, proto.Block) error {
			for i := range x.Rows() {
				run := places[place{item.Row(i), ids[x.Row(i)]}]
				run.Figures = append(run.Figures, tracestore.FigureValue{
					Figure: tracestore.Figure{Kind: tracestore.FigureKind(kind.Row(i)), Name: figure.Row(i), Type: model.ScoreType(scoreType.Row(i))},
					Number: number.Row(i), Text: text.Row(i),
				})
			}
			return nil
		},
	})
}

// expected is the expected output of a payload.
const expected = "texts['" + expectedText + "'][1]"

func runKey(r *tracestore.ItemRun) payloadKey {
	return payloadKey{r.TraceID, r.StartTime.UnixMicro(), r.ID}
}

// fillRunTexts reads the beginnings of the texts of a page, as previews are.
func (s *Store) fillRunTexts(ctx context.Context, projectID string, page []tracestore.ComparedItem, characters int) error {
	byKey := map[payloadKey]*tracestore.ItemRun{}
	var keys []payloadKey
	for i := range page {
		for j := range page[i].Runs {
			run := &page[i].Runs[j]
			keys = append(keys, runKey(run))
			byKey[runKey(run)] = run
		}
	}
	if len(keys) == 0 {
		return nil
	}
	var p params
	var input, output, want proto.ColStr
	var cut proto.ColUInt8
	got := newPayloads()
	names, results := resultOf(got.keyColumns)
	return s.reads.do(ctx, ch.Query{
		Body: "SELECT " + names + ", " + firstOf("input", characters) + " AS i, " + firstOf("output", characters) + " AS o, " + firstOf(expected, characters) + " AS e," +
			" length(input) > length(i) OR length(output) > length(o) OR length(" + expected + ") > length(e) AS cut FROM payloads WHERE project_id = " +
			p.text(projectID) + " AND " + keyed + " ORDER BY version DESC LIMIT 1 BY trace_id, start_time, span_id",
		Parameters:    p.list,
		ExternalTable: "wanted",
		ExternalData:  inputOf(keyTable(keys).columns),
		Result: append(results, proto.ResultColumn{Name: "i", Data: &input}, proto.ResultColumn{Name: "o", Data: &output},
			proto.ResultColumn{Name: "e", Data: &want}, proto.ResultColumn{Name: "cut", Data: &cut}),
		OnResult: func(context.Context, proto.Block) error {
			for k := range got.traceID.Rows() {
				run := byKey[got.key(k)]
				run.Input, run.Output, run.Expected, run.Cut = input.Row(k), output.Row(k), want.Row(k), cut.Row(k) != 0
			}
			return nil
		},
	})
}

// searchRuns keeps the runs of items that have a text: in the item's id, or in what one of its runs says.
func (s *Store) searchRuns(ctx context.Context, projectID, text string, runs []itemRun) ([]itemRun, error) {
	if len(runs) == 0 {
		return nil, nil
	}
	items := map[string]bool{}
	byKey := map[payloadKey]string{}
	keys := make([]payloadKey, len(runs))
	lower := filter.LowerASCII(text)
	for i, r := range runs {
		if strings.Contains(filter.LowerASCII(r.item), lower) {
			items[r.item] = true
		}
		keys[i] = runKey(&r.ItemRun)
		byKey[keys[i]] = r.item
	}
	var p params
	value := p.text(lower)
	has := func(column string) string { return "position(lower(" + column + "), " + value + ") > 0" }
	got := newPayloads()
	names, results := resultOf(got.keyColumns)
	err := s.reads.do(ctx, ch.Query{
		Body: "SELECT " + names + " FROM (SELECT " + names + ", " + has("input") + " OR " + has("output") + " OR " + has(expected) + " AS hit FROM payloads WHERE project_id = " +
			p.text(projectID) + " AND " + keyed + " ORDER BY version DESC LIMIT 1 BY trace_id, start_time, span_id) WHERE hit",
		Parameters:    p.list,
		ExternalTable: "wanted",
		ExternalData:  inputOf(keyTable(keys).columns),
		Result:        results,
		OnResult: func(context.Context, proto.Block) error {
			for i := range got.traceID.Rows() {
				items[byKey[got.key(i)]] = true
			}
			return nil
		},
	})
	return slices.DeleteFunc(runs, func(r itemRun) bool { return !items[r.item] }), err
}
