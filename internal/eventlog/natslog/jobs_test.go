package natslog_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/sondehq/sonde/internal/eventlog/natslog"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/jobs/jobstest"
)

func openJobs(t *testing.T, log *natslog.Log) *natslog.Jobs {
	t.Helper()
	store, err := log.Jobs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func TestJobsContractEmbedded(t *testing.T) {
	t.Parallel()
	jobstest.Run(t, func(t *testing.T) jobs.Store {
		return openJobs(t, openEmbedded(t, natslog.Config{Dir: t.TempDir(), Partitions: 1, MinFreeBytes: 1, Logger: testLogger(t)}).Log)
	})
}

func TestJobsContractRemote(t *testing.T) {
	t.Parallel()
	jobstest.Run(t, func(t *testing.T) jobs.Store {
		url := startServer(t, &server.Options{StoreDir: t.TempDir()}).ClientURL()
		return openJobs(t, openRemote(t, natslog.Config{URL: url, Partitions: 1, Logger: testLogger(t)}).Log)
	})
}

func aJob(kind string) jobs.Job {
	now := time.Now().UTC().Truncate(time.Millisecond)
	return jobs.Job{ID: jobs.NewID(), Kind: kind, ProjectID: "p", State: jobs.Queued, CreatedAt: now, UpdatedAt: now}
}

// A mark whose job was never created, or has ended, is left over from a crash: it must neither be
// visited nor count against the project for ever.
func TestLeftOverMarksGo(t *testing.T) {
	t.Parallel()
	log := openEmbedded(t, natslog.Config{Dir: t.TempDir(), Partitions: 1, MinFreeBytes: 1, Logger: testLogger(t)}).Log
	store := openJobs(t, log)
	job := aJob("x")
	if err := store.Create(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	job, err := store.Get(t.Context(), "p", job.ID)
	if err != nil {
		t.Fatal(err)
	}
	job.State = jobs.Done
	if _, err := store.Update(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	mark := func(id string) {
		if _, err := natslog.JetStreamOf(log).Publish(t.Context(), natslog.JobMark("p", id), nil); err != nil {
			t.Fatal(err)
		}
	}
	longAgo, _ := uuid.Parse("01900000-0000-7000-8000-000000000000")
	young := jobs.NewID()
	mark(job.ID)
	mark(longAgo.String())
	mark(young)
	if err := store.Open(t.Context(), func(job jobs.Job) bool { t.Errorf("visited %+v", job); return true }); err != nil {
		t.Fatal(err)
	}
	stream, err := natslog.JetStreamOf(log).Stream(t.Context(), "SONDE_JOBS")
	if err != nil {
		t.Fatal(err)
	}
	for id, kept := range map[string]bool{job.ID: false, longAgo.String(): false, young: true} {
		if _, err := stream.GetLastMsgForSubject(t.Context(), natslog.JobMark("p", id)); (err == nil) != kept {
			t.Errorf("mark of %s: %v, want kept %t", id, err, kept)
		}
	}
}

func TestJobsAwayAreUnavailable(t *testing.T) {
	t.Parallel()
	s := startServer(t, &server.Options{StoreDir: t.TempDir()})
	store := openJobs(t, openRemote(t, natslog.Config{URL: s.ClientURL(), Partitions: 1, Logger: testLogger(t)}).Log)
	job := aJob("x")
	if err := store.Create(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	job, err := store.Get(t.Context(), "p", job.ID)
	if err != nil {
		t.Fatal(err)
	}
	s.Shutdown()
	s.WaitForShutdown()
	_, getErr := store.Get(t.Context(), "p", job.ID)
	_, listErr := store.List(t.Context(), "p", 1)
	_, updateErr := store.Update(t.Context(), job)
	openErr := store.Open(t.Context(), func(jobs.Job) bool { return true })
	for name, err := range map[string]error{
		"get": getErr, "list": listErr, "update": updateErr, "open": openErr, "create": store.Create(t.Context(), aJob("x")),
	} {
		if !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// steps is a handler that notes every step in a file before its checkpoint.
type steps struct{ file string }

func (steps) Check(p json.RawMessage) (json.RawMessage, error) { return p, nil }

const stepCount = 200

func (s steps) Run(ctx context.Context, task jobs.Task) (json.RawMessage, error) {
	next := 0
	if text := task.Job().Checkpoint; text != nil {
		if err := json.Unmarshal(text, &next); err != nil {
			return nil, err
		}
	}
	notes, err := os.OpenFile(s.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer notes.Close()
	for ; next < stepCount; next++ {
		if _, err := fmt.Fprintln(notes, next); err != nil {
			return nil, err
		}
		if err := task.Checkpoint(ctx, json.RawMessage(strconv.Itoa(next+1))); err != nil {
			return nil, err
		}
	}
	return json.RawMessage(strconv.Itoa(next)), nil
}

var impatient = jobs.Options{Poll: 10 * time.Millisecond, Beat: 30 * time.Millisecond, Lease: 200 * time.Millisecond}

// childJobs runs a runner in a process of its own and prints when the job moved on.
func childJobs(dir string) error {
	ctx := context.Background()
	log, err := natslog.OpenEmbedded(ctx, childConfig(dir))
	if err != nil {
		return err
	}
	store, err := log.Jobs(ctx)
	if err != nil {
		return err
	}
	go jobs.NewRunner(store, map[string]jobs.Handler{"steps": steps{dir + "/../notes"}}, slog.New(slog.DiscardHandler), impatient).Run(ctx)
	id := os.Getenv(childJob)
	for last := ""; ; <-time.After(time.Millisecond) {
		job, err := store.Get(ctx, "p", id)
		if err != nil {
			return err
		}
		if now := string(job.Checkpoint); now != last || job.State.Final() {
			fmt.Fprintln(os.Stdout, job.State, now)
			last = now
		}
		if job.State.Final() {
			return errors.New("ended")
		}
	}
}

// TestJobSurvivesKill kills the process that works on a job at any moment, again and again. The job
// ends, and no step was left out or done again but the one in hand when its runner died.
func TestJobSurvivesKill(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	dir := base + "/log"
	first := openEmbedded(t, childConfig(dir))
	store, job := openJobs(t, first.Log), aJob("steps")
	if err := store.Create(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	closeLog(t, first.Log)
	kills, ended := 0, false
	for !ended && kills < 200 {
		var mu sync.Mutex
		killSoon(t, dir, "jobs", func(line string) {
			mu.Lock()
			defer mu.Unlock()
			if line == "done " || line == "error ended" {
				ended = true
			}
		}, childJob+"="+job.ID)
		kills++
	}
	store = openJobs(t, openEmbedded(t, childConfig(dir)).Log)
	got, err := store.Get(t.Context(), "p", job.ID)
	if err != nil || got.State != jobs.Done || string(got.Result) != strconv.Itoa(stepCount) {
		t.Fatalf("after %d kills: %+v, %v", kills, got, err)
	}
	notes, err := os.ReadFile(base + "/notes")
	if err != nil {
		t.Fatal(err)
	}
	next, again := 0, 0
	for line := range strings.Lines(string(notes)) {
		var n int
		if _, err := fmt.Sscan(line, &n); err != nil {
			t.Fatal(err)
		}
		switch n {
		case next:
			next++
		case next - 1:
			again++
		default:
			t.Fatalf("step %d after %d", n, next-1)
		}
	}
	if next != stepCount || again >= kills {
		t.Errorf("%d steps, %d done again in %d lives", next, again, kills)
	}
	t.Logf("%d lives, %d attempts, %d steps done again", kills, got.Attempts, again)
}
