package api_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/api"
)

// dial opens a connection and sends the head of an export that announces so many bytes.
func dial(t *testing.T, server *httptest.Server, announced int) net.Conn {
	t.Helper()
	conn, err := net.DialTimeout("tcp", server.Listener.Addr().String(), 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\nContent-Type: application/x-protobuf\r\nContent-Length: %d\r\n\r\n", traces, keyA, announced)
	return conn
}

func statusOn(t *testing.T, conn net.Conn) int {
	t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

// A client that sends a byte now and then is let go at the pace; one that pauses and goes on is not.
func TestSlowBodies(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *api.Config) { c.Pace = api.Pace{Grace: 300 * time.Millisecond, Rate: 1 << 20} })
	server := httptest.NewServer(f.bare)
	t.Cleanup(server.Close)

	t.Run("trickle", func(t *testing.T) {
		t.Parallel()
		conn := dial(t, server, 1_000_000)
		stop := make(chan struct{})
		defer close(stop)
		go func() {
			ticks := time.NewTicker(20 * time.Millisecond)
			defer ticks.Stop()
			for {
				select {
				case <-stop:
					return
				case <-ticks.C:
					if _, err := conn.Write([]byte("x")); err != nil {
						return
					}
				}
			}
		}()
		began := time.Now()
		if status := statusOn(t, conn); status != http.StatusRequestTimeout {
			t.Errorf("status %d", status)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("after %s", took)
		}
	})
	t.Run("half open", func(t *testing.T) {
		t.Parallel()
		conn := dial(t, server, 1_000_000)
		if _, err := conn.Write([]byte(strings.Repeat("x", 500_000))); err != nil {
			t.Fatal(err)
		}
		if status := statusOn(t, conn); status != http.StatusRequestTimeout {
			t.Errorf("status %d", status)
		}
	})
	t.Run("pauses", func(t *testing.T) {
		t.Parallel()
		conn := dial(t, server, 900_000)
		for range 3 {
			if _, err := conn.Write([]byte(strings.Repeat("x", 300_000))); err != nil {
				t.Fatal(err)
			}
			<-time.After(100 * time.Millisecond) // the pause is what is tested
		}
		if status := statusOn(t, conn); status != http.StatusOK {
			t.Errorf("status %d", status)
		}
	})
}
