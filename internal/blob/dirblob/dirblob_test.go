package dirblob_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/blob/blobtest"
	"github.com/sondehq/sonde/internal/blob/dirblob"
)

func open(t *testing.T, dir string) *dirblob.Store {
	t.Helper()
	s, err := dirblob.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestContract(t *testing.T) {
	t.Parallel()
	blobtest.Run(t, func(t *testing.T) blob.Store { return open(t, t.TempDir()) })
}

func TestPlainContract(t *testing.T) {
	t.Parallel()
	blobtest.RunPlain(t, func(t *testing.T) blob.Store {
		s, err := dirblob.NewPlain(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}

// files lists all files below dir.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			name, _ := filepath.Rel(dir, path)
			found = append(found, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestBlobsSurviveReopening(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "not", "yet", "there")
	if err := open(t, dir).Put(t.Context(), "a/b", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	r, err := open(t, dir).Get(t.Context(), "a/b")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
}

func TestCrashLeftoversAreClearedAndNeverSeen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := open(t, dir).Put(t.Context(), "kept", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	// What a process that died within Put leaves behind.
	leftover := filepath.Join(dir, "~incoming", "blob-123")
	if err := os.WriteFile(leftover, []byte("half a bl"), 0o600); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
	if got := files(t, dir); len(got) != 2 {
		t.Errorf("what another node may be writing is gone: %q", got)
	}
	yesterday := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(leftover, yesterday, yesterday); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir)
	if got := files(t, dir); !slices.Equal(got, []string{"kept~"}) {
		t.Errorf("a day after a crash the directory holds %q", got)
	}
	if _, err := s.Get(t.Context(), "blob-123"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("half a blob can be read: %v", err)
	}
}

func TestANodeThatStartsDisturbsNoPut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := open(t, dir)
	opening := io.MultiReader(strings.NewReader("head "), readerFunc(func([]byte) (int, error) { open(t, dir); return 0, io.EOF }))
	if err := first.Put(t.Context(), "k", opening); err != nil {
		t.Fatal(err)
	}
	r, err := first.Get(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got, err := io.ReadAll(r); string(got) != "head " || err != nil {
		t.Errorf("k holds %q, %v", got, err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestFailedPutLeavesNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	failure := errors.New("broken")
	if err := s.Put(t.Context(), "a/b", &failing{failure}); !errors.Is(err, failure) {
		t.Fatalf("put of a broken stream: %v", err)
	}
	if got := files(t, dir); len(got) != 0 {
		t.Errorf("a failed put leaves %q", got)
	}
}

type failing struct{ err error }

func (f *failing) Read(p []byte) (int, error) { return copy(p, "x"), f.err }

func TestHostileKeysTouchNothing(t *testing.T) {
	t.Parallel()
	outer := t.TempDir()
	if err := os.WriteFile(filepath.Join(outer, "secret~"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, filepath.Join(outer, "blobs"))
	for _, key := range append(blobtest.HostileKeys, "../secret") {
		_ = s.Put(t.Context(), key, strings.NewReader("overwritten"))
		_ = s.Delete(t.Context(), key)
		if r, err := s.Get(t.Context(), key); err == nil {
			_ = r.Close()
			t.Errorf("get %q succeeds", key)
		}
	}
	if got := files(t, outer); !slices.Equal(got, []string{"secret~"}) {
		t.Errorf("hostile keys left %q", got)
	}
	if data, err := os.ReadFile(filepath.Join(outer, "secret~")); err != nil || string(data) != "secret" {
		t.Errorf("hostile keys changed a file outside: %q, %v", data, err)
	}
}

// Put syncs every directory up to the store's own, which it must recognize however it is written.
func TestDirectoryMayBeWrittenInAnyWay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{dir + "/", dir + "/./", filepath.Join(dir, "x") + "/../"} {
		if err := open(t, name).Put(t.Context(), "a/b", strings.NewReader("x")); err != nil {
			t.Errorf("put below %s: %v", name, err)
		}
	}
}
