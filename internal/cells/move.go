package cells

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// Work is what a process of a cell says of itself, and of what is going on there for a project.
type Work struct {
	Cell        string    `json:"cell"`
	Store       []string  `json:"store"`       // the identity of its store
	Now         time.Time `json:"now"`         // its clock
	Settled     time.Time `json:"settled"`     // everything that its log took before is stored
	Jobs        []string  `json:"jobs"`        // of the project, unfinished ones: kind and id
	DeadLetters int       `json:"deadLetters"` // of the project
}

// Server is a process of a cell that has its log and its store.
type Server interface {
	Work(ctx context.Context, projectID string) (Work, error)
}

// Stores are those of the cell that a project leaves and of the one that it goes to.
type Stores interface {
	// Identities name both.
	Identities(ctx context.Context) (from, to []string, err error)
	// Copy brings rows of the project over, all or those that came since a time, and returns since when next time.
	Copy(ctx context.Context, projectID string, since time.Time) (next time.Time, err error)
	// Missing says which rows have not arrived, empty: all have. It looks where something changed since a time, which needs
	// that nothing does now, or everywhere else.
	Missing(ctx context.Context, projectID string, since time.Time, changed bool) (string, error)
	// Arrived counts the rows of the project in the cell that it goes to.
	Arrived(ctx context.Context, projectID string) (uint64, error)
	// ForgetFrom and ForgetTo take all rows of the project off the disks of one of them.
	ForgetFrom(ctx context.Context, projectID string) error
	ForgetTo(ctx context.Context, projectID string) error
}

const (
	// holdFor is how long a project is held beyond the last sign of life of who moves it; more than clocks differ by.
	holdFor = 30 * time.Second
	// signEvery is the time between two of them.
	signEvery = 5 * time.Second
	// heldAfter is how long it must still be held when it switches.
	heldAfter = 10 * time.Second
	// lateAfter is how long after the switch something that was let in before it may still come to the old log.
	lateAfter = 10 * time.Second
	// lookEvery is the time between two looks at the log.
	lookEvery = 100 * time.Millisecond
)

// Mover moves projects. It keeps nothing outside of the metadata: whoever runs it again after it was killed, wherever that
// was, goes on.
//
// Promises:
//   - At any moment one cell at most takes writes of the project, and it has all rows that were acknowledged before.
//   - Nothing switches before every row of the old cell was found in the new one.
//   - A mover that dies leaves the project held for holdFor at most.
type Mover struct {
	Metadata metastore.Cells
	Stores   Stores
	From, To Server
	// Settle is how long requests that were let in before the project was held have to reach the log.
	Settle     time.Duration
	KeepSource bool // leave the rows in the old cell
	Say        func(format string, args ...any)
}

// Move brings a project to a cell.
func (m *Mover) Move(ctx context.Context, projectID, to string) error {
	at, err := m.Metadata.Placement(ctx, projectID)
	if err != nil {
		return fmt.Errorf("find project %s: %w", projectID, err)
	}
	switch {
	case at.Cell == to && at.Phase != model.Switched:
		m.Say("project %s is in cell %s already", projectID, Shown(to))
		return nil
	case at.Cell == to:
		if err := m.check(ctx, projectID, at.Other, to); err != nil {
			return err
		}
		m.Say("the project is served by cell %s already; looking after what it left in %s", Shown(to), Shown(at.Other))
		return m.leave(ctx, projectID, at.HeldUntil)
	}
	if err := m.begin(ctx, projectID, at, to); err != nil {
		return err
	}
	begun := time.Now()
	since, err := m.copyAhead(ctx, projectID)
	if err != nil {
		return err
	}
	if left := Grace - time.Since(begun); left > 0 {
		m.Say("waiting for %s: a process that does not reach the metadata goes by what it knew for that long", left.Round(time.Second))
		if err := wait(ctx, left); err != nil {
			return err
		}
	}
	if since, err = m.switchOver(ctx, projectID, at.Cell, to, since); err != nil {
		return err
	}
	return m.leave(ctx, projectID, since)
}

// Abandon gives a move up that has not switched, and erases what it brought to the other cell.
func (m *Mover) Abandon(ctx context.Context, projectID, to string) error {
	at, err := m.Metadata.Placement(ctx, projectID)
	if err != nil {
		return fmt.Errorf("find project %s: %w", projectID, err)
	}
	if at.Cell == to || at.Phase == model.Switched {
		return fmt.Errorf("cell %s serves the project already; move it back instead", Shown(at.Cell))
	}
	if err := m.check(ctx, projectID, at.Cell, to); err != nil {
		return err
	}
	if at.Phase == model.Copying {
		if err := m.Metadata.EndMove(ctx, projectID, model.Copying); err != nil {
			return err
		}
	}
	m.Say("erasing what is in cell %s", Shown(to))
	return m.Stores.ForgetTo(ctx, projectID)
}

// check makes sure that the addresses are those of the cells: a wrong one could erase a project.
func (m *Mover) check(ctx context.Context, projectID, from, to string) error {
	fromStore, toStore, err := m.Stores.Identities(ctx)
	if err != nil {
		return err
	}
	for _, c := range []struct {
		name   string
		server Server
		store  []string
		flag   string
	}{{from, m.From, fromStore, "from"}, {to, m.To, toStore, "to"}} {
		work, err := c.server.Work(ctx, projectID)
		if err != nil {
			return fmt.Errorf("ask the server of cell %s: %w", Shown(c.name), err)
		}
		if work.Cell != c.name {
			return fmt.Errorf("--%s-server is of cell %s, not of %s", c.flag, Shown(work.Cell), Shown(c.name))
		}
		if strings.Join(work.Store, " ") != strings.Join(c.store, " ") {
			return fmt.Errorf("--%s-engine is not the store of the server at --%s-server", c.flag, c.flag)
		}
	}
	return nil
}

func (m *Mover) begin(ctx context.Context, projectID string, at model.Placement, to string) error {
	if err := m.check(ctx, projectID, at.Cell, to); err != nil {
		return err
	}
	if err := m.idle(ctx, projectID); err != nil {
		return err
	}
	if at.Phase == model.Staying {
		rows, err := m.Stores.Arrived(ctx, projectID)
		if err != nil {
			return err
		}
		if rows > 0 {
			return fmt.Errorf("cell %s has %d rows of the project that an earlier move left there; erase them by --abandon, then move", Shown(to), rows)
		}
	}
	err := m.Metadata.BeginMove(ctx, projectID, at.Cell, to)
	switch {
	case errors.Is(err, metastore.ErrInUse):
		return fmt.Errorf("the project is on its way to cell %s, or being erased: go on with that move, or give it up by --to %s --abandon", Shown(at.Other), Shown(at.Other))
	case err != nil:
		return err
	}
	return m.release(ctx, projectID) // one that was killed may have left it held
}

// release lets a project that is held be written to.
func (m *Mover) release(ctx context.Context, projectID string) error {
	now := time.Now()
	err := m.Metadata.KeepHolding(context.WithoutCancel(ctx), projectID, now, now)
	if errors.Is(err, metastore.ErrInUse) {
		return nil // it is not held
	}
	return err
}

// idle refuses while something is at work on the project in its cell that would not go along.
func (m *Mover) idle(ctx context.Context, projectID string) error {
	work, err := m.From.Work(ctx, projectID)
	switch {
	case err != nil:
		return fmt.Errorf("ask the server of the old cell: %w", err)
	case len(work.Jobs) > 0:
		return fmt.Errorf("the project has unfinished jobs: %s; wait for them or cancel them, then run this again", strings.Join(work.Jobs, ", "))
	case work.DeadLetters > 0:
		return fmt.Errorf("the project has %d dead letters, which stay with the log of the old cell; redrive or delete them by sonde deadletters, then run this again", work.DeadLetters)
	}
	return nil
}

// copyAhead copies while the project is served as ever, twice: what comes during the second, short copy is little.
func (m *Mover) copyAhead(ctx context.Context, projectID string) (since time.Time, err error) {
	m.Say("copying")
	if since, err = m.Stores.Copy(ctx, projectID, since); err != nil {
		return since, err
	}
	m.Say("copying what came meanwhile")
	if since, err = m.Stores.Copy(ctx, projectID, since); err != nil {
		return since, err
	}
	m.Say("comparing both cells")
	return since, m.compare(ctx, projectID, since, false)
}

// compare fails unless the new cell has the rows of the old one. What changed since the last copy is compared while the
// project is held, the rest before.
func (m *Mover) compare(ctx context.Context, projectID string, since time.Time, changed bool) error {
	missing, err := m.Stores.Missing(ctx, projectID, since, changed)
	if err == nil && missing != "" {
		err = fmt.Errorf("the new cell lacks %s; nothing has changed, run this again", missing)
	}
	return err
}

// switchOver holds the project, brings the rest over and lets the other cell serve it. When that fails the old cell goes on.
func (m *Mover) switchOver(ctx context.Context, projectID, from, to string, since time.Time) (time.Time, error) {
	began := time.Now()
	m.Say("holding the project: writes wait")
	if err := m.Metadata.HoldProject(ctx, projectID, began.Add(holdFor)); err != nil {
		return since, err
	}
	held, let := context.WithCancelCause(ctx)
	signs := make(chan struct{})
	go func() {
		defer close(signs)
		m.keepHolding(held, projectID, let)
	}()
	next, err := m.bringRest(held, projectID, since)
	let(nil)
	<-signs
	if cause := context.Cause(held); err != nil && !errors.Is(cause, context.Canceled) {
		err = errors.Join(err, cause)
	}
	if err == nil {
		now := time.Now()
		err = m.Metadata.SwitchCell(ctx, projectID, from, to, now, now.Add(heldAfter))
	}
	if err != nil {
		return since, errors.Join(fmt.Errorf("the project stays where it is; run this again to go on: %w", err), m.release(ctx, projectID))
	}
	m.Say("switched: cell %s serves the project; writes waited for %s", Shown(to), time.Since(began).Round(100*time.Millisecond))
	return next, nil
}

// bringRest waits until nothing can come to the old store any more, and copies what did.
func (m *Mover) bringRest(ctx context.Context, projectID string, since time.Time) (time.Time, error) {
	if err := wait(ctx, KnownFor+m.Settle); err != nil {
		return since, err
	}
	if err := m.awaitStored(ctx, projectID); err != nil {
		return since, err
	}
	if err := m.idle(ctx, projectID); err != nil {
		return since, err
	}
	next, err := m.Stores.Copy(ctx, projectID, since)
	if err != nil {
		return since, err
	}
	return next, m.compare(ctx, projectID, since, true)
}

func (m *Mover) keepHolding(ctx context.Context, projectID string, lost context.CancelCauseFunc) {
	for wait(ctx, signEvery) == nil {
		now := time.Now()
		if err := m.Metadata.KeepHolding(ctx, projectID, now, now.Add(holdFor)); err != nil && ctx.Err() == nil {
			lost(fmt.Errorf("the project is not held any more: %w", err))
			return
		}
	}
}

// awaitStored waits until everything that the old log holds now is stored.
func (m *Mover) awaitStored(ctx context.Context, projectID string) error {
	var now time.Time
	for {
		work, err := m.From.Work(ctx, projectID)
		if err != nil {
			return fmt.Errorf("ask the server of the old cell: %w", err)
		}
		if now.IsZero() {
			now = work.Now
		}
		if !work.Settled.Before(now) {
			return nil
		}
		if err := wait(ctx, lookEvery); err != nil {
			return err
		}
	}
}

// leave brings over what came late to the old cell, and empties it.
func (m *Mover) leave(ctx context.Context, projectID string, since time.Time) error {
	m.Say("waiting for what may come late to the old cell")
	if err := wait(ctx, lateAfter); err != nil {
		return err
	}
	if err := m.awaitStored(ctx, projectID); err != nil {
		return err
	}
	if _, err := m.Stores.Copy(ctx, projectID, since); err != nil {
		return err
	}
	if !m.KeepSource {
		m.Say("erasing the project from the old cell")
		if err := m.Stores.ForgetFrom(ctx, projectID); err != nil {
			return err
		}
	}
	if err := m.Metadata.EndMove(ctx, projectID, model.Switched); err != nil {
		return err
	}
	m.Say("done")
	return nil
}

func wait(ctx context.Context, long time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(long):
		return nil
	}
}
