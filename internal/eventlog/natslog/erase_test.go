package natslog_test

import (
	"bytes"
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/eventlog/natslog"
)

// filesWith lists the files below a directory that hold a text.
func filesWith(t *testing.T, dir string, text []byte) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil //nolint:nilerr // removed meanwhile
		}
		if data, err := os.ReadFile(path); err == nil && bytes.Contains(data, text) {
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// The bytes of erased records leave the disk, although records that came later share a file with them and are
// still waiting to be stored.
func TestErasedRecordsLeaveTheDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := openEmbedded(t, natslog.Config{Dir: dir, Partitions: 2, CapacityBytes: 1 << 30})
	marker := []byte(rand.Text())
	appendRecord := func(record []byte) {
		t.Helper()
		if _, err := log.Append(t.Context(), record); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		appendRecord(append(bytes.Repeat([]byte{7}, 1000), marker...))
	}
	begun, err := log.BeginErasure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 6 {
		appendRecord([]byte("later"))
	}
	if len(filesWith(t, dir, marker)) == 0 {
		t.Fatal("the marker is not found before")
	}
	for end := time.Now().Add(30 * time.Second); ; {
		for partition := range log.Partitions() {
			deliveries, err := log.Fetch(t.Context(), partition, 100, 64<<20)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range deliveries {
				if err := d.Ack(); err != nil {
					t.Fatal(err)
				}
			}
		}
		next, done, err := log.Erase(t.Context(), begun)
		if err != nil {
			t.Fatal(err)
		}
		appendRecord([]byte("meanwhile")) // never idle
		if begun = next; done {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the erasure does not end: %+v", begun)
		}
	}
	if found := filesWith(t, dir, marker); len(found) > 0 {
		t.Errorf("the marker is still in %v", found)
	}
	if _, _, err := log.Erase(t.Context(), eventlog.Erasure{Through: make([]uint64, 9)}); err == nil {
		t.Error("an erasure of another log is taken")
	}
}
