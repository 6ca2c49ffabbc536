package chstore

import (
	"context"
	"errors"
	"strings"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/fault"
)

// measured is what a statement used.
type measured struct {
	rows, memory uint64
}

// peakMemory is how the engine calls the most memory that a statement had at once.
const peakMemory = "MemoryTrackerPeakUsage"

// measure has q tell what it uses as it runs.
func (m *measured) measure(q *ch.Query) {
	q.OnProgress = func(_ context.Context, p proto.Progress) error {
		m.rows += p.Rows
		return nil
	}
	q.OnProfileEvents = func(_ context.Context, events []ch.ProfileEvent) error {
		for _, e := range events {
			if e.Name == peakMemory && e.Value > 0 {
				m.memory = max(m.memory, uint64(e.Value))
			}
		}
		return nil
	}
}

// turnOutcome says how a read ended that did not get its turn.
func turnOutcome(err error) string {
	if fault.Is(err, fault.Unavailable) {
		return "busy"
	}
	return readOutcome(err)
}

// readOutcome names the end of a read for the operator; readError turns the same into what callers see.
func readOutcome(err error) string {
	exception, ok := ch.AsException(err)
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, errTooManyRows), ok && exception.IsCode(proto.ErrTooManyRows):
		return "over_rows"
	case errors.Is(err, context.DeadlineExceeded), ok && exception.IsCode(proto.ErrTimeoutExceeded, proto.ErrTooSlow):
		return "over_time"
	case ok && exception.IsCode(proto.ErrTooManyBytes, proto.ErrTooManyRowsOrBytes):
		return "over_result"
	case ok && exception.IsCode(proto.ErrMemoryLimitExceeded) && strings.Contains(exception.Message, ownMemory):
		return "over_memory"
	case ok && exception.IsCode(proto.ErrMemoryLimitExceeded, proto.ErrTooManySimultaneousQueries):
		return "busy"
	}
	return "failed"
}
