package filter

import (
	"slices"

	"github.com/sondehq/sonde/internal/model"
)

// The columns of scores beside ID, Name, Environment, TraceID, SessionID and ExperimentID, which they share
// with observations.
const (
	ObservationID Column = "observationId"
	Source        Column = "source"
	DataType      Column = "dataType"
	ConfigID      Column = "configId"
	QueueID       Column = "queueId"
	AuthorUserID  Column = "authorUserId"
	Timestamp     Column = "timestamp"
	Value         Column = "value"       // the number: 0 or 1 of BOOLEAN
	StringValue   Column = "stringValue" // the text: the category of CATEGORICAL
)

// NumberOneOf holds when the column equals one of Values, or none of them if Not is set. A row in which it is
// not set never meets it.
type NumberOneOf struct {
	Column Column
	Values []float64
	Not    bool
}

// On implements Condition.
func (c NumberOneOf) On() Column { return c.Column }

// Scores is the catalog of score reads.
var Scores = Catalog{
	{Column: ID, Kind: KindText},
	{Column: Name, Kind: KindText},
	{Column: Source, Kind: KindText, Values: texts(model.ScoreSources)},
	{Column: DataType, Kind: KindText, Values: texts(model.ScoreTypes), Aliases: []string{"type"}},
	{Column: Environment, Kind: KindText},
	{Column: ConfigID, Kind: KindText, Nullable: true, Aliases: []string{"config"}},
	{Column: QueueID, Kind: KindText, Nullable: true, Aliases: []string{"queue"}},
	{Column: AuthorUserID, Kind: KindText, Nullable: true, Aliases: []string{"author"}},
	{Column: TraceID, Kind: KindText, Nullable: true},
	{Column: SessionID, Kind: KindText, Nullable: true},
	{Column: ObservationID, Kind: KindText, Nullable: true, Aliases: []string{"observation"}},
	{Column: ExperimentID, Kind: KindText, Nullable: true, Aliases: []string{"experiment"}},
	{Column: StringValue, Kind: KindText, Nullable: true, Aliases: []string{"text"}},
	{Column: Value, Kind: KindNumber, Nullable: true},
	{Column: Timestamp, Kind: KindTime, Aliases: []string{"time"}},
}

// NumberedScores is the catalog of reads of scores by number of page: that of Scores, the metadata of a score,
// and what its trace lends.
var NumberedScores = append(slices.Clone(Scores),
	Field{Column: Metadata, Kind: KindMetadata, Nullable: true},
	Field{Column: UserID, Kind: KindText, Nullable: true},
	Field{Column: Tags, Kind: KindList, Nullable: true, Aliases: []string{"traceTags"}},
)
