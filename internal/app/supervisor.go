package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"
)

// part is something that runs as long as the server does.
type part struct {
	name string
	// start returns once the part works; it keeps running in the background.
	start func(ctx context.Context) error
	// stop ends the part in good order; it may be nil.
	stop func(ctx context.Context) error
}

// supervisor starts parts in order and stops them in reverse.
type supervisor struct {
	logger  *slog.Logger
	started []part
}

// start brings up all parts; when one fails, those already up are stopped again.
func (s *supervisor) start(ctx context.Context, parts []part, stopWithin time.Duration) error {
	for _, p := range parts {
		began := time.Now()
		if err := p.start(ctx); err != nil {
			stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
			defer cancel()
			return errors.Join(fmt.Errorf("start %s: %w", p.name, err), s.stop(stopping))
		}
		s.started = append(s.started, p)
		s.logger.DebugContext(ctx, "part started", "part", p.name, "took", time.Since(began).Round(time.Millisecond))
	}
	return nil
}

// stop ends everything in reverse order within ctx; a part that fails to stop does not keep
// the others from it.
func (s *supervisor) stop(ctx context.Context) error {
	var errs []error
	for _, p := range slices.Backward(s.started) {
		if p.stop == nil {
			continue
		}
		if err := p.stop(ctx); err != nil {
			errs = append(errs, fmt.Errorf("stop %s: %w", p.name, err))
		}
		s.logger.DebugContext(ctx, "part stopped", "part", p.name)
	}
	s.started = nil
	return errors.Join(errs...)
}
