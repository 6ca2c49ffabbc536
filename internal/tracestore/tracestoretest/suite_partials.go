package tracestoretest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var partialTests = map[string]func(*testing.T, Stores){
	"partials come back by event time":  partialsInOrder,
	"a partial counts once":             partialsFold,
	"found whenever they arrived":       partialsOfManyMonths,
	"an entity is all of its key":       partialsOfOthers,
	"hostile keys and bodies":           partialsHostile,
	"what is inserted is there at once": partialsVisible,
	"many entities, compared":           partialsCompared,
	"no partials are no error":          partialsEmpty,
}

// newPartial makes an event of the given millisecond after noon.
func newPartial(e tracestore.Entity, id string, millis int, edits ...func(*tracestore.Partial)) tracestore.Partial {
	p := tracestore.Partial{
		ProjectID: e.ProjectID, TraceID: e.TraceID, EntityID: e.EntityID, Kind: "span-create",
		EventTime: noon.Add(time.Duration(millis) * time.Millisecond), EventID: id,
		Version: model.RowVersion(noon, 0), Body: []byte("body of " + id),
	}
	for _, edit := range edits {
		edit(&p)
	}
	return p
}

func insertPartials(t *testing.T, store tracestore.Partials, list ...tracestore.Partial) {
	t.Helper()
	if err := store.InsertPartials(t.Context(), list); err != nil {
		t.Fatalf("insert %d partials: %v", len(list), err)
	}
}

func requirePartials(t *testing.T, store tracestore.Partials, entities []tracestore.Entity, want ...tracestore.Partial) {
	t.Helper()
	got, err := store.PartialsOf(t.Context(), entities)
	if err != nil {
		t.Fatalf("read partials: %v", err)
	}
	// Bodies by bytes.Equal: cmp would take minutes to look at large ones. Hence no EquateEmpty.
	if diff := cmp.Diff(append([]tracestore.Partial{}, want...), append([]tracestore.Partial{}, got...), cmp.Comparer(bytes.Equal)); diff != "" {
		t.Fatalf("partials (-want +got):\n%s", diff)
	}
}

func newEntity() tracestore.Entity {
	return tracestore.Entity{ProjectID: newProject(), TraceID: "t", EntityID: "e"}
}

func partialsInOrder(t *testing.T, store Stores) {
	e := newEntity()
	of := func(kind string) func(*tracestore.Partial) { return func(p *tracestore.Partial) { p.Kind = kind } }
	want := []tracestore.Partial{
		newPartial(e, "z", -1), newPartial(e, "a", 0, of("k1")), newPartial(e, "a", 0, of("k2")), newPartial(e, "b", 0), newPartial(e, "a", 7),
	}
	for _, i := range []int{3, 0, 4, 2, 1} {
		insertPartials(t, store, want[i])
	}
	requirePartials(t, store, []tracestore.Entity{e}, want...)
	// The same entity asked for twice is not more of it.
	requirePartials(t, store, []tracestore.Entity{e, e}, want...)
}

func partialsFold(t *testing.T, store Stores) {
	e := newEntity()
	versioned := func(n int) tracestore.Partial {
		return newPartial(e, "a", 0, func(p *tracestore.Partial) {
			p.Version, p.Body = model.RowVersion(noon, n), fmt.Appendf(nil, "version %d", n)
		})
	}
	for _, step := range []struct{ insert, want int }{{2, 2}, {2, 2}, {1, 2}, {3, 3}, {2, 3}} {
		insertPartials(t, store, versioned(step.insert))
		requirePartials(t, store, []tracestore.Entity{e}, versioned(step.want))
	}
	insertPartials(t, store, versioned(5), versioned(4), versioned(5))
	requirePartials(t, store, []tracestore.Entity{e}, versioned(5))
}

// Neither a client's clock nor the time of acceptance says where to look.
func partialsOfManyMonths(t *testing.T, store Stores) {
	e := newEntity()
	var want []tracestore.Partial
	for i := range 40 {
		want = append(want, newPartial(e, fmt.Sprintf("e%02d", i), 0, func(p *tracestore.Partial) {
			p.EventTime = time.Date(1960+7*i, 1, 1, 0, 0, 0, 0, time.UTC)
			p.Version = model.RowVersion(noon.AddDate(0, i%14, 0), i)
		}))
	}
	again := newPartial(e, "sent again next month", 1000, func(p *tracestore.Partial) {
		p.EventTime = time.Date(2290, 1, 1, 0, 0, 0, 0, time.UTC)
	})
	insertPartials(t, store, append([]tracestore.Partial{again}, want...)...)
	again.Version, again.Body = model.RowVersion(noon.AddDate(0, 1, 0), 0), []byte("newer")
	insertPartials(t, store, again)
	requirePartials(t, store, []tracestore.Entity{e}, append(want, again)...)
}

func partialsOfOthers(t *testing.T, store Stores) {
	mine := newEntity()
	others := []tracestore.Entity{
		{ProjectID: newProject(), TraceID: "t", EntityID: "e"},
		{ProjectID: mine.ProjectID, TraceID: "t2", EntityID: "e"},
		{ProjectID: mine.ProjectID, TraceID: "t", EntityID: "e2"},
		{ProjectID: mine.ProjectID, TraceID: "e", EntityID: "t"},
		{ProjectID: mine.ProjectID, TraceID: "t", EntityID: ""},
	}
	for _, other := range others {
		insertPartials(t, store, newPartial(other, "theirs", 0))
	}
	requirePartials(t, store, []tracestore.Entity{mine})
	insertPartials(t, store, newPartial(mine, "mine", 0))
	requirePartials(t, store, []tracestore.Entity{mine}, newPartial(mine, "mine", 0))
	requirePartials(t, store, []tracestore.Entity{others[1], mine}, newPartial(mine, "mine", 0), newPartial(others[1], "theirs", 0))
}

func partialsHostile(t *testing.T, store Stores) {
	base := newProject()
	var entities []tracestore.Entity
	var list []tracestore.Partial
	for _, text := range hostileTexts {
		e := tracestore.Entity{ProjectID: base + text, TraceID: text, EntityID: text}
		entities = append(entities, e)
		list = append(list, newPartial(e, text, 0, func(p *tracestore.Partial) { p.Kind, p.Body = text, []byte(text) }))
	}
	insertPartials(t, store, list...)
	for i, e := range entities {
		requirePartials(t, store, []tracestore.Entity{e}, list[i])
	}
	big := newPartial(newEntity(), "big", 0, func(p *tracestore.Partial) { p.Body = bytes.Repeat([]byte("0123456789abcde\xff"), 4<<20/16) })
	bare := newPartial(newEntity(), "", 0, func(p *tracestore.Partial) { p.Body, p.EventTime = nil, time.Time{} })
	insertPartials(t, store, big, bare)
	for _, p := range []tracestore.Partial{big, bare} {
		requirePartials(t, store, []tracestore.Entity{{ProjectID: p.ProjectID, TraceID: p.TraceID, EntityID: p.EntityID}}, p)
	}
}

// Two writers add to one entity; each finds its own event in what it reads next.
func partialsVisible(t *testing.T, store Stores) {
	e := newEntity()
	const writers, events = 2, 15
	done := make(chan error, writers)
	for w := range writers {
		go func() { done <- appendAndLook(t, store, e, fmt.Sprintf("w%d", w), events) }()
	}
	for range writers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	got, err := store.PartialsOf(t.Context(), []tracestore.Entity{e})
	if err != nil || len(got) != writers*events {
		t.Errorf("read %d partials (%v), want %d", len(got), err, writers*events)
	}
}

func appendAndLook(t *testing.T, store tracestore.Partials, e tracestore.Entity, writer string, events int) error {
	for i := range events {
		id := fmt.Sprintf("%s-%d", writer, i)
		if err := store.InsertPartials(t.Context(), []tracestore.Partial{newPartial(e, id, i)}); err != nil {
			return err
		}
		got, err := store.PartialsOf(t.Context(), []tracestore.Entity{e})
		if err != nil {
			return err
		}
		mine := slices.DeleteFunc(got, func(p tracestore.Partial) bool { return !strings.HasPrefix(p.EventID, writer) })
		if len(mine) != i+1 {
			return fmt.Errorf("%s sees %d of its own events, want %d", writer, len(mine), i+1)
		}
	}
	return nil
}

func partialsCompared(t *testing.T, store Stores) {
	random := rand.New(rand.NewPCG(1, 2))
	memory := &Memory{}
	project := newProject()
	entity := func() tracestore.Entity {
		return tracestore.Entity{ProjectID: project, TraceID: fmt.Sprintf("t%d", random.IntN(20)), EntityID: fmt.Sprintf("e%d", random.IntN(10))}
	}
	for range 6 {
		var list []tracestore.Partial
		for range 300 {
			list = append(list, newPartial(entity(), fmt.Sprintf("i%d", random.IntN(4)), random.IntN(3), func(p *tracestore.Partial) {
				p.Kind = []string{"create", "update"}[random.IntN(2)]
				p.Version = model.RowVersion(noon.AddDate(0, random.IntN(3), 0), random.IntN(1000))
				p.Body = fmt.Appendf(nil, "%s %s %s %s %d", p.TraceID, p.EntityID, p.EventID, p.Kind, p.Version)
			}))
		}
		insertPartials(t, store, list...)
		insertPartials(t, memory, list...)
	}
	for range 10 {
		entities := make([]tracestore.Entity, 1+random.IntN(60))
		for i := range entities {
			entities[i] = entity()
		}
		want, err := memory.PartialsOf(t.Context(), entities)
		if err != nil {
			t.Fatal(err)
		}
		requirePartials(t, store, entities, want...)
	}
}

func partialsEmpty(t *testing.T, store Stores) {
	insertPartials(t, store)
	requirePartials(t, store, nil)
	requirePartials(t, store, []tracestore.Entity{newEntity()})
	if err := store.InsertPartials(canceled(), []tracestore.Partial{newPartial(newEntity(), "a", 0)}); err == nil {
		t.Error("an insert with a canceled context reports success")
	}
	if _, err := store.PartialsOf(canceled(), []tracestore.Entity{newEntity()}); err == nil {
		t.Error("a read with a canceled context reports success")
	}
}
