package blob_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/sondehq/sonde/internal/blob"
)

// FuzzCheckKey checks that no accepted key leads out of the directory that it is put below.
func FuzzCheckKey(f *testing.F) {
	for _, key := range []string{"", "a", "a/b", "..", "a/../b", "/etc", ".git/x", "a//b", "~x"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		err := blob.CheckKey(key)
		if err != nil && !errors.Is(err, blob.ErrKey) {
			t.Fatalf("an error of another kind: %v", err)
		}
		if err == nil && (!filepath.IsLocal(key) || filepath.Clean(key) != key) {
			t.Fatalf("%q is accepted", key)
		}
	})
}
