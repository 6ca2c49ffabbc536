package natslog

import (
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/fault"
)

var _ eventlog.Eraser = (*Log)(nil)

const (
	// blockBytes is the largest file in which the server keeps records. It removes such files whole; a purge
	// leaves the bytes of purged records in the file of the first one that stays.
	blockBytes = 8 << 20
	// paddingOverhead is more than an envelope adds to its payload.
	paddingOverhead = 4 << 10
)

// BeginErasure reads where the partitions end.
func (l *Log) BeginErasure(ctx context.Context) (eventlog.Erasure, error) {
	n := len(l.partitions)
	e := eventlog.Erasure{Through: make([]uint64, n), Behind: make([]uint64, n), Gone: make([]bool, n)}
	for i, p := range l.partitions {
		info, err := p.stream.Info(ctx)
		if err != nil {
			return eventlog.Erasure{}, unavailable(err, "read the end of partition %d", p.number)
		}
		e.Through[i] = info.State.LastSeq
	}
	return e, nil
}

// Erase purges every partition up to its floor. A partition in which something was appended meanwhile still has a
// file with erased records in front of the new ones: padding fills that file, and goes with it in a later call.
func (l *Log) Erase(ctx context.Context, e eventlog.Erasure) (eventlog.Erasure, bool, error) {
	if len(e.Through) > len(l.partitions) || len(e.Behind) != len(e.Through) || len(e.Gone) != len(e.Through) {
		return e, false, fmt.Errorf("erase records of %d partitions: there are %d", len(e.Through), len(l.partitions))
	}
	e = eventlog.Erasure{Through: e.Through, Behind: slices.Clone(e.Behind), Gone: slices.Clone(e.Gone)}
	for i := range e.Through {
		if e.Gone[i] {
			continue
		}
		var err error
		if e.Gone[i], e.Behind[i], err = l.erasePartition(ctx, l.partitions[i], e.Through[i], e.Behind[i]); err != nil {
			return e, false, err
		}
	}
	return e, !slices.Contains(e.Gone, false) && !l.stillPurging(), nil
}

func (l *Log) erasePartition(ctx context.Context, p *partition, through, behind uint64) (gone bool, padded uint64, err error) {
	consumer, err := p.consumer.Info(ctx)
	if err != nil {
		return false, behind, unavailable(err, "erase records of partition %d", p.number)
	}
	floor := consumer.AckFloor.Stream
	before, err := p.stream.Info(ctx)
	if err != nil {
		return false, behind, unavailable(err, "erase records of partition %d", p.number)
	}
	last := before.State.LastSeq
	if floor < max(through, behind) && last > 0 {
		return false, behind, nil // the writer has not come so far
	}
	if err := p.stream.Purge(ctx, jetstream.WithPurgeSequence(min(floor, last)+1)); err != nil {
		l.heal(ctx)
		return false, behind, unavailable(err, "erase records of partition %d", p.number)
	}
	if behind > 0 || last == 0 {
		return true, behind, nil
	}
	after, err := p.stream.Info(ctx)
	if err != nil {
		return false, 0, unavailable(err, "erase records of partition %d", p.number)
	}
	if floor >= last && after.State.LastSeq == last {
		return true, 0, nil // the partition was empty, and so all its files went
	}
	padded, err = l.pad(ctx, p, before.Config.MaxBytes)
	return false, padded, err
}

// pad appends as much as a file can hold and returns the sequence of the last record.
func (l *Log) pad(ctx context.Context, p *partition, capacity int64) (last uint64, err error) {
	size := blockBytes
	if capacity > 0 {
		size = min(size, int(max(capacity/4, 64<<10))) // the server's files are no larger
	}
	payload := make([]byte, min(size, l.maxRecord)-paddingOverhead)
	for written := 0; written <= size; written += len(payload) {
		if l.embedded != nil {
			if err := l.embedded.disk.check(); err != nil {
				return 0, unavailable(err, "pad partition %d", p.number)
			}
		}
		_, _ = rand.Read(payload) // never fails; random bytes stay as long as they are
		record, err := eventlog.Envelope{Kind: eventlog.KindPadding, AcceptedAt: time.Now(), Payload: payload}.Encode()
		if err != nil {
			return 0, err
		}
		ack, err := l.js.PublishMsg(ctx, &nats.Msg{Subject: p.subject, Data: record}, jetstream.WithRetryAttempts(0))
		if isFull(err) {
			return 0, fault.Unavailablef("the ingest log is too full to erase from it").Because(err)
		}
		if err != nil {
			return 0, unavailable(err, "pad partition %d", p.number)
		}
		last = ack.Sequence
	}
	return last, nil
}

// stillPurging reports whether the embedded server has not yet removed the files of a purge, which it does in the
// background.
func (l *Log) stillPurging() bool {
	if l.embedded == nil {
		return false
	}
	found, _ := filepath.Glob(filepath.Join(l.cfg.Dir, "jetstream", "*", "streams", "*", "__msgs__"))
	return len(found) > 0
}
