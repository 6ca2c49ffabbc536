package metastoretest

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

var evaluationsTests = map[string]func(*testing.T, metastore.Store){
	"evaluators":                    testEvaluators,
	"evaluators changed at once":    testEvaluatorChangedAtOnce,
	"evaluators and rules in pages": testEvaluationPages,
	"evaluation rules":              testEvaluationRules,
	"deleted evaluators":            testDeleteEvaluator,
	"enabled evaluation rules":      testEnabledRules,
	"held evaluation rules":         testHeldRules,
	"refused evaluators and rules":  testRefusedEvaluations,
}

func evaluator(projectID, id string, micros int) model.EvaluatorEntity {
	at := annotated.Add(time.Duration(micros) * time.Microsecond)
	return model.EvaluatorEntity{
		ProjectID: projectID, ID: id, Name: "so \"müde\"", Description: "of '", Kind: model.CodeEvaluator, CreatedBy: "anna",
		CreatedAt: at, UpdatedAt: at, Revision: 1,
		Latest: model.EvaluatorVersion{ID: id + "-1", Number: 1, Definition: `{"sourceCode":"x"}`, CreatedBy: "anna", CreatedAt: at},
	}
}

func rule(projectID, id string, micros int, evaluators ...string) model.EvaluationRule {
	at := annotated.Add(time.Duration(micros) * time.Microsecond)
	r := model.EvaluationRule{
		ProjectID: projectID, ID: id, Name: "a rule", Enabled: true, Sampling: 0.1, Filter: `[{"a":1}]`, RunsPerDay: 5, CostPerDay: "0.10",
		CreatedBy: "anna", CreatedAt: at, UpdatedAt: at, Version: 1, Until: at,
	}
	for i, e := range evaluators {
		mapping := ""
		if i > 0 {
			mapping = `[{"variable":"x"}]`
		}
		r.Evaluators = append(r.Evaluators, model.RuleEvaluator{EvaluatorID: e, Mapping: mapping})
	}
	return r
}

func mustCreateEvaluators(t *testing.T, store metastore.Store, list ...model.EvaluatorEntity) {
	t.Helper()
	for _, e := range list {
		wantError(t, "CreateEvaluator "+e.ID, store.CreateEvaluator(t.Context(), e), nil)
	}
}

func mustCreateRules(t *testing.T, store metastore.Store, list ...model.EvaluationRule) {
	t.Helper()
	for _, r := range list {
		wantError(t, "CreateEvaluationRule "+r.ID, store.CreateEvaluationRule(t.Context(), r), nil)
	}
}

func wantEvaluator(t *testing.T, store metastore.Store, want model.EvaluatorEntity) {
	t.Helper()
	got, err := store.Evaluator(t.Context(), want.ProjectID, want.ID)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Evaluator %s: %v (-want +got):\n%s", want.ID, err, diff)
	}
}

func wantRule(t *testing.T, store metastore.Store, want model.EvaluationRule) {
	t.Helper()
	got, err := store.EvaluationRule(t.Context(), want.ProjectID, want.ID)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("EvaluationRule %s: %v (-want +got):\n%s", want.ID, err, diff)
	}
}

// twoProjects plants a project and makes another.
func twoProjects(t *testing.T, store metastore.Store) (own, other string) {
	t.Helper()
	seed := mustPlant(t, store, Seed("seed"))
	wantError(t, "CreateProject", store.CreateProject(t.Context(), model.Project{ID: "other", Organization: seed.Organization}), nil)
	return seed.Project.ID, "other"
}

func testEvaluators(t *testing.T, store metastore.Store) {
	project, _ := twoProjects(t, store)
	a, foreign := evaluator(project, "a", 0), evaluator("other", "a", 0)
	mustCreateEvaluators(t, store, a, foreign)
	wantError(t, "the same id", store.CreateEvaluator(t.Context(), a), metastore.ErrExists)
	wantError(t, "no project", store.CreateEvaluator(t.Context(), evaluator("nowhere", "a", 0)), metastore.ErrNotFound)
	wantEvaluator(t, store, a)

	first := a.Latest
	a.Name, a.Description, a.UpdatedAt = "another", "", annotated.Add(time.Hour)
	a.PausedAt, a.PausedReason, a.PausedMessage = annotated.Add(time.Minute), "why", "because"
	wantError(t, "UpdateEvaluator", store.UpdateEvaluator(t.Context(), a), nil)
	wantError(t, "UpdateEvaluator again", store.UpdateEvaluator(t.Context(), a), metastore.ErrChanged)
	a.Revision++
	wantEvaluator(t, store, a)
	a.Latest = model.EvaluatorVersion{ID: "a-2", Number: 2, Definition: "{}", CreatedAt: annotated.Add(2 * time.Hour)}
	a.PausedAt, a.PausedReason, a.PausedMessage = time.Time{}, "", ""
	wantError(t, "UpdateEvaluator with a version", store.UpdateEvaluator(t.Context(), a), nil)
	a.Revision++
	wantEvaluator(t, store, a)
	wantEvaluator(t, store, foreign)
	wantError(t, "UpdateEvaluator of none", store.UpdateEvaluator(t.Context(), evaluator(project, "none", 0)), metastore.ErrNotFound)

	for _, c := range []struct {
		below, limit int
		want         []model.EvaluatorVersion
	}{{math.MaxInt32, 10, []model.EvaluatorVersion{a.Latest, first}}, {math.MaxInt32, 1, []model.EvaluatorVersion{a.Latest}}, {2, 10, []model.EvaluatorVersion{first}}, {1, 10, nil}} {
		got, err := store.EvaluatorVersions(t.Context(), project, "a", c.below, c.limit)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("versions below %d: %v (-want +got):\n%s", c.below, err, diff)
		}
	}
}

func testEvaluatorChangedAtOnce(t *testing.T, store metastore.Store) {
	project, _ := twoProjects(t, store)
	mustCreateEvaluators(t, store, evaluator(project, "a", 0))
	changed := 0
	for _, err := range atOnce(8, func(i int) error {
		e := evaluator(project, "a", 0)
		e.Latest.ID, e.Latest.Number = fmt.Sprint("a-", i), 2
		return store.UpdateEvaluator(t.Context(), e)
	}) {
		switch {
		case err == nil:
			changed++
		case !errors.Is(err, metastore.ErrChanged):
			t.Error(err)
		}
	}
	if changed != 1 {
		t.Errorf("%d changes of one revision went through, want 1", changed)
	}
}

func testEvaluationPages(t *testing.T, store metastore.Store) {
	project, _ := twoProjects(t, store)
	mustCreateEvaluators(t, store, evaluator(project, "b", 1), evaluator(project, "a", 1), evaluator(project, "old", 0), evaluator(project, "new", 2), evaluator("other", "x", 3))
	mustCreateRules(t, store, rule(project, "b", 1), rule(project, "a", 1), rule(project, "old", 0), rule(project, "new", 2), rule("other", "x", 3))
	want := []string{"new", "a", "b", "old"}
	for _, limit := range []int{1, 2, 3, 10} {
		var evaluators, rules []string
		for after := (*metastore.Since)(nil); ; {
			page, err := store.Evaluators(t.Context(), project, after, limit)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range page {
				evaluators, after = append(evaluators, e.ID), &metastore.Since{CreatedAt: e.CreatedAt, ID: e.ID}
			}
			if len(page) < limit {
				break
			}
		}
		for after := (*metastore.Since)(nil); ; {
			page, err := store.EvaluationRules(t.Context(), project, after, limit)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range page {
				rules, after = append(rules, r.ID), &metastore.Since{CreatedAt: r.CreatedAt, ID: r.ID}
			}
			if len(page) < limit {
				break
			}
		}
		if diff := cmp.Diff([][]string{want, want}, [][]string{evaluators, rules}); diff != "" {
			t.Errorf("pages of %d (-want +got):\n%s", limit, diff)
		}
	}
}

func testEvaluationRules(t *testing.T, store metastore.Store) {
	project, _ := twoProjects(t, store)
	mustCreateEvaluators(t, store, evaluator(project, "x", 0), evaluator(project, "y", 0), evaluator("other", "z", 0))
	r, draft := rule(project, "r", 0, "x", "y"), rule(project, "draft", 0)
	draft.Enabled, draft.Until = false, time.Time{}
	mustCreateRules(t, store, r, draft)
	wantRule(t, store, r)
	wantRule(t, store, draft)
	wantError(t, "the same id", store.CreateEvaluationRule(t.Context(), r), metastore.ErrExists)
	wantError(t, "no project", store.CreateEvaluationRule(t.Context(), rule("nowhere", "r", 0)), metastore.ErrNotFound)
	wantError(t, "a foreign evaluator", store.CreateEvaluationRule(t.Context(), rule(project, "s", 0, "z")), metastore.ErrNotFound)
	x := evaluator(project, "x", 0)
	x.UsedBy = []model.RuleUse{{RuleID: "r"}}
	wantEvaluator(t, store, x)

	r.Name, r.Enabled, r.Sampling, r.Filter, r.RunsPerDay, r.CostPerDay = "another", false, 1, "[]", 0, ""
	r.Evaluators = []model.RuleEvaluator{{EvaluatorID: "y"}}
	r.UpdatedAt, r.Version, r.Until = annotated.Add(time.Hour), 2, annotated.Add(time.Minute)
	foreign := r
	foreign.Evaluators = []model.RuleEvaluator{{EvaluatorID: "z"}}
	wantError(t, "update with a foreign evaluator", store.UpdateEvaluationRule(t.Context(), foreign), metastore.ErrNotFound)
	wantError(t, "UpdateEvaluationRule", store.UpdateEvaluationRule(t.Context(), r), nil)
	wantError(t, "UpdateEvaluationRule again", store.UpdateEvaluationRule(t.Context(), r), metastore.ErrChanged)
	wantRule(t, store, r)
	none := rule(project, "none", 0)
	none.Version = 2
	wantError(t, "UpdateEvaluationRule of none", store.UpdateEvaluationRule(t.Context(), none), metastore.ErrNotFound)
	wantError(t, "DeleteEvaluationRule of another project", store.DeleteEvaluationRule(t.Context(), "other", "r"), metastore.ErrNotFound)
	wantError(t, "DeleteEvaluationRule", store.DeleteEvaluationRule(t.Context(), project, "r"), nil)
	wantError(t, "DeleteEvaluationRule again", store.DeleteEvaluationRule(t.Context(), project, "r"), metastore.ErrNotFound)
}

func testDeleteEvaluator(t *testing.T, store metastore.Store) {
	project, _ := twoProjects(t, store)
	mustCreateEvaluators(t, store, evaluator(project, "x", 0), evaluator(project, "y", 0), evaluator("other", "x", 0))
	both, only, foreign := rule(project, "both", 0, "x", "y"), rule(project, "only", 0, "x"), rule("other", "r", 0, "x")
	mustCreateRules(t, store, both, only, foreign)
	wantError(t, "DeleteEvaluator", store.DeleteEvaluator(t.Context(), project, "x"), nil)
	wantError(t, "DeleteEvaluator again", store.DeleteEvaluator(t.Context(), project, "x"), metastore.ErrNotFound)
	both.Evaluators, both.Version = both.Evaluators[1:], 2
	only.Evaluators, only.Enabled, only.Version = nil, false, 2
	wantRule(t, store, both)
	wantRule(t, store, only)
	wantRule(t, store, foreign)
	if got, err := store.EvaluatorVersions(t.Context(), project, "x", 10, 10); err != nil || len(got) != 0 {
		t.Errorf("versions of a deleted evaluator: %v, %v", got, err)
	}
}

func testEnabledRules(t *testing.T, store metastore.Store) {
	project, _ := twoProjects(t, store)
	off := rule(project, "off", 0)
	off.Enabled = false
	mustCreateRules(t, store, rule(project, "a", 0), rule(project, "b", 0), off, rule("other", "c", 0))
	var got []string
	for p, id := "", ""; ; {
		page, err := store.EnabledEvaluationRules(t.Context(), p, id, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page {
			got, p, id = append(got, r.ProjectID+" "+r.ID), r.ProjectID, r.ID
		}
		if len(page) < 2 {
			break
		}
	}
	want := []string{"other c", project + " a", project + " b"}
	if project < "other" {
		want = []string{project + " a", project + " b", "other c"}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("enabled rules (-want +got):\n%s", diff)
	}
}

func testHeldRules(t *testing.T, store metastore.Store) {
	project, _ := twoProjects(t, store)
	r := rule(project, "r", 0)
	mustCreateRules(t, store, r)
	now := annotated.Add(time.Hour)
	hold := func(holder string, at time.Time, want bool) {
		t.Helper()
		if got, err := store.HoldEvaluationRule(t.Context(), project, "r", holder, at, at.Add(time.Minute)); err != nil || got != want {
			t.Errorf("%s holds at %s: %t, %v, want %t", holder, at, got, err, want)
		}
	}
	hold("a", now, true)
	hold("b", now.Add(time.Second), false)
	hold("a", now.Add(2*time.Second), true)
	to := r.Until.Add(time.Minute)
	wantError(t, "advance of who does not hold it", store.AdvanceEvaluationRule(t.Context(), project, "r", "b", r.Until, to), metastore.ErrChanged)
	wantError(t, "AdvanceEvaluationRule", store.AdvanceEvaluationRule(t.Context(), project, "r", "a", r.Until, to), nil)
	wantError(t, "from where it is not any more", store.AdvanceEvaluationRule(t.Context(), project, "r", "a", r.Until, to), metastore.ErrChanged)
	r.Until = to
	wantRule(t, store, r)
	hold("b", now.Add(2*time.Minute), true)
	wantError(t, "advance of who held it", store.AdvanceEvaluationRule(t.Context(), project, "r", "a", to, to.Add(1)), metastore.ErrChanged)
	if got, err := store.HoldEvaluationRule(t.Context(), project, "none", "a", now, now); err != nil || got {
		t.Errorf("a rule that is not there is held: %t, %v", got, err)
	}
	held := 0
	for _, err := range atOnce(8, func(i int) error {
		ok, err := store.HoldEvaluationRule(t.Context(), project, "r", fmt.Sprint("node ", i), now.Add(time.Hour), now.Add(2*time.Hour))
		if ok {
			return errHeld
		}
		return err
	}) {
		if errors.Is(err, errHeld) {
			held++
		} else if err != nil {
			t.Error(err)
		}
	}
	if held != 1 {
		t.Errorf("%d hold the rule at once, want 1", held)
	}
}

var errHeld = errors.New("held")

func testRefusedEvaluations(t *testing.T, store metastore.Store) {
	project, _ := twoProjects(t, store)
	for name, change := range map[string]func(*model.EvaluatorEntity){
		"no name":          func(e *model.EvaluatorEntity) { e.Name = "" },
		"odd description":  func(e *model.EvaluatorEntity) { e.Description = "\x00" },
		"odd definition":   func(e *model.EvaluatorEntity) { e.Latest.Definition = "\xff" },
		"large definition": func(e *model.EvaluatorEntity) { e.Latest.Definition = strings.Repeat("x", metastore.MaxDefinition+1) },
		"no version":       func(e *model.EvaluatorEntity) { e.Latest.Number = 0 },
	} {
		e := evaluator(project, "a", 0)
		change(&e)
		if err := store.CreateEvaluator(t.Context(), e); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v, want a fault of kind Invalid", name, err)
		}
	}
	for name, change := range map[string]func(*model.EvaluationRule){
		"no name":             func(r *model.EvaluationRule) { r.Name = "" },
		"too much sampling":   func(r *model.EvaluationRule) { r.Sampling = 1.1 },
		"no number":           func(r *model.EvaluationRule) { r.Sampling = math.NaN() },
		"negative runs":       func(r *model.EvaluationRule) { r.RunsPerDay = -1 },
		"negative cost":       func(r *model.EvaluationRule) { r.CostPerDay = "-1" },
		"no cost":             func(r *model.EvaluationRule) { r.CostPerDay = "much" },
		"one evaluator twice": func(r *model.EvaluationRule) { r.Evaluators = rule("", "", 0, "x", "x").Evaluators },
		"a filter with a NUL": func(r *model.EvaluationRule) { r.Filter = "\x00" },
		"too many evaluators": func(r *model.EvaluationRule) {
			r.Evaluators = make([]model.RuleEvaluator, metastore.MaxRuleEvaluators+1)
		},
		"an id with much text": func(r *model.EvaluationRule) { r.ID = strings.Repeat("x", metastore.MaxText+1) },
	} {
		r := rule(project, "a", 0)
		change(&r)
		if err := store.CreateEvaluationRule(t.Context(), r); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v, want a fault of kind Invalid", name, err)
		}
	}
	largest := evaluator(project, "largest", 0)
	largest.Latest.Definition = strings.Repeat("x", metastore.MaxDefinition)
	mustCreateEvaluators(t, store, largest)
	wantEvaluator(t, store, largest)
}
