package reprice

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"

	"github.com/sondehq/sonde/internal/fault"
)

// Parameters say which rows, and whether to write.
type Parameters struct {
	From    time.Time `json:"from"` // start time at or after
	To      time.Time `json:"to"`   // start time before
	Model   string    `json:"model,omitempty"`
	Preview bool      `json:"preview"`
}

const maxModelFilter = 1000

// Check reads {from, to, model?, preview?}.
func (h *Handler) Check(raw json.RawMessage) (json.RawMessage, error) {
	var wire struct {
		Kind    string  `json:"kind"`
		From    *string `json:"from"`
		To      *string `json:"to"`
		Model   string  `json:"model"`
		Preview bool    `json:"preview"`
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&wire); err != nil {
		return nil, fault.New(fault.Invalid, "the body is not a re-pricing job").
			Hint(`send {"kind":"reprice","from":"…","to":"…","model":"…","preview":true}; model and preview may be left out`).Because(err)
	}
	from, fromErr := timeOf("from", wire.From)
	to, toErr := timeOf("to", wire.To)
	if err := errors.Join(fromErr, toErr); err != nil {
		return nil, err
	}
	if !from.Before(to) {
		return nil, fault.Invalidf("to", "must be after from")
	}
	if len(wire.Model) > maxModelFilter {
		return nil, fault.Invalidf("model", "must have at most %d bytes", maxModelFilter)
	}
	return json.Marshal(Parameters{From: from, To: to, Model: wire.Model, Preview: wire.Preview})
}

func timeOf(field string, text *string) (time.Time, error) {
	if text == nil {
		return time.Time{}, fault.Invalidf(field, "is missing").Hint("send a time like 2026-05-01T00:00:00Z")
	}
	t, err := time.Parse(time.RFC3339Nano, *text)
	if err != nil || t.Year() < 1971 || t.Year() > 2261 {
		return time.Time{}, fault.Invalidf(field, "is not a time").Hint("send a time like 2026-05-01T00:00:00Z").Because(err)
	}
	return t.UTC().Truncate(time.Millisecond), nil
}
