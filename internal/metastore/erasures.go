package metastore

import (
	"context"
	"time"

	"github.com/sondehq/sonde/internal/model"
)

// MaxErasurePage is how many erasures one read returns at most.
const MaxErasurePage = 1_000

// ErasureQuery asks for erasures, the newest first. Empty fields ask for all.
type ErasureQuery struct {
	Organization string // required, unless All
	All          bool   // of every organization: for the operator
	Project      string
	Before       string // the last one of the page before
	Limit        int
}

// ErasureReports keeps requests to delete and what became of them. They outlive the project that they are about.
type ErasureReports interface {
	// AddErasure keeps a request that is not finished.
	AddErasure(ctx context.Context, e model.Erasure) error
	// FinishErasures notes that the requests of a project up to a version are erased, with the report of how, in which it counts
	// them. Finished ones stay as they are.
	FinishErasures(ctx context.Context, projectID string, until uint64, at time.Time, report model.ErasureReport) error
	// ErasuresAsked returns a page of requests.
	ErasuresAsked(ctx context.Context, q ErasureQuery) ([]model.Erasure, error)
}

// Erasures forgets what was deleted with its traces or its project.
type Erasures interface {
	ErasureReports
	// UnlinkTraces removes the links of traces that were made before a time. A media that loses its last link
	// so cannot be read any more: it counts as not uploaded, until somebody uploads it anew.
	UnlinkTraces(ctx context.Context, projectID string, traceIDs []string, before time.Time) error
	// UnlinkProject does the same with every link of a project.
	UnlinkProject(ctx context.Context, projectID string) error
	// UnusedMedia returns media that nothing links to and that count as not uploaded, at most limit, by id.
	UnusedMedia(ctx context.Context, projectID string, limit int) ([]Media, error)
	// DeleteUnusedMedia forgets a media if it is still one of those. One that somebody uploaded meanwhile is
	// marked as not uploaded instead: its bytes were deleted, and must come once more.
	DeleteUnusedMedia(ctx context.Context, projectID, id string) error
	// Scrub takes off the disk what is left of deleted rows. Databases of others look after that themselves.
	Scrub(ctx context.Context) error
}
