package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// changePrompts runs work as the only writer of the project's prompts and counts it as a change. The
// counter of all projects is touched last, so that nobody waits for another project's work.
func (s *Store) changePrompts(ctx context.Context, doing, projectID string, work func(tx *sql.Tx) error) error {
	return s.inTransaction(ctx, doing, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO prompt_changes (project_id, revision) VALUES ($1, 0)
			ON CONFLICT (project_id) DO UPDATE SET revision = prompt_changes.revision`, projectID)
		if err != nil {
			return err
		}
		if err := work(tx); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE prompt_revision SET revision = revision + 1`); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE prompt_changes SET revision = (SELECT revision FROM prompt_revision) WHERE project_id = $1`, projectID)
		return err
	})
}

// CreatePrompt implements metastore.Prompts.
func (s *Store) CreatePrompt(ctx context.Context, d metastore.PromptDraft) (model.Prompt, error) {
	content, err := json.Marshal(d.Content)
	if err != nil {
		return model.Prompt{}, fmt.Errorf("encode prompt: %w", err)
	}
	config := metastore.ReadPromptConfig(d.Config)
	if err := metastore.CheckPrompt(d, string(content), config); err != nil {
		return model.Prompt{}, err
	}
	var made model.Prompt
	err = s.changePrompts(ctx, "create prompt", d.ProjectID, func(tx *sql.Tx) error {
		p := promptWriter{ctx: ctx, tx: tx, project: d.ProjectID, name: d.Name, at: d.At.UnixMilli() * 1000}
		version, err := p.next(d.Type)
		if err != nil {
			return err
		}
		if err := p.checkIncludes(d.Includes); err != nil {
			return err
		}
		p.exec(`INSERT INTO prompt_versions (project_id, name, version, id, content, config, commit_message, created_by, created_at, updated_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
			d.ProjectID, d.Name, version, d.ID, string(content), string(d.Config), d.CommitMessage, d.CreatedBy, p.at)
		if !d.KeepTags {
			p.tag(d.Tags)
		}
		p.label(version, append(slices.Clone(d.Labels), model.LabelLatest))
		p.include(version, d.Includes)
		p.keepConfig(version, config)
		if p.err != nil {
			return p.err
		}
		made, err = readPrompt(ctx, tx, d.ProjectID, d.Name, metastore.PromptSelector{Version: version})
		return err
	})
	return made, err
}

// PromptExists implements metastore.Prompts.
func (s *Store) PromptExists(ctx context.Context, projectID, id string) (found bool, err error) {
	if err := metastore.CheckID("id", id); err != nil {
		return false, err
	}
	err = s.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM prompt_versions WHERE project_id = $1 AND id = $2)`, projectID, id).Scan(&found)
	return found, translate("look for prompt", err)
}

// TagPrompt implements metastore.Prompts.
func (s *Store) TagPrompt(ctx context.Context, projectID, name string, tags []string, at time.Time) error {
	if err := metastore.CheckPromptName(name, metastore.PromptSelector{}); err != nil {
		return err
	}
	if err := metastore.CheckPromptTags(tags); err != nil {
		return err
	}
	if err := s.hasPrompt(ctx, projectID, name); err != nil {
		return err
	}
	return s.changePrompts(ctx, "tag prompt", projectID, func(tx *sql.Tx) error {
		// It may be gone since.
		if _, err := readPrompt(ctx, tx, projectID, name, metastore.PromptSelector{Label: model.LabelLatest}); err != nil {
			return err
		}
		p := promptWriter{ctx: ctx, tx: tx, project: projectID, name: name, at: at.UnixMilli() * 1000}
		p.tag(tags)
		return p.err
	})
}

// LabelPrompt implements metastore.Prompts.
func (s *Store) LabelPrompt(ctx context.Context, projectID, name string, version int, labels []string, at time.Time) (model.Prompt, error) {
	selector := metastore.PromptSelector{Version: version}
	if err := metastore.CheckPromptName(name, selector); err != nil {
		return model.Prompt{}, err
	}
	if err := metastore.CheckPromptLabels(labels); err != nil {
		return model.Prompt{}, err
	}
	if err := s.hasPrompt(ctx, projectID, name); err != nil {
		return model.Prompt{}, err
	}
	var changed model.Prompt
	err := s.changePrompts(ctx, "label prompt", projectID, func(tx *sql.Tx) error {
		if _, err := readPrompt(ctx, tx, projectID, name, selector); err != nil {
			return err
		}
		p := promptWriter{ctx: ctx, tx: tx, project: projectID, name: name, at: at.UnixMilli() * 1000}
		if p.label(version, labels); p.err != nil {
			return p.err
		}
		var err error
		changed, err = readPrompt(ctx, tx, projectID, name, selector)
		return err
	})
	return changed, err
}

// hasPrompt spares requests for nothing the locks of a writer.
func (s *Store) hasPrompt(ctx context.Context, projectID, name string) error {
	var one int
	err := s.db.QueryRowContext(ctx, `SELECT 1 FROM prompts WHERE project_id = $1 AND name = $2`, projectID, name).Scan(&one)
	return translate("find prompt", err)
}

// Prompt implements metastore.Prompts.
func (s *Store) Prompt(ctx context.Context, projectID, name string, selector metastore.PromptSelector) (model.Prompt, error) {
	if err := metastore.CheckPromptName(name, selector); err != nil {
		return model.Prompt{}, err
	}
	p, err := readPrompt(ctx, s.db, projectID, name, selector)
	return p, translate("read prompt", err)
}

// querier is a database or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// readPrompt is one statement, so that labels and version belong together.
func readPrompt(ctx context.Context, on querier, projectID, name string, selector metastore.PromptSelector) (model.Prompt, error) {
	var (
		p                model.Prompt
		kind, content    string
		config           string
		labels, tags     sql.NullString
		created, updated int64
	)
	err := on.QueryRowContext(ctx, `
		SELECT v.project_id, v.id, v.name, v.version, p.type, v.content, v.config, v.commit_message, v.created_by, v.created_at, v.updated_at,
		       (SELECT string_agg(l.label, $3 ORDER BY l.position) FROM prompt_labels l
		        WHERE l.project_id = v.project_id AND l.name = v.name AND l.version = v.version),
		       (SELECT string_agg(t.tag, $3 ORDER BY t.position) FROM prompt_tags t WHERE t.project_id = v.project_id AND t.name = v.name)
		FROM prompt_versions v JOIN prompts p ON p.project_id = v.project_id AND p.name = v.name
		WHERE v.project_id = $1 AND v.name = $2
		  AND (CAST($4 AS bigint) = 0 OR v.version = CAST($4 AS bigint))
		  AND ($5 = '' OR v.version = (SELECT l.version FROM prompt_labels l WHERE l.project_id = $1 AND l.name = $2 AND l.label = $5))`,
		projectID, name, metastore.TagSeparator, int64(selector.Version), selector.Label).
		Scan(&p.ProjectID, &p.ID, &p.Name, &p.Version, &kind, &content, &config, &p.CommitMessage, &p.CreatedBy, &created, &updated, &labels, &tags)
	if err != nil {
		return model.Prompt{}, err
	}
	p.Type, p.Config = model.PromptType(kind), json.RawMessage(config)
	p.Labels, p.Tags = splitTags(labels), splitTags(tags)
	p.CreatedAt, p.UpdatedAt = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
	return p, json.Unmarshal([]byte(content), &p.Content)
}

func splitTags(joined sql.NullString) []string {
	if !joined.Valid {
		return nil
	}
	return strings.Split(joined.String, metastore.TagSeparator)
}

// PromptChanges implements metastore.Prompts.
func (s *Store) PromptChanges(ctx context.Context, since int64) (metastore.PromptChanges, error) {
	rows, err := s.db.QueryContext(ctx, `
		SELECT '', revision FROM prompt_revision
		UNION ALL
		SELECT * FROM (SELECT project_id, revision FROM prompt_changes WHERE revision > $1 ORDER BY revision DESC LIMIT $2) changed`,
		since, metastore.MaxPromptChanges)
	if err != nil {
		return metastore.PromptChanges{}, translate("read prompt changes", err)
	}
	defer rows.Close()
	var changes metastore.PromptChanges
	for rows.Next() {
		var project string
		var revision int64
		if err := rows.Scan(&project, &revision); err != nil {
			return metastore.PromptChanges{}, translate("read prompt changes", err)
		}
		if changes.Revision = max(changes.Revision, revision); project != "" {
			changes.Projects = append(changes.Projects, project)
		}
	}
	return changes, translate("read prompt changes", rows.Err())
}
