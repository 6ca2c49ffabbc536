package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// CreateProject implements metastore.Store.
func (s *Store) CreateProject(ctx context.Context, project model.Project) error {
	if err := metastore.CheckProject(project); err != nil {
		return err
	}
	project.Cell = s.cell
	var count int
	if err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM projects`).Scan(&count); err != nil {
		return translate("count projects", err)
	}
	if count >= metastore.MaxProjects {
		return metastore.TooMany(metastore.MaxProjects, "projects")
	}
	return translate("create project", insertProject(ctx, s.db, project))
}

func insertProject(ctx context.Context, on execer, p model.Project) error {
	created, updated := stamps(p.CreatedAt, p.UpdatedAt)
	_, err := on.ExecContext(ctx, `
		INSERT INTO projects (id, organization_id, name, metadata, retention_days, payload_days, created_at, updated_at, cell)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		p.ID, p.Organization.ID, p.Name, p.Metadata, p.Retention.Days, p.Retention.PayloadDays, created, updated, p.Cell)
	return err
}

const selectProjects = `
	SELECT p.id, p.name, p.metadata, p.retention_days, p.payload_days, p.created_at, p.updated_at, p.erasing_at, p.cell,
	       o.id, o.name, o.metadata, o.created_at, o.updated_at
	FROM projects p JOIN organizations o ON o.id = p.organization_id`

// Project implements metastore.Projects.
func (s *Store) Project(ctx context.Context, id string) (model.Project, error) {
	if err := metastore.CheckID("project id", id); err != nil {
		return model.Project{}, err
	}
	p, err := scanProject(s.db.QueryRowContext(ctx, selectProjects+` WHERE p.id = $1`, id))
	return p, translate("read project", err)
}

// Projects implements metastore.Projects.
func (s *Store) Projects(ctx context.Context) ([]model.Project, error) {
	return listed(ctx, s.db, "read projects", scanProject,
		selectProjects+` ORDER BY p.created_at, p.id LIMIT $1`, metastore.MaxProjects)
}

// ProjectsOf implements metastore.Projects.
func (s *Store) ProjectsOf(ctx context.Context, organizationID string) ([]model.Project, error) {
	if err := metastore.CheckID("organization id", organizationID); err != nil {
		return nil, err
	}
	return listed(ctx, s.db, "read projects", scanProject,
		selectProjects+` WHERE p.organization_id = $1 AND p.erasing_at IS NULL ORDER BY p.created_at, p.id LIMIT $2`,
		organizationID, metastore.MaxProjects)
}

func scanProject(row scanner) (p model.Project, err error) {
	var (
		created, updated, ownerCreated, ownerUpdated int64
		erasing                                      sql.NullInt64
		o                                            = &p.Organization
	)
	err = row.Scan(&p.ID, &p.Name, &p.Metadata, &p.Retention.Days, &p.Retention.PayloadDays, &created, &updated, &erasing, &p.Cell,
		&o.ID, &o.Name, &o.Metadata, &ownerCreated, &ownerUpdated)
	p.CreatedAt, p.UpdatedAt, p.ErasingAt = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC(), moment(erasing)
	o.CreatedAt, o.UpdatedAt = time.UnixMicro(ownerCreated).UTC(), time.UnixMicro(ownerUpdated).UTC()
	return p, err
}

// UpdateProject implements metastore.Projects.
func (s *Store) UpdateProject(ctx context.Context, p model.Project) error {
	if err := metastore.CheckProject(p); err != nil {
		return err
	}
	done, err := s.db.ExecContext(ctx, `
		UPDATE projects SET name = $3, metadata = $4, retention_days = $5, payload_days = $6, updated_at = $7
		WHERE id = $1 AND organization_id = $2 AND erasing_at IS NULL`,
		p.ID, p.Organization.ID, p.Name, p.Metadata, p.Retention.Days, p.Retention.PayloadDays, p.UpdatedAt.UnixMicro())
	return affected("update project", done, err)
}

// MarkProjectDeleted implements metastore.Projects.
func (s *Store) MarkProjectDeleted(ctx context.Context, projectID string) error {
	if err := metastore.CheckID("project id", projectID); err != nil {
		return err
	}
	done, err := s.db.ExecContext(ctx, `UPDATE projects SET erasing_at = COALESCE(erasing_at, $2) WHERE id = $1`, projectID, time.Now().UnixMicro())
	return affected("mark project as deleted", done, err)
}

// projectTables are all tables with rows of projects, those that refer to others first.
var projectTables = []string{
	"access_keys", "project_members", "media_links", "media", "models", "score_configs",
	"comments", "annotation_drafts", "annotation_queue_items", "annotation_queue_assignments", "annotation_queues", "feedback", "llm_connections", "exports", "saved_views",
	"dashboards", "alert_deliveries", "alert_changes", "alerts", "alert_targets",
	"evaluation_rule_evaluators", "evaluation_rules", "evaluator_versions", "evaluators",
	"dataset_items", "dataset_run_items", "datasets",
	"prompt_config", "prompt_includes", "prompt_tags", "prompt_labels", "prompt_versions", "prompts", "prompt_changes",
}

// ForgetProject implements metastore.Projects.
func (s *Store) ForgetProject(ctx context.Context, projectID string) error {
	if err := metastore.CheckID("project id", projectID); err != nil {
		return err
	}
	const doing = "forget project"
	return s.inTransaction(ctx, doing, func(tx *sql.Tx) error {
		var lives bool
		// The lock keeps out whoever would add something meanwhile: rows refer to the project's.
		err := tx.QueryRowContext(ctx, `UPDATE projects SET name = name WHERE id = $1 RETURNING erasing_at IS NULL`, projectID).Scan(&lives)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return nil
		case err != nil:
			return err
		case lives:
			return metastore.ErrInUse
		}
		for _, table := range projectTables {
			if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE project_id = $1`, projectID); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM projects WHERE id = $1`, projectID)
		return err
	})
}

// Retention implements metastore.Projects.
func (s *Store) Retention(ctx context.Context, projectID string) (r model.Retention, err error) {
	if err := metastore.CheckID("project id", projectID); err != nil {
		return r, err
	}
	err = s.db.QueryRowContext(ctx, `SELECT retention_days, payload_days FROM projects WHERE id = $1`, projectID).Scan(&r.Days, &r.PayloadDays)
	return r, translate("read retention", err)
}

// SetRetention implements metastore.Projects.
func (s *Store) SetRetention(ctx context.Context, projectID string, r model.Retention) error {
	if err := metastore.CheckID("project id", projectID); err != nil {
		return err
	}
	if err := metastore.CheckRetention(r); err != nil {
		return err
	}
	done, err := s.db.ExecContext(ctx,
		`UPDATE projects SET retention_days = $2, payload_days = $3, updated_at = $4 WHERE id = $1`,
		projectID, r.Days, r.PayloadDays, time.Now().UnixMicro())
	return affected("set retention", done, err)
}
