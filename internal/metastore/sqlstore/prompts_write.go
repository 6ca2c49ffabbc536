package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// promptWriter changes one name in a transaction that holds the project's lock. After an error it does
// nothing more.
type promptWriter struct {
	ctx           context.Context //nolint:containedctx // it lives as long as the transaction
	tx            *sql.Tx
	project, name string
	at            int64 // microseconds of whole milliseconds
	err           error
}

func (p *promptWriter) exec(query string, args ...any) (changed int64) {
	if p.err != nil {
		return 0
	}
	done, err := p.tx.ExecContext(p.ctx, query, args...)
	if err == nil {
		changed, err = done.RowsAffected()
	}
	p.err = err
	return changed
}

// batch is how many rows an INSERT has at most.
const batch = 200

// insert adds rows that all begin with project and name.
func (p *promptWriter) insert(into string, rows [][]any) {
	for some := range slices.Chunk(rows, batch) {
		var values strings.Builder
		args := []any{p.project, p.name}
		for i, row := range some {
			if i > 0 {
				values.WriteString(", ")
			}
			values.WriteString("($1, $2")
			for _, value := range row {
				args = append(args, value)
				fmt.Fprintf(&values, ", $%d", len(args))
			}
			values.WriteString(")")
		}
		p.exec(`INSERT INTO `+into+` VALUES `+values.String(), args...)
	}
}

// next makes sure that the name is there with the type and returns the number of its next version.
func (p *promptWriter) next(kind model.PromptType) (int, error) {
	p.exec(`INSERT INTO prompts (project_id, name, name_order, name_folded, type) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
		p.project, p.name, []byte(p.name), metastore.Fold(p.name), string(kind))
	if p.err != nil {
		return 0, p.err
	}
	var (
		has           string
		count, newest int
	)
	err := p.tx.QueryRowContext(p.ctx, `
		SELECT p.type, count(v.version), COALESCE(max(v.version), 0)
		FROM prompts p LEFT JOIN prompt_versions v ON v.project_id = p.project_id AND v.name = p.name
		WHERE p.project_id = $1 AND p.name = $2 GROUP BY p.type`, p.project, p.name).Scan(&has, &count, &newest)
	switch {
	case err != nil:
		return 0, err
	case has != string(kind):
		return 0, metastore.OtherType(model.PromptType(has))
	case count >= metastore.MaxPromptVersions:
		return 0, metastore.TooManyVersions()
	}
	return newest + 1, nil
}

// checkIncludes looks again at what the caller has found: it may be gone since.
func (p *promptWriter) checkIncludes(includes []model.PromptReference) error {
	for _, include := range includes {
		child, err := readPrompt(p.ctx, p.tx, p.project, include.Name, metastore.PromptSelector{Version: include.Version, Label: include.Label})
		if errors.Is(err, sql.ErrNoRows) || err == nil && child.Type != model.TextPrompt {
			return metastore.NoSuchInclude(include)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tag gives the name exactly these tags.
func (p *promptWriter) tag(tags []string) {
	before := map[string]bool{}
	rows, err := p.tx.QueryContext(p.ctx, `SELECT tag FROM prompt_tags WHERE project_id = $1 AND name = $2`, p.project, p.name)
	if err != nil {
		p.err = errors.Join(p.err, err)
		return
	}
	defer rows.Close()
	for rows.Next() {
		var tag string
		if err := rows.Scan(&tag); err != nil {
			p.err = errors.Join(p.err, err)
			return
		}
		before[tag] = true
	}
	p.err = errors.Join(p.err, rows.Err(), rows.Close())
	wanted := [][]any{}
	same := true
	for i, tag := range unique(tags) {
		wanted = append(wanted, []any{tag, i})
		same = same && before[tag]
	}
	if same && len(before) == len(wanted) {
		return
	}
	p.exec(`DELETE FROM prompt_tags WHERE project_id = $1 AND name = $2`, p.project, p.name)
	p.insert(`prompt_tags (project_id, name, tag, position)`, wanted)
	p.exec(`UPDATE prompt_versions SET updated_at = $3 WHERE project_id = $1 AND name = $2`, p.project, p.name, p.at)
}

// label moves labels to a version.
func (p *promptWriter) label(version int, labels []string) {
	for _, label := range unique(labels) {
		// Those that had it count as changed, the version itself only if it did not.
		moved := p.exec(`
			UPDATE prompt_versions SET updated_at = $4
			WHERE project_id = $1 AND name = $2 AND version <> $5
			  AND version = (SELECT l.version FROM prompt_labels l WHERE l.project_id = $1 AND l.name = $2 AND l.label = $3)`,
			p.project, p.name, label, p.at, version)
		if moved > 0 {
			p.exec(`DELETE FROM prompt_labels WHERE project_id = $1 AND name = $2 AND label = $3`, p.project, p.name, label)
		}
		added := p.exec(`
			INSERT INTO prompt_labels (project_id, name, label, version, position)
			SELECT CAST($1 AS text), CAST($2 AS text), CAST($3 AS text), CAST($4 AS bigint), COALESCE(max(position) + 1, 0) FROM prompt_labels WHERE project_id = $1 AND name = $2
			ON CONFLICT DO NOTHING`, p.project, p.name, label, version)
		if added > 0 {
			p.exec(`UPDATE prompt_versions SET updated_at = $4 WHERE project_id = $1 AND name = $2 AND version = $3`, p.project, p.name, version, p.at)
		}
	}
}

func (p *promptWriter) include(version int, includes []model.PromptReference) {
	rows := [][]any{}
	for i, r := range includes {
		rows = append(rows, []any{version, i, r.Name, r.Version, r.Label})
	}
	p.insert(`prompt_includes (project_id, name, version, position, child_name, child_version, child_label)`, rows)
}

func (p *promptWriter) keepConfig(version int, config metastore.PromptConfig) {
	rows := [][]any{}
	for i, key := range slices.Sorted(maps.Keys(config)) {
		rows = append(rows, []any{version, i, key, config[key], metastore.Fold(config[key])})
	}
	p.insert(`prompt_config (project_id, name, version, position, key, value, folded)`, rows)
}

// unique drops repetitions and keeps the order.
func unique(list []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(list), func(text string) bool {
		again := seen[text]
		seen[text] = true
		return again
	})
}

// DeletePrompts implements metastore.Prompts.
func (s *Store) DeletePrompts(ctx context.Context, projectID, name string, selector metastore.PromptSelector, at time.Time) error {
	if err := metastore.CheckPromptName(name, selector); err != nil {
		return err
	}
	if err := s.hasPrompt(ctx, projectID, name); err != nil {
		return err
	}
	return s.changePrompts(ctx, "delete prompts", projectID, func(tx *sql.Tx) error {
		p := promptWriter{ctx: ctx, tx: tx, project: projectID, name: name, at: at.UnixMilli() * 1000}
		const picked = `project_id = $1 AND name = $2 AND (CAST($3 AS bigint) = 0 OR version = CAST($3 AS bigint))
			AND ($4 = '' OR version = (SELECT l.version FROM prompt_labels l WHERE l.project_id = $1 AND l.name = $2 AND l.label = $4))`
		args := []any{projectID, name, int64(selector.Version), selector.Label}
		var going, all int
		err := tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM prompt_versions WHERE `+picked+`),
			(SELECT count(*) FROM prompt_versions WHERE project_id = $1 AND name = $2)`, args...).Scan(&going, &all)
		if err != nil {
			return err
		}
		if going == 0 {
			return sql.ErrNoRows
		}
		if err := p.checkParents(picked, args, going == all); err != nil {
			return err
		}
		if going == all {
			p.exec(`DELETE FROM prompts WHERE project_id = $1 AND name = $2`, projectID, name)
			return p.err
		}
		p.exec(`DELETE FROM prompt_versions WHERE `+picked, args...)
		return p.latest()
	})
}

// checkParents refuses when a version of another prompt includes one that is going. "latest" moves on as
// long as a version is left.
func (p *promptWriter) checkParents(picked string, args []any, all bool) error {
	var (
		parent string
		at     int
		r      = model.PromptReference{Name: p.name}
	)
	err := p.tx.QueryRowContext(p.ctx, `
		SELECT i.name, i.version, i.child_version, i.child_label FROM prompt_includes i
		WHERE i.project_id = $1 AND i.child_name = $2 AND i.name <> $2
		  AND (i.child_version IN (SELECT version FROM prompt_versions WHERE `+picked+`)
		       OR i.child_label IN (SELECT o.label FROM prompt_labels o WHERE o.project_id = $1 AND o.name = $2 AND (o.label <> $5 OR $6)
		                            AND o.version IN (SELECT version FROM prompt_versions WHERE `+picked+`)))
		ORDER BY i.name, i.version LIMIT 1`, append(slices.Clone(args), model.LabelLatest, all)...).Scan(&parent, &at, &r.Version, &r.Label)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return metastore.StillIncluded(parent, at, r)
}

// latest gives the highest version the label that says so.
func (p *promptWriter) latest() error {
	if p.err != nil {
		return p.err
	}
	var newest int
	err := p.tx.QueryRowContext(p.ctx, `SELECT max(version) FROM prompt_versions WHERE project_id = $1 AND name = $2`, p.project, p.name).Scan(&newest)
	if err != nil {
		return err
	}
	p.label(newest, []string{model.LabelLatest})
	return p.err
}
