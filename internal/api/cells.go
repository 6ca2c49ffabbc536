package api

import (
	"errors"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/cells"
)

// The headers by which a router in front of several cells learns the way. An answer with one of them means that nothing
// was done: the request may be sent again.
const (
	cellHeader = "X-Sonde-Cell" // the cell that serves the project
	heldHeader = "X-Sonde-Held" // the project is being moved; try again in a moment
)

// inCell refuses requests for projects of other cells, and writes to one that is being moved. It comes after the
// credentials, so that strangers do not learn where a project is.
func (s *server) inCell(r *http.Request, caller auth.Principal) error {
	if s.Cells == nil || caller.Project.ID == "" {
		return nil
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return s.Cells.Serves(r.Context(), caller.Project.ID)
	}
	return s.Cells.Takes(r.Context(), caller.Project.ID)
}

func cellHeaders(h http.Header, err error) {
	if elsewhere, ok := errors.AsType[*cells.ElsewhereError](err); ok {
		h.Set(cellHeader, cells.Shown(elsewhere.Cell))
	}
	if _, ok := errors.AsType[*cells.HeldError](err); ok {
		h.Set(heldHeader, "1")
	}
}
