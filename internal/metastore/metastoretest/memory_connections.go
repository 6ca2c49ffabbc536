package metastoretest

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// PutConnection implements metastore.Connections.
func (m *Memory) PutConnection(ctx context.Context, c model.Connection) (bool, error) {
	_, _, err := metastore.ConnectionTexts(c)
	if err := cmp.Or(ctx.Err(), err); err != nil {
		return false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.projects[c.ProjectID]; !known {
		return false, metastore.ErrNotFound
	}
	count := 0
	for key, other := range m.connections {
		if key.project != c.ProjectID {
			continue
		}
		count++
		if other.Provider == c.Provider && key.id != c.ID {
			return false, metastore.ErrExists
		}
	}
	key := rowKey{c.ProjectID, c.ID}
	old, exists := m.connections[key]
	if exists {
		c.CreatedAt = old.CreatedAt
	} else if count >= metastore.MaxConnections {
		return false, metastore.TooManyConnections()
	}
	c.CreatedAt, c.UpdatedAt = microsecond(c.CreatedAt), microsecond(c.UpdatedAt)
	m.connections[key] = detachedConnection(c)
	return !exists, nil
}

// detachedConnection copies what a caller could change from outside.
func detachedConnection(c model.Connection) model.Connection {
	c.SealedKey, c.SealedHeaders = bytes.Clone(c.SealedKey), bytes.Clone(c.SealedHeaders)
	c.HeaderNames, c.Models = slices.Clone(c.HeaderNames), slices.Clone(c.Models)
	return c
}

// ConnectionByProvider implements metastore.Connections.
func (m *Memory) ConnectionByProvider(ctx context.Context, projectID, provider string) (model.Connection, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("provider", provider)); err != nil {
		return model.Connection{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, c := range m.connections {
		if key.project == projectID && c.Provider == provider {
			return detachedConnection(c), nil
		}
	}
	return model.Connection{}, metastore.ErrNotFound
}

// Connections implements metastore.Connections.
func (m *Memory) Connections(ctx context.Context, projectID string, part metastore.Range) ([]model.Connection, int, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	list, total := newest(m.connections, part, func(c model.Connection) time.Time { return c.CreatedAt },
		func(key rowKey, _ model.Connection) bool { return key.project == projectID })
	for i := range list {
		list[i] = detachedConnection(list[i])
	}
	return list, total, nil
}

// DeleteConnection implements metastore.Connections.
func (m *Memory) DeleteConnection(ctx context.Context, projectID, id string) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("id", id)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := rowKey{projectID, id}
	if _, known := m.connections[key]; !known {
		return metastore.ErrNotFound
	}
	delete(m.connections, key)
	return nil
}

// KeyCheck implements metastore.KeyChecks.
func (m *Memory) KeyCheck(ctx context.Context, name string, sealed []byte) ([]byte, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("name", name)); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, kept := m.keyChecks[name]; !kept {
		m.keyChecks[name] = bytes.Clone(sealed)
	}
	return bytes.Clone(m.keyChecks[name]), nil
}

// RenewKeyCheck implements metastore.KeyChecks.
func (m *Memory) RenewKeyCheck(ctx context.Context, name string, sealed []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, kept := m.keyChecks[name]; !kept || len(m.connections)+len(m.exports)+len(m.alerting.targets) > 0 {
		return metastore.ErrInUse
	}
	m.keyChecks[name] = bytes.Clone(sealed)
	return nil
}

// Reseal implements metastore.KeyChecks.
func (m *Memory) Reseal(ctx context.Context, again metastore.Again) (changed int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	fresh := func(sealed []byte, place ...string) []byte {
		if err != nil || len(sealed) == 0 {
			return sealed
		}
		var result []byte
		result, err = again(place, sealed)
		changed++
		return result
	}
	connections, exports, targets, checks := maps.Clone(m.connections), maps.Clone(m.exports), maps.Clone(m.alerting.targets), maps.Clone(m.keyChecks)
	for key, c := range connections {
		c.SealedKey = fresh(c.SealedKey, "llm_connections", c.ProjectID, c.ID, "key")
		c.SealedHeaders = fresh(c.SealedHeaders, "llm_connections", c.ProjectID, c.ID, "headers")
		connections[key] = c
	}
	for key, e := range exports {
		e.SealedSecret = fresh(e.SealedSecret, "exports", e.ProjectID, "secret")
		exports[key] = e
	}
	for key, t := range targets {
		t.Sealed = fresh(t.Sealed, "alert_targets", t.ProjectID, t.ID, "address")
		targets[key] = t
	}
	for name, sealed := range checks {
		checks[name] = fresh(sealed, "key_checks", name)
	}
	if err != nil {
		return 0, err
	}
	m.connections, m.exports, m.alerting.targets, m.keyChecks = connections, exports, targets, checks
	return changed, nil
}
