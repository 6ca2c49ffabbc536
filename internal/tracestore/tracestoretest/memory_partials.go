package tracestoretest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/tracestore"
)

// partialKey is what makes two partials of an entity the same.
type partialKey struct {
	eventMicros   int64
	eventID, kind string
}

func microsOf(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMicro()
}

// InsertPartials keeps the highest version of every partial.
func (m *Memory) InsertPartials(ctx context.Context, list []tracestore.Partial) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("insert %d partials: %w", len(list), err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.partials == nil {
		m.partials = map[tracestore.Entity]map[partialKey]tracestore.Partial{}
	}
	for _, p := range list {
		entity := tracestore.Entity{ProjectID: p.ProjectID, TraceID: p.TraceID, EntityID: p.EntityID}
		if m.partials[entity] == nil {
			m.partials[entity] = map[partialKey]tracestore.Partial{}
		}
		key := partialKey{microsOf(p.EventTime), p.EventID, p.Kind}
		if held, ok := m.partials[entity][key]; !ok || held.Version < p.Version {
			p.Body = slices.Clone(p.Body)
			m.partials[entity][key] = p
		}
	}
	return nil
}

// PartialsOf returns the partials of the entities.
func (m *Memory) PartialsOf(ctx context.Context, entities []tracestore.Entity) ([]tracestore.Partial, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read partials: %w", err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	var list []tracestore.Partial
	seen := map[tracestore.Entity]bool{}
	for _, entity := range entities {
		if seen[entity] {
			continue
		}
		seen[entity] = true
		for _, p := range m.partials[entity] {
			if p.Version < m.hiddenBelow(p.ProjectID, p.TraceID) {
				continue
			}
			p.Body = slices.Clone(p.Body)
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b tracestore.Partial) int {
		return cmp.Or(
			cmp.Compare(microsOf(a.EventTime), microsOf(b.EventTime)), strings.Compare(a.EventID, b.EventID), strings.Compare(a.Kind, b.Kind),
			strings.Compare(a.ProjectID, b.ProjectID), strings.Compare(a.TraceID, b.TraceID), strings.Compare(a.EntityID, b.EntityID),
		)
	})
	return list, nil
}

type rejectionKey struct {
	project string
	record  tracestore.LogPosition
	item    int
}

// InsertRejections keeps the first of every rejection.
func (m *Memory) InsertRejections(ctx context.Context, list []tracestore.Rejection) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("insert %d rejections: %w", len(list), err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rejections == nil {
		m.rejections = map[rejectionKey]tracestore.Rejection{}
	}
	for _, r := range list {
		key := rejectionKey{r.ProjectID, tracestore.LogPosition{Partition: r.Partition, Sequence: r.Sequence}, r.Item}
		if _, held := m.rejections[key]; !held {
			m.rejections[key] = r
		}
	}
	return nil
}

// RejectionsOf returns the rejections of the records.
func (m *Memory) RejectionsOf(ctx context.Context, projectID string, records []tracestore.LogPosition, since time.Time, limit int) ([]tracestore.Rejection, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read rejections: %w", err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	var list []tracestore.Rejection
	for key, r := range m.rejections {
		if key.project == projectID && slices.Contains(records, key.record) && !r.At.Before(since) {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b tracestore.Rejection) int {
		return cmp.Or(cmp.Compare(a.Item, b.Item), cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Sequence, b.Sequence))
	})
	return list[:min(len(list), max(limit, 0))], nil
}
