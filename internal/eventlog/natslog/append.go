package natslog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sondehq/sonde/internal/eventlog"
)

const (
	// answerWithin bounds an Append whose context has no earlier end. A stream whose disk
	// failed answers nothing at all.
	answerWithin = 5 * time.Second

	// silentAfter is when another partition is asked beside one that does not answer: far above what a busy disk takes.
	silentAfter = 2 * time.Second

	// avoidFor is how long appends try other partitions first after one refused or was silent.
	avoidFor = time.Second
)

// Error codes of JetStream that the client library does not name.
const (
	codeAccountResources  jetstream.ErrorCode = 10002
	codeNoPeers           jetstream.ErrorCode = 10005
	codeNoResources       jetstream.ErrorCode = 10023
	codeMemoryResources   jetstream.ErrorCode = 10028
	codeStorageResources  jetstream.ErrorCode = 10047
	codeStoreFailed       jetstream.ErrorCode = 10077
	storeFailedForMaximum                     = "maximum bytes exceeded"
	storeFailedForDisk                        = "no space left"
)

// Append stores the record in the next partition of the round that takes it.
func (l *Log) Append(ctx context.Context, record []byte) (eventlog.Position, error) {
	return l.append(ctx, record, nil)
}

func (l *Log) append(ctx context.Context, record []byte, header nats.Header) (eventlog.Position, error) {
	if len(record) > l.maxRecord {
		return eventlog.Position{}, fmt.Errorf("append %d bytes of at most %d: %w", len(record), l.maxRecord, eventlog.ErrTooLarge)
	}
	if l.embedded != nil {
		if err := l.embedded.disk.check(); err != nil {
			return eventlog.Position{}, err
		}
	}
	return l.offer(ctx, record, header)
}

// answer is what a partition said to a record.
type answer struct {
	from *partition
	ack  *jetstream.PubAck
	err  error
}

// offer asks one partition after the other. While one is silent another is asked too, because the server that leads it may
// hang, and the first that has stored the record will do: a record that comes twice counts once.
func (l *Log) offer(ctx context.Context, record []byte, header nats.Header) (eventlog.Position, error) {
	var asked sync.WaitGroup
	defer asked.Wait() // the record is the caller's again
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	answers := make(chan answer)
	ask := func(p *partition) {
		ack, err := l.js.PublishMsg(ctx, &nats.Msg{Subject: p.subject, Data: record, Header: header}, jetstream.WithRetryAttempts(0))
		select {
		case answers <- answer{p, ack, err}:
		case <-ctx.Done():
		}
	}
	var away error
	var last *partition
	left, waiting := l.round(), 0
	for next := true; ; {
		other := l.connection.Load().over.Done()
		if next && len(left) > 0 {
			last = left[0]
			left = append(left[1:], last) // its turn comes again if all are silent
			waiting++
			p := last
			asked.Go(func() { ask(p) })
		}
		select {
		case a := <-answers:
			if a.err == nil {
				return eventlog.Position{Partition: a.from.number, Sequence: a.ack.Sequence}, nil
			}
			if !errors.Is(a.err, context.Canceled) {
				a.from.avoid()
			}
			if !isRefusal(a.err) {
				l.heal(ctx)
				return eventlog.Position{}, unavailable(a.err, "append to partition %d", a.from.number)
			}
			if isAway(a.err) {
				away = a.err
			}
			waiting--
			left = slices.DeleteFunc(left, func(p *partition) bool { return p == a.from })
			if next = waiting == 0; next && len(left) == 0 {
				return eventlog.Position{}, refused(away, len(record))
			}
		case <-time.After(silentAfter):
			last.avoid()
			next = true
		case <-other: // what was asked over the last connection may never be answered
			next = true
		case <-ctx.Done():
			l.heal(ctx)
			return eventlog.Position{}, unavailable(ctx.Err(), "append")
		}
	}
}

func (p *partition) avoid() { p.avoidUntil.Store(time.Now().Add(avoidFor).UnixNano()) }

// isRefusal reports whether the record is certainly not stored by the partition, and another may take it.
func isRefusal(err error) bool {
	return isFull(err) || isAway(err)
}

func isAway(err error) bool {
	return errors.Is(err, jetstream.ErrNoStreamResponse) || errors.Is(err, nats.ErrReconnectBufExceeded)
}

// refused is the error when no partition is left. Full is one that all of them say.
func refused(away error, size int) error {
	if away != nil {
		return unavailable(away, "append")
	}
	return fmt.Errorf("append %d bytes: %w", size, eventlog.ErrFull)
}

// round lists all partitions, each call starting one further; those that lately refused come last.
func (l *Log) round() []*partition {
	n := len(l.partitions)
	start := int(l.next.Add(1) % uint64(n))
	now := time.Now().UnixNano()
	order, last := make([]*partition, 0, n), make([]*partition, 0, n)
	for i := range n {
		p := l.partitions[(start+i)%n]
		if p.avoidUntil.Load() > now {
			last = append(last, p)
		} else {
			order = append(order, p)
		}
	}
	return append(order, last...)
}

func isFull(err error) bool {
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return false
	}
	switch api.ErrorCode {
	case codeNoResources, codeAccountResources, codeMemoryResources, codeStorageResources:
		return true
	case codeStoreFailed:
		return strings.Contains(api.Description, storeFailedForMaximum) || strings.Contains(api.Description, storeFailedForDisk)
	}
	return false
}
