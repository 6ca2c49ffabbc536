// Command start runs a cluster on this machine until it is interrupted: make cluster.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/sondehq/sonde/e2e/cluster"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM) //nolint:forbidigo // the begin of it all
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to be done
	}
}

// run starts the cluster, says how to reach it and holds it. The file of --ready is written when it is up, for scripts.
func run(ctx context.Context) (err error) {
	dir := flag.String("dir", "", "empty directory for everything; a temporary one unless given")
	ready := flag.String("ready", "", "file that gets the address when the cluster is ready")
	flag.Parse()
	if *dir == "" {
		if *dir, err = os.MkdirTemp("", "sonde-cluster-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(*dir)) }()
	}
	if err := os.Chmod(*dir, 0o755); err != nil { //nolint:gosec // PostgreSQL runs as somebody else
		return err
	}
	options, err := cluster.Built(".")
	if err != nil {
		return err
	}
	options.Dir = *dir
	for _, variable := range os.Environ() {
		if strings.HasPrefix(variable, "SONDE_INIT_") || strings.HasPrefix(variable, "SONDE_ADMIN_") {
			options.Env = append(options.Env, variable)
		}
	}
	fmt.Fprintln(os.Stdout, "starting 3 NATS servers, 2 shards, PostgreSQL, an S3 server, 6 processes of Sonde and a router; logs are in", *dir)
	c, err := cluster.Start(ctx, options)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "ready\n\n  LANGFUSE_BASE_URL=%s\n  LANGFUSE_PUBLIC_KEY=%s\n  LANGFUSE_SECRET_KEY=%s\n\nInterrupt it to end it.\n", c.URL, cluster.PublicKey, cluster.SecretKey)
	if *ready != "" {
		if err := os.WriteFile(*ready, []byte(c.URL+"\n"+c.Metrics("ingest1")+"\n"), 0o600); err != nil {
			return errors.Join(err, c.Close(ctx))
		}
	}
	<-ctx.Done()
	fmt.Fprintln(os.Stdout, "stopping", filepath.Base(*dir))
	return c.Close(ctx)
}
