package app

import (
	"context"
	"fmt"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/config"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/otlpgrpc"
	"github.com/sondehq/sonde/internal/ratelimit"
)

// openIngest makes what HTTP and gRPC share: one ingest behind one door.
func (n *node) openIngest(context.Context) (err error) {
	if n.rates, err = newRates(n.config.RateLimit); err != nil {
		return err
	}
	n.gate = &gate{}
	n.ingest = ingest.New(n.anyLog(), n.sharedBlobs(), n.gate.check, n.metrics).WithReceipts(n.receipts).Admitting(n.cells.Takes)
	limits := ingest.Limits{MaxBodyBytes: int64(n.config.Ingest.MaxBody), MemoryBytes: int64(n.config.Ingest.Memory)}
	n.door = ingest.NewDoor(limits, func(project string) error {
		if err := n.rates.Open(project); err != nil {
			return err
		}
		return n.ingest.Open(project)
	}, n.metrics)
	return nil
}

// intakes reports whether this node takes single scores, media and flags: those that take spans do, and those that serve
// reads, so that a proxy in front sends them only what comes by the batch elsewhere.
func (n *node) intakes() bool {
	return n.config.Runs("ingest") || n.config.Runs("read") && n.anyLog() != nil
}

// paidIngest takes what comes in off the rates of its project. What the server sends itself, such as scores of evaluators, goes
// beside it.
type paidIngest struct {
	*ingest.Service
	rates *ratelimit.Limiter
}

// Accept takes spans in.
func (p paidIngest) Accept(ctx context.Context, in ingest.Submission) (ingest.Outcome, error) {
	out, err := p.Service.Accept(ctx, in)
	p.rates.Spend(in.ProjectID, out.Accepted+out.Rejected, len(in.Body))
	return out, err
}

// AcceptLogs takes log records in.
func (p paidIngest) AcceptLogs(ctx context.Context, in ingest.Submission) (ingest.Outcome, error) {
	out, err := p.Service.AcceptLogs(ctx, in)
	p.rates.Spend(in.ProjectID, out.Accepted+out.Rejected, len(in.Body))
	return out, err
}

// AcceptEvents takes partial events in.
func (p paidIngest) AcceptEvents(ctx context.Context, in ingest.EventSubmission) (ingest.Outcome, error) {
	out, err := p.Service.AcceptEvents(ctx, in)
	p.rates.Spend(in.ProjectID, out.Accepted+out.Rejected, in.Bytes)
	return out, err
}

// newRates makes the limiter of this process. The settings were checked.
func newRates(c config.RateLimit) (*ratelimit.Limiter, error) {
	projects, err := c.Projects()
	single := map[string]ratelimit.Rates{}
	for id, rate := range projects {
		single[id] = ratelimit.Rates{Requests: rate.Requests, Spans: rate.Spans, Bytes: float64(rate.Bytes)}
	}
	return ratelimit.New(ratelimit.Rates{Requests: c.Requests, Spans: c.Spans, Bytes: float64(c.Bytes)}, single), err
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
			keys, paid := auth.New(n.meta), paidIngest{n.ingest, n.rates}
			server = otlpgrpc.New(otlpgrpc.Config{ //nolint:contextcheck // calls bring their own
				Auth: keys, Door: n.door, Log: n.logger, Observe: n.sawRequest,
				Cells: n.cells, Traces: paid.Accept, Logs: paid.AcceptLogs, Live: n.live, Claims: keys.Claim,
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
