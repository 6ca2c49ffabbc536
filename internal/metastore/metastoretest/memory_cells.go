package metastoretest

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// workable reports whether the cell without a name, which is the memory's, works for a project.
func (m *Memory) workable(projectID string) bool {
	p, known := m.projects[projectID]
	return known && p.ErasingAt.IsZero() && p.Cell == "" && !m.placements[projectID].Held(time.Now())
}

// Placement implements metastore.Cells.
func (m *Memory) Placement(ctx context.Context, projectID string) (model.Placement, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("project id", projectID)); err != nil {
		return model.Placement{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	_, known := m.projects[projectID]
	return m.placements[projectID], foundIf(known)
}

// BeginMove implements metastore.Cells.
func (m *Memory) BeginMove(ctx context.Context, projectID, from, to string) error {
	if err := metastore.CheckCell(to); err != nil {
		return err
	}
	return m.step(ctx, projectID, func(p *model.Placement) bool {
		begins := p.Phase == model.Staying || p.Phase == model.Copying && p.Other == to
		possible := begins && p.Cell == from && from != to && m.projects[projectID].ErasingAt.IsZero()
		p.Phase, p.Other = model.Copying, to
		return possible
	})
}

// HoldProject implements metastore.Cells.
func (m *Memory) HoldProject(ctx context.Context, projectID string, until time.Time) error {
	return m.step(ctx, projectID, func(p *model.Placement) bool {
		possible := p.Phase == model.Copying && !p.HeldUntil.After(until)
		p.HeldUntil = microsecond(until)
		return possible
	})
}

// KeepHolding implements metastore.Cells.
func (m *Memory) KeepHolding(ctx context.Context, projectID string, now, until time.Time) error {
	return m.step(ctx, projectID, func(p *model.Placement) bool {
		possible := p.Phase == model.Copying && p.Held(now)
		p.HeldUntil = microsecond(until)
		return possible
	})
}

// SwitchCell implements metastore.Cells.
func (m *Memory) SwitchCell(ctx context.Context, projectID, from, to string, now, heldUntil time.Time) error {
	return m.step(ctx, projectID, func(p *model.Placement) bool {
		possible := p.Phase == model.Copying && p.Cell == from && p.Other == to && !p.HeldUntil.IsZero() && !p.HeldUntil.Before(microsecond(heldUntil))
		*p = model.Placement{Cell: to, Phase: model.Switched, Other: from, HeldUntil: microsecond(now)}
		return possible
	})
}

// EndMove implements metastore.Cells.
func (m *Memory) EndMove(ctx context.Context, projectID string, phase model.MovePhase) error {
	return m.step(ctx, projectID, func(p *model.Placement) bool {
		possible := p.Phase == phase
		*p = model.Placement{Cell: p.Cell}
		return possible
	})
}

// step keeps what change makes of a placement, if that is possible.
func (m *Memory) step(ctx context.Context, projectID string, change func(*model.Placement) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	project, known := m.projects[projectID]
	p := m.placements[projectID]
	if !known || !change(&p) {
		return fmt.Errorf("move a project: %w", metastore.ErrInUse)
	}
	if m.placements == nil {
		m.placements = map[string]model.Placement{}
	}
	m.placements[projectID], project.Cell = p, p.Cell
	m.projects[projectID] = project
	return nil
}
