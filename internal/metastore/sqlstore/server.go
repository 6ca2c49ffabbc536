package sqlstore

import (
	"context"
	"errors"
	"time"
)

// Server is what a PostgreSQL server says of itself.
type Server struct {
	Version  int // such as 150004
	Clock    time.Time
	ReadOnly bool // a standby, or set so
	// Connections that one may have at all, those of superusers left out, and that are there now.
	MaxConnections, Connections int
}

// What a server must have for one node: the version that we test with, and connections.
const (
	NeedsVersion     = 150000
	NeedsConnections = postgresConnections
)

// InspectPostgres asks a server without changing anything.
func InspectPostgres(ctx context.Context, address string) (s Server, err error) {
	d, err := connectPostgres(address)
	if err != nil {
		return s, err
	}
	d.SetMaxOpenConns(1)
	err = d.QueryRowContext(ctx, `SELECT current_setting('server_version_num')::int, clock_timestamp(),
		pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on',
		current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
		(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')`).
		Scan(&s.Version, &s.Clock, &s.ReadOnly, &s.MaxConnections, &s.Connections)
	return s, errors.Join(translate("ask the metadata database about itself", err), d.Close())
}
