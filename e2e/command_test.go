package e2e_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// result is what a command that ended by itself leaves.
type result struct {
	code           int
	stdout, stderr string
}

// run runs the program in a directory of its own.
func run(t *testing.T, env []string, args ...string) result {
	t.Helper()
	return runIn(t, t.TempDir(), program(t), env, args...)
}

func runIn(t *testing.T, dir, binary string, env []string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, &stdout, &stderr
	if _, ended := errors.AsType[*exec.ExitError](cmd.Run()); !ended && cmd.ProcessState == nil {
		t.Fatalf("%s cannot be run", binary)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// Without an engine the program says in two lines what is missing and what to do, and leaves nothing behind.
// Not in parallel: a program that was just written cannot be run while another test starts one.
func TestServeWithoutEngine(t *testing.T) {
	dir := t.TempDir()
	lonely := filepath.Join(dir, "sonde")
	copyFile(t, program(t), lonely)
	got := runIn(t, dir, lonely, []string{"PATH="}, "serve", "--listen", freeAddress(t), "--grpc-listen", "", "--metrics-listen", "")
	lines := strings.Split(strings.TrimSpace(got.stderr), "\n")
	if got.code != 1 || got.stdout != "" || len(lines) != 2 {
		t.Errorf("code %d, stdout %q, stderr %q", got.code, got.stdout, got.stderr)
	}
	if !strings.Contains(lines[0], "no ClickHouse engine") || !strings.Contains(lines[len(lines)-1], "sonde engine fetch") {
		t.Errorf("the lines do not say what to do: %q", lines)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("it left %v behind: %v", left, err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o700) //nolint:gosec // a program
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	dir, listen := filepath.Join(t.TempDir(), "data"), freeAddress(t)
	good := run(t, environment(t), "doctor", "--data-dir", dir, "--listen", listen, "--grpc-listen", "", "--metrics-listen", "")
	want := "ok    configuration\n*ok    data directory " + dir + "\nok    room on its disk\nok    inodes on its disk\nok    limit of open files\nok    memory\nok    address " + listen + " is free\nok    engine *\n"
	if good.code != 0 || !fits(want, good.stdout) || good.stderr != "" {
		t.Errorf("code %d, stderr %q\n%s", good.code, good.stderr, cmp.Diff(want, good.stdout))
	}

	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	nobody := freeAddress(t)
	bad := run(t, environment(t), "check", "--data-dir", "/dev/null/x", "--listen", taken.Addr().String(), "--grpc-listen", "", "--metrics-listen", "",
		"--base-path", "x", "--engine-memory", "1MiB", "--engine-library", "/no/such/library",
		"--metadata-url", "postgres://"+nobody+"/x", "--eventlog-address", "nats://"+nobody)
	want = `FAIL  configuration: base-path must start with a slash and not end with one, got "x"
engine-memory must be at least 256MiB, got 1MiB
      why  *
      do   *
FAIL  data directory /dev/null/x: *
      why  *
      do   *
FAIL  address ` + taken.Addr().String() + ` is free: *
      why  *
      do   *
FAIL  engine: no ClickHouse engine: the library /no/such/library does not exist
*
      do   *
FAIL  metadata in PostgreSQL: *
      why  *
      do   *
FAIL  ingest log on NATS: *
      why  *
      do   *
`
	if bad.code != 1 || !fits(want, bad.stdout) || !strings.Contains(bad.stderr, "6 of the checks failed") {
		t.Errorf("code %d, stderr %q\n%s", bad.code, bad.stderr, cmp.Diff(want, bad.stdout))
	}
}

// fits compares texts of which the expected one has stars for what may differ.
func fits(want, got string) bool {
	return regexp.MustCompile(`(?s)^` + strings.ReplaceAll(regexp.QuoteMeta(want), `\*`, `.*`) + `$`).MatchString(got)
}

// A flag wins over the environment, the environment over the file, the file over the default.
func TestWhereSettingsComeFrom(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	byFlag, byEnv, byFile := freeAddress(t), freeAddress(t), freeAddress(t)
	file := filepath.Join(dir, "sonde.yaml")
	text := "listen: " + byFile + "\nmetrics_listen: \"\"\ndata_dir: " + dir + "/from-file\neventlog:\n  capacity: 1MiB\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		env, flags []string
		want       string
	}{
		"file":                     {nil, nil, byFile},
		"environment over file":    {[]string{"SONDE_LISTEN=" + byEnv}, nil, byEnv},
		"flag over file":           {nil, []string{"--listen", byFlag}, byFlag},
		"flag over both":           {[]string{"SONDE_LISTEN=" + byEnv}, []string{"--listen", byFlag}, byFlag},
		"an empty variable is set": {[]string{"SONDE_LISTEN="}, nil, `""`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := run(t, environment(t, c.env...), append([]string{"check", "--config", file}, c.flags...)...)
			if !strings.Contains(got.stdout, c.want) || !strings.Contains(got.stdout, "data directory "+dir+"/from-file") ||
				!strings.Contains(got.stdout, "eventlog-capacity must be at least 32MiB, got 1MiB") {
				t.Errorf("want %s in\n%s%s", c.want, got.stdout, got.stderr)
			}
		})
	}
}

func TestBadSettingsAreRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(text string) string {
		name := filepath.Join(dir, strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' {
				return r
			}
			return '_'
		}, text)+".yaml")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"unknown key":         {[]string{"serve", "--config", file("eventlog:\n  kep: 4h\n")}, `there is no setting "eventlog.kep"`},
		"unknown section":     {[]string{"serve", "--config", file("evntlog: {keep: 4h}\n")}, `there is no setting "evntlog.keep"`},
		"broken file":         {[]string{"serve", "--config", file("listen: [\n")}, "configuration file"},
		"no file":             {[]string{"serve", "--config", filepath.Join(dir, "missing.yaml")}, "missing.yaml"},
		"unknown flag":        {[]string{"serve", "--lissten", "x"}, "--lissten"},
		"unknown role":        {[]string{"serve", "--role", "cook"}, "cook"},
		"a value of no kind":  {[]string{"serve", "--eventlog-keep", "long"}, "long"},
		"half a key":          {[]string{"serve", "--init-project-public-key", "pk"}, "go together"},
		"unknown command":     {[]string{"sreve"}, "sreve"},
		"everything at once":  {[]string{"serve", "--listen", "x", "--base-path", "y", "--engine-cluster", "z"}, "base-path must"},
		"a size that is none": {[]string{"serve", "--ingest-max-body", "many"}, "many"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := run(t, environment(t), c.args...)
			if got.code != 1 || got.stdout != "" || !strings.Contains(got.stderr, c.want) {
				t.Errorf("code %d, want %s in\n%s%s", got.code, c.want, got.stdout, got.stderr)
			}
		})
	}
}

func TestVersionAndHelp(t *testing.T) {
	t.Parallel()
	version := run(t, bareEnvironment(), "version")
	if version.code != 0 || version.stderr != "" || !regexp.MustCompile(`^sonde \S+ \(commit \S+, go1\.\S+, answers as 4\.\d+\.\d+\)\n$`).MatchString(version.stdout) {
		t.Errorf("%+v", version)
	}
	for _, args := range [][]string{nil, {"--help"}, {"serve", "--help"}} {
		help := run(t, bareEnvironment(), args...)
		if help.code != 0 || help.stderr != "" || !strings.Contains(help.stdout, "Usage: sonde") {
			t.Errorf("%v: %+v", args, help)
		}
	}
}
