package chstore

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
)

// Server is what a ClickHouse server says of itself.
type Server struct {
	Version            string
	Clock              time.Time
	DiskFree, DiskSize uint64 // of its fullest disk
	ClusterNodes       uint64 // of the cluster that was asked for
}

// NeedsVersion is the least version of ClickHouse: that of the engine that we ship and test with.
const NeedsVersion = "26.7"

// TooOld reports whether a version is below NeedsVersion.
func TooOld(version string) bool {
	for i, least := range strings.Split(NeedsVersion, ".") {
		parts := strings.Split(version, ".")
		if i >= len(parts) {
			return true
		}
		got, err := strconv.Atoi(parts[i])
		want, _ := strconv.Atoi(least) // ours
		if err != nil || got != want {
			return err != nil || got < want
		}
	}
	return false
}

// Server asks the node that statements go to.
func (s *Store) Server(ctx context.Context) (Server, error) {
	return inspect(ctx, s.reads.own, s.config.Cluster)
}

// Inspect asks a server from outside the store, in the manner of Ping.
func Inspect(ctx context.Context, address, cluster string) (Server, error) {
	options, err := parseAddress(address)
	if err != nil {
		return Server{}, err
	}
	options.Database = "system" // ours may not be there yet
	p := newPool(options, 1)
	defer p.close()
	return inspect(ctx, p, cluster)
}

func inspect(ctx context.Context, from *pool, cluster string) (Server, error) {
	var p params
	var version proto.ColStr
	var clock proto.ColInt64
	var free, size, nodes proto.ColUInt64
	err := from.do(ctx, ch.Query{
		Body: "SELECT version() AS version, toUnixTimestamp64Micro(now64(6)) AS clock, argMin(free_space, free_space / total_space) AS free," +
			" argMin(total_space, free_space / total_space) AS size," +
			" assumeNotNull((SELECT count() FROM system.clusters WHERE cluster = " + p.text(cluster) + ")) AS nodes FROM system.disks WHERE total_space > 0",
		Parameters: p.list,
		Result: proto.Results{
			{Name: "version", Data: &version}, {Name: "clock", Data: &clock}, {Name: "free", Data: &free}, {Name: "size", Data: &size}, {Name: "nodes", Data: &nodes},
		},
	})
	if err != nil || version.Rows() != 1 {
		return Server{}, fmt.Errorf("ask the trace store about itself: %w", err)
	}
	return Server{
		Version: version.Row(0), Clock: time.UnixMicro(clock.Row(0)), DiskFree: free.Row(0), DiskSize: size.Row(0), ClusterNodes: nodes.Row(0),
	}, nil
}
