package chstore

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/tracestore"
)

// rejections is one block of the table rejections.
type rejections struct {
	projectID                      *proto.ColLowCardinality[string]
	partition, item                proto.ColUInt32
	sequence                       proto.ColUInt64
	traceID, observationID, reason proto.ColStr
	at                             proto.ColDateTime64
}

func newRejections() *rejections {
	r := &rejections{projectID: lowCardinality()}
	r.at.WithPrecision(proto.PrecisionMilli).WithLocation(time.UTC)
	return r
}

func (r *rejections) recordColumns() []namedColumn {
	return []namedColumn{{"log_partition", &r.partition}, {"sequence", &r.sequence}}
}

func (r *rejections) columns() []namedColumn {
	return append(
		r.recordColumns(), namedColumn{"project_id", r.projectID}, namedColumn{"item", &r.item}, namedColumn{"trace_id", &r.traceID},
		namedColumn{"observation_id", &r.observationID}, namedColumn{"reason", &r.reason}, namedColumn{"at", &r.at},
	)
}

func (r *rejections) append(rejection tracestore.Rejection) {
	r.projectID.Append(rejection.ProjectID)
	r.appendRecord(tracestore.LogPosition{Partition: rejection.Partition, Sequence: rejection.Sequence})
	r.item.Append(uint32(rejection.Item))
	r.traceID.Append(rejection.TraceID)
	r.observationID.Append(rejection.ObservationID)
	r.reason.Append(rejection.Reason)
	r.at.AppendRaw(proto.DateTime64(rejection.At.UnixMilli()))
}

func (r *rejections) appendRecord(at tracestore.LogPosition) {
	r.partition.Append(uint32(at.Partition))
	r.sequence.Append(at.Sequence)
}

func (r *rejections) row(i int) tracestore.Rejection {
	return tracestore.Rejection{
		ProjectID: r.projectID.Row(i), Partition: int(r.partition.Row(i)), Sequence: r.sequence.Row(i), Item: int(r.item.Row(i)),
		TraceID: r.traceID.Row(i), ObservationID: r.observationID.Row(i), Reason: r.reason.Row(i),
		At: time.UnixMilli(int64(r.at.Data[i])).UTC(),
	}
}

// InsertRejections stores the reasons; a repetition folds.
func (s *Store) InsertRejections(ctx context.Context, list []tracestore.Rejection) error {
	block := newRejections()
	for _, rejection := range list {
		block.append(rejection)
	}
	return s.insertBlock(ctx, newTableBlock("rejections", block.columns()))
}

// RejectionsOf reads by key. The keys travel as a table of their own.
func (s *Store) RejectionsOf(ctx context.Context, projectID string, records []tracestore.LogPosition, since time.Time, limit int) ([]tracestore.Rejection, error) {
	if len(records) == 0 || limit <= 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	wanted, got := newRejections(), newRejections()
	for _, record := range records {
		wanted.appendRecord(record)
	}
	var p params
	names, results := resultOf(got.columns())
	var list []tracestore.Rejection
	err := s.reads.do(ctx, ch.Query{
		Body: "SELECT " + names + " FROM rejections WHERE project_id = " + p.text(projectID) +
			" AND (log_partition, sequence) IN (SELECT log_partition, sequence FROM wanted) AND at >= " + p.micros(since.Truncate(time.Millisecond).UnixMicro()) +
			" ORDER BY item, log_partition, sequence, at LIMIT 1 BY item, log_partition, sequence" + fmt.Sprintf(" LIMIT %d", limit),
		Parameters:    p.list,
		ExternalTable: "wanted",
		ExternalData:  inputOf(wanted.recordColumns()),
		Result:        results,
		OnResult: func(context.Context, proto.Block) error {
			for i := range got.item.Rows() {
				list = append(list, got.row(i))
			}
			return nil
		},
	})
	if err != nil {
		return nil, readError("read rejections", err)
	}
	return list, nil
}
