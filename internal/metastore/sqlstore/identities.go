package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// LinkIdentity implements metastore.Identities. Of several at once the first insert stays, and the others
// are told by what they find then.
func (s *Store) LinkIdentity(ctx context.Context, identity model.Identity) error {
	if err := cmp.Or(metastore.CheckIdentity(identity.Issuer, identity.Subject), metastore.CheckID("user id", identity.UserID)); err != nil {
		return err
	}
	if identity.CreatedAt.IsZero() {
		identity.CreatedAt = time.Now()
	}
	return s.inTransaction(ctx, "link identity", func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO identities (issuer, subject, user_id, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
			identity.Issuer, identity.Subject, identity.UserID, identity.CreatedAt.UnixMicro()); err != nil {
			return err
		}
		var linked bool
		if err := tx.QueryRowContext(ctx, `
			SELECT EXISTS (SELECT 1 FROM identities WHERE issuer = $1 AND subject = $2 AND user_id = $3)`,
			identity.Issuer, identity.Subject, identity.UserID).Scan(&linked); err != nil {
			return err
		}
		if !linked {
			return metastore.ErrExists
		}
		return nil
	})
}

// UserByIdentity implements metastore.Identities.
func (s *Store) UserByIdentity(ctx context.Context, issuer, subject string) (model.User, error) {
	if err := metastore.CheckIdentity(issuer, subject); err != nil {
		return model.User{}, err
	}
	u, err := scanUser(s.db.QueryRowContext(ctx, selectUsers+`
		WHERE id = (SELECT user_id FROM identities WHERE issuer = $1 AND subject = $2)`, issuer, subject))
	return u, translate("read user by identity", err)
}

// UnlinkIdentities implements metastore.Identities.
func (s *Store) UnlinkIdentities(ctx context.Context, userID string) (int, error) {
	if err := metastore.CheckID("user id", userID); err != nil {
		return 0, err
	}
	done, err := s.db.ExecContext(ctx, `DELETE FROM identities WHERE user_id = $1`, userID)
	if err != nil {
		return 0, translate("unlink identities", err)
	}
	rows, err := done.RowsAffected()
	return int(rows), translate("unlink identities", err)
}
