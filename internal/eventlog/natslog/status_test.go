package natslog_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/sondehq/sonde/internal/eventlog/natslog"
)

// A copy that lacks the records of the last moment is none that is missing: under load every copy does.
func TestMissingReplicas(t *testing.T) {
	t.Parallel()
	here := &jetstream.PeerInfo{Current: true, Active: time.Second}
	for name, c := range map[string]struct {
		other *jetstream.PeerInfo
		want  int
	}{
		"as far as the leader":   {here, 0},
		"a few records behind":   {&jetstream.PeerInfo{Active: time.Second, Lag: 30}, 0},
		"far behind":             {&jetstream.PeerInfo{Active: time.Second, Lag: 5000}, 1},
		"not heard of":           {&jetstream.PeerInfo{Current: true, Active: 8 * time.Second}, 1},
		"known to be away":       {&jetstream.PeerInfo{Offline: true, Active: time.Second}, 1},
		"never there, so absent": {nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stream := &jetstream.StreamInfo{Config: jetstream.StreamConfig{Replicas: 3}, Cluster: &jetstream.ClusterInfo{Leader: "a", Replicas: []*jetstream.PeerInfo{here}}}
			if c.other != nil {
				stream.Cluster.Replicas = append(stream.Cluster.Replicas, c.other)
			}
			if got := natslog.MissingReplicas(stream); got != c.want {
				t.Errorf("%d are missing, want %d", got, c.want)
			}
		})
	}
}
