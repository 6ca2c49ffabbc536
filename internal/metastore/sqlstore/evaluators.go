package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

const evaluatorColumns = `e.project_id, e.id, e.name, e.description, e.kind, e.created_by, e.created_at, e.updated_at,
	e.paused_at, e.paused_reason, e.paused_message, e.revision, v.id, v.number, v.definition, v.created_by, v.created_at`

const evaluatorsWithLatest = ` FROM evaluators e JOIN evaluator_versions v
	ON v.project_id = e.project_id AND v.evaluator_id = e.id AND v.number = e.latest`

// takeTurn makes changes of a project's evaluators and rules wait for each other, by its row.
func takeTurn(ctx context.Context, tx *sql.Tx, projectID string) error {
	done, err := tx.ExecContext(ctx, `UPDATE projects SET name = name WHERE id = $1`, projectID)
	return oneRow(done, err)
}

// atMost refuses another row of a table in a project that has most of them.
func atMost(ctx context.Context, tx *sql.Tx, table, projectID string, most int, what string) error {
	var count int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM `+table+` WHERE project_id = $1`, projectID).Scan(&count); err != nil {
		return err
	}
	if count >= most {
		return metastore.TooMany(most, what)
	}
	return nil
}

// CreateEvaluator implements metastore.Evaluators.
func (s *Store) CreateEvaluator(ctx context.Context, e model.EvaluatorEntity) error {
	if err := metastore.CheckEvaluator(e); err != nil {
		return err
	}
	return s.inTransaction(ctx, "create evaluator", func(tx *sql.Tx) error {
		if err := takeTurn(ctx, tx, e.ProjectID); err != nil {
			return err
		}
		if err := atMost(ctx, tx, "evaluators", e.ProjectID, metastore.MaxEvaluators, "evaluators of a project"); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO evaluators (project_id, id, name, description, kind, created_by, created_at, updated_at,
				paused_at, paused_reason, paused_message, latest, revision)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 1)`,
			e.ProjectID, e.ID, e.Name, e.Description, e.Kind, e.CreatedBy, e.CreatedAt.UnixMicro(), e.UpdatedAt.UnixMicro(),
			orZero(e.PausedAt), e.PausedReason, e.PausedMessage, e.Latest.Number)
		if err != nil {
			return err
		}
		return addVersion(ctx, tx, e)
	})
}

// orZero is a time, 0 for none.
func orZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// orNever is a time that orZero kept.
func orNever(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

func addVersion(ctx context.Context, tx *sql.Tx, e model.EvaluatorEntity) error {
	v := e.Latest
	_, err := tx.ExecContext(ctx, `
		INSERT INTO evaluator_versions (project_id, evaluator_id, number, id, definition, created_by, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, e.ProjectID, e.ID, v.Number, v.ID, v.Definition, v.CreatedBy, v.CreatedAt.UnixMicro())
	return err
}

// UpdateEvaluator implements metastore.Evaluators.
func (s *Store) UpdateEvaluator(ctx context.Context, e model.EvaluatorEntity) error {
	if err := metastore.CheckEvaluator(e); err != nil {
		return err
	}
	return s.inTransaction(ctx, "update evaluator", func(tx *sql.Tx) error {
		if err := takeTurn(ctx, tx, e.ProjectID); err != nil {
			return err
		}
		var revision int64
		var latest int
		row := tx.QueryRowContext(ctx, `SELECT revision, latest FROM evaluators WHERE project_id = $1 AND id = $2`, e.ProjectID, e.ID)
		if err := row.Scan(&revision, &latest); err != nil {
			return err
		}
		switch {
		case revision != e.Revision:
			return metastore.ErrChanged
		case e.Latest.Number > metastore.MaxEvaluatorVersions:
			return metastore.TooManyEvaluatorVersions()
		case e.Latest.Number > latest:
			if err := addVersion(ctx, tx, e); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, `
			UPDATE evaluators SET name = $3, description = $4, updated_at = $5, paused_at = $6, paused_reason = $7, paused_message = $8,
				latest = $9, revision = revision + 1
			WHERE project_id = $1 AND id = $2`,
			e.ProjectID, e.ID, e.Name, e.Description, e.UpdatedAt.UnixMicro(), orZero(e.PausedAt), e.PausedReason, e.PausedMessage, e.Latest.Number)
		return err
	})
}

// Evaluator implements metastore.Evaluators.
func (s *Store) Evaluator(ctx context.Context, projectID, id string) (model.EvaluatorEntity, error) {
	if err := metastore.CheckID("id", id); err != nil {
		return model.EvaluatorEntity{}, err
	}
	e, err := scanEvaluator(s.db.QueryRowContext(ctx, `SELECT `+evaluatorColumns+evaluatorsWithLatest+` WHERE e.project_id = $1 AND e.id = $2`, projectID, id))
	if err != nil {
		return e, translate("read evaluator", err)
	}
	list := []model.EvaluatorEntity{e}
	err = s.addUses(ctx, projectID, list)
	return list[0], err
}

// Evaluators implements metastore.Evaluators.
func (s *Store) Evaluators(ctx context.Context, projectID string, after *metastore.Since, limit int) ([]model.EvaluatorEntity, error) {
	text, args := newestAfter(` WHERE e.project_id = $1`, "e.", projectID, after)
	found, err := queryAll(ctx, s.db, "list evaluators", scanEvaluator,
		`SELECT `+evaluatorColumns+evaluatorsWithLatest+text+fmt.Sprintf(` ORDER BY e.created_at DESC, e.id LIMIT $%d`, len(args)+1), append(args, limit)...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found, s.addUses(ctx, projectID, found)
}

// newestAfter adds to a condition what begins behind a place of a list.
func newestAfter(text, table, projectID string, after *metastore.Since) (string, []any) {
	if after == nil {
		return text, []any{projectID}
	}
	return text + fmt.Sprintf(` AND (%[1]screated_at < $2 OR %[1]screated_at = $2 AND %[1]sid > $3)`, table),
		[]any{projectID, after.CreatedAt.UnixMicro(), after.ID}
}

// queryAll reads every row of a statement.
func queryAll[T any](ctx context.Context, db *sql.DB, doing string, scan func(scanner) (T, error), text string, args ...any) (found []T, err error) {
	rows, err := db.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, translate(doing, err)
	}
	defer rows.Close()
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, translate(doing, err)
		}
		found = append(found, one)
	}
	return found, translate(doing, rows.Err())
}

// addUses reads which rules name the evaluators. A project has few rules, so all are read.
func (s *Store) addUses(ctx context.Context, projectID string, list []model.EvaluatorEntity) error {
	type use struct {
		evaluator string
		model.RuleUse
	}
	uses, err := queryAll(ctx, s.db, "list uses of evaluators", func(row scanner) (u use, err error) {
		return u, row.Scan(&u.evaluator, &u.RuleID, &u.Mapping)
	}, `SELECT u.evaluator_id, u.rule_id, u.mapping FROM evaluation_rule_evaluators u
		JOIN evaluation_rules r ON r.project_id = u.project_id AND r.id = u.rule_id
		WHERE u.project_id = $1 ORDER BY r.created_at DESC, r.id`, projectID)
	for _, u := range uses {
		for i := range list {
			if list[i].ID == u.evaluator {
				list[i].UsedBy = append(list[i].UsedBy, u.RuleUse)
			}
		}
	}
	return err
}

// DeleteEvaluator implements metastore.Evaluators.
func (s *Store) DeleteEvaluator(ctx context.Context, projectID, id string) error {
	if err := metastore.CheckID("id", id); err != nil {
		return err
	}
	return s.inTransaction(ctx, "delete evaluator", func(tx *sql.Tx) error {
		if err := takeTurn(ctx, tx, projectID); err != nil {
			return err
		}
		for _, text := range []string{
			`UPDATE evaluation_rules SET version = version + 1 WHERE project_id = $1
				AND id IN (SELECT rule_id FROM evaluation_rule_evaluators WHERE project_id = $1 AND evaluator_id = $2)`,
			`UPDATE evaluation_rules SET enabled = false WHERE project_id = $1
				AND id IN (SELECT rule_id FROM evaluation_rule_evaluators WHERE project_id = $1 AND evaluator_id = $2)
				AND id NOT IN (SELECT rule_id FROM evaluation_rule_evaluators WHERE project_id = $1 AND evaluator_id <> $2)`,
			`DELETE FROM evaluation_rule_evaluators WHERE project_id = $1 AND evaluator_id = $2`,
			`DELETE FROM evaluator_versions WHERE project_id = $1 AND evaluator_id = $2`,
		} {
			if _, err := tx.ExecContext(ctx, text, projectID, id); err != nil {
				return err
			}
		}
		done, err := tx.ExecContext(ctx, `DELETE FROM evaluators WHERE project_id = $1 AND id = $2`, projectID, id)
		return oneRow(done, err)
	})
}

// EvaluatorVersions implements metastore.Evaluators.
func (s *Store) EvaluatorVersions(ctx context.Context, projectID, id string, below, limit int) ([]model.EvaluatorVersion, error) {
	if err := metastore.CheckID("id", id); err != nil {
		return nil, err
	}
	return queryAll(ctx, s.db, "list versions of an evaluator", func(row scanner) (v model.EvaluatorVersion, err error) {
		var created int64
		err = row.Scan(&v.ID, &v.Number, &v.Definition, &v.CreatedBy, &created)
		v.CreatedAt = time.UnixMicro(created).UTC()
		return v, err
	}, `SELECT id, number, definition, created_by, created_at FROM evaluator_versions
		WHERE project_id = $1 AND evaluator_id = $2 AND number < $3 ORDER BY number DESC LIMIT $4`, projectID, id, below, limit)
}

func scanEvaluator(row scanner) (e model.EvaluatorEntity, err error) {
	var created, updated, paused, versioned int64
	err = row.Scan(&e.ProjectID, &e.ID, &e.Name, &e.Description, &e.Kind, &e.CreatedBy, &created, &updated, &paused, &e.PausedReason, &e.PausedMessage,
		&e.Revision, &e.Latest.ID, &e.Latest.Number, &e.Latest.Definition, &e.Latest.CreatedBy, &versioned)
	e.CreatedAt, e.UpdatedAt, e.PausedAt = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC(), orNever(paused)
	e.Latest.CreatedAt = time.UnixMicro(versioned).UTC()
	return e, err
}
