package reprice

import (
	"context"
	"time"
)

// InPages makes the handler work in pages of so many rows, without rest.
func (h *Handler) InPages(rows int) *Handler {
	h.rows, h.rest = rows, func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	return h
}
