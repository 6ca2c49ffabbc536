package testkit

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// postgresAddress names the environment variable with the URL of a PostgreSQL server to use
// instead of an own one. Its user must be allowed to create databases.
const postgresAddress = "SONDE_TEST_POSTGRES"

const (
	postgresStart = 60 * time.Second // a busy machine; an idle one needs less than two
	maxSocketPath = 103              // of the smallest of the systems we know
)

// Postgres returns the URL of an empty PostgreSQL database that is dropped after the test.
// The server is shared by all tests of the process and ends with it, however it ends.
func Postgres(t testing.TB) string {
	t.Helper()
	return postgresDatabase(t, "template0")
}

// PostgresCopy returns the URL of a database with all that the one at address has, which nobody may use at the moment.
// Copying is many times faster than migrating an empty one.
func PostgresCopy(t testing.TB, address string) string {
	t.Helper()
	from, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return postgresDatabase(t, strings.TrimPrefix(from.Path, "/"))
}

func postgresDatabase(t testing.TB, template string) string {
	t.Helper()
	server, err := postgresServer()
	if err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	address, err := url.Parse(server)
	if err != nil {
		t.Fatalf("%s must be a URL: %v", postgresAddress, err)
	}
	database := "sonde_test_" + strings.ToLower(rand.Text())
	if err := administer(t.Context(), server, "CREATE DATABASE "+database+" TEMPLATE "+template); err != nil {
		t.Fatalf("create database: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), postgresStart)
		defer cancel()
		if err := administer(ctx, server, "DROP DATABASE "+database+" WITH (FORCE)"); err != nil {
			t.Errorf("drop database: %v", err)
		}
	})
	address.Path = "/" + database
	return address.String()
}

var postgresServer = sync.OnceValues(func() (string, error) {
	if address := os.Getenv(postgresAddress); address != "" {
		return address, nil
	}
	programs, err := postgresPrograms()
	if err != nil {
		return "", err
	}
	// Not the directory of one test, because the server outlives it.
	directory, err := os.MkdirTemp("", "sonde-pg-")
	if err != nil {
		return "", err
	}
	address, err := startPostgres(programs, directory)
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(directory))
	}
	return address, nil
})

// postgresPrograms finds the directory of initdb and postgres: the newest of Debian's, which
// are not in the search path, or one in the search path.
func postgresPrograms() (string, error) {
	directories, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return "", err
	}
	version := func(directory string) int {
		number, _ := strconv.Atoi(filepath.Base(filepath.Dir(directory))) // a strange name sorts first
		return number
	}
	slices.SortFunc(directories, func(a, b string) int { return version(b) - version(a) })
	directories = append(directories, filepath.SplitList(os.Getenv("PATH"))...)
	for _, directory := range directories {
		_, noInit := exec.LookPath(filepath.Join(directory, "initdb"))
		_, noServer := exec.LookPath(filepath.Join(directory, "postgres"))
		if noInit == nil && noServer == nil {
			return directory, nil
		}
	}
	return "", fmt.Errorf("no initdb and postgres found: install the package postgresql (apt-get install postgresql), "+
		"or set %s to the URL of a server", postgresAddress)
}

// supervise runs the server until its own standard input ends, which is when the test
// process is gone, and then removes every trace of it.
const supervise = `
programs=$1 directory=$2
"$programs/postgres" -D "$directory/data" -k "$directory" -c listen_addresses= \
	-c fsync=off -c synchronous_commit=off -c full_page_writes=off \
	-c shared_buffers=32MB -c max_connections=500 >"$directory/log" 2>&1 &
server=$!
read -r nothing
kill -INT "$server"
wait "$server"
cd / && rm -rf "$directory"
`

// lifeline is the other end of the supervisor's standard input, open as long as we live.
var lifeline *os.File

func startPostgres(programs, directory string) (string, error) {
	if socket := filepath.Join(directory, ".s.PGSQL.5432"); len(socket) > maxSocketPath {
		return "", fmt.Errorf("the socket %s has too long a path: set TMPDIR to a shorter one", socket)
	}
	command, err := initPostgres(programs, directory)
	if err != nil {
		return "", err
	}
	supervisor := command("/bin/sh", "-c", supervise, "sh", programs, directory)
	var input *os.File
	if input, lifeline, err = os.Pipe(); err != nil {
		return "", err
	}
	defer input.Close()
	supervisor.Stdin = input
	if err := supervisor.Start(); err != nil {
		return "", errors.Join(err, lifeline.Close())
	}
	query := url.Values{"host": {directory}, "sslmode": {"disable"}}
	address := "postgres://postgres@/postgres?" + query.Encode()
	if err := awaitPostgres(address); err != nil {
		log, _ := os.ReadFile(filepath.Join(directory, "log")) // helps when there is one
		return "", errors.Join(fmt.Errorf("%w\n%s", err, log), lifeline.Close(), supervisor.Wait())
	}
	return address, nil
}

// initPostgres makes the files of a server in directory/data unless they are there, and returns what makes commands that run as their owner.
func initPostgres(programs, directory string) (func(name string, arguments ...string) *exec.Cmd, error) {
	credential, err := unprivileged(directory)
	if err != nil {
		return nil, err
	}
	command := func(name string, arguments ...string) *exec.Cmd {
		command := exec.Command(name, arguments...)
		command.Dir = directory
		command.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
		// Its own process group: an interrupt at the terminal is for us, and the server
		// must outlive us by a moment.
		command.SysProcAttr = &syscall.SysProcAttr{Credential: credential, Setpgid: true}
		return command
	}
	if _, err := os.Stat(filepath.Join(directory, "data", "PG_VERSION")); err == nil {
		return command, nil
	}
	output, err := command(filepath.Join(programs, "initdb"), "-D", filepath.Join(directory, "data"),
		"-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, output)
	}
	return command, nil
}

// PostgresOn makes the files of a server in a directory, unless it has them, and returns what runs it on a port of this machine, again
// and again: with its own settings for durability, so that it may be killed.
func PostgresOn(directory string, port int) (server func() *exec.Cmd, address string, err error) {
	programs, err := postgresPrograms()
	if err != nil {
		return nil, "", err
	}
	command, err := initPostgres(programs, directory)
	if err != nil {
		return nil, "", err
	}
	server = func() *exec.Cmd {
		return command(filepath.Join(programs, "postgres"), "-D", filepath.Join(directory, "data"), "-k", "", "-p", strconv.Itoa(port),
			"-c", "listen_addresses=127.0.0.1", "-c", "shared_buffers=32MB", "-c", "max_connections=500")
	}
	return server, fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", port), nil
}

// unprivileged gives the directory to the user that the server shall run as, because
// PostgreSQL refuses to run as root. It returns nil when we are not root.
func unprivileged(directory string) (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		account, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, fmt.Errorf("running as root, and neither a user postgres nor nobody to run the server: %w", err)
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(account.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, os.Chown(directory, int(uid), int(gid))
}

func awaitPostgres(address string) error {
	ctx, cancel := context.WithTimeout(context.Background(), postgresStart)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		err := administer(ctx, address, "SELECT 1")
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-again.C:
		}
	}
}

func administer(ctx context.Context, address, statement string) error {
	connection, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	_, err = connection.Exec(ctx, statement)
	return errors.Join(err, connection.Close(ctx))
}
