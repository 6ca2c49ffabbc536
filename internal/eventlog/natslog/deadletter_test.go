package natslog_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/eventlog/natslog"
)

// firstRelease leaves behind what the first release did: a stream and one letter.
func firstRelease(t *testing.T, url string) jetstream.JetStream {
	t.Helper()
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{
		Name: "SONDE_DEAD", Subjects: []string{"sonde.dead"}, Discard: jetstream.DiscardOld,
		MaxBytes: 1 << 20, MaxAge: 30 * 24 * time.Hour, MaxMsgSize: 2 << 20,
		Storage: jetstream.FileStorage, Replicas: 1, Duplicates: 100 * time.Millisecond, AllowDirect: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	old := nats.NewMsg("sonde.dead")
	old.Data = []byte("record")
	for name, value := range map[string]string{
		"Sonde-Dead-Letter": "1", "Sonde-Reason": `"bad"`, "Sonde-Partition": "3", "Sonde-Sequence": "17",
	} {
		old.Header.Set(name, value)
	}
	if _, err := js.PublishMsg(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	return js
}

// The first release dropped its oldest letters, by age and size, and named no project.
func TestLettersOfTheFirstRelease(t *testing.T) {
	t.Parallel()
	url := startServer(t, &server.Options{StoreDir: t.TempDir()}).ClientURL()
	js := firstRelease(t, url)
	log := openRemote(t, natslog.Config{URL: url, Partitions: 1, DeadLetterBytes: 1 << 10, Logger: testLogger(t)})
	list, err := log.DeadLetters(t.Context(), eventlog.DeadLetterQuery{All: true, Limit: 10})
	if err != nil || len(list) != 1 {
		t.Fatalf("%d letters, %v", len(list), err)
	}
	at := eventlog.Position{Partition: 3, Sequence: 17}
	if l := list[0]; l.Position != at || l.Origin != at || l.Reason != "bad" || l.Bytes != 6 || l.ProjectID != "" || l.Redriven != 0 {
		t.Errorf("the old letter reads %+v", l)
	}
	stream, err := js.Stream(t.Context(), "SONDE_DEAD")
	if err != nil {
		t.Fatal(err)
	}
	if c := stream.CachedInfo().Config; c.Discard != jetstream.DiscardNew || c.MaxAge != 0 {
		t.Errorf("letters are still dropped: discard %v, age %v", c.Discard, c.MaxAge)
	}
	if _, err := log.Redrive(t.Context(), list[0].ID); err != nil {
		t.Errorf("redrive: %v", err)
	}
	if got := fetchAll(t, log); len(got) != 1 || string(got[0].Record()) != "record" {
		t.Errorf("%d records come, want the old letter's", len(got))
	}
}

// Whoever lowers the bound keeps what there is.
func TestLoweringTheBoundDropsNoLetter(t *testing.T) {
	t.Parallel()
	cfg := natslog.Config{Dir: t.TempDir(), Partitions: 1, MinFreeBytes: 1, DeadLetterBytes: 1 << 20}
	log := openEmbedded(t, cfg)
	for range 10 {
		mustAppend(t, log, string(make([]byte, 10_000)))
	}
	for _, d := range fetchAll(t, log) {
		if err := log.Bury(t.Context(), d, "bad"); err != nil {
			t.Fatal(err)
		}
	}
	mustAppend(t, log, "another")
	closeLog(t, log.Log)
	cfg.DeadLetterBytes = 20_000
	log = openEmbedded(t, cfg)
	if err := log.Bury(t.Context(), fetchAll(t, log)[0], "bad"); !errors.Is(err, eventlog.ErrDeadLettersFull) {
		t.Errorf("burying beyond the bound: %v", err)
	}
	if s, err := log.Status(t.Context()); err != nil || s.DeadLetters != 10 {
		t.Errorf("%d letters, %v; want all 10", s.DeadLetters, err)
	}
}

// After a downgrade there may be letters that only the later release reads.
func TestLettersOfALaterRelease(t *testing.T) {
	t.Parallel()
	log := openEmbedded(t, natslog.Config{Dir: t.TempDir(), Partitions: 1, MinFreeBytes: 1})
	mustAppend(t, log, "x")
	if err := log.Bury(t.Context(), fetchAll(t, log)[0], "bad"); err != nil {
		t.Fatal(err)
	}
	later := nats.NewMsg("sonde.dead.none")
	later.Data = []byte("record")
	later.Header.Set("Sonde-Dead-Letter", "2")
	if _, err := natslog.JetStreamOf(log.Log).PublishMsg(t.Context(), later); err != nil {
		t.Fatal(err)
	}
	list, err := log.DeadLetters(t.Context(), eventlog.DeadLetterQuery{All: true, Limit: 10})
	if err != nil || len(list) != 2 || !strings.Contains(list[0].Reason, `unknown version "2"`) || list[1].Reason != "bad" {
		t.Errorf("letters %+v, %v", list, err)
	}
	if _, record, err := log.DeadLetter(t.Context(), list[0].ID); err != nil || string(record) != "record" {
		t.Errorf("record %q, %v", record, err)
	}
}
