package engine

import (
	"os"
	"path/filepath"
	"testing"
)

// These tests set the environment, so they cannot run in parallel.

func TestFindPrefersWhatWasNamed(t *testing.T) {
	root := t.TempDir()
	touch := func(name string) string {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o500); err != nil { //nolint:gosec // stands for a program
			t.Fatal(err)
		}
		return path
	}
	program := touch("bin/sonde")
	inCheckout := touch(".engine/libchdb.so")
	beside := touch("bin/libchdb.so")
	inPackage := touch("lib/sonde/libchdb.so")
	named, variable := touch("named.so"), touch("variable.so")
	inPath, other := touch("path/clickhouse"), touch("other/clickhouse")

	for _, c := range []struct {
		name, path, variable string
		cfg                  Config
		want                 Source
	}{
		{"binary named", "path", variable, Config{Binary: other, Library: named}, Source{Binary: other}},
		{"library named", "path", variable, Config{Library: named}, Source{Library: named}},
		{"library in the environment", "path", variable, Config{}, Source{Library: variable}},
		{"binary in PATH", "path", "", Config{}, Source{Binary: inPath}},
		{"below lib of the same prefix", "", "", Config{}, Source{Library: inPackage}},
	} {
		t.Setenv("PATH", filepath.Join(root, c.path))
		t.Setenv(LibraryVariable, c.variable)
		c.cfg.Executable = program
		if got, err := Find(c.cfg); err != nil || got != c.want {
			t.Errorf("%s: got %v and %v, want %v", c.name, got, err, c.want)
		}
	}
	for _, c := range []struct{ name, without, want string }{
		{"beside the program", inPackage, beside},
		{"in a checkout", beside, inCheckout},
	} {
		if err := os.Remove(c.without); err != nil {
			t.Fatal(err)
		}
		if got, err := Find(Config{Executable: program}); err != nil || got.Library != c.want {
			t.Errorf("%s: got %v and %v, want %s", c.name, got, err, c.want)
		}
	}
}

func TestFindSaysWhatToDo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv(LibraryVariable, "")
	const advice = "\nrun `sonde engine fetch`, put libchdb.so beside the sonde binary, or set engine.address to a ClickHouse server"
	program := filepath.Join(t.TempDir(), "bin", "sonde")
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{}, "no ClickHouse engine: there is no clickhouse in PATH and no libchdb.so beside the program"},
		{Config{Library: "/nowhere/libchdb.so"}, "no ClickHouse engine: the library /nowhere/libchdb.so does not exist"},
		{Config{Binary: "/nowhere/clickhouse"}, "no ClickHouse engine: the clickhouse binary /nowhere/clickhouse cannot be run"},
	} {
		c.cfg.Executable = program
		c.cfg.Dir = t.TempDir()
		if _, err := Start(t.Context(), c.cfg); err == nil || err.Error() != c.want+advice {
			t.Errorf("got %v, want %q", err, c.want+advice)
		}
	}
}
