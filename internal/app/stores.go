package app

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/sondehq/sonde/internal/engine"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

func (n *node) startEngine(ctx context.Context) (err error) {
	c := n.config.Engine
	if len(c.Address) > 0 {
		return nil
	}
	n.engine, err = engine.Start(ctx, engine.Config{
		Dir: n.dir("engine"), Library: c.Library, Binary: c.Binary, MemoryBytes: uint64(c.Memory), Logger: n.logger,
	})
	if err != nil {
		return err
	}
	// For people and tools on this machine who want to look into the engine themselves.
	if err := os.WriteFile(n.dir(engineURLFile), []byte(n.engineURL()), 0o600); err != nil {
		return fmt.Errorf("write the engine's address: %w", err)
	}
	return nil
}

// engineURLFile is the file in the data directory that holds the embedded engine's address.
const engineURLFile = "engine.url"

func (n *node) stopEngine(ctx context.Context) error {
	if n.engine == nil {
		return nil
	}
	return n.engine.Stop(ctx)
}

func (n *node) engineURL() string { return n.engineURLAs(n.engine.User()) }

func (n *node) engineURLAs(user string) string {
	u := url.URL{Scheme: "clickhouse", Host: n.engine.Addr(), User: url.UserPassword(user, n.engine.Password()), Path: "/" + chstore.DefaultDatabase}
	return u.String()
}

// openStore brings the schema up to date. A store that is elsewhere and away does not keep the
// server from taking data into the log: it is tried again until it answers.
func (n *node) openStore(ctx context.Context) (err error) {
	if n.store, err = chstore.Open(n.storeConfig()); err != nil {
		return err
	}
	err = n.store.Migrate(ctx)
	if !fault.Is(err, fault.Unavailable) {
		if err == nil {
			n.state.migrated.Store(true)
		}
		return err
	}
	n.logger.WarnContext(ctx, "the trace store does not answer yet; taking data into the log meanwhile", "error", err)
	return nil
}

func (n *node) storeConfig() chstore.Config {
	reads := n.config.Reads
	c := chstore.Config{
		Cluster: n.config.Engine.Cluster, Replicated: n.config.Engine.Replicated, NoTextIndex: !n.config.TextIndex,
		Reads: reads.AtOnce, ReadsPerProject: reads.PerProject, ReadWithin: reads.Within,
		ReadMemoryBytes: uint64(cmp.Or(reads.Memory, n.config.Engine.Memory/3)), ReadRows: reads.Rows, ObserveRead: n.metrics.Read,
	}
	for _, address := range n.config.Engine.Address {
		c.Nodes = append(c.Nodes, address.Reveal())
	}
	if n.engine != nil {
		c.Nodes, c.ReadAddress = []string{n.engineURL()}, n.engineURLAs(engine.Reader)
	}
	c.SQLAddress = n.config.SQL.Address.Reveal()
	if n.engine != nil && n.config.SQL.Enabled {
		own := url.URL{Scheme: "clickhouse", Host: n.engine.Addr(), User: url.UserPassword(engine.SQL, n.engine.Password()), Path: "/" + engine.SQLDatabase}
		c.SQLAddress = own.String()
	}
	return c
}

// migrateLater is part of the watch: it tries until the store answers. What the store answers then
// will not change by asking again.
func (n *node) migrateLater(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
		switch err := n.store.Migrate(ctx); {
		case err == nil:
			n.state.migrated.Store(true)
			return
		case ctx.Err() == nil && !fault.Is(err, fault.Unavailable):
			n.logger.ErrorContext(ctx, "the trace store's schema cannot be brought up to date; mend it and start again", "error", err)
			return
		}
	}
}

// sql answers what people write, nil where nobody may ask or there is no store.
func (n *node) sql() tracestore.SQL {
	if n.store == nil || !n.config.SQL.Enabled || n.engine == nil && n.config.SQL.Address == "" {
		return nil
	}
	return n.store
}
