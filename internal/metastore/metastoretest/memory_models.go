package metastoretest

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/price"
)

// CreateModel implements metastore.Models.
func (m *Memory) CreateModel(ctx context.Context, d price.Definition) error {
	return m.writeModel(ctx, d, false)
}

// PutModel implements metastore.Models.
func (m *Memory) PutModel(ctx context.Context, d price.Definition) error {
	return m.writeModel(ctx, d, true)
}

func (m *Memory) writeModel(ctx context.Context, d price.Definition, replace bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tiers, err := json.Marshal(d.Tiers)
	if err != nil {
		return err
	}
	if err := metastore.CheckModel(d, string(tiers)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.projects[d.ProjectID]; !known {
		return metastore.ErrNotFound
	}
	own := m.models[d.ProjectID]
	old, exists := own[d.ID]
	switch {
	case exists && !replace:
		return metastore.ErrExists
	case exists:
		d.CreatedAt = old.CreatedAt
	case len(own) >= metastore.MaxModels:
		return metastore.TooManyModels()
	}
	for _, other := range own {
		if other.Name == d.Name && other.ID != d.ID {
			return metastore.ErrExists
		}
	}
	if own == nil {
		own = map[string]price.Definition{}
		m.models[d.ProjectID] = own
	}
	d.CreatedAt = microsecond(d.CreatedAt)
	if !d.Start.IsZero() {
		d.Start = microsecond(d.Start)
	}
	d.Encoding, d.Tiers = "", nil // a copy that the caller has no hand on
	if err := json.Unmarshal(tiers, &d.Tiers); err != nil {
		return err
	}
	own[d.ID] = d
	return nil
}

// detachedModel copies what a caller could change from outside.
func detachedModel(d price.Definition) price.Definition {
	tiers := d.Tiers
	d.Tiers = make([]price.Tier, len(tiers))
	for i, t := range tiers {
		t.Prices, t.Conditions = maps.Clone(t.Prices), slices.Clone(t.Conditions)
		d.Tiers[i] = t
	}
	return d
}

// Model implements metastore.Models.
func (m *Memory) Model(ctx context.Context, projectID, id string) (price.Definition, error) {
	if err := ctx.Err(); err != nil {
		return price.Definition{}, err
	}
	if err := metastore.CheckID("id", id); err != nil {
		return price.Definition{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	d, known := m.models[projectID][id]
	if !known {
		return price.Definition{}, metastore.ErrNotFound
	}
	return detachedModel(d), nil
}

// Models implements metastore.Models.
func (m *Memory) Models(ctx context.Context, projectID string) ([]price.Definition, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []price.Definition
	for _, d := range m.models[projectID] {
		list = append(list, detachedModel(d))
	}
	slices.SortFunc(list, func(a, b price.Definition) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// DeleteModel implements metastore.Models.
func (m *Memory) DeleteModel(ctx context.Context, projectID, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := metastore.CheckID("id", id); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.models[projectID][id]; !known {
		return metastore.ErrNotFound
	}
	delete(m.models[projectID], id)
	return nil
}
