package metastore

import (
	"context"
	"time"
)

// MaxAttempts is how many subjects attempts are counted under; beyond it the oldest are forgotten.
const MaxAttempts = 100_000

// AttemptsLast is how long attempts are remembered after the last one.
const AttemptsLast = 24 * time.Hour

// firstWait is how long who has used up the free attempts waits for the next; each further one doubles it.
const firstWait = time.Second

// AttemptLimit is how often something may be tried under one subject, such as an account or an address.
type AttemptLimit struct {
	Subject string        // a hash: what people type into a form may be a password
	Free    int           // attempts that wait for nothing
	Longest time.Duration // the longest wait, so that nobody is locked out for ever
}

// Wait is how long after an attempt the next one must wait, when count attempts were made.
func (l AttemptLimit) Wait(count int) time.Duration {
	over := count - l.Free
	switch {
	case over < 0:
		return 0
	case over > 30: // a shift further would overflow
		return l.Longest
	}
	return min(firstWait<<over, l.Longest)
}

// Attempts counts attempts to prove something, such as a password, on all nodes together.
type Attempts interface {
	// Attempt counts an attempt under all subjects, unless one of them has to wait: then it counts none and returns how
	// long to wait. Of many attempts at once exactly as many are let through as the limits have free. Attempts that are
	// older than AttemptsLast count no more.
	Attempt(ctx context.Context, at time.Time, limits []AttemptLimit) (wait time.Duration, err error)
	// ForgetAttempts forgets all attempts under the subjects.
	ForgetAttempts(ctx context.Context, subjects ...string) error
	// LowerAttempts takes the last attempt under a subject back.
	LowerAttempts(ctx context.Context, subject string) error
	// DeleteOldAttempts forgets subjects without an attempt since the given time, and the oldest beyond MaxAttempts.
	DeleteOldAttempts(ctx context.Context, before time.Time) error
}

// CheckAttempt refuses with fault.Invalid limits that cannot be counted by.
func CheckAttempt(limits []AttemptLimit) error {
	for _, limit := range limits {
		if err := CheckID("subject", limit.Subject); err != nil {
			return err
		}
	}
	return nil
}
