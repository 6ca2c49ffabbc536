package app

import (
	"context"
	"fmt"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/otlpgrpc"
)

// openIngest makes what HTTP and gRPC share: one ingest behind one door.
func (n *node) openIngest(context.Context) error {
	n.gate = &gate{}
	n.ingest = ingest.New(n.log, n.sharedBlobs(), n.gate.check, n.metrics).WithReceipts(n.receipts)
	limits := ingest.Limits{MaxBodyBytes: int64(n.config.Ingest.MaxBody), MemoryBytes: int64(n.config.Ingest.Memory)}
	n.door = ingest.NewDoor(limits, n.ingest.Open, n.metrics)
	return nil
}

// grpcPart serves OTLP over gRPC; on stop it finishes what is in flight.
func (n *node) grpcPart() part {
	var server *otlpgrpc.Server
	return part{
		name: "grpc",
		start: func(ctx context.Context) error {
			listener, err := n.listen(ctx, n.config.GRPCListen)
			if err != nil {
				return fmt.Errorf("%w; choose another --grpc-listen, or an empty one to do without gRPC", err)
			}
			keys := auth.New(n.meta)
			server = otlpgrpc.New(otlpgrpc.Config{ //nolint:contextcheck // calls bring their own
				Auth: keys, Door: n.door, Log: n.logger, Observe: n.metrics.Request,
				Traces: n.ingest.Accept, Logs: n.ingest.AcceptLogs, Live: n.live, Claims: keys.Claim,
			})
			go func() {
				if err := server.Serve(n.secured(listener, "h2")); err != nil {
					n.logger.ErrorContext(ctx, "listener ended", "part", "grpc", "error", err)
				}
			}()
			return nil
		},
		stop: func(ctx context.Context) error { return server.Stop(ctx) },
	}
}
