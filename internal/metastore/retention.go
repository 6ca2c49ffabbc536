package metastore

import (
	"context"
	"time"
)

// MediaAges finds where media of the past are used.
type MediaAges interface {
	// TracesWithMedia returns the ids of traces that have links made before a time, by id, those above after
	// ("" for all), at most limit.
	TracesWithMedia(ctx context.Context, projectID string, before time.Time, after string, limit int) ([]string, error)
}
