package metastoretest

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// AddErasure implements metastore.ErasureReports.
func (m *Memory) AddErasure(ctx context.Context, e model.Erasure) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if slices.ContainsFunc(m.erasures, func(known model.Erasure) bool { return known.ID == e.ID }) {
		return metastore.ErrExists
	}
	e.AskedAt = microsecond(e.AskedAt)
	m.erasures = append(m.erasures, e)
	return ctx.Err()
}

// FinishErasures implements metastore.ErasureReports.
func (m *Memory) FinishErasures(ctx context.Context, projectID string, until uint64, at time.Time, report model.ErasureReport) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var which []*model.Erasure
	for i := range m.erasures {
		if e := &m.erasures[i]; e.ProjectID == projectID && e.Version <= until && e.FinishedAt.IsZero() {
			which = append(which, e)
		}
	}
	report.Requests = len(which)
	for _, e := range which {
		e.FinishedAt, e.Report = microsecond(at), report
	}
	return ctx.Err()
}

// ErasuresAsked implements metastore.ErasureReports.
func (m *Memory) ErasuresAsked(ctx context.Context, q metastore.ErasureQuery) (page []model.Erasure, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	newest := slices.SortedFunc(slices.Values(m.erasures), func(a, b model.Erasure) int { return strings.Compare(b.ID, a.ID) })
	for _, e := range newest {
		if !q.All && e.By.OrganizationID != q.Organization || q.Project != "" && e.ProjectID != q.Project || q.Before != "" && e.ID >= q.Before {
			continue
		}
		if page = append(page, e); len(page) == min(max(q.Limit, 1), metastore.MaxErasurePage) {
			break
		}
	}
	return page, ctx.Err()
}
