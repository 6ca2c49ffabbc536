package chstore

import (
	"context"
	"fmt"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// NewestScores folds what it needs to: as with rows of experiments, the timestamps of candidates come
// first and FINAL reads the granules of those. The subjects travel as a table of their own.
func (s *Store) NewestScores(ctx context.Context, projectID string, subjects []tracestore.ScoreSubject, limit int) ([]*model.Score, error) {
	if len(subjects) == 0 || limit <= 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	var experiment, trace, observation proto.ColStr
	for _, subject := range subjects {
		experiment.Append(subject.ExperimentID)
		trace.Append(subject.TraceID)
		observation.Append(subject.ObservationID)
	}
	var p params
	project := "project_id = " + p.text(projectID)
	match := project + " AND session_id = '' AND data_type != '" + string(model.Correction) + "'" +
		" AND (experiment_id, trace_id, observation_id) IN (SELECT experiment_id, trace_id, observation_id FROM wanted)"
	block := newScoreBlock(false)
	names, results := resultOf(block.columns)
	var scores []*model.Score
	err := s.reads.do(ctx, ch.Query{
		Body: "SELECT " + names + " FROM scores FINAL WHERE timestamp IN (SELECT timestamp FROM scores WHERE " + match + ") AND " + match + notDeleted +
			" AND " + traceStands(project) + " AND " + hiddenBy(project, tracestore.ScoreTombstone).alive("id", "version") +
			fmt.Sprintf(" ORDER BY timestamp DESC, id DESC, trace_id DESC LIMIT %d BY experiment_id, trace_id, observation_id", limit),
		Parameters:    p.list,
		ExternalTable: "wanted",
		ExternalData:  inputOf([]namedColumn{{"experiment_id", &experiment}, {"trace_id", &trace}, {"observation_id", &observation}}),
		Result:        results,
		OnResult: func(context.Context, proto.Block) error {
			for i := range block.id.Rows() {
				scores = append(scores, block.row(i))
			}
			return nil
		},
	})
	if err != nil {
		return nil, readError("read scores of experiments", err)
	}
	return scores, nil
}
