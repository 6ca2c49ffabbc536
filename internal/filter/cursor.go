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

// DecodeCursor reads a cursor that EncodeCursor made.
func DecodeCursor(text string) (Position, error) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return Position{}, errCursor(err)
	}
	var wire cursorWire
	if err := json.Unmarshal(raw, &wire); err != nil {
		return Position{}, errCursor(err)
	}
	if wire.Version != cursorVersion || wire.ID == "" {
		return Position{}, errCursor(nil)
	}
	return Position{time.UnixMicro(wire.StartMicros).UTC(), wire.TraceID, wire.ID}, nil
}

func errCursor(cause error) error {
	return fault.New(fault.Invalid, "Invalid cursor format").
		Hint("pass meta.cursor of the previous page unchanged, or leave it out to start again").Because(cause)
}
