package metastoretest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

var reviewsTests = map[string]func(*testing.T, metastore.Store){
	"updated queues":              testUpdateQueue,
	"queue progress":              testQueueProgress,
	"held items":                  testHold,
	"next items":                  testHoldNext,
	"completed and reopened":      testCompleteAndReopen,
	"drafts":                      testDrafts,
	"reviews of other projects":   testReviewTenants,
	"no item for two at once":     testHoldAtOnce,
	"holds by many, step by step": testHoldWalk,
}

// holdTime is how long the holds of these tests are.
const holdTime = time.Minute

// reviewer asks for items of a queue at a time after annotated.
func reviewer(q model.Queue, user string, after time.Duration) metastore.Hold {
	now := annotated.Add(after)
	return metastore.Hold{ProjectID: q.ProjectID, QueueID: q.ID, UserID: user, Now: now, Until: now.Add(holdTime)}
}

// plantQueue makes a queue with items of these ids, each a microsecond after the one before.
func plantQueue(t *testing.T, store metastore.Store, ids ...string) model.Queue {
	t.Helper()
	q := queue(mustPlant(t, store, Seed("seed")).Project.ID, "q", 0)
	wantError(t, "CreateQueue", store.CreateQueue(t.Context(), q), nil)
	for i, id := range ids {
		wantError(t, "CreateQueueItem", store.CreateQueueItem(t.Context(), queueItem(q, id, i)), nil)
	}
	return q
}

// wantNext holds the next item and says which it should be; empty: none.
func wantNext(t *testing.T, store metastore.Store, h metastore.Hold, from string, back bool, want string) {
	t.Helper()
	got, err := store.HoldNextQueueItem(t.Context(), h, from, back)
	if want == "" {
		wantError(t, "HoldNextQueueItem", err, metastore.ErrNotFound)
		return
	}
	if err != nil || got.ID != want || got.HeldBy != h.UserID || !got.HeldUntil.Equal(h.Until) {
		t.Errorf("HoldNextQueueItem from %q = %s, held by %s until %v, %v; want %s", from, got.ID, got.HeldBy, got.HeldUntil, err, want)
	}
}

func testUpdateQueue(t *testing.T, store metastore.Store) {
	q := plantQueue(t, store)
	other := queue(q.ProjectID, "other", 1)
	wantError(t, "CreateQueue", store.CreateQueue(t.Context(), other), nil)
	q.Name, q.Description, q.ScoreConfigIDs, q.UpdatedAt = "new name", "", []string{"c3"}, annotated.Add(5*time.Hour)
	wantError(t, "UpdateQueue", store.UpdateQueue(t.Context(), q), nil)
	wantQueues(t, store, q.ProjectID, metastore.Range{Limit: 10}, 2, other, q)
	taken := q
	taken.Name = other.Name
	wantError(t, "UpdateQueue to a taken name", store.UpdateQueue(t.Context(), taken), metastore.ErrExists)
	taken.ID = "none"
	wantError(t, "UpdateQueue of none", store.UpdateQueue(t.Context(), queue(q.ProjectID, "none", 0)), metastore.ErrNotFound)
	wantInvalid(t, "UpdateQueue without a name", store.UpdateQueue(t.Context(), model.Queue{ProjectID: q.ProjectID, ID: q.ID}))
	wantQueues(t, store, q.ProjectID, metastore.Range{Limit: 10}, 2, other, q)
}

func testQueueProgress(t *testing.T, store metastore.Store) {
	q := plantQueue(t, store, "a", "b", "c")
	empty := queue(q.ProjectID, "empty", 0)
	wantError(t, "CreateQueue", store.CreateQueue(t.Context(), empty), nil)
	for _, user := range []string{"zoe", "ada", "zoe"} {
		wantError(t, "Assign", store.Assign(t.Context(), q.ProjectID, q.ID, user), nil)
	}
	ada, lost := reviewer(q, "ada", 0), reviewer(q, "lost", -time.Hour)
	_, err := store.HoldQueueItem(t.Context(), lost, "a")
	wantError(t, "HoldQueueItem", err, nil)
	held, err := store.HoldQueueItem(t.Context(), ada, "b")
	wantError(t, "HoldQueueItem", err, nil)
	_, err = store.HoldQueueItem(t.Context(), ada, "c")
	wantError(t, "HoldQueueItem", err, nil)
	_, err = store.CompleteQueueItem(t.Context(), ada, "c")
	wantError(t, "CompleteQueueItem", err, nil)
	got, err := store.QueueProgress(t.Context(), q.ProjectID, []string{"empty", "q", "none"}, ada.Now)
	want := []model.QueueProgress{
		{QueueID: "empty"}, {QueueID: "q", Pending: 2, Completed: 1, Held: []model.QueueItem{held}, Assigned: []string{"zoe", "ada"}}, {QueueID: "none"},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("progress: %v (-want +got):\n%s", err, diff)
	}
	_, err = store.QueueProgress(t.Context(), q.ProjectID, []string{"\x00"}, ada.Now)
	wantInvalid(t, "QueueProgress with a NUL", err)
}

func testHold(t *testing.T, store metastore.Store) {
	q := plantQueue(t, store, "a", "b")
	hold := func(h metastore.Hold, item string, want error) {
		t.Helper()
		got, err := store.HoldQueueItem(t.Context(), h, item)
		wantError(t, "HoldQueueItem "+item+" for "+h.UserID, err, want)
		if kept, readErr := store.QueueItem(t.Context(), q.ProjectID, q.ID, item); want == nil && (readErr != nil || cmp.Diff(got, kept) != "") {
			t.Errorf("held item: %v (-answered +kept):\n%s", readErr, cmp.Diff(got, kept))
		}
	}
	hold(reviewer(q, "ada", 0), "a", nil)
	hold(reviewer(q, "zoe", holdTime-time.Microsecond), "a", metastore.ErrInUse)
	hold(reviewer(q, "ada", holdTime/2), "a", nil) // goes on
	hold(reviewer(q, "zoe", holdTime), "a", metastore.ErrInUse)
	hold(reviewer(q, "zoe", holdTime/2+holdTime), "a", nil) // ada is lost
	hold(reviewer(q, "ada", holdTime/2+holdTime), "a", metastore.ErrInUse)
	hold(reviewer(q, "ada", holdTime/2+holdTime), "none", metastore.ErrNotFound)

	late := reviewer(q, "zoe", 2*holdTime)
	wantError(t, "ReleaseQueueItem of another's", store.ReleaseQueueItem(t.Context(), reviewer(q, "ada", 2*holdTime), "a"), nil)
	hold(reviewer(q, "ada", 2*holdTime), "a", metastore.ErrInUse)
	wantError(t, "ReleaseQueueItem", store.ReleaseQueueItem(t.Context(), late, "a"), nil)
	hold(reviewer(q, "ada", 2*holdTime), "a", nil)
	wantError(t, "ReleaseQueueItem of none", store.ReleaseQueueItem(t.Context(), late, "none"), nil)

	done := queueItem(q, "b", 1)
	done.Status, done.CompletedAt = model.Completed, annotated
	wantError(t, "UpdateQueueItem", store.UpdateQueueItem(t.Context(), done), nil)
	hold(reviewer(q, "ada", 0), "b", metastore.ErrInUse)
	for _, h := range []metastore.Hold{{ProjectID: q.ProjectID, QueueID: q.ID}, {ProjectID: q.ProjectID, QueueID: "\x00", UserID: "u"}} {
		_, err := store.HoldQueueItem(t.Context(), h, "a")
		wantInvalid(t, "HoldQueueItem for nobody", err)
		_, err = store.HoldNextQueueItem(t.Context(), h, "", false)
		wantInvalid(t, "HoldNextQueueItem for nobody", err)
	}
}

func testHoldNext(t *testing.T, store metastore.Store) {
	q := plantQueue(t, store, "a", "b", "c", "d")
	ada, zoe := reviewer(q, "ada", 0), reviewer(q, "zoe", 0)
	wantNext(t, store, ada, "", false, "a")
	wantNext(t, store, zoe, "", false, "b")
	wantNext(t, store, ada, "", false, "a")  // as before a reload
	wantNext(t, store, ada, "a", false, "c") // b is zoe's
	wantNext(t, store, zoe, "b", true, "a")  // ada has let it go
	wantNext(t, store, ada, "c", false, "d")
	wantNext(t, store, ada, "d", false, "b") // from the beginning, a is zoe's
	wantNext(t, store, ada, "b", true, "d")
	wantNext(t, store, ada, "gone", false, "b") // an item that was deleted
	later := reviewer(q, "zoe", 2*holdTime)
	wantNext(t, store, later, "", true, "d")
	for _, id := range []string{"a", "b", "c"} {
		_, err := store.HoldQueueItem(t.Context(), reviewer(q, "bob", 2*holdTime), id)
		wantError(t, "HoldQueueItem", err, nil)
	}
	wantNext(t, store, later, "d", false, "d") // only this one is left for her
	wantNext(t, store, reviewer(q, "ada", 2*holdTime), "", false, "")
	none := q
	none.ID = "none"
	wantNext(t, store, reviewer(none, "ada", 0), "", false, "")
}

func testCompleteAndReopen(t *testing.T, store metastore.Store) {
	q := plantQueue(t, store, "a")
	ada, zoe := reviewer(q, "ada", 0), reviewer(q, "zoe", 0)
	complete := func(h metastore.Hold, want error) {
		t.Helper()
		_, err := store.CompleteQueueItem(t.Context(), h, "a")
		wantError(t, "CompleteQueueItem", err, want)
	}
	complete(ada, metastore.ErrInUse) // nobody holds it
	wantNext(t, store, ada, "", false, "a")
	complete(zoe, metastore.ErrInUse)
	complete(reviewer(q, "ada", holdTime), metastore.ErrInUse) // her hold has ended
	_, err := store.CompleteQueueItem(t.Context(), ada, "none")
	wantError(t, "CompleteQueueItem of none", err, metastore.ErrNotFound)
	complete(ada, nil)
	complete(ada, metastore.ErrInUse)
	want := queueItem(q, "a", 0)
	want.Status, want.CompletedBy, want.CompletedAt, want.UpdatedAt = model.Completed, "ada", ada.Now, ada.Now
	wantQueueItems(t, store, q, "", metastore.Range{Limit: 1}, 1, want)
	wantNext(t, store, zoe, "", false, "")

	_, err = store.ReopenQueueItem(t.Context(), zoe, "a")
	wantError(t, "ReopenQueueItem of another's", err, metastore.ErrInUse)
	got, err := store.ReopenQueueItem(t.Context(), ada, "a")
	want.Status, want.CompletedBy, want.CompletedAt, want.HeldBy, want.HeldUntil = model.Pending, "", time.Time{}, "ada", ada.Until
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("reopened: %v (-want +got):\n%s", err, diff)
	}
	_, err = store.ReopenQueueItem(t.Context(), ada, "a")
	wantError(t, "ReopenQueueItem again", err, metastore.ErrInUse)
	wantNext(t, store, zoe, "", false, "")
	complete(ada, nil)
}

func testDrafts(t *testing.T, store metastore.Store) {
	q := plantQueue(t, store, "a")
	ada, zoe := reviewer(q, "ada", 0), reviewer(q, "zoe", 2*holdTime)
	draft := func(user, want string) {
		t.Helper()
		if got, err := store.Draft(t.Context(), q.ProjectID, q.ID, "a", user); got != want || err != nil {
			t.Errorf("draft of %s = %q, %v, want %q", user, got, err, want)
		}
	}
	draft("ada", "")
	wantError(t, "SaveDraft of what is not held", store.SaveDraft(t.Context(), ada, "a", "{}"), metastore.ErrInUse)
	wantError(t, "SaveDraft of none", store.SaveDraft(t.Context(), ada, "none", "{}"), metastore.ErrInUse)
	wantNext(t, store, ada, "", false, "a")
	wantError(t, "SaveDraft", store.SaveDraft(t.Context(), ada, "a", `{"it's":"1"}`), nil)
	ada = reviewer(q, "ada", holdTime-1)
	wantError(t, "SaveDraft again", store.SaveDraft(t.Context(), ada, "a", `{"so":"2"}`), nil)
	draft("ada", `{"so":"2"}`)
	draft("zoe", "")
	_, err := store.HoldQueueItem(t.Context(), reviewer(q, "zoe", holdTime+1), "a")
	wantError(t, "HoldQueueItem while drafts are saved", err, metastore.ErrInUse)
	wantNext(t, store, zoe, "", false, "a")
	wantError(t, "SaveDraft of what was taken over", store.SaveDraft(t.Context(), reviewer(q, "ada", 2*holdTime), "a", "{}"), metastore.ErrInUse)
	draft("ada", `{"so":"2"}`)
	wantInvalid(t, "SaveDraft with a NUL", store.SaveDraft(t.Context(), zoe, "a", "\x00"))
	_, err = store.CompleteQueueItem(t.Context(), zoe, "a")
	wantError(t, "CompleteQueueItem", err, nil)
	wantError(t, "SaveDraft of what is completed", store.SaveDraft(t.Context(), zoe, "a", "{}"), metastore.ErrInUse)
	if got, err := store.Draft(t.Context(), q.ProjectID, "other", "a", "ada"); got != "" || err != nil {
		t.Errorf("draft by another queue: %q, %v", got, err)
	}
	wantError(t, "DeleteQueueItem", store.DeleteQueueItem(t.Context(), q.ProjectID, q.ID, "a"), nil)
	draft("ada", "")
	wantError(t, "CreateQueueItem", store.CreateQueueItem(t.Context(), queueItem(q, "a", 0)), nil)
	draft("ada", "") // nothing of the item before
}

func testReviewTenants(t *testing.T, store metastore.Store) {
	q := plantQueue(t, store, "a")
	wantError(t, "CreateProject", store.CreateProject(t.Context(), model.Project{ID: "other", Organization: Seed("seed").Organization}), nil)
	foreign := queue("other", "q", 0)
	wantError(t, "CreateQueue", store.CreateQueue(t.Context(), foreign), nil)
	wantError(t, "CreateQueueItem", store.CreateQueueItem(t.Context(), queueItem(foreign, "a", 0)), nil)
	own, theirs := reviewer(q, "ada", 0), reviewer(foreign, "ada", 0)
	wantNext(t, store, own, "", false, "a")
	wantError(t, "SaveDraft", store.SaveDraft(t.Context(), own, "a", "{}"), nil)
	if got, err := store.Draft(t.Context(), "other", "q", "a", "ada"); got != "" || err != nil {
		t.Errorf("draft of another project: %q, %v", got, err)
	}
	wantError(t, "SaveDraft in another project", store.SaveDraft(t.Context(), theirs, "a", "{}"), metastore.ErrInUse)
	wantError(t, "ReleaseQueueItem in another project", store.ReleaseQueueItem(t.Context(), theirs, "a"), nil)
	_, err := store.CompleteQueueItem(t.Context(), theirs, "a")
	wantError(t, "CompleteQueueItem in another project", err, metastore.ErrInUse)
	wantNext(t, store, reviewer(foreign, "zoe", 0), "", false, "a")
	_, err = store.CompleteQueueItem(t.Context(), own, "a")
	wantError(t, "CompleteQueueItem", err, nil)
}

// testHoldAtOnce lets many people empty a queue at once: each item is handed to one of them only.
func testHoldAtOnce(t *testing.T, store metastore.Store) {
	const people, items = 8, 40
	ids := make([]string, items)
	for i := range ids {
		ids[i] = fmt.Sprintf("i%02d", i)
	}
	q := plantQueue(t, store, ids...)
	var mu sync.Mutex
	handed := map[string]string{}
	for _, err := range atOnce(people, func(person int) error {
		h := reviewer(q, fmt.Sprint("u", person), 0)
		for {
			item, err := store.HoldNextQueueItem(t.Context(), h, "", false)
			if errors.Is(err, metastore.ErrNotFound) {
				return nil
			}
			if err != nil {
				return err
			}
			mu.Lock()
			if other, taken := handed[item.ID]; taken {
				err = fmt.Errorf("%s has %s, which %s had", h.UserID, item.ID, other)
			}
			handed[item.ID] = h.UserID
			mu.Unlock()
			if err != nil {
				return err
			}
			if _, err := store.CompleteQueueItem(t.Context(), h, item.ID); err != nil {
				return err
			}
		}
	}) {
		wantError(t, "a reviewer", err, nil)
	}
	if len(handed) != items {
		t.Errorf("%d items were handed out, want %d", len(handed), items)
	}
}

// testHoldWalk asks in random order as several people whose clock goes on. Whatever a store answers, nobody holds what
// another one held at that time, and nobody is refused what is free.
func testHoldWalk(t *testing.T, store metastore.Store) {
	ids := []string{"a", "b", "c"}
	q := plantQueue(t, store, ids...)
	truth := map[string]held{}
	drawn := rand.New(rand.NewPCG(17, 62))
	clock := time.Duration(0)
	for step := range 300 {
		clock += time.Duration(drawn.IntN(int(holdTime / 3)))
		h := reviewer(q, []string{"ada", "zoe", "bob"}[drawn.IntN(3)], clock)
		id := ids[drawn.IntN(3)]
		now := truth[id]
		next, want, err := stepOfWalk(t, store, drawn.IntN(4), h, id, now)
		if want {
			truth[id] = next
		}
		if (err == nil) != want || (err != nil && !errors.Is(err, metastore.ErrInUse)) {
			t.Fatalf("step %d: %s asks for %s at %v: %v, want it %v (it is %+v)", step, h.UserID, id, clock, err, want, now)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := store.HoldNextQueueItem(ctx, reviewer(q, "ada", 0), "", false)
	wantError(t, "HoldNextQueueItem", err, context.Canceled)
}

// held is what a walk knows of an item.
type held struct {
	by    string
	until time.Time
	done  bool
}

// stepOfWalk asks for one of four things. It returns what the item becomes when that is granted, and whether it should be.
func stepOfWalk(t *testing.T, store metastore.Store, kind int, h metastore.Hold, id string, now held) (next held, want bool, err error) {
	t.Helper()
	next = held{by: h.UserID, until: h.Until}
	mine := now.by == h.UserID
	holds := now.by != "" && now.until.After(h.Now) && !now.done
	switch kind {
	case 0:
		_, err = store.HoldQueueItem(t.Context(), h, id)
		return next, !now.done && (!holds || mine), err
	case 1:
		_, err = store.CompleteQueueItem(t.Context(), h, id)
		return held{by: h.UserID, done: true}, holds && mine, err
	case 2:
		_, err = store.ReopenQueueItem(t.Context(), h, id)
		return next, now.done && mine, err
	default:
		err = store.SaveDraft(t.Context(), h, id, "{}")
		return next, holds && mine, err
	}
}
