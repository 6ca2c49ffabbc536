package metastoretest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// evaluations are evaluators with all their versions, and rules with who holds them.
type evaluations struct {
	evaluators map[rowKey]model.EvaluatorEntity
	versions   map[rowKey][]model.EvaluatorVersion // the oldest first
	rules      map[rowKey]model.EvaluationRule
	holds      map[rowKey]hold
}

type hold struct {
	holder string
	until  time.Time
}

func newEvaluations() evaluations {
	return evaluations{
		map[rowKey]model.EvaluatorEntity{}, map[rowKey][]model.EvaluatorVersion{}, map[rowKey]model.EvaluationRule{}, map[rowKey]hold{},
	}
}

func (e *evaluations) forget(projectID string) {
	maps.DeleteFunc(e.evaluators, func(k rowKey, _ model.EvaluatorEntity) bool { return k.project == projectID })
	maps.DeleteFunc(e.versions, func(k rowKey, _ []model.EvaluatorVersion) bool { return k.project == projectID })
	maps.DeleteFunc(e.rules, func(k rowKey, _ model.EvaluationRule) bool { return k.project == projectID })
	maps.DeleteFunc(e.holds, func(k rowKey, _ hold) bool { return k.project == projectID })
}

// countIn counts the rows of a project.
func countIn[T any](table map[rowKey]T, projectID string) (n int) {
	for key := range table {
		if key.project == projectID {
			n++
		}
	}
	return n
}

// listAfter lists the rows of a project behind a place, the newest first.
func listAfter[T any](table map[rowKey]T, projectID string, after *metastore.Since, limit int, created func(T) time.Time) (list []T) {
	all, _ := newest(table, metastore.Range{Limit: len(table)}, created, func(key rowKey, row T) bool {
		if key.project != projectID {
			return false
		}
		return after == nil || cmp.Or(after.CreatedAt.Compare(created(row)), cmp.Compare(key.id, after.ID)) > 0
	})
	return slices.Clone(all[:min(limit, len(all))])
}

// CreateEvaluator implements metastore.Evaluators.
func (m *Memory) CreateEvaluator(ctx context.Context, e model.EvaluatorEntity) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckEvaluator(e)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if countIn(m.evaluators, e.ProjectID) >= metastore.MaxEvaluators {
		return metastore.TooMany(metastore.MaxEvaluators, "evaluators of a project")
	}
	e.CreatedAt, e.UpdatedAt, e.PausedAt, e.Latest.CreatedAt = microsecond(e.CreatedAt), microsecond(e.UpdatedAt), microsecond(e.PausedAt), microsecond(e.Latest.CreatedAt)
	e.Revision, e.UsedBy = 1, nil
	key := rowKey{e.ProjectID, e.ID}
	if err := add(m, m.evaluators, key, e); err != nil {
		return err
	}
	m.versions[key] = []model.EvaluatorVersion{e.Latest}
	return nil
}

// UpdateEvaluator implements metastore.Evaluators.
func (m *Memory) UpdateEvaluator(ctx context.Context, e model.EvaluatorEntity) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckEvaluator(e)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := rowKey{e.ProjectID, e.ID}
	old, known := m.evaluators[key]
	switch {
	case !known:
		return metastore.ErrNotFound
	case old.Revision != e.Revision:
		return metastore.ErrChanged
	case e.Latest.Number > metastore.MaxEvaluatorVersions:
		return metastore.TooManyEvaluatorVersions()
	}
	if e.Latest.Number > old.Latest.Number {
		old.Latest = e.Latest
		old.Latest.CreatedAt = microsecond(e.Latest.CreatedAt)
		m.versions[key] = append(m.versions[key], old.Latest)
	}
	old.Name, old.Description, old.UpdatedAt = e.Name, e.Description, microsecond(e.UpdatedAt)
	old.PausedAt, old.PausedReason, old.PausedMessage = microsecond(e.PausedAt), e.PausedReason, e.PausedMessage
	old.Revision++
	m.evaluators[key] = old
	return nil
}

// Evaluator implements metastore.Evaluators.
func (m *Memory) Evaluator(ctx context.Context, projectID, id string) (model.EvaluatorEntity, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("id", id)); err != nil {
		return model.EvaluatorEntity{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e, known := m.evaluators[rowKey{projectID, id}]
	if !known {
		return e, metastore.ErrNotFound
	}
	return m.withUses(e), nil
}

func (m *Memory) withUses(e model.EvaluatorEntity) model.EvaluatorEntity {
	for _, r := range listAfter(m.rules, e.ProjectID, nil, len(m.rules), func(r model.EvaluationRule) time.Time { return r.CreatedAt }) {
		for _, used := range r.Evaluators {
			if used.EvaluatorID == e.ID {
				e.UsedBy = append(e.UsedBy, model.RuleUse{RuleID: r.ID, Mapping: used.Mapping})
			}
		}
	}
	return e
}

// Evaluators implements metastore.Evaluators.
func (m *Memory) Evaluators(ctx context.Context, projectID string, after *metastore.Since, limit int) ([]model.EvaluatorEntity, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	list := listAfter(m.evaluators, projectID, after, limit, func(e model.EvaluatorEntity) time.Time { return e.CreatedAt })
	for i := range list {
		list[i] = m.withUses(list[i])
	}
	return list, nil
}

// DeleteEvaluator implements metastore.Evaluators.
func (m *Memory) DeleteEvaluator(ctx context.Context, projectID, id string) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("id", id)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := rowKey{projectID, id}
	if _, known := m.evaluators[key]; !known {
		return metastore.ErrNotFound
	}
	for k, r := range m.rules {
		left := slices.DeleteFunc(slices.Clone(r.Evaluators), func(e model.RuleEvaluator) bool { return e.EvaluatorID == id })
		if k.project != projectID || len(left) == len(r.Evaluators) {
			continue
		}
		r.Evaluators, r.Enabled = left, r.Enabled && len(left) > 0
		if len(left) == 0 {
			r.Evaluators = nil
		}
		r.Version++
		m.rules[k] = r
	}
	delete(m.evaluators, key)
	delete(m.versions, key)
	return nil
}

// EvaluatorVersions implements metastore.Evaluators.
func (m *Memory) EvaluatorVersions(ctx context.Context, projectID, id string, below, limit int) (list []model.EvaluatorVersion, err error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("id", id)); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, v := range slices.Backward(m.versions[rowKey{projectID, id}]) {
		if v.Number < below && len(list) < limit {
			list = append(list, v)
		}
	}
	return list, nil
}

// CreateEvaluationRule implements metastore.EvaluationRules.
func (m *Memory) CreateEvaluationRule(ctx context.Context, r model.EvaluationRule) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckEvaluationRule(r)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if countIn(m.rules, r.ProjectID) >= metastore.MaxEvaluationRules {
		return metastore.TooMany(metastore.MaxEvaluationRules, "evaluation rules of a project")
	}
	if !m.haveAll(r) {
		return metastore.ErrNotFound
	}
	r.CreatedAt, r.UpdatedAt, r.Until = microsecond(r.CreatedAt), microsecond(r.UpdatedAt), microsecond(r.Until)
	r.Evaluators = slices.Clone(r.Evaluators)
	return add(m, m.rules, rowKey{r.ProjectID, r.ID}, r)
}

func (m *Memory) haveAll(r model.EvaluationRule) bool {
	return !slices.ContainsFunc(r.Evaluators, func(e model.RuleEvaluator) bool {
		_, known := m.evaluators[rowKey{r.ProjectID, e.EvaluatorID}]
		return !known
	})
}

// UpdateEvaluationRule implements metastore.EvaluationRules.
func (m *Memory) UpdateEvaluationRule(ctx context.Context, r model.EvaluationRule) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckEvaluationRule(r)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := rowKey{r.ProjectID, r.ID}
	old, known := m.rules[key]
	switch {
	case !known:
		return metastore.ErrNotFound
	case old.Version != r.Version-1:
		return metastore.ErrChanged
	case !m.haveAll(r):
		return metastore.ErrNotFound
	}
	r.CreatedAt, r.CreatedBy, r.UpdatedAt, r.Until = old.CreatedAt, old.CreatedBy, microsecond(r.UpdatedAt), microsecond(r.Until)
	r.Evaluators = slices.Clone(r.Evaluators)
	m.rules[key] = r
	return nil
}

// EvaluationRule implements metastore.EvaluationRules.
func (m *Memory) EvaluationRule(ctx context.Context, projectID, id string) (model.EvaluationRule, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("id", id)); err != nil {
		return model.EvaluationRule{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r, known := m.rules[rowKey{projectID, id}]
	if !known {
		return r, metastore.ErrNotFound
	}
	return r, nil
}

// EvaluationRules implements metastore.EvaluationRules.
func (m *Memory) EvaluationRules(ctx context.Context, projectID string, after *metastore.Since, limit int) ([]model.EvaluationRule, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return listAfter(m.rules, projectID, after, limit, func(r model.EvaluationRule) time.Time { return r.CreatedAt }), nil
}

// DeleteEvaluationRule implements metastore.EvaluationRules.
func (m *Memory) DeleteEvaluationRule(ctx context.Context, projectID, id string) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("id", id)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := rowKey{projectID, id}
	if _, known := m.rules[key]; !known {
		return metastore.ErrNotFound
	}
	delete(m.rules, key)
	delete(m.holds, key)
	return nil
}

// EnabledEvaluationRules implements metastore.EvaluationRules.
func (m *Memory) EnabledEvaluationRules(ctx context.Context, afterProject, afterID string, limit int) (list []model.EvaluationRule, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, r := range m.rules {
		if r.Enabled && m.workable(key.project) && cmp.Or(cmp.Compare(key.project, afterProject), cmp.Compare(key.id, afterID)) > 0 {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b model.EvaluationRule) int {
		return cmp.Or(cmp.Compare(a.ProjectID, b.ProjectID), cmp.Compare(a.ID, b.ID))
	})
	return list[:min(limit, len(list))], nil
}

// HoldEvaluationRule implements metastore.EvaluationRules.
func (m *Memory) HoldEvaluationRule(ctx context.Context, projectID, id, holder string, now, until time.Time) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := rowKey{projectID, id}
	if _, known := m.rules[key]; !known {
		return false, nil
	}
	if held := m.holds[key]; held.holder != holder && held.until.After(now) {
		return false, nil
	}
	m.holds[key] = hold{holder, microsecond(until)}
	return true, nil
}

// AdvanceEvaluationRule implements metastore.EvaluationRules.
func (m *Memory) AdvanceEvaluationRule(ctx context.Context, projectID, id, holder string, from, to time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := rowKey{projectID, id}
	r, known := m.rules[key]
	if !known || m.holds[key].holder != holder || !r.Until.Equal(microsecond(from)) {
		return metastore.ErrChanged
	}
	r.Until = microsecond(to)
	m.rules[key] = r
	return nil
}
