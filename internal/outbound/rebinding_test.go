package outbound_test

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/sondehq/sonde/internal/outbound"
)

// nameServer answers every question for an address of version 4 alike, and counts them.
type nameServer struct {
	net.PacketConn
	address netip.Addr
	asked   atomic.Int32
}

func startNameServer(t *testing.T, address string) *nameServer {
	t.Helper()
	conn, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	s := &nameServer{PacketConn: conn, address: netip.MustParseAddr(address)}
	go s.serve()
	return s
}

func (s *nameServer) serve() {
	question := make([]byte, 512)
	for {
		n, from, err := s.ReadFrom(question)
		if err != nil {
			return
		}
		_, _ = s.WriteTo(s.answer(question[:n]), from)
	}
}

// answer is the question with an address behind it: RFC 1035, 4.1.
func (s *nameServer) answer(question []byte) []byte {
	end := 12
	for question[end] != 0 {
		end += int(question[end]) + 1
	}
	end += 5
	out := append([]byte{}, question[:end]...)
	out[2], out[3] = 0x81, 0x80                    // an answer
	clear(out[6:12])                               // without records so far
	if binary.BigEndian.Uint16(out[end-4:]) != 1 { // not for an address of version 4
		return out
	}
	s.asked.Add(1)
	out[7] = 1
	out = append(out, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4) // of that name, to be kept no second
	return append(out, s.address.AsSlice()...)
}

func (s *nameServer) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", s.LocalAddr().String())
	}}
}

// A name is looked up once for each connection, and what is dialed is what was looked at. So a name that is public when it is
// saved and private when it is called leads nowhere, and no second answer comes between the look and the call.
func TestNamesThatMove(t *testing.T) {
	t.Parallel()
	var called atomic.Int32
	inside := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called.Add(1) }))
	t.Cleanup(inside.Close)
	at, err := url.Parse(inside.URL)
	if err != nil {
		t.Fatal(err)
	}
	address := "https://models.example.com:" + at.Port()
	for _, private := range []string{"127.0.0.1", "169.254.169.254", "10.0.0.1", "0.0.0.0"} {
		names := startNameServer(t, private)
		guard := outbound.NewGuardWith(names.resolver())
		t.Cleanup(guard.Close)
		if err := guard.Check("baseURL", address); err != nil {
			t.Fatalf("a name says nothing yet: %v", err)
		}
		if _, err := get(t, guard, address); !errors.Is(err, outbound.ErrPrivate) {
			t.Errorf("a name of %s: %v", private, err)
		}
		if asked := names.asked.Load(); asked != 1 {
			t.Errorf("asked %d times for one connection", asked)
		}
	}
	// What the operator allows by its name is called wherever it is.
	names := startNameServer(t, "127.0.0.1")
	guard := outbound.NewGuardWith(names.resolver(), address)
	t.Cleanup(guard.Close)
	if _, err := get(t, guard, address); err == nil || errors.Is(err, outbound.ErrPrivate) {
		t.Errorf("an allowed name must fail by its certificate only: %v", err)
	}
	if called.Load() != 0 {
		t.Error("a private server was called")
	}
}

// A redirect is an answer, not a way: whoever it names is not called, with or without keys.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	var called atomic.Int32
	secret := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called.Add(1) }))
	t.Cleanup(secret.Close)
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		allowed := httptest.NewServer(http.RedirectHandler(secret.URL, status))
		t.Cleanup(allowed.Close)
		guard := outbound.NewGuard([]string{allowed.URL})
		t.Cleanup(guard.Close)
		if got, err := get(t, guard, allowed.URL); err != nil || got != status {
			t.Errorf("%d: got %d, %v", status, got, err)
		}
	}
	if called.Load() != 0 {
		t.Error("a redirect was followed")
	}
}
