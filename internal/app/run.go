package app

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/pprof"
	"sync/atomic"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/audit"
	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/connections"
	"github.com/sondehq/sonde/internal/dashboards"
	"github.com/sondehq/sonde/internal/datasets"
	"github.com/sondehq/sonde/internal/pricing"
	"github.com/sondehq/sonde/internal/query"
	"github.com/sondehq/sonde/internal/savedviews"
	"github.com/sondehq/sonde/internal/scoring"
	"github.com/sondehq/sonde/internal/selfobs"
	"github.com/sondehq/sonde/internal/tenancy"
	"github.com/sondehq/sonde/internal/writer"
)

// state is what probes ask for.
type state struct {
	migrated atomic.Bool
	draining atomic.Bool
}

// writerPart stores what the log holds; it stops after its batch is acknowledged.
func (n *node) writerPart() part {
	return background("writer", "the writer still had rows in hand; they are in the log", func(ctx context.Context) func(context.Context) {
		w := writer.New(writer.Default(), n.log, n.store, n.blobs, n.logger, n.metrics, n.writerSteps(ctx)...).WithNews(n.live).Observed(n.traces.Batch)
		return func(ctx context.Context) { w.Run(ctx, n.config.StopWithin/2) }
	})
}

// background is a part that works until it is stopped. When it is not done in time, stop says late.
func background(name, late string, open func(ctx context.Context) (work func(context.Context))) part {
	var cancel context.CancelFunc
	done := make(chan struct{})
	return part{
		name: name,
		start: func(ctx context.Context) error {
			work := open(ctx)
			ctx, cancel = context.WithCancel(context.WithoutCancel(ctx)) //nolint:gosec // stop calls it
			go func() {
				defer close(done)
				work(ctx)
			}()
			return nil
		},
		stop: func(ctx context.Context) error {
			cancel()
			select {
			case <-done:
				return nil
			case <-ctx.Done():
				return errors.New(late)
			}
		},
	}
}

// apiPart serves HTTP; on stop it finishes what is in flight.
func (n *node) apiPart() part {
	return n.httpPart("api", n.config.Listen, func() http.Handler { return api.New(n.apiConfig()) }, n.secured)
}

func (n *node) apiConfig() api.Config {
	keys := auth.New(n.meta)
	paid := paidIngest{n.ingest, n.rates}
	links := connections.New(n.meta, n.secrets)
	return api.Config{
		Auth:          keys,
		Pages:         n.pages,
		Door:          n.door,
		Ingest:        paid,
		Events:        paid,
		Logs:          paid,
		Rates:         n.rates,
		Cells:         n.cells,
		ScoresOnly:    n.config.Ingest.Legacy == "scores-only",
		Models:        pricing.NewCatalog(n.prices, n.meta),
		Prices:        n.pricer,
		Scoring:       scoring.New(n.meta),
		Query:         query.New(n.store),
		Media:         n.media,
		PublicURL:     n.config.ConfiguredURL(),
		Health:        probes{n},
		Log:           n.logger,
		Version:       selfobs.Version,
		ProjectEraser: n.projectEraser(),
		Deletes:       n.deleter(),
		Erasures:      n.meta,
		Flags:         n.flags(),
		Receipts:      n.receiptReader(),
		DeadLetters:   n.anyLog(),
		Jobs:          n.jobService(),
		BasePath:      n.config.BasePath,
		Tenancy:       tenancy.New(n.meta),
		SignIn:        n.signIn(),
		SQL:           n.sql(),
		Audit:         audit.New(n.meta, n.logger),
		OIDC:          n.oidc,
		AdminKey:      auth.AdminKey(n.config.AdminAPIKey.Reveal()),
		NoIngest:      !n.config.Runs("ingest"),
		NoIntake:      !n.intakes(),
		NoReads:       !n.config.Runs("read"),
		Observe:       n.sawRequest,
		Annotation:    n.annotations(),
		Connections:   links,
		Playground:    n.playground(links),
		Datasets:      datasets.New(n.meta, n.hasMedia),
		Prompts:       n.prompts,
		NoDeprecated:  !n.config.API.DeprecatedReads,
		Exports:       n.exportService(),
		SavedViews:    savedviews.New(n.meta),
		Dashboards:    dashboards.New(n.meta, query.CheckMetrics),
		Alerts:        n.alerting.service,
		AlertTargets:  n.alerting.targets,
		Evaluations:   n.evaluations(),
		Live:          n.live,
		Claims:        keys.Claim,
		LogStatus:     n.logStatus(),
		Stopping:      n.serving.Done(),
	}
}

// metricsPart serves the operator: Prometheus metrics, Go's profiles, dead letters and backups.
func (n *node) metricsPart() part {
	return n.httpPart("metrics", n.config.MetricsListen, func() http.Handler {
		mux := http.NewServeMux()
		mux.Handle("/metrics", n.metrics.Handler())
		mux.HandleFunc("/debug/pprof/", pprof.Index)
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
		if letters := n.anyLog(); letters != nil {
			operator := api.NewOperator(letters, n.logger)
			mux.Handle("/dead-letters", operator)
			mux.Handle("/dead-letters/", operator)
		}
		if n.store != nil && n.logStatus() != nil && n.jobs != nil {
			mux.HandleFunc("GET "+cellPath, n.serveCell)
		}
		mux.Handle("/backup", api.NewBackups(n.operatorToken, n.backUp, n.logger))
		mux.Handle("/answers", api.NewAnswers(n.operatorToken, n.settledAnswers, n.logger))
		return mux
	}, plainly)
}

// plainly is for the operator's listener, which is for this machine.
func plainly(l net.Listener, _ ...string) net.Listener { return l }

// httpPart speaks HTTP/1.1 only, also over TLS: its bounds count connections.
func (n *node) httpPart(name, address string, handler func() http.Handler, secured func(net.Listener, ...string) net.Listener) part {
	var server *http.Server
	return part{
		name: name,
		start: func(ctx context.Context) error {
			listener, err := n.listen(ctx, address)
			if err != nil {
				return err
			}
			server = newHTTPServer(handler(), defaultPatience)
			go func() {
				if err := server.Serve(secured(listener, "http/1.1")); !errors.Is(err, http.ErrServerClosed) {
					n.logger.ErrorContext(ctx, "listener ended", "part", name, "error", err)
				}
			}()
			return nil
		},
		stop: func(ctx context.Context) error {
			if err := server.Shutdown(ctx); err != nil {
				return errors.Join(err, server.Close())
			}
			return nil
		},
	}
}
