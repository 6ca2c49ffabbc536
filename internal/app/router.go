package app

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/sondehq/sonde/internal/config"
	"github.com/sondehq/sonde/internal/router"
	"github.com/sondehq/sonde/internal/selfobs"
)

// routerCommand is the front of a cluster.
type routerCommand struct {
	Listen string   `default:"127.0.0.1:3000" env:"SONDE_LISTEN" placeholder:"HOST:PORT" help:"Address of everything: API, pages and OTLP over gRPC; ${default} unless given."`
	Ingest []string `required:"" env:"SONDE_ROUTER_INGEST" placeholder:"URL,…" help:"Processes with the role ingest, such as http://10.0.0.5:3000, or CELL=http://10.0.0.5:3000 of one of several cells; see docs/operate/cells.md."`
	Read   []string `required:"" env:"SONDE_ROUTER_READ" placeholder:"URL,…" help:"Processes with the role read, in the same form."`
	UI     []string `name:"ui" env:"SONDE_ROUTER_UI" placeholder:"URL,…" help:"Processes with the role ui; those that read unless given."`
	GRPC   []string `name:"grpc" env:"SONDE_ROUTER_GRPC" placeholder:"HOST:PORT,…" help:"OTLP over gRPC of the processes with the role ingest, of several cells as CELL=HOST:PORT; refused unless given."`

	MetricsListen string `default:"127.0.0.1:9464" env:"SONDE_METRICS_LISTEN" placeholder:"HOST:PORT" help:"Address of Prometheus metrics, ${default} unless given; empty turns it off."`

	BasePath string `env:"SONDE_BASE_PATH" placeholder:"/PATH" help:"Path under which everything is served, as the processes have it."`

	MaxConnections int           `default:"16384" env:"SONDE_MAX_CONNECTIONS" help:"Connections at once; further ones are closed."`
	StopWithin     time.Duration `default:"20s" env:"SONDE_STOP_WITHIN" help:"How long an orderly stop may take."`

	Logging config.Logging `embed:"" prefix:"logging-" envprefix:"SONDE_LOGGING_"`
	TLS     config.TLS     `embed:"" prefix:"tls-" envprefix:"SONDE_TLS_"`
}

// Run passes requests on until a signal comes.
func (c *routerCommand) Run(ctx context.Context, std streams) error {
	if (c.TLS.Cert == "") != (c.TLS.Key == "") {
		return errors.New("tls-cert and tls-key go together")
	}
	logger, err := selfobs.NewLogger(std.err, c.Logging.Format, c.Logging.Level)
	if err != nil {
		return err
	}
	metrics := selfobs.NewMetrics()
	front, err := router.New(router.Config{Ingest: c.Ingest, GRPC: c.GRPC, Read: c.Read, UI: c.UI, BasePath: c.BasePath, Logger: logger, Ready: metrics.Ready})
	if err != nil {
		return err
	}
	n := &node{
		config: &config.Config{Listen: c.Listen, MetricsListen: c.MetricsListen, MaxConnections: c.MaxConnections, TLS: c.TLS},
		logger: logger, metrics: metrics,
	}
	parts := []part{
		{name: "certificate", start: n.openTLS},
		background("watch of processes", "a process was still being asked", func(context.Context) func(context.Context) { return front.Run }),
		n.frontPart(front),
	}
	if c.MetricsListen != "" {
		parts = append(parts, n.httpPart("metrics", c.MetricsListen, n.metrics.Handler, plainly))
	}
	s := &supervisor{logger: logger}
	if err := s.start(ctx, parts, c.StopWithin); err != nil {
		return err
	}
	logger.InfoContext(ctx, "ready: passing requests on", "base_url", n.config.BaseURL(), "version", selfobs.Version)
	<-ctx.Done()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.StopWithin)
	defer cancel()
	return s.stop(stopping)
}

// frontPart speaks HTTP/2 as well, also without TLS, because gRPC does.
func (n *node) frontPart(handler http.Handler) part {
	var server *http.Server
	return part{
		name: "front",
		start: func(ctx context.Context) error {
			listener, err := n.listen(ctx, n.config.Listen)
			if err != nil {
				return err
			}
			server = newHTTPServer(handler, defaultPatience)
			server.Protocols = new(http.Protocols)
			server.Protocols.SetHTTP1(true)
			server.Protocols.SetHTTP2(true)
			server.Protocols.SetUnencryptedHTTP2(true)
			go func() {
				if err := server.Serve(n.secured(listener, "h2", "http/1.1")); !errors.Is(err, http.ErrServerClosed) {
					n.logger.ErrorContext(ctx, "listener ended", "part", "front", "error", err)
				}
			}()
			return nil
		},
		stop: func(ctx context.Context) error { return server.Shutdown(ctx) },
	}
}
