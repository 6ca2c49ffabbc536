package eventlogtest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/eventlog"
)

type memoryLetter struct {
	eventlog.DeadLetter
	record []byte
}

// Bury moves the delivery to the dead letters.
func (m *Memory) Bury(_ context.Context, d eventlog.Delivery, reason string) error {
	letter := memoryLetter{record: bytes.Clone(d.Record())}
	letter.ProjectID, letter.Kind = eventlog.Owner(letter.record)
	letter.Position, letter.Origin, letter.Reason = d.Position(), d.Position(), reason
	letter.BuriedAt, letter.Bytes = time.Now(), len(letter.record)
	if own, ok := d.(*memoryDelivery); ok && own.record.redriven > 0 {
		letter.Redriven, letter.Origin = own.record.redriven, own.record.origin
	}
	if err := m.keep(letter); err != nil {
		return err
	}
	return d.Ack()
}

func (m *Memory) keep(letter memoryLetter) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	size := uint64(letter.Bytes)
	for _, other := range m.dead {
		size += uint64(other.Bytes)
	}
	if room := m.opts.DeadLetterBytes; room > 0 && size > room {
		return fmt.Errorf("bury record %v: %w", letter.Position, eventlog.ErrDeadLettersFull)
	}
	m.buried++
	letter.ID = m.buried
	m.dead = append(m.dead, letter)
	return nil
}

// DeadLetters returns the newest dead letters.
func (m *Memory) DeadLetters(_ context.Context, q eventlog.DeadLetterQuery) ([]eventlog.DeadLetter, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var letters []eventlog.DeadLetter
	for _, letter := range slices.Backward(m.dead) {
		if (q.Before == 0 || letter.ID < q.Before) && (q.All || letter.ProjectID == q.ProjectID) && len(letters) < q.Limit {
			letters = append(letters, letter.DeadLetter)
		}
	}
	return letters, nil
}

// DeadLetter returns one letter with its record.
func (m *Memory) DeadLetter(_ context.Context, id uint64) (eventlog.DeadLetter, []byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, letter := range m.dead {
		if letter.ID == id {
			return letter.DeadLetter, bytes.Clone(letter.record), nil
		}
	}
	return eventlog.DeadLetter{}, nil, eventlog.ErrNoDeadLetter
}

// Redrive appends the record of a letter again and removes the letter.
func (m *Memory) Redrive(ctx context.Context, id uint64) (eventlog.Position, error) {
	letter, record, err := m.DeadLetter(ctx, id)
	if err != nil {
		return eventlog.Position{}, err
	}
	at, err := m.append(ctx, memoryRecord{record: record, redriven: letter.Redriven + 1, origin: letter.Origin})
	if err != nil {
		return eventlog.Position{}, err
	}
	_ = m.DeleteDeadLetter(ctx, id) // gone already: somebody else redrove it, too
	return at, nil
}

// DeleteDeadLetter forgets a letter.
func (m *Memory) DeleteDeadLetter(_ context.Context, id uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := len(m.dead)
	m.dead = slices.DeleteFunc(m.dead, func(l memoryLetter) bool { return l.ID == id })
	if len(m.dead) == before {
		return eventlog.ErrNoDeadLetter
	}
	return nil
}
