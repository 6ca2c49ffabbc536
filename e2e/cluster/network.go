package cluster

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
)

// Network is the wires between the processes: every pair that talks has a link of its own, which can be cut. Nothing is
// lost in it but what is on its way when it is cut.
type Network struct {
	mu    sync.Mutex
	links []*link
	cut   map[string]bool // processes that nobody reaches and that reach nobody
	work  sync.WaitGroup
}

// link passes connections from one process on to another.
type link struct {
	from, to string
	listener net.Listener
	target   string

	mu    sync.Mutex
	conns map[net.Conn]bool
}

func newNetwork() *Network { return &Network{cut: map[string]bool{}} }

// Link returns the address at which from reaches to, which listens on target.
func (n *Network) Link(ctx context.Context, from, to, target string) (string, error) {
	var listening net.ListenConfig
	listener, err := listening.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	l := &link{from: from, to: to, listener: listener, target: target, conns: map[net.Conn]bool{}}
	n.mu.Lock()
	n.links = append(n.links, l)
	n.mu.Unlock()
	n.work.Go(func() { n.serve(l) })
	return listener.Addr().String(), nil
}

// Cut takes a process off the network: its connections are reset and new ones fail.
func (n *Network) Cut(process string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut[process] = true
	for _, l := range n.links {
		if l.from == process || l.to == process {
			l.reset()
		}
	}
}

// Mend puts a process back on the network.
func (n *Network) Mend(process string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.cut, process)
}

func (n *Network) isCut(l *link) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.cut[l.from] || n.cut[l.to]
}

func (n *Network) close() {
	n.mu.Lock()
	links := slices.Clone(n.links)
	n.mu.Unlock()
	for _, l := range links {
		l.listener.Close()
		l.reset()
	}
	n.work.Wait()
}

func (n *Network) serve(l *link) {
	for {
		client, err := l.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		n.work.Go(func() { n.pass(l, client) })
	}
}

func (n *Network) pass(l *link, client net.Conn) {
	defer client.Close()
	if n.isCut(l) {
		reset(client)
		return
	}
	var dialer net.Dialer
	server, err := dialer.Dial("tcp", l.target)
	if err != nil {
		reset(client)
		return
	}
	defer server.Close()
	l.add(client, server)
	defer l.remove(client, server)
	if n.isCut(l) { // between the first look and now
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(server, client)
		closeWrite(server)
	}()
	_, _ = io.Copy(client, server)
	closeWrite(client)
	<-done
}

// closeWrite passes on that one side has said all.
func closeWrite(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.CloseWrite()
	}
}

// reset ends a connection the way a dead machine's is ended.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

func (l *link) add(conns ...net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range conns {
		l.conns[c] = true
	}
}

func (l *link) remove(conns ...net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range conns {
		delete(l.conns, c)
	}
}

func (l *link) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		reset(c)
	}
}
