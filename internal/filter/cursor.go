package filter

import (
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/sondehq/sonde/internal/fault"
)

// Position is where a page ended: the sort key of its last row. The next page starts
// strictly below it. It names no project and no filter, so a cursor from elsewhere
// positions the walk and shows nothing foreign.
type Position struct {
	StartTime time.Time
	TraceID   string
	ID        string
}

// cursorVersion is the first member of every cursor; a cursor of another version is refused.
const cursorVersion = 1

type cursorWire struct {
	Version     int    `json:"v"`
	StartMicros int64  `json:"t"`
	TraceID     string `json:"r"`
	ID          string `json:"i"`
}

// EncodeCursor renders a position as the opaque text clients send back.
func EncodeCursor(p Position) string {
	text, err := json.Marshal(cursorWire{cursorVersion, p.StartTime.UnixMicro(), p.TraceID, p.ID})
	if err != nil {
		panic(err) // three plain fields always marshal
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// DecodeCursor reads a cursor that EncodeCursor made. The contract fixes the text for one that is
// no cursor at all; one of another server or version says what to do.
func DecodeCursor(text string) (Position, error) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || !json.Valid(raw) {
		return Position{}, fault.New(fault.Invalid, "Invalid cursor format").Because(err)
	}
	var wire cursorWire
	if err := json.Unmarshal(raw, &wire); err != nil || wire.Version != cursorVersion || wire.ID == "" {
		return Position{}, fault.Invalidf("cursor", "was not made by this version of the server").
			Hint("pass meta.cursor of the previous page unchanged, or leave it out to start again").Because(err)
	}
	return Position{time.UnixMicro(wire.StartMicros).UTC(), wire.TraceID, wire.ID}, nil
}
