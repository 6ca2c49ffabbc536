package e2e_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

const diskReserve = 24 << 20

// smallDisk mounts a disk of its own below the data directory.
func smallDisk(t *testing.T, dir string, size int) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		t.Fatalf("this test mounts small disks and must run as root, where mounting is allowed: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
}

// fillDisk leaves about this many bytes free and returns what makes room again.
func fillDisk(t *testing.T, dir string, leave uint64) (empty func()) {
	t.Helper()
	name := filepath.Join(dir, "filler")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	chunk := make([]byte, 64<<10)
	for free(t, dir) > leave {
		if _, err := file.Write(chunk); errors.Is(err, syscall.ENOSPC) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
	}
}

func free(t *testing.T, dir string) uint64 {
	t.Helper()
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		t.Fatal(err)
	}
	return stat.Bavail * uint64(stat.Bsize)
}

// A full disk refuses new spans in time, keeps what it took, and takes spans again by itself.
func TestDiskFull(t *testing.T) {
	for name, c := range map[string]struct {
		part   string // of the data directory
		size   int
		leave  uint64
		drains bool // while the disk is full
	}{
		"the log's disk is nearly full":    {"log", 128 << 20, diskReserve / 2, true},
		"the log's disk is full":           {"log", 128 << 20, 0, true},
		"the engine's disk is nearly full": {"engine", 192 << 20, diskReserve * 3 / 4, true},
		"the engine's disk is full":        {"engine", 192 << 20, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newNode(t, fmt.Sprintf("--ingest-disk-reserve=%d", diskReserve), "--eventlog-capacity=64MiB")
			disk := filepath.Join(s.dir, c.part)
			smallDisk(t, disk, c.size)
			s.start()
			l := startLoad(t, s.client(), 2)
			refusesForAWhile(t, s, l, c.drains, func() (empty func()) { return fillDisk(t, disk, c.leave) })
		})
	}
}

// fillAtOnce takes everything that is free on a disk in a moment, without writing a byte.
func fillAtOnce(dir string) (empty func() error, err error) {
	name := filepath.Join(dir, "ballast")
	file, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	size := int64(0)
	for step := int64(1 << 30); step >= 4096; {
		if err := syscall.Fallocate(int(file.Fd()), 0, size, step); err != nil {
			step /= 2
			continue
		}
		size += step
	}
	return func() error { return os.Remove(name) }, nil
}

// A disk that gets full in the middle of an insert or a merge costs nothing that was acknowledged, although the engine's library
// takes no notice of writes that fail.
func TestDiskFullWhileTheEngineWrites(t *testing.T) {
	s := newNode(t, fmt.Sprintf("--ingest-disk-reserve=%d", diskReserve), "--eventlog-capacity=64MiB")
	disk := filepath.Join(s.dir, "engine")
	smallDisk(t, disk, 192<<20)
	s.start()
	l := startLoad(t, s.client(), 4)
	for range 12 {
		pause(900 * time.Millisecond)
		empty, err := fillAtOnce(disk)
		if err != nil {
			t.Fatal(err)
		}
		pause(600 * time.Millisecond)
		if err := empty(); err != nil {
			t.Fatal(err)
		}
	}
	pause(2 * time.Second)
	l.end()
	s.client().showsWithin(time.Minute, l.acknowledged(), l.unanswered...)
	restarts, err := s.metric("sonde_engine_restarts")
	t.Logf("%d spans taken, %d requests refused, the engine ended itself %.0f times, %v", len(l.taken), len(l.refusals), restarts, err)
}
