package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/eventlog/natslog"
	"github.com/sondehq/sonde/internal/metastore/sqlstore"
	"github.com/sondehq/sonde/internal/seal"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

type checkCommand struct {
	settings
}

// Run prints a line per thing that a start would need, and fails when one is missing.
func (c *checkCommand) Run(ctx context.Context, std streams) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	failed := 0
	report := func(what string, err error) {
		if err != nil {
			failed++
			fmt.Fprintf(std.out, "FAIL  %s: %v\n", what, err)
			return
		}
		fmt.Fprintf(std.out, "ok    %s\n", what)
	}
	report("configuration", c.Verify())
	report("data directory "+c.DataDir, c.checkDataDir())
	if text := c.EncryptionKey.Reveal(); text != "" {
		_, err := seal.ParseKey(text)
		report("encryption key", err)
	}
	if c.PricesFile != "" {
		_, err := readPrices(&c.Config)
		report("price list "+c.PricesFile, err)
	}
	report("address "+c.Listen+" is free", c.checkFree(ctx, c.Listen))
	if c.GRPCListen != "" && c.Runs("ingest") {
		report("address "+c.GRPCListen+" is free", c.checkFree(ctx, c.GRPCListen))
	}
	if c.MetricsListen != "" {
		report("address "+c.MetricsListen+" is free", c.checkFree(ctx, c.MetricsListen))
	}
	if c.NeedsStore() {
		c.checkEngine(ctx, report)
	}
	c.checkMetadata(ctx, report)
	if c.NeedsLog() {
		c.checkLog(ctx, report)
	}
	if failed > 0 {
		return fmt.Errorf("%d of the checks failed; see above", failed)
	}
	return nil
}

func (c *checkCommand) checkDataDir() error {
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(c.DataDir, ".check-")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

func (c *checkCommand) checkFree(ctx context.Context, address string) error {
	var listening net.ListenConfig
	l, err := listening.Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return l.Close()
}

func (c *checkCommand) checkEngine(ctx context.Context, report func(string, error)) {
	if c.ownEngine() {
		found, err := c.findEngine()
		report(strings.TrimSpace("engine "+found.Binary+found.Library), err)
		return
	}
	for i, address := range c.Engine.Address {
		report(fmt.Sprintf("trace store %d answers", i+1), chstore.Ping(ctx, address.Reveal()))
	}
}

func (c *checkCommand) checkMetadata(ctx context.Context, report func(string, error)) {
	if url := c.Metadata.URL.Reveal(); url != "" {
		store, err := sqlstore.OpenPostgres(ctx, url)
		if err == nil {
			err = store.Close()
		}
		report("metadata in PostgreSQL", err)
	}
}

func (c *checkCommand) checkLog(ctx context.Context, report func(string, error)) {
	if url := c.Eventlog.Address.Reveal(); url != "" {
		log, err := natslog.OpenRemote(ctx, natslog.Config{URL: url, Replicas: c.Eventlog.Replicas, Partitions: c.Eventlog.Partitions, CapacityBytes: uint64(c.Eventlog.Capacity), DeadLetterBytes: uint64(c.Eventlog.DeadLetters)})
		if err == nil {
			err = log.Close(ctx)
		}
		report("ingest log on NATS", err)
	}
}
