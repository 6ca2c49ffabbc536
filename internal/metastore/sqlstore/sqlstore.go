// Package sqlstore keeps metadata in SQLite or PostgreSQL.
//
// Both databases are asked with the same SQL text; they differ only in how they are opened
// and in how their errors are read.
package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// Store is a metastore.Store on a relational database. It is safe for concurrent use.
type Store struct {
	db *sql.DB
}

var _ metastore.Store = (*Store)(nil)

// Close waits for running statements and ends all connections.
func (s *Store) Close() error { return s.db.Close() }

// Ping implements metastore.Store. It reads a table because a database that answers
// without its tables is of no use.
func (s *Store) Ping(ctx context.Context) error {
	var rows int
	err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM planting`).Scan(&rows)
	return translate("ping metadata database", err)
}

// Plant implements metastore.Store.
func (s *Store) Plant(ctx context.Context, seed metastore.Seed) (bool, error) {
	seed, err := seed.Linked()
	if err != nil {
		return false, err
	}
	// Read committed, whatever the server's default: a node that waited for the lock must
	// see what the node before it has planted.
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return false, translate("begin planting", err)
	}
	defer tx.Rollback() // does nothing after a commit

	planted, err := plant(ctx, tx, seed)
	if err != nil || !planted {
		return false, translate("plant", err)
	}
	if err := tx.Commit(); err != nil {
		return false, translate("commit planting", err)
	}
	return true, nil
}

func plant(ctx context.Context, tx *sql.Tx, seed metastore.Seed) (bool, error) {
	if _, err := tx.ExecContext(ctx, `UPDATE planting SET attempts = attempts + 1`); err != nil {
		return false, err
	}
	var exists bool
	err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM organizations)`).Scan(&exists)
	if err != nil || exists {
		return false, err
	}
	_, err = tx.ExecContext(ctx,
		`INSERT INTO organizations (id, name, created_at) VALUES ($1, $2, $3)`,
		seed.Organization.ID, seed.Organization.Name, time.Now().UnixMicro())
	if err != nil {
		return false, err
	}
	if err := insertProject(ctx, tx, seed.Project); err != nil {
		return false, err
	}
	return true, insertKey(ctx, tx, seed.Key)
}

// CreateProject implements metastore.Store.
func (s *Store) CreateProject(ctx context.Context, project model.Project) error {
	if err := metastore.CheckProject(project); err != nil {
		return err
	}
	return translate("create project", insertProject(ctx, s.db, project))
}

// CreateKey implements metastore.Store.
func (s *Store) CreateKey(ctx context.Context, key model.Key) error {
	if err := metastore.CheckKey(key); err != nil {
		return err
	}
	return translate("create key", insertKey(ctx, s.db, key))
}

// KeyByPublic implements metastore.Store.
func (s *Store) KeyByPublic(ctx context.Context, publicKey string) (model.Key, error) {
	if err := metastore.CheckID("public key", publicKey); err != nil {
		return model.Key{}, err
	}
	var (
		key     model.Key
		created int64
		revoked sql.NullInt64
	)
	err := s.db.QueryRowContext(ctx, `
		SELECT k.id, k.public_key, k.secret_hash, k.salt, k.display, k.created_at, k.revoked_at,
		       p.id, p.name, o.id, o.name
		FROM api_keys k
		JOIN projects p ON p.id = k.project_id
		JOIN organizations o ON o.id = p.organization_id
		WHERE k.public_key = $1`, publicKey).
		Scan(&key.ID, &key.PublicKey, &key.SecretHash, &key.Salt, &key.Display, &created, &revoked,
			&key.Project.ID, &key.Project.Name, &key.Project.Organization.ID, &key.Project.Organization.Name)
	if err != nil {
		return model.Key{}, translate("read key", err)
	}
	key.CreatedAt = time.UnixMicro(created).UTC()
	if revoked.Valid {
		key.RevokedAt = time.UnixMicro(revoked.Int64).UTC()
	}
	return key, nil
}

// RevokeKey implements metastore.Store.
func (s *Store) RevokeKey(ctx context.Context, keyID string, at time.Time) error {
	if err := metastore.CheckRevocation(keyID, at); err != nil {
		return err
	}
	done, err := s.db.ExecContext(ctx,
		`UPDATE api_keys SET revoked_at = COALESCE(revoked_at, $2) WHERE id = $1`,
		keyID, at.UnixMicro())
	if err != nil {
		return translate("revoke key", err)
	}
	rows, err := done.RowsAffected()
	if err == nil && rows == 0 {
		return fmt.Errorf("revoke key: %w", metastore.ErrNotFound)
	}
	return translate("revoke key", err)
}

// execer is a database or a transaction.
type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

func insertProject(ctx context.Context, on execer, project model.Project) error {
	_, err := on.ExecContext(ctx,
		`INSERT INTO projects (id, organization_id, name, created_at) VALUES ($1, $2, $3, $4)`,
		project.ID, project.Organization.ID, project.Name, time.Now().UnixMicro())
	return err
}

func insertKey(ctx context.Context, on execer, key model.Key) error {
	revoked := sql.NullInt64{Int64: key.RevokedAt.UnixMicro(), Valid: !key.RevokedAt.IsZero()}
	_, err := on.ExecContext(ctx, `
		INSERT INTO api_keys (id, project_id, public_key, secret_hash, salt, display, created_at, revoked_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		key.ID, key.Project.ID, key.PublicKey, key.SecretHash, key.Salt, key.Display,
		key.CreatedAt.UnixMicro(), revoked)
	return err
}
