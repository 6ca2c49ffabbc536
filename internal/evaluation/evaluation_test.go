package evaluation_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/evaluation"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/partial"
	"github.com/sondehq/sonde/internal/sandbox"
	"github.com/sondehq/sonde/internal/tracestore/tracestoretest"
)

var interpreter = sync.OnceValue(func() *sandbox.Sandbox { return sandbox.New(sandbox.Limits{}) })

// accepted remembers scores, and may refuse them.
type accepted struct {
	mu     sync.Mutex
	scores map[string]string // bodies by id
	times  int
	err    error
}

func (a *accepted) AcceptScores(_ context.Context, projectID string, events []partial.Event) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err != nil {
		return a.err
	}
	for _, e := range events {
		_, id := e.Entity()
		a.scores[projectID+"/"+id] = string(e.Body)
		a.times++
	}
	return nil
}

// model answers as told.
type models struct {
	ask func(evaluation.Completion) (evaluation.Answer, error)
}

func (m models) Ready(context.Context, string, *evaluation.ModelConfig) error { return nil }

func (m models) Complete(_ context.Context, c evaluation.Completion) (evaluation.Answer, error) {
	return m.ask(c)
}

// horizon is a time that tests move.
type horizon struct{ at time.Time }

func (h *horizon) Settled(context.Context) (time.Time, error) { return h.at, nil }

type fixture struct {
	meta    *metastoretest.Memory
	store   *tracestoretest.Memory
	scores  *accepted
	models  models
	horizon *horizon
	service *evaluation.Service
	project string
}

func setup(t *testing.T) *fixture {
	t.Helper()
	meta := metastoretest.NewMemory()
	seed := metastoretest.Seed("seed")
	if _, err := meta.Plant(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	f := &fixture{
		meta: meta, store: &tracestoretest.Memory{}, scores: &accepted{scores: map[string]string{}}, horizon: &horizon{}, project: seed.Project.ID,
	}
	f.models.ask = func(evaluation.Completion) (evaluation.Answer, error) {
		return evaluation.Answer{Text: `{"reasoning":"so","score":0.5}`, Cost: "0.5"}, nil
	}
	f.service = evaluation.NewService(meta, f.store, interpreter(), f.models)
	return f
}

func (f *fixture) live() *evaluation.Live {
	return evaluation.NewLive(f.meta, f.store, f.scores, interpreter(), f.models, f.horizon, slog.New(slog.DiscardHandler))
}

// insert stores rows that were accepted in a moment.
func (f *fixture) insert(t *testing.T, prefix string, n int) {
	t.Helper()
	at := time.Now()
	if at.Before(f.horizon.at) {
		at = f.horizon.at
	}
	var rows []*model.Observation
	for i := range n {
		o := &model.Observation{
			ProjectID: f.project, TraceID: prefix, ID: fmt.Sprint(prefix, i), StartTime: at.Add(-time.Duration(i) * time.Second).UTC().Truncate(time.Millisecond),
			Type: model.Span, Name: "n", Level: model.Default, Environment: "default", Version: model.RowVersion(at, i), Output: fmt.Sprint("output ", i), Input: `{"q":["a","b"]}`,
		}
		if i%2 == 0 {
			o.Type = model.Generation
		}
		rows = append(rows, o)
	}
	if err := f.store.Insert(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	f.horizon.at = at.Add(5 * time.Millisecond)
}

func code(source string) evaluation.Draft {
	return evaluation.Draft{Name: "code", Kind: model.CodeEvaluator, Definition: evaluation.Definition{SourceCode: source, Language: evaluation.TypeScript}}
}

func judge(prompt string, mapping ...evaluation.Mapping) evaluation.Draft {
	return evaluation.Draft{Name: "judge", Kind: model.LLMJudge, Definition: evaluation.Definition{
		Prompt: []evaluation.Message{{Role: "user", Content: prompt}}, Mapping: mapping, Output: &evaluation.Output{DataType: model.Numeric},
	}}
}

func (f *fixture) rule(t *testing.T, change evaluation.RuleChange, drafts ...evaluation.Draft) model.EvaluationRule {
	t.Helper()
	list := []evaluation.Assignment{}
	for _, d := range drafts {
		e, err := f.service.Create(t.Context(), f.project, "", d)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, evaluation.Assignment{EvaluatorID: e.ID})
	}
	name, on := "rule", true
	change.Name, change.Enabled, change.Assignments = &name, &on, &list
	r, err := f.service.CreateRule(t.Context(), f.project, "", change)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// counts are the decisions of a rule as "outcome reason".
func (f *fixture) counts(t *testing.T, rule model.EvaluationRule) map[string]uint64 {
	t.Helper()
	list, err := f.service.Counts(t.Context(), f.project, rule.ID, time.Now().Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]uint64{}
	for _, c := range list {
		got[strings.TrimSpace(c.Outcome+" "+c.Reason)] += c.Count
	}
	return got
}

func lookOnce(t *testing.T, l *evaluation.Live) {
	t.Helper()
	if err := l.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// look looks until every rule is where the horizon is: on a busy machine that takes more than one turn.
func (f *fixture) look(t *testing.T, l *evaluation.Live) {
	t.Helper()
	for range 100 {
		lookOnce(t, l)
		rules, err := f.meta.EnabledEvaluationRules(t.Context(), "", "", 100)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(rules, func(r model.EvaluationRule) bool { return r.Until.Before(f.horizon.at.Truncate(time.Millisecond)) }) {
			return
		}
	}
	t.Fatal("the rules do not reach the horizon")
}

func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestEveryRowIsDecidedOnce(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.insert(t, "before", 3)
	filter := `[{"type":"stringOptions","column":"type","operator":"any of","value":["GENERATION"]}]`
	r := f.rule(t, evaluation.RuleChange{Filter: &filter}, code(`function evaluate(ctx) { if (ctx.observation.output === "output 4") throw new Error("no"); return ctx.observation.output.length }`))
	f.insert(t, "after", 10)
	live := f.live()
	f.look(t, live)
	want := map[string]uint64{"evaluated": 4, "failed threw": 1, "skipped filter": 5}
	same(t, "counts", want, f.counts(t, r))
	f.look(t, live)
	f.look(t, f.live())
	same(t, "counts after more looks", want, f.counts(t, r))
	if f.scores.times != 4 {
		t.Errorf("%d scores were written, want 4", f.scores.times)
	}
	f.insert(t, "more", 2)
	f.look(t, live)
	same(t, "counts with more rows", map[string]uint64{"evaluated": 5, "failed threw": 1, "skipped filter": 6}, f.counts(t, r))
}

func TestACrashBetweenScoresAndDecisions(t *testing.T) {
	t.Parallel()
	f := setup(t)
	r := f.rule(t, evaluation.RuleChange{}, code(`function evaluate(ctx) { return [{ name: "random", value: Math.random() }, { name: "now", value: Date.now() }] }`))
	f.insert(t, "rows", 4) // as many as run at once, whatever the time
	broken := &failingStore{Memory: f.store, err: errors.New("killed")}
	lookOnce(t, evaluation.NewLive(f.meta, broken, f.scores, interpreter(), f.models, f.horizon, slog.New(slog.DiscardHandler)))
	first := maps.Clone(f.scores.scores)
	if len(first) != 8 || len(f.counts(t, r)) != 0 {
		t.Fatalf("%d scores and decisions %v before the crash", len(first), f.counts(t, r))
	}
	// The one that died holds the rule for a while.
	if ok, err := f.meta.HoldEvaluationRule(t.Context(), f.project, r.ID, "nobody", time.Now().Add(time.Hour), time.Now()); err != nil || !ok {
		t.Fatal(ok, err)
	}
	f.look(t, f.live())
	same(t, "counts", map[string]uint64{"evaluated": 4}, f.counts(t, r))
	same(t, "scores of the replay", first, f.scores.scores)
}

// failingStore stores no decisions.
type failingStore struct {
	*tracestoretest.Memory
	err error
}

func (s *failingStore) InsertDecisions(context.Context, []model.Decision) error { return s.err }

func TestBudgetsAndPauses(t *testing.T) {
	t.Parallel()
	f := setup(t)
	runs, cost := 3, "1.2"
	byRuns := f.rule(t, evaluation.RuleChange{RunsPerDay: &runs}, code(`const evaluate = () => true`))
	byCost := f.rule(t, evaluation.RuleChange{CostPerDay: &cost}, judge("Rate {{output}}"))
	paused := f.rule(t, evaluation.RuleChange{}, code(`const evaluate = () => true`))
	yes := true
	if _, err := f.service.Update(t.Context(), f.project, paused.Evaluators[0].EvaluatorID, "", evaluation.EvaluatorChange{Paused: &yes}); err != nil {
		t.Fatal(err)
	}
	f.insert(t, "rows", 20)
	f.look(t, f.live())
	same(t, "runs", map[string]uint64{"evaluated": 3, "skipped budget_runs": 17}, f.counts(t, byRuns))
	// Costs are known after a run, and four run at once.
	same(t, "cost", map[string]uint64{"evaluated": 4, "skipped budget_cost": 16}, f.counts(t, byCost))
	same(t, "paused", map[string]uint64{"skipped paused": 20}, f.counts(t, paused))
}

// Rules are for items of experiments, too: filters name their dataset, evaluators see what was expected.
func TestItemsOfExperiments(t *testing.T) {
	t.Parallel()
	f := setup(t)
	filter := `[{"type":"stringOptions","column":"datasetId","operator":"any of","value":["capitals"]}]`
	r := f.rule(t, evaluation.RuleChange{Filter: &filter},
		code(`function evaluate(ctx) { return { scores: [{ name: "right", value: ctx.observation.output === ctx.experiment.itemExpectedOutput.answer, comment: ctx.experiment.itemMetadata.level }] } }`),
		judge("Is {{output}} the same as {{expected}}?", evaluation.Mapping{Variable: "expected", Source: "expected_output", JSONPath: "$.answer"}))
	var asked []string
	f.models.ask = func(c evaluation.Completion) (evaluation.Answer, error) {
		asked = append(asked, c.Messages[0].Content)
		return evaluation.Answer{Text: `{"reasoning":"so","score":1}`}, nil
	}
	at := time.Now()
	item := func(id, dataset string) *model.Observation {
		return &model.Observation{
			ProjectID: f.project, TraceID: "t", ID: id, StartTime: at.UTC().Truncate(time.Millisecond), Type: model.Span, Name: "item", Level: model.Default,
			Environment: "default", Version: model.RowVersion(at, 0), Output: "Oslo", Experiment: &model.Experiment{
				ID: "e", Name: "run", DatasetID: dataset, ItemID: "i", ItemExpectedOutput: `{"answer":"Oslo"}`,
				ItemMetadata: []model.MetadataEntry{{Name: "level", Value: "easy", Type: model.MetadataString}},
			},
		}
	}
	plain := item("plain", "")
	plain.Experiment = nil
	if err := f.store.Insert(t.Context(), []*model.Observation{item("one", "capitals"), item("two", "rivers"), plain}); err != nil {
		t.Fatal(err)
	}
	f.horizon.at = at.Add(5 * time.Millisecond)
	f.look(t, f.live())
	same(t, "counts", map[string]uint64{"evaluated": 2, "skipped filter": 2}, f.counts(t, r))
	same(t, "prompts", []string{"Is Oslo the same as Oslo?"}, asked)
	bodies := fmt.Sprint(f.scores.scores)
	for _, want := range []string{`"name":"right"`, `"value":1`, `"comment":"easy"`, `"observationId":"one"`} {
		if !strings.Contains(bodies, want) {
			t.Errorf("no %s in %s", want, bodies)
		}
	}
}

func TestSamplesAreDecided(t *testing.T) {
	t.Parallel()
	f := setup(t)
	half := 0.5
	r := f.rule(t, evaluation.RuleChange{Sampling: &half}, code(`const evaluate = () => "yes"`))
	f.insert(t, "rows", 100)
	f.look(t, f.live())
	got := f.counts(t, r)
	if got["evaluated"]+got["skipped sampling"] != 100 || got["evaluated"] < 30 || got["evaluated"] > 70 {
		t.Errorf("counts %v", got)
	}
}

func TestJudges(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.insert(t, "rows", 1)
	var asked evaluation.Completion
	say := `{"reasoning":"because","score":0.25}`
	service := evaluation.NewService(f.meta, f.store, interpreter(), models{func(c evaluation.Completion) (evaluation.Answer, error) {
		asked = c
		return evaluation.Answer{Text: "```json\n" + say + "\n```", Cost: "0.01"}, nil
	}})
	try := func(d evaluation.Draft) evaluation.Trial {
		t.Helper()
		trial, err := service.Try(t.Context(), f.project, d, "rows", "rows0")
		if err != nil {
			t.Fatal(err)
		}
		return trial
	}
	trial := try(judge("Rate {{ output }} for {{first}}: {{output}}", evaluation.Mapping{Variable: "first", Source: "input", JSONPath: "$.q[0]"}))
	same(t, "prompt", "Rate output 0 for a: output 0", asked.Messages[0].Content)
	same(t, "results", []evaluation.Result{{Name: "judge", Type: model.Numeric, Number: 0.25, Comment: "because"}}, trial.Results)
	for _, c := range []struct {
		draft  evaluation.Draft
		say    string
		reason string
	}{
		{judge("{{unknown}}"), say, "mapping"},
		{judge("{{first}}", evaluation.Mapping{Variable: "first", Source: "input", JSONPath: "$.none"}), say, "mapping"},
		{judge("{{output}}"), "I cannot say", "output"},
		{judge("{{output}}"), `{"reasoning":"x","score":"high"}`, "output"},
	} {
		say = c.say
		if got := try(c.draft); got.Reason != c.reason || got.Message == "" || got.Results != nil {
			t.Errorf("%s, %s: %+v, want the reason %s", c.draft.Definition.Prompt, c.say, got, c.reason)
		}
	}
}

func TestAModelThatIsGonePausesItsEvaluator(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.models.ask = func(evaluation.Completion) (evaluation.Answer, error) {
		return evaluation.Answer{}, fault.New(fault.Precondition, "no model connection")
	}
	r := f.rule(t, evaluation.RuleChange{}, judge("{{output}}"))
	f.insert(t, "rows", 2)
	live := f.live()
	f.look(t, live)
	f.insert(t, "more", 3)
	f.look(t, live)
	same(t, "counts", map[string]uint64{"failed no_model_connection": 2, "skipped paused": 3}, f.counts(t, r))
}

// task is a job in memory.
type task struct{ job jobs.Job }

func (k *task) Job() jobs.Job          { return k.job }
func (k *task) Progress(jobs.Progress) {}
func (k *task) Checkpoint(_ context.Context, text json.RawMessage) error {
	k.job.Checkpoint = text
	return nil
}

func TestBackfill(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.insert(t, "old", 30)
	runs := 4
	r := f.rule(t, evaluation.RuleChange{RunsPerDay: &runs}, code(`const evaluate = () => 1`))
	f.insert(t, "new", 10)
	f.look(t, f.live())
	same(t, "live", map[string]uint64{"evaluated": 4, "skipped budget_runs": 6}, f.counts(t, r))
	from, to := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	e, err := f.service.Estimate(t.Context(), f.project, r.ID, from, to)
	if err != nil || e.Rows != 36 || e.Runs != 36 || e.Cost == nil || !e.Cost.IsZero() {
		t.Errorf("estimated %+v, %v", e, err)
	}
	handler := evaluation.NewHandler(f.meta, f.store, f.scores, interpreter(), f.models)
	parameters, err := handler.Check(json.RawMessage(fmt.Sprintf(`{"kind":"evaluate","ruleId":%q,"from":%q,"to":%q}`, r.ID, from.Format(time.RFC3339), to.Format(time.RFC3339))))
	if err != nil {
		t.Fatal(err)
	}
	result, err := handler.Run(t.Context(), &task{jobs.Job{ID: "job", ProjectID: f.project, Kind: evaluation.Kind, Parameters: parameters}})
	if err != nil || !strings.Contains(string(result), `"evaluated":36`) {
		t.Errorf("%s, %v", result, err)
	}
	same(t, "all", map[string]uint64{"evaluated": 40}, f.counts(t, r))
	if len(f.scores.scores) != 40 || f.scores.times != 40 {
		t.Errorf("%d scores, written %d times, want 40", len(f.scores.scores), f.scores.times)
	}
	for _, bad := range []string{`{`, `{}`, `{"ruleId":"r","from":"2026-01-02T00:00:00Z","to":"2026-01-01T00:00:00Z"}`, `{"ruleId":"r","from":"2026-01-01T00:00:00Z","to":"2026-01-02T00:00:00Z","maxCost":"x"}`} {
		if _, err := handler.Check(json.RawMessage(bad)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
