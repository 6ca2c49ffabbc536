package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// CreateKey implements metastore.Store.
func (s *Store) CreateKey(ctx context.Context, key model.Key) error {
	if err := metastore.CheckKey(key); err != nil {
		return err
	}
	return s.inTransaction(ctx, "create key", func(tx *sql.Tx) error {
		if !key.OfOrganization() {
			// The lock makes a project that is given up meanwhile wait, or be seen.
			row := tx.QueryRowContext(ctx, `UPDATE projects SET name = name WHERE id = $1 AND erasing_at IS NULL RETURNING organization_id`, key.Project.ID)
			if err := row.Scan(&key.Project.Organization.ID); err != nil {
				return err
			}
		}
		return insertKey(ctx, tx, key)
	})
}

// insertKey adds a key whose organization is known.
func insertKey(ctx context.Context, on execer, key model.Key) error {
	organization, project := key.Project.Organization.ID, ofProject(key.Project.ID)
	var count int
	err := on.QueryRowContext(ctx, `
		SELECT count(*) FROM access_keys
		WHERE organization_id = $1 AND COALESCE(project_id, '') = $2 AND revoked_at IS NULL`,
		organization, key.Project.ID).Scan(&count)
	if err != nil {
		return err
	}
	if count >= metastore.MaxKeys {
		return metastore.TooMany(metastore.MaxKeys, "keys of a project or an organization")
	}
	_, err = on.ExecContext(ctx, `
		INSERT INTO access_keys (id, organization_id, project_id, public_key, secret_hash, salt, display, scope, name,
		                         created_at, expires_at, last_used_at, revoked_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		key.ID, organization, project, key.PublicKey, key.SecretHash, key.Salt, key.Display, string(key.Scope), key.Name,
		key.CreatedAt.UnixMicro(), micros(key.ExpiresAt), micros(key.LastUsedAt), micros(key.RevokedAt))
	return err
}

func ofProject(id string) sql.NullString { return sql.NullString{String: id, Valid: id != ""} }

const selectKeys = `
	SELECT k.id, k.public_key, k.secret_hash, k.salt, k.old_secret_hash, k.old_salt, k.old_until, k.display, k.scope, k.name, k.created_at, k.expires_at, k.last_used_at, k.revoked_at,
	       COALESCE(p.id, ''), COALESCE(p.name, ''), p.erasing_at, o.id, o.name
	FROM access_keys k
	JOIN organizations o ON o.id = k.organization_id
	LEFT JOIN projects p ON p.id = k.project_id`

// KeyByPublic implements metastore.Store.
func (s *Store) KeyByPublic(ctx context.Context, publicKey string) (model.Key, error) {
	if err := metastore.CheckID("public key", publicKey); err != nil {
		return model.Key{}, err
	}
	key, err := scanKey(s.db.QueryRowContext(ctx, selectKeys+` WHERE k.public_key = $1`, publicKey))
	if err != nil {
		return model.Key{}, translate("read key", err)
	}
	return key, nil
}

func scanKey(row scanner) (key model.Key, err error) {
	var (
		scope                           string
		created                         int64
		expires, used, revoked, erasing sql.NullInt64
		old                             sql.NullInt64
		p                               = &key.Project
	)
	err = row.Scan(&key.ID, &key.PublicKey, &key.SecretHash, &key.Salt, &key.OldHash, &key.OldSalt, &old, &key.Display, &scope, &key.Name, &created, &expires, &used, &revoked,
		&p.ID, &p.Name, &erasing, &p.Organization.ID, &p.Organization.Name)
	key.Scope, key.CreatedAt = model.Scope(scope), time.UnixMicro(created).UTC()
	key.ExpiresAt, key.LastUsedAt, key.RevokedAt, p.ErasingAt = moment(expires), moment(used), moment(revoked), moment(erasing)
	key.OldUntil = moment(old)
	return key, err
}

// KeysOf implements metastore.Keys.
func (s *Store) KeysOf(ctx context.Context, organizationID, projectID string) ([]model.Key, error) {
	if err := metastore.CheckKeys(organizationID, projectID); err != nil {
		return nil, err
	}
	keys, err := listed(ctx, s.db, "read keys", scanKey, selectKeys+`
		WHERE k.organization_id = $1 AND COALESCE(k.project_id, '') = $2 AND k.revoked_at IS NULL
		ORDER BY k.created_at, k.id LIMIT $3`, organizationID, projectID, metastore.MaxKeys)
	for i := range keys {
		keys[i] = withoutSecrets(keys[i])
	}
	return keys, err
}

func withoutSecrets(key model.Key) model.Key {
	key.SecretHash, key.Salt, key.OldHash, key.OldSalt = nil, nil, nil, nil
	return key
}

// RotateKey implements metastore.Keys.
func (s *Store) RotateKey(ctx context.Context, organizationID, projectID, keyID string, secret model.Key, oldUntil time.Time) (key model.Key, err error) {
	if err := metastore.CheckRotation(organizationID, projectID, keyID, secret); err != nil {
		return key, err
	}
	err = s.inTransaction(ctx, "rotate key", func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `
			UPDATE access_keys SET old_secret_hash = secret_hash, old_salt = salt, old_until = $4, secret_hash = $5, salt = $6, display = $7
			WHERE id = $1 AND organization_id = $2 AND COALESCE(project_id, '') = $3 AND revoked_at IS NULL`,
			keyID, organizationID, projectID, oldUntil.UnixMicro(), secret.SecretHash, secret.Salt, secret.Display)
		if err := oneRow(done, err); err != nil {
			return err
		}
		key, err = scanKey(tx.QueryRowContext(ctx, selectKeys+` WHERE k.id = $1`, keyID))
		return err
	})
	return withoutSecrets(key), err
}

// RevokeKey implements metastore.Store.
func (s *Store) RevokeKey(ctx context.Context, keyID string, at time.Time) error {
	if err := metastore.CheckRevocation(keyID, at); err != nil {
		return err
	}
	done, err := s.db.ExecContext(ctx,
		`UPDATE access_keys SET revoked_at = COALESCE(revoked_at, $2) WHERE id = $1`, keyID, at.UnixMicro())
	return affected("revoke key", done, err)
}

// RevokeKeyOf implements metastore.Keys.
func (s *Store) RevokeKeyOf(ctx context.Context, organizationID, projectID, keyID string, at time.Time) error {
	if err := metastore.CheckRevocation(keyID, at); err != nil {
		return err
	}
	if err := metastore.CheckKeys(organizationID, projectID); err != nil {
		return err
	}
	done, err := s.db.ExecContext(ctx, `
		UPDATE access_keys SET revoked_at = $4
		WHERE id = $1 AND organization_id = $2 AND COALESCE(project_id, '') = $3 AND revoked_at IS NULL`,
		keyID, organizationID, projectID, at.UnixMicro())
	return affected("revoke key", done, err)
}

// TouchKey implements metastore.Keys.
func (s *Store) TouchKey(ctx context.Context, keyID string, at time.Time) error {
	if err := metastore.CheckRevocation(keyID, at); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx,
		`UPDATE access_keys SET last_used_at = $2 WHERE id = $1 AND COALESCE(last_used_at, 0) <= $3`,
		keyID, at.UnixMicro(), at.Add(-metastore.UsedWithin).UnixMicro())
	return translate("note the use of a key", err)
}
