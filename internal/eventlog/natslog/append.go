package natslog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sondehq/sonde/internal/eventlog"
)

const (
	// answerWithin bounds an Append whose context has no earlier end. A stream whose disk
	// failed answers nothing at all.
	answerWithin = 5 * time.Second

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
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	var away error
	for _, p := range l.round() {
		ack, err := l.js.PublishMsg(ctx, &nats.Msg{Subject: p.subject, Data: record, Header: header}, jetstream.WithRetryAttempts(0))
		if err == nil {
			return eventlog.Position{Partition: p.number, Sequence: ack.Sequence}, nil
		}
		if !errors.Is(err, context.Canceled) {
			p.avoidUntil.Store(time.Now().Add(avoidFor).UnixNano())
		}
		switch {
		case isFull(err):
			continue
		case errors.Is(err, jetstream.ErrNoStreamResponse), errors.Is(err, nats.ErrReconnectBufExceeded):
			away = err // certainly not stored: another partition may take it
		default:
			l.heal(ctx)
			return eventlog.Position{}, unavailable(err, "append to partition %d", p.number)
		}
	}
	if away != nil {
		return eventlog.Position{}, unavailable(away, "append")
	}
	return eventlog.Position{}, fmt.Errorf("append %d bytes: %w", len(record), eventlog.ErrFull)
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
