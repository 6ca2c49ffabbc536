package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/cells"
	"github.com/sondehq/sonde/internal/config"
	"github.com/sondehq/sonde/internal/engine"
	"github.com/sondehq/sonde/internal/eventlog/natslog"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/live"
	"github.com/sondehq/sonde/internal/media"
	"github.com/sondehq/sonde/internal/metastore/sqlstore"
	"github.com/sondehq/sonde/internal/price"
	"github.com/sondehq/sonde/internal/pricing"
	"github.com/sondehq/sonde/internal/prompts"
	"github.com/sondehq/sonde/internal/ratelimit"
	"github.com/sondehq/sonde/internal/sandbox"
	"github.com/sondehq/sonde/internal/seal"
	"github.com/sondehq/sonde/internal/selfobs"
	"github.com/sondehq/sonde/internal/selftrace"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

type serveCommand struct {
	settings
}

// settings are the flags of all commands that concern a server.
type settings struct {
	config.Config
}

// ownEngine reports whether this process starts an engine of its own.
func (s *settings) ownEngine() bool { return s.NeedsStore() && len(s.Engine.Address) == 0 }

func (s *settings) findEngine() (engine.Source, error) {
	return engine.Find(engine.Config{Library: s.Engine.Library, Binary: s.Engine.Binary})
}

// Run serves until a signal comes, then stops in good order.
func (c *serveCommand) Run(ctx context.Context, std streams) error {
	if err := c.Verify(); err != nil {
		return fmt.Errorf("the configuration cannot be used:\n%w", err)
	}
	if c.ownEngine() {
		// Without one nothing works: say so before anything is created.
		if _, err := c.findEngine(); err != nil {
			return err
		}
	}
	logger, err := selfobs.NewLogger(std.err, c.Logging.Format, c.Logging.Level)
	if err != nil {
		return err
	}
	n := &node{config: &c.Config, logger: logger, metrics: selfobs.NewMetrics(), out: std.out}
	return n.serve(ctx)
}

// node is one running process: every part it was built from.
type node struct {
	config  *config.Config
	logger  *slog.Logger
	metrics *selfobs.Metrics
	out     io.Writer

	lock    *os.File
	meta    *sqlstore.Store
	cells   *cells.Guard
	secrets *seal.Box // seals what we keep for projects and must read again
	oidc    *api.OIDC // nil: nobody signs in through a provider
	prices  *price.List
	pricer  *pricing.Pricer
	blobs   blob.Store
	media   *media.Service
	log     *natslog.Log   // nil where spans are neither taken, stored nor worked on
	engine  *engine.Engine // nil when the store is elsewhere
	store   *chstore.Store // nil where nothing is stored or read

	prompts  *prompts.Service
	alerting alerting
	sandbox  *sandbox.Sandbox

	receipts *ingest.Receipts // nil where there is no log
	jobs     jobs.Store       // nil where there is no log
	joined   *joinedLog       // nil unless this process only serves reads, beside a log of others

	live *live.Reporter // nil where no news arrive

	pages  http.Handler // nil where nothing is read
	gate   *gate
	ingest *ingest.Service
	door   *ingest.Door
	rates  *ratelimit.Limiter
	state  state

	progress progress
	traces   *selftrace.Tracer // nil: none of this server are sent

	serving       context.Context //nolint:containedctx // the life of the server, for work of the operator
	backingUp     sync.Mutex
	operatorToken string
	certificate   *certificate // nil: without TLS

	logSeen     time.Time       // by the watch
	watching    context.Context //nolint:containedctx // the life of the watch, for callbacks that bring none
	watchCancel context.CancelFunc
	watchDone   sync.WaitGroup
}

// dir is a place in the data directory.
func (n *node) dir(name string) string { return filepath.Join(n.config.DataDir, name) }

func (n *node) serve(ctx context.Context) error {
	n.serving = ctx
	s := &supervisor{logger: n.logger}
	if err := s.start(ctx, n.parts(), n.config.StopWithin); err != nil {
		return err
	}
	n.logger.InfoContext(ctx, "ready: set LANGFUSE_BASE_URL to this address",
		"base_url", n.config.BaseURL(), "version", selfobs.Version)
	<-ctx.Done()

	n.logger.InfoContext(context.WithoutCancel(ctx), "stopping")
	n.state.draining.Store(true)
	// A second signal cuts the waits short.
	hurried, second := signal.NotifyContext(context.WithoutCancel(ctx), os.Interrupt, syscall.SIGTERM)
	defer second()
	select {
	case <-hurried.Done():
	case <-time.After(n.config.DrainFor):
	}
	stopping, cancel := context.WithTimeout(hurried, n.config.StopWithin)
	defer cancel()
	return s.stop(stopping)
}

// parts lists what this process runs, in the order of starting. Which of them there are depends
// on the role; how each is built depends on whether its server is ours or somebody else's.
func (n *node) parts() []part {
	parts := []part{
		{name: "data directory", start: n.openDataDir, stop: n.closeDataDir},
		{name: "restored data", start: func(context.Context) error { return n.refuseUnfinished() }},
		{name: "versions of files", start: n.admitFiles},
		{name: "self-trace", start: n.openTraces, stop: n.closeTraces},
		{name: "certificate", start: n.openTLS},
		{name: "metadata", start: n.openMetadata, stop: func(context.Context) error { return n.meta.Close() }},
		{name: "secrets", start: n.openSecrets},
		{name: "sign-in provider", start: n.openProvider},
		{name: "prices", start: n.openPrices},
		{name: "blobs", start: n.openBlobs},
		{name: "media", start: n.openMedia},
		{name: "prompts", start: n.openPrompts, stop: n.closePrompts},
		{name: "alerts", start: n.openAlerts},
		{name: "sandbox", start: n.openSandbox, stop: func(ctx context.Context) error { return n.sandbox.Close(ctx) }},
	}
	if n.config.NeedsLog() {
		parts = append(parts, part{name: "log", start: n.openLog, stop: func(ctx context.Context) error { return n.log.Close(ctx) }},
			part{name: "jobs", start: n.openJobs})
	} else if n.config.Eventlog.Address != "" {
		parts = append(parts, n.joinPart())
	}
	if n.config.NeedsStore() {
		parts = append(parts,
			part{name: "engine", start: n.startEngine, stop: n.stopEngine},
			part{name: "store", start: n.openStore, stop: func(context.Context) error { n.store.Close(); return nil }})
	}
	parts = append(parts, part{name: "mark of versions", start: n.writeVersions}, part{name: "receipts", start: n.openReceipts})
	parts = append(parts, n.livePart(), part{name: "ingest", start: n.openIngest})
	parts = append(parts, part{name: "watch", start: n.startWatch, stop: n.stopWatch})
	if n.config.Runs("write") {
		parts = append(parts, n.writerPart())
	}
	if n.config.Runs("jobs") {
		parts = append(parts, n.runnerPart(), n.sweepPart(), n.linkerPart(), n.schedulerPart(), n.retentionPart(), n.alertPart(), n.evaluationPart(), n.auditPart())
	}
	parts = append(parts, part{name: "pages", start: n.openPages}, n.apiPart())
	if n.config.GRPCListen != "" && n.config.Runs("ingest") {
		parts = append(parts, n.grpcPart())
	}
	if n.config.MetricsListen != "" {
		parts = append(parts, part{name: "operator", start: func(context.Context) error { return n.writeOperator() }}, n.metricsPart())
	}
	return append(parts, part{name: "traces", start: func(context.Context) error { return nil }, stop: n.flushTraces})
}

func (n *node) openDataDir(context.Context) error {
	if err := os.MkdirAll(n.config.DataDir, 0o700); err != nil {
		return fmt.Errorf("make the data directory: %w", err)
	}
	abs, err := filepath.Abs(n.config.DataDir)
	if err != nil {
		return fmt.Errorf("find the data directory: %w", err)
	}
	n.config.DataDir = abs
	if n.lock, err = os.OpenFile(n.dir("lock"), os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return fmt.Errorf("lock the data directory: %w", err)
	}
	if err := syscall.Flock(int(n.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return errors.Join(fmt.Errorf("another sonde works in %s; stop it or choose another --data-dir", n.config.DataDir), n.lock.Close())
	}
	return nil
}

func (n *node) closeDataDir(context.Context) error { return n.lock.Close() }

func (n *node) openMetadata(ctx context.Context) error {
	if err := n.connectMetadata(ctx); err != nil {
		return err
	}
	n.cells = cells.NewGuard(n.config.Cell, n.meta)
	return n.plant(ctx)
}

// hasMetadata fails where a command would make an empty database instead of finding one.
func (n *node) hasMetadata() error {
	if n.config.Metadata.URL != "" {
		return nil
	}
	if _, err := os.Stat(n.dir("metadata.sqlite")); err != nil {
		return fmt.Errorf("there is no metadata database in %s; start the server once, or point --data-dir or --metadata-url to where it is", n.config.DataDir)
	}
	return nil
}

// connectMetadata opens the metadata database.
func (n *node) connectMetadata(ctx context.Context) (err error) {
	if url := n.config.Metadata.URL.Reveal(); url != "" {
		n.meta, err = sqlstore.OpenPostgres(ctx, url)
	} else {
		n.meta, err = sqlstore.OpenSQLite(ctx, n.dir("metadata.sqlite"))
	}
	if err == nil {
		n.meta.InCell(n.config.Cell)
	}
	return err
}

// plant creates the first organization, project, key and user, and shows random secrets once.
func (n *node) plant(ctx context.Context) error {
	in := n.config.Init
	seed, secret, err := auth.SeedFrom(in.Organization, in.ProjectID, in.Project, in.ProjectPublicKey, in.ProjectSecretKey.Reveal())
	if err != nil {
		return err
	}
	user, shown, err := n.firstUser()
	if err != nil {
		return err
	}
	planted, err := n.meta.Plant(ctx, seed)
	if err != nil || !planted {
		return err
	}
	if err := n.plantUser(ctx, seed.Organization.ID, user, shown); err != nil {
		return err
	}
	if in.ProjectSecretKey != "" {
		return nil
	}
	_, err = fmt.Fprintf(n.out, `Created project %q with these keys. The secret is shown only now:

  LANGFUSE_PUBLIC_KEY=%s
  LANGFUSE_SECRET_KEY=%s

`, seed.Project.Name, seed.Key.PublicKey, secret)
	return err
}

func (n *node) blobDir() string { return cmp.Or(n.config.BlobDir, n.dir("blobs")) }

// sharedBlobs is where ingest may leave a large span: only where the writer will find it.
func (n *node) sharedBlobs() blob.Store {
	if !n.blobsShared() && !n.config.Runs("write") {
		return nil
	}
	return n.blobs
}

func (n *node) openLog(ctx context.Context) (err error) {
	options := n.logOptions()
	if options.URL != "" {
		n.log, err = natslog.OpenRemote(ctx, options)
	} else {
		n.log, err = natslog.OpenEmbedded(ctx, options)
	}
	return err
}

func (n *node) logOptions() natslog.Config {
	c := n.config.Eventlog
	return natslog.Config{
		Dir: n.dir("log"), URL: c.Address.Reveal(), Replicas: c.Replicas, Partitions: c.Partitions,
		CapacityBytes: uint64(c.Capacity), MinFreeBytes: uint64(n.config.Ingest.DiskReserve) / 2, Logger: n.logger,
		DeadLetterBytes: uint64(c.DeadLetters),
	}
}
