package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
)

// The reads of scores, the newest first.
var (
	newerScores = list{
		path: "/api/public/v3/scores", from: "fromTimestamp", to: "toTimestamp", limit: maxPage, cursors: true,
		query: url.Values{"fields": {"details,subject,annotation"}},
	}
	olderScores  = list{path: "/api/public/v2/scores", from: "fromTimestamp", to: "toTimestamp", limit: maxPage}
	oldestScores = list{path: "/api/public/scores", from: "fromTimestamp", to: "toTimestamp", limit: maxPage}
)

// score is a score as any generation of the source shows it.
type score struct {
	ID, Name, DataType, Source, Timestamp, Environment string

	Value       json.RawMessage
	StringValue string

	Comment, ConfigID, QueueID string
	Metadata                   json.RawMessage

	Subject struct{ Kind, ID, TraceID string } // of the newer read

	TraceID, ObservationID, SessionID, DatasetRunID string // of the older ones
}

// scoreBody is a score as events carry it.
type scoreBody struct {
	ID            string          `json:"id"`
	Name          string          `json:"name"`
	Value         json.RawMessage `json:"value"`
	DataType      string          `json:"dataType,omitempty"`
	TraceID       string          `json:"traceId,omitempty"`
	ObservationID string          `json:"observationId,omitempty"`
	SessionID     string          `json:"sessionId,omitempty"`
	DatasetRunID  string          `json:"datasetRunId,omitempty"`
	ConfigID      string          `json:"configId,omitempty"`
	QueueID       string          `json:"queueId,omitempty"`
	Comment       string          `json:"comment,omitempty"`
	Source        string          `json:"source,omitempty"`
	Environment   string          `json:"environment,omitempty"`
	Metadata      json.RawMessage `json:"metadata,omitempty"`
}

// settle brings both shapes of a subject to the ids of the older one, of which the most specific counts.
func (s *score) settle() {
	switch s.Subject.Kind {
	case "trace":
		s.TraceID = s.Subject.ID
	case "observation":
		s.TraceID, s.ObservationID = s.Subject.TraceID, s.Subject.ID
	case "session":
		s.SessionID = s.Subject.ID
	case "experiment":
		s.DatasetRunID = s.Subject.ID
	}
	switch {
	case s.DatasetRunID != "":
		s.TraceID, s.ObservationID, s.SessionID = "", "", ""
	case s.ObservationID != "" || s.SessionID == "":
		s.SessionID = ""
	default:
		s.TraceID = ""
	}
}

// value is the value as events carry it: numbers and booleans as numbers, everything else as text.
func (s *score) value() json.RawMessage {
	switch model.ScoreType(s.DataType) {
	case model.Boolean:
		if v := string(s.Value); v == "true" || v == "1" {
			return json.RawMessage("1")
		}
		return json.RawMessage("0")
	case model.Numeric, "":
		return s.Value
	case model.Categorical, model.TextScore, model.Correction:
	}
	given := s.StringValue
	if len(s.Value) > 0 && s.Value[0] == '"' {
		given = text(s.Value)
	}
	quoted, err := encode(given)
	if err != nil {
		return s.Value
	}
	return quoted
}

// scoreWriter sends scores with the ids that configs and runs have in the target.
type scoreWriter struct {
	writer
	state *State
	sent  map[string]score // of the page, for those that must be sent another way
}

func (w *scoreWriter) begin() {
	w.writer.begin()
	w.sent = map[string]score{}
}

func (w *scoreWriter) row(ctx context.Context, raw json.RawMessage) error {
	var s score
	if err := json.Unmarshal(raw, &s); err != nil {
		return fmt.Errorf("the source answers with a score that cannot be read: %w", err)
	}
	s.settle()
	s.ConfigID = cmp.Or(w.state.Configs[s.ConfigID], s.ConfigID)
	s.DatasetRunID = cmp.Or(w.state.Runs[s.DatasetRunID], s.DatasetRunID)
	w.tally.add(Tally{Rows: 1})
	w.step.take(recordOfScore(&s))
	w.sent[s.ID] = s
	return w.event(ctx, s.event())
}

func (s *score) event() event {
	return event{ID: s.ID, Type: "score-create", Timestamp: s.Timestamp, Body: scoreBody{
		ID: s.ID, Name: s.Name, Value: s.value(), DataType: s.DataType, TraceID: s.TraceID, ObservationID: s.ObservationID, SessionID: s.SessionID,
		DatasetRunID: s.DatasetRunID, ConfigID: s.ConfigID, QueueID: s.QueueID, Comment: s.Comment, Source: s.Source, Environment: s.Environment,
		Metadata: s.Metadata,
	}}
}

// withoutConfig sends a score again that its config does not allow any more, because the config changed after the score was
// made. An annotation needs a config, so it goes as a score of the API.
func (w *scoreWriter) withoutConfig(ctx context.Context, id, why string) error {
	s, ok := w.sent[id]
	if !ok || s.ConfigID == "" {
		w.step.refuse(id, why)
		return nil
	}
	delete(w.sent, id)
	s.ConfigID = ""
	if s.Source == string(model.FromAnnotation) {
		s.Source = string(model.FromAPI)
	}
	w.step.Changed++
	w.step.take(recordOfScore(&s))
	return w.event(ctx, s.event())
}

// recordOfScore makes the record of a score whose ids are those of the target.
func recordOfScore(s *score) record {
	r := record{ID: s.ID, Name: s.ID, At: instant(s.Timestamp)}
	metadata := map[string]string{}
	flatten("", wholeMetadata(s.Metadata), metadata)
	name := s.Name
	if s.DataType == string(model.Correction) {
		name = "output" // what every correction is called
	}
	r.set(map[string]string{
		"name": name, "value": number(text(s.value())), "dataType": s.DataType, "source": s.Source, "timestamp": instant(s.Timestamp),
		"environment": model.NormalEnvironment(s.Environment), "traceId": s.TraceID, "observationId": s.ObservationID, "sessionId": s.SessionID,
		"datasetRunId": s.DatasetRunID, "configId": s.ConfigID, "queueId": s.QueueID, "comment": s.Comment, "metadata": pairs(metadata),
	})
	return r
}

// number is a number in one spelling, other text as it is.
func number(text string) string {
	d, err := decimal.NewFromString(text)
	if err != nil || len(text) > 40 {
		return text
	}
	return d.String()
}
