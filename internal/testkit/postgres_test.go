package testkit_test

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"github.com/sondehq/sonde/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPostgresGivesEveryTestItsOwnDatabase(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"one", "two"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var connection *pgx.Conn
			t.Cleanup(func() { // after the drop, which must cope with an open connection
				if connection != nil {
					_ = connection.Close(context.WithoutCancel(t.Context()))
				}
			})
			address := testkit.Postgres(t)
			var err error
			connection, err = pgx.Connect(t.Context(), address)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := connection.Exec(t.Context(), "CREATE TABLE same (id text)"); err != nil {
				t.Error(err)
			}
		})
	}
}

// holdPostgres makes TestHoldPostgres, in a process of its own, hold a server until it is killed.
const holdPostgres = "SONDE_TEST_HOLD_POSTGRES"

func TestHoldPostgres(t *testing.T) {
	t.Parallel()
	address := testkit.Postgres(t)
	if os.Getenv(holdPostgres) == "" {
		return
	}
	_, _ = os.Stdout.WriteString(address + "\n")
	select {}
}

func TestPostgresEndsWithTheProcess(t *testing.T) {
	t.Parallel()
	child := exec.Command(os.Args[0], "-test.run=^TestHoldPostgres$")
	child.Env = append(os.Environ(), holdPostgres+"=1", "SONDE_TEST_POSTGRES=")
	output, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, reading := bufio.NewReader(output).ReadString('\n')
	killing := child.Process.Kill()
	if err := child.Wait(); err == nil || reading != nil || killing != nil {
		t.Fatalf("child: %v, %v, %v", err, reading, killing)
	}
	address, err := url.Parse(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	directory := address.Query().Get("host")
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for deadline := time.Now().Add(30 * time.Second); ; <-again.C {
		if _, err := os.Stat(directory); errors.Is(err, fs.ErrNotExist) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s of a killed process is still there", directory)
		}
	}
}
