package natslog

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sondehq/sonde/internal/fault"
)

// Cluster is what the servers of a remote log say of themselves.
type Cluster struct {
	Servers    int       // that the client knows of
	Clock      time.Time // of the server that answered; zero: there is no partition yet that could tell
	Partitions []string  // what is wrong with each partition that something is wrong with
}

// Inspect looks at the servers of a remote log without creating or changing anything. Servers without JetStream, or
// without enough of them to agree, are fault.Unavailable.
func Inspect(ctx context.Context, cfg Config) (c Cluster, err error) {
	cfg = cfg.withDefaults()
	nc, err := nats.Connect(cfg.URL, append(connOptions(cfg), nats.MaxReconnects(0))...)
	if err != nil {
		return c, fault.Unavailablef("no server answers").Because(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return c, fmt.Errorf("open JetStream: %w", err)
	}
	c.Servers = len(nc.Servers())
	if _, err := js.AccountInfo(ctx); err != nil {
		return c, fault.Unavailablef("JetStream is off, or too few of its servers are there to agree").Because(err)
	}
	list := js.ListStreams(ctx, jetstream.WithStreamListSubject(subjectPrefix+"*"))
	for stream := range list.Info() {
		c.Clock = stream.TimeStamp
		switch missing := missingReplicas(stream); {
		case stream.Cluster != nil && stream.Cluster.Leader == "":
			c.Partitions = append(c.Partitions, stream.Config.Name+" has no leader")
		case stream.Config.Replicas < cfg.Replicas:
			c.Partitions = append(c.Partitions, fmt.Sprintf("%s has %d copies, %d are asked for", stream.Config.Name, stream.Config.Replicas, cfg.Replicas))
		case missing > 0:
			c.Partitions = append(c.Partitions, fmt.Sprintf("%s misses %d of %d copies", stream.Config.Name, missing, stream.Config.Replicas))
		}
	}
	if err := list.Err(); err != nil {
		return c, fault.Unavailablef("the partitions cannot be listed").Because(err)
	}
	return c, nil
}
