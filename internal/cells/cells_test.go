package cells_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sondehq/sonde/internal/cells"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// placements is the metadata of one project, which counts how often it is asked.
type placements struct {
	mu    sync.Mutex
	now   model.Placement
	err   error
	asked atomic.Int32
}

func (p *placements) Placement(context.Context, string) (model.Placement, error) {
	p.asked.Add(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now, p.err
}

func (p *placements) set(now model.Placement, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now, p.err = now, err
}

func TestGuard(t *testing.T) {
	t.Parallel()
	later := time.Now().Add(time.Hour)
	for name, c := range map[string]struct {
		placement      model.Placement
		err            error
		serves, takes  fault.Kind
		elsewhere, not string
	}{
		"its own":            {placement: model.Placement{Cell: "a"}},
		"being copied":       {placement: model.Placement{Cell: "a", Phase: model.Copying, Other: "b"}},
		"held":               {placement: model.Placement{Cell: "a", Phase: model.Copying, Other: "b", HeldUntil: later}, takes: fault.Unavailable},
		"held no more":       {placement: model.Placement{Cell: "a", Phase: model.Copying, Other: "b", HeldUntil: time.Now().Add(-time.Second)}},
		"of another cell":    {placement: model.Placement{Cell: "b", Phase: model.Switched, Other: "a"}, serves: fault.Misdirected, takes: fault.Misdirected, elsewhere: "b"},
		"of the unnamed":     {serves: fault.Misdirected, takes: fault.Misdirected, elsewhere: ""},
		"of nobody":          {err: metastore.ErrNotFound},
		"nobody knows whose": {err: errors.New("away"), serves: fault.Unavailable, takes: fault.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			guard := cells.NewGuard("a", &placements{now: c.placement, err: c.err})
			serves, takes := guard.Serves(t.Context(), "p"), guard.Takes(t.Context(), "p")
			if fault.KindOf(serves) != c.serves || fault.KindOf(takes) != c.takes {
				t.Errorf("serves %v, takes %v", serves, takes)
			}
			if elsewhere, ok := errors.AsType[*cells.ElsewhereError](serves); ok != (c.serves == fault.Misdirected) || ok && elsewhere.Cell != c.elsewhere {
				t.Errorf("elsewhere: %v", serves)
			}
			if _, ok := errors.AsType[*cells.HeldError](takes); ok != (name == "held") {
				t.Errorf("held: %v", takes)
			}
		})
	}
}

// A guard asks once a second at most, and never believes for longer what it was told.
func TestGuardRemembersForASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &placements{now: model.Placement{Cell: "a"}}
		guard := cells.NewGuard("a", store)
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				if err := guard.Takes(t.Context(), "p"); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if n := store.asked.Load(); n != 1 {
			t.Errorf("it asked %d times", n)
		}
		store.set(model.Placement{Cell: "b"}, nil)
		time.Sleep(cells.KnownFor)
		if err := guard.Serves(t.Context(), "p"); !fault.Is(err, fault.Misdirected) {
			t.Errorf("a second after the switch: %v", err)
		}
	})
}

// Metadata that are away for less than a minute stop nobody, but a project that is being moved.
func TestGuardOutlivesTheMetadata(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &placements{now: model.Placement{Cell: "a"}}
		guard := cells.NewGuard("a", store)
		if err := guard.Takes(t.Context(), "p"); err != nil {
			t.Fatal(err)
		}
		store.set(model.Placement{}, errors.New("away"))
		for range 59 {
			time.Sleep(time.Second)
			if err := guard.Takes(t.Context(), "p"); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(2 * time.Second)
		if err := guard.Takes(t.Context(), "p"); !fault.Is(err, fault.Unavailable) {
			t.Errorf("after more than a minute: %v", err)
		}
		store.set(model.Placement{Cell: "a", Phase: model.Copying, Other: "b"}, nil)
		if err := guard.Takes(t.Context(), "p"); err != nil {
			t.Error(err)
		}
		store.set(model.Placement{}, errors.New("away"))
		time.Sleep(cells.KnownFor)
		if err := guard.Takes(t.Context(), "p"); !fault.Is(err, fault.Unavailable) {
			t.Errorf("while it is being moved: %v", err)
		}
	})
}
