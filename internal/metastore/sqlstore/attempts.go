package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
)

// errMustWait takes back what an attempt that must wait has written.
var errMustWait = errors.New("must wait")

// Attempt implements metastore.Attempts. Subjects are locked in their order, so that two attempts cannot wait for each other.
func (s *Store) Attempt(ctx context.Context, at time.Time, limits []metastore.AttemptLimit) (wait time.Duration, err error) {
	if err := metastore.CheckAttempt(limits); err != nil {
		return 0, err
	}
	sorted := slices.SortedFunc(slices.Values(limits), func(a, b metastore.AttemptLimit) int { return cmp.Compare(a.Subject, b.Subject) })
	err = s.inTransaction(ctx, "count an attempt", func(tx *sql.Tx) error {
		wait = 0
		for _, limit := range sorted {
			own, err := attempt(ctx, tx, at, limit)
			if err != nil {
				return err
			}
			wait = max(wait, own)
		}
		if wait > 0 {
			return errMustWait
		}
		return nil
	})
	if errors.Is(err, errMustWait) {
		return wait, nil
	}
	return 0, err
}

// attempt counts under one subject, or returns how long it must wait.
func attempt(ctx context.Context, tx *sql.Tx, at time.Time, limit metastore.AttemptLimit) (time.Duration, error) {
	var count int
	var last, open int64
	now := at.UnixMicro()
	err := tx.QueryRowContext(ctx, `
		INSERT INTO attempts (subject, count, last_at, open_at) VALUES ($1, 0, 0, 0)
		ON CONFLICT (subject) DO UPDATE SET subject = excluded.subject RETURNING count, last_at, open_at`, limit.Subject).Scan(&count, &last, &open)
	if err != nil {
		return 0, err
	}
	if last < at.Add(-metastore.AttemptsLast).UnixMicro() {
		count, open = 0, 0
	}
	if open > now {
		return time.Duration(open-now) * time.Microsecond, nil
	}
	_, err = tx.ExecContext(ctx, `UPDATE attempts SET count = $2, last_at = $3, open_at = $4 WHERE subject = $1`,
		limit.Subject, count+1, now, at.Add(limit.Wait(count+1)).UnixMicro())
	return 0, err
}

// ForgetAttempts implements metastore.Attempts.
func (s *Store) ForgetAttempts(ctx context.Context, subjects ...string) error {
	for _, subject := range subjects {
		if _, err := s.db.ExecContext(ctx, `DELETE FROM attempts WHERE subject = $1`, subject); err != nil {
			return translate("forget attempts", err)
		}
	}
	return nil
}

// LowerAttempts implements metastore.Attempts.
func (s *Store) LowerAttempts(ctx context.Context, subject string) error {
	_, err := s.db.ExecContext(ctx, `UPDATE attempts SET count = count - 1, open_at = 0 WHERE subject = $1 AND count > 0`, subject)
	return translate("take an attempt back", err)
}

// DeleteOldAttempts implements metastore.Attempts.
func (s *Store) DeleteOldAttempts(ctx context.Context, before time.Time) error {
	_, err := s.db.ExecContext(ctx, `
		DELETE FROM attempts
		WHERE last_at < $1 OR last_at < (SELECT last_at FROM attempts ORDER BY last_at DESC LIMIT 1 OFFSET $2)`,
		before.UnixMicro(), metastore.MaxAttempts)
	return translate("delete old attempts", err)
}
