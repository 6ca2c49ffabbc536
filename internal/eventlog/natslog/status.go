package natslog

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/sondehq/sonde/internal/eventlog"
)

// Status asks the server for every partition's state: two small requests each, and one read
// of the oldest pending record when it changed.
func (l *Log) Status(ctx context.Context) (eventlog.Status, error) {
	parts := make([]eventlog.Status, len(l.partitions))
	total := eventlog.Status{CapacityBytes: l.cfg.CapacityBytes, Floors: make([]uint64, len(l.partitions)), Parts: make([]eventlog.Part, len(l.partitions))}
	group, ctx := errgroup.WithContext(ctx)
	for i, p := range l.partitions {
		group.Go(func() (err error) {
			parts[i], total.Floors[i], err = l.partitionStatus(ctx, p)
			if err == nil {
				total.Parts[i] = parts[i].Parts[0]
			}
			return err
		})
	}
	group.Go(func() error {
		info, err := l.dead.Info(ctx)
		if err != nil {
			return unavailable(err, "read state of dead letters")
		}
		total.DeadLetters = info.State.Msgs
		return nil
	})
	if err := group.Wait(); err != nil {
		return eventlog.Status{}, err
	}
	for _, s := range parts {
		total.Records += s.Records
		total.Bytes += s.Bytes
		total.Pending += s.Pending
		if !s.OldestPending.IsZero() && (total.OldestPending.IsZero() || s.OldestPending.Before(total.OldestPending)) {
			total.OldestPending = s.OldestPending
		}
	}
	return total, nil
}

func (l *Log) partitionStatus(ctx context.Context, p *partition) (s eventlog.Status, floor uint64, err error) {
	consumer, err := p.consumer.Info(ctx)
	if err != nil {
		return s, 0, unavailable(err, "read state of partition %d", p.number)
	}
	stream, err := p.stream.Info(ctx)
	if err != nil {
		return s, 0, unavailable(err, "read state of partition %d", p.number)
	}
	floor = consumer.AckFloor.Stream
	s.Records, s.Bytes = stream.State.Msgs, stream.State.Bytes
	// The consumer's own count of undelivered records lags behind the stream. Records above
	// the floor are never deleted, so the sequences tell.
	s.Pending = uint64(consumer.NumAckPending)
	if last, delivered := stream.State.LastSeq, consumer.Delivered.Stream; last > delivered {
		s.Pending += last - delivered
	}
	if s.Pending > 0 {
		s.OldestPending, err = l.oldestPending(ctx, p, floor+1)
	}
	part := eventlog.Part{Pending: s.Pending, OldestPending: s.OldestPending, Redelivered: uint64(consumer.NumRedelivered), ReplicasMissing: missingReplicas(stream)}
	if l.embedded == nil {
		part.At = stream.TimeStamp
	}
	s.Parts = []eventlog.Part{part}
	return s, floor, err
}

const (
	// silentFor is how long a server may not be heard of: others hear of it every second.
	silentFor = 5 * time.Second
	// behindBy is how many records a copy may lack: under load it always lacks some.
	behindBy = 1000
)

// missingReplicas counts copies that are away, or far behind. Servers that were never there are not listed at all.
func missingReplicas(stream *jetstream.StreamInfo) int {
	if stream.Cluster == nil || stream.Config.Replicas < 2 {
		return 0
	}
	current := 0
	if stream.Cluster.Leader != "" {
		current++
	}
	for _, peer := range stream.Cluster.Replicas {
		if !peer.Offline && peer.Active < silentFor && (peer.Current || peer.Lag < behindBy) {
			current++
		}
	}
	return max(0, stream.Config.Replicas-current)
}

// oldestPending is when the record at sequence was appended; zero when it is gone, which
// means that it was acknowledged and trimmed since.
func (l *Log) oldestPending(ctx context.Context, p *partition, sequence uint64) (time.Time, error) {
	p.mu.Lock()
	known := p.oldest
	p.mu.Unlock()
	if known.sequence == sequence {
		return known.at, nil
	}
	record, err := l.lookUp(ctx, p, lookup{Sequence: sequence})
	if err != nil || record == nil {
		return time.Time{}, err
	}
	p.mu.Lock()
	p.oldest = oldestPending{sequence: sequence, at: record.Time}
	p.mu.Unlock()
	return record.Time, nil
}
