package cluster

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/engine"
	"github.com/sondehq/sonde/internal/testkit"
)

// natsServers is how many there are; each holds every record.
const natsServers = 3

// natsConfig makes a server sync every write, and keep to the links that it was given: it tells nobody of other ways.
const natsConfig = `server_name: %s
listen: %s
max_payload: 2MB
jetstream { store_dir: %q, sync_interval: always }
cluster { name: sonde, listen: %s, no_advertise: true, routes: [%s] }
`

func (c *Cluster) startNATS(ctx context.Context) error {
	name := func(i int) string { return fmt.Sprintf("nats%d", i+1) }
	routes := make([]string, natsServers)
	c.nats = make([]string, natsServers)
	for i := range natsServers {
		var err error
		if c.nats[i], err = freeAddress(ctx); err != nil {
			return err
		}
		if routes[i], err = freeAddress(ctx); err != nil {
			return err
		}
	}
	for i := range natsServers {
		var others []string
		for j := range natsServers {
			if i == j {
				continue
			}
			link, err := c.Network.Link(ctx, name(i), name(j), routes[j])
			if err != nil {
				return err
			}
			others = append(others, "nats://"+link)
		}
		file := filepath.Join(c.Dir, name(i)+".conf")
		text := fmt.Sprintf(natsConfig, name(i), c.nats[i], filepath.Join(c.Dir, name(i)), routes[i], strings.Join(others, ", "))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return err
		}
		p := newProcess(c.Dir, name(i), func() *exec.Cmd { return exec.Command(c.Options.NATS, "--config", file) })
		c.NATS = append(c.NATS, p)
		if err := p.Start(); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) startPostgres(ctx context.Context) error {
	if c.Options.Postgres != "" {
		return nil
	}
	at, err := freeAddress(ctx)
	if err != nil {
		return err
	}
	_, port, err := net.SplitHostPort(at)
	if err != nil {
		return err
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return err
	}
	dir := filepath.Join(c.Dir, "postgres")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	command, address, err := testkit.PostgresOn(dir, number)
	if err != nil {
		return err
	}
	c.Options.Postgres = address
	c.Postgres = newProcess(c.Dir, "postgres", command)
	if err := c.Postgres.Start(); err != nil {
		return err
	}
	return c.awaitPort(ctx, c.Postgres, at)
}

func (c *Cluster) startS3(ctx context.Context) error {
	if c.Bucket.Endpoint != "" {
		return nil
	}
	at, err := freeAddress(ctx)
	if err != nil {
		return err
	}
	c.Bucket = testkit.S3Server{
		Endpoint: "http://" + at, Region: "us-east-1", Bucket: "sonde", AccessKey: "access", SecretKey: rand.Text(),
		Dir: filepath.Join(c.Dir, "s3", "sonde"),
	}
	sidecar := filepath.Join(c.Dir, "notes-of-s3")
	for _, dir := range []string{c.Bucket.Dir, sidecar} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	c.S3 = newProcess(c.Dir, "s3server", func() *exec.Cmd { return c.Bucket.Command(c.Options.S3, sidecar) })
	if err := c.S3.Start(); err != nil {
		return err
	}
	return c.awaitPort(ctx, c.S3, at)
}

func (c *Cluster) startShards(ctx context.Context) (err error) {
	if c.engines = c.Engines; len(c.engines) > 0 {
		return nil
	}
	dirs := []string{filepath.Join(c.Dir, "engine1"), filepath.Join(c.Dir, "engine2")}
	if c.OneShard {
		dirs = dirs[:1]
	}
	c.Shards, err = testkit.StartShards(ctx, engine.Config{Library: c.Library, Executable: c.Binary, MemoryBytes: 1400 << 20}, dirs...)
	for _, e := range c.Shards {
		u := url.URL{Scheme: "clickhouse", User: url.UserPassword(e.User(), e.Password()), Host: e.Addr()}
		c.engines = append(c.engines, u.String())
	}
	return err
}

// awaitPort waits until a server takes connections.
func (c *Cluster) awaitPort(ctx context.Context, p *Process, address string) error {
	var dialer net.Dialer
	for deadline := time.Now().Add(readyWithin); ; {
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err == nil {
			return conn.Close()
		}
		if p.PID() == 0 || time.Now().After(deadline) {
			return fmt.Errorf("%s does not listen: %w\n%s", p.Name, err, p.Said())
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}
