package export

import "time"

// WithBounds makes files and pages small, and turns short.
func (h *Handler) WithBounds(pageRows, fileRows int, turn time.Duration) *Handler {
	h.bounds.pageRows, h.bounds.maxRows, h.bounds.fileRows, h.bounds.turn = pageRows, pageRows, fileRows, turn
	return h
}
