package metastoretest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// alertMemory is what a Memory knows of alerts.
type alertMemory struct {
	alerts     map[rowKey]model.Alert
	changes    []model.AlertChange
	deliveries []model.AlertDelivery
	targets    map[rowKey]model.AlertTarget
}

func newAlerts() alertMemory {
	return alertMemory{alerts: map[rowKey]model.Alert{}, targets: map[rowKey]model.AlertTarget{}}
}

func (a *alertMemory) forget(projectID string) {
	maps.DeleteFunc(a.alerts, func(k rowKey, _ model.Alert) bool { return k.project == projectID })
	maps.DeleteFunc(a.targets, func(k rowKey, _ model.AlertTarget) bool { return k.project == projectID })
	a.changes = slices.DeleteFunc(a.changes, func(c model.AlertChange) bool { return c.ProjectID == projectID })
	a.deliveries = slices.DeleteFunc(a.deliveries, func(d model.AlertDelivery) bool { return d.ProjectID == projectID })
}

// CreateAlert implements metastore.Alerts.
func (m *Memory) CreateAlert(ctx context.Context, a model.Alert) error {
	if _, err := metastore.AlertText(a); cmp.Or(ctx.Err(), err) != nil {
		return cmp.Or(ctx.Err(), err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.alertsWhere(func(one model.Alert) bool { return one.ProjectID == a.ProjectID })) >= metastore.MaxAlerts {
		return metastore.TooMany(metastore.MaxAlerts, "alerts of a project")
	}
	a.Revision = 1
	return add(m, m.alerting.alerts, rowKey{a.ProjectID, a.ID}, a)
}

// Alert implements metastore.Alerts.
func (m *Memory) Alert(ctx context.Context, projectID, id string) (model.Alert, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("alertId", id)); err != nil {
		return model.Alert{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	a, known := m.alerting.alerts[rowKey{projectID, id}]
	if !known {
		return model.Alert{}, metastore.ErrNotFound
	}
	return a, nil
}

// Alerts implements metastore.Alerts.
func (m *Memory) Alerts(ctx context.Context, projectID string) ([]model.Alert, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.alertsWhere(func(a model.Alert) bool { return a.ProjectID == projectID })
	slices.SortFunc(list, func(a, b model.Alert) int { return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID)) })
	return list, ctx.Err()
}

func (m *Memory) alertsWhere(match func(model.Alert) bool) (list []model.Alert) {
	for _, a := range m.alerting.alerts {
		if match(a) {
			list = append(list, a)
		}
	}
	return list
}

// DueAlerts implements metastore.AlertWork.
func (m *Memory) DueAlerts(ctx context.Context, by time.Time, limit int) ([]model.Alert, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.alertsWhere(func(a model.Alert) bool {
		return a.Settings.Enabled && !a.NextAt.After(by) && m.workable(a.ProjectID)
	})
	slices.SortFunc(list, func(a, b model.Alert) int {
		return cmp.Or(a.NextAt.Compare(b.NextAt), cmp.Compare(a.ProjectID, b.ProjectID), cmp.Compare(a.ID, b.ID))
	})
	return list[:min(limit, len(list))], ctx.Err()
}

// UpdateAlert implements metastore.Alerts.
func (m *Memory) UpdateAlert(ctx context.Context, a model.Alert, change *model.AlertChange, deliveries []model.AlertDelivery) (int64, error) {
	if _, err := metastore.AlertText(a); cmp.Or(ctx.Err(), err) != nil {
		return 0, cmp.Or(ctx.Err(), err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := rowKey{a.ProjectID, a.ID}
	old, known := m.alerting.alerts[key]
	if !known || old.Revision != a.Revision {
		return 0, metastore.ErrAlertChanged
	}
	a.CreatedAt, a.Revision = old.CreatedAt, a.Revision+1
	m.alerting.alerts[key] = a
	m.alerting.deliveries = append(m.alerting.deliveries, deliveries...)
	if change != nil {
		kept := *change
		kept.Deliveries = nil // they are found by the change
		m.alerting.changes = append(m.alerting.changes, kept)
		m.forgetOldChanges(a.ProjectID, a.ID)
	}
	return a.Revision, nil
}

func (m *Memory) forgetOldChanges(projectID, alertID string) {
	var ids []string
	for _, c := range m.alerting.changes {
		if c.ProjectID == projectID && c.AlertID == alertID {
			ids = append(ids, c.ID)
		}
	}
	slices.Sort(ids)
	old := ids[:max(0, len(ids)-metastore.MaxAlertChanges)]
	m.alerting.changes = slices.DeleteFunc(m.alerting.changes, func(c model.AlertChange) bool {
		return c.ProjectID == projectID && c.AlertID == alertID && slices.Contains(old, c.ID)
	})
	m.alerting.deliveries = slices.DeleteFunc(m.alerting.deliveries, func(d model.AlertDelivery) bool {
		return d.ProjectID == projectID && d.AlertID == alertID && d.State != model.DeliveryPending && slices.Contains(old, d.ChangeID)
	})
}

// DeleteAlert implements metastore.Alerts.
func (m *Memory) DeleteAlert(ctx context.Context, projectID, id string) error {
	if _, err := m.Alert(ctx, projectID, id); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.alerting.alerts, rowKey{projectID, id})
	m.alerting.changes = slices.DeleteFunc(m.alerting.changes, func(c model.AlertChange) bool { return c.ProjectID == projectID && c.AlertID == id })
	m.alerting.deliveries = slices.DeleteFunc(m.alerting.deliveries, func(d model.AlertDelivery) bool { return d.ProjectID == projectID && d.AlertID == id })
	return nil
}

// AlertChanges implements metastore.Alerts.
func (m *Memory) AlertChanges(ctx context.Context, projectID, alertID string, limit int) (list []model.AlertChange, err error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("alertId", alertID)); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.alerting.changes {
		if c.ProjectID != projectID || c.AlertID != alertID {
			continue
		}
		for _, d := range m.alerting.deliveries {
			if d.ProjectID == projectID && d.ChangeID == c.ID {
				c.Deliveries = append(c.Deliveries, d)
			}
		}
		slices.SortFunc(c.Deliveries, func(a, b model.AlertDelivery) int { return cmp.Compare(a.ID, b.ID) })
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b model.AlertChange) int { return cmp.Compare(b.ID, a.ID) })
	return list[:min(limit, len(list))], nil
}

// DueDeliveries implements metastore.AlertWork.
func (m *Memory) DueDeliveries(ctx context.Context, by time.Time, limit int) (list []model.AlertDelivery, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, d := range m.alerting.deliveries {
		if d.State == model.DeliveryPending && !d.NextAt.After(by) && m.workable(d.ProjectID) {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b model.AlertDelivery) int { return cmp.Or(a.NextAt.Compare(b.NextAt), cmp.Compare(a.ID, b.ID)) })
	return list[:min(limit, len(list))], ctx.Err()
}

// SettleDelivery implements metastore.AlertWork.
func (m *Memory) SettleDelivery(ctx context.Context, d model.AlertDelivery) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	at := slices.IndexFunc(m.alerting.deliveries, func(one model.AlertDelivery) bool {
		return one.ProjectID == d.ProjectID && one.ID == d.ID && one.State == model.DeliveryPending
	})
	if at < 0 {
		return metastore.ErrNotFound
	}
	one := &m.alerting.deliveries[at]
	one.State, one.Attempts, one.NextAt, one.LastError, one.UpdatedAt = d.State, d.Attempts, d.NextAt, d.LastError, d.UpdatedAt
	return nil
}

// CreateAlertTarget implements metastore.AlertTargets.
func (m *Memory) CreateAlertTarget(ctx context.Context, t model.AlertTarget) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckAlertTarget(t)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.targetsOf(t.ProjectID)) >= metastore.MaxAlertTargets {
		return metastore.TooMany(metastore.MaxAlertTargets, "alert_targets of a project")
	}
	return add(m, m.alerting.targets, rowKey{t.ProjectID, t.ID}, t)
}

// AlertTarget implements metastore.AlertTargets.
func (m *Memory) AlertTarget(ctx context.Context, projectID, id string) (model.AlertTarget, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("targetId", id)); err != nil {
		return model.AlertTarget{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t, known := m.alerting.targets[rowKey{projectID, id}]
	if !known {
		return model.AlertTarget{}, metastore.ErrNotFound
	}
	return t, nil
}

// AlertTargets implements metastore.AlertTargets.
func (m *Memory) AlertTargets(ctx context.Context, projectID string) ([]model.AlertTarget, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.targetsOf(projectID), ctx.Err()
}

func (m *Memory) targetsOf(projectID string) (list []model.AlertTarget) {
	for key, t := range m.alerting.targets {
		if key.project == projectID {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b model.AlertTarget) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// DeleteAlertTarget implements metastore.AlertTargets.
func (m *Memory) DeleteAlertTarget(ctx context.Context, projectID, id string) error {
	if _, err := m.AlertTarget(ctx, projectID, id); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.alerting.targets, rowKey{projectID, id})
	return nil
}
