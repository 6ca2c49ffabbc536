package e2e_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// An import that is killed twice on the way brings every row of a failing source once, with its cost, whatever the source's
// generation. `sonde bench import` tells what is lost, doubled or different, and reads everything back.
func TestImportSurvivesKills(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{"older reads": nil, "newer reads": {"--newer"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := run(t, environment(t), append([]string{"bench", "import", "--observations", "2000", "--kills", "2"}, flags...)...)
			if got.code != 0 {
				t.Errorf("code %d\n%s%s", got.code, got.stdout, got.stderr)
			}
		})
	}
}

// A project moves from one server to another with all that a demo has, and the command tells when something is not there any more.
func TestImportBetweenServers(t *testing.T) {
	t.Parallel()
	from, to := startServer(t), startServer(t)
	filled := run(t, environment(t, "SONDE_URL=http://"+from.listen, "SONDE_PUBLIC_KEY="+publicKey, "SONDE_SECRET_KEY="+secretKey), "demo", "--small", "--traces", "50", "--days", "2")
	if filled.code != 0 {
		t.Fatal(filled.stderr)
	}
	state := filepath.Join(t.TempDir(), "state.json")
	env := environment(t, "LANGFUSE_HOST=http://"+from.listen, "LANGFUSE_PUBLIC_KEY="+publicKey, "LANGFUSE_SECRET_KEY="+secretKey,
		"SONDE_URL=http://"+to.listen, "SONDE_PUBLIC_KEY="+publicKey, "SONDE_SECRET_KEY="+secretKey, "SONDE_IMPORT_STATE="+state)
	again := func(args ...string) result { return run(t, env, append([]string{"import", "langfuse"}, args...)...) }

	from.drained(time.Minute)
	if dry := again("--dry-run"); dry.code != 0 || !strings.Contains(dry.stdout, "observations") {
		t.Errorf("dry run: code %d\n%s%s", dry.code, dry.stdout, dry.stderr)
	}
	if got := again("--verify", "all"); got.code != 0 {
		t.Fatalf("code %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	if got := again("--verify", "all"); got.code != 0 {
		t.Errorf("once more: code %d\n%s%s", got.code, got.stdout, got.stderr)
	}

	listed, err := to.client().do(http.MethodGet, "/api/public/v3/scores?limit=1", nil)
	if err != nil || listed.err() != nil {
		t.Fatal(err, listed.err())
	}
	var page struct{ Data []struct{ ID string } }
	if err := json.Unmarshal([]byte(listed.body), &page); err != nil || len(page.Data) != 1 {
		t.Fatalf("%v: %s", err, listed.body)
	}
	gone := page.Data[0].ID
	if deleted, err := to.client().do(http.MethodDelete, "/api/public/scores/"+gone, nil); err != nil || deleted.status != http.StatusAccepted {
		t.Fatalf("%v, %+v", err, deleted)
	}
	to.drained(time.Minute)
	if got := again("--verify", "all"); got.code != 1 || !strings.Contains(got.stdout, gone+": is missing") {
		t.Errorf("a score is gone: code %d\n%s%s", got.code, got.stdout, got.stderr)
	}

	for name, c := range map[string]struct {
		got  result
		says string
	}{
		"another secret":  {again("--from-secret-key", "sk-lf-wrong"), "refuses the keys"},
		"no such address": {again("--from", "http://"+freeAddress(t)), "is it the right address?"},
		"same project":    {again("--to", "http://"+from.listen), "same project"},
		"another range":   {again("--since", "2026-01-01T00:00:00Z"), "this import began with --since"},
		"unknown kind":    {again("--only", "sessions"), "there are models, prompts, datasets, traces, scores"},
	} {
		if c.got.code != 2 || !strings.Contains(c.got.stderr, c.says) {
			t.Errorf("%s: code %d, %s", name, c.got.code, c.got.stderr)
		}
	}
}
