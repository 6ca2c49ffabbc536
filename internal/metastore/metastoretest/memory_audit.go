package metastoretest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// AppendAudit implements metastore.AuditLog.
func (m *Memory) AppendAudit(ctx context.Context, events []model.AuditEvent) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	all := slices.Clone(m.audit)
	for _, e := range events {
		e = metastore.Fitting(e)
		e.At = microsecond(e.At)
		if slices.ContainsFunc(all, func(known model.AuditEvent) bool { return known.ID == e.ID }) {
			return metastore.ErrExists
		}
		all = append(all, e)
	}
	m.audit = all
	return nil
}

// AuditEvents implements metastore.AuditLog.
func (m *Memory) AuditEvents(ctx context.Context, q metastore.AuditQuery) (page []model.AuditEvent, err error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckAudit(q)); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	newest := slices.SortedFunc(slices.Values(m.audit), func(a, b model.AuditEvent) int {
		return cmp.Or(b.At.Compare(a.At), strings.Compare(b.ID, a.ID))
	})
	for _, e := range newest {
		family, ofFamily := strings.CutSuffix(q.Action, ".")
		switch {
		case !q.All && e.OrganizationID != q.Organization,
			q.Project != "" && e.ProjectID != q.Project,
			ofFamily && !strings.HasPrefix(e.Action, family+"."),
			q.Action != "" && !ofFamily && e.Action != q.Action,
			q.Actor != "" && e.ActorID != q.Actor && e.ActorName != q.Actor,
			!q.From.IsZero() && e.At.Before(q.From), !q.To.IsZero() && !e.At.Before(q.To),
			q.After != nil && (e.At.After(q.After.At) || e.At.Equal(q.After.At) && e.ID >= q.After.ID):
			continue
		}
		if page = append(page, e); len(page) == min(max(q.Limit, 1), metastore.MaxAuditPage) {
			break
		}
	}
	return page, ctx.Err()
}

// DeleteAuditBefore implements metastore.AuditLog.
func (m *Memory) DeleteAuditBefore(ctx context.Context, before time.Time) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	count := len(m.audit)
	m.audit = slices.DeleteFunc(m.audit, func(e model.AuditEvent) bool { return e.At.Before(before) })
	return count - len(m.audit), ctx.Err()
}
