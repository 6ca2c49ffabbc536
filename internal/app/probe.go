package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/sondehq/sonde/internal/config"
	"github.com/sondehq/sonde/internal/probe"
	"github.com/sondehq/sonde/internal/selfobs"
)

// probeCommand tries a server as its clients do, once or for as long as it runs.
type probeCommand struct {
	URL       string         `name:"url" default:"http://127.0.0.1:3000" env:"SONDE_PROBE_URL" placeholder:"URL" help:"The server, as clients reach it; ${default} unless given."`
	PublicKey string         `env:"SONDE_PROBE_PUBLIC_KEY" placeholder:"KEY" help:"Public key of a project for probes only."`
	SecretKey config.Secret  `env:"SONDE_PROBE_SECRET_KEY" placeholder:"KEY" help:"Secret key of that project."`
	Every     time.Duration  `default:"30s" env:"SONDE_PROBE_EVERY" help:"Time between two rounds."`
	Within    time.Duration  `default:"10s" env:"SONDE_PROBE_WITHIN" help:"How long after its acknowledgement everything must be readable."`
	Listen    string         `default:"127.0.0.1:9465" env:"SONDE_PROBE_LISTEN" placeholder:"HOST:PORT" help:"Address of the probe's own metrics, ${default} unless given."`
	Once      bool           `help:"Try once and end: 0 if all is well, 1 if not."`
	Logging   config.Logging `embed:"" prefix:"logging-" envprefix:"SONDE_LOGGING_"`
}

// Help is the page of the command.
func (*probeCommand) Help() string {
	return `A round writes a trace of two observations by OTLP, and a score, reads all of it back, and compares. It fails
when the server refuses, when something is not readable in time, or when it comes back different.

Give it a project of its own with a retention of a day: every round stays there as a trace.`
}

// verify reports settings that cannot be used.
func (c *probeCommand) verify() error {
	u, err := url.Parse(c.URL)
	switch {
	case err != nil || u.Host == "":
		return fmt.Errorf("url must look like https://sonde.example.com, got %q", c.URL)
	case c.PublicKey == "" || c.SecretKey == "":
		return errors.New("a probe needs the key of a project: set SONDE_PROBE_PUBLIC_KEY and SONDE_PROBE_SECRET_KEY")
	case c.Every <= 0 || c.Within <= 0:
		return errors.New("every and within must be positive")
	}
	return nil
}

// Run tries once, or until a signal comes.
func (c *probeCommand) Run(ctx context.Context, std streams) error {
	if err := c.verify(); err != nil {
		return err
	}
	target := probe.Config{URL: c.URL, PublicKey: c.PublicKey, SecretKey: c.SecretKey.Reveal(), Within: c.Within, Client: &http.Client{}}
	defer target.Client.CloseIdleConnections()
	if c.Once {
		round := probe.Try(ctx, target)
		if round.Err != nil {
			return fmt.Errorf("%s: %w", round.Outcome, round.Err)
		}
		_, err := fmt.Fprintf(std.out, "ok: acknowledged after %s, readable %s later\n", round.Acknowledged.Round(time.Millisecond), round.Readable.Round(time.Millisecond))
		return err
	}
	return c.serve(ctx, std, target)
}

// serve tries again and again, and shows what came of it.
func (c *probeCommand) serve(ctx context.Context, std streams, target probe.Config) error {
	logger, err := selfobs.NewLogger(std.err, c.Logging.Format, c.Logging.Level)
	if err != nil {
		return err
	}
	metrics := selfobs.NewProbeMetrics()
	n := &node{config: &config.Config{MaxConnections: probeConnections}, logger: logger}
	shown := n.httpPart("metrics", c.Listen, func() http.Handler {
		mux := http.NewServeMux()
		mux.Handle("/metrics", metrics.Handler())
		return mux
	}, plainly)
	if err := shown.start(ctx); err != nil {
		return err
	}
	logger.InfoContext(ctx, "probing", "url", c.URL, "every", c.Every, "metrics", c.Listen)
	every(ctx, c.Every, func(ctx context.Context) {
		round := probe.Try(ctx, target)
		if ctx.Err() != nil {
			return
		}
		metrics.Round(round.Outcome, round.Acknowledged, round.Readable)
		if round.Err != nil {
			logger.ErrorContext(ctx, "a round failed", "outcome", round.Outcome, "trace", round.TraceID, "error", round.Err)
		}
	})
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	return shown.stop(stopping)
}

// probeConnections is more than one who reads metrics needs.
const probeConnections = 64
