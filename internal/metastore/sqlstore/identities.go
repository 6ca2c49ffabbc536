package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
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

// CreateInvited implements metastore.Identities.
func (s *Store) CreateInvited(ctx context.Context, user model.User, at time.Time) (invited bool, err error) {
	if err := metastore.CheckUser(user); err != nil {
		return false, err
	}
	err = s.inTransaction(ctx, "create invited user", func(tx *sql.Tx) error {
		places, err := useInvitations(ctx, tx, metastore.Address(user.Email), at)
		if err != nil || len(places) == 0 {
			return err
		}
		if err := insertUser(ctx, tx, user); err != nil {
			return err
		}
		for _, p := range places {
			if err := insertMember(ctx, tx, p.organization, user.ID, model.Role(p.role)); err != nil {
				return err
			}
		}
		invited = true
		return nil
	})
	return invited && err == nil, err
}

// place is what an invitation offers.
type place struct {
	organization, role string
	made               int64
}

// useInvitations deletes the open invitations for an address and returns what they offered, the newest first.
func useInvitations(ctx context.Context, tx *sql.Tx, address string, at time.Time) ([]place, error) {
	rows, err := tx.QueryContext(ctx, `
		DELETE FROM invitations WHERE lower(email) = $1 AND expires_at > $2 RETURNING organization_id, role, created_at`, address, at.UnixMicro())
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var places []place
	for rows.Next() {
		var p place
		if err := rows.Scan(&p.organization, &p.role, &p.made); err != nil {
			return nil, err
		}
		places = append(places, p)
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(b.made, a.made) })
	return places, rows.Err()
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
