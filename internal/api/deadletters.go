package api

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/fault"
)

// Bounds of a page of dead letters.
const (
	defaultLetters = 50
	maxLetters     = 100
)

// DeadLetter is a dead letter as clients and operators read it.
type DeadLetter struct {
	ID        string         `json:"id"`
	ProjectID *string        `json:"projectId"`
	Kind      *string        `json:"kind"`
	Reason    string         `json:"reason"`
	BuriedAt  string         `json:"buriedAt"`
	Bytes     int            `json:"bytes"`
	Redriven  int            `json:"redriven"`
	Position  LetterPosition `json:"position"`
	Origin    LetterPosition `json:"origin"`
	Record    []byte         `json:"record,omitempty"` // only where one letter is read
}

// LetterPosition is a place in the log.
type LetterPosition struct {
	Partition int    `json:"partition"`
	Sequence  uint64 `json:"sequence"`
}

// DeadLetterPage is a page of dead letters, newest first.
type DeadLetterPage struct {
	Data []DeadLetter `json:"data"`
	Meta struct {
		Cursor string `json:"cursor,omitempty"`
	} `json:"meta"`
}

// Redriven says where a redriven record is now.
type Redriven struct {
	ID       string         `json:"id"`
	Position LetterPosition `json:"position"`
}

func letterJSON(l eventlog.DeadLetter, record []byte) DeadLetter {
	return DeadLetter{
		ID: strconv.FormatUint(l.ID, 10), ProjectID: orNull(l.ProjectID), Kind: orNull(string(l.Kind)),
		Reason: l.Reason, BuriedAt: stamp(l.BuriedAt), Bytes: l.Bytes, Redriven: l.Redriven,
		Position: LetterPosition(l.Position), Origin: LetterPosition(l.Origin), Record: record,
	}
}

// deadLetters serves GET /api/public/dead-letters.
func (s *server) deadLetters(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	return listLetters(w, r, s.DeadLetters, eventlog.DeadLetterQuery{ProjectID: caller.Project.ID})
}

// deadLetter serves GET /api/public/dead-letters/{id}.
func (s *server) deadLetter(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	letter, record, err := s.ownLetter(r, caller)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, letterJSON(letter, record))
	return nil
}

// redriveDeadLetter serves POST /api/public/dead-letters/{id}/redrive.
func (s *server) redriveDeadLetter(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	letter, _, err := s.ownLetter(r, caller)
	if err != nil {
		return err
	}
	return redriveLetter(w, r, s.DeadLetters, letter.ID)
}

// deleteDeadLetter serves DELETE /api/public/dead-letters/{id}.
func (s *server) deleteDeadLetter(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	letter, _, err := s.ownLetter(r, caller)
	if err != nil {
		return err
	}
	return deleteLetter(w, r, s.DeadLetters, letter.ID)
}

// ownLetter reads the letter that the path names. One of another project, or of none, is not found.
// An id is never given twice, so what is the caller's now stays the caller's.
func (s *server) ownLetter(r *http.Request, caller auth.Principal) (eventlog.DeadLetter, []byte, error) {
	id, err := letterID(r)
	if err != nil {
		return eventlog.DeadLetter{}, nil, err
	}
	letter, record, err := s.DeadLetters.DeadLetter(r.Context(), id)
	if err == nil && (letter.ProjectID == "" || letter.ProjectID != caller.Project.ID) {
		err = eventlog.ErrNoDeadLetter
	}
	if err != nil {
		return eventlog.DeadLetter{}, nil, letterFault(err)
	}
	return letter, record, nil
}

func letterID(r *http.Request) (uint64, error) {
	id, err := strconv.ParseUint(r.PathValue("id"), 10, 64)
	if err != nil {
		return 0, letterFault(eventlog.ErrNoDeadLetter)
	}
	return id, nil
}

func letterFault(err error) error {
	switch {
	case errors.Is(err, eventlog.ErrNoDeadLetter):
		return fault.New(fault.NotFound, "Dead letter not found").Because(err)
	case errors.Is(err, eventlog.ErrFull):
		return fault.Unavailablef("the ingest log is full").Hint("the dead letter is kept; try again later").Because(err)
	}
	return err
}

// listLetters answers with the page that the query string asks for.
func listLetters(w http.ResponseWriter, r *http.Request, letters eventlog.DeadLetters, q eventlog.DeadLetterQuery) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	if q.Limit = p.number("limit", defaultLetters); q.Limit < 1 || q.Limit > maxLetters {
		p.invalid("limit", "must be between 1 and %d", maxLetters)
	}
	if cursor, _ := p.text("cursor"); cursor != "" {
		if q.Before, err = strconv.ParseUint(cursor, 10, 64); err != nil || q.Before == 0 {
			p.invalid("cursor", "must be one that a page returned")
		}
	}
	if err := p.err(); err != nil {
		return err
	}
	limit := q.Limit
	q.Limit++ // one more tells whether there is another page
	list, err := letters.DeadLetters(r.Context(), q)
	if err != nil {
		return err
	}
	page := DeadLetterPage{Data: []DeadLetter{}}
	for _, letter := range list[:min(len(list), limit)] {
		page.Data = append(page.Data, letterJSON(letter, nil))
	}
	if len(list) > limit {
		page.Meta.Cursor = page.Data[limit-1].ID
	}
	writeJSON(w, http.StatusOK, page)
	return nil
}

func redriveLetter(w http.ResponseWriter, r *http.Request, letters eventlog.DeadLetters, id uint64) error {
	at, err := letters.Redrive(r.Context(), id)
	if err != nil {
		return letterFault(err)
	}
	writeJSON(w, http.StatusOK, Redriven{strconv.FormatUint(id, 10), LetterPosition(at)})
	return nil
}

func deleteLetter(w http.ResponseWriter, r *http.Request, letters eventlog.DeadLetters, id uint64) error {
	if err := letters.DeleteDeadLetter(r.Context(), id); err != nil {
		return letterFault(err)
	}
	writeJSON(w, http.StatusOK, errorBody{Message: "Dead letter deleted"})
	return nil
}
