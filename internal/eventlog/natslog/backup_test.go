package natslog_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/eventlog/natslog"
	"github.com/sondehq/sonde/internal/jobs"
)

// records reads what is due in every partition.
func records(t *testing.T, log *natslog.Log) map[eventlog.Position]string {
	t.Helper()
	found := map[eventlog.Position]string{}
	for partition := range log.Partitions() {
		status, err := log.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if status.Pending == 0 {
			continue
		}
		deliveries, err := log.Fetch(t.Context(), partition, 1000, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range deliveries {
			found[d.Position()] = string(d.Record())
		}
	}
	return found
}

func letters(t *testing.T, log *natslog.Log) []eventlog.DeadLetter {
	t.Helper()
	list, err := log.DeadLetters(t.Context(), eventlog.DeadLetterQuery{All: true, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// fill appends records, stores some, buries some and redrives one.
func fill(t *testing.T, log *natslog.Log) {
	t.Helper()
	for i := range 90 {
		if _, err := log.Append(t.Context(), fmt.Appendf(nil, "record %d\n\x00", i)); err != nil {
			t.Fatal(err)
		}
	}
	for partition := range log.Partitions() {
		deliveries, err := log.Fetch(t.Context(), partition, 12, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range deliveries {
			if i < 2 {
				err = log.Bury(t.Context(), d, "too ö\nodd")
			} else {
				err = d.Ack()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	oldest := letters(t, log)
	if _, err := log.Redrive(t.Context(), oldest[len(oldest)-1].ID); err != nil {
		t.Fatal(err)
	}
	if err := log.Trim(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
}

func TestCopyOfTheLogComesBack(t *testing.T) {
	t.Parallel()
	log := openEmbedded(t, natslog.Config{Dir: t.TempDir(), Partitions: 3}).Log
	fill(t, log)
	kept, err := log.Jobs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	job := jobs.Job{ID: jobs.NewID(), Kind: "k", ProjectID: "p", State: jobs.Queued, CreatedAt: time.Now().UTC().Truncate(time.Millisecond)}
	if err := kept.Create(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	var copied bytes.Buffer
	if err := log.CopyTo(t.Context(), &copied); err != nil {
		t.Fatal(err)
	}
	before, err := log.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	loaded := openEmbedded(t, natslog.Config{Dir: t.TempDir(), Partitions: 3})
	if err := loaded.LoadFrom(t.Context(), bytes.NewReader(copied.Bytes())); err != nil {
		t.Fatal(err)
	}
	after, err := loaded.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before.Floors, after.Floors); diff != "" {
		t.Error("floors:", diff)
	}
	want := records(t, log)
	if len(want) == 0 {
		t.Fatal("nothing is pending; the test shows nothing")
	}
	if diff := cmp.Diff(want, records(t, loaded.Log)); diff != "" {
		t.Error("records:", diff)
	}
	if diff := cmp.Diff(letters(t, log), letters(t, loaded.Log), cmpopts.IgnoreFields(eventlog.DeadLetter{}, "ID", "BuriedAt")); diff != "" {
		t.Error("letters:", diff)
	}
	if err := loaded.LoadFrom(t.Context(), bytes.NewReader(copied.Bytes())); err == nil {
		t.Error("a log that is not empty was loaded")
	}
	newJobs, err := loaded.Jobs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	open := 0
	if err := newJobs.Open(t.Context(), func(j jobs.Job) bool { open++; return j.ID == job.ID }); err != nil || open != 1 {
		t.Errorf("%d open jobs, %v", open, err)
	}
}

func TestDamagedCopyOfTheLogIsRefused(t *testing.T) {
	t.Parallel()
	log := openEmbedded(t, natslog.Config{Dir: t.TempDir(), Partitions: 1}).Log
	for name, text := range map[string]string{
		"no JSON":           "hello\n",
		"cut in the line":   `{"kind":"record"`,
		"cut in the bytes":  `{"kind":"record","sequence":1,"bytes":9}` + "\nabc",
		"unknown kind":      `{"kind":"poem"}` + "\n",
		"foreign partition": `{"kind":"record","partition":7,"sequence":1,"bytes":1}` + "\nx",
		"no sequence":       `{"kind":"record","bytes":1}` + "\nx",
		"foreign subject":   `{"kind":"job","subject":"$JS.API.STREAM.DELETE.SONDE_LOG_0"}` + "\n",
		"foreign letter":    `{"kind":"letter","subject":"sonde.deadline"}` + "\n",
		"huge":              `{"kind":"record","sequence":1,"bytes":1000000000000}` + "\n",
		"negative":          `{"kind":"record","sequence":1,"bytes":-1}` + "\n",
		"endless line":      strings.Repeat("x", 1<<20),
	} {
		if err := log.LoadFrom(t.Context(), strings.NewReader(text)); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if status, err := log.Status(t.Context()); err != nil || status.Records > 0 {
		t.Errorf("%d records, %v", status.Records, err)
	}
}

// While a partition is copied, records below its floor may be trimmed: what lies before the gap is stored.
func TestCopyWithGaps(t *testing.T) {
	t.Parallel()
	log := openEmbedded(t, natslog.Config{Dir: t.TempDir(), Partitions: 2}).Log
	copied := `{"kind":"record","sequence":5,"bytes":1}` + "\na" +
		`{"kind":"record","sequence":6,"bytes":1}` + "\nb" +
		`{"kind":"record","sequence":9,"bytes":1}` + "\nc" +
		`{"kind":"partition","sequence":10}` + "\n" +
		`{"kind":"record","partition":1,"sequence":1,"bytes":1}` + "\nd" +
		`{"kind":"partition","partition":1,"sequence":4}` + "\n"
	if err := log.LoadFrom(t.Context(), strings.NewReader(copied)); err != nil {
		t.Fatal(err)
	}
	status, err := log.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]uint64{8, 3}, status.Floors); diff != "" {
		t.Error("floors:", diff)
	}
	want := map[eventlog.Position]string{{Partition: 0, Sequence: 9}: "c"}
	if diff := cmp.Diff(want, records(t, log)); diff != "" {
		t.Error(diff)
	}
}
