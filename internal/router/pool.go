package router

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// readyPath is what a process says whether it is ready at.
	readyPath = "/api/public/ready"
	// readyWithin is how long it may take for that; longer is no.
	readyWithin = 2 * time.Second
	// shunFor is how long a process that just failed is asked last.
	shunFor = time.Second
)

// pool is the processes that do the same.
type pool struct {
	name   string
	brings bool // spans and events, which count once however often they come
	nodes  []*node
	next   atomic.Uint64 // whose turn it is
	client http.RoundTripper
	every  time.Duration
	base   string
	logger *slog.Logger
}

// node is one process. It counts as up until it is known not to be: a router that has just started must not refuse.
type node struct {
	address *url.URL
	shunned atomic.Int64 // until when, in Unix nanoseconds

	mu   sync.Mutex
	down chan struct{} // closed while the process is known to be down
}

func newPool(name string, addresses []string, h2 bool, cfg Config) (*pool, error) {
	if len(addresses) == 0 {
		return nil, fmt.Errorf("name at least one process with the role %s", name)
	}
	p := &pool{name: name, brings: name == ingestRole || name == grpcRole, every: cfg.LookEvery, base: cfg.BasePath, logger: cfg.Logger, client: connections(h2)}
	for _, address := range addresses {
		u, err := parse(address)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		p.nodes = append(p.nodes, &node{address: u, down: make(chan struct{})})
	}
	return p, nil
}

// connections to processes are kept, many of them: each serves one request at a time.
func connections(h2 bool) *http.Transport {
	t := &http.Transport{MaxIdleConnsPerHost: 256, IdleConnTimeout: 30 * time.Second, DisableCompression: true, ForceAttemptHTTP2: h2}
	if h2 {
		t.Protocols = new(http.Protocols)
		t.Protocols.SetUnencryptedHTTP2(true)
	}
	return t
}

// turn lists the processes to try, the one whose turn it is first; those that are down or just failed come last, because everybody may be.
func (p *pool) turn(request *http.Request) []*node {
	start, now := p.start(request), time.Now().UnixNano()
	var first, last []*node
	for i := range p.nodes {
		n := p.nodes[(start+uint64(i))%uint64(len(p.nodes))]
		if n.up() && n.shunned.Load() < now {
			first = append(first, n)
		} else {
			last = append(last, n)
		}
	}
	return append(first, last...)
}

// start is whose turn it is: everybody's in order. But a process remembers prompts, and learns of changes elsewhere up to a
// second later: who changes a prompt and asks for it again asks the same process, whichever router it comes through.
func (p *pool) start(request *http.Request) uint64 {
	if !strings.Contains(request.URL.Path, "/prompts") {
		return p.next.Add(1)
	}
	who := fnv.New64a()
	_, _ = io.WriteString(who, request.Header.Get("Authorization")) // a hash takes everything
	_, _ = io.WriteString(who, request.Header.Get("Cookie"))
	return who.Sum64()
}

func (n *node) up() bool { return open(n.goesDown()) }

// goesDown is closed when the process is found down.
func (n *node) goesDown() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.down
}

func open(c <-chan struct{}) bool {
	select {
	case <-c:
		return false
	default:
		return true
	}
}

// set notes whether the process is up, and reports whether that is news.
func (n *node) set(up bool) (changed bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if open(n.down) == up {
		return false
	}
	if up {
		n.down = make(chan struct{})
	} else {
		close(n.down)
	}
	return true
}

// Run asks every process again and again whether it is ready, until ctx ends.
func (r *Router) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, p := range r.pools {
		if p.name == grpcRole {
			continue // another listener of processes that are asked already; a failed attempt shows it
		}
		for _, n := range p.nodes {
			all.Go(func() { p.watch(ctx, n, r.tell) })
		}
	}
	r.tell()
	all.Wait()
}

// tell says whether there is a process for every kind of request.
func (r *Router) tell() {
	if r.ready == nil {
		return
	}
	r.ready(!slices.ContainsFunc(r.pools, func(p *pool) bool { return p.name != grpcRole && !slices.ContainsFunc(p.nodes, (*node).up) }))
}

func (p *pool) watch(ctx context.Context, n *node, changed func()) {
	ticker := time.NewTicker(p.every)
	defer ticker.Stop()
	for {
		err := p.ready(ctx, n)
		if ctx.Err() != nil {
			return
		}
		if n.set(err == nil) {
			p.logger.InfoContext(ctx, "a process changed", "role", p.name, "address", n.address.Host, "up", err == nil, "error", err)
			changed()
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (p *pool) ready(ctx context.Context, n *node) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, n.address.JoinPath(p.base, readyPath).String(), nil)
	if err != nil {
		return err
	}
	answer, err := p.client.RoundTrip(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 4<<10)) // so that the connection can be used again
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: status %d", answer.StatusCode)
	}
	return nil
}
