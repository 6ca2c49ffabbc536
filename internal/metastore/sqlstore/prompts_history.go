package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
)

// PromptVersions implements metastore.PromptHistory.
func (s *Store) PromptVersions(ctx context.Context, projectID, name string, part metastore.Range) ([]metastore.PromptVersion, int, error) {
	if err := metastore.CheckPromptName(name, metastore.PromptSelector{}); err != nil {
		return nil, 0, err
	}
	var total int
	err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM prompt_versions WHERE project_id = $1 AND name = $2`, projectID, name).Scan(&total)
	if err != nil {
		return nil, 0, translate("count versions", err)
	}
	rows, err := s.db.QueryContext(ctx, `
		SELECT v.id, v.version, v.commit_message, v.created_by, COALESCE(u.name, ''), v.created_at, v.updated_at,
		       (SELECT string_agg(l.label, $3 ORDER BY l.position) FROM prompt_labels l
		        WHERE l.project_id = v.project_id AND l.name = v.name AND l.version = v.version)
		FROM prompt_versions v LEFT JOIN users u ON u.id = v.created_by
		WHERE v.project_id = $1 AND v.name = $2 ORDER BY v.version DESC LIMIT $4 OFFSET $5`,
		projectID, name, metastore.TagSeparator, part.Limit, part.Offset)
	if err != nil {
		return nil, 0, translate("list versions", err)
	}
	defer rows.Close()
	var list []metastore.PromptVersion
	for rows.Next() {
		var (
			v                metastore.PromptVersion
			labels           sql.NullString
			created, updated int64
		)
		if err := rows.Scan(&v.ID, &v.Version, &v.CommitMessage, &v.CreatedBy, &v.AuthorName, &created, &updated, &labels); err != nil {
			return nil, 0, translate("list versions", err)
		}
		v.Labels, v.CreatedAt, v.UpdatedAt = splitTags(labels), time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
		list = append(list, v)
	}
	return list, total, translate("list versions", rows.Err())
}

// PromptDependents implements metastore.PromptHistory.
func (s *Store) PromptDependents(ctx context.Context, projectID, name string, part metastore.Range) ([]metastore.PromptDependent, int, error) {
	if err := metastore.CheckPromptName(name, metastore.PromptSelector{}); err != nil {
		return nil, 0, err
	}
	var total int
	err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM prompt_includes WHERE project_id = $1 AND child_name = $2`, projectID, name).Scan(&total)
	if err != nil {
		return nil, 0, translate("count dependents", err)
	}
	rows, err := s.db.QueryContext(ctx, `
		SELECT i.name, i.version, i.child_name, i.child_version, i.child_label
		FROM prompt_includes i JOIN prompts p ON p.project_id = i.project_id AND p.name = i.name
		WHERE i.project_id = $1 AND i.child_name = $2 ORDER BY p.name_order, i.version DESC, i.position LIMIT $3 OFFSET $4`,
		projectID, name, part.Limit, part.Offset)
	if err != nil {
		return nil, 0, translate("list dependents", err)
	}
	defer rows.Close()
	var list []metastore.PromptDependent
	for rows.Next() {
		var d metastore.PromptDependent
		if err := rows.Scan(&d.Name, &d.Version, &d.Includes.Name, &d.Includes.Version, &d.Includes.Label); err != nil {
			return nil, 0, translate("list dependents", err)
		}
		list = append(list, d)
	}
	return list, total, translate("list dependents", rows.Err())
}
