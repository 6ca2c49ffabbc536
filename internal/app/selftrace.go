package app

import (
	"context"
	"time"

	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/selfobs"
	"github.com/sondehq/sonde/internal/selftrace"
)

// flushWithin bounds how long a stop waits for traces of the server itself.
const flushWithin = 2 * time.Second

// openTraces opens the way for traces of this server, where one is configured.
func (n *node) openTraces(ctx context.Context) error {
	c := n.config.SelfTrace
	if c.Endpoint == "" {
		return nil
	}
	headers, err := c.Header()
	if err != nil {
		return err
	}
	n.traces, err = selftrace.New(ctx, selftrace.Config{Endpoint: c.Endpoint, Headers: headers, Ratio: c.Ratio, Logger: n.logger})
	return err
}

// flushTraces stops first: the receiver may be this server.
func (n *node) flushTraces(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, flushWithin)
	defer cancel()
	_ = n.traces.Flush(ctx) // what is not taken by now is dropped
	return nil
}

func (n *node) closeTraces(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, flushWithin)
	defer cancel()
	_ = n.traces.Close(ctx) // nothing is lost but traces of the stop
	return nil
}

// sawRequest shows an answered request to the operator.
func (n *node) sawRequest(r selfobs.Request) {
	n.metrics.Request(r)
	n.traces.Request(r)
}

// sawRun shows a run of a job to the operator.
func (n *node) sawRun(r jobs.Run) {
	n.metrics.JobSettled(r.Kind, r.Outcome)
	n.traces.Job(r)
}
