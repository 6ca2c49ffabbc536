package app

import (
	"context"

	"github.com/sondehq/sonde/internal/connections"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/llm"
	"github.com/sondehq/sonde/internal/outbound"
	"github.com/sondehq/sonde/internal/playground"
)

// models asks models through the connections of projects.
func (n *node) models(links *connections.Service) *llm.Client {
	return llm.New(links, outbound.NewGuard(n.config.Outbound.Endpoints))
}

// playground is nil on nodes that take nothing in: its runs are traced.
func (n *node) playground(links *connections.Service) *playground.Service {
	if n.ingest == nil {
		return nil
	}
	return playground.New(n.models(links), intake{n.ingest}, n.pricer, n.logger)
}

// intake takes traces that we make ourselves in on the way of all others.
type intake struct{ ingest *ingest.Service }

// Trace implements playground.Tracer.
func (i intake) Trace(ctx context.Context, projectID string, export []byte) error {
	_, err := i.ingest.Accept(ctx, ingest.Submission{ProjectID: projectID, Body: export, JSON: true, SDKName: "sonde"})
	return err
}
