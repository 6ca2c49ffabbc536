package eventlog

import (
	"encoding/json"
	"fmt"
	"strings"
)

// KindRejections is a JSON object of Rejections: what a client sent beside the payload of other
// envelopes and what is not taken, with the reasons.
const KindRejections Kind = "rejections"

// Bounds of a rejection record; Encode cuts what is longer.
const (
	MaxRejections  = 1000
	MaxReasonBytes = 512
	maxIDBytes     = 256
)

// Rejections names the items of one request that are not taken.
type Rejections struct {
	List []Rejection `json:"rejections"` // at most MaxRejections, by item
	More int         `json:"more,omitempty"`
}

// Rejection says why one item of a request is not taken.
type Rejection struct {
	Item          int    `json:"item"` // position in the client's request, from 0
	TraceID       string `json:"trace,omitempty"`
	ObservationID string `json:"observation,omitempty"`
	Reason        string `json:"reason"`
}

// Encode renders the payload of an envelope of KindRejections.
func (r Rejections) Encode() ([]byte, error) {
	if over := len(r.List) - MaxRejections; over > 0 {
		r.List, r.More = r.List[:MaxRejections], r.More+over
	}
	bounded := make([]Rejection, len(r.List))
	for i, item := range r.List {
		bounded[i] = Rejection{item.Item, shorten(item.TraceID, maxIDBytes), shorten(item.ObservationID, maxIDBytes), ShortReason(item.Reason)}
	}
	payload, err := json.Marshal(Rejections{bounded, r.More})
	if err != nil {
		return nil, fmt.Errorf("encode rejections: %w", err)
	}
	return payload, nil
}

// DecodeRejections reads what Encode wrote, within the same bounds.
func DecodeRejections(payload []byte) (Rejections, error) {
	var r Rejections
	if err := json.Unmarshal(payload, &r); err != nil {
		return Rejections{}, fmt.Errorf("%w: rejections: %w", ErrEnvelope, err)
	}
	if len(r.List) > MaxRejections {
		return Rejections{}, fmt.Errorf("%w: %d rejections", ErrEnvelope, len(r.List))
	}
	for i := range r.List {
		item := &r.List[i]
		if item.Item < 0 {
			return Rejections{}, fmt.Errorf("%w: rejection of item %d", ErrEnvelope, item.Item)
		}
		item.TraceID, item.ObservationID = shorten(item.TraceID, maxIDBytes), shorten(item.ObservationID, maxIDBytes)
		item.Reason = ShortReason(item.Reason)
	}
	return r, nil
}

// ShortReason bounds a reason to MaxReasonBytes of valid UTF-8.
func ShortReason(reason string) string { return shorten(reason, MaxReasonBytes) }

func shorten(s string, size int) string {
	const ellipsis = "…"
	s = strings.ToValidUTF8(s, "")
	if len(s) > size {
		s = strings.ToValidUTF8(s[:size-len(ellipsis)], "") + ellipsis
	}
	return s
}
