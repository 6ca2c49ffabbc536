package metastoretest

import (
	"context"
	"slices"
	"time"
)

// TracesWithMedia implements metastore.Store.
func (m *Memory) TracesWithMedia(ctx context.Context, projectID string, before time.Time, after string, limit int) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var ids []string
	for l, made := range m.links {
		if l.ProjectID == projectID && l.TraceID > after && made.Before(before) {
			ids = append(ids, l.TraceID)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return ids[:min(len(ids), limit)], nil
}
