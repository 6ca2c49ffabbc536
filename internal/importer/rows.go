package importer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// observation is a row as any generation of the source shows it. What is null is not set.
type observation struct {
	ID                  string
	TraceID             string
	Type                string
	Name                string
	Environment         string
	StartTime           string
	EndTime             string
	CompletionStartTime string
	Level               string
	StatusMessage       string
	Version             string
	ParentObservationID string

	Input, Output, Metadata json.RawMessage

	Model             string
	ProvidedModelName string
	ModelParameters   json.RawMessage
	PromptName        string
	PromptVersion     json.Number

	UsageDetails, CostDetails map[string]json.RawMessage

	// What servers of version 2 have instead of details.
	Usage                                                          map[string]json.RawMessage
	CalculatedInputCost, CalculatedOutputCost, CalculatedTotalCost json.RawMessage

	// What the newer read says of the trace.
	UserID, SessionID, Release, TraceName string
	Tags                                  []string
	Public, Bookmarked, IsRootObservation bool
}

// trace is what older servers keep beside the observations of a trace. Events carry it under the same names.
type trace struct {
	ID          string          `json:"id"`
	Timestamp   string          `json:"timestamp"`
	Name        string          `json:"name,omitempty"`
	UserID      string          `json:"userId,omitempty"`
	SessionID   string          `json:"sessionId,omitempty"`
	Release     string          `json:"release,omitempty"`
	Version     string          `json:"version,omitempty"`
	Environment string          `json:"environment,omitempty"`
	Public      bool            `json:"public,omitempty"`
	Bookmarked  bool            `json:"bookmarked,omitempty"`
	Tags        []string        `json:"tags,omitempty"`
	Input       json.RawMessage `json:"input,omitempty"`
	Output      json.RawMessage `json:"output,omitempty"`
	Metadata    json.RawMessage `json:"metadata,omitempty"`
}

// traceRowPrefix begins the id of a row that stands for a trace, in newer servers of Langfuse and in Sonde.
const traceRowPrefix = "t-"

// standsForTrace reports whether the row is the trace itself.
func (o *observation) standsForTrace() bool {
	return o.ID == traceRowPrefix+o.TraceID && o.TraceID != ""
}

// trace is what a row that stands for one says.
func (o *observation) trace() trace {
	return trace{
		ID: o.TraceID, Timestamp: o.StartTime, Name: o.Name, UserID: o.UserID, SessionID: o.SessionID, Release: o.Release, Version: o.Version,
		Environment: o.Environment, Public: o.Public, Bookmarked: o.Bookmarked, Tags: o.Tags,
		Metadata: o.Metadata, Input: o.Input, Output: o.Output,
	}
}

// parent is the observation above, "" when there is only the trace.
func (o *observation) parent() string {
	if o.ParentObservationID == traceRowPrefix+o.TraceID {
		return ""
	}
	return o.ParentObservationID
}

func (o *observation) model() string {
	if o.Model == "" {
		return o.ProvidedModelName
	}
	return o.Model
}

// usage are the units by kind, from the details or from what older servers have.
func (o *observation) usage() map[string]uint64 {
	counts := map[string]uint64{}
	given := o.UsageDetails
	if len(given) == 0 {
		given = map[string]json.RawMessage{"input": o.Usage["input"], "output": o.Usage["output"], "total": o.Usage["total"]}
	}
	for name, raw := range given {
		var n uint64
		if len(raw) > 0 && string(raw) != "null" && json.Unmarshal(raw, &n) == nil {
			counts[name] = n
		}
	}
	if len(o.UsageDetails) == 0 && counts["input"]+counts["output"]+counts["total"] == 0 {
		return nil // older servers show zeros where there is nothing
	}
	return counts
}

// costPlaces is how many decimal places a cost keeps in Sonde.
const costPlaces = 12

// costs are the amounts by kind.
func (o *observation) costs() map[string]decimal.Decimal {
	given := o.CostDetails
	if len(given) == 0 {
		given = map[string]json.RawMessage{"input": o.CalculatedInputCost, "output": o.CalculatedOutputCost, totalKey: o.CalculatedTotalCost}
	}
	amounts := map[string]decimal.Decimal{}
	for name, raw := range given {
		var amount decimal.Decimal
		if len(raw) > 0 && string(raw) != "null" && json.Unmarshal(raw, &amount) == nil {
			amounts[name] = amount.Round(costPlaces)
		}
	}
	return amounts
}

const totalKey = "total"

// total is the whole cost: what is called so, else the sum of input and output.
func total(amounts map[string]decimal.Decimal) decimal.Decimal {
	if amount, ok := amounts[totalKey]; ok {
		return amount
	}
	return amounts["input"].Add(amounts["output"])
}

// tally is what the row adds to the sums. Input and output are those of the kinds that are called so.
func (o *observation) tally() Tally {
	t := Tally{Rows: 1, Cost: total(o.costs())}
	all, counts := uint64(0), o.usage()
	for name, n := range counts {
		switch {
		case name == totalKey:
			t.Usage.Total = n
		case strings.Contains(strings.ToLower(name), "input"):
			t.Usage.Input += n
			all += n
		case strings.Contains(strings.ToLower(name), "output"):
			t.Usage.Output += n
			all += n
		default:
			all += n
		}
	}
	if _, ok := counts[totalKey]; !ok {
		t.Usage.Total = all
	}
	return t
}

var (
	spanID  = regexp.MustCompile(`^[0-9a-f]{16}$`)
	traceID = regexp.MustCompile(`^[0-9a-f]{32}$`)
)

// fromSpan reports whether the row can be a span of OpenTelemetry: then it is sent as one and stays what it is, a root
// included. Older rows have other ids, or no end.
func (o *observation) fromSpan() bool {
	return traceID.MatchString(o.TraceID) && spanID.MatchString(o.ID) && o.EndTime != "" &&
		(o.ParentObservationID == "" || spanID.MatchString(o.ParentObservationID))
}

// object is a JSON object or nothing.
func object(raw json.RawMessage) json.RawMessage {
	if trimmed := bytes.TrimSpace(raw); len(trimmed) > 0 && trimmed[0] == '{' {
		return trimmed
	}
	var text string // some servers answer with the text of an object
	if json.Unmarshal(raw, &text) == nil && strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return nil
}

// text is a value as rows hold it: a string as it is, everything else as compact JSON.
func text(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return string(raw)
	}
	return compact.String()
}

// nanoseconds is a time as spans have it.
func nanoseconds(at string) (string, error) {
	t, err := time.Parse(time.RFC3339Nano, at)
	if err != nil {
		return "", fmt.Errorf("the source has a time that is none: %w", err)
	}
	return strconv.FormatInt(t.UnixNano(), 10), nil
}
