package natslog

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"
)

const (
	streamPrefix  = "SONDE_LOG_"
	subjectPrefix = "sonde.log."
	deadStream    = "SONDE_DEAD"
	deadSubject   = "sonde.dead" // before a dot and whose the letter is; alone in the first release
	consumerName  = "writer"

	// shortestDuplicates is the least JetStream takes. No record carries a message id, so
	// nothing is ever compared, whatever the window.
	shortestDuplicates = 100 * time.Millisecond

	// maxHeld bounds what the consumers of a partition hold without an answer.
	maxHeld = 1 << 16

	// redrivenHeaderBytes is more than the headers of a redriven record take.
	redrivenHeaderBytes = 256
)

// partition is one stream with its consumer.
type partition struct {
	number   int
	subject  string
	name     string
	stream   jetstream.Stream
	consumer jetstream.Consumer
	// avoidUntil (unix nanoseconds) sends appends elsewhere first after a refusal.
	avoidUntil atomic.Int64
	// acked is where the last acknowledgement went, for settle.
	acked atomic.Pointer[string]

	mu     sync.Mutex
	oldest oldestPending
}

// oldestPending remembers when a record was appended, so that Status reads it only once.
type oldestPending struct {
	sequence uint64
	at       time.Time
}

// openWithin is how long servers may need until they agree: a cluster that starts, or that lost a server, first elects leaders.
const openWithin = 30 * time.Second

// waitForLeaders asks again while the servers have not agreed on their leaders: what is asked must bear repeating.
// Who joins does so for a request, which must not wait.
func (l *Log) waitForLeaders(ctx context.Context, ask func() error) error {
	for deadline := time.Now().Add(openWithin); ; {
		err := ask()
		if err == nil || l.cfg.Join || ctx.Err() != nil || !electing(err) || time.Now().After(deadline) {
			return err
		}
		l.cfg.Logger.Warn("the log's servers are not ready, asking again", "error", err)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// electing tells what a cluster says while it has no leader, or not enough servers yet; often it says nothing.
func electing(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrNoResponders) {
		return true
	}
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.Code == http.StatusServiceUnavailable || api.ErrorCode == codeNoPeers)
}

func (l *Log) createStreams(ctx context.Context) error {
	count, err := l.countPartitions(ctx)
	if err != nil {
		return err
	}
	l.partitions = make([]*partition, count)
	group, ctx := errgroup.WithContext(ctx)
	for i := range l.partitions {
		group.Go(func() (err error) {
			l.partitions[i], err = l.createPartition(ctx, i, count)
			return err
		})
	}
	group.Go(func() (err error) {
		l.dead, err = l.stream(ctx, deadConfig(l.cfg, l.maxRecord))
		if err != nil {
			return fmt.Errorf("create stream %s: %w", deadStream, err)
		}
		return nil
	})
	return group.Wait()
}

// countPartitions is the configured number, or more when the log already has more: records
// may wait in every one of them.
func (l *Log) countPartitions(ctx context.Context) (int, error) {
	count := l.cfg.Partitions
	if l.cfg.Join {
		count = 0
	}
	names := l.js.StreamNames(ctx, jetstream.WithStreamListSubject(subjectPrefix+"*"))
	for name := range names.Name() {
		var number int
		if _, err := fmt.Sscanf(name, streamPrefix+"%d", &number); err == nil {
			count = max(count, number+1)
		}
	}
	if err := names.Err(); err != nil && !errors.Is(err, jetstream.ErrEndOfData) {
		return 0, fmt.Errorf("list partitions: %w", err)
	}
	if count == 0 {
		return 0, unavailable(jetstream.ErrStreamNotFound, "join the log")
	}
	return count, nil
}

// stream brings a stream to its configuration, or takes it as it is.
func (l *Log) stream(ctx context.Context, config jetstream.StreamConfig) (jetstream.Stream, error) {
	if l.cfg.Join {
		return l.js.Stream(ctx, config.Name)
	}
	return l.js.CreateOrUpdateStream(ctx, config)
}

func (l *Log) createPartition(ctx context.Context, number, count int) (*partition, error) {
	p := &partition{
		number:  number,
		name:    fmt.Sprintf("%s%d", streamPrefix, number),
		subject: fmt.Sprintf("%s%d", subjectPrefix, number),
	}
	var err error
	if p.stream, err = l.stream(ctx, streamConfig(p, l.cfg, l.maxRecord, count)); err != nil {
		return nil, fmt.Errorf("create stream %s: %w", p.name, err)
	}
	if l.cfg.Join {
		if p.consumer, err = p.stream.Consumer(ctx, consumerName); err != nil {
			return nil, fmt.Errorf("find consumer of %s: %w", p.name, err)
		}
		return p, nil
	}
	p.consumer, err = p.stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable:       consumerName,
		DeliverPolicy: jetstream.DeliverAllPolicy,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       l.cfg.RedeliverAfter,
		MaxDeliver:    -1,
		MaxAckPending: maxHeld,
	})
	if err != nil {
		return nil, fmt.Errorf("create consumer of %s: %w", p.name, err)
	}
	return p, nil
}

func streamConfig(p *partition, cfg Config, maxRecord, count int) jetstream.StreamConfig {
	maxBytes := int64(-1)
	if cfg.CapacityBytes > 0 {
		maxBytes = int64(cfg.CapacityBytes / uint64(count))
	}
	return jetstream.StreamConfig{
		Name:        p.name,
		Subjects:    []string{p.subject},
		Retention:   jetstream.LimitsPolicy,
		Discard:     jetstream.DiscardNew,
		MaxBytes:    maxBytes,
		MaxMsgSize:  int32(maxRecord + redrivenHeaderBytes),
		Storage:     jetstream.FileStorage,
		Replicas:    cfg.Replicas,
		Duplicates:  shortestDuplicates,
		AllowDirect: true,
	}
}

// deadConfig refuses when full and has no age limit: a dead letter is acknowledged data.
func deadConfig(cfg Config, maxRecord int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:        deadStream,
		Subjects:    []string{deadSubject, deadSubject + ".*"},
		Retention:   jetstream.LimitsPolicy,
		Discard:     jetstream.DiscardNew,
		MaxBytes:    int64(cfg.DeadLetterBytes),
		MaxMsgSize:  int32(maxRecord + deadLetterHeaderBytes),
		Storage:     jetstream.FileStorage,
		Replicas:    cfg.Replicas,
		Duplicates:  shortestDuplicates,
		AllowDirect: true,
	}
}
