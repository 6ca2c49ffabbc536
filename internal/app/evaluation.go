package app

import (
	"context"

	"github.com/sondehq/sonde/internal/connections"
	"github.com/sondehq/sonde/internal/evaluation"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/partial"
	"github.com/sondehq/sonde/internal/sandbox"
)

// openSandbox makes the place where evaluators of projects run; it costs nothing until one does.
func (n *node) openSandbox(context.Context) error {
	n.sandbox = sandbox.New(sandbox.Limits{Cache: n.dir("sandbox")})
	return nil
}

// evaluations is what the API offers.
func (n *node) evaluations() *evaluation.Service {
	var store evaluation.Store
	if n.store != nil {
		store = n.store
	}
	return evaluation.NewService(n.meta, store, n.sandbox, n.judges())
}

func (n *node) evaluationHandler() jobs.Handler {
	return evaluation.NewHandler(n.meta, n.store, ownScores{n.ingest}, n.sandbox, n.judges())
}

// evaluationPart applies evaluation rules to rows as they come.
func (n *node) evaluationPart() part {
	return background("evaluation", "an evaluation rule was still at work; it goes on with what is not decided", func(context.Context) func(context.Context) {
		return func(ctx context.Context) {
			if n.awaitMigrated(ctx) {
				horizon := logHorizon{n.log, n.config.Evaluation.Lag}
				evaluation.NewLive(n.meta, n.store, ownScores{n.ingest}, n.sandbox, n.judges(), horizon, n.logger).Run(ctx)
			}
		}
	})
}

// ownScores takes scores of evaluators the way of all scores.
type ownScores struct{ ingest *ingest.Service }

// AcceptScores implements evaluation.Acceptor.
func (s ownScores) AcceptScores(ctx context.Context, projectID string, scores []partial.Event) error {
	_, err := s.ingest.AcceptEvents(ctx, ingest.EventSubmission{ProjectID: projectID, Events: scores, SDKName: "sonde-evaluation"})
	return err
}

// judges are the models that evaluators ask.
func (n *node) judges() evaluation.Models {
	var tracer evaluation.Tracer
	if n.ingest != nil {
		tracer = intake{n.ingest}
	}
	links := connections.New(n.meta, n.secrets)
	return evaluation.NewJudges(links, n.models(links), n.pricer, tracer, n.logger)
}
