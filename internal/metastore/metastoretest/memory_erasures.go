package metastoretest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
)

// UnlinkTraces implements metastore.Store.
func (m *Memory) UnlinkTraces(ctx context.Context, projectID string, traceIDs []string, before time.Time) error {
	return m.unlink(ctx, projectID, func(l metastore.MediaLink, made time.Time) bool {
		return slices.Contains(traceIDs, l.TraceID) && made.Before(before)
	})
}

// UnlinkProject implements metastore.Store.
func (m *Memory) UnlinkProject(ctx context.Context, projectID string) error {
	return m.unlink(ctx, projectID, func(metastore.MediaLink, time.Time) bool { return true })
}

func (m *Memory) unlink(ctx context.Context, projectID string, which func(metastore.MediaLink, time.Time) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	lost := map[mediaKey]bool{}
	maps.DeleteFunc(m.links, func(l metastore.MediaLink, made time.Time) bool {
		gone := l.ProjectID == projectID && which(l, made)
		if gone {
			lost[mediaKey{projectID, l.MediaID}] = true
		}
		return gone
	})
	for key := range lost {
		if !m.linked(key) {
			one := m.media[key]
			one.UploadedAt = time.Time{}
			m.media[key] = one
		}
	}
	return nil
}

func (m *Memory) linked(key mediaKey) bool {
	for l := range m.links {
		if l.ProjectID == key.project && l.MediaID == key.id {
			return true
		}
	}
	return false
}

// UnusedMedia implements metastore.Store.
func (m *Memory) UnusedMedia(ctx context.Context, projectID string, limit int) ([]metastore.Media, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []metastore.Media
	for key, one := range m.media {
		if key.project == projectID && one.UploadedAt.IsZero() && !m.linked(key) {
			list = append(list, one)
		}
	}
	slices.SortFunc(list, func(a, b metastore.Media) int { return cmp.Compare(a.ID, b.ID) })
	return list[:min(len(list), limit)], nil
}

// DeleteUnusedMedia implements metastore.Store.
func (m *Memory) DeleteUnusedMedia(ctx context.Context, projectID, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := mediaKey{projectID, id}
	one, known := m.media[key]
	if !known {
		return nil
	}
	if m.linked(key) {
		one.UploadedAt = time.Time{}
		m.media[key] = one
		return nil
	}
	delete(m.media, key)
	return nil
}

// Scrub implements metastore.Store.
func (m *Memory) Scrub(ctx context.Context) error { return ctx.Err() }
