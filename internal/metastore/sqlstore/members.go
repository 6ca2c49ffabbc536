package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// PutMember implements metastore.Members.
func (s *Store) PutMember(ctx context.Context, organizationID string, m model.Membership) error {
	if err := metastore.CheckMember(organizationID, m); err != nil {
		return err
	}
	var others int
	err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM organization_members WHERE organization_id = $1 AND user_id <> $2`,
		organizationID, m.User.ID).Scan(&others)
	if err != nil {
		return translate("count members", err)
	}
	if others >= metastore.MaxMembers {
		return metastore.TooMany(metastore.MaxMembers, "members of an organization")
	}
	_, err = s.db.ExecContext(ctx, `
		INSERT INTO organization_members (organization_id, user_id, role, active, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $5)
		ON CONFLICT (organization_id, user_id) DO UPDATE SET
			role = excluded.role, active = excluded.active, updated_at = excluded.updated_at`,
		organizationID, m.User.ID, string(m.Role), m.Active, time.Now().UnixMicro())
	return translate("put member", err)
}

// insertMember adds an active member; whoever is one already stays what it is.
func insertMember(ctx context.Context, on execer, organizationID, userID string, role model.Role) error {
	_, err := on.ExecContext(ctx, `
		INSERT INTO organization_members (organization_id, user_id, role, active, created_at, updated_at)
		VALUES ($1, $2, $3, true, $4, $4) ON CONFLICT (organization_id, user_id) DO NOTHING`,
		organizationID, userID, string(role), time.Now().UnixMicro())
	return err
}

const selectMembers = `
	SELECT u.id, u.email, u.name, u.created_at, u.updated_at, m.role, m.active
	FROM organization_members m JOIN users u ON u.id = m.user_id
	WHERE m.organization_id = $1`

// Member implements metastore.Members.
func (s *Store) Member(ctx context.Context, organizationID, userID string) (model.Membership, error) {
	if err := checkMember(organizationID, userID); err != nil {
		return model.Membership{}, err
	}
	m, err := scanMember(s.db.QueryRowContext(ctx, selectMembers+` AND u.id = $2`, organizationID, userID))
	return m, translate("read member", err)
}

func checkMember(organizationID, userID string) error {
	if err := metastore.CheckID("organization id", organizationID); err != nil {
		return err
	}
	return metastore.CheckID("userId", userID)
}

// Members implements metastore.Members.
func (s *Store) Members(ctx context.Context, q metastore.MemberQuery) ([]model.Membership, int, error) {
	if err := q.Check(); err != nil {
		return nil, 0, err
	}
	address, total := metastore.Address(q.Email), 0
	err := s.db.QueryRowContext(ctx, `
		SELECT count(*) FROM organization_members m JOIN users u ON u.id = m.user_id
		WHERE m.organization_id = $1 AND ($2 = '' OR u.address = $2)`, q.OrganizationID, address).Scan(&total)
	if err != nil {
		return nil, 0, translate("count members", err)
	}
	page, err := listed(ctx, s.db, "read members", scanMember,
		selectMembers+` AND ($2 = '' OR u.address = $2) ORDER BY u.address LIMIT $3 OFFSET $4`,
		q.OrganizationID, address, q.Limit, q.Offset)
	return page, total, err
}

func scanMember(row scanner) (m model.Membership, err error) {
	var (
		role             string
		created, updated int64
	)
	err = row.Scan(&m.User.ID, &m.User.Email, &m.User.Name, &created, &updated, &role, &m.Active)
	m.Role = model.Role(role)
	m.User.CreatedAt, m.User.UpdatedAt = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
	return m, err
}

// RemoveMember implements metastore.Members.
func (s *Store) RemoveMember(ctx context.Context, organizationID, userID string) error {
	if err := checkMember(organizationID, userID); err != nil {
		return err
	}
	const doing = "remove member"
	return s.inTransaction(ctx, doing, func(tx *sql.Tx) error {
		// The lock keeps out whoever would give the member a role in a project meanwhile.
		done, err := tx.ExecContext(ctx, `UPDATE organization_members SET role = role WHERE organization_id = $1 AND user_id = $2`, organizationID, userID)
		if err := affected(doing, done, err); err != nil {
			return err
		}
		for _, statement := range []string{
			`DELETE FROM invitations WHERE organization_id = $1 AND invited_by = $2`,
			`DELETE FROM project_members WHERE organization_id = $1 AND user_id = $2`,
			`DELETE FROM organization_members WHERE organization_id = $1 AND user_id = $2`,
		} {
			if _, err := tx.ExecContext(ctx, statement, organizationID, userID); err != nil {
				return err
			}
		}
		return nil
	})
}

// IsMember implements metastore.Members.
func (s *Store) IsMember(ctx context.Context, organizationID, userID string) (is bool, err error) {
	return s.belongs(ctx, `organization_id = $1 AND user_id = $2 AND active`, organizationID, userID)
}

// IsElsewhere implements metastore.Members.
func (s *Store) IsElsewhere(ctx context.Context, organizationID, userID string) (is bool, err error) {
	return s.belongs(ctx, `organization_id <> $1 AND user_id = $2`, organizationID, userID)
}

func (s *Store) belongs(ctx context.Context, where, organizationID, userID string) (is bool, err error) {
	if err := checkMember(organizationID, userID); err != nil {
		return false, err
	}
	err = s.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM organization_members WHERE `+where+`)`, organizationID, userID).Scan(&is)
	return is, translate("read membership", err)
}

// PutProjectMember implements metastore.Members.
func (s *Store) PutProjectMember(ctx context.Context, organizationID, projectID string, m model.Membership) error {
	if err := metastore.CheckMember(organizationID, m); err != nil {
		return err
	}
	if err := metastore.CheckID("project id", projectID); err != nil {
		return err
	}
	done, err := s.db.ExecContext(ctx, `
		INSERT INTO project_members (project_id, user_id, organization_id, role, created_at, updated_at)
		SELECT p.id, m.user_id, m.organization_id, CAST($4 AS text), CAST($5 AS bigint), CAST($5 AS bigint)
		FROM projects p JOIN organization_members m ON m.organization_id = p.organization_id
		WHERE p.id = $2 AND p.organization_id = $1 AND p.erasing_at IS NULL AND m.user_id = $3
		ON CONFLICT (project_id, user_id) DO UPDATE SET role = excluded.role, updated_at = excluded.updated_at`,
		organizationID, projectID, m.User.ID, string(m.Role), time.Now().UnixMicro())
	return affected("put project member", done, err)
}

// ProjectMembers implements metastore.Members.
func (s *Store) ProjectMembers(ctx context.Context, organizationID, projectID string) ([]model.Membership, error) {
	if err := metastore.CheckID("project id", projectID); err != nil {
		return nil, err
	}
	return listed(ctx, s.db, "read project members", scanMember, `
		SELECT u.id, u.email, u.name, u.created_at, u.updated_at, m.role, true
		FROM project_members m JOIN users u ON u.id = m.user_id
		WHERE m.project_id = $1 AND m.organization_id = $2 ORDER BY u.address LIMIT $3`, projectID, organizationID, metastore.MaxMembers)
}

// RemoveProjectMember implements metastore.Members.
func (s *Store) RemoveProjectMember(ctx context.Context, organizationID, projectID, userID string) error {
	if err := checkMember(organizationID, userID); err != nil {
		return err
	}
	if err := metastore.CheckID("project id", projectID); err != nil {
		return err
	}
	done, err := s.db.ExecContext(ctx,
		`DELETE FROM project_members WHERE project_id = $1 AND organization_id = $2 AND user_id = $3`, projectID, organizationID, userID)
	return affected("remove project member", done, err)
}
