package engine

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

func TestStrangersAreRefusedAndDoNoHarm(t *testing.T) {
	t.Parallel()
	e := startEngine(t, testConfig(t))
	pid := e.Pid()
	for name, login := range map[string][2]string{
		"wrong password": {User, "wrong"},
		"no such user":   {"nobody", ""},
	} {
		if err := connectAs(t, e.Addr(), login[0], login[1]).Ping(t.Context()); err == nil {
			t.Errorf("%s: let in", name)
		}
	}
	nowhere, err := clickhouse.Open(&clickhouse.Options{
		Addr: []string{e.Addr()},
		Auth: clickhouse.Auth{Database: "nowhere", Username: User, Password: e.Password()},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = nowhere.Close() }()
	if err := nowhere.Ping(t.Context()); err == nil {
		t.Error("no such database: let in")
	}
	local := connectAs(t, e.Addr(), "default", "")
	for _, query := range []string{"SELECT * FROM system.tables", "SYSTEM STOP LISTEN TCP", "SELECT * FROM file('password', LineAsString)"} {
		if err := local.Exec(t.Context(), query); err == nil {
			t.Errorf("default without password ran %q", query)
		}
	}
	for _, bytes := range []string{"GET / HTTP/1.1\r\n\r\n", "\x07garbage", "\x00\x04te", ""} {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", e.Addr())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(conn, bytes)
		_ = conn.(*net.TCPConn).CloseWrite()
		_, _ = bufio.NewReader(conn).ReadByte()
		conn.Close()
	}
	if got := scan[uint8](t, connect(t, e), "SELECT 1"); got != 1 || e.Pid() != pid || e.Restarts() != 0 {
		t.Errorf("engine was replaced: pid %d, was %d, restarts %d", e.Pid(), pid, e.Restarts())
	}
}

func TestBrokenConnectionsDoNoHarm(t *testing.T) {
	t.Parallel()
	e := startEngine(t, testConfig(t))
	pid, conn := e.Pid(), connect(t, e)
	run(t, conn, "CREATE DATABASE d", "CREATE TABLE d.t (n UInt64) ENGINE = MergeTree ORDER BY n")
	for name, use := range map[string]func(driver.Conn) error{
		"in a select": func(c driver.Conn) error {
			rows, err := c.Query(t.Context(), "SELECT number FROM system.numbers")
			if err != nil {
				return err
			}
			rows.Next()
			return rows.Err()
		},
		"in an insert": func(c driver.Conn) error {
			_, err := c.PrepareBatch(t.Context(), "INSERT INTO d.t") //nolint:clickhouselint // to be broken off
			return err
		},
	} {
		for _, last := range []string{"", "\x02\x00\x01\x00\x02\xff\xff"} { // nothing, half a block
			if err := breakOff(e, use, last); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := connect(t, e).Exec(ctx, "SELECT sleep(3)"); err == nil {
		t.Error("a canceled query returned no error")
	}
	eventually(t, 10*time.Second, "queries end", func() bool {
		return scan[uint64](t, conn, "SELECT count() FROM system.processes") == 1
	})
	if e.Pid() != pid || e.Restarts() != 0 {
		t.Errorf("engine was replaced: pid %d, was %d, restarts %d", e.Pid(), pid, e.Restarts())
	}
}

// breakOff resets a connection in the middle of its use, after some last bytes.
func breakOff(e *Engine, use func(driver.Conn) error, last string) error {
	var wire net.Conn
	conn, err := clickhouse.Open(&clickhouse.Options{
		Addr: []string{e.Addr()},
		Auth: clickhouse.Auth{Username: e.User(), Password: e.Password()},
		DialContext: func(ctx context.Context, addr string) (_ net.Conn, err error) {
			wire, err = (&net.Dialer{}).DialContext(ctx, "tcp", addr)
			return wire, err
		},
	})
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := use(conn); err != nil {
		return err
	}
	fmt.Fprint(wire, last)
	_ = wire.(*net.TCPConn).SetLinger(0)
	return wire.Close()
}
