package writer

import (
	"context"
	"sync"
	"time"

	"github.com/sondehq/sonde/internal/eventlog"
)

// held are the deliveries this writer works on; the log must be told that they are not lost.
type held struct {
	mu   sync.Mutex
	list map[eventlog.Position]eventlog.Delivery
}

func (h *held) add(d eventlog.Delivery) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list[d.Position()] = d
}

func (h *held) drop(d eventlog.Delivery) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.list, d.Position())
}

// extend keeps everything held from being delivered to somebody else, until ctx ends.
func (h *held) extend(ctx context.Context) {
	ticker := time.NewTicker(eventlog.ExtendWithin / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		h.mu.Lock()
		list := make([]eventlog.Delivery, 0, len(h.list))
		for _, d := range h.list {
			list = append(list, d)
		}
		h.mu.Unlock()
		for _, d := range list {
			_ = d.Extend() // a lost extension costs a second delivery, which folds
		}
	}
}
