package eventlog_test

import (
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/eventlog"
)

func TestBlobKeysTellProjectAndTime(t *testing.T) {
	t.Parallel()
	key := eventlog.NewBlobKey(`any "project"/..`)
	if err := blob.CheckKey(key); err != nil {
		t.Fatal(err)
	}
	at, own, ok := eventlog.BlobMade(key, `any "project"/..`)
	if age := time.Since(at); !ok || !own || age < 0 || age > time.Minute {
		t.Errorf("%s was made %s ago, own %t, %t", key, age, own, ok)
	}
	if _, own, _ := eventlog.BlobMade(key, "other"); own {
		t.Error("the key is another project's")
	}
	if at, own, ok := eventlog.BlobMade("oversize/2026-05-01/019a0000-0000-7000-8000-000000000000", "p"); !ok || own || at.Year() != 2025 {
		t.Errorf("a key of an earlier release: %v, %t, %t", at, own, ok)
	}
	for _, key := range []string{"", "media/x", "oversize/x", "oversize/x/y", "oversize/x/6ba7b810-9dad-11d1-80b4-00c04fd430c8"} {
		if _, _, ok := eventlog.BlobMade(key, "p"); ok {
			t.Errorf("%q is taken for a key", key)
		}
	}
}
