package tracestoretest

import (
	"context"
	"fmt"

	"github.com/sondehq/sonde/internal/tracestore"
)

// tombstoneKey is what a tombstone hides.
type tombstoneKey struct {
	project string
	kind    tracestore.TombstoneKind
	id      string
}

// InsertTombstones keeps the highest version of every tombstone.
func (m *Memory) InsertTombstones(ctx context.Context, tombstones []tracestore.Tombstone) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("insert %d tombstones: %w", len(tombstones), err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tombstones == nil {
		m.tombstones = map[tombstoneKey]uint64{}
	}
	for _, t := range tombstones {
		key := tombstoneKey{t.ProjectID, t.Kind, t.ID}
		m.tombstones[key] = max(m.tombstones[key], t.Version)
	}
	return nil
}

// hiddenBelow is the version below which rows of a trace are hidden; 0: none is. The caller holds the lock.
func (m *Memory) hiddenBelow(projectID, traceID string) uint64 {
	return max(m.tombstones[tombstoneKey{projectID, tracestore.TraceTombstone, traceID}],
		m.tombstones[tombstoneKey{projectID, tracestore.ProjectTombstone, projectID}])
}
