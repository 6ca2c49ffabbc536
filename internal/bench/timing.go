package bench

import (
	"context"
	"errors"
	"math"
	"time"
)

// joinRemove takes the server away and keeps the first error.
func joinRemove(err error, s *server) error { return errors.Join(err, s.remove()) }

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func round(x float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(x*scale) / scale
}

func perSpan(cpu time.Duration, spans int) float64 {
	return round(float64(cpu.Microseconds())/float64(spans), 1)
}

// watchPeak samples the memory of a process tree until the returned function is called.
func watchPeak(ctx context.Context, pid int) func() uint64 {
	ctx, cancel := context.WithCancel(ctx)
	peak := make(chan uint64, 1)
	go func() {
		var most uint64
		for sleep(ctx, 200*time.Millisecond) == nil {
			if u, err := measureTree(pid); err == nil {
				most = max(most, u.rssBytes)
			}
		}
		peak <- most
	}()
	return func() uint64 { cancel(); return <-peak }
}
