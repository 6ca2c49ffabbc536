package chstore

import (
	"context"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/model"
)

// scoreBlock is one block of the table scores, for inserts and for reads.
type scoreBlock struct {
	projectID, name, dataType, source, environment             *proto.ColLowCardinality[string]
	id, text, traceID, observationID, sessionID, experimentID  proto.ColStr
	comment, configID, queueID, authorUserID, executionTraceID proto.ColStr
	timestamp, createdAt                                       proto.ColDateTime64
	number                                                     proto.ColFloat64
	metaNames, metaValues                                      *proto.ColArr[string]
	metaTypes                                                  *proto.ColArr[uint8]
	version                                                    proto.ColUInt64
	deleted                                                    proto.ColBool

	metadata bool
	columns  []namedColumn
}

// newScoreBlock makes a block; metadata is left out of reads that do not want it.
func newScoreBlock(metadata bool) *scoreBlock {
	b := &scoreBlock{
		projectID: lowCardinality(), name: lowCardinality(), dataType: lowCardinality(), source: lowCardinality(), environment: lowCardinality(),
		metaNames: proto.NewArray[string](lowCardinality()), metaValues: new(proto.ColStr).Array(),
		metaTypes: new(proto.ColUInt8).Array(), metadata: metadata,
	}
	b.timestamp.WithPrecision(proto.PrecisionMilli).WithLocation(time.UTC)
	b.createdAt.WithPrecision(proto.PrecisionMilli).WithLocation(time.UTC)
	b.columns = []namedColumn{
		{"project_id", b.projectID},
		{"id", &b.id},
		{"timestamp", &b.timestamp},
		{"name", b.name},
		{"data_type", b.dataType},
		{"source", b.source},
		{"number_value", &b.number},
		{"text_value", &b.text},
		{"trace_id", &b.traceID},
		{"observation_id", &b.observationID},
		{"session_id", &b.sessionID},
		{"experiment_id", &b.experimentID},
		{"environment", b.environment},
		{"comment", &b.comment},
		{"config_id", &b.configID},
		{"queue_id", &b.queueID},
		{"author_user_id", &b.authorUserID},
		{"execution_trace_id", &b.executionTraceID},
		{"created_at", &b.createdAt},
		{"version", &b.version},
		{"deleted", &b.deleted},
	}
	if metadata {
		b.columns = append(b.columns, namedColumn{"meta_names", b.metaNames}, namedColumn{"meta_values", b.metaValues}, namedColumn{"meta_types", b.metaTypes})
	}
	return b
}

func (b *scoreBlock) append(s *model.Score) {
	b.projectID.Append(s.ProjectID)
	b.id.Append(s.ID)
	b.timestamp.AppendRaw(proto.DateTime64(s.Timestamp.UnixMilli()))
	b.name.Append(s.Name)
	b.dataType.Append(string(s.Type))
	b.source.Append(string(s.Source))
	b.number.Append(s.Number)
	b.text.Append(s.Text)
	b.traceID.Append(s.TraceID)
	b.observationID.Append(s.ObservationID)
	b.sessionID.Append(s.SessionID)
	b.experimentID.Append(s.ExperimentID)
	b.environment.Append(s.Environment)
	b.comment.Append(s.Comment)
	b.configID.Append(s.ConfigID)
	b.queueID.Append(s.QueueID)
	b.authorUserID.Append(s.AuthorUserID)
	b.executionTraceID.Append(s.ExecutionTraceID)
	b.createdAt.AppendRaw(proto.DateTime64(s.CreatedAt.UnixMilli()))
	b.version.Append(s.Version)
	b.deleted.Append(s.Deleted)
	names, values, types := make([]string, len(s.Metadata)), make([]string, len(s.Metadata)), make([]uint8, len(s.Metadata))
	for i, e := range s.Metadata {
		names[i], values[i], types[i] = e.Name, e.Value, uint8(e.Type)
	}
	b.metaNames.Append(names)
	b.metaValues.Append(values)
	b.metaTypes.Append(types)
}

func (b *scoreBlock) row(i int) *model.Score {
	s := &model.Score{
		ProjectID: b.projectID.Row(i), ID: b.id.Row(i), Timestamp: time.UnixMilli(int64(b.timestamp.Data[i])).UTC(),
		Name: b.name.Row(i), Type: model.ScoreType(b.dataType.Row(i)), Source: model.ScoreSource(b.source.Row(i)),
		Number: b.number.Row(i), Text: b.text.Row(i), TraceID: b.traceID.Row(i), ObservationID: b.observationID.Row(i),
		SessionID: b.sessionID.Row(i), ExperimentID: b.experimentID.Row(i), Environment: b.environment.Row(i),
		Comment: b.comment.Row(i), ConfigID: b.configID.Row(i), QueueID: b.queueID.Row(i), AuthorUserID: b.authorUserID.Row(i),
		ExecutionTraceID: b.executionTraceID.Row(i), CreatedAt: time.UnixMilli(int64(b.createdAt.Data[i])).UTC(),
		Version: b.version.Row(i), Deleted: b.deleted.Row(i),
	}
	if b.metadata {
		values, types := b.metaValues.Row(i), b.metaTypes.Row(i)
		for j, name := range b.metaNames.Row(i) {
			s.Metadata = append(s.Metadata, model.MetadataEntry{Name: name, Value: values[j], Type: model.MetadataType(types[j])})
		}
	}
	return s
}

// InsertScores stores rows; versions fold.
func (s *Store) InsertScores(ctx context.Context, scores []*model.Score) error {
	block := newScoreBlock(true)
	for _, score := range scores {
		block.append(score)
	}
	return s.insertBlock(ctx, newTableBlock("scores", block.columns))
}
