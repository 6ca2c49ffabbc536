// Package blobtest proves that a blob store keeps the promises of blob.Store, and offers
// Memory, a fake that keeps them.
package blobtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sondehq/sonde/internal/blob"
)

// Open makes an empty store.
type Open func(t *testing.T) blob.Store

// HostileKeys are keys that every store must refuse.
var HostileKeys = []string{
	"", "/", "//", "a//b", "/a", "a/", ".", "..", "../a", "a/..", "a/../b", "a/./b", "../../etc/passwd",
	"A", "aB", "a b", "a\\b", "a\x00b", "a\nb", "ä", "a~", "~incoming", "~incoming/blob-1", "a%2fb", "*", "a:b", "a?b",
	"a/\xff", strings.Repeat("a", 201), strings.Repeat("a/", 256) + "a",
}

type promise struct {
	name string
	run  func(*testing.T, blob.Store)
}

// Run proves the promises on stores made by open.
func Run(t *testing.T, open Open) {
	t.Run("a key and keys below it are apart", func(t *testing.T) {
		t.Parallel()
		testNested(t, open(t))
	})
	RunPlain(t, open)
}

// RunPlain proves the promises of a store that cannot hold both a key and keys below it.
func RunPlain(t *testing.T, open Open) {
	tests := []promise{
		{"what is put is got", testPutGet},
		{"a key that holds nothing is not found", testNotFound},
		{"a put replaces", testReplace},
		{"a deleted key is gone", testDelete},
		{"hostile keys are refused", testHostileKeys},
		{"odd keys are taken", testOddKeys},
		{"a put that fails changes nothing", testFailedPut},
		{"concurrent puts of a key leave one whole", testConcurrentPuts},
		{"a reader keeps what it opened", testReaderDuringPut},
		{"a large stream comes back whole", testLarge},
		{"a reader seeks", testSeek},
		{"a list has the keys below a directory", testList},
		{"a list ends when it is told to", testListEnds},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, open(t))
		})
	}
}

func mustPut(t *testing.T, s blob.Store, key, data string) {
	t.Helper()
	if err := s.Put(t.Context(), key, strings.NewReader(data)); err != nil {
		t.Fatal(err)
	}
}

func mustGet(t *testing.T, s blob.Store, key string) string {
	t.Helper()
	r, err := s.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func mustMiss(t *testing.T, s blob.Store, key string) {
	t.Helper()
	r, err := s.Get(t.Context(), key)
	if err == nil {
		_ = r.Close()
	}
	if !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("get of %s, which holds nothing: %v", key, err)
	}
}

func testPutGet(t *testing.T, s blob.Store) {
	for key, data := range map[string]string{"a": "", "b/c": "x", "b/d/e": "\x00\xff\r\n"} {
		mustPut(t, s, key, data)
		if got := mustGet(t, s, key); got != data {
			t.Errorf("%s holds %q, want %q", key, got, data)
		}
	}
}

func testNotFound(t *testing.T, s blob.Store) {
	mustPut(t, s, "a/b", "x")
	for _, key := range []string{"a", "b", "a/b/c", "a/bc", "b/a"} {
		mustMiss(t, s, key)
	}
}

func testReplace(t *testing.T, s blob.Store) {
	mustPut(t, s, "k", strings.Repeat("long ", 1000))
	mustPut(t, s, "k", "short")
	if got := mustGet(t, s, "k"); got != "short" {
		t.Errorf("k holds %.20q of %d bytes", got, len(got))
	}
}

func testNested(t *testing.T, s blob.Store) {
	for _, key := range []string{"a", "a/b", "a/b/c"} {
		mustPut(t, s, key, key)
	}
	if err := s.Delete(t.Context(), "a/b"); err != nil {
		t.Fatal(err)
	}
	mustMiss(t, s, "a/b")
	for _, key := range []string{"a", "a/b/c"} {
		if got := mustGet(t, s, key); got != key {
			t.Errorf("%s holds %q", key, got)
		}
	}
}

func testDelete(t *testing.T, s blob.Store) {
	mustPut(t, s, "a/b", "x")
	for range 2 {
		if err := s.Delete(t.Context(), "a/b"); err != nil {
			t.Fatal(err)
		}
		mustMiss(t, s, "a/b")
	}
	if err := s.Delete(t.Context(), "never/was"); err != nil {
		t.Errorf("delete of what is not there: %v", err)
	}
}

func testHostileKeys(t *testing.T, s blob.Store) {
	for _, key := range HostileKeys {
		if err := s.Put(t.Context(), key, strings.NewReader("x")); !errors.Is(err, blob.ErrKey) {
			t.Errorf("put %q: %v", key, err)
		}
		if _, err := s.Get(t.Context(), key); !errors.Is(err, blob.ErrKey) {
			t.Errorf("get %q: %v", key, err)
		}
		if err := s.Delete(t.Context(), key); !errors.Is(err, blob.ErrKey) {
			t.Errorf("delete %q: %v", key, err)
		}
	}
}

func testOddKeys(t *testing.T, s blob.Store) {
	for _, key := range []string{"...", ".a", "a.", "-", "_", "-rf", ".git/config", strings.Repeat("a", 200), strings.Repeat("a/", 255) + "a"} {
		mustPut(t, s, key, key)
		if got := mustGet(t, s, key); got != key {
			t.Errorf("%q holds %q", key, got)
		}
	}
}

// broken yields some bytes and then an error.
type broken struct{ err error }

func (b broken) Read(p []byte) (int, error) { return copy(p, "partial"), b.err }

func testFailedPut(t *testing.T, s blob.Store) {
	mustPut(t, s, "kept", "whole")
	failure := errors.New("the client went away")
	for _, key := range []string{"kept", "new"} {
		if err := s.Put(t.Context(), key, broken{failure}); !errors.Is(err, failure) {
			t.Errorf("put of a broken stream: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Put(ctx, "new", strings.NewReader("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("put with an ended context: %v", err)
	}
	mustMiss(t, s, "new")
	if got := mustGet(t, s, "kept"); got != "whole" {
		t.Errorf("a failed put left %q", got)
	}
}

func testConcurrentPuts(t *testing.T, s blob.Store) {
	const writers = 8
	versions := make([]string, writers)
	for i := range versions {
		versions[i] = strings.Repeat(string(rune('a'+i)), 100_000+i)
	}
	whole := func(got string) bool {
		return slices.Contains(versions, got)
	}
	mustPut(t, s, "dir/k", versions[0])
	var wg sync.WaitGroup
	for _, version := range versions {
		wg.Go(func() {
			for range 5 {
				if err := s.Put(t.Context(), "dir/k", strings.NewReader(version)); err != nil {
					t.Error(err)
				}
				r, err := s.Get(t.Context(), "dir/k")
				if err != nil {
					t.Error(err)
					return
				}
				got, err := io.ReadAll(r)
				if err := errors.Join(err, r.Close()); err != nil || !whole(string(got)) {
					t.Errorf("read %d bytes that nobody put, %v", len(got), err)
				}
			}
		})
	}
	wg.Wait()
}

func testReaderDuringPut(t *testing.T, s blob.Store) {
	old := strings.Repeat("old ", 50_000)
	mustPut(t, s, "k", old)
	r, err := s.Get(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	head := make([]byte, 10)
	if _, err := io.ReadFull(r, head); err != nil {
		t.Fatal(err)
	}
	mustPut(t, s, "k", "new")
	if err := s.Delete(t.Context(), "k"); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(r)
	if err != nil || string(head)+string(rest) != old {
		t.Errorf("a reader opened before read %d bytes, %v; want the old %d", len(head)+len(rest), err, len(old))
	}
}

func testLarge(t *testing.T, s blob.Store) {
	const size = 64 << 20
	stream := func() io.Reader { return io.LimitReader(rand.NewChaCha8([32]byte{1}), size) }
	want := sha256.New()
	if _, err := io.Copy(want, stream()); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(t.Context(), "large", stream()); err != nil {
		t.Fatal(err)
	}
	r, err := s.Get(t.Context(), "large")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got := sha256.New()
	n, err := io.Copy(got, r)
	if err != nil || n != size || !bytes.Equal(got.Sum(nil), want.Sum(nil)) {
		t.Errorf("%d of %d bytes came back, %v", n, size, err)
	}
}

func testSeek(t *testing.T, s blob.Store) {
	mustPut(t, s, "k", "0123456789")
	r, err := s.Get(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if size, err := r.Seek(0, io.SeekEnd); size != 10 || err != nil {
		t.Errorf("the end is at %d, %v", size, err)
	}
	for _, c := range []struct {
		offset int64
		whence int
		want   string
	}{{3, io.SeekStart, "345"}, {1, io.SeekCurrent, "789"}, {-4, io.SeekEnd, "678"}, {0, io.SeekStart, "012"}} {
		got := make([]byte, 3)
		if _, err := r.Seek(c.offset, c.whence); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(r, got); err != nil || string(got) != c.want {
			t.Errorf("after seeking %d from %d: %q, %v, want %q", c.offset, c.whence, got, err, c.want)
		}
	}
}

func listed(t *testing.T, s blob.Store, dir string) []string {
	t.Helper()
	var keys []string
	if err := s.List(t.Context(), dir, func(key string) error {
		keys = append(keys, key)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(keys)
	return keys
}

func testList(t *testing.T, s blob.Store) {
	if keys := listed(t, s, ""); len(keys) != 0 {
		t.Errorf("an empty store lists %q", keys)
	}
	for _, key := range []string{"x", "a/b", "a/c/d", "ab/c", "a-b/c", ".git/x"} {
		mustPut(t, s, key, key)
	}
	for dir, want := range map[string][]string{
		"":      {".git/x", "a-b/c", "a/b", "a/c/d", "ab/c", "x"},
		"a":     {"a/b", "a/c/d"},
		"a/c":   {"a/c/d"},
		"x":     nil,
		"a/b":   nil,
		"never": nil,
		".git":  {".git/x"},
	} {
		if got := listed(t, s, dir); !slices.Equal(got, want) {
			t.Errorf("below %q are %q, want %q", dir, got, want)
		}
	}
	for _, dir := range HostileKeys {
		if dir == "" {
			continue // all keys
		}
		if err := s.List(t.Context(), dir, func(string) error { return nil }); !errors.Is(err, blob.ErrKey) {
			t.Errorf("list below %q: %v", dir, err)
		}
	}
}

func testListEnds(t *testing.T, s blob.Store) {
	for _, key := range []string{"a", "b", "c"} {
		mustPut(t, s, key, key)
	}
	enough, calls := errors.New("enough"), 0
	err := s.List(t.Context(), "", func(string) error {
		calls++
		return enough
	})
	if !errors.Is(err, enough) || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.List(ctx, "", func(string) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("list with an ended context: %v", err)
	}
}
