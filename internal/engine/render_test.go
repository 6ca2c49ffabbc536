package engine

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestRenderedConfiguration(t *testing.T) {
	t.Parallel()
	values := newSettings(Config{
		Dir:         "/data/a & b",
		MemoryBytes: 2_000_000_000,
		Shards: []Shard{
			{Host: "10.0.0.1", Port: 9000, User: "sonde", Password: "one"},
			{Host: "10.0.0.2", Port: 9001, User: "sonde", Password: "<two>"},
		},
	}, "secret")
	values.Cores = 8
	for name, tmpl := range map[string]*template.Template{"config.xml": configTemplate, "users.xml": usersTemplate} {
		var got bytes.Buffer
		if err := tmpl.Execute(&got, values); err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(golden, got.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestPrepareKeepsSecretsToTheOwner(t *testing.T) {
	t.Parallel()
	cfg := Config{Dir: filepath.Join(t.TempDir(), "engine")}
	password, err := prepare(cfg)
	if err != nil {
		t.Fatal(err)
	}
	again, err := prepare(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if len(password) < 20 || again != password {
		t.Errorf("password %q, then %q", password, again)
	}
	for _, name := range []string{"password", "config.xml", "users.xml"} {
		path := filepath.Join(cfg.Dir, name)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
		if text, _ := os.ReadFile(path); name != "password" && strings.Contains(string(text), password) {
			t.Errorf("%s holds the password itself", name)
		}
	}
	other, err := prepare(Config{Dir: t.TempDir()})
	if err != nil || other == password {
		t.Errorf("two directories share a password (%v)", err)
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	t.Parallel()
	var kept tail
	long := strings.Repeat("x", 2*tailWidth)
	for _, written := range []string{strings.Repeat("old\n", 100), "one\n\ntw", "o\n" + long + "\n"} {
		if n, err := kept.Write([]byte(written)); n != len(written) || err != nil {
			t.Errorf("write of %d bytes: %d, %v", len(written), n, err)
		}
	}
	want := "one\ntwo\n" + long[:tailWidth]
	if got := kept.last(3); got != want {
		t.Errorf("got %q", got)
	}
	if n := len(kept.lines); n != tailLines {
		t.Errorf("%d lines kept, want %d", n, tailLines)
	}
}
