package chstore

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/tracestore"
)

var _ tracestore.Lists = (*Store)(nil)

// Timeline counts folded rows by bucket in one scan.
func (s *Store) Timeline(ctx context.Context, q tracestore.TimelineQuery) (tracestore.Timeline, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	var timeline tracestore.Timeline
	dead, err := s.buried(ctx, q.ProjectID, false)
	if err != nil {
		return timeline, readError("read tombstones", err)
	}
	rows, err := s.sampled(ctx, q.ProjectID, q.Where, q.MaxRows)
	if err != nil || rows.none {
		return timeline, err
	}
	timeline.Reach = rows.Reach
	sql, p, err := timelineSQL(q, rows, dead)
	if err != nil {
		return timeline, err
	}
	var slot, band proto.ColInt64
	var level proto.ColStr
	var count proto.ColUInt64
	err = s.reads.do(ctx, ch.Query{
		Body:       sql,
		Parameters: p.list,
		Result:     proto.Results{{Name: "slot", Data: &slot}, {Name: "of_level", Data: &level}, {Name: "band", Data: &band}, {Name: "n", Data: &count}},
		OnResult: func(context.Context, proto.Block) error {
			for i := range slot.Rows() {
				timeline.Rows += count.Row(i)
				timeline.Cells = append(timeline.Cells, tracestore.TimelineCell{
					Start: time.UnixMicro(slot.Row(i)).UTC(), Level: level.Row(i), Band: band.Row(i), Count: count.Row(i),
				})
			}
			return nil
		},
	})
	if err != nil {
		return timeline, readError("read a timeline", err)
	}
	return timeline, nil
}

// bandOf rounds a latency down to where its band begins.
var bandOf = func() string {
	bands := make([]string, len(tracestore.LatencyBands))
	for i, from := range tracestore.LatencyBands {
		bands[i] = strconv.FormatInt(from, 10)
	}
	return "toInt64(roundDown(assumeNotNull(" + latencyMillis + "), [" + strings.Join(bands, ", ") + "]))"
}()

func timelineSQL(q tracestore.TimelineQuery, rows sample, dead buried) (string, params, error) {
	var p params
	clauses, err := dead.conditions(&p, q.ProjectID).within(rows.where).all(rows.where)
	level, band := "CAST(level, 'String')", "toInt64(0)"
	if q.Latency {
		level, band = "''", bandOf
		clauses += " AND isNotNull(" + latencyMillis + ")"
	}
	const at = "toUnixTimestamp64Micro(start_time)"
	width := p.bind("Int64", strconv.FormatInt(q.Width.Microseconds(), 10))
	return "SELECT toInt64(" + at + " - positiveModulo(" + at + ", " + width + ")) AS slot, " + level + " AS of_level, " + band + " AS band, count() AS n" +
		" FROM observations AS o FINAL WHERE " + clauses + notDeleted + " GROUP BY slot, of_level, band ORDER BY slot, of_level, band", p, err
}
