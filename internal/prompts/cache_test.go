package prompts

import (
	"context"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
)

func TestHotReadsAskNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, store := open(t)
		mustMake(t, s, text("child", "c"))
		mustMake(t, s, text("p", "@@@langfusePrompt:name=child|version=1@@@", "production"))
		mustGet(t, s, "p", metastore.PromptSelector{})
		missing := func() {
			if _, err := s.Get(t.Context(), project, "nothing", latest, Resolved); !fault.Is(err, fault.NotFound) {
				t.Errorf("Get of nothing: %v", err)
			}
		}
		missing()
		reads, looks := store.reads.Load(), store.looks.Load()
		const lasting = 10 * time.Second
		for range lasting / time.Millisecond {
			mustGet(t, s, "p", metastore.PromptSelector{})
			missing()
			time.Sleep(time.Millisecond)
		}
		if more := store.reads.Load() - reads; more != 0 {
			t.Errorf("%d reads of prompts that are known", more)
		}
		if more := store.looks.Load() - looks; more < 15 || more > 21 {
			t.Errorf("%d looks in %s, want 2 in a second", more, lasting)
		}
		looks = store.looks.Load()
		time.Sleep(time.Hour)
		if store.looks.Load() != looks {
			t.Error("it looks while nobody reads")
		}
	})
}

// TestAnyMomentOfAChange has another node change a prompt at every moment between two looks.
func TestAnyMomentOfAChange(t *testing.T) {
	t.Parallel()
	for _, pause := range []time.Duration{time.Millisecond, 100 * time.Millisecond, 450 * time.Millisecond, 900 * time.Millisecond, 10 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			store := planted(t, metastoretest.NewMemory())
			reader, writer := New(store), New(store)
			defer reader.Close()
			defer writer.Close()
			mustMake(t, writer, text("p", "0"))
			for i := range 50 {
				want := strconv.Itoa(i)
				mustGet(t, reader, "p", latest)
				time.Sleep(time.Duration(i) * 37 * time.Millisecond)
				mustMake(t, writer, text("p", want))
				for began := time.Now(); ; time.Sleep(pause) {
					if mustGet(t, reader, "p", latest).Prompt.Content.Text == want {
						break
					}
					if time.Since(began) >= time.Second {
						t.Fatalf("change %d is not seen after %s, read every %s", i, time.Since(began), pause)
					}
				}
			}
		})
	}
}

func TestStoreAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, store := open(t)
		mustMake(t, s, text("p", "x"))
		mustGet(t, s, "p", latest)
		store.away.Store(true)
		began := time.Now()
		for time.Since(began) < grace-time.Second {
			mustGet(t, s, "p", latest)
			time.Sleep(10 * time.Millisecond)
		}
		if looks := store.looks.Load(); looks > 130 {
			t.Errorf("%d looks at a store that is away", looks)
		}
		if _, err := s.Get(t.Context(), project, "q", latest, Resolved); !fault.Is(err, fault.Unavailable) {
			t.Errorf("an unknown prompt while the store is away: %v", err)
		}
		time.Sleep(2 * time.Second)
		if _, err := s.Get(t.Context(), project, "p", latest, Resolved); !fault.Is(err, fault.Unavailable) {
			t.Errorf("a minute later: %v", err)
		}
		store.away.Store(false)
		time.Sleep(lookEvery)
		reads := store.reads.Load()
		mustGet(t, s, "p", latest)
		if store.reads.Load() == reads {
			t.Error("what was known before the outage counts after it")
		}
	})
}

// hung answers looks only when their context ends.
type hung struct {
	metastore.Prompts
	on atomic.Bool
}

func (h *hung) PromptChanges(ctx context.Context, since int64) (metastore.PromptChanges, error) {
	if h.on.Load() {
		<-ctx.Done()
		return metastore.PromptChanges{}, ctx.Err()
	}
	return h.Prompts.PromptChanges(ctx, since)
}

func TestHungStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &hung{Prompts: planted(t, metastoretest.NewMemory())}
		s := New(store)
		defer s.Close()
		mustMake(t, s, text("p", "x"))
		mustGet(t, s, "p", latest)
		store.on.Store(true)
		slow := 0
		for range 20 * time.Second / (10 * time.Millisecond) {
			time.Sleep(10 * time.Millisecond)
			began := time.Now()
			mustGet(t, s, "p", latest)
			if time.Since(began) > 0 {
				slow++
			}
		}
		if slow > 1 {
			t.Errorf("%d reads waited for a store that hangs", slow)
		}
	})
}

// lagging lets a test act between a read of the store and its answer.
type lagging struct {
	metastore.Prompts
	between func()
}

func (l *lagging) Prompt(ctx context.Context, projectID, name string, s metastore.PromptSelector) (model.Prompt, error) {
	p, err := l.Prompts.Prompt(ctx, projectID, name, s)
	if between := l.between; between != nil {
		l.between = nil
		between()
	}
	return p, err
}

// TestAnswersFromBeforeAChange has a read overtaken by a change of the same process.
func TestAnswersFromBeforeAChange(t *testing.T) {
	t.Parallel()
	store := &lagging{Prompts: planted(t, metastoretest.NewMemory())}
	s := New(store)
	defer s.Close()
	mustMake(t, s, text("p", "old"))
	store.between = func() {
		mustMake(t, s, text("p", "new"))
		// Comes after the change, while the question from before it is still open.
		if got := mustGet(t, s, "p", latest).Prompt.Content.Text; got != "new" {
			t.Errorf("a reader after the change got %q", got)
		}
	}
	mustGet(t, s, "p", latest)
	if got := mustGet(t, s, "p", latest).Prompt.Content.Text; got != "new" {
		t.Errorf("%q was remembered after the change", got)
	}
}

func TestLostRevisions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, store := open(t)
		mustMake(t, s, text("p", "x"))
		mustGet(t, s, "p", latest)
		// The same database, restored to a state with a smaller revision.
		restored := planted(t, metastoretest.NewMemory())
		store.Prompts = restored
		time.Sleep(time.Second)
		if _, err := s.Get(t.Context(), project, "p", latest, Resolved); !fault.Is(err, fault.NotFound) {
			t.Errorf("what the restored database does not have: %v", err)
		}
	})
}

func TestCacheBounds(t *testing.T) {
	t.Parallel()
	c := newCache()
	for i := range 3 * maxEntries {
		c.put(key{project: "p", name: strconv.Itoa(i)}, entry{err: noPrompt()}, 0)
		if _, ok, _ := c.get(key{project: "p", name: "0"}); !ok {
			t.Fatalf("what is asked for all the time was forgotten after %d", i)
		}
	}
	if n := len(c.younger) + len(c.elder); n > maxEntries {
		t.Errorf("%d entries", n)
	}
	large := &Found{Prompt: model.Prompt{Content: model.PromptContent{Text: strings.Repeat("x", 1<<20)}}}
	for i := range 200 {
		c.put(key{project: "q", name: strconv.Itoa(i)}, entry{found: large}, 0)
	}
	bytes := 0
	for _, generation := range []map[key]entry{c.younger, c.elder} {
		for k, e := range generation {
			bytes += e.size(k)
		}
	}
	if bytes > maxBytes {
		t.Errorf("%d bytes", bytes)
	}
	c.put(key{project: "stays"}, entry{err: noPrompt()}, 0)
	c.drop("p", "q")
	if n := len(c.younger) + len(c.elder); n != 1 || c.bytes != (entry{}).size(key{project: "stays"}) {
		t.Errorf("%d entries of %d bytes are left", n, c.bytes)
	}
	c.clear()
	if c.bytes != 0 || len(c.younger)+len(c.elder) != 0 {
		t.Error("something is left")
	}
}
