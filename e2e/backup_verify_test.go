package e2e_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A backup that stands on another is restored from both, and the restored server answers what the running one did.
func TestBackupVerify(t *testing.T) {
	t.Parallel()
	s := startNode(t)
	c := s.client()
	seedEverything(c)
	s.drained(30 * time.Second)
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	if made := backUp(t, s, "--to", first); made.code != 0 {
		t.Fatalf("backup: %+v", made)
	}
	s.addProject("another").send(inProtobuf(t, newSpans(30)...))
	s.drained(30 * time.Second)
	made := backUp(t, s, "--to", second, "--onto", first, "--with-answers")
	if made.code != 0 || !strings.Contains(made.stdout, "the rest lies in ../first") {
		t.Fatalf("backup onto another: %+v", made)
	}
	blobs, err := filepath.Glob(filepath.Join(second, "blobs", "*", "*"))
	if err != nil || len(blobs) > 0 {
		t.Errorf("blobs were written again: %v, %v", blobs, err)
	}

	verify := func(args ...string) result {
		t.Helper()
		return run(t, environment(t), append([]string{"backup", "verify", "--work-dir", t.TempDir()}, args...)...)
	}
	same := regexp.MustCompile(`restored and the same: (\d{3,}) answers, 0 different`)
	if r := verify(second); r.code != 0 || !same.MatchString(r.stdout) || !strings.Contains(r.stdout, "another") {
		t.Errorf("verify: %+v", r)
	}
	// The first one knows no project that was made later, and so is not what the server is now.
	if r := verify(first, "--against", s.dir); r.code == 0 || !strings.Contains(r.stdout, "different: another /api/public/") {
		t.Errorf("verify of what is older: %+v", r)
	}
	moved := filepath.Join(dir, "elsewhere")
	if err := os.Rename(first, moved); err != nil {
		t.Fatal(err)
	}
	if r := verify(second); r.code == 0 || !strings.Contains(r.stderr, "it needs the backup in ../first") {
		t.Errorf("verify without what it needs: %+v", r)
	}
	if r := backUp(t, s, "--to", filepath.Join(dir, "third"), "--onto", first); r.code == 0 || !strings.Contains(r.stderr, "find the backup") {
		t.Errorf("backup onto nothing: %+v", r)
	}
}
