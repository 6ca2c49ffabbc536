package eventlogtest

import (
	"context"
	"slices"

	"github.com/sondehq/sonde/internal/eventlog"
)

var _ eventlog.Eraser = (*Memory)(nil)

// BeginErasure names the newest record of every partition.
func (m *Memory) BeginErasure(ctx context.Context) (eventlog.Erasure, error) {
	if err := ctx.Err(); err != nil {
		return eventlog.Erasure{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e := eventlog.Erasure{Behind: make([]uint64, len(m.partitions)), Gone: make([]bool, len(m.partitions))}
	for i := range m.partitions {
		e.Through = append(e.Through, m.partitions[i].last)
	}
	return e, nil
}

// Erase forgets acknowledged records.
func (m *Memory) Erase(ctx context.Context, e eventlog.Erasure) (eventlog.Erasure, bool, error) {
	if err := ctx.Err(); err != nil {
		return e, false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e.Gone = slices.Clone(e.Gone)
	for i, through := range e.Through {
		p := &m.partitions[i]
		floor := p.floor()
		for len(p.records) > 0 && p.records[0].sequence <= min(floor, through) {
			p.bytes -= uint64(len(p.records[0].record))
			p.records = p.records[1:]
		}
		e.Gone[i] = floor >= through
	}
	return e, !slices.Contains(e.Gone, false), nil
}
