package app

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// patience is how long a connection may take for what it owes us. How slowly a body may come is
// the API's affair.
type patience struct {
	header time.Duration // the head of a request
	idle   time.Duration // the next request
	write  time.Duration // taking a piece of an answer
}

var defaultPatience = patience{header: 10 * time.Second, idle: 2 * time.Minute, write: 30 * time.Second}

// maxHeaderBytes bounds the head of a request.
const maxHeaderBytes = 64 << 10

func newHTTPServer(handler http.Handler, p patience) *http.Server {
	return &http.Server{Handler: handler, ReadHeaderTimeout: p.header, IdleTimeout: p.idle, MaxHeaderBytes: maxHeaderBytes}
}

// listen opens a guarded listener.
func (n *node) listen(ctx context.Context, address string) (net.Listener, error) {
	var listening net.ListenConfig
	listener, err := listening.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	return guard(listener, n.config.MaxConnections, defaultPatience.write), nil
}

// guard bounds the connections of a listener and the time that a client takes to read.
func guard(l net.Listener, connections int, write time.Duration) net.Listener {
	return &guardedListener{Listener: l, slots: make(chan struct{}, connections), write: write}
}

type guardedListener struct {
	net.Listener
	slots chan struct{}
	write time.Duration
}

// Accept closes connections beyond the bound at once: whoever waits for one to become free would
// time out without knowing why.
func (l *guardedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case l.slots <- struct{}{}:
			return &guardedConn{Conn: conn, write: l.write, free: sync.OnceFunc(func() { <-l.slots })}, nil
		default:
			_ = conn.Close() // nobody has it
		}
	}
}

// guardedConn gives up on a client that does not read what it asked for.
type guardedConn struct {
	net.Conn
	write time.Duration
	free  func()
}

// Write sends a piece of an answer.
func (c *guardedConn) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.write)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// Close ends the connection and makes room for another one.
func (c *guardedConn) Close() error {
	c.free()
	return c.Conn.Close()
}
