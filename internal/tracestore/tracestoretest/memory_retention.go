package tracestoretest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Expire forgets what is due.
func (m *Memory) Expire(ctx context.Context, due []tracestore.Expiry) (tracestore.Expired, error) {
	if err := ctx.Err(); err != nil {
		return tracestore.Expired{}, fmt.Errorf("expire: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var total tracestore.Expired
	for _, e := range due {
		if !e.Before.IsZero() {
			total.Rows += m.expireRows(e.ProjectID, e.Before)
		}
		if !e.TextsBefore.IsZero() {
			total.Rows += m.expireTexts(e.ProjectID, e.TextsBefore)
		}
	}
	return total, nil
}

func (m *Memory) expireRows(project string, before time.Time) (n uint64) {
	for key, o := range m.projects[project] {
		if o.StartTime.Before(before) {
			delete(m.projects[project], key)
			n++
		}
	}
	for key, s := range m.scores[project] {
		if s.Timestamp.Before(before) {
			delete(m.scores[project], key)
			n++
		}
	}
	for key, given := range m.given {
		young := func(o *model.Observation) bool { return !o.StartTime.Before(before) }
		if key.project == project && !slices.ContainsFunc(given, young) {
			delete(m.given, key)
		}
	}
	return n
}

func (m *Memory) expireTexts(project string, before time.Time) (n uint64) {
	for _, o := range m.projects[project] {
		if o.StartTime.Before(before) {
			takeTexts(o, &model.Observation{})
			n++
		}
	}
	for entity, partials := range m.partials {
		for key, p := range partials {
			if entity.ProjectID == project && p.Version < model.RowVersion(before, 0) {
				delete(partials, key)
				n++
			}
		}
	}
	return n
}
