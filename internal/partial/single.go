package partial

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
)

// ParseSingle reads a request whose body is that of one event of the given kind, as the first clients sent it.
// The entity's id stands under idKey; a create without one gets one, which is returned.
func ParseSingle(body []byte, kind Kind, idKey string, now time.Time) (Event, string, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(bytes.ToValidUTF8(body, []byte("\uFFFD")), &members); err != nil || members == nil {
		return Event{}, "", fault.New(fault.Invalid, "The body must be a JSON object").Because(err)
	}
	r := newReader(body)
	id := r.text(idKey)
	switch {
	case r.issue != "":
		return Event{}, "", invalidScore(r.issue)
	case id == "" && kind.update():
		return Event{}, "", fault.Invalidf(idKey, "must be given: it says what to change")
	}
	id = idOrNew(id)
	text, err := json.Marshal(id)
	if err != nil {
		return Event{}, "", err
	}
	members["id"] = text
	raw, err := json.Marshal(map[string]any{"id": uuid.NewString(), "type": kind, "timestamp": now.UTC().Format(time.RFC3339Nano), "body": members})
	if err != nil {
		return Event{}, "", err
	}
	e, _, problem := parseEvent(raw, Policy{})
	if problem != nil {
		return Event{}, "", problem.Fault()
	}
	return e, id, nil
}
