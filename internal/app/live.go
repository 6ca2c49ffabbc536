package app

import (
	"context"
	"sync"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/eventlog/natslog"
	"github.com/sondehq/sonde/internal/live"
)

// livePart carries news over the log's server. A node that has neither log nor address of one hears none.
func (n *node) livePart() part {
	var bus *natslog.Live
	var joined *joinedLive
	telling := background("live", "news were still being told", func(context.Context) func(context.Context) {
		return func(ctx context.Context) {
			if n.live != nil {
				n.live.Run(ctx)
			}
		}
	})
	return part{
		name: "live",
		start: func(ctx context.Context) (err error) {
			switch {
			case n.log != nil:
				if bus, err = n.log.Live(); err != nil {
					return err
				}
				n.live = live.NewReporter(bus)
			case n.joined != nil:
				joined = &joinedLive{log: n.joined}
				n.live = live.NewReporter(joined)
			}
			return telling.start(ctx)
		},
		stop: func(ctx context.Context) error {
			err := telling.stop(ctx)
			if bus != nil {
				bus.Close()
			}
			if joined != nil {
				joined.close()
			}
			return err
		},
	}
}

// logStatus is nil on a node that cannot see the log.
func (n *node) logStatus() func(context.Context) (eventlog.Status, error) {
	if log := n.anyLog(); log != nil {
		return log.Status
	}
	return nil
}

// joinedLive hears the news of other nodes. Like the log it looks at, it is opened when it is first
// asked for; before that nobody listens here, and this node takes nothing in that it could tell.
type joinedLive struct {
	log *joinedLog

	mu     sync.Mutex
	bus    *natslog.Live
	about  func(string) []byte
	closed bool
}

func (j *joinedLive) open(ctx context.Context) (*natslog.Live, error) {
	log, err := j.log.open(ctx)
	if err != nil {
		return nil, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.bus == nil && !j.closed {
		if j.bus, err = log.Live(); err != nil {
			return nil, err
		}
		j.bus.Answer(j.about)
	}
	if j.closed {
		return nil, context.Canceled
	}
	return j.bus, nil
}

func (j *joinedLive) opened() *natslog.Live {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.bus
}

func (j *joinedLive) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	if j.bus != nil {
		j.bus.Close()
	}
}

// Publish implements live.Bus.
func (j *joinedLive) Publish(projectID string, message []byte) {
	if bus := j.opened(); bus != nil {
		bus.Publish(projectID, message)
	}
}

// Heard implements live.Bus.
func (j *joinedLive) Heard(projectID string) bool {
	bus := j.opened()
	return bus != nil && bus.Heard(projectID)
}

// Listen implements live.Bus.
func (j *joinedLive) Listen(ctx context.Context, projectID string, hear func([]byte)) (func(), error) {
	bus, err := j.open(ctx)
	if err != nil {
		return nil, err
	}
	return bus.Listen(ctx, projectID, hear)
}

// Ask implements live.Bus.
func (j *joinedLive) Ask(ctx context.Context, projectID string) [][]byte {
	bus, err := j.open(ctx)
	if err != nil {
		return nil
	}
	return bus.Ask(ctx, projectID)
}

// Answer implements live.Bus.
func (j *joinedLive) Answer(about func(projectID string) []byte) { j.about = about }
