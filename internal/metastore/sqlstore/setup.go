package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// SetUp implements metastore.Setups.
func (s *Store) SetUp(ctx context.Context, setup metastore.Setup) (made model.Project, err error) {
	setup, err = setup.Linked()
	if err != nil {
		return made, err
	}
	err = s.inTransaction(ctx, "set up", func(tx *sql.Tx) error {
		// The lock that first starts take; whoever waited for it sees the user of the one before.
		if _, err := tx.ExecContext(ctx, `UPDATE planting SET attempts = attempts + 1`); err != nil {
			return err
		}
		var done bool
		if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM users)`).Scan(&done); err != nil {
			return err
		}
		if done {
			return metastore.ErrExists
		}
		setup.Project.Cell = s.cell
		made, err = setUp(ctx, tx, setup)
		return err
	})
	return made, err
}

func setUp(ctx context.Context, tx *sql.Tx, setup metastore.Setup) (model.Project, error) {
	project, err := foundedProject(ctx, tx, setup)
	if err != nil {
		return project, err
	}
	setup.Key.Project = project
	if err := insertKey(ctx, tx, setup.Key); err != nil {
		return project, err
	}
	if err := insertUser(ctx, tx, setup.User); err != nil {
		return project, err
	}
	return project, insertMember(ctx, tx, project.Organization.ID, setup.User.ID, model.Owner)
}

// foundedProject is the oldest project of the oldest organization under the names of the setup, or what is missing of both.
func foundedProject(ctx context.Context, tx *sql.Tx, setup metastore.Setup) (model.Project, error) {
	organization, err := scanOrganization(tx.QueryRowContext(ctx, `SELECT `+organizationColumns+` FROM organizations ORDER BY created_at, id LIMIT 1`))
	if errors.Is(err, sql.ErrNoRows) {
		organization, err = setup.Organization, insertOrganization(ctx, tx, setup.Organization)
	} else if err == nil && setup.Organization.Name != "" {
		organization.Name = setup.Organization.Name
		_, err = tx.ExecContext(ctx, `UPDATE organizations SET name = $2 WHERE id = $1`, organization.ID, organization.Name)
	}
	if err != nil {
		return model.Project{}, err
	}
	const living = ` WHERE p.organization_id = $1 AND p.erasing_at IS NULL`
	project, err := scanProject(tx.QueryRowContext(ctx, selectProjects+living+` ORDER BY p.created_at, p.id LIMIT 1`, organization.ID))
	if errors.Is(err, sql.ErrNoRows) {
		setup.Project.Organization, setup.Project.Name = organization, cmp.Or(setup.Project.Name, organization.Name)
		return setup.Project, insertProject(ctx, tx, setup.Project)
	}
	if err != nil || setup.Project.Name == "" {
		return project, err
	}
	// A name that another project has is not worth a refusal.
	_, err = tx.ExecContext(ctx, `
		UPDATE projects SET name = $2 WHERE id = $1 AND NOT EXISTS (
			SELECT 1 FROM projects p WHERE p.organization_id = $3 AND p.name = $2 AND p.erasing_at IS NULL)`,
		project.ID, setup.Project.Name, organization.ID)
	if err != nil {
		return project, err
	}
	return scanProject(tx.QueryRowContext(ctx, selectProjects+` WHERE p.id = $1`, project.ID))
}
