package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// CreateOrganization implements metastore.Organizations.
func (s *Store) CreateOrganization(ctx context.Context, o model.Organization) error {
	if err := metastore.CheckOrganization(o); err != nil {
		return err
	}
	var count int
	if err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM organizations`).Scan(&count); err != nil {
		return translate("count organizations", err)
	}
	if count >= metastore.MaxOrganizations {
		return metastore.TooMany(metastore.MaxOrganizations, "organizations")
	}
	return translate("create organization", insertOrganization(ctx, s.db, o))
}

func insertOrganization(ctx context.Context, on execer, o model.Organization) error {
	created, updated := stamps(o.CreatedAt, o.UpdatedAt)
	_, err := on.ExecContext(ctx,
		`INSERT INTO organizations (id, name, metadata, created_at, updated_at) VALUES ($1, $2, $3, $4, $5)`,
		o.ID, o.Name, o.Metadata, created, updated)
	return err
}

// stamps are the times of a new row; those that are not given are now.
func stamps(created, updated time.Time) (int64, int64) {
	if created.IsZero() {
		created = time.Now()
	}
	if updated.IsZero() {
		updated = created
	}
	return created.UnixMicro(), updated.UnixMicro()
}

const organizationColumns = `id, name, metadata, created_at, updated_at`

// Organization implements metastore.Organizations.
func (s *Store) Organization(ctx context.Context, id string) (model.Organization, error) {
	if err := metastore.CheckID("organization id", id); err != nil {
		return model.Organization{}, err
	}
	o, err := scanOrganization(s.db.QueryRowContext(ctx, `SELECT `+organizationColumns+` FROM organizations WHERE id = $1`, id))
	return o, translate("read organization", err)
}

// Organizations implements metastore.Organizations.
func (s *Store) Organizations(ctx context.Context) ([]model.Organization, error) {
	return listed(ctx, s.db, "read organizations", scanOrganization,
		`SELECT `+organizationColumns+` FROM organizations ORDER BY created_at, id LIMIT $1`, metastore.MaxOrganizations)
}

// listed reads all rows of a query, which bounds their number itself.
func listed[T any](ctx context.Context, db *sql.DB, doing string, scan func(scanner) (T, error), query string, args ...any) (list []T, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, translate(doing, err)
	}
	defer rows.Close()
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, translate(doing, err)
		}
		list = append(list, one)
	}
	return list, translate(doing, rows.Err())
}

func scanOrganization(row scanner) (o model.Organization, err error) {
	var created, updated int64
	err = row.Scan(&o.ID, &o.Name, &o.Metadata, &created, &updated)
	o.CreatedAt, o.UpdatedAt = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
	return o, err
}

// UpdateOrganization implements metastore.Organizations.
func (s *Store) UpdateOrganization(ctx context.Context, o model.Organization) error {
	if err := metastore.CheckOrganization(o); err != nil {
		return err
	}
	done, err := s.db.ExecContext(ctx, `UPDATE organizations SET name = $2, metadata = $3, updated_at = $4 WHERE id = $1`,
		o.ID, o.Name, o.Metadata, o.UpdatedAt.UnixMicro())
	return affected("update organization", done, err)
}

// DeleteOrganization implements metastore.Organizations.
func (s *Store) DeleteOrganization(ctx context.Context, id string) error {
	if err := metastore.CheckID("organization id", id); err != nil {
		return err
	}
	const doing = "delete organization"
	return s.inTransaction(ctx, doing, func(tx *sql.Tx) error {
		// The lock keeps out whoever would add a project meanwhile.
		done, err := tx.ExecContext(ctx, `UPDATE organizations SET name = name WHERE id = $1`, id)
		if err := affected(doing, done, err); err != nil {
			return err
		}
		var used bool
		err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM projects WHERE organization_id = $1)`, id).Scan(&used)
		if err != nil {
			return err
		}
		if used {
			return metastore.ErrInUse
		}
		for _, statement := range []string{
			`DELETE FROM access_keys WHERE organization_id = $1`,
			`DELETE FROM invitations WHERE organization_id = $1`,
			`DELETE FROM organization_members WHERE organization_id = $1`,
			`DELETE FROM organizations WHERE id = $1`,
		} {
			if _, err := tx.ExecContext(ctx, statement, id); err != nil {
				return err
			}
		}
		return nil
	})
}
