package cells_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sondehq/sonde/internal/cells"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
)

const project = "seed-project"

// world is a move from the cell without a name to b, with stores and servers that say what a test wants.
type world struct {
	*metastoretest.Memory
	mover   cells.Mover
	work    cells.Work // of the old cell
	other   string     // the cell of the process at the new one's address
	arrived uint64
	missing map[bool]string                 // by whether it changed
	onCopy  func(ctx context.Context) error // nil: nothing happens
	lose    bool                            // the hold, at its first renewal
	begun   time.Time                       // when the move was made known last

	copies, forgotFrom, forgotTo int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{Memory: metastoretest.NewMemory(), other: "b", missing: map[bool]string{}}
	if _, err := w.Plant(t.Context(), metastoretest.Seed("seed")); err != nil {
		t.Fatal(err)
	}
	w.mover = cells.Mover{Metadata: w, Stores: w, From: oldServer{w}, To: newServer{w}, Settle: time.Second, Say: t.Logf}
	return w
}

func (w *world) BeginMove(ctx context.Context, id, from, to string) error {
	w.begun = time.Now()
	return w.Memory.BeginMove(ctx, id, from, to)
}

func (w *world) HoldProject(ctx context.Context, id string, until time.Time) error {
	if known := time.Since(w.begun); known < cells.Grace {
		return fmt.Errorf("held after the move was known for %s only", known)
	}
	return w.Memory.HoldProject(ctx, id, until)
}

func (w *world) KeepHolding(ctx context.Context, id string, now, until time.Time) error {
	if w.lose && until.After(now) {
		return errors.New("somebody let it go")
	}
	return w.Memory.KeepHolding(ctx, id, now, until)
}

func (w *world) Identities(context.Context) (from, to []string, err error) {
	return []string{"1"}, []string{"2"}, nil
}

func (w *world) Copy(ctx context.Context, _ string, _ time.Time) (time.Time, error) {
	w.copies++
	if w.onCopy != nil {
		return time.Time{}, w.onCopy(ctx)
	}
	return time.Now(), nil
}

func (w *world) Missing(_ context.Context, _ string, _ time.Time, changed bool) (string, error) {
	return w.missing[changed], nil
}
func (w *world) Arrived(context.Context, string) (uint64, error) { return w.arrived, nil }
func (w *world) ForgetFrom(context.Context, string) error        { w.forgotFrom++; return nil }
func (w *world) ForgetTo(context.Context, string) error          { w.forgotTo++; return nil }

type oldServer struct{ *world }

func (s oldServer) Work(context.Context, string) (cells.Work, error) {
	work := s.work
	work.Store, work.Now, work.Settled = []string{"1"}, time.Now(), time.Now()
	return work, nil
}

type newServer struct{ *world }

func (s newServer) Work(context.Context, string) (cells.Work, error) {
	return cells.Work{Cell: s.other, Store: []string{"2"}}, nil
}

// Whatever goes wrong before the switch, the project stays where it is, is not held, and loses no row; a second run then
// goes on.
func TestMovesThatFail(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(w *world)
		want  string
		phase model.MovePhase
	}{
		"jobs":              {func(w *world) { w.work.Jobs = []string{"export 1"} }, "export 1", model.Staying},
		"dead letters":      {func(w *world) { w.work.DeadLetters = 3 }, "3 dead letters", model.Staying},
		"the wrong process": {func(w *world) { w.other = "c" }, "of cell c, not of b", model.Staying},
		"rows from before":  {func(w *world) { w.arrived = 7 }, "7 rows", model.Staying},
		"old rows missing":  {func(w *world) { w.missing[false] = "1 of 2 rows" }, "lacks 1 of 2 rows", model.Copying},
		"new rows missing":  {func(w *world) { w.missing[true] = "1 of 2 rows" }, "stays where it is", model.Copying},
		"the hold is lost":  {func(w *world) { w.lose, w.onCopy = true, w.slowWhenHeld }, "not held any more", model.Copying},
		"a copy while held": {func(w *world) { w.onCopy = w.failWhenHeld }, "stays where it is", model.Copying},
		"a job while held":  {func(w *world) { w.onCopy = w.jobAtLast }, "unfinished jobs", model.Copying},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				c.spoil(w)
				err := w.mover.Move(t.Context(), project, "b")
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Fatalf("%v, want %q", err, c.want)
				}
				at, err := w.Placement(t.Context(), project)
				if err != nil || at.Cell != "" || at.Phase != c.phase || at.Held(time.Now()) || w.forgotFrom > 0 {
					t.Errorf("it is at %+v, %v; %d times erased", at, err, w.forgotFrom)
				}
				w.work, w.other, w.arrived, w.missing, w.onCopy, w.lose = cells.Work{}, "b", 0, nil, nil, false
				if err := w.mover.Move(t.Context(), project, "b"); err != nil {
					t.Fatalf("the second time: %v", err)
				}
				if at, err := w.Placement(t.Context(), project); err != nil || at != (model.Placement{Cell: "b"}) || w.forgotFrom != 1 {
					t.Errorf("moved to %+v, %v; %d times erased", at, err, w.forgotFrom)
				}
			})
		})
	}
}

func (w *world) held(ctx context.Context) bool {
	at, _ := w.Placement(ctx, project)
	return at.Held(time.Now())
}

func (w *world) slowWhenHeld(ctx context.Context) error {
	if !w.held(ctx) {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

func (w *world) failWhenHeld(ctx context.Context) error {
	if w.held(ctx) {
		return errors.New("no connection")
	}
	return nil
}

func (w *world) jobAtLast(context.Context) error {
	w.work.Jobs = []string{"erase 2"}
	return nil
}

// Who gives up leaves nothing in the other cell; who has switched cannot.
func TestAbandon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.missing[false] = "some rows"
		if err := w.mover.Move(t.Context(), project, "b"); err == nil {
			t.Fatal("it moved")
		}
		if err := w.mover.Abandon(t.Context(), project, "b"); err != nil {
			t.Fatal(err)
		}
		if at, err := w.Placement(t.Context(), project); err != nil || at != (model.Placement{}) || w.forgotTo != 1 || w.forgotFrom != 0 {
			t.Errorf("it is at %+v, %v; erased %d and %d times", at, err, w.forgotTo, w.forgotFrom)
		}
		w.missing[false] = ""
		w.mover.KeepSource = true
		if err := w.mover.Move(t.Context(), project, "b"); err != nil {
			t.Fatal(err)
		}
		if err := w.mover.Abandon(t.Context(), project, "b"); err == nil || w.forgotTo != 1 || w.forgotFrom != 0 {
			t.Errorf("given up after the switch: %v; erased %d and %d times", err, w.forgotTo, w.forgotFrom)
		}
	})
}
