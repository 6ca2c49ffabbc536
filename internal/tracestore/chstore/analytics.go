package chstore

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var _ tracestore.ScoreAnalytics = (*Store)(nil)

// foldedScores is where statements read scores from, each once.
const foldedScores = " FROM scores FINAL WHERE "

// counted renders the conditions of scores that count.
func (d scoreGraves) counted(p *params, projectID string, where []filter.Condition) (string, error) {
	clauses, err := d.where(p, tracestore.ScoreQuery{ProjectID: projectID, Where: where})
	return clauses + notDeleted + " AND isFinite(number_value)", err
}

// ScoreKinds implements tracestore.ScoreAnalytics.
func (s *Store) ScoreKinds(ctx context.Context, projectID string, where []filter.Condition, limit int) (kinds []tracestore.ScoreKind, err error) {
	var name, kind, source, author proto.ColStr
	var count proto.ColUInt64
	err = s.analyze(ctx, "read kinds of scores", projectID,
		func(p *params, dead scoreGraves) (string, error) { return kindsSQL(p, dead, projectID, where, limit) },
		proto.Results{
			{Name: "of_name", Data: &name}, {Name: "of_type", Data: &kind}, {Name: "of_source", Data: &source}, {Name: "of_author", Data: &author}, {Name: "n", Data: &count},
		},
		func(i int) {
			kinds = append(kinds, tracestore.ScoreKind{
				Name: name.Row(i), Type: model.ScoreType(kind.Row(i)), Source: model.ScoreSource(source.Row(i)), AuthorUserID: author.Row(i), Count: count.Row(i),
			})
		})
	return kinds, err
}

func kindsSQL(p *params, dead scoreGraves, projectID string, where []filter.Condition, limit int) (string, error) {
	clauses, err := dead.counted(p, projectID, where)
	return "SELECT CAST(name, 'String') AS of_name, CAST(data_type, 'String') AS of_type, CAST(source, 'String') AS of_source, CAST(author_user_id, 'String') AS of_author," +
		" count() AS n" + foldedScores + clauses + " GROUP BY of_name, of_type, of_source, of_author" +
		fmt.Sprintf(" ORDER BY n DESC, of_name, of_type, of_source, of_author LIMIT %d", limit), err
}

// ScoreSums implements tracestore.ScoreAnalytics.
func (s *Store) ScoreSums(ctx context.Context, projectID string, where []filter.Condition) (sums []tracestore.ScoreSum, err error) {
	var kind proto.ColStr
	var count proto.ColUInt64
	var low, high, mean, median proto.ColFloat64
	err = s.analyze(ctx, "read sums of scores", projectID,
		func(p *params, dead scoreGraves) (string, error) { return sumsSQL(p, dead, projectID, where) },
		proto.Results{
			{Name: "of_type", Data: &kind}, {Name: "n", Data: &count}, {Name: "low", Data: &low}, {Name: "high", Data: &high}, {Name: "mean", Data: &mean}, {Name: "median", Data: &median},
		},
		func(i int) {
			sums = append(sums, tracestore.ScoreSum{
				Type: model.ScoreType(kind.Row(i)), Count: count.Row(i), Min: low.Row(i), Max: high.Row(i), Mean: mean.Row(i), Median: median.Row(i),
			})
		})
	return sums, err
}

func sumsSQL(p *params, dead scoreGraves, projectID string, where []filter.Condition) (string, error) {
	clauses, err := dead.counted(p, projectID, where)
	return "SELECT CAST(data_type, 'String') AS of_type, count() AS n, min(number_value) AS low, max(number_value) AS high, avg(number_value) AS mean," +
		" quantileExactInclusive(0.5)(number_value) AS median" + foldedScores + clauses + " GROUP BY of_type ORDER BY of_type", err
}

// ScoreCells implements tracestore.ScoreAnalytics.
func (s *Store) ScoreCells(ctx context.Context, q tracestore.ScoreCellQuery) (cells []tracestore.ScoreCell, err error) {
	var slot, band proto.ColInt64
	var text proto.ColStr
	var count proto.ColUInt64
	var sum proto.ColFloat64
	err = s.analyze(ctx, "read cells of scores", q.ProjectID,
		func(p *params, dead scoreGraves) (string, error) { return cellsSQL(p, dead, q) },
		proto.Results{
			{Name: "slot", Data: &slot}, {Name: "band", Data: &band}, {Name: "of_text", Data: &text}, {Name: "n", Data: &count}, {Name: "total", Data: &sum},
		},
		func(i int) {
			cells = append(cells, tracestore.ScoreCell{
				Start: time.UnixMilli(slot.Row(i)).UTC(), Band: int(band.Row(i)), Text: text.Row(i), Count: count.Row(i), Sum: sum.Row(i),
			})
		})
	if err == nil && len(cells) > tracestore.MaxScoreCells {
		return nil, fmt.Errorf("more than %d cells of scores: %w", tracestore.MaxScoreCells, tracestore.ErrTooExpensive)
	}
	return cells, err
}

func cellsSQL(p *params, dead scoreGraves, q tracestore.ScoreCellQuery) (string, error) {
	clauses, err := dead.counted(p, q.ProjectID, q.Where)
	const at = "toUnixTimestamp64Milli(timestamp)"
	width := p.bind("Int64", strconv.FormatInt(q.Width.Milliseconds(), 10))
	return "SELECT toInt64(" + at + " - positiveModulo(" + at + ", " + width + ")) AS slot, " + p.bandOf(q.Bands, "number_value") + " AS band, " +
		labelOf(q.Bands.Type, "number_value", "text_value") + " AS of_text, count() AS n, sum(number_value) AS total" + foldedScores + clauses +
		fmt.Sprintf(" GROUP BY slot, band, of_text ORDER BY slot, band, of_text LIMIT %d", tracestore.MaxScoreCells+1), err
}

// bandOf is the band of a number; the first one where there are none.
func (p *params) bandOf(b tracestore.ScoreBands, number string) string {
	if b.Type != model.Numeric {
		return "toInt64(0)"
	}
	return "toInt64(greatest(0., least(" + p.float(float64(b.Count-1)) + ", floor((" + number + " - " + p.float(b.Low) + ") / " + p.float(b.Step) + "))))"
}

// labelOf is the text by which a score counts; empty for numbers.
func labelOf(kind model.ScoreType, number, text string) string {
	switch kind {
	case model.Numeric:
		return "''"
	case model.Boolean:
		return "if(" + number + " = 1, 'True', 'False')"
	default:
		return "CAST(" + text + ", 'String')"
	}
}

// analyze runs one statement and hands over its rows one by one.
func (s *Store) analyze(ctx context.Context, doing, projectID string, render func(*params, scoreGraves) (string, error), results proto.Results, row func(i int)) error {
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	dead, err := s.scoreGraves(ctx, projectID)
	if err != nil {
		return readError("read tombstones", err)
	}
	var p params
	sql, err := render(&p, dead)
	if err != nil {
		return err
	}
	err = s.reads.do(ctx, ch.Query{
		Body:       sql,
		Parameters: p.list,
		Result:     results,
		OnResult: func(_ context.Context, block proto.Block) error {
			for i := range block.Rows {
				row(i)
			}
			return nil
		},
	})
	if err != nil {
		return readError(doing, err)
	}
	return nil
}
