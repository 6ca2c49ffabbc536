package eventlog

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"time"
)

// ErrNoDeadLetter is returned for an id that names no dead letter, or none any more.
var ErrNoDeadLetter = errors.New("no such dead letter")

// ErrDeadLettersFull is wrapped by Bury when there is no room for another dead letter.
var ErrDeadLettersFull = errors.New("the dead letters are full")

// DeadLetter describes a record that can never be stored.
type DeadLetter struct {
	ID       uint64   // never given twice; a later letter has a higher one
	Position Position // of the record when it was buried
	Origin   Position // of the record when it was first appended; another one once it was redriven
	Redriven int      // how often it was
	// ProjectID and Kind are those of the record's envelope; empty when it cannot be read.
	ProjectID string
	Kind      Kind
	Reason    string
	BuriedAt  time.Time
	Bytes     int // of the record
}

// DeadLetterQuery asks for a page of dead letters, newest first.
type DeadLetterQuery struct {
	ProjectID string // only letters of this project; empty: only those of none
	All       bool   // letters of every project and of none; ProjectID does not count
	Before    uint64 // only letters with a smaller id; 0: from the newest
	Limit     int
}

// DeadLetters keeps the records that were buried until somebody redrives or deletes them.
//
// Promises:
//   - A letter is never dropped to make room, by age or by number. When there is no room for
//     another one, Bury fails with ErrDeadLettersFull and its record stays in the log: pending, and
//     delivered again until there is room.
//   - Redrive appends the record before it removes the letter. A crash in between leaves both, and
//     redriving again appends the record twice, which the versions of its rows make one row each.
//   - A redriven record that is buried again is a new letter whose count is one higher. Nothing is
//     ever redriven by itself.
type DeadLetters interface {
	// DeadLetters returns up to Limit letters without their records. Fewer are the last ones.
	DeadLetters(ctx context.Context, q DeadLetterQuery) ([]DeadLetter, error)
	// DeadLetter returns one letter with its record, or ErrNoDeadLetter.
	DeadLetter(ctx context.Context, id uint64) (DeadLetter, []byte, error)
	// Redrive appends the record of a letter to the log again and removes the letter. It fails as
	// Append does, and then the letter stays.
	Redrive(ctx context.Context, id uint64) (Position, error)
	// DeleteDeadLetter forgets a letter and its record for good.
	DeleteDeadLetter(ctx context.Context, id uint64) error
}

// Owner returns the project and kind that a record's envelope names, whatever its payload is
// like; nothing when the record is no envelope.
func Owner(record []byte) (projectID string, kind Kind) {
	if len(record) == 0 || record[0] != envelopeVersion {
		return "", ""
	}
	size, n := binary.Uvarint(record[1:])
	if n <= 0 || size > uint64(len(record)-1-n) {
		return "", ""
	}
	var h envelopeHeader
	if json.Unmarshal(record[1+n:][:size], &h) != nil {
		return "", ""
	}
	return h.ProjectID, h.Kind
}
