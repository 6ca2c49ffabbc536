package chstore

import (
	"context"
	"math/big"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// sumOfMoney is what the engine makes of a sum over money.
type sumOfMoney struct{ proto.ColDecimal128 }

func (*sumOfMoney) Type() proto.ColumnType { return "Decimal(38, 12)" }

func (s *sumOfMoney) decimal(i int) decimal.Decimal {
	sum := s.Row(i)
	high := new(big.Int).Lsh(big.NewInt(int64(sum.High)), 64)
	return decimal.NewFromBigInt(high.Add(high, new(big.Int).SetUint64(sum.Low)), -costDigits)
}

// traceBlock is one block of folded traces.
type traceBlock struct {
	traceID, environment, codeVersion, rootID proto.ColStr
	start, end, rootStart                     proto.ColDateTime64
	public, bookmarked                        proto.ColBool
	inputTokens, outputTokens, totalTokens    proto.ColUInt64
	cost                                      sumOfMoney
	version, observations                     proto.ColUInt64
	created                                   proto.ColInt64
	metaNames, metaValues, observationIDs     *proto.ColArr[string]
	metaTypes                                 *proto.ColArr[uint8]
	columns                                   []namedColumn
	withMetadata, withIDs                     bool
}

func newTraceBlock(q tracestore.TraceQuery) *traceBlock {
	b := &traceBlock{
		metaNames: new(proto.ColStr).Array(), metaValues: new(proto.ColStr).Array(), metaTypes: new(proto.ColUInt8).Array(),
		observationIDs: new(proto.ColStr).Array(), withMetadata: q.IO, withIDs: q.ObservationIDs,
	}
	for _, at := range []*proto.ColDateTime64{&b.start, &b.end, &b.rootStart} {
		at.WithPrecision(proto.PrecisionMicro).WithLocation(time.UTC)
	}
	b.columns = []namedColumn{
		{"trace_id", &b.traceID},
		{"start_time", &b.start},
		{"end_time", &b.end},
		{"environment", &b.environment},
		{"code_version", &b.codeVersion},
		{"public", &b.public},
		{"bookmarked", &b.bookmarked},
		{"root_id", &b.rootID},
		{"root_start", &b.rootStart},
		{"input_tokens", &b.inputTokens},
		{"output_tokens", &b.outputTokens},
		{"total_tokens", &b.totalTokens},
		{"total_cost", &b.cost},
		{"version", &b.version},
		{"created", &b.created},
		{"observation_count", &b.observations},
	}
	if b.withMetadata {
		b.columns = append(b.columns, namedColumn{"meta_names", b.metaNames}, namedColumn{"meta_values", b.metaValues}, namedColumn{"meta_types", b.metaTypes})
	}
	if b.withIDs {
		b.columns = append(b.columns, namedColumn{"observation_ids", b.observationIDs})
	}
	return b
}

// folded lists the columns without the trace's id.
func (b *traceBlock) folded() []string {
	var names []string
	for _, c := range b.columns[1:] {
		names = append(names, c.name)
	}
	return names
}

func (b *traceBlock) row(projectID string, i int) *tracestore.Trace {
	t := &tracestore.Trace{
		ProjectID: projectID, ID: b.traceID.Row(i), Start: b.start.Row(i).UTC(), End: b.end.Row(i).UTC(),
		RootID: b.rootID.Row(i), RootStart: b.rootStart.Row(i).UTC(), Environment: b.environment.Row(i), CodeVersion: b.codeVersion.Row(i),
		Public: b.public.Row(i), Bookmarked: b.bookmarked.Row(i), Observations: b.observations.Row(i),
		InputTokens: b.inputTokens.Row(i), OutputTokens: b.outputTokens.Row(i), TotalTokens: b.totalTokens.Row(i),
		TotalCost: b.cost.decimal(i),
		CreatedAt: time.UnixMilli(b.created.Row(i)).UTC(), UpdatedAt: model.AcceptedAt(b.version.Row(i)),
	}
	if b.withMetadata {
		t.Metadata = metadataOf(b.metaNames.Row(i), b.metaValues.Row(i), b.metaTypes.Row(i))
	}
	if b.withIDs {
		t.ObservationIDs = b.observationIDs.Row(i)
	}
	return t
}

// loadScoreIDs fills the ids of scores, each once: a score that moved is there under one timestamp only, but
// an id may be that of scores of several traces.
func (s *Store) loadScoreIDs(ctx context.Context, projectID string, ids []string, page []*tracestore.Trace, dead graves) error {
	byID := make(map[string]*tracestore.Trace, len(page))
	for _, t := range page {
		byID[t.ID] = t
	}
	scores, err := s.graves(ctx, projectID, tracestore.ScoreTombstone)
	if err != nil {
		return err
	}
	var p params
	match := "project_id = " + p.text(projectID) + " AND trace_id IN " + p.texts(ids) + " AND data_type != '" + string(model.Correction) + "'"
	alive := dead.bind(&p).alive("trace_id", "version") + " AND " + scores.bind(&p).alive("id", "version")
	var trace proto.ColStr
	list := new(proto.ColStr).Array()
	return s.reads.do(ctx, ch.Query{
		Body: "SELECT trace_id, arraySort(groupUniqArray(10000)(id)) AS ids FROM scores FINAL WHERE timestamp IN (SELECT timestamp FROM scores WHERE " +
			match + ") AND " + match + notDeleted + " AND " + alive + " GROUP BY trace_id",
		Parameters: p.list,
		Result:     proto.Results{{Name: "trace_id", Data: &trace}, {Name: "ids", Data: list}},
		OnResult: func(context.Context, proto.Block) error {
			for i := range trace.Rows() {
				if t := byID[trace.Row(i)]; t != nil {
					t.ScoreIDs = list.Row(i)
				}
			}
			return nil
		},
	})
}
