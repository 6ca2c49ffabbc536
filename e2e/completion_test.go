package e2e_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Bash loads what the program prints, and completes commands, flags and values with it.
func TestCompletionInBash(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "sonde.bash")
	if err := os.WriteFile(script, []byte(run(t, environment(t), "completion", "bash").stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"ser":                      "serve",
		"import langfuse --dry":    "--dry-run",
		"serve --role ing":         "ingest",
		"serve --role = ing":       "ingest",
		"serve --data-dir unknown": "",
	} {
		cmd := exec.CommandContext(t.Context(), "bash", "--norc", "-c", `source "$1"; complete -p sonde >/dev/null || exit 3
			COMP_WORDS=("$2"); shift 2; COMP_WORDS+=("$@"); COMP_CWORD=$#; _sonde; echo "${COMPREPLY[*]}"`,
			"bash", script, program(t))
		cmd.Args = append(cmd.Args, strings.Split(line, " ")...)
		var errors bytes.Buffer
		cmd.Env, cmd.Stderr = environment(t), &errors
		got, err := cmd.Output()
		if err != nil || strings.TrimSpace(string(got)) != want || errors.Len() > 0 {
			t.Errorf("%q completes to %q, want %q (%v, %s)", line, got, want, err, errors.String())
		}
	}
}

// The manual page has nothing that groff warns of, where there is one.
func TestManPageIsClean(t *testing.T) {
	t.Parallel()
	page := run(t, environment(t), "man")
	if page.code != 0 || !strings.HasPrefix(page.stdout, ".TH SONDE 1") {
		t.Fatalf("code %d, %.200s", page.code, page.stdout)
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		return // what the page is made of has a test of its own
	}
	cmd := exec.CommandContext(t.Context(), groff, "-man", "-Tutf8", "-ww", "-z")
	cmd.Stdin = strings.NewReader(page.stdout)
	if warned, err := cmd.CombinedOutput(); err != nil || len(warned) > 0 {
		t.Errorf("%v: %s", err, warned)
	}
}
