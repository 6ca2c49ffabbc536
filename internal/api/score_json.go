package api

import (
	"encoding/json"
	"math"

	"github.com/sondehq/sonde/internal/model"
)

// scoreGroups is what of a score to show beside its core.
type scoreGroups struct{ details, subject, annotation bool }

// scoreJSON is a score of the v3 shape. A group that was not asked for is a nil pointer: its keys are
// absent, not null.
type scoreJSON struct {
	scoreCore
	*scoreDetails
	*scoreSubjectGroup
	*scoreAnnotation
}

type scoreCore struct {
	ID          string            `json:"id"`
	ProjectID   string            `json:"projectId"`
	Name        string            `json:"name"`
	DataType    model.ScoreType   `json:"dataType"`
	Value       any               `json:"value"`
	Source      model.ScoreSource `json:"source"`
	Timestamp   string            `json:"timestamp"`
	Environment string            `json:"environment"`
	CreatedAt   string            `json:"createdAt"`
	UpdatedAt   string            `json:"updatedAt"`
}

type scoreDetails struct {
	Comment  *string         `json:"comment"`
	ConfigID *string         `json:"configId"`
	Metadata json.RawMessage `json:"metadata"`
}

type scoreSubjectGroup struct {
	Subject scoreSubject `json:"subject"`
}

// scoreSubject is what a score is about. Only an observation names its trace.
type scoreSubject struct {
	Kind    string `json:"kind"`
	ID      string `json:"id"`
	TraceID string `json:"traceId,omitempty"`
}

type scoreAnnotation struct {
	AuthorUserID *string `json:"authorUserId"`
	QueueID      *string `json:"queueId"`
}

// scoreRow renders a score; ok is false for one whose value has no form in JSON.
func scoreRow(s *model.Score, groups scoreGroups) (row scoreJSON, ok bool) {
	value, ok := scoreValue(s)
	if !ok {
		return scoreJSON{}, false
	}
	row.scoreCore = scoreCore{
		ID: s.ID, ProjectID: s.ProjectID, Name: s.Name, DataType: s.Type, Value: value, Source: s.Source, Timestamp: stamp(s.Timestamp),
		Environment: s.Environment, CreatedAt: stamp(s.CreatedAt), UpdatedAt: stamp(model.AcceptedAt(s.Version)),
	}
	if groups.details {
		row.scoreDetails = &scoreDetails{orNull(s.Comment), orNull(s.ConfigID), flatObject(s.Metadata, typedValue)}
	}
	if groups.subject {
		row.scoreSubjectGroup = &scoreSubjectGroup{subjectOf(s)}
	}
	if groups.annotation {
		row.scoreAnnotation = &scoreAnnotation{}
		if s.Source == model.FromAnnotation {
			row.scoreAnnotation = &scoreAnnotation{orNull(s.AuthorUserID), orNull(s.QueueID)}
		}
	}
	return row, true
}

// scoreValue is the one value of a score, typed as its data type says.
func scoreValue(s *model.Score) (any, bool) {
	switch s.Type {
	case model.Numeric:
		return s.Number, !math.IsNaN(s.Number) && !math.IsInf(s.Number, 0)
	case model.Boolean:
		return s.Number == 1, true
	case model.Categorical, model.TextScore, model.Correction:
		return s.Text, true
	}
	return nil, false
}

// subjectOf picks the narrowest of what a score names.
func subjectOf(s *model.Score) scoreSubject {
	switch {
	case s.ExperimentID != "":
		return scoreSubject{Kind: "experiment", ID: s.ExperimentID}
	case s.ObservationID != "":
		return scoreSubject{Kind: "observation", ID: s.ObservationID, TraceID: s.TraceID}
	case s.SessionID != "":
		return scoreSubject{Kind: "session", ID: s.SessionID}
	}
	return scoreSubject{Kind: "trace", ID: s.TraceID}
}
