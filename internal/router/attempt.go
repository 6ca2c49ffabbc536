package router

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"time"
)

const (
	// slowFor is how long a process that is found down keeps a request when no other is up.
	slowFor = 8 * time.Second
	// slowPause is the time between two looks for another.
	slowPause = 100 * time.Millisecond
)

// attempts sends a request to one process of the pool after the other, until one answers.
func (p *pool) attempts(request *http.Request, body *heldBody) (*http.Response, error) {
	again := body.held && p.repeats(request)
	nodes := p.turn(request)
	var failed error
	for i, n := range nodes {
		answer, err := p.attempt(request, n, body)
		if err == nil {
			if last := i == len(nodes)-1; last || !again || answer.StatusCode != http.StatusServiceUnavailable || isHeld(answer) {
				return answer, nil
			}
			_ = answer.Body.Close() // another process may have what this one lacks
			continue
		}
		if request.Context().Err() != nil {
			return nil, err
		}
		n.shunned.Store(time.Now().Add(shunFor).UnixNano())
		p.logger.WarnContext(request.Context(), "a process did not answer", "role", p.name, "address", n.address.Host, "error", err)
		failed = errors.Join(failed, err)
		if again || body.held && unseen(err) {
			continue
		}
		break
	}
	return nil, fmt.Errorf("no process answered: %w", failed)
}

// repeats reports whether the request may be sent to another process although one may have seen it.
func (p *pool) repeats(request *http.Request) bool {
	return p.brings || request.Method == http.MethodGet || request.Method == http.MethodHead
}

// unseen reports whether no process can have seen the request: there was no connection to send it on.
func unseen(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

var errDown = errors.New("the process went down meanwhile")

// attempt sends the request to one process. One that is found down has no more time for an answer to begin, if there is
// another; one that was down before is asked like any other, because nobody else was left.
func (p *pool) attempt(request *http.Request, n *node, body *heldBody) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(request.Context())
	began := make(chan struct{})
	if n.up() {
		go p.leave(n, began, func() { cancel(errDown) })
	}
	out := request.Clone(ctx)
	out.URL.Scheme, out.URL.Host = n.address.Scheme, n.address.Host
	body.put(out)
	answer, err := p.client.RoundTrip(out)
	close(began)
	if err != nil {
		cancel(nil)
		if cause := context.Cause(ctx); errors.Is(cause, errDown) {
			err = cause
		}
		return nil, err
	}
	answer.Body = &endingBody{answer.Body, func() { cancel(nil) }}
	return answer, nil
}

// leave ends a request to a process that goes down before the answer began. A process that says late that it is ready counts
// as down, too, and may be the only one there is: it keeps the request until another one is up, or for some seconds.
func (p *pool) leave(n *node, began <-chan struct{}, end func()) {
	select {
	case <-n.goesDown():
	case <-began:
		return
	}
	for last := time.Now().Add(slowFor); !p.hasOther(n) && time.Now().Before(last); {
		select {
		case <-began:
			return
		case <-time.After(slowPause):
		}
	}
	end()
}

// hasOther reports whether a process beside this one is up.
func (p *pool) hasOther(than *node) bool {
	return slices.ContainsFunc(p.nodes, func(n *node) bool { return n != than && n.up() })
}

// endingBody frees what its request held.
type endingBody struct {
	io.ReadCloser
	end func()
}

// Close implements io.Closer.
func (b *endingBody) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}
