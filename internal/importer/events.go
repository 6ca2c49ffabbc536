package importer

import (
	"encoding/json"
	"fmt"
	"strings"
)

// event is one event of a request to /api/public/ingestion. Its id is that of what it tells about: the same event sent
// again replaces itself.
type event struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Timestamp string `json:"timestamp"`
	Body      any    `json:"body"`
}

// maxEvent is the largest event that fits into a request, with room for its wrapping.
const maxEvent = 9<<19 - 4096

// observationBody is an observation as events carry it.
type observationBody struct {
	ID                  string                 `json:"id"`
	TraceID             string                 `json:"traceId,omitempty"`
	ParentObservationID string                 `json:"parentObservationId,omitempty"`
	Name                string                 `json:"name,omitempty"`
	StartTime           string                 `json:"startTime"`
	EndTime             string                 `json:"endTime,omitempty"`
	CompletionStartTime string                 `json:"completionStartTime,omitempty"`
	Level               string                 `json:"level,omitempty"`
	StatusMessage       string                 `json:"statusMessage,omitempty"`
	Version             string                 `json:"version,omitempty"`
	Environment         string                 `json:"environment,omitempty"`
	Input               json.RawMessage        `json:"input,omitempty"`
	Output              json.RawMessage        `json:"output,omitempty"`
	Metadata            json.RawMessage        `json:"metadata,omitempty"`
	Model               string                 `json:"model,omitempty"`
	ModelParameters     json.RawMessage        `json:"modelParameters,omitempty"`
	UsageDetails        map[string]uint64      `json:"usageDetails,omitempty"`
	CostDetails         map[string]json.Number `json:"costDetails,omitempty"`
	PromptName          string                 `json:"promptName,omitempty"`
	PromptVersion       json.Number            `json:"promptVersion,omitempty"`
}

// givenCosts are the costs that the target is told. A row that names a model and cost nothing in the source says so: the
// target would price it otherwise, and count tokens.
func (o *observation) givenCosts() map[string]json.Number {
	given := map[string]json.Number{}
	for name, amount := range o.costs() {
		given[name] = json.Number(amount.String())
	}
	if len(given) == 0 && o.model() != "" {
		given[totalKey] = "0"
	}
	return given
}

// event is the row as an event.
func (o *observation) event() event {
	body := observationBody{
		ID: o.ID, TraceID: o.TraceID, ParentObservationID: o.parent(), Name: o.Name, StartTime: o.StartTime, EndTime: o.EndTime,
		CompletionStartTime: o.CompletionStartTime, Level: o.Level, StatusMessage: o.StatusMessage, Version: o.Version, Environment: o.Environment,
		Input: o.Input, Output: o.Output, Metadata: o.Metadata, Model: o.model(), ModelParameters: object(o.ModelParameters),
		UsageDetails: o.usage(), CostDetails: o.givenCosts(),
	}
	if o.PromptName != "" && o.PromptVersion != "" {
		body.PromptName, body.PromptVersion = o.PromptName, o.PromptVersion
	}
	return event{ID: o.ID, Type: strings.ToLower(o.Type) + "-create", Timestamp: o.StartTime, Body: body}
}

func (t trace) event() event {
	return event{ID: t.ID, Type: "trace-create", Timestamp: t.Timestamp, Body: t}
}

// texts are the requests' texts of an event: one, or two when its output does not fit beside the rest.
func (e event) texts() ([][]byte, error) {
	whole, err := encode(e)
	if err != nil || len(whole) <= maxEvent {
		return [][]byte{whole}, err
	}
	rest := e
	rest.ID += "-output"
	switch body := e.Body.(type) {
	case observationBody:
		rest.Type = "span-update" // gives no type to what was created
		rest.Body = observationBody{ID: body.ID, TraceID: body.TraceID, StartTime: body.StartTime, Output: body.Output}
		body.Output = nil
		e.Body = body
	case trace:
		rest.Body = trace{ID: body.ID, Timestamp: body.Timestamp, Output: body.Output}
		body.Output = nil
		e.Body = body
	}
	var texts [][]byte
	for _, part := range []event{e, rest} {
		text, err := encode(part)
		if err != nil {
			return nil, err
		}
		if len(text) > maxEvent {
			return nil, fmt.Errorf("input or output alone are larger than %d bytes, which is what one event may have", maxEvent)
		}
		texts = append(texts, text)
	}
	return texts, nil
}
