package natslog_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/eventlog/natslog"
)

func TestNearlyFullDiskRefusesFirst(t *testing.T) {
	t.Parallel()
	cfg := natslog.Config{Dir: t.TempDir(), MinFreeBytes: 1 << 20, Logger: testLogger(t)}
	log := openEmbedded(t, cfg).Log
	natslog.PretendFree(log, 1<<20-1)
	if _, err := log.Append(t.Context(), []byte("x")); !errors.Is(err, eventlog.ErrFull) {
		t.Errorf("append to a nearly full disk: %v", err)
	}
	natslog.PretendFree(log, 1<<20)
	if _, err := log.Append(t.Context(), []byte("x")); err != nil {
		t.Errorf("append with room again: %v", err)
	}
}

// childDisk limits the size of files to make writes fail as on a full disk, lifts the limit
// and expects the log to recover by itself. A limit counts for the whole process.
func childDisk(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	ctx := context.Background()
	log, err := natslog.OpenEmbedded(ctx, natslog.Config{Dir: dir, Partitions: 2, RedeliverAfter: time.Minute, MinFreeBytes: 1})
	if err != nil {
		return err
	}
	add := func() error {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		pos, err := log.Append(ctx, checked(100_000))
		if err == nil {
			fmt.Fprintln(os.Stdout, "appended", pos.Partition, pos.Sequence)
		}
		return err
	}
	if err := add(); err != nil {
		return err
	}
	held, err := log.Fetch(ctx, 1, 1, 1<<20) // the first append goes to partition 1
	if err != nil || len(held) != 1 {
		return fmt.Errorf("fetched %d: %w", len(held), err)
	}
	var unlimited syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &unlimited); err != nil {
		return err
	}
	limited := unlimited
	limited.Cur = 1 << 20
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limited); err != nil {
		return err
	}
	for failures := 0; failures < 3; {
		if add() != nil {
			failures++
		}
	}
	fmt.Fprintln(os.Stdout, "broken")
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &unlimited); err != nil {
		return err
	}
	const patience = 20 * time.Second
	if err := within(patience, add); err != nil {
		return err
	}
	if err := held[0].Ack(); err != nil {
		return err
	}
	// An append heals the partition it goes to, so one may heal before the other.
	works := func() error { return errors.Join(add(), log.Trim(ctx, 0)) }
	if err := errors.Join(within(patience, works), log.Close(ctx)); err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, "healed")
	return nil
}

// within tries until it works, or returns the last error.
func within(limit time.Duration, try func() error) error {
	for deadline := time.Now().Add(limit); ; <-time.After(50 * time.Millisecond) {
		if err := try(); err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

func TestFailedWritesHealAndLoseNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var mu sync.Mutex
	acknowledged := map[eventlog.Position]bool{}
	said := map[string]bool{}
	_, wait := startChild(t, dir, "disk", func(line string) {
		mu.Lock()
		defer mu.Unlock()
		var pos eventlog.Position
		if _, err := fmt.Sscanf(line, "appended %d %d", &pos.Partition, &pos.Sequence); err == nil {
			acknowledged[pos] = true
			return
		}
		t.Log(line)
		said[line] = true
	})
	wait()
	mu.Lock()
	defer mu.Unlock()
	if !said["broken"] || !said["healed"] {
		t.Fatal("the log did not break and heal")
	}
	log := openEmbedded(t, natslog.Config{Dir: dir, Partitions: 2, RedeliverAfter: time.Minute, MinFreeBytes: 1})
	for _, d := range fetchAll(t, log) {
		if !intact(d.Record()) {
			t.Errorf("record %v is damaged", d.Position())
		}
		delete(acknowledged, d.Position())
	}
	delete(acknowledged, eventlog.Position{Partition: 1, Sequence: 1}) // acknowledged by the child's consumer
	for pos := range acknowledged {
		t.Errorf("record %v was acknowledged and is gone", pos)
	}
}
