package metastoretest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
)

// attempts are those under one subject.
type attempts struct {
	count      int
	last, open time.Time
}

// Attempt implements metastore.Attempts.
func (m *Memory) Attempt(ctx context.Context, at time.Time, limits []metastore.AttemptLimit) (wait time.Duration, err error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckAttempt(limits)); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	next := map[string]attempts{}
	for _, limit := range limits {
		known := m.attempts[limit.Subject]
		if known.last.Before(at.Add(-metastore.AttemptsLast)) {
			known = attempts{}
		}
		wait = max(wait, known.open.Sub(at))
		next[limit.Subject] = attempts{known.count + 1, at, at.Add(limit.Wait(known.count + 1))}
	}
	if wait > 0 {
		return wait, nil
	}
	maps.Copy(m.attempts, next)
	return 0, nil
}

// ForgetAttempts implements metastore.Attempts.
func (m *Memory) ForgetAttempts(ctx context.Context, subjects ...string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, subject := range subjects {
		delete(m.attempts, subject)
	}
	return ctx.Err()
}

// LowerAttempts implements metastore.Attempts.
func (m *Memory) LowerAttempts(ctx context.Context, subject string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.attempts[subject]; known.count > 0 {
		m.attempts[subject] = attempts{known.count - 1, known.last, time.Time{}}
	}
	return ctx.Err()
}

// DeleteOldAttempts implements metastore.Attempts.
func (m *Memory) DeleteOldAttempts(ctx context.Context, before time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.attempts, func(_ string, a attempts) bool { return a.last.Before(before) })
	newest := slices.SortedFunc(maps.Keys(m.attempts), func(a, b string) int { return m.attempts[b].last.Compare(m.attempts[a].last) })
	for _, subject := range newest[min(len(newest), metastore.MaxAttempts):] {
		delete(m.attempts, subject)
	}
	return ctx.Err()
}
