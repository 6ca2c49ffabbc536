package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// CreateInvitation implements metastore.Invitations. It also forgets those that have expired.
func (s *Store) CreateInvitation(ctx context.Context, i model.Invitation) error {
	if err := metastore.CheckInvitation(i); err != nil {
		return err
	}
	return s.inTransaction(ctx, "create invitation", func(tx *sql.Tx) error {
		organization, made := i.Organization.ID, i.CreatedAt.UnixMicro()
		if _, err := tx.ExecContext(ctx, `DELETE FROM invitations WHERE organization_id = $1 AND expires_at <= $2`, organization, made); err != nil {
			return err
		}
		var count int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM invitations WHERE organization_id = $1`, organization).Scan(&count); err != nil {
			return err
		}
		if count >= metastore.MaxInvitations {
			return metastore.TooMany(metastore.MaxInvitations, "open invitations of an organization")
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO invitations (id, organization_id, email, role, invited_by, token_hash, created_at, expires_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
			i.ID, organization, i.Email, string(i.Role), i.InvitedBy.ID, i.TokenHash, made, i.ExpiresAt.UnixMicro())
		return err
	})
}

const selectInvitations = `
	SELECT i.id, i.email, i.role, i.created_at, i.expires_at, o.id, o.name, u.id, u.email, u.name
	FROM invitations i JOIN organizations o ON o.id = i.organization_id JOIN users u ON u.id = i.invited_by`

// Invitation implements metastore.Invitations.
func (s *Store) Invitation(ctx context.Context, tokenHash []byte) (model.Invitation, error) {
	if err := metastore.CheckHash(tokenHash); err != nil {
		return model.Invitation{}, err
	}
	i, err := scanInvitation(s.db.QueryRowContext(ctx, selectInvitations+` WHERE i.token_hash = $1`, tokenHash))
	return i, translate("read invitation", err)
}

// Invitations implements metastore.Invitations.
func (s *Store) Invitations(ctx context.Context, organizationID string, after time.Time) ([]model.Invitation, error) {
	if err := metastore.CheckID("organization id", organizationID); err != nil {
		return nil, err
	}
	return listed(ctx, s.db, "read invitations", scanInvitation,
		selectInvitations+` WHERE i.organization_id = $1 AND i.expires_at > $2 ORDER BY i.created_at DESC, i.id LIMIT $3`,
		organizationID, after.UnixMicro(), metastore.MaxInvitations)
}

func scanInvitation(row scanner) (i model.Invitation, err error) {
	var (
		role             string
		created, expires int64
		o, by            = &i.Organization, &i.InvitedBy
	)
	err = row.Scan(&i.ID, &i.Email, &role, &created, &expires, &o.ID, &o.Name, &by.ID, &by.Email, &by.Name)
	i.Role, i.CreatedAt, i.ExpiresAt = model.Role(role), time.UnixMicro(created).UTC(), time.UnixMicro(expires).UTC()
	return i, err
}

// DeleteInvitation implements metastore.Invitations.
func (s *Store) DeleteInvitation(ctx context.Context, organizationID, id string) error {
	if err := metastore.CheckID("organization id", organizationID); err != nil {
		return err
	}
	if err := metastore.CheckID("invitation id", id); err != nil {
		return err
	}
	done, err := s.db.ExecContext(ctx, `DELETE FROM invitations WHERE organization_id = $1 AND id = $2`, organizationID, id)
	return affected("delete invitation", done, err)
}

// AcceptInvitation implements metastore.Invitations.
func (s *Store) AcceptInvitation(ctx context.Context, tokenHash []byte, at time.Time, user model.User, create bool) error {
	if err := metastore.CheckHash(tokenHash); err != nil {
		return err
	}
	if err := checkAccepting(user, create); err != nil {
		return err
	}
	return s.inTransaction(ctx, "accept invitation", func(tx *sql.Tx) error {
		var organization, role string
		row := tx.QueryRowContext(ctx, `DELETE FROM invitations WHERE token_hash = $1 AND expires_at > $2 RETURNING organization_id, role`,
			tokenHash, at.UnixMicro())
		if err := row.Scan(&organization, &role); err != nil {
			return err
		}
		if create {
			if err := insertUser(ctx, tx, user); err != nil {
				return err
			}
		}
		return insertMember(ctx, tx, organization, user.ID, model.Role(role))
	})
}

func checkAccepting(user model.User, create bool) error {
	if create {
		return metastore.CheckUser(user)
	}
	return metastore.CheckID("user id", user.ID)
}
