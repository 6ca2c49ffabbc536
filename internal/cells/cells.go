// Package cells knows which cell serves a project. A cell is a log, a store and the processes around them; cells share
// metadata and blobs, and each project lives in one. Guard keeps a process from serving projects of other cells, Mover
// brings a project from one cell to another.
package cells

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

const (
	// KnownFor is how old the answer of a Guard may be: that long after a project was held or moved, no process of its
	// old cell takes anything for it any more.
	KnownFor = time.Second
	// Grace is how long after its last answer a Guard goes by that while the metadata do not answer, unless it said that the
	// project is being moved. So nobody switches a project before a move has been known for that long.
	Grace = time.Minute
	// knownAtOnce bounds what a Guard remembers; what it forgets costs a question.
	knownAtOnce = 10_000
)

// ElsewhereError says that another cell serves the project.
type ElsewhereError struct{ Cell string }

func (e *ElsewhereError) Error() string { return "another cell serves the project: " + Shown(e.Cell) }

// HeldError says that nobody may write to the project for a moment, because it is being moved.
type HeldError struct{ Until time.Time }

func (h *HeldError) Error() string {
	return "the project is held until " + h.Until.Format(time.RFC3339)
}

// Shown is how the name of a cell is written where it must not be empty.
func Shown(cell string) string {
	if cell == "" {
		return Unnamed
	}
	return cell
}

// Unnamed stands for the cell without a name, which no cell can be called.
const Unnamed = "-"

// Placements are where projects are served.
type Placements interface {
	Placement(ctx context.Context, projectID string) (model.Placement, error)
}

// Guard keeps a process from serving projects of other cells. It is safe for concurrent use.
//
// Promise: what it lets pass was so at most KnownFor ago; while the metadata do not answer, at most Grace ago, and then the project
// was not being moved.
type Guard struct {
	cell       string
	placements Placements
	flights    singleflight.Group

	mu    sync.Mutex
	known map[string]remembered
}

type remembered struct {
	model.Placement
	said  time.Time // when the metadata were asked
	until time.Time
}

// NewGuard makes the guard of a process of a cell.
func NewGuard(cell string, placements Placements) *Guard {
	return &Guard{cell: cell, placements: placements, known: map[string]remembered{}}
}

// Serves fails unless this cell serves the project: with fault.Misdirected because of an ElsewhereError, or with
// fault.Unavailable when that cannot be found out now. A project that does not exist is nobody's business.
func (g *Guard) Serves(ctx context.Context, projectID string) error {
	_, err := g.find(ctx, projectID)
	return err
}

// Takes fails like Serves, and while the project is held, with fault.Unavailable because of a HeldError.
func (g *Guard) Takes(ctx context.Context, projectID string) error {
	placement, err := g.find(ctx, projectID)
	if err == nil && placement.Held(time.Now()) {
		return fault.Unavailablef("The project is being moved to another cell and takes nothing for a few seconds").
			Hint("send it again").Because(&HeldError{placement.HeldUntil})
	}
	return err
}

func (g *Guard) find(ctx context.Context, projectID string) (model.Placement, error) {
	placement, err := g.placement(ctx, projectID)
	switch {
	case errors.Is(err, metastore.ErrNotFound):
		return model.Placement{}, nil
	case err != nil:
		return placement, fault.Unavailablef("Service Unavailable").Because(fmt.Errorf("find the cell of a project: %w", err))
	case placement.Cell != g.cell:
		return placement, fault.New(fault.Misdirected, "This project is served by another cell, %s", Shown(placement.Cell)).
			Hint("send it to the address of the whole installation, whose router knows the way").Because(&ElsewhereError{placement.Cell})
	}
	return placement, nil
}

// placement asks the metadata, or remembers. Those who ask for the same project at once share one question.
func (g *Guard) placement(ctx context.Context, projectID string) (model.Placement, error) {
	if found, ok := g.remembered(projectID); ok {
		return found, nil
	}
	question := g.flights.DoChan(projectID, func() (any, error) {
		if found, ok := g.remembered(projectID); ok { // answered between the miss and the question
			return found, nil
		}
		began := time.Now()
		until := began.Add(KnownFor) // counts from before the reading: a change may follow it at once
		ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), until)
		defer cancel()
		placement, err := g.placements.Placement(ctx, projectID)
		switch {
		case err == nil:
			g.remember(projectID, remembered{placement, began, until})
		case !errors.Is(err, metastore.ErrNotFound):
			return g.outlive(projectID, err)
		}
		return placement, err
	})
	select {
	case <-ctx.Done():
		return model.Placement{}, ctx.Err()
	case answer := <-question:
		placement, _ := answer.Val.(model.Placement)
		return placement, answer.Err
	}
}

// outlive answers for metadata that do not, with what they said last, if that was not long ago. Nobody waits for them again
// within the next second.
func (g *Guard) outlive(projectID string, because error) (model.Placement, error) {
	g.mu.Lock()
	last, ok := g.known[projectID]
	g.mu.Unlock()
	if now := time.Now(); ok && last.Phase == model.Staying && now.Sub(last.said) < Grace {
		last.until = now.Add(KnownFor)
		g.remember(projectID, last)
		return last.Placement, nil
	}
	return model.Placement{}, because
}

func (g *Guard) remembered(projectID string) (model.Placement, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	found, ok := g.known[projectID]
	return found.Placement, ok && time.Now().Before(found.until)
}

func (g *Guard) remember(projectID string, answer remembered) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.known) >= knownAtOnce {
		clear(g.known)
	}
	g.known[projectID] = answer
}
