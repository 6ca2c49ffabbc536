package app

import (
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/alerts"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/outbound"
	"github.com/sondehq/sonde/internal/query"
	"github.com/sondehq/sonde/internal/tracestore"
)

// alertLag covers the moment between acceptance and the log.
const alertLag = 2 * time.Second

// alerting is what the API and the job have of alerts.
type alerting struct {
	judge   *alerts.Judge
	targets *alerts.Targets
	service *alerts.Service
}

// openAlerts makes what alerts need.
func (n *node) openAlerts(context.Context) error {
	c := n.config.SMTP
	mailer, err := alerts.NewMailer(alerts.MailSettings{Address: c.Address, From: c.From, User: c.User, Password: c.Password.Reveal(), TLS: c.TLS})
	if err != nil {
		return err
	}
	judge := alerts.NewJudge(alertMetrics{n}, alertHorizon{n})
	targets := alerts.NewTargets(n.meta, n.secrets, outbound.NewGuard(n.config.Outbound.Endpoints), mailer, n.config.BaseURL())
	n.alerting = alerting{judge, targets, alerts.New(n.meta, query.CheckMetrics, judge, targets)}
	return nil
}

// alertPart works on the job of alerts, beside the other jobs: a long one must not keep an alert waiting.
func (n *node) alertPart() part {
	return background("alert job", "messages of alerts were still being sent; they are sent again", func(context.Context) func(context.Context) {
		return func(ctx context.Context) {
			if !n.awaitMigrated(ctx) {
				return
			}
			go every(ctx, time.Minute, func(ctx context.Context) {
				if err := alerts.Start(ctx, n.jobs); err != nil && ctx.Err() == nil {
					n.logger.WarnContext(ctx, "the job of alerts was not started", "error", err)
				}
			})
			kinds := map[string]jobs.Handler{alerts.Kind: alerts.NewWorker(n.meta, n.meta, n.alerting.judge, n.alerting.targets, n.logger, n.metrics)}
			jobs.NewRunner(n.jobs, kinds, n.logger, n.jobOptions()).Run(ctx)
		}
	})
}

// alertMetrics asks the store of a node that has one.
type alertMetrics struct{ n *node }

// Value implements alerts.Metrics.
func (m alertMetrics) Value(ctx context.Context, projectID, text string) (*decimal.Decimal, error) {
	answer, err := query.New(m.n.store).Metrics(tracestore.ForProject(ctx, projectID), projectID, text)
	if err != nil || len(answer.Rows) == 0 {
		return nil, err
	}
	switch value := answer.Rows[0].Metrics[0].(type) {
	case nil:
		return nil, nil //nolint:nilnil // nothing to aggregate
	case decimal.Decimal:
		return &value, nil
	default:
		return nil, fmt.Errorf("a metric is a %T", value)
	}
}

// alertHorizon is that of the log; a node without one cannot tell, and takes the present.
type alertHorizon struct{ n *node }

// Settled implements alerts.Horizon.
func (h alertHorizon) Settled(ctx context.Context) (time.Time, error) {
	if h.n.log == nil {
		return time.Now().Add(-alertLag).UTC(), nil
	}
	return logHorizon{h.n.log, alertLag}.Settled(ctx)
}
