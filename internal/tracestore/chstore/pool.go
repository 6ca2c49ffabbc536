package chstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/fault"
)

// pool keeps idle connections to one address. A connection serves one statement at a time.
type pool struct {
	options ch.Options
	slots   chan struct{} // bounds how many statements run at once
	maxRows uint64        // bounds the rows that a statement goes through; 0: none
	once    bool          // a connection serves one statement only: nothing of it is left to the next

	mu     sync.Mutex
	idle   []*ch.Client
	closed bool
}

func newPool(options ch.Options, size int) *pool {
	return &pool{options: options, slots: make(chan struct{}, size)}
}

// do runs one statement. A connection that died while idle (the engine was restarted) is
// replaced once without the caller noticing; every statement we send may be sent twice, unless
// rows of it have been handed on already.
func (p *pool) do(ctx context.Context, q ch.Query) error {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	noteStatement(ctx, q)
	if p.maxRows > 0 {
		countRows(&q, p.maxRows)
	}
	handedOn := false
	if use := q.OnResult; use != nil {
		q.OnResult = func(ctx context.Context, block proto.Block) error {
			handedOn = true
			return use(ctx, block)
		}
	}
	if conn := p.takeIdle(); conn != nil {
		err := p.run(ctx, conn, q)
		if err == nil || handedOn || ctx.Err() != nil || ch.IsException(err) || errors.Is(err, errTooManyRows) {
			return err
		}
	}
	conn, err := ch.Dial(ctx, p.options)
	if err != nil {
		return fault.Unavailablef("the trace store does not answer").Because(err)
	}
	return p.run(ctx, conn, q)
}

// run sends q and keeps the connection unless it is broken.
func (p *pool) run(ctx context.Context, conn *ch.Client, q ch.Query) error {
	err := conn.Do(ctx, q)
	if err != nil && !ch.IsException(err) {
		if closeErr := conn.Close(); closeErr != nil && !errors.Is(closeErr, ch.ErrClosed) {
			err = errors.Join(err, closeErr)
		}
		if ctx.Err() != nil || errors.Is(err, errTooManyRows) {
			return err
		}
		return fault.Unavailablef("the trace store hung up").Because(err)
	}
	p.giveBack(conn)
	return err
}

func (p *pool) takeIdle() *ch.Client {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n := len(p.idle); n > 0; n = len(p.idle) {
		conn := p.idle[n-1]
		p.idle = p.idle[:n-1]
		if !conn.IsClosed() {
			return conn
		}
	}
	return nil
}

func (p *pool) giveBack(conn *ch.Client) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.once || conn.IsClosed() {
		_ = conn.Close() // nothing is lost with an idle connection
		return
	}
	p.idle = append(p.idle, conn)
}

func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, conn := range p.idle {
		_ = conn.Close() // nothing is lost with an idle connection
	}
	p.idle = nil
}

// readTimeout bounds the silence of the engine within one statement; it reports progress
// several times a second, so this long without a word means that it is gone.
const readTimeout = 60 * time.Second
