package tracestoretest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Unerased lists the tombstones that were not marked at their version.
func (m *Memory) Unerased(ctx context.Context, projectID string, limit int) ([]tracestore.Tombstone, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("list tombstones: %w", err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	var list []tracestore.Tombstone
	for key, version := range m.tombstones {
		if key.project == projectID && m.erased[key] < version {
			list = append(list, tracestore.Tombstone{ProjectID: projectID, Kind: key.kind, ID: key.id, Version: version})
		}
	}
	slices.SortFunc(list, func(a, b tracestore.Tombstone) int {
		return cmp.Or(cmp.Compare(a.Version, b.Version), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
	})
	return list[:min(len(list), limit)], nil
}

// UnerasedProjects lists the projects of such tombstones.
func (m *Memory) UnerasedProjects(ctx context.Context, limit int) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("list projects with tombstones: %w", err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	found := map[string]bool{}
	for key, version := range m.tombstones {
		if m.erased[key] < version {
			found[key.project] = true
		}
	}
	list := slices.Sorted(maps.Keys(found))
	return list[:min(len(list), limit)], nil
}

// MarkErased remembers the versions.
func (m *Memory) MarkErased(ctx context.Context, tombstones []tracestore.Tombstone) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("mark %d tombstones: %w", len(tombstones), err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.erased == nil {
		m.erased = map[tombstoneKey]uint64{}
	}
	for _, t := range tombstones {
		key := tombstoneKey{t.ProjectID, t.Kind, t.ID}
		m.erased[key] = max(m.erased[key], t.Version)
	}
	return nil
}

// Erase forgets everything that the tombstones hide.
func (m *Memory) Erase(ctx context.Context, projectID string, tombstones []tracestore.Tombstone) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("erase: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range tombstones {
		gone := func(trace, score string) bool {
			switch t.Kind {
			case tracestore.TraceTombstone:
				return trace == t.ID
			case tracestore.ScoreTombstone:
				return score == t.ID
			default:
				return true
			}
		}
		maps.DeleteFunc(m.projects[projectID], func(_ rowKey, o *model.Observation) bool {
			return gone(o.TraceID, "") && o.Version < t.Version
		})
		for key := range m.given {
			if key.project == projectID && gone(key.trace, "") {
				m.given[key] = slices.DeleteFunc(m.given[key], func(o *model.Observation) bool { return o.Version < t.Version })
			}
		}
		m.eraseScores(projectID, t.Version, gone)
		maps.DeleteFunc(m.decisions, func(key decisionKey, d model.Decision) bool {
			return key.project == projectID && gone(d.TraceID, "") && model.RowVersion(d.At, 0) < t.Version
		})
		maps.DeleteFunc(m.rejections, func(key rejectionKey, r tracestore.Rejection) bool {
			return key.project == projectID && gone(r.TraceID, "") && model.RowVersion(r.At, 0) < t.Version
		})
	}
	return nil
}

// Hidden counts observations and scores: what else there is has no table here.
func (m *Memory) Hidden(ctx context.Context, projectID string, tombstones []tracestore.Tombstone) (map[string]uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	rows := map[string]uint64{}
	for _, t := range tombstones {
		for _, o := range m.projects[projectID] {
			if o.Version < t.Version && (t.Kind == tracestore.ProjectTombstone || t.Kind == tracestore.TraceTombstone && o.TraceID == t.ID) {
				rows["observations"]++
			}
		}
		for key, s := range m.scores[projectID] {
			hidden := t.Kind == tracestore.ProjectTombstone || t.Kind == tracestore.TraceTombstone && key.trace == t.ID || t.Kind == tracestore.ScoreTombstone && key.id == t.ID
			if s.Version < t.Version && hidden {
				rows["scores"]++
			}
		}
	}
	return rows, ctx.Err()
}

// eraseScores forgets scores, their partial events, and those of the traces.
func (m *Memory) eraseScores(projectID string, below uint64, gone func(trace, score string) bool) {
	events := map[string]bool{}
	maps.DeleteFunc(m.scores[projectID], func(key scoreKey, s *model.Score) bool {
		if gone(key.trace, key.id) {
			events[key.id] = true
		}
		return gone(key.trace, key.id) && s.Version < below
	})
	for entity, list := range m.partials {
		if entity.ProjectID != projectID || !gone(entity.TraceID, "") && (entity.TraceID != "" || !events[entity.EntityID] && !gone("", entity.EntityID)) {
			continue
		}
		maps.DeleteFunc(list, func(_ partialKey, p tracestore.Partial) bool { return p.Version < below })
	}
}
