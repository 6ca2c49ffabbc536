// Package cluster runs a whole Sonde cluster on one machine, as a platform team would over several: three NATS servers, two
// ClickHouse shards, PostgreSQL, an S3 server, two processes each that take, store and read, and a router in front. All of them
// are real programs in processes of their own, and every wire between them can be cut.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sondehq/sonde/internal/engine"
	"github.com/sondehq/sonde/internal/testkit"
)

// The project that the first start creates.
const (
	ProjectID = "first"
	PublicKey = "pk-lf-first"
	SecretKey = "sk-lf-first"
)

// Options say what to run. Servers that are not named are started.
type Options struct {
	Dir     string // for everything; what an earlier cluster left there is taken up
	Binary  string // sonde
	Library string // libchdb
	NATS    string // nats-server
	S3      string // S3 server

	OneShard bool     // start one, not two
	Engines  []string // ClickHouse shards to use instead, with the database in each address
	Postgres string   // PostgreSQL to use
	Bucket   testkit.S3Server

	// Previous is the binary of another release, and OnPrevious the processes that run it until Use says otherwise.
	Previous   string
	OnPrevious []string

	Flags []string // further ones of every process of Sonde
	Env   []string // further variables of theirs
}

// Cluster is everything, running.
type Cluster struct {
	Options
	URL      string // of the router, for clients
	GRPC     string // the same for OTLP over gRPC
	Network  *Network
	NATS     []*Process
	Postgres *Process // nil when it is somebody else's
	S3       *Process // nil when it is somebody else's
	Shards   []*engine.Engine
	Sonde    map[string]*Process // ingest1, ingest2, write1, write2, read1, read2
	Router   *Process

	nats    []string          // addresses of the NATS servers
	engines []string          // addresses of the shards
	listen  map[string]string // API addresses by process
	metrics map[string]string // addresses of metrics by process
	grpc    map[string]string
	client  *http.Client

	mu       sync.Mutex
	previous map[string]bool // processes that run the other release
}

// readyWithin bounds how long anything may take to get ready; the machine may be busy.
const readyWithin = 90 * time.Second

// Start brings everything up and returns when it is ready. What was started is ended when that fails.
func Start(ctx context.Context, o Options) (c *Cluster, err error) {
	c = &Cluster{
		Options: o, Network: newNetwork(), Sonde: map[string]*Process{},
		listen: map[string]string{}, metrics: map[string]string{}, grpc: map[string]string{}, previous: map[string]bool{},
		client: &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}},
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close(ctx))
		}
	}()
	for _, step := range []func(context.Context) error{c.startNATS, c.startPostgres, c.startS3, c.startShards, c.startSonde, c.startRouter} {
		if err := step(ctx); err != nil {
			return c, err
		}
	}
	return c, c.AwaitReady(ctx)
}

// Close ends everything, the router first and the stores last.
func (c *Cluster) Close(ctx context.Context) error {
	var errs []error
	stop := func(p *Process) {
		if p != nil {
			errs = append(errs, p.Stop(40*time.Second))
		}
	}
	stop(c.Router)
	errs = append(errs, c.stopSonde())
	for _, e := range c.Shards {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second) // whoever closes may have no time left
		errs = append(errs, e.Stop(ctx))
		cancel()
	}
	for _, p := range c.NATS {
		stop(p)
	}
	stop(c.S3)
	if c.Postgres != nil {
		errs = append(errs, c.Postgres.Kill()) // it waits for clients otherwise
	}
	c.Network.close()
	return errors.Join(errs...)
}

// Restart ends every process of Sonde in good order and starts it again.
func (c *Cluster) Restart(ctx context.Context) error {
	if err := c.stopSonde(); err != nil {
		return err
	}
	for _, name := range Names() {
		if err := c.Sonde[name].Start(); err != nil {
			return err
		}
	}
	return c.AwaitReady(ctx)
}

// stopSonde ends all at once: each of them waits a while for a proxy to notice.
func (c *Cluster) stopSonde() error {
	errs := make([]error, len(Names()))
	var all sync.WaitGroup
	for i, name := range Names() {
		if p := c.Sonde[name]; p != nil {
			all.Go(func() { errs[i] = p.Stop(40 * time.Second) })
		}
	}
	all.Wait()
	return errors.Join(errs...)
}

// Names are the processes of Sonde behind the router, in the order of starting.
func Names() []string { return []string{"ingest1", "ingest2", "write1", "write2", "read1", "read2"} }

// roles are what a process of the name does.
func roles(name string) []string {
	switch strings.TrimRight(name, "12") {
	case "ingest":
		return []string{"--role=ingest"}
	case "write":
		return []string{"--role=write", "--role=jobs"}
	default:
		return []string{"--role=read", "--role=ui"}
	}
}

func (c *Cluster) startSonde(ctx context.Context) error {
	for i, name := range Names() {
		command, err := c.sondeCommand(ctx, name)
		if err != nil {
			return err
		}
		p := newProcess(c.Dir, name, command)
		c.Sonde[name] = p
		if err := p.Start(); err != nil {
			return err
		}
		if i > 0 {
			continue
		}
		// The first one creates tables, streams and the project alone; the others find them.
		if err := c.await(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// sondeCommand gives the process links of its own to everything that it talks to.
func (c *Cluster) sondeCommand(ctx context.Context, name string) (func() *exec.Cmd, error) {
	flags := append([]string{"serve", "--data-dir", filepath.Join(c.Dir, name)}, roles(name)...)
	if slices.Contains(c.OnPrevious, name) {
		c.previous[name] = true
	}
	for key, to := range map[string]map[string]string{"--listen": c.listen, "--metrics-listen": c.metrics, "--grpc-listen": c.grpc} {
		address, err := freeAddress(ctx)
		if err != nil {
			return nil, err
		}
		to[name] = address
		flags = append(flags, key, address)
	}
	var servers []string
	for i, address := range c.nats {
		link, err := c.Network.Link(ctx, name, c.NATS[i].Name, address)
		if err != nil {
			return nil, err
		}
		servers = append(servers, "nats://"+link)
	}
	flags = append(flags, "--eventlog-address", strings.Join(servers, ","), "--eventlog-replicas", "3", "--drain-for", "3s",
		"--engine-cluster", engine.Cluster, "--encryption-key", strings.Repeat("5a", 32), "--stop-within", "20s")
	for i, address := range c.engines {
		linked, err := c.linked(ctx, name, fmt.Sprintf("engine%d", i+1), address)
		if err != nil {
			return nil, err
		}
		flags = append(flags, "--engine-address", linked)
	}
	database, err := c.linked(ctx, name, "postgres", c.Options.Postgres)
	if err != nil {
		return nil, err
	}
	bucket, err := c.linked(ctx, name, "s3", c.Bucket.Endpoint)
	if err != nil {
		return nil, err
	}
	flags = append(flags, "--metadata-url", database, "--blob-s3-bucket", c.Bucket.Bucket, "--blob-s3-endpoint", bucket,
		"--blob-s3-region", c.Bucket.Region, "--blob-s3-access-key", c.Bucket.AccessKey, "--blob-s3-secret-key", c.Bucket.SecretKey, "--blob-s3-path-style")
	flags = append(flags, c.Flags...)
	return func() *exec.Cmd {
		cmd := exec.Command(c.Binary, flags...)
		if c.runsPrevious(name) {
			cmd = exec.Command(c.Previous, c.knownToPrevious(flags)...)
		}
		cmd.Env = append(withoutSettings(), "SONDE_ENGINE_LIBRARY="+c.Library,
			"SONDE_INIT_PROJECT_ID="+ProjectID, "SONDE_INIT_PROJECT_PUBLIC_KEY="+PublicKey, "SONDE_INIT_PROJECT_SECRET_KEY="+SecretKey)
		cmd.Env = append(cmd.Env, c.Env...)
		return cmd
	}, nil
}

// Use has processes of Sonde run the other release, or this one again: all of them are stopped in good order, started and ready
// when it returns.
func (c *Cluster) Use(ctx context.Context, previous bool, names ...string) error {
	errs := make([]error, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() {
			p := c.Sonde[name]
			if errs[i] = p.Stop(40 * time.Second); errs[i] != nil {
				return
			}
			c.mu.Lock()
			c.previous[name] = previous
			c.mu.Unlock()
			if errs[i] = p.Start(); errs[i] == nil {
				errs[i] = c.await(ctx, name)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

func (c *Cluster) runsPrevious(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.previous[name]
}

// knownToPrevious leaves out what 0.3.0 does not know: how long to drain, and roles of their own for jobs and pages, which its
// other roles have in them.
func (c *Cluster) knownToPrevious(flags []string) (known []string) {
	help, _ := exec.Command(c.Previous, "serve", "--help").Output() // without it all flags are tried
	if strings.Contains(string(help), "--drain-for") {
		return flags
	}
	for i := 0; i < len(flags); i++ {
		switch flags[i] {
		case "--drain-for":
			i++ // and its value
		case "--role=jobs", "--role=ui":
		default:
			known = append(known, flags[i])
		}
	}
	return known
}

// linked is a URL with a link of the process in place of its host. One that is no TCP address stays.
func (c *Cluster) linked(ctx context.Context, from, to, address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Port() == "" {
		return address, err
	}
	u.Host, err = c.Network.Link(ctx, from, to, u.Host)
	return u.String(), err
}

func (c *Cluster) startRouter(ctx context.Context) error {
	address, err := freeAddress(ctx)
	if err != nil {
		return err
	}
	c.URL, c.GRPC = "http://"+address, address
	metrics, err := freeAddress(ctx)
	if err != nil {
		return err
	}
	c.metrics["router"] = metrics
	flags := []string{"router", "--listen", address, "--metrics-listen", metrics}
	for _, name := range Names() {
		link, err := c.Network.Link(ctx, "router", name, c.listen[name])
		if err != nil {
			return err
		}
		switch strings.TrimRight(name, "12") {
		case "ingest":
			remote, err := c.Network.Link(ctx, "router", name, c.grpc[name])
			if err != nil {
				return err
			}
			flags = append(flags, "--ingest", "http://"+link, "--grpc", remote)
		case "read":
			flags = append(flags, "--read", "http://"+link)
		}
	}
	c.Router = newProcess(c.Dir, "router", func() *exec.Cmd {
		cmd := exec.Command(c.Binary, flags...)
		cmd.Env = withoutSettings()
		return cmd
	})
	return c.Router.Start()
}

// AwaitReady waits until every process is.
func (c *Cluster) AwaitReady(ctx context.Context) error {
	for _, name := range Names() {
		if err := c.await(ctx, name); err != nil {
			return err
		}
	}
	return c.awaitURL(ctx, c.Router, c.URL+"/api/public/ready")
}

func (c *Cluster) await(ctx context.Context, name string) error {
	return c.awaitURL(ctx, c.Sonde[name], "http://"+c.listen[name]+"/api/public/ready")
}

func (c *Cluster) awaitURL(ctx context.Context, p *Process, address string) error {
	for deadline := time.Now().Add(readyWithin); ; {
		err := c.answers(ctx, address)
		if err == nil {
			return nil
		}
		if p.PID() == 0 || time.Now().After(deadline) || ctx.Err() != nil {
			return fmt.Errorf("%s does not get ready: %w\n%s", p.Name, err, p.Said())
		}
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (c *Cluster) answers(ctx context.Context, address string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	answer, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", answer.StatusCode)
	}
	return nil
}

// Metrics is where a process shows its own, the router included.
func (c *Cluster) Metrics(name string) string { return c.metrics[name] }

// freeAddress is one for a server that starts later. The kernel gives ports from 32768 on to whoever connects or asks for any, links
// among them, so those below are safe until then; engines take theirs from 20000 on.
func freeAddress(ctx context.Context) (address string, err error) {
	var listening net.ListenConfig
	for range 100 {
		var listener net.Listener
		address = fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(10_000))
		if listener, err = listening.Listen(ctx, "tcp", address); err == nil {
			return address, listener.Close()
		}
	}
	return "", err
}

func withoutSettings() []string {
	var kept []string
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "SONDE_") {
			kept = append(kept, variable)
		}
	}
	return kept
}
