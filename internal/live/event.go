package live

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"
)

// Type names a kind of event; docs/formats/live-events.md has the members of each.
type Type string

// The types of events.
const (
	Ready        Type = "ready"
	KeySeen      Type = "ingest.key_seen"
	Accepted     Type = "ingest.accepted"
	Rejected     Type = "ingest.rejected"
	UnknownKey   Type = "ingest.unknown_key"
	RowNew       Type = "row.new"
	TraceUpdated Type = "trace.updated"
)

// Event is one piece of news.
type Event struct {
	ID   string          `json:"id"`
	Type Type            `json:"type"`
	Data json.RawMessage `json:"data"` // one line
}

// head is what the data of every event begins with.
type head struct {
	At        string `json:"at"`
	ProjectID string `json:"projectId"`
}

func headOf(projectID string) head { return head{Stamp(time.Now()), projectID} }

// Stamp is a time as events have it.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// client is the part of an event that says who sent a request.
type client struct {
	PublicKey  string `json:"publicKey,omitempty"`
	SDKName    string `json:"sdkName,omitempty"`
	SDKVersion string `json:"sdkVersion,omitempty"`
}

type keySeen struct {
	head
	client
	Path   string `json:"path"`
	Status int    `json:"status"`
}

type accepted struct {
	head
	Requests int   `json:"requests"`
	Spans    int   `json:"spans"`
	Bytes    int64 `json:"bytes"`
}

type rejected struct {
	head
	client
	Status int    `json:"status"`
	Code   Code   `json:"code"`
	Reason string `json:"reason"`
	Path   string `json:"path"`
	Count  int    `json:"count"`
	Spans  int    `json:"spans"`
	Proved bool   `json:"proved"`
}

type unknownKey struct {
	head
	Prefix string `json:"publicKeyPrefix"`
	Path   string `json:"path"`
	Count  int    `json:"count"`
}

type rowNew struct {
	head
	Rows  int `json:"rows"`
	Roots int `json:"roots"`
}

type traceUpdated struct {
	head
	TraceIDs []string `json:"traceIds"`
	More     bool     `json:"more"`
}

// newEvent makes an event of data that always encodes.
func newEvent(of Type, data any) Event {
	text, _ := json.Marshal(data)
	id, _ := uuid.NewV7() // never fails: the source of randomness does not
	return Event{ID: id.String(), Type: of, Data: text}
}

// NewReady is the first event of a stream.
func NewReady(projectID string) Event { return newEvent(Ready, headOf(projectID)) }

// About narrows an event to one trace: false when it tells nothing of it. Updates whose list is cut
// short count, as the trace may be among those not named.
func (e Event) About(traceID string) (Event, bool) {
	var data traceUpdated
	if e.Type != TraceUpdated || json.Unmarshal(e.Data, &data) != nil {
		return Event{}, false
	}
	if slices.Contains(data.TraceIDs, traceID) {
		return e.naming(data, traceID), true
	}
	if data.More {
		return e.naming(data, traceID), true
	}
	return Event{}, false
}

func (e Event) naming(data traceUpdated, traceID string) Event {
	data.TraceIDs, data.More = []string{traceID}, false
	e.Data, _ = json.Marshal(data)
	return e
}
