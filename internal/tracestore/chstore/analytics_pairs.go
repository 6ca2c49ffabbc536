package chstore

import (
	"context"
	"fmt"
	"math"

	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// ScorePairs groups scores by what they are about in one scan, then asks twice: for the values that go together, and
// for the correlation of their numbers.
func (s *Store) ScorePairs(ctx context.Context, q tracestore.ScorePairQuery) (pairs tracestore.ScorePairs, err error) {
	var hasA, hasB proto.ColUInt8
	var bandA, bandB proto.ColInt64
	var textA, textB proto.ColStr
	var numberA, numberB proto.ColFloat64
	var count proto.ColUInt64
	err = s.analyze(ctx, "read pairs of scores", q.ProjectID,
		func(p *params, dead scoreGraves) (string, error) { return pairCellsSQL(p, dead, q) },
		proto.Results{
			{Name: "has_a", Data: &hasA},
			{Name: "has_b", Data: &hasB},
			{Name: "band_a", Data: &bandA},
			{Name: "band_b", Data: &bandB},
			{Name: "text_a", Data: &textA},
			{Name: "text_b", Data: &textB},
			{Name: "top_a", Data: &numberA},
			{Name: "top_b", Data: &numberB},
			{Name: "n", Data: &count},
		},
		func(i int) {
			pairs.Cells = append(pairs.Cells, tracestore.PairCell{
				A: tracestore.PairSide{Band: int(bandA.Row(i)), Text: textA.Row(i), Number: numberA.Row(i)}, HasA: hasA.Row(i) != 0,
				B: tracestore.PairSide{Band: int(bandB.Row(i)), Text: textB.Row(i), Number: numberB.Row(i)}, HasB: hasB.Row(i) != 0,
				Count: count.Row(i),
			})
		})
	if err != nil {
		return pairs, err
	}
	if len(pairs.Cells) > tracestore.MaxScoreCells {
		return pairs, fmt.Errorf("more than %d cells of pairs: %w", tracestore.MaxScoreCells, tracestore.ErrTooExpensive)
	}
	pairs.Pearson, pairs.Spearman, pairs.MeanAbsoluteError = math.NaN(), math.NaN(), math.NaN()
	if q.BandsA.Type == model.Categorical || q.BandsB.Type == model.Categorical {
		return pairs, nil
	}
	var pearson, spearman, apart proto.ColFloat64
	err = s.analyze(ctx, "correlate scores", q.ProjectID,
		func(p *params, dead scoreGraves) (string, error) { return correlationSQL(p, dead, q) },
		proto.Results{{Name: "pearson", Data: &pearson}, {Name: "spearman", Data: &spearman}, {Name: "apart", Data: &apart}},
		func(i int) {
			pairs.Pearson, pairs.Spearman, pairs.MeanAbsoluteError = pearson.Row(i), spearman.Row(i), apart.Row(i)
		})
	return pairs, err
}

// subjectsSQL has a row per subject with the newest score of each side.
func subjectsSQL(p *params, dead scoreGraves, q tracestore.ScorePairQuery) (string, error) {
	a, err := dead.counted(p, q.ProjectID, q.A)
	if err != nil {
		return "", err
	}
	b, err := dead.counted(p, q.ProjectID, q.B)
	newest := func(column, side string) string {
		return "argMaxIf(" + column + ", (timestamp, id), " + side + ")"
	}
	return "SELECT toUInt8(max(in_a)) AS has_a, toUInt8(max(in_b)) AS has_b, " + newest("number_value", "in_a") + " AS number_a, " + newest("number_value", "in_b") + " AS number_b, " +
		newest("text_value", "in_a") + " AS words_a, " + newest("text_value", "in_b") + " AS words_b" +
		" FROM (SELECT timestamp, id, trace_id, observation_id, session_id, experiment_id, number_value, text_value, (" + a + ") AS in_a, (" + b + ") AS in_b" + foldedScores + "(" + a + ") OR (" + b + "))" +
		" GROUP BY trace_id, observation_id, session_id, experiment_id", err
}

func pairCellsSQL(p *params, dead scoreGraves, q tracestore.ScorePairQuery) (string, error) {
	subjects, err := subjectsSQL(p, dead, q)
	side := func(has, value, none string) string { return "if(" + has + " = 1, " + value + ", " + none + ")" }
	return "SELECT has_a, has_b, " + side("has_a", p.bandOf(q.BandsA, "number_a"), "toInt64(0)") + " AS band_a, " + side("has_b", p.bandOf(q.BandsB, "number_b"), "toInt64(0)") + " AS band_b, " +
		side("has_a", labelOf(q.BandsA.Type, "number_a", "words_a"), "''") + " AS text_a, " + side("has_b", labelOf(q.BandsB.Type, "number_b", "words_b"), "''") + " AS text_b," +
		" max(number_a) AS top_a, max(number_b) AS top_b, count() AS n FROM (" + subjects + ") GROUP BY has_a, has_b, band_a, band_b, text_a, text_b" +
		fmt.Sprintf(" ORDER BY has_a + has_b DESC, has_a DESC, band_a, text_a, band_b, text_b LIMIT %d", tracestore.MaxScoreCells+1), err
}

// correlationSQL ranks each side, values that are alike by the mean of their ranks.
func correlationSQL(p *params, dead scoreGraves, q tracestore.ScorePairQuery) (string, error) {
	subjects, err := subjectsSQL(p, dead, q)
	rank := func(number string) string {
		return "rank() OVER (ORDER BY " + number + ") + (count() OVER (PARTITION BY " + number + ") - 1) / 2"
	}
	const constant = "min(number_a) = max(number_a) OR min(number_b) = max(number_b)"
	return "SELECT if(" + constant + ", nan, corrStable(number_a, number_b)) AS pearson, if(" + constant + ", nan, corrStable(rank_a, rank_b)) AS spearman, avg(abs(number_a - number_b)) AS apart FROM (" +
		"SELECT number_a, number_b, " + rank("number_a") + " AS rank_a, " + rank("number_b") + " AS rank_b FROM (" + subjects + ") WHERE has_a = 1 AND has_b = 1)", err
}
