package metastoretest

import (
	"bytes"
	"cmp"
	"context"
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
	if _, kept := m.keyChecks[name]; !kept || len(m.connections) > 0 || len(m.exports) > 0 {
		return metastore.ErrInUse
	}
	m.keyChecks[name] = bytes.Clone(sealed)
	return nil
}
