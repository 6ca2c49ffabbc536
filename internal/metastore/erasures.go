package metastore

import (
	"context"
	"time"
)

// Erasures forgets what was deleted with its traces or its project.
type Erasures interface {
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
