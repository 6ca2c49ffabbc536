package evaluation

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/partial"
)

// Result is one score that an evaluator gives.
type Result struct {
	Name    string
	Type    model.ScoreType
	Number  float64 // of NUMERIC and BOOLEAN
	Text    string  // of CATEGORICAL and TEXT
	Comment string
}

// Bounds of what an evaluator gives for one row.
const (
	maxResults   = 20
	maxScoreName = 200
	maxComment   = 10_000
)

// codeScore is a score as programs return it.
type codeScore struct {
	Name     *string         `json:"name"`
	Value    json.RawMessage `json:"value"`
	DataType model.ScoreType `json:"dataType"`
	Comment  *string         `json:"comment"`
}

// codeResults reads what a program returned: an object with scores, a list of scores, one score, or a bare value, which becomes
// a score with the evaluator's name.
func codeResults(text []byte, evaluator string) ([]Result, error) {
	text = bytes.TrimSpace(text)
	var scores []json.RawMessage
	switch {
	case len(text) == 0 || string(text) == "null":
		return nil, errors.New("the evaluator returned nothing; return { scores: [{ name, value }] }")
	case text[0] == '[':
		if err := json.Unmarshal(text, &scores); err != nil {
			return nil, fmt.Errorf("the evaluator returned a list that cannot be read: %w", err)
		}
	case text[0] == '{':
		var object struct {
			Scores []json.RawMessage `json:"scores"`
			Value  json.RawMessage   `json:"value"`
		}
		if err := json.Unmarshal(text, &object); err != nil || object.Scores == nil && object.Value == nil {
			return nil, errors.New("the evaluator returned an object without scores; return { scores: [{ name, value }] }")
		}
		if scores = object.Scores; scores == nil {
			scores = []json.RawMessage{text}
		}
	default:
		scores = []json.RawMessage{[]byte(`{"value":` + string(text) + `}`)}
	}
	if len(scores) > maxResults {
		return nil, fmt.Errorf("the evaluator returned %d scores, and at most %d are taken", len(scores), maxResults)
	}
	results, seen := make([]Result, 0, len(scores)), map[string]bool{}
	for i, raw := range scores {
		result, err := codeResult(raw, evaluator)
		if err == nil && seen[result.Name] {
			err = fmt.Errorf("has the name %q of another", result.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("score %d of the evaluator %w", i+1, err)
		}
		seen[result.Name] = true
		results = append(results, result)
	}
	return results, nil
}

func codeResult(raw json.RawMessage, evaluator string) (Result, error) {
	var s codeScore
	if err := json.Unmarshal(raw, &s); err != nil {
		return Result{}, errors.New("is no object with name and value")
	}
	r := Result{Name: evaluator, Type: s.DataType}
	if s.Name != nil {
		r.Name = *s.Name
	}
	if s.Comment != nil {
		r.Comment = cut(*s.Comment, maxComment)
	}
	if n := utf8.RuneCountInString(r.Name); n == 0 || n > maxScoreName || !utf8.ValidString(r.Name) {
		return r, fmt.Errorf("must have a name of 1 to %d characters", maxScoreName)
	}
	return r.withValue(s.Value)
}

// withValue reads a value. Its type follows from it unless it is given.
func (r Result) withValue(raw json.RawMessage) (Result, error) {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil || value == nil {
		return r, errors.New("has no value")
	}
	switch v := value.(type) {
	case bool:
		return r.withBool(v)
	case float64:
		return r.withNumber(v)
	case string:
		return r.withText(v)
	}
	return r, errors.New("must have a value that is a number, a text, true or false")
}

func (r Result) withBool(v bool) (Result, error) {
	r.Type = cmp.Or(r.Type, model.Boolean)
	if v {
		r.Number = 1
	}
	if r.Type != model.Boolean && r.Type != model.Numeric {
		return r, fmt.Errorf("is true or false, which is no %s", r.Type)
	}
	return r, nil
}

func (r Result) withNumber(v float64) (Result, error) {
	r.Type, r.Number = cmp.Or(r.Type, model.Numeric), v
	if r.Type != model.Numeric && !(r.Type == model.Boolean && (v == 0 || v == 1)) || math.IsInf(v, 0) {
		return r, fmt.Errorf("is a number, which is no %s", r.Type)
	}
	return r, nil
}

func (r Result) withText(v string) (Result, error) {
	r.Type, r.Text = cmp.Or(r.Type, model.Categorical), v
	if r.Type != model.Categorical && r.Type != model.TextScore || v == "" {
		return r, fmt.Errorf("is a text, which is no %s that can be stored", r.Type)
	}
	return r, nil
}

func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// scoreID follows from what gave a score and what it is about, so that evaluating again replaces it.
func scoreID(ruleID, evaluatorID string, o *model.Observation, name string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{"sonde-evaluation-v1", ruleID, evaluatorID, o.TraceID, o.ID, name}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// event is the score of a result as the log has it. Its time is that of the row, so that a replay writes the same. The trace is
// that of the model's call, if there was one.
func (r Result) event(id string, rule model.EvaluationRule, e *loaded, o *model.Observation, callTrace string) (partial.Event, error) {
	metadata := map[string]any{"evaluatorId": e.ID, "evaluatorVersion": e.Latest.Number, "evaluationRuleId": rule.ID}
	if callTrace != "" {
		metadata["executionTraceId"] = callTrace
	}
	body := map[string]any{
		"id": id, "name": r.Name, "dataType": r.Type, "traceId": o.TraceID, "observationId": o.ID, "environment": o.Environment, "metadata": metadata,
	}
	body["value"] = r.Number
	if r.Type == model.Categorical || r.Type == model.TextScore {
		body["value"] = r.Text
	}
	if r.Comment != "" {
		body["comment"] = r.Comment
	}
	at := o.EndTime
	if at.IsZero() {
		at = o.StartTime
	}
	text, err := json.Marshal(body)
	if err != nil {
		return partial.Event{}, fmt.Errorf("write a score: %w", err)
	}
	return partial.NewEvaluationScore(text, at.Truncate(time.Millisecond))
}
