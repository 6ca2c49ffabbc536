package app

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// serveGuarded serves on loopback with little patience.
func serveGuarded(t *testing.T, connections int, handler http.HandlerFunc) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := patience{header: 200 * time.Millisecond, idle: 200 * time.Millisecond, write: 300 * time.Millisecond}
	server := newHTTPServer(handler, p)
	served := make(chan error, 1)
	go func() { served <- server.Serve(guard(listener, connections, p.write)) }()
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return conn
}

func answered(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "yes") }

// ask sends a request and returns its status, 0 when the connection is gone.
func ask(conn net.Conn) int {
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// Connections that say nothing, half of a head, or nothing more are closed.
func TestHalfOpenConnectionsAreClosed(t *testing.T) {
	t.Parallel()
	address := serveGuarded(t, 10, answered)
	for name, begin := range map[string]func(net.Conn){
		"silent": func(net.Conn) {},
		"half":   func(c net.Conn) { fmt.Fprint(c, "GET / HTTP/1.1\r\nHost:") },
		"idle": func(c net.Conn) {
			if status := ask(c); status != http.StatusOK {
				t.Errorf("status %d", status)
			}
		},
	} {
		conn := dial(t, address)
		begin(conn)
		if _, err := io.Copy(io.Discard, conn); errors.Is(err, net.ErrClosed) || isTimeout(err) {
			t.Errorf("%s: the connection stays: %v", name, err)
		}
	}
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}

func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	entered := make(chan struct{}, 2)
	address := serveGuarded(t, 2, func(w http.ResponseWriter, r *http.Request) {
		entered <- struct{}{}
		<-release
		answered(w, r)
	})
	statuses := make(chan int, 2)
	for range 2 {
		conn := dial(t, address)
		go func() { statuses <- ask(conn); _ = conn.Close() }()
		<-entered
	}
	if status := ask(dial(t, address)); status != 0 {
		t.Errorf("a third connection is answered with %d", status)
	}
	close(release)
	for range 2 {
		if status := <-statuses; status != http.StatusOK {
			t.Errorf("status %d", status)
		}
	}
	for deadline := time.Now().Add(10 * time.Second); ; {
		conn := dial(t, address)
		status := ask(conn)
		_ = conn.Close()
		if status == http.StatusOK {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("connections that ended leave no room")
		}
	}
}

// A client that asks for much and reads nothing does not hold its handler.
func TestAnswersThatNobodyReadsAreGivenUp(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	address := serveGuarded(t, 10, func(w http.ResponseWriter, _ *http.Request) {
		piece := make([]byte, 1<<20)
		for {
			if _, err := w.Write(piece); err != nil {
				ended <- err
				return
			}
		}
	})
	conn := dial(t, address)
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Error("the handler is still writing")
	}
}

func TestLongHeadsAreRefused(t *testing.T) {
	t.Parallel()
	conn := dial(t, serveGuarded(t, 10, answered))
	go func() {
		fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n")
		for range 200 {
			if _, err := fmt.Fprintf(conn, "X-Long: %01000d\r\n", 1); err != nil {
				return
			}
		}
	}()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("status %d", resp.StatusCode)
	}
}
