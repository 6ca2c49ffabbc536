package sqlstore

import (
	"context"
	"crypto/rand"

	"github.com/sondehq/sonde/internal/metastore"
)

// Secret implements metastore.Store. Of several nodes that ask at once the first insert stays.
func (s *Store) Secret(ctx context.Context, name string) ([]byte, error) {
	if err := metastore.CheckID("secret name", name); err != nil {
		return nil, err
	}
	fresh := make([]byte, metastore.SecretBytes)
	_, _ = rand.Read(fresh) // never fails
	_, err := s.db.ExecContext(ctx, `INSERT INTO secrets (name, secret) VALUES ($1, $2) ON CONFLICT DO NOTHING`, name, fresh)
	if err != nil {
		return nil, translate("make secret", err)
	}
	var secret []byte
	err = s.db.QueryRowContext(ctx, `SELECT secret FROM secrets WHERE name = $1`, name).Scan(&secret)
	return secret, translate("read secret", err)
}
