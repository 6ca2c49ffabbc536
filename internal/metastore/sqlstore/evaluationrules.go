package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

const ruleColumns = `r.project_id, r.id, r.name, r.enabled, r.sampling, r.filter, r.runs_per_day, r.cost_per_day, r.created_by, r.created_at, r.updated_at, r.version, r.until_us`

// CreateEvaluationRule implements metastore.EvaluationRules.
func (s *Store) CreateEvaluationRule(ctx context.Context, r model.EvaluationRule) error {
	if err := metastore.CheckEvaluationRule(r); err != nil {
		return err
	}
	return s.inTransaction(ctx, "create evaluation rule", func(tx *sql.Tx) error {
		if err := takeTurn(ctx, tx, r.ProjectID); err != nil {
			return err
		}
		if err := atMost(ctx, tx, "evaluation_rules", r.ProjectID, metastore.MaxEvaluationRules, "evaluation rules of a project"); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO evaluation_rules (project_id, id, name, enabled, sampling, filter, runs_per_day, cost_per_day, created_by, created_at, updated_at,
				version, until_us, holder, held_until)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, '', 0)`,
			r.ProjectID, r.ID, r.Name, r.Enabled, sampling(r), r.Filter, r.RunsPerDay, r.CostPerDay, r.CreatedBy, r.CreatedAt.UnixMicro(),
			r.UpdatedAt.UnixMicro(), r.Version, orZero(r.Until))
		if err != nil {
			return err
		}
		return addRuleEvaluators(ctx, tx, r)
	})
}

func sampling(r model.EvaluationRule) string { return strconv.FormatFloat(r.Sampling, 'g', -1, 64) }

// addRuleEvaluators names the evaluators of a rule; one that is not there is ErrNotFound.
func addRuleEvaluators(ctx context.Context, tx *sql.Tx, r model.EvaluationRule) error {
	for i, e := range r.Evaluators {
		var known int
		row := tx.QueryRowContext(ctx, `SELECT 1 FROM evaluators WHERE project_id = $1 AND id = $2`, r.ProjectID, e.EvaluatorID)
		if err := row.Scan(&known); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO evaluation_rule_evaluators (project_id, rule_id, position, evaluator_id, mapping) VALUES ($1, $2, $3, $4, $5)`,
			r.ProjectID, r.ID, i, e.EvaluatorID, e.Mapping)
		if err != nil {
			return err
		}
	}
	return nil
}

// UpdateEvaluationRule implements metastore.EvaluationRules.
func (s *Store) UpdateEvaluationRule(ctx context.Context, r model.EvaluationRule) error {
	if err := metastore.CheckEvaluationRule(r); err != nil {
		return err
	}
	return s.inTransaction(ctx, "update evaluation rule", func(tx *sql.Tx) error {
		if err := takeTurn(ctx, tx, r.ProjectID); err != nil {
			return err
		}
		var version int
		row := tx.QueryRowContext(ctx, `SELECT version FROM evaluation_rules WHERE project_id = $1 AND id = $2`, r.ProjectID, r.ID)
		if err := row.Scan(&version); err != nil {
			return err
		}
		if version != r.Version-1 {
			return metastore.ErrChanged
		}
		_, err := tx.ExecContext(ctx, `
			UPDATE evaluation_rules SET name = $3, enabled = $4, sampling = $5, filter = $6, runs_per_day = $7, cost_per_day = $8, updated_at = $9, version = $10,
				until_us = $11
			WHERE project_id = $1 AND id = $2`,
			r.ProjectID, r.ID, r.Name, r.Enabled, sampling(r), r.Filter, r.RunsPerDay, r.CostPerDay, r.UpdatedAt.UnixMicro(), r.Version, orZero(r.Until))
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM evaluation_rule_evaluators WHERE project_id = $1 AND rule_id = $2`, r.ProjectID, r.ID); err != nil {
			return err
		}
		return addRuleEvaluators(ctx, tx, r)
	})
}

// EvaluationRule implements metastore.EvaluationRules.
func (s *Store) EvaluationRule(ctx context.Context, projectID, id string) (model.EvaluationRule, error) {
	if err := metastore.CheckID("id", id); err != nil {
		return model.EvaluationRule{}, err
	}
	list, err := s.rules(ctx, ` WHERE r.project_id = $1 AND r.id = $2`, projectID, id)
	switch {
	case err != nil:
		return model.EvaluationRule{}, err
	case len(list) == 0:
		return model.EvaluationRule{}, metastore.ErrNotFound
	}
	return list[0], nil
}

// EvaluationRules implements metastore.EvaluationRules.
func (s *Store) EvaluationRules(ctx context.Context, projectID string, after *metastore.Since, limit int) ([]model.EvaluationRule, error) {
	text, args := newestAfter(` WHERE r.project_id = $1`, "r.", projectID, after)
	return s.rules(ctx, text+fmt.Sprintf(` ORDER BY r.created_at DESC, r.id LIMIT $%d`, len(args)+1), append(args, limit)...)
}

// EnabledEvaluationRules implements metastore.EvaluationRules.
func (s *Store) EnabledEvaluationRules(ctx context.Context, afterProject, afterID string, limit int) ([]model.EvaluationRule, error) {
	ours, values := s.workable("r.project_id", 4)
	return s.rules(ctx, ` WHERE r.enabled AND (r.project_id > $1 OR r.project_id = $1 AND r.id > $2) AND`+ours+`ORDER BY r.project_id, r.id LIMIT $3`,
		append([]any{afterProject, afterID, limit}, values...)...)
}

// rules reads rules with their evaluators.
func (s *Store) rules(ctx context.Context, text string, args ...any) ([]model.EvaluationRule, error) {
	list, err := queryAll(ctx, s.db, "read evaluation rules", scanRule, `SELECT `+ruleColumns+` FROM evaluation_rules r`+text, args...)
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].Evaluators, err = queryAll(ctx, s.db, "read evaluators of a rule", func(row scanner) (e model.RuleEvaluator, err error) {
			return e, row.Scan(&e.EvaluatorID, &e.Mapping)
		}, `SELECT evaluator_id, mapping FROM evaluation_rule_evaluators WHERE project_id = $1 AND rule_id = $2 ORDER BY position`, list[i].ProjectID, list[i].ID)
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

func scanRule(row scanner) (r model.EvaluationRule, err error) {
	var created, updated, until int64
	var fraction string
	err = row.Scan(&r.ProjectID, &r.ID, &r.Name, &r.Enabled, &fraction, &r.Filter, &r.RunsPerDay, &r.CostPerDay, &r.CreatedBy, &created, &updated, &r.Version, &until)
	if err != nil {
		return r, err
	}
	r.CreatedAt, r.UpdatedAt, r.Until = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC(), orNever(until)
	r.Sampling, err = strconv.ParseFloat(fraction, 64)
	return r, err
}

// DeleteEvaluationRule implements metastore.EvaluationRules.
func (s *Store) DeleteEvaluationRule(ctx context.Context, projectID, id string) error {
	if err := metastore.CheckID("id", id); err != nil {
		return err
	}
	return s.inTransaction(ctx, "delete evaluation rule", func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM evaluation_rule_evaluators WHERE project_id = $1 AND rule_id = $2`, projectID, id); err != nil {
			return err
		}
		done, err := tx.ExecContext(ctx, `DELETE FROM evaluation_rules WHERE project_id = $1 AND id = $2`, projectID, id)
		return oneRow(done, err)
	})
}

// HoldEvaluationRule implements metastore.EvaluationRules.
func (s *Store) HoldEvaluationRule(ctx context.Context, projectID, id, holder string, now, until time.Time) (bool, error) {
	done, err := s.db.ExecContext(ctx, `
		UPDATE evaluation_rules SET holder = $3, held_until = $4
		WHERE project_id = $1 AND id = $2 AND (holder = $3 OR held_until <= $5)`, projectID, id, holder, until.UnixMicro(), now.UnixMicro())
	err = oneRow(done, err)
	if errors.Is(err, metastore.ErrNotFound) {
		return false, nil
	}
	return err == nil, translate("hold evaluation rule", err)
}

// AdvanceEvaluationRule implements metastore.EvaluationRules.
func (s *Store) AdvanceEvaluationRule(ctx context.Context, projectID, id, holder string, from, to time.Time) error {
	done, err := s.db.ExecContext(ctx, `
		UPDATE evaluation_rules SET until_us = $5 WHERE project_id = $1 AND id = $2 AND holder = $3 AND until_us = $4`,
		projectID, id, holder, orZero(from), orZero(to))
	err = oneRow(done, err)
	if errors.Is(err, metastore.ErrNotFound) {
		return metastore.ErrChanged
	}
	return translate("advance evaluation rule", err)
}
