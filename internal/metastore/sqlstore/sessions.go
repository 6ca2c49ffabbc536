package sqlstore

import (
	"context"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// CreateSession implements metastore.Sessions.
func (s *Store) CreateSession(ctx context.Context, session model.Session) error {
	if err := metastore.CheckSession(session); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, `INSERT INTO sessions (token_hash, user_id, created_at, seen_at) VALUES ($1, $2, $3, $4)`,
		session.TokenHash, session.User.ID, session.CreatedAt.UnixMicro(), session.SeenAt.UnixMicro())
	return translate("create session", err)
}

// Session implements metastore.Sessions.
func (s *Store) Session(ctx context.Context, tokenHash []byte) (found model.Session, err error) {
	if err := metastore.CheckHash(tokenHash); err != nil {
		return model.Session{}, err
	}
	var created, seen int64
	row := s.db.QueryRowContext(ctx, `
		SELECT s.token_hash, s.created_at, s.seen_at, `+userColumns+`
		FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.token_hash = $1`, tokenHash)
	found.User, err = scanUser(behind{row, []any{&found.TokenHash, &created, &seen}})
	if err != nil {
		return model.Session{}, translate("read session", err)
	}
	found.CreatedAt, found.SeenAt = time.UnixMicro(created).UTC(), time.UnixMicro(seen).UTC()
	return found, nil
}

// behind scans columns that stand in front of those that somebody else scans.
type behind struct {
	row   scanner
	first []any
}

func (b behind) Scan(rest ...any) error { return b.row.Scan(append(b.first, rest...)...) }

// TouchSession implements metastore.Sessions.
func (s *Store) TouchSession(ctx context.Context, tokenHash []byte, at time.Time) error {
	_, err := s.db.ExecContext(ctx, `UPDATE sessions SET seen_at = $2 WHERE token_hash = $1 AND seen_at <= $3`,
		tokenHash, at.UnixMicro(), at.Add(-metastore.SeenWithin).UnixMicro())
	return translate("note the use of a session", err)
}

// DeleteSession implements metastore.Sessions.
func (s *Store) DeleteSession(ctx context.Context, tokenHash []byte) error {
	_, err := s.db.ExecContext(ctx, `DELETE FROM sessions WHERE token_hash = $1`, tokenHash)
	return translate("delete session", err)
}

// DeleteSessionsOf implements metastore.Sessions.
func (s *Store) DeleteSessionsOf(ctx context.Context, userID string) error {
	if err := metastore.CheckID("user id", userID); err != nil {
		return err
	}
	return translate("delete sessions", deleteSessionsOf(ctx, s.db, userID))
}

func deleteSessionsOf(ctx context.Context, on execer, userID string) error {
	_, err := on.ExecContext(ctx, `DELETE FROM sessions WHERE user_id = $1`, userID)
	return err
}

// DeleteOldSessions implements metastore.Sessions.
func (s *Store) DeleteOldSessions(ctx context.Context, createdBefore, seenBefore time.Time) error {
	_, err := s.db.ExecContext(ctx, `DELETE FROM sessions WHERE created_at < $1 OR seen_at < $2`,
		createdBefore.UnixMicro(), seenBefore.UnixMicro())
	return translate("delete old sessions", err)
}

// selectStandings reads active memberships with the projects that they open.
const selectStandings = `
	SELECT o.id, o.name, m.role, COALESCE(p.id, ''), COALESCE(p.name, ''), COALESCE(pm.role, '')
	FROM organization_members m
	JOIN organizations o ON o.id = m.organization_id
	LEFT JOIN projects p ON p.organization_id = o.id AND p.erasing_at IS NULL
	LEFT JOIN project_members pm ON pm.project_id = p.id AND pm.user_id = m.user_id
	WHERE m.user_id = $1 AND m.active`

// Standing implements metastore.Standings.
func (s *Store) Standing(ctx context.Context, userID, projectID string) (model.Standing, error) {
	if err := checkStanding(userID, projectID); err != nil {
		return model.Standing{}, err
	}
	found, err := scanStanding(s.db.QueryRowContext(ctx, selectStandings+` AND p.id = $2`, userID, projectID))
	return found, translate("read standing", err)
}

func checkStanding(userID, projectID string) error {
	if err := metastore.CheckID("user id", userID); err != nil {
		return err
	}
	return metastore.CheckID("project id", projectID)
}

// Standings implements metastore.Standings.
func (s *Store) Standings(ctx context.Context, userID string) ([]model.Standing, error) {
	if err := metastore.CheckID("user id", userID); err != nil {
		return nil, err
	}
	return listed(ctx, s.db, "read standings", scanStanding,
		selectStandings+` ORDER BY o.name, o.id, p.name, p.id LIMIT $2`, userID, metastore.MaxProjects)
}

func scanStanding(row scanner) (st model.Standing, err error) {
	var role, projectRole string
	p := &st.Project
	err = row.Scan(&p.Organization.ID, &p.Organization.Name, &role, &p.ID, &p.Name, &projectRole)
	st.OrganizationRole, st.ProjectRole = model.Role(role), model.Role(projectRole)
	return st, err
}
