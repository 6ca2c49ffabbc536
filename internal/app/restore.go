package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sondehq/sonde/internal/backup"
	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/metastore/sqlstore"
	"github.com/sondehq/sonde/internal/selfobs"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

// restoreCommand makes the data of a new server from a backup. It takes the settings of serve, because parts
// may lie elsewhere.
type restoreCommand struct {
	From    string `required:"" placeholder:"DIR|s3://BUCKET/PREFIX" help:"Where the backup lies."`
	Deletes string `placeholder:"DIR|s3://BUCKET/PREFIX" help:"A later backup, such as one made with --deletes-only: what was deleted by then is deleted again."`

	s3Flags `embed:""`
	settings
}

// Run restores into an empty data directory.
func (c *restoreCommand) Run(ctx context.Context, std streams) error {
	if err := c.Verify(); err != nil {
		return fmt.Errorf("the configuration cannot be used:\n%w", err)
	}
	from, err := openBackup(ctx, c.From, c.access())
	if err != nil {
		return err
	}
	sources := []*backup.Backup{from}
	if c.Deletes != "" {
		deletes, err := openBackup(ctx, c.Deletes, c.access())
		if err != nil {
			return err
		}
		sources = append(sources, deletes)
	}
	logger, err := selfobs.NewLogger(std.err, c.Logging.Format, c.Logging.Level)
	if err != nil {
		return err
	}
	began := time.Now()
	n := &node{config: &c.Config, logger: logger, metrics: selfobs.NewMetrics(), out: std.out}
	r := &restoring{node: n, sources: sources, show: std.err}
	if err := r.run(ctx); err != nil {
		return err
	}
	m := from.Manifest
	_, err = fmt.Fprintf(std.out, "restored into %s: %d files, %s, %d deletes applied, %.1f s\nit is as of %s; start it with: sonde serve --data-dir %s\n",
		c.DataDir, m.Files, megabytes(m.Bytes), r.deleted, time.Since(began).Seconds(), m.StartedAt.Format(time.RFC3339), c.DataDir)
	return err
}

// restoring is a restore under way: the backup first, then whatever lists deletes.
type restoring struct {
	node    *node
	sources []*backup.Backup
	show    io.Writer
	deleted int
}

func (r *restoring) run(ctx context.Context) error {
	n := r.node
	if err := refuseFilled(n.config.DataDir, n.config.BlobDir); err != nil {
		return err
	}
	s := &supervisor{logger: n.logger}
	if err := s.start(ctx, r.parts(), n.config.StopWithin); err != nil {
		return err
	}
	err := r.restore(ctx)
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), n.config.StopWithin)
	defer cancel()
	if err := errors.Join(err, s.stop(stopping)); err != nil {
		return fmt.Errorf("%w\nthe data directory is of no use: empty it before another try", err)
	}
	unix.Sync() // the engine wrote without
	return os.Remove(n.dir(unfinishedFile))
}

// parts are those that keep data. The marker is there before any of them writes.
func (r *restoring) parts() []part {
	n := r.node
	mark := func(context.Context) error { return os.WriteFile(n.dir(unfinishedFile), nil, 0o600) }
	parts := []part{
		{name: "data directory", start: n.openDataDir, stop: n.closeDataDir},
		{name: "marker", start: mark},
		{name: "blobs", start: n.openBlobs},
		{name: "log", start: r.openLog, stop: func(ctx context.Context) error { return n.log.Close(ctx) }},
	}
	if !r.sources[0].Manifest.WithoutStore && len(n.config.Engine.Address) == 0 {
		parts = append(parts, part{name: "engine", start: n.startEngine, stop: n.stopEngine})
	}
	return append(parts, part{name: "store", start: r.openStore, stop: func(context.Context) error { n.store.Close(); return nil }})
}

func (r *restoring) openLog(ctx context.Context) error {
	r.node.config.Eventlog.Partitions = max(r.node.config.Eventlog.Partitions, r.sources[0].Manifest.Partitions)
	return r.node.openLog(ctx)
}

// openStore leaves the schema to the archives.
func (r *restoring) openStore(context.Context) (err error) {
	n := r.node
	config := n.storeConfig()
	if len(config.Nodes) == 0 {
		return errors.New("this backup holds no trace store: restore that one first, and name it with --engine-address")
	}
	n.store, err = chstore.Open(config)
	return err
}

func (r *restoring) restore(ctx context.Context) error {
	n := r.node
	to := backup.Targets{Log: n.log, Metadata: r.loadMetadata, Blobs: n.blobs, Secret: r.writeSecret}
	if n.engine != nil {
		to.Store, to.Stage = n.store, n.engine.Backups()
	}
	var told backup.Progress
	var at time.Time
	err := r.sources[0].Restore(ctx, to, func(p backup.Progress) {
		if p.Step != told.Step || time.Since(at) > time.Second {
			showProgress(r.show, p)
			told, at = p, time.Now()
		}
	})
	if err != nil {
		return err
	}
	for _, source := range r.sources {
		applied, err := source.ApplyDeletes(ctx, n.store)
		if err != nil {
			return err
		}
		r.deleted += applied
	}
	return nil
}

func (r *restoring) loadMetadata(ctx context.Context, in io.Reader) error {
	if url := r.node.config.Metadata.URL.Reveal(); url != "" {
		return sqlstore.LoadPostgres(ctx, url, in)
	}
	return sqlstore.LoadSQLite(ctx, r.node.dir("metadata.sqlite"), in)
}

func (r *restoring) writeSecret(name string, in io.Reader) error {
	if blob.CheckKey(name) != nil || strings.Contains(name, "/") {
		return fmt.Errorf("%q is not a name of a secret", name)
	}
	file, err := os.OpenFile(r.node.dir(name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, in)
	return errors.Join(err, file.Close())
}

// refuseFilled lets a restore have nothing but new directories.
func refuseFilled(dirs ...string) error {
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("look into %s: %w", dir, err)
		}
		for _, entry := range entries {
			if entry.Name() != "lost+found" { // of a new file system
				return fmt.Errorf("%s is not empty: it has %s; restore into a new directory", dir, filepath.Join(dir, entry.Name()))
			}
		}
	}
	return nil
}
