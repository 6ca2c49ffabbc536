package eventlogtest

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/eventlog"
)

// lettersOf is the log's other face.
func lettersOf(t *testing.T, log eventlog.Log) eventlog.DeadLetters {
	t.Helper()
	letters, ok := log.(eventlog.DeadLetters)
	if !ok {
		t.Fatalf("%T keeps no dead letters", log)
	}
	return letters
}

func mustList(t *testing.T, log eventlog.Log, q eventlog.DeadLetterQuery) []eventlog.DeadLetter {
	t.Helper()
	list, err := lettersOf(t, log).DeadLetters(t.Context(), q)
	if err != nil {
		t.Fatalf("list dead letters: %v", err)
	}
	return list
}

// all lists every letter, newest first.
func all(t *testing.T, log eventlog.Log) []eventlog.DeadLetter {
	t.Helper()
	return mustList(t, log, eventlog.DeadLetterQuery{All: true, Limit: 1000})
}

// bury appends a record and buries it.
func bury(t *testing.T, log eventlog.Log, record []byte, reason string) eventlog.Position {
	t.Helper()
	at := mustAppend(t, log, record)
	buryNext(t, log, reason)
	return at
}

// buryNext buries the only record that is due.
func buryNext(t *testing.T, log eventlog.Log, reason string) {
	t.Helper()
	if err := log.Bury(t.Context(), collect(t, log, 1)[0], reason); err != nil {
		t.Fatalf("bury: %v", err)
	}
}

func envelopeOf(t *testing.T, project string) []byte {
	t.Helper()
	record, err := eventlog.Envelope{Kind: eventlog.KindOTLPTraces, ProjectID: project, Payload: random(100)}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return record
}

func testBury(t *testing.T, open Open) {
	const within = 200 * time.Millisecond
	log := open(t, Options{Partitions: 2, ExtendWithin: within})
	before := time.Now()
	var buried []eventlog.Position
	records := map[eventlog.Position][]byte{}
	for i := range 3 {
		record := append(random(1000), '\r', '\n', 0)
		at := bury(t, log, record, fmt.Sprintf("reason %d", i))
		eventually(t, log, "after burying", nothingPending)
		records[at], buried = record, append(buried, at)
	}
	mustBeQuiet(t, log, 2*within)
	list := all(t, log)
	if len(list) != 3 {
		t.Fatalf("%d dead letters, want 3", len(list))
	}
	for i, listed := range list {
		letter, record, err := lettersOf(t, log).DeadLetter(t.Context(), listed.ID)
		if err != nil {
			t.Fatalf("read dead letter: %v", err)
		}
		if diff := cmp.Diff(listed, letter); diff != "" {
			t.Errorf("dead letter %d (-listed +read):\n%s", i, diff)
		}
		want := eventlog.DeadLetter{
			ID: listed.ID, Position: buried[2-i], Origin: buried[2-i], Reason: fmt.Sprintf("reason %d", 2-i),
			Bytes: 1003, BuriedAt: listed.BuriedAt,
		}
		if diff := cmp.Diff(want, letter); diff != "" || !bytes.Equal(record, records[letter.Position]) {
			t.Errorf("dead letter %d with %d bytes (-want +got):\n%s", i, len(record), diff)
		}
		if letter.BuriedAt.Before(before.Add(-time.Second)) || letter.BuriedAt.After(time.Now().Add(time.Second)) {
			t.Errorf("dead letter %d was buried at %v, it says", i, letter.BuriedAt)
		}
	}
	if s := mustStatus(t, log); s.DeadLetters != 3 {
		t.Errorf("status counts %d dead letters, want 3", s.DeadLetters)
	}
}

func testBuryReasons(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 1, ExtendWithin: held})
	reasons := []string{"", "two\r\nlines: x", `"quoted" \ back`, "Grüße, 世界", "\x00\xff", " spaces "}
	record := random(log.MaxRecordBytes())
	for _, reason := range append(reasons, strings.Repeat("long ", 20_000)) {
		bury(t, log, record, reason)
	}
	list := all(t, log)
	if len(list) != len(reasons)+1 {
		t.Fatalf("%d dead letters, want %d", len(list), len(reasons)+1)
	}
	if !strings.HasPrefix(list[0].Reason, "long long ") {
		t.Errorf("the long reason became %.40q", list[0].Reason)
	}
	for i, want := range reasons {
		if letter := list[len(list)-1-i]; letter.Reason != want || letter.Bytes != len(record) {
			t.Errorf("reason %q came back as %q with %d bytes", want, letter.Reason, letter.Bytes)
		}
	}
}

func testLetterPages(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 1, ExtendWithin: held})
	const many = 400
	for range many {
		mustAppend(t, log, []byte("x"))
	}
	for i, d := range collect(t, log, many) {
		if err := log.Bury(t.Context(), d, strconv.Itoa(i)); err != nil {
			t.Fatal(err)
		}
	}
	// Gaps: only every fifth letter of the older ones stays.
	kept := map[uint64]bool{}
	for i, letter := range all(t, log) {
		if i >= 50 && i%5 != 0 {
			if err := lettersOf(t, log).DeleteDeadLetter(t.Context(), letter.ID); err != nil {
				t.Fatal(err)
			}
			continue
		}
		kept[letter.ID] = true
	}
	for _, limit := range []int{1, 7, 50, many} {
		seen, last := map[uint64]bool{}, uint64(0)
		for {
			page := mustList(t, log, eventlog.DeadLetterQuery{All: true, Before: last, Limit: limit})
			for _, letter := range page {
				if last != 0 && letter.ID >= last {
					t.Fatalf("letter %d comes after %d", letter.ID, last)
				}
				last, seen[letter.ID] = letter.ID, true
			}
			if len(page) < limit {
				break
			}
		}
		if diff := cmp.Diff(kept, seen); diff != "" {
			t.Errorf("pages of %d (-kept +seen):\n%s", limit, diff)
		}
	}
}

func testLetterProjects(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 1, ExtendWithin: held})
	projects := []string{"a", "b", "*", ">", "ä b.c", "a"}
	for _, project := range projects {
		bury(t, log, envelopeOf(t, project), "bad")
	}
	bury(t, log, []byte("no envelope"), "unreadable")
	for _, project := range append(projects, "", "c") {
		var want, got []string
		for _, p := range append(projects, "") {
			if p == project {
				want = append(want, p)
			}
		}
		for _, letter := range mustList(t, log, eventlog.DeadLetterQuery{ProjectID: project, Limit: 10}) {
			got = append(got, letter.ProjectID)
			if kind := letter.Kind; (kind == eventlog.KindOTLPTraces) != (project != "") {
				t.Errorf("a letter of project %q has kind %q", project, kind)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("letters of project %q (-want +got):\n%s", project, diff)
		}
	}
	if n := len(all(t, log)); n != len(projects)+1 {
		t.Errorf("%d letters in all, want %d", n, len(projects)+1)
	}
}

func testRedrive(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 2, ExtendWithin: held})
	record := random(log.MaxRecordBytes()) // the largest must come through, too
	origin := bury(t, log, record, "first")
	at := origin
	for round := range 3 {
		letter := all(t, log)[0]
		want := eventlog.DeadLetter{
			ID: letter.ID, Position: at, Origin: origin, Redriven: round,
			Reason: letter.Reason, BuriedAt: letter.BuriedAt, Bytes: len(record),
		}
		if diff := cmp.Diff(want, letter); diff != "" {
			t.Fatalf("round %d (-want +got):\n%s", round, diff)
		}
		var err error
		if at, err = lettersOf(t, log).Redrive(t.Context(), letter.ID); err != nil {
			t.Fatalf("redrive: %v", err)
		}
		if left := all(t, log); len(left) != 0 {
			t.Fatalf("%d letters are left", len(left))
		}
		d := collect(t, log, 1)[0]
		if d.Position() != at || !bytes.Equal(d.Record(), record) {
			t.Fatalf("record %v with %d bytes came, want %v", d.Position(), len(d.Record()), at)
		}
		if err := log.Bury(t.Context(), d, "again"); err != nil {
			t.Fatal(err)
		}
	}
}

// A crash after the append and before the removal leaves both: what redriving then does is to
// append once more.
func testRedriveTwice(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 1, ExtendWithin: held})
	record := random(100)
	bury(t, log, record, "bad")
	letter := all(t, log)[0]
	if _, err := log.Append(t.Context(), record); err != nil { // what the crash left behind
		t.Fatal(err)
	}
	if _, err := lettersOf(t, log).Redrive(t.Context(), letter.ID); err != nil {
		t.Fatal(err)
	}
	got := collect(t, log, 2)
	if !bytes.Equal(got[0].Record(), record) || !bytes.Equal(got[1].Record(), record) {
		t.Error("the two records differ")
	}
	if _, err := lettersOf(t, log).Redrive(t.Context(), letter.ID); !errors.Is(err, eventlog.ErrNoDeadLetter) {
		t.Errorf("redriving what is gone: %v", err)
	}
	mustAck(t, got...)
	eventually(t, log, "after all acks", nothingPending)
}

func testRedriveFull(t *testing.T, open Open) {
	const size = 10_000
	log := open(t, Options{Partitions: 1, CapacityBytes: 10 * size, ExtendWithin: held})
	bury(t, log, random(size), "bad")
	fill(t, log, size)
	letter := all(t, log)[0]
	if _, err := lettersOf(t, log).Redrive(t.Context(), letter.ID); !errors.Is(err, eventlog.ErrFull) {
		t.Errorf("redriving into a full log: %v", err)
	}
	if left := all(t, log); len(left) != 1 || left[0].ID != letter.ID {
		t.Errorf("the letter is gone: %v", left)
	}
}

func testLettersFull(t *testing.T, open Open) {
	const size, within = 10_000, 200 * time.Millisecond
	log := open(t, Options{Partitions: 1, DeadLetterBytes: 10 * size, ExtendWithin: within})
	var full error
	for i := 0; full == nil; i++ {
		if i > 10 {
			t.Fatal("the dead letters never get full")
		}
		mustAppend(t, log, random(size))
		full = log.Bury(t.Context(), collect(t, log, 1)[0], "bad")
	}
	if !errors.Is(full, eventlog.ErrDeadLettersFull) {
		t.Fatalf("full dead letters: %v", full)
	}
	kept := all(t, log)
	if len(kept) < 5 {
		t.Fatalf("only %d letters of %d bytes fit into %d", len(kept), size, 10*size)
	}
	again := collect(t, log, 1)[0] // it stayed, and comes again
	if err := lettersOf(t, log).DeleteDeadLetter(t.Context(), kept[0].ID); err != nil {
		t.Fatal(err)
	}
	if err := log.Bury(t.Context(), again, "bad"); err != nil {
		t.Errorf("with room again: %v", err)
	}
	if now := all(t, log); len(now) != len(kept) || now[len(now)-1].ID != kept[len(kept)-1].ID {
		t.Errorf("%d letters, want %d with the oldest still there", len(now), len(kept))
	}
}

func testDeleteLetter(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 1, ExtendWithin: held})
	bury(t, log, []byte("a"), "bad")
	bury(t, log, []byte("b"), "bad")
	letters, newest := lettersOf(t, log), all(t, log)[0]
	if err := letters.DeleteDeadLetter(t.Context(), newest.ID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := letters.DeadLetter(t.Context(), newest.ID); !errors.Is(err, eventlog.ErrNoDeadLetter) {
		t.Errorf("reading what is deleted: %v", err)
	}
	if left := all(t, log); len(left) != 1 || left[0].ID == newest.ID {
		t.Errorf("letters left: %v", left)
	}
	bury(t, log, []byte("c"), "bad")
	if next := all(t, log)[0]; next.ID <= newest.ID {
		t.Errorf("id %d was given after %d", next.ID, newest.ID)
	}
}

func testNoLetter(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 1, ExtendWithin: held})
	letters := lettersOf(t, log)
	if list := all(t, log); len(list) != 0 {
		t.Errorf("%d letters in an empty log", len(list))
	}
	for _, id := range []uint64{0, 1, 1 << 62} {
		_, _, read := letters.DeadLetter(t.Context(), id)
		_, redrive := letters.Redrive(t.Context(), id)
		for what, err := range map[string]error{"read": read, "redrive": redrive, "delete": letters.DeleteDeadLetter(t.Context(), id)} {
			if !errors.Is(err, eventlog.ErrNoDeadLetter) {
				t.Errorf("%s letter %d: %v", what, id, err)
			}
		}
	}
}

func testLettersReopen(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 1, ExtendWithin: held})
	reopener, ok := log.(Reopener)
	if !ok {
		return // forgets everything with the process
	}
	bury(t, log, envelopeOf(t, "p"), "bad")
	want := all(t, log)
	if diff := cmp.Diff(want, all(t, reopener.Reopen(t))); diff != "" || len(want) != 1 {
		t.Errorf("after a restart (-want +got):\n%s", diff)
	}
}
