// Package e2e_test drives the built program from outside, as people and clients do: over HTTP, by
// flags and signals, by what it leaves on disk. Every answer is checked against the API's description.
package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sondehq/sonde/internal/testkit"
)

func TestMain(m *testing.M) {
	testkit.EngineMain()
	code := m.Run()
	stopShards() // they are shared by tests, and no leak
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, "goroutines are left:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// program is the binary under test.
func program(t *testing.T) string {
	t.Helper()
	path := os.Getenv("SONDE_BINARY")
	if path == "" {
		path = filepath.Join("..", "bin", "sonde")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("these tests need the built program: run `make build`, or name one in SONDE_BINARY (%v)", err)
	}
	return path
}

// environment is ours without settings of the program, but with a way to its engine.
func environment(t *testing.T, more ...string) []string {
	t.Helper()
	library := os.Getenv("SONDE_ENGINE_LIBRARY")
	if library == "" {
		library = filepath.Join("..", ".engine", "libchdb.so")
	}
	library, err := filepath.Abs(library)
	if err != nil {
		t.Fatal(err)
	}
	return append(bareEnvironment(), append([]string{"SONDE_ENGINE_LIBRARY=" + library}, more...)...)
}

func bareEnvironment() []string {
	var kept []string
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "SONDE_") {
			kept = append(kept, variable)
		}
	}
	return kept
}

// eventually asks again and again until there is no error left, and fails the test with the last
// one when that takes longer than within. It returns how long it took.
func eventually(t *testing.T, within time.Duration, what string, ask func() error) time.Duration {
	t.Helper()
	began := time.Now()
	for {
		err := ask()
		if err == nil {
			return time.Since(began)
		}
		if time.Since(began) > within {
			t.Fatalf("%s: not within %s: %v", what, within, err)
		}
		pause(10 * time.Millisecond)
	}
}

// pause is for the time between two looks, and for the pace of a load.
func pause(d time.Duration) { <-time.After(d) }
