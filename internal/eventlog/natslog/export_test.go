package natslog

import (
	"context"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
)

// ServerOf is the embedded server, for tests that look at how it runs.
func ServerOf(l *Log) *server.Server { return l.embedded.server.Load() }

// JetStreamOf is the log's view of its streams.
func JetStreamOf(l *Log) jetstream.JetStream { return l.js }

// PretendFree makes the embedded log believe that its disk has that many bytes left.
func PretendFree(l *Log, bytes uint64) {
	g := &l.embedded.disk
	g.mu.Lock()
	defer g.mu.Unlock()
	g.checked, g.free = time.Time{}, func(string) (uint64, error) { return bytes, nil }
}

// PartitionConfigs reads what the server holds for every partition.
func PartitionConfigs(ctx context.Context, l *Log) (streams []jetstream.StreamConfig, consumers []jetstream.ConsumerConfig, err error) {
	for _, p := range l.partitions {
		stream, err := p.stream.Info(ctx)
		if err != nil {
			return nil, nil, err
		}
		consumer, err := p.consumer.Info(ctx)
		if err != nil {
			return nil, nil, err
		}
		streams, consumers = append(streams, stream.Config), append(consumers, consumer.Config)
	}
	return streams, consumers, nil
}

// JobMark is the subject that says that a job may be unfinished.
func JobMark(projectID, id string) string {
	token, _ := jobToken(projectID, id)
	return jobOpen + token
}

// MissingReplicas counts the copies of a stream that are missing.
var MissingReplicas = missingReplicas
