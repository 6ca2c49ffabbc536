package natslog_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/eventlog/natslog"
)

// These tests are named after the rules of the log; each guards against a loss that is easy
// to build in.

func TestAcknowledgedMeansSynced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := openEmbedded(t, natslog.Config{Dir: dir, MinFreeBytes: 1}).Log
	if cfg := natslog.ServerOf(log).JetStreamConfig(); !cfg.SyncAlways {
		t.Error("the server does not sync every write")
	}
	streams, _, err := natslog.PartitionConfigs(t.Context(), log)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range streams {
		if s.Storage != jetstream.FileStorage || s.PersistMode != jetstream.DefaultPersistMode {
			t.Errorf("stream %s is stored in %v, mode %v", s.Name, s.Storage, s.PersistMode)
		}
	}
	if !tellsUnsynced(t, dir) {
		t.Log("this system cannot tell synced pages from others: only the configuration was checked")
		return
	}
	for i := range 50 {
		if _, err := log.Append(t.Context(), checked(50_000)); err != nil {
			t.Fatal(err)
		}
		blocks, err := filepath.Glob(filepath.Join(dir, "jetstream", "*", "streams", "SONDE_LOG_*", "msgs", "*.blk"))
		if err != nil || len(blocks) == 0 {
			t.Fatalf("found %d block files, %v", len(blocks), err)
		}
		for _, block := range blocks {
			if n := unsyncedPages(t, block); n > 0 {
				t.Fatalf("append %d returned while %d pages of %s were not on disk", i, n, filepath.Base(block))
			}
		}
	}
}

func TestNoMessageIDNoDuplicateWindow(t *testing.T) {
	t.Parallel()
	log := openEmbedded(t, natslog.Config{Dir: t.TempDir(), Partitions: 1, MinFreeBytes: 1}).Log
	streams, _, err := natslog.PartitionConfigs(t.Context(), log)
	if err != nil {
		t.Fatal(err)
	}
	if streams[0].Duplicates > 100*time.Millisecond {
		t.Errorf("the duplicate window is %v, the least possible is 100ms", streams[0].Duplicates)
	}
	record := []byte("same")
	for range 3 {
		if _, err := log.Append(t.Context(), record); err != nil {
			t.Fatal(err)
		}
	}
	stream, err := natslog.JetStreamOf(log).Stream(t.Context(), "SONDE_LOG_0")
	if err != nil {
		t.Fatal(err)
	}
	for seq := range uint64(3) {
		msg, err := stream.GetMsg(t.Context(), seq+1)
		if err != nil {
			t.Fatal(err)
		}
		if msg.Header.Get(jetstream.MsgIDHeader) != "" || !bytes.Equal(msg.Data, record) {
			t.Errorf("record %d is stored with id %q and %q", seq+1, msg.Header.Get(jetstream.MsgIDHeader), msg.Data)
		}
	}
}

func TestDiscardNewNoAgeNoDeliveryLimit(t *testing.T) {
	t.Parallel()
	log := openEmbedded(t, natslog.Config{Dir: t.TempDir(), Partitions: 4, CapacityBytes: 4 << 20, MinFreeBytes: 1}).Log
	streams, consumers, err := natslog.PartitionConfigs(t.Context(), log)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range streams {
		if s.Discard != jetstream.DiscardNew || s.MaxAge != 0 || s.MaxMsgs != -1 || s.MaxMsgsPerSubject != -1 ||
			s.MaxBytes != 1<<20 || s.Retention != jetstream.LimitsPolicy {
			t.Errorf("stream %s can drop records: %+v", s.Name, s)
		}
		c := consumers[i]
		if c.MaxDeliver != -1 || c.AckPolicy != jetstream.AckExplicitPolicy || c.Durable != "writer" ||
			c.InactiveThreshold != 0 || c.AckWait < eventlog.ExtendWithin || c.BackOff != nil {
			t.Errorf("consumer of %s can give up records: %+v", s.Name, c)
		}
	}
}

func TestSmallerCapacityDropsNothing(t *testing.T) {
	t.Parallel()
	cfg := natslog.Config{Dir: t.TempDir(), Partitions: 1, CapacityBytes: 4 << 20, MinFreeBytes: 1}
	log := openEmbedded(t, cfg)
	for range 30 {
		if _, err := log.Append(t.Context(), checked(100_000)); err != nil {
			t.Fatal(err)
		}
	}
	closeLog(t, log.Log)
	cfg.CapacityBytes = 1 << 20
	log = openEmbedded(t, cfg)
	if _, err := log.Append(t.Context(), []byte("x")); !errors.Is(err, eventlog.ErrFull) {
		t.Errorf("append to a log three times its new capacity: %v", err)
	}
	if got := fetchAll(t, log); len(got) != 30 {
		t.Errorf("%d of 30 records are left", len(got))
	}
}

func TestFewerPartitionsLeaveNoneUnread(t *testing.T) {
	t.Parallel()
	cfg := natslog.Config{Dir: t.TempDir(), Partitions: 5, MinFreeBytes: 1}
	log := openEmbedded(t, cfg)
	for range 20 {
		if _, err := log.Append(t.Context(), []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	closeLog(t, log.Log)
	cfg.Partitions = 2
	log = openEmbedded(t, cfg)
	if n := log.Partitions(); n != 5 {
		t.Errorf("the log has %d partitions, its directory 5", n)
	}
	if got := fetchAll(t, log); len(got) != 20 {
		t.Errorf("%d of 20 records come", len(got))
	}
}

func TestSubjectsCarryNoClientText(t *testing.T) {
	t.Parallel()
	log := openEmbedded(t, natslog.Config{Dir: t.TempDir(), MinFreeBytes: 1}).Log
	for _, record := range []string{"*", ">", "sonde.log.0", "a.b.c", "$JS.API.>"} {
		if _, err := log.Append(t.Context(), []byte(record)); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Bury(t.Context(), fetchAll(t, log)[0], "sonde.log.*"); err != nil {
		t.Fatal(err)
	}
	ours := regexp.MustCompile(`^sonde\.(log\.[0-9]+|dead\.([0-9a-f]{32}|none))$`)
	found := 0
	for stream := range natslog.JetStreamOf(log).ListStreams(t.Context()).Info() {
		s, err := natslog.JetStreamOf(log).Stream(t.Context(), stream.Config.Name)
		if err != nil {
			t.Fatal(err)
		}
		info, err := s.Info(t.Context(), jetstream.WithSubjectFilter(">"))
		if err != nil {
			t.Fatal(err)
		}
		for subject := range info.State.Subjects {
			found++
			if !ours.MatchString(subject) {
				t.Errorf("stream %s holds subject %q", stream.Config.Name, subject)
			}
		}
	}
	if found != 5 {
		t.Errorf("found %d subjects, want one per partition and the dead letters", found)
	}
}

func TestCloseKeepsEveryAcknowledgement(t *testing.T) {
	t.Parallel()
	cfg := natslog.Config{Dir: t.TempDir(), Partitions: 1, MinFreeBytes: 1}
	for range 5 {
		log := openEmbedded(t, cfg)
		for range 300 {
			if _, err := log.Append(t.Context(), []byte("x")); err != nil {
				t.Fatal(err)
			}
		}
		got := fetchAll(t, log)
		if len(got) != 300 {
			t.Fatalf("%d records come, only the 300 new ones are not acknowledged", len(got))
		}
		for _, d := range got {
			if err := d.Ack(); err != nil {
				t.Fatal(err)
			}
		}
		closeLog(t, log.Log)
	}
}

func TestOnlyTrimForgets(t *testing.T) {
	t.Parallel()
	cfg := natslog.Config{Dir: t.TempDir(), Partitions: 1, MinFreeBytes: 1}
	log := openEmbedded(t, cfg)
	for range 10 {
		if _, err := log.Append(t.Context(), []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range fetchAll(t, log) {
		if err := d.Ack(); err != nil {
			t.Fatal(err)
		}
	}
	closeLog(t, log.Log)
	log = openEmbedded(t, cfg)
	s, err := log.Status(t.Context())
	if err != nil || s.Records != 10 {
		t.Errorf("%d of 10 acknowledged records are kept, %v", s.Records, err)
	}
}

// TestFloorAboveTheNewestRecordHidesNothing takes a partition's records away behind the
// log's back. What is appended afterwards gets sequences that were acknowledged once.
func TestFloorAboveTheNewestRecordHidesNothing(t *testing.T) {
	t.Parallel()
	cfg := natslog.Config{Dir: t.TempDir(), Partitions: 1, MinFreeBytes: 1}
	log := openEmbedded(t, cfg)
	for range 10 {
		if _, err := log.Append(t.Context(), []byte("old")); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range fetchAll(t, log) {
		if err := d.Ack(); err != nil {
			t.Fatal(err)
		}
	}
	closeLog(t, log.Log)
	dirs, err := filepath.Glob(filepath.Join(cfg.Dir, "jetstream", "*", "streams", "SONDE_LOG_0", "msgs"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("found %d directories, %v", len(dirs), err)
	}
	if err := os.RemoveAll(dirs[0]); err != nil {
		t.Fatal(err)
	}
	log = openEmbedded(t, cfg)
	if _, err := log.Append(t.Context(), []byte("new")); err != nil {
		t.Fatal(err)
	}
	if got := fetchAll(t, log); len(got) != 1 || string(got[0].Record()) != "new" {
		t.Errorf("%d records come, want the new one", len(got))
	}
}

func TestEmbeddedListensNowhere(t *testing.T) {
	t.Parallel()
	log := openEmbedded(t, natslog.Config{Dir: t.TempDir(), MinFreeBytes: 1}).Log
	s := natslog.ServerOf(log)
	if s.Addr() != nil || s.MonitorAddr() != nil || s.ClusterAddr() != nil || s.ProfilerAddr() != nil {
		t.Errorf("the embedded server listens: %v", s.Addr())
	}
}

func TestOneProcessAtATime(t *testing.T) {
	t.Parallel()
	cfg := natslog.Config{Dir: t.TempDir(), MinFreeBytes: 1}
	log := openEmbedded(t, cfg)
	if second, err := natslog.OpenEmbedded(t.Context(), cfg); err == nil {
		closeLog(t, second)
		t.Fatal("the directory was opened twice")
	}
	closeLog(t, log.Log)
	openEmbedded(t, cfg)
}

func TestAppendEndsWithItsContext(t *testing.T) {
	t.Parallel()
	log := openEmbedded(t, natslog.Config{Dir: t.TempDir(), MinFreeBytes: 1}).Log
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := log.Append(ctx, []byte("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("append with an ended context: %v", err)
	}
}
