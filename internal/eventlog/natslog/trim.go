package natslog

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"
)

// Trim forgets acknowledged records of every partition.
func (l *Log) Trim(ctx context.Context, keep time.Duration) error {
	cutoff := time.Now().Add(-keep)
	group, ctx := errgroup.WithContext(ctx)
	for _, p := range l.partitions {
		group.Go(func() error { return l.trimPartition(ctx, p, cutoff) })
	}
	return group.Wait()
}

// trimPartition purges below one sequence. The floor only ever rises, so a purge below a
// floor read earlier is always safe.
func (l *Log) trimPartition(ctx context.Context, p *partition, cutoff time.Time) error {
	consumer, err := p.consumer.Info(ctx)
	if err != nil {
		return unavailable(err, "trim partition %d", p.number)
	}
	floor := consumer.AckFloor.Stream
	stream, err := p.stream.Info(ctx)
	if err != nil {
		return unavailable(err, "trim partition %d", p.number)
	}
	state := stream.State
	if state.Msgs == 0 || floor < state.FirstSeq {
		return nil
	}
	young, err := l.firstYoungerThan(ctx, p, cutoff)
	if err != nil {
		return err
	}
	limit := floor + 1
	if young > 0 {
		limit = min(limit, max(young, crowded(state, floor, stream.Config.MaxBytes)))
	}
	if limit <= state.FirstSeq {
		return nil
	}
	if err := p.stream.Purge(ctx, jetstream.WithPurgeSequence(limit)); err != nil {
		l.heal(ctx)
		return unavailable(err, "trim partition %d", p.number)
	}
	return nil
}

// crowded is the sequence below which acknowledged records must go, however young: until they
// fill at most half of the partition, and the partition is at most seven eighths full.
//
// The server does not tell the bytes of a range, so the records' mean size stands for them.
// A wrong guess forgets acknowledged records sooner or later than it should, nothing else,
// and the next Trim guesses from what is left.
func crowded(state jetstream.StreamState, floor uint64, capacity int64) uint64 {
	if capacity <= 0 {
		return 0
	}
	mean := float64(state.Bytes) / float64(state.Msgs)
	acknowledged := mean * float64(floor-state.FirstSeq+1)
	excess := max(acknowledged-float64(capacity)/2, float64(state.Bytes)-float64(capacity)*7/8)
	if excess <= 0 {
		return 0
	}
	return state.FirstSeq + uint64(excess/mean) + 1
}

// firstYoungerThan returns the sequence of the first record appended at or after t, 0 when
// there is none. The server finds it by binary search over its blocks.
func (l *Log) firstYoungerThan(ctx context.Context, p *partition, t time.Time) (uint64, error) {
	record, err := l.lookUp(ctx, p, lookup{StartTime: &t})
	if err != nil || record == nil {
		return 0, err
	}
	return record.Sequence, nil
}

// lookup is JetStream's request for one record by sequence or time.
type lookup struct {
	Sequence  uint64     `json:"seq,omitempty"`
	StartTime *time.Time `json:"start_time,omitempty"`
}

// found is a record that was looked up.
type found struct {
	Sequence uint64    `json:"seq"`
	Header   []byte    `json:"hdrs"`
	Data     []byte    `json:"data"`
	Time     time.Time `json:"time"`
}

// lookUp returns the record, nil when there is none. It asks the server that leads the partition: others would answer as well, but
// may lack the last records, and one that hangs would be asked like any other.
func (l *Log) lookUp(ctx context.Context, p *partition, request lookup) (*found, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("look up record of partition %d: %w", p.number, err)
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	msg, err := l.nc.RequestWithContext(ctx, "$JS.API.STREAM.MSG.GET."+p.name, body)
	if err != nil {
		return nil, unavailable(err, "look up record of partition %d", p.number)
	}
	var said struct {
		Error   *jetstream.APIError `json:"error"`
		Message *found              `json:"message"`
	}
	if err := json.Unmarshal(msg.Data, &said); err != nil {
		return nil, fmt.Errorf("look up record of partition %d: %w", p.number, err)
	}
	switch {
	case said.Error == nil:
		return said.Message, nil
	case said.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound:
		return nil, nil //nolint:nilnil // there is none
	}
	return nil, unavailable(said.Error, "look up record of partition %d", p.number)
}
