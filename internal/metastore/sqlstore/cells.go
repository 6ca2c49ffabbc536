package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// InCell makes the store that of a cell, and returns it. It is to be called before the store is used.
func (s *Store) InCell(name string) *Store {
	s.cell = name
	return s
}

// workable is the condition that this store's cell works for the project that a column names, with its two values: they are
// the nth and the next of the statement.
func (s *Store) workable(column string, nth int) (condition string, values []any) {
	condition = fmt.Sprintf(` %s IN (SELECT id FROM projects WHERE erasing_at IS NULL AND cell = $%d AND COALESCE(held_until, 0) <= $%d) `, column, nth, nth+1)
	return condition, []any{s.cell, time.Now().UnixMicro()}
}

// Placement implements metastore.Cells.
func (s *Store) Placement(ctx context.Context, projectID string) (p model.Placement, err error) {
	if err := metastore.CheckID("project id", projectID); err != nil {
		return p, err
	}
	var held sql.NullInt64
	var phase string
	err = s.db.QueryRowContext(ctx, `SELECT cell, move_phase, move_cell, held_until FROM projects WHERE id = $1`, projectID).Scan(&p.Cell, &phase, &p.Other, &held)
	p.Phase, p.HeldUntil = model.MovePhase(phase), moment(held)
	return p, translate("read the cell of a project", err)
}

// BeginMove implements metastore.Cells.
func (s *Store) BeginMove(ctx context.Context, projectID, from, to string) error {
	if err := errors.Join(metastore.CheckID("project id", projectID), metastore.CheckCell(to)); err != nil {
		return err
	}
	return s.step(ctx, "begin the move of a project", `
		UPDATE projects SET move_phase = 'copying', move_cell = $3
		WHERE id = $1 AND cell = $2 AND cell <> $3 AND erasing_at IS NULL AND (move_phase = '' OR move_phase = 'copying' AND move_cell = $3)`,
		projectID, from, to)
}

// HoldProject implements metastore.Cells.
func (s *Store) HoldProject(ctx context.Context, projectID string, until time.Time) error {
	return s.step(ctx, "hold a project", `UPDATE projects SET held_until = $2 WHERE id = $1 AND move_phase = 'copying' AND COALESCE(held_until, 0) <= $2`,
		projectID, until.UnixMicro())
}

// KeepHolding implements metastore.Cells.
func (s *Store) KeepHolding(ctx context.Context, projectID string, now, until time.Time) error {
	return s.step(ctx, "go on holding a project", `UPDATE projects SET held_until = $3 WHERE id = $1 AND move_phase = 'copying' AND held_until > $2`,
		projectID, now.UnixMicro(), until.UnixMicro())
}

// SwitchCell implements metastore.Cells.
func (s *Store) SwitchCell(ctx context.Context, projectID, from, to string, now, heldUntil time.Time) error {
	return s.step(ctx, "switch the cell of a project", `
		UPDATE projects SET cell = $3, move_phase = 'switched', move_cell = $2, held_until = $5
		WHERE id = $1 AND cell = $2 AND move_phase = 'copying' AND move_cell = $3 AND held_until >= $4`,
		projectID, from, to, heldUntil.UnixMicro(), now.UnixMicro())
}

// EndMove implements metastore.Cells.
func (s *Store) EndMove(ctx context.Context, projectID string, phase model.MovePhase) error {
	return s.step(ctx, "end the move of a project", `
		UPDATE projects SET move_phase = '', move_cell = '', held_until = NULL WHERE id = $1 AND move_phase = $2`, projectID, string(phase))
}

// step is one of a move: ErrInUse when its statement changed nothing.
func (s *Store) step(ctx context.Context, doing, statement string, args ...any) error {
	done, err := s.db.ExecContext(ctx, statement, args...)
	err = affected(doing, done, err)
	if errors.Is(err, metastore.ErrNotFound) {
		return fmt.Errorf("%s: %w", doing, metastore.ErrInUse)
	}
	return err
}
