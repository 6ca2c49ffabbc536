package eventlogtest

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/sondehq/sonde/internal/eventlog"
)

// memoryWait is how long a fetch of Memory waits for a record.
const memoryWait = 500 * time.Millisecond

// Memory is a log that forgets everything with the process and otherwise keeps every promise
// of eventlog.Log. It runs in a synctest bubble.
type Memory struct {
	opts Options

	mu         sync.Mutex
	partitions []memoryPartition
	next       int
	dead       []memoryLetter // by id
	buried     uint64         // the highest id ever
	changed    chan struct{}  // closed and replaced at every change, to wake waiting fetches
}

var (
	_ eventlog.Log         = (*Memory)(nil)
	_ eventlog.DeadLetters = (*Memory)(nil)
)

type memoryPartition struct {
	records []*memoryRecord // what is kept, in order
	last    uint64          // sequence of the newest record ever
	bytes   uint64
}

type memoryRecord struct {
	sequence uint64
	record   []byte
	at       time.Time
	due      time.Time
	acked    bool
	redriven int
	origin   eventlog.Position // when redriven
}

// NewMemory makes an empty log. Zero options mean: 4 partitions, no bound, records of 1 MiB,
// redelivery after eventlog.ExtendWithin.
func NewMemory(opts Options) *Memory {
	if opts.Partitions <= 0 {
		opts.Partitions = 4
	}
	if opts.MaxRecordBytes <= 0 {
		opts.MaxRecordBytes = 1 << 20
	}
	if opts.ExtendWithin <= 0 {
		opts.ExtendWithin = eventlog.ExtendWithin
	}
	return &Memory{
		opts: opts, partitions: make([]memoryPartition, opts.Partitions), changed: make(chan struct{}),
	}
}

// MaxRecordBytes is the largest record Append takes.
func (m *Memory) MaxRecordBytes() int { return m.opts.MaxRecordBytes }

// Partitions is how many partitions there are.
func (m *Memory) Partitions() int { return len(m.partitions) }

// Append stores a copy of record in the next partition that has room.
func (m *Memory) Append(ctx context.Context, record []byte) (eventlog.Position, error) {
	return m.append(ctx, memoryRecord{record: record})
}

func (m *Memory) append(ctx context.Context, r memoryRecord) (eventlog.Position, error) {
	record := r.record
	if len(record) > m.opts.MaxRecordBytes {
		return eventlog.Position{}, fmt.Errorf("append %d bytes: %w", len(record), eventlog.ErrTooLarge)
	}
	if err := ctx.Err(); err != nil {
		return eventlog.Position{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for range m.partitions {
		m.next = (m.next + 1) % len(m.partitions)
		p := &m.partitions[m.next]
		if room := m.capacity(); room > 0 && p.bytes+uint64(len(record)) > room {
			continue
		}
		p.last++
		p.bytes += uint64(len(record))
		r.sequence, r.record, r.at = p.last, bytes.Clone(record), time.Now()
		p.records = append(p.records, &r)
		m.wake()
		return eventlog.Position{Partition: m.next, Sequence: p.last}, nil
	}
	return eventlog.Position{}, fmt.Errorf("append %d bytes: %w", len(record), eventlog.ErrFull)
}

// capacity is the bound of one partition, 0 when there is none.
func (m *Memory) capacity() uint64 { return m.opts.CapacityBytes / uint64(len(m.partitions)) }

func (m *Memory) wake() {
	close(m.changed)
	m.changed = make(chan struct{})
}

// Fetch returns what is due, waiting for it a short time.
func (m *Memory) Fetch(ctx context.Context, partition, maxRecords, maxBytes int) ([]eventlog.Delivery, error) {
	if partition < 0 || partition >= len(m.partitions) {
		return nil, fmt.Errorf("fetch from partition %d: there are %d", partition, len(m.partitions))
	}
	end := time.NewTimer(memoryWait)
	defer end.Stop()
	for ctx.Err() == nil {
		deliveries, nextDue, changed := m.take(partition, maxRecords, maxBytes)
		if len(deliveries) > 0 {
			return deliveries, nil
		}
		due := time.NewTimer(nextDue)
		select {
		case <-changed:
			due.Stop()
		case <-due.C:
		case <-end.C:
			due.Stop()
			return nil, nil
		case <-ctx.Done():
			due.Stop()
		}
	}
	return nil, nil
}

// Due takes all that is due in every partition, and waits for nothing: for tests that ask what the log holds.
func (m *Memory) Due() (all []eventlog.Delivery) {
	for partition := range m.partitions {
		taken, _, _ := m.take(partition, math.MaxInt, math.MaxInt)
		all = append(all, taken...)
	}
	return all
}

// take hands out what is due now, else says how long until something is.
func (m *Memory) take(partition, maxRecords, maxBytes int) (taken []eventlog.Delivery, wait time.Duration, changed <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now, size := time.Now(), 0
	wait = memoryWait
	for _, r := range m.partitions[partition].records {
		if r.acked {
			continue
		}
		if r.due.After(now) {
			wait = min(wait, r.due.Sub(now))
			continue
		}
		size += len(r.record)
		if len(taken) > 0 && (len(taken) >= maxRecords || size > maxBytes) {
			break
		}
		r.due = now.Add(m.opts.ExtendWithin)
		taken = append(taken, &memoryDelivery{log: m, partition: partition, record: r})
	}
	return taken, wait, m.changed
}

// Trim forgets acknowledged records below the floors.
func (m *Memory) Trim(_ context.Context, keep time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	cutoff := time.Now().Add(-keep)
	for i := range m.partitions {
		m.partitions[i].trim(cutoff, m.capacity())
	}
	return nil
}

// Status reports counts, sizes and lag.
func (m *Memory) Status(context.Context) (eventlog.Status, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := eventlog.Status{CapacityBytes: m.opts.CapacityBytes, DeadLetters: uint64(len(m.dead))}
	for i := range m.partitions {
		p := &m.partitions[i]
		s.Records += uint64(len(p.records))
		s.Bytes += p.bytes
		s.Floors = append(s.Floors, p.floor())
		part := eventlog.Part{}
		for _, r := range p.records {
			if r.acked {
				continue
			}
			s.Pending++
			part.Pending++
			if part.OldestPending.IsZero() || r.at.Before(part.OldestPending) {
				part.OldestPending = r.at
			}
			if s.OldestPending.IsZero() || r.at.Before(s.OldestPending) {
				s.OldestPending = r.at
			}
		}
		s.Parts = append(s.Parts, part)
	}
	return s, nil
}

func (p *memoryPartition) floor() uint64 {
	for _, r := range p.records {
		if !r.acked {
			return r.sequence - 1
		}
	}
	return p.last
}

func (p *memoryPartition) trim(cutoff time.Time, capacity uint64) {
	floor := p.floor()
	var acknowledged uint64
	for _, r := range p.records {
		if r.sequence <= floor {
			acknowledged += uint64(len(r.record))
		}
	}
	for len(p.records) > 0 && p.records[0].sequence <= floor {
		oldest, size := p.records[0], uint64(len(p.records[0].record))
		crowded := capacity > 0 && (acknowledged > capacity/2 || p.bytes > capacity/8*7)
		if !oldest.at.Before(cutoff) && !crowded {
			return
		}
		p.records = p.records[1:]
		p.bytes -= size
		acknowledged -= size
	}
}

type memoryDelivery struct {
	log       *Memory
	partition int
	record    *memoryRecord
}

func (d *memoryDelivery) Position() eventlog.Position {
	return eventlog.Position{Partition: d.partition, Sequence: d.record.sequence}
}

func (d *memoryDelivery) Record() []byte        { return d.record.record }
func (d *memoryDelivery) AppendedAt() time.Time { return d.record.at }

func (d *memoryDelivery) Ack() error {
	d.log.mu.Lock()
	defer d.log.mu.Unlock()
	d.record.acked = true
	return nil
}

func (d *memoryDelivery) Extend() error {
	d.log.mu.Lock()
	defer d.log.mu.Unlock()
	d.record.due = time.Now().Add(d.log.opts.ExtendWithin)
	return nil
}
