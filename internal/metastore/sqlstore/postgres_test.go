package sqlstore

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3/lock"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/testkit"
)

func openPostgres(t *testing.T, address string) *Store {
	t.Helper()
	store, err := OpenPostgres(t.Context(), address)
	if err != nil {
		t.Fatalf("OpenPostgres: %v", err)
	}
	return closed(t, store)
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	migrated := migratedPostgres(t)
	metastoretest.Run(t, func(t *testing.T) metastore.Store {
		return openPostgres(t, testkit.PostgresCopy(t, migrated))
	})
}

// migratedPostgres is a database for copies: as after the first start of a node, and used by nobody.
func migratedPostgres(t *testing.T) string {
	t.Helper()
	address := testkit.Postgres(t)
	store, err := OpenPostgres(t.Context(), address)
	if err == nil {
		err = store.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return address
}

func TestPostgresWhoseDefaultIsSerializable(t *testing.T) {
	t.Parallel()
	migrated := migratedPostgres(t)
	metastoretest.Run(t, func(t *testing.T) metastore.Store {
		address, err := url.Parse(testkit.PostgresCopy(t, migrated))
		if err != nil {
			t.Fatal(err)
		}
		query := address.Query()
		query.Set("default_transaction_isolation", "serializable")
		address.RawQuery = query.Encode()
		return openPostgres(t, address.String())
	})
}

func TestPostgresNodesStartAtOnce(t *testing.T) {
	t.Parallel()
	const nodes = 4
	address := testkit.Postgres(t)
	var (
		group   sync.WaitGroup
		stores  [nodes]*Store
		planted [nodes]bool
		errs    [nodes]error
	)
	for i := range nodes {
		group.Go(func() {
			if stores[i], errs[i] = OpenPostgres(t.Context(), address); errs[i] == nil {
				planted[i], errs[i] = stores[i].Plant(t.Context(), metastoretest.Seed("seed"))
			}
		})
	}
	group.Wait()
	count := 0
	for i, store := range stores {
		if errs[i] != nil {
			t.Errorf("node %d: %v", i, errs[i])
		}
		if store == nil {
			continue
		}
		closed(t, store)
		if planted[i] {
			count++
		}
		if _, err := store.KeyByPublic(t.Context(), "pk-lf-seed"); err != nil {
			t.Errorf("node %d does not see the key: %v", i, err)
		}
	}
	if count != 1 {
		t.Errorf("%d nodes planted, want 1", count)
	}
}

func TestPostgresNodeWaitsForTheMigrationOfAnother(t *testing.T) {
	t.Parallel()
	address := testkit.Postgres(t)
	other, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close(context.WithoutCancel(t.Context())) }()
	if _, err := other.Exec(t.Context(), "SELECT pg_advisory_lock($1)", lock.DefaultLockID); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := OpenPostgres(ctx, address); !fault.Is(err, fault.Unavailable) {
		t.Errorf("OpenPostgres beside a migrating node = %v, want fault.Unavailable", err)
	}
	var migrated bool
	query := "SELECT EXISTS (SELECT 1 FROM pg_tables WHERE tablename = 'projects')"
	if err := other.QueryRow(t.Context(), query).Scan(&migrated); err != nil || migrated {
		t.Errorf("migrated = %v, %v without the lock", migrated, err)
	}
	if err := other.Close(t.Context()); err != nil { // as a node that dies
		t.Fatal(err)
	}
	openPostgres(t, address)
}

func TestPostgresUnreachable(t *testing.T) {
	t.Parallel()
	through := newProxy(t, testkit.Postgres(t))
	store := openPostgres(t, through.address)
	if err := store.Ping(t.Context()); err != nil {
		t.Fatalf("Ping: %v", err)
	}

	through.cut()
	if err := store.Ping(t.Context()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("Ping during an outage = %v, want fault.Unavailable", err)
	}
	if _, err := store.Plant(t.Context(), metastoretest.Seed("late")); !fault.Is(err, fault.Unavailable) {
		t.Errorf("Plant during an outage = %v, want fault.Unavailable", err)
	}
	if _, err := OpenPostgres(t.Context(), through.address); !fault.Is(err, fault.Unavailable) {
		t.Errorf("OpenPostgres during an outage = %v, want fault.Unavailable", err)
	}

	through.listen(t, false)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := store.KeyByPublic(ctx, "pk-lf-any")
	if !fault.Is(err, fault.Unavailable) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("KeyByPublic from a database that hangs = %v, want fault.Unavailable", err)
	}
	through.cut()

	through.listen(t, true)
	if err := store.Ping(t.Context()); err != nil {
		t.Errorf("Ping after an outage: %v", err)
	}
}

func TestPostgresRefusesABadAddressWithoutItsPassword(t *testing.T) {
	t.Parallel()
	_, err := OpenPostgres(t.Context(), "postgres://user:hunter2@host:notaport/db")
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("OpenPostgres = %v", err)
	}
}

// proxy stands between a store and PostgreSQL on a loopback port and can break down.
type proxy struct {
	address  string // to connect through the proxy
	port     string
	network  string // of the server
	server   string
	listener net.Listener

	accepting, copying sync.WaitGroup

	mu   sync.Mutex
	open []net.Conn
}

func newProxy(t *testing.T, address string) *proxy {
	t.Helper()
	config, err := pgx.ParseConfig(address)
	if err != nil {
		t.Fatal(err)
	}
	through, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{port: "127.0.0.1:0"}
	p.network, p.server = pgconn.NetworkAddress(config.Host, config.Port)
	p.listen(t, true)
	t.Cleanup(p.cut)
	p.port = p.listener.Addr().String()
	query := through.Query()
	query.Del("host")
	query.Del("port")
	through.Host, through.RawQuery = p.port, query.Encode()
	p.address = through.String()
	return p
}

// listen accepts connections again, and passes them on or lets them hang.
func (p *proxy) listen(t *testing.T, pass bool) {
	t.Helper()
	listener, err := net.Listen("tcp", p.port)
	if err != nil {
		t.Fatal(err)
	}
	p.listener = listener
	p.accepting.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // cut
			}
			p.keep(client)
			if pass {
				p.pass(client)
			}
		}
	})
}

func (p *proxy) pass(client net.Conn) {
	server, err := net.DialTimeout(p.network, p.server, 10*time.Second)
	if err != nil {
		_ = client.Close()
		return
	}
	p.keep(server)
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		p.copying.Go(func() {
			_, _ = io.Copy(way[0], way[1])
			_ = way[0].Close()
		})
	}
}

func (p *proxy) keep(connection net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = append(p.open, connection)
}

// cut ends all connections and takes no new ones.
func (p *proxy) cut() {
	_ = p.listener.Close()
	p.accepting.Wait()
	p.mu.Lock()
	for _, connection := range p.open {
		_ = connection.Close()
	}
	p.open = nil
	p.mu.Unlock()
	p.copying.Wait()
}
