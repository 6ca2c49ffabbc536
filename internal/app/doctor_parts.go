package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/blob/s3blob"
	"github.com/sondehq/sonde/internal/engine"
	"github.com/sondehq/sonde/internal/eventlog/natslog"
	"github.com/sondehq/sonde/internal/metastore/sqlstore"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

// maxOffset is how far clocks may be apart.
const maxOffset = 2 * time.Second

// clock is about the clock of a server elsewhere, read since began.
func (e *examination) clock(of string, at, began time.Time) {
	if at.IsZero() {
		return
	}
	var t *trouble
	if off := offset(at, began, time.Now()); off.Abs() > maxOffset {
		ahead := "ahead of"
		if off < 0 {
			ahead = "behind"
		}
		t = &trouble{fmt.Sprintf("its clock is %s %s ours", off.Abs().Round(time.Second), ahead), "times of acceptance, leases, tickets and signatures rest on clocks that agree", "mend time synchronization on the machine that is off: `timedatectl`, `chronyc tracking`"}
	}
	e.note("clock", "clock of "+of, t)
}

func (e *examination) engine(ctx context.Context) {
	if !e.NeedsStore() {
		return
	}
	if e.ownEngine() {
		found, err := e.findEngine()
		if err == nil && found.Library != "" {
			err = engine.CheckLibrary(found.Library)
		}
		e.note("engine", strings.TrimSpace("engine "+found.Binary+found.Library), failed(err, "without an engine nothing can be stored or read", "run `make engine`, put the library of this release beside the program, or name a ClickHouse server with --engine-address"))
		return
	}
	for i, address := range e.Engine.Address {
		e.clickhouse(ctx, fmt.Sprintf("trace store %d", i+1), address.Reveal())
	}
}

func (e *examination) clickhouse(ctx context.Context, about, address string) {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	began := time.Now()
	server, err := chstore.Inspect(ctx, address, e.Engine.Cluster)
	e.note("clickhouse", about+" answers", failed(err, "nothing can be stored or read", "see whether the server runs and takes this user and password; --engine-address is clickhouse://user:password@host:9000/database"))
	if err != nil {
		return
	}
	var t *trouble
	if chstore.TooOld(server.Version) {
		t = &trouble{"it has version " + server.Version + ", " + chstore.NeedsVersion + " is the least", "statements and indexes that it does not know fail", "upgrade ClickHouse"}
	}
	e.note("clickhouse-version", "version of "+about, t)
	if e.Engine.Cluster != "" {
		t = nil
		if server.ClusterNodes == 0 {
			t = &trouble{fmt.Sprintf("it knows no cluster %q", e.Engine.Cluster), "tables over all shards cannot be made", "add it to remote_servers of every server, or correct --engine-cluster (`SELECT DISTINCT cluster FROM system.clusters` lists them)"}
		}
		e.note("clickhouse-cluster", "cluster of "+about, t)
	}
	t = nil
	if server.DiskFree < server.DiskSize/20 {
		t = &trouble{fmt.Sprintf("%d of %d MiB are free", server.DiskFree>>20, server.DiskSize>>20), "inserts fail when it is full; data then waits in the log", "make room on that server, or shorten retention"}
	}
	e.note("clickhouse-disk", "disk of "+about, t)
	e.clock(about, server.Clock, began)
}

func (e *examination) metadata(ctx context.Context) {
	address := e.Metadata.URL.Reveal()
	if address == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	began := time.Now()
	server, err := sqlstore.InspectPostgres(ctx, address)
	e.note("postgres", "metadata in PostgreSQL", failed(err, "without metadata no key can be checked: everything is answered with 503", "see whether the server runs and takes this user, password and database; --metadata-url is postgres://user:password@host/database"))
	if err != nil {
		return
	}
	var t *trouble
	if server.Version < sqlstore.NeedsVersion {
		t = &trouble{fmt.Sprintf("it has version %d, %d is the least", server.Version/10000, sqlstore.NeedsVersion/10000), "migrations may use what it does not know", "upgrade PostgreSQL"}
	}
	e.note("postgres-version", "version of PostgreSQL", t)
	t = nil
	if server.ReadOnly {
		t = &trouble{"it is read-only: a standby, or set so", "keys, prompts and everything else cannot be written, and migrations fail", "name the primary in --metadata-url; with several hosts add target_session_attrs=read-write"}
	}
	e.note("postgres-read-only", "PostgreSQL takes writes", t)
	t = nil
	if free := server.MaxConnections - server.Connections; free < sqlstore.NeedsConnections && !e.running {
		t = &trouble{fmt.Sprintf("%d of its %d connections are free, a node uses up to %d", max(0, free), server.MaxConnections, sqlstore.NeedsConnections), "requests wait for a connection, or are answered with 503", "raise max_connections, or end what holds them (`SELECT * FROM pg_stat_activity`)"}
	}
	e.note("postgres-connections", "connections of PostgreSQL", t)
	e.clock("PostgreSQL", server.Clock, began)
}

func (e *examination) eventlog(ctx context.Context) {
	address := e.Eventlog.Address.Reveal()
	if address == "" || !e.NeedsLog() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	began := time.Now()
	cluster, err := natslog.Inspect(ctx, natslog.Config{URL: address, Replicas: e.Eventlog.Replicas})
	e.note("nats", "ingest log on NATS", failed(err, "nothing can be acknowledged", "see whether a majority of the servers runs, with `jetstream` in their configuration, and takes these credentials; --eventlog-address is nats://host:4222,…"))
	if err != nil {
		return
	}
	var t *trouble
	if cluster.Servers < e.Eventlog.Replicas {
		t = &trouble{fmt.Sprintf("%d copies are asked for, %d servers are known", e.Eventlog.Replicas, cluster.Servers), "partitions cannot be created, or are lost with one server", "start more servers, or lower --eventlog-replicas"}
	}
	e.note("nats-servers", "servers of NATS", t)
	t = nil
	if len(cluster.Partitions) > 0 {
		t = &trouble{strings.Join(cluster.Partitions, "; "), "the next server that is lost stops ingest, or has stopped it", "bring the servers back; `nats stream report` shows who is away. Start the server with the replicas that you want: it changes partitions that have fewer"}
	}
	e.note("nats-partitions", "partitions of the log", t)
	e.clock("NATS", cluster.Clock, began)
}

func (e *examination) blobs(ctx context.Context) {
	c := e.BlobS3
	if c.Bucket == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	store, err := s3blob.New(s3blob.Config{
		Endpoint: c.Endpoint, Region: c.Region, Bucket: c.Bucket, Prefix: c.Prefix, Suffix: "~", AccessKey: c.AccessKey, SecretKey: c.SecretKey.Reveal(), PathStyle: c.PathStyle,
	})
	if err == nil {
		err = store.Check(ctx)
		store.Close()
	}
	e.note("s3", "bucket "+c.Bucket, failed(err, "media and spans above 1 MiB cannot be kept", "see the address, the bucket's name, the keys and what they may do; a clock that is off makes every signature wrong"))
	if c.Endpoint != "" {
		e.dateOf(ctx, "the S3 server", c.Endpoint)
	}
}

// dateOf reads the clock of a server from its answers, whatever they say.
func (e *examination) dateOf(ctx context.Context, of, address string) {
	began := time.Now()
	_, date, err := knock(ctx, address)
	if err != nil {
		return // what is wrong with it is told elsewhere
	}
	if at, err := http.ParseTime(date); err == nil {
		e.clock(of, at.Add(time.Second/2), began) // it has whole seconds
	}
}

// knock asks for a page and tells how it was answered, and when by the server's clock.
func knock(ctx context.Context, address string) (status, date string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return "", "", err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: lookWithin}
	answer, err := client.Do(request)
	if err != nil {
		return "", "", err
	}
	return answer.Status, answer.Header.Get("Date"), answer.Body.Close()
}

// answersWell fails unless a page is answered by 200.
func answersWell(ctx context.Context, address string) error {
	status, _, err := knock(ctx, address)
	if err == nil && !strings.HasPrefix(status, "200") {
		err = fmt.Errorf("%s answers %s", address, status)
	}
	return err
}

// others are servers that the program does without until it needs them.
func (e *examination) others(ctx context.Context) {
	if issuer := e.OIDC.Issuer; issuer != "" {
		discovery := strings.TrimSuffix(issuer, "/") + "/.well-known/openid-configuration"
		e.note("oidc", "sign-in provider "+issuer, failed(answersWell(ctx, discovery), "people cannot sign in through it", "see --oidc-issuer: it must be spelled as the provider does, and be reached from here"))
		e.dateOf(ctx, "the sign-in provider", discovery)
	}
	if address := e.SMTP.Address; address != "" {
		e.note("smtp", "SMTP server "+address, failed(reach(ctx, address), "email of alerts is not delivered", "see --smtp-address and firewalls"))
	}
	if endpoint := e.SelfTrace.Endpoint; endpoint != "" && !e.running {
		u, err := url.Parse(endpoint)
		if err == nil && loopbackOf(u.Host) != loopbackOf(e.GRPCListen) { // it would be this server
			err = reach(ctx, u.Host)
		}
		e.note("self-trace", "receiver of traces "+endpoint, failed(err, "traces of this server are dropped", "see --self-trace-endpoint"))
	}
}

func reach(ctx context.Context, address string) error {
	var dialer net.Dialer
	ctx, cancel := context.WithTimeout(ctx, lookWithin/2)
	defer cancel()
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return errors.New("it does not answer: " + err.Error())
	}
	return conn.Close()
}
