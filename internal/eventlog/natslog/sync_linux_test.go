package natslog_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// unsyncedPages counts the pages of a file that the kernel has not written to disk.
func unsyncedPages(t *testing.T, path string) uint64 {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var stat unix.Cachestat_t
	if err := unix.Cachestat(uint(f.Fd()), &unix.CachestatRange{}, &stat, 0); err != nil {
		t.Fatal(err)
	}
	return stat.Dirty + stat.Writeback
}

// tellsUnsynced reports whether unsyncedPages works here: it must see a write before it is
// synced and must not after. An older kernel and tmpfs cannot.
func tellsUnsynced(t *testing.T, dir string) bool {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "probe"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(make([]byte, 100_000)); err != nil {
		t.Fatal(err)
	}
	var stat unix.Cachestat_t
	if err := unix.Cachestat(uint(f.Fd()), &unix.CachestatRange{}, &stat, 0); err != nil {
		return false
	}
	before := unsyncedPages(t, f.Name())
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	return before > 0 && unsyncedPages(t, f.Name()) == 0
}
