package evaluation_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/evaluation"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/llm"
	"github.com/sondehq/sonde/internal/llm/llmtest"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/otlp"
	"github.com/sondehq/sonde/internal/outbound"
	"github.com/sondehq/sonde/internal/tracestore"
)

// links are connections to one provider, one for each adapter and called like it. The newest is first.
type links struct {
	base, key string
	have      []string
}

func (c links) connection(name string) model.Connection {
	return model.Connection{Provider: name, Adapter: name, BaseURL: c.base, Models: []string{llmtest.Echo}}
}

func (c links) ByProvider(_ context.Context, _, provider string) (model.Connection, error) {
	for _, name := range c.have {
		if name == provider {
			return c.connection(name), nil
		}
	}
	return model.Connection{}, fault.New(fault.NotFound, "no such connection")
}

func (c links) List(context.Context, string, metastore.Range) (list []model.Connection, n int, err error) {
	for _, name := range c.have {
		list = append(list, c.connection(name))
	}
	return list, len(list), nil
}

func (c links) Secrets(model.Connection) (key string, headers map[string]string, err error) {
	return c.key, nil, nil
}

// traces keeps calls as the writer maps them.
type traces struct {
	mu   sync.Mutex
	rows []*model.Observation
}

func (k *traces) Trace(_ context.Context, projectID string, export []byte) error {
	request, err := otlp.ParseJSON(export)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, part := range request.Split(1 << 20) {
		rows, err := otlp.Map(part.Payload, otlp.Source{ProjectID: projectID, AcceptedAt: time.Now()})
		if err != nil {
			return err
		}
		k.rows = append(k.rows, rows...)
	}
	return nil
}

// cents prices a token at a cent.
type cents struct{}

func (cents) Apply(_ context.Context, rows []*model.Observation) error {
	for _, row := range rows {
		row.CostDetails = map[string]decimal.Decimal{"total": decimal.New(int64(row.UsageDetails["total"]), -2)}
	}
	return nil
}

// judges asks a provider of tests over HTTP; allowed says whether it may be called at its private address.
func judges(t *testing.T, key string, allowed bool, have ...string) (*evaluation.Judges, *traces) {
	t.Helper()
	provider := llmtest.New(t)
	var endpoints []string
	if allowed {
		endpoints = []string{provider.URL}
	}
	guard := outbound.NewGuard(endpoints)
	t.Cleanup(guard.Close)
	known, kept := links{base: provider.URL, key: key, have: have}, &traces{}
	return evaluation.NewJudges(known, llm.New(known, guard), cents{}, kept, slog.New(slog.DiscardHandler)), kept
}

func judgeBy(provider, name string) evaluation.Draft {
	draft := judge("Rate {{output}}")
	draft.Definition.Model = &evaluation.ModelConfig{Provider: provider, Model: name}
	return draft
}

func TestJudgesAskEveryFormat(t *testing.T) {
	t.Parallel()
	for _, adapter := range []string{"openai", "anthropic", "google-ai-studio"} {
		t.Run(adapter, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			f.insert(t, "rows", 1)
			models, kept := judges(t, llmtest.Key, true, adapter)
			service := evaluation.NewService(f.meta, f.store, interpreter(), models)
			trial, err := service.Try(t.Context(), f.project, judgeBy(adapter, llmtest.Echo), "rows", "rows0")
			if err != nil {
				t.Fatal(err)
			}
			same(t, "results", []evaluation.Result{{Name: "judge", Type: model.Numeric, Number: 1, Comment: "as asked"}}, trial.Results)
			if trial.Cost != "0.17" || len(kept.rows) != 1 {
				t.Fatalf("cost %s, %d calls traced", trial.Cost, len(kept.rows))
			}
			row := kept.rows[0]
			if row.TraceID != trial.TraceID || row.Environment != evaluation.Environment || row.Type != model.Generation || row.Name != "judge" ||
				row.UsageDetails["total"] != 17 || !strings.Contains(row.Input, "Rate output 0") || !strings.Contains(fmt.Sprint(row.Metadata), "rows0") {
				t.Errorf("traced %+v", row)
			}
		})
	}
}

// What goes wrong is told in the provider's words, and says whether the evaluator can go on.
func TestJudgesThatFail(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		model, key string
		refused    bool // by the guard
		kind       fault.Kind
		words      string
	}{
		"a request that is refused": {llmtest.Refuses, llmtest.Key, false, fault.Invalid, "temperature is not for this model"},
		"no room":                   {llmtest.Limited, llmtest.Key, false, fault.Limited, "Rate limit reached"},
		"a provider that fails":     {llmtest.Fails, llmtest.Key, false, fault.Unavailable, "500"},
		"an answer that breaks off": {llmtest.Broken, llmtest.Key, false, fault.Unavailable, "broke off"},
		"a model that is not there": {llmtest.Unknown, llmtest.Key, false, fault.Precondition, "does not know the model"},
		"a redirect":                {llmtest.Moved, llmtest.Key, false, fault.Precondition, "redirect"},
		"a wrong key":               {llmtest.Echo, "sk-wrong", false, fault.Precondition, "refused the key"},
		"a private address":         {llmtest.Echo, llmtest.Key, true, fault.Precondition, "outbound-endpoints"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			models, kept := judges(t, c.key, !c.refused, "openai")
			_, err := models.Complete(t.Context(), evaluation.Completion{
				ProjectID: "p", Config: &evaluation.ModelConfig{Provider: "openai", Model: c.model}, TraceID: llm.NewTraceID(), Name: "judge",
				Messages: []evaluation.Message{{Role: "user", Content: "hello"}},
			})
			f, ok := errors.AsType[*fault.Fault](err)
			if !ok || f.Kind != c.kind || !strings.Contains(f.Public(), c.words) || strings.Contains(f.Public(), c.key) {
				t.Errorf("got %v, want the kind %d and %q", err, c.kind, c.words)
			}
			if len(kept.rows) != 1 || kept.rows[0].Level != model.Error || !strings.Contains(kept.rows[0].StatusMessage, c.words) {
				t.Errorf("traced %+v", kept.rows)
			}
		})
	}
}

func TestJudgesFindAModel(t *testing.T) {
	t.Parallel()
	none, _ := judges(t, llmtest.Key, true)
	some, _ := judges(t, llmtest.Key, true, "anthropic", "openai", "bedrock")
	for name, c := range map[string]struct {
		models *evaluation.Judges
		config *evaluation.ModelConfig
		words  string // of the refusal; empty: it is ready
	}{
		"the default":               {some, nil, ""},
		"one by name":               {some, &evaluation.ModelConfig{Provider: "anthropic", Model: "any"}, ""},
		"no connection":             {none, nil, "save an LLM connection"},
		"an unknown connection":     {some, &evaluation.ModelConfig{Provider: "azure", Model: "m"}, "none called azure"},
		"one that cannot be called": {some, &evaluation.ModelConfig{Provider: "bedrock", Model: "m"}, "cannot be called from here"},
	} {
		err := c.models.Ready(t.Context(), "p", c.config)
		if c.words == "" && err != nil || c.words != "" && (!fault.Is(err, fault.Precondition) || !strings.Contains(err.Error(), c.words)) {
			t.Errorf("%s: %v, want %q", name, err, c.words)
		}
	}
}

// A rule that judges everything meets its own calls, and leaves them alone.
func TestJudgesDoNotJudgeThemselves(t *testing.T) {
	t.Parallel()
	f := setup(t)
	models, kept := judges(t, llmtest.Key, true, "openai")
	f.service = evaluation.NewService(f.meta, f.store, interpreter(), models)
	r := f.rule(t, evaluation.RuleChange{}, judge("Rate {{output}}"))
	f.insert(t, "rows", 3)
	live := evaluation.NewLive(f.meta, f.store, f.scores, interpreter(), models, f.horizon, slog.New(slog.DiscardHandler))
	f.look(t, live)
	same(t, "counts", map[string]uint64{"evaluated": 3}, f.counts(t, r))
	for range 3 {
		calls := kept.rows
		kept.rows = nil
		for i, row := range calls {
			row.Version = model.RowVersion(f.horizon.at, i)
		}
		if err := f.store.Insert(t.Context(), calls); err != nil {
			t.Fatal(err)
		}
		f.horizon.at = f.horizon.at.Add(5 * time.Millisecond)
		f.look(t, live)
	}
	same(t, "counts with the calls", map[string]uint64{"evaluated": 3, "skipped own_call": 3}, f.counts(t, r))
	for _, body := range f.scores.scores {
		if !strings.Contains(body, `"executionTraceId":"`) {
			t.Errorf("the score %s does not name the trace of its call", body)
		}
	}
	from, to := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	other := f.rule(t, evaluation.RuleChange{}, judge("{{output}}"))
	if e, err := f.service.Estimate(t.Context(), f.project, other.ID, from, to); err != nil || e.Rows != 6 || e.Runs != 3 {
		t.Errorf("estimated %+v, %v; want 6 rows, and runs for those 3 that are no calls", e, err)
	}
}

// retried asks a rule with one judge about rows, on a clock that costs no time.
func retried(t *testing.T, rows int, ask func(try int) (evaluation.Answer, error)) (f *fixture, r model.EvaluationRule, asked int) {
	t.Helper()
	f = setup(t)
	var mu sync.Mutex
	f.models.ask = func(evaluation.Completion) (evaluation.Answer, error) {
		mu.Lock()
		defer mu.Unlock()
		asked++
		return ask(asked)
	}
	r = f.rule(t, evaluation.RuleChange{}, judge("{{output}}"))
	f.insert(t, "rows", rows)
	lookOnce(t, f.live())
	return f, r, asked
}

func TestAModelIsAskedAgain(t *testing.T) {
	t.Parallel()
	good := evaluation.Answer{Text: `{"reasoning":"so","score":1}`, Cost: "0.25"}
	for name, c := range map[string]struct {
		err   error
		until int // tries that fail
		want  string
		asked int
		cost  string
	}{
		"a pause":                   {fault.Unavailablef("it failed"), 2, "evaluated", 3, "0.75"},
		"a failure that stays":      {fault.Unavailablef("it failed"), 99, "failed model", 3, "0.75"},
		"room after a while":        {fault.New(fault.Limited, "no room"), 4, "evaluated", 5, "1.25"},
		"no room":                   {fault.New(fault.Limited, "no room"), 99, "failed rate_limited", 5, "1.25"},
		"a request that is refused": {fault.New(fault.Invalid, "too long"), 99, "failed model", 1, "0.25"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f, r, asked := retried(t, 1, func(try int) (evaluation.Answer, error) {
					if try <= c.until {
						return evaluation.Answer{Cost: "0.25"}, c.err
					}
					return good, nil
				})
				same(t, "counts", map[string]uint64{c.want: 1}, f.counts(t, r))
				list, err := f.service.Decisions(t.Context(), tracestore.DecisionQuery{ProjectID: f.project, RuleID: r.ID, Limit: 10})
				if err != nil || len(list) != 1 || list[0].Cost != c.cost || asked != c.asked {
					t.Errorf("decisions %+v, %v; asked %d times", list, err, asked)
				}
			})
		})
	}
}

// A provider without room is left alone: what was not begun waits for the next turn, and is lost by nobody.
func TestRowsWaitForAProviderWithoutRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		busy := true
		f, r, asked := retried(t, 30, func(int) (evaluation.Answer, error) {
			if busy {
				return evaluation.Answer{}, fault.New(fault.Limited, "no room")
			}
			return evaluation.Answer{Text: `{"reasoning":"so","score":1}`}, nil
		})
		same(t, "counts without room", map[string]uint64{"failed rate_limited": 4}, f.counts(t, r))
		if asked != 20 {
			t.Errorf("asked %d times, want 5 times for each of 4 rows", asked)
		}
		busy = false
		time.Sleep(time.Minute) // the hold of the one before ends
		f.look(t, f.live())
		same(t, "counts with room", map[string]uint64{"failed rate_limited": 4, "evaluated": 26}, f.counts(t, r))
	})
}

// What a model was asked for is kept soon: a store that fails in the middle of a page loses one part of it.
func TestAnswersAreKeptSoon(t *testing.T) {
	t.Parallel()
	f := setup(t)
	r := f.rule(t, evaluation.RuleChange{}, judge("{{output}}"))
	f.insert(t, "rows", 100)
	store := &failingLater{failingStore{Memory: f.store, err: errors.New("killed")}, 2}
	lookOnce(t, evaluation.NewLive(f.meta, store, f.scores, interpreter(), f.models, f.horizon, slog.New(slog.DiscardHandler)))
	same(t, "counts", map[string]uint64{"evaluated": 50}, f.counts(t, r))
}

// failingLater stores decisions a few times.
type failingLater struct {
	failingStore

	good int
}

func (s *failingLater) InsertDecisions(ctx context.Context, list []model.Decision) error {
	if s.good--; s.good < 0 {
		return s.err
	}
	return s.Memory.InsertDecisions(ctx, list)
}
