package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Files that a newer engine or a newer log wrote are not opened: the server ends and says what to do.
func TestFilesOfNewerVersionsAreRefused(t *testing.T) {
	t.Parallel()
	s := startNode(t)
	s.stop()
	file := filepath.Join(s.dir, "versions.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var written map[string]string
	if err := json.Unmarshal(text, &written); err != nil || written["sonde"] == "" || written["engine"] == "" || written["log"] == "" {
		t.Fatalf("%s: %v", text, err)
	}
	for part, says := range map[string]string{"engine": "the trace store in " + s.dir, "log": "the log in " + s.dir} {
		newer := map[string]string{"sonde": "99.0.0", "engine": written["engine"], "log": written["log"]}
		newer[part] = "99.1.2"
		changed, err := json.Marshal(newer)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, command := range [][]string{{"serve"}, {"migrate", "run"}, {"migrate", "plan"}} {
			r := run(t, environment(t), append(command, "--data-dir", s.dir)...)
			if r.code == 0 || !strings.Contains(r.stderr, says) || !strings.Contains(r.stderr, "99.1.2 (sonde 99.0.0)") || !strings.Contains(r.stderr, "restore a backup from before the upgrade") {
				t.Errorf("%v with a newer %s: %+v", command, part, r)
			}
		}
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	s.start() // nothing was touched
	if r := run(t, environment(t), "migrate", "plan", "--data-dir", s.dir); r.code != 0 || !strings.Contains(r.stdout, "nothing is pending") {
		t.Errorf("plan beside the running server: %+v", r)
	}
}
