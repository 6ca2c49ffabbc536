package jobstest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/jobs"
)

// Run checks every promise of jobs.Store, and those of a runner on top of it. open makes an empty
// store that is gone when the test ends.
func Run(t *testing.T, open func(t *testing.T) jobs.Store) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, jobs.Store){
		"a job reads back as it was written":      roundTrip,
		"lists are bounded and newest first":      lists,
		"a project sees its own jobs":             tenants,
		"one of many updates wins":                oneWins,
		"updates need the revision":               revisions,
		"open jobs are visited oldest first":      visits,
		"open jobs are limited":                   openLimit,
		"the oldest finished jobs are forgotten":  forgets,
		"large jobs are refused":                  large,
		"ids that are none name nothing":          oddIDs,
		"a killed runner's job goes on":           killedRunner,
		"a canceled job ends soon":                cancelRunning,
		"two runners never work on the same job":  twoRunners,
		"a stopped runner gives its job back":     stoppedRunner,
		"a store that is away puts the job off":   storeAway,
		"a job that fails says why":               fails,
		"a job of an unknown kind stays":          unknownKind,
		"a write whose answer got lost is no end": lostAnswer,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func newJob(project string) jobs.Job {
	return jobs.Job{
		ID: jobs.NewID(), Kind: "count", ProjectID: project, State: jobs.Queued,
		Parameters: json.RawMessage(`{"to":3}`), CreatedAt: noon, UpdatedAt: noon,
	}
}

func create(t *testing.T, store jobs.Store, job jobs.Job) jobs.Job {
	t.Helper()
	if err := store.Create(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	return get(t, store, job)
}

func get(t *testing.T, store jobs.Store, job jobs.Job) jobs.Job {
	t.Helper()
	got, err := store.Get(t.Context(), job.ProjectID, job.ID)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func update(t *testing.T, store jobs.Store, job jobs.Job) jobs.Job {
	t.Helper()
	got, err := store.Update(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func roundTrip(t *testing.T, store jobs.Store) {
	want := newJob("a project.with > odd * text")
	want.Checkpoint, want.Result = json.RawMessage(`{"at":1}`), json.RawMessage(`[1.5]`)
	want.Progress = jobs.Progress{Done: 1, Total: 2, Text: "ümlaut"}
	want.Reason, want.Holder, want.Attempts, want.Waits, want.Orphaned = "why", "who", 1, 2, 3
	want.StartedAt, want.EndedAt, want.NotBefore = noon, noon, noon
	got := create(t, store, want)
	if got.Revision == 0 {
		t.Error("no revision")
	}
	want.Revision = got.Revision
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	want.State, want.Progress.Done = jobs.Running, 7
	want.Revision = update(t, store, want).Revision
	if diff := cmp.Diff(want, get(t, store, want)); diff != "" {
		t.Errorf("updated (-want +got):\n%s", diff)
	}
}

func lists(t *testing.T, store jobs.Store) {
	var made []string
	for range 5 {
		made = append([]string{create(t, store, newJob("a")).ID}, made...)
	}
	for _, limit := range []int{0, 1, 5, 9} {
		list, err := store.List(t.Context(), "a", limit)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(made[:min(limit, 5)], ids(list)); diff != "" {
			t.Errorf("limit %d (-want +got):\n%s", limit, diff)
		}
	}
}

func ids(list []jobs.Job) []string {
	all := []string{}
	for _, job := range list {
		all = append(all, job.ID)
	}
	return all
}

func tenants(t *testing.T, store jobs.Store) {
	job := create(t, store, newJob("a"))
	if _, err := store.Get(t.Context(), "b", job.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("another project's job: %v", err)
	}
	for _, other := range []string{"b", "", "*", ">", "a.*"} {
		if list, err := store.List(t.Context(), other, 10); err != nil || len(list) > 0 {
			t.Errorf("project %q sees %d jobs, %v", other, len(list), err)
		}
	}
	stolen := job
	stolen.ProjectID = "b"
	if _, err := store.Update(t.Context(), stolen); err == nil {
		t.Error("another project changed the job")
	}
	if got := get(t, store, job); got.Revision != job.Revision {
		t.Error("the job changed")
	}
}

func oneWins(t *testing.T, store jobs.Store) {
	job := create(t, store, newJob("a"))
	for range 5 {
		var wins atomic.Int32
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() {
				mine := job
				mine.Holder = strconv.Itoa(i)
				_, err := store.Update(t.Context(), mine)
				switch {
				case err == nil:
					wins.Add(1)
				case !errors.Is(err, jobs.ErrChanged):
					t.Errorf("update: %v", err)
				}
			})
		}
		group.Wait()
		if wins.Load() != 1 {
			t.Errorf("%d updates of one revision won", wins.Load())
		}
		job = get(t, store, job)
	}
}

func revisions(t *testing.T, store jobs.Store) {
	job := create(t, store, newJob("a"))
	stale := job
	job.State = jobs.Running
	job = update(t, store, job)
	if _, err := store.Update(t.Context(), stale); !errors.Is(err, jobs.ErrChanged) {
		t.Errorf("a stale update: %v", err)
	}
	if got := get(t, store, job); got.State != jobs.Running {
		t.Errorf("state %s", got.State)
	}
	if _, err := store.Update(t.Context(), newJob("a")); err == nil {
		t.Error("a job was updated that was never created")
	}
}

func visits(t *testing.T, store jobs.Store) {
	var want []string
	for i := range 6 {
		job := create(t, store, newJob(fmt.Sprint("project ", i%2)))
		if i == 2 {
			job.State = jobs.Done
			update(t, store, job)
			continue
		}
		want = append(want, job.ID)
	}
	var got []string
	if err := store.Open(t.Context(), func(job jobs.Job) bool { got = append(got, job.ID); return true }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("visited (-want +got):\n%s", diff)
	}
	seen := 0
	if err := store.Open(t.Context(), func(jobs.Job) bool { seen++; return seen < 2 }); err != nil || seen != 2 {
		t.Errorf("visited %d after saying stop at 2, %v", seen, err)
	}
}

func openLimit(t *testing.T, store jobs.Store) {
	var last jobs.Job
	for range jobs.MaxOpen {
		last = create(t, store, newJob("a"))
	}
	if err := store.Create(t.Context(), newJob("a")); !fault.Is(err, fault.Limited) {
		t.Errorf("one too many: %v", err)
	}
	create(t, store, newJob("b"))
	last.State = jobs.Canceled
	update(t, store, last)
	create(t, store, newJob("a"))
}

func forgets(t *testing.T, store jobs.Store) {
	open := create(t, store, newJob("a"))
	var finished []jobs.Job
	for range jobs.MaxKept + 3 {
		job := create(t, store, newJob("a"))
		job.State = jobs.Done
		finished = append(finished, update(t, store, job))
	}
	list, err := store.List(t.Context(), "a", 10*jobs.MaxKept)
	if err != nil || len(list) > jobs.MaxKept+1 {
		t.Errorf("%d jobs are kept, %v", len(list), err)
	}
	get(t, store, open)
	get(t, store, finished[len(finished)-1])
	if _, err := store.Get(t.Context(), "a", finished[0].ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("the oldest finished job: %v", err)
	}
}

func large(t *testing.T, store jobs.Store) {
	big := json.RawMessage(`"` + strings.Repeat("x", jobs.MaxBytes) + `"`)
	job := newJob("a")
	job.Parameters = big
	if err := store.Create(t.Context(), job); !errors.Is(err, jobs.ErrTooLarge) {
		t.Errorf("create: %v", err)
	}
	job = create(t, store, newJob("a"))
	grown := job
	grown.Checkpoint = big
	if _, err := store.Update(t.Context(), grown); !errors.Is(err, jobs.ErrTooLarge) {
		t.Errorf("update: %v", err)
	}
	job.State = jobs.Running
	update(t, store, job)
}

func oddIDs(t *testing.T, store jobs.Store) {
	job := create(t, store, newJob("a"))
	for _, id := range []string{"", "*", ">", "a.b", strings.ToUpper(job.ID), "{" + job.ID + "}", "urn:uuid:" + job.ID, job.ID + ".x", "\x00", " "} {
		if _, err := store.Get(context.WithoutCancel(t.Context()), "a", id); !fault.Is(err, fault.NotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
}
