package pricing_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/price"
	"github.com/sondehq/sonde/internal/pricing"
)

var builtin = sync.OnceValues(price.Builtin)

func list(t testing.TB) *price.List {
	t.Helper()
	l, err := builtin()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// shelf holds the definitions of projects, and can be away.
type shelf struct {
	mu    sync.Mutex
	own   map[string][]price.Definition
	fails error
	hangs bool
	reads int
}

func (s *shelf) Models(ctx context.Context, projectID string) ([]price.Definition, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	if s.hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.own[projectID], s.fails
}

func (s *shelf) change(do func(*shelf)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do(s)
}

func own(id, pattern, input string, start time.Time) price.Definition {
	return price.Definition{ID: id, ProjectID: "p", Name: id, Pattern: pattern, Start: start, Tiers: []price.Tier{{
		ID: id + "-tier", Name: "Standard", Default: true, Prices: map[string]decimal.Decimal{"input": decimal.RequireFromString(input)},
	}}}
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

var at = time.Date(2026, 8, 22, 12, 0, 0, 0, time.UTC)

func row(modelName string) *model.Observation {
	return &model.Observation{
		ProjectID: "p", Type: model.Generation, Level: model.Default, StartTime: at, Model: modelName,
		UsageDetails: map[string]uint64{"input": 1000, "output": 200, "total": 1200},
	}
}

func apply(t *testing.T, p *pricing.Pricer, rows ...*model.Observation) {
	t.Helper()
	if err := p.Apply(t.Context(), rows); err != nil {
		t.Fatalf("Apply: %v", err)
	}
}

func total(o *model.Observation) string { return o.CostDetails["total"].String() }

func TestPriced(t *testing.T) {
	t.Parallel()
	o := row("gpt-4o")
	apply(t, pricing.New(list(t), &shelf{}, quiet()), o)
	d := list(t).Match("gpt-4o", at)
	want := &model.Observation{
		ProjectID: "p", Type: model.Generation, Level: model.Default, StartTime: at, Model: "gpt-4o",
		UsageDetails: o.UsageDetails, UsageOrigin: model.Provided, ModelID: d.ID,
		CostOrigin: model.Priced, PricingTierID: d.Default().ID, PricingTier: "Standard",
		CostDetails: map[string]decimal.Decimal{
			"input": decimal.RequireFromString("0.0025"), "output": decimal.RequireFromString("0.002"), "total": decimal.RequireFromString("0.0045"),
		},
	}
	if diff := cmp.Diff(want, o); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
}

func TestNotPriced(t *testing.T) {
	t.Parallel()
	amounts := map[string]decimal.Decimal{"input": decimal.New(1, -1), "audio": decimal.New(2, -1)}
	for name, tt := range map[string]struct {
		change  func(*model.Observation)
		matched bool
		tier    string
	}{
		"no model":               {func(o *model.Observation) { o.Model = "" }, false, ""},
		"unknown model":          {func(o *model.Observation) { o.Model = "gpt-4o-foo" }, false, ""},
		"P03, P10 cost is given": {func(o *model.Observation) { o.CostDetails = amounts }, true, ""},
		"zero cost is given":     {func(o *model.Observation) { o.CostDetails = map[string]decimal.Decimal{"total": {}} }, true, ""},
		"cost without usage":     {func(o *model.Observation) { o.CostDetails, o.UsageDetails, o.Input = amounts, nil, "hello" }, true, ""},
		"no usage, no text":      {func(o *model.Observation) { o.UsageDetails = nil }, true, ""},
		"no price for the keys":  {func(o *model.Observation) { o.UsageDetails = map[string]uint64{"foo": 3} }, true, "Standard"},
		"failed without usage": {func(o *model.Observation) {
			o.UsageDetails, o.Input, o.Level = nil, "hello", model.Error
		}, true, ""},
		"claude without usage": {func(o *model.Observation) {
			o.UsageDetails, o.Input, o.Model = nil, "hello", "claude-sonnet-4-5"
		}, true, ""},
		"text too long": {func(o *model.Observation) { o.UsageDetails, o.Input = nil, strings.Repeat("a ", 200_000) }, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := row("gpt-4o")
			tt.change(o)
			usage, costs := o.UsageDetails, o.CostDetails
			apply(t, pricing.New(list(t), &shelf{}, quiet()), o)
			if (o.ModelID != "") != tt.matched || o.PricingTier != tt.tier {
				t.Errorf("model id is %q, tier %q", o.ModelID, o.PricingTier)
			}
			if diff := cmp.Diff(costs, o.CostDetails); diff != "" {
				t.Errorf("cost changed (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(usage, o.UsageDetails); diff != "" {
				t.Errorf("usage changed (-want +got):\n%s", diff)
			}
			if (o.CostOrigin == model.Provided) != (costs != nil) || o.CostOrigin == model.Priced {
				t.Errorf("origin of the cost is %q", o.CostOrigin)
			}
		})
	}
}

// P09 of the cases.
func TestTokenized(t *testing.T) {
	t.Parallel()
	o := row("gpt-4o")
	o.UsageDetails, o.Input, o.Output = nil, `[{"role":"user","content":"hello world"}]`, "hello world"
	p := pricing.New(list(t), &shelf{}, quiet())
	apply(t, p, o)
	want := map[string]uint64{"input": 9, "output": 2, "total": 11}
	if diff := cmp.Diff(want, o.UsageDetails); diff != "" || o.UsageOrigin != model.Tokenized {
		t.Errorf("usage of %q (-want +got):\n%s", o.UsageOrigin, diff)
	}
	if total(o) != "0.0000425" || o.CostOrigin != model.Priced {
		t.Errorf("cost is %v of %q", o.CostDetails, o.CostOrigin)
	}
	// Stored rows come back without their text.
	o.Input, o.Output = "", ""
	apply(t, p, o)
	if diff := cmp.Diff(want, o.UsageDetails); diff != "" || o.UsageOrigin != model.Tokenized || total(o) != "0.0000425" {
		t.Errorf("after pricing again (-want +got):\n%s", diff)
	}
}

func TestPricedAgain(t *testing.T) {
	t.Parallel()
	definitions := &shelf{own: map[string][]price.Definition{"p": {own("mine", "^gpt-4o$", "1", time.Time{})}}}
	first := pricing.New(list(t), definitions, quiet())
	o, given := row("gpt-4o"), row("gpt-4o")
	given.CostDetails = map[string]decimal.Decimal{"total": decimal.New(7, 0)}
	apply(t, first, o, given)
	if o.ModelID != "mine" || total(o) != "1000" {
		t.Fatalf("priced by %s: %v", o.ModelID, o.CostDetails)
	}
	before := *o
	apply(t, first, o)
	if diff := cmp.Diff(before, *o); diff != "" {
		t.Errorf("pricing twice changes the row (-once +twice):\n%s", diff)
	}
	apply(t, pricing.New(list(t), &shelf{}, quiet()), o, given)
	if o.ModelID == "mine" || total(o) != "0.0045" || o.PricingTierID == "mine-tier" {
		t.Errorf("after the definition is gone: %s, %v", o.ModelID, o.CostDetails)
	}
	if total(given) != "7" || given.CostOrigin != model.Provided {
		t.Errorf("a given cost became %v", given.CostDetails)
	}
	o.Model = "unknown"
	apply(t, first, o)
	if o.CostDetails != nil || o.CostOrigin != "" || o.PricingTier != "" || o.ModelID != "" {
		t.Errorf("a model without definition keeps %v of %q", o.CostDetails, o.ModelID)
	}
}

// P08 of the cases.
func TestOwnDefinitionsComeFirst(t *testing.T) {
	t.Parallel()
	august := time.Date(2026, 8, 1, 0, 0, 0, 0, time.UTC)
	p := pricing.New(list(t), &shelf{own: map[string][]price.Definition{"p": {
		own("first", "^gpt-4o", "1", time.Time{}), own("august", "^gpt-4o$", "2", august), own("next year", "^gpt-4o$", "3", at.AddDate(1, 0, 0)),
		own("future mini", "^gpt-4.1-mini$", "4", at.AddDate(1, 0, 0)), own("bad", "(", "1", time.Time{}),
	}}}, quiet())
	old, mini, foreign, future := row("gpt-4o"), row("gpt-4o-mini"), row("gpt-4o"), row("gpt-4.1-mini")
	old.StartTime, foreign.ProjectID = august.Add(-time.Millisecond), "other"
	now := row("gpt-4o")
	apply(t, p, old, now, mini, foreign, future)
	for name, pair := range map[string][2]string{
		"before August": {old.ModelID, "first"}, "now": {now.ModelID, "august"}, "only the first": {mini.ModelID, "first"},
		"other project":   {foreign.ModelID, list(t).Match("gpt-4o", at).ID},
		"not yet started": {future.ModelID, list(t).Match("gpt-4.1-mini", at).ID},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: priced by %s, want %s", name, pair[0], pair[1])
		}
	}
	if d := p.Definition(t.Context(), "p", "august"); d == nil || d.Name != "august" {
		t.Errorf("own definition is %v", d)
	}
	if d := p.Definition(t.Context(), "other", "august"); d != nil {
		t.Error("another project's definition shows")
	}
	if d := p.Definition(t.Context(), "other", foreign.ModelID); d == nil || d.Name != "gpt-4o" {
		t.Errorf("built-in definition is %v", d)
	}
}

// eventually polls until a row is priced by a definition.
func eventually(t *testing.T, p *pricing.Pricer, want string) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		o := row("gpt-4o")
		apply(t, p, o)
		if o.ModelID == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("priced by %q, want %q", o.ModelID, want)
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-t.Context().Done():
		}
	}
}

func TestChangesAreSeen(t *testing.T) {
	t.Parallel()
	definitions := &shelf{own: map[string][]price.Definition{}}
	p := pricing.New(list(t), definitions, quiet())
	for range 100 {
		apply(t, p, row("gpt-4o"))
	}
	definitions.change(func(s *shelf) {
		if s.reads > 5 {
			t.Errorf("read %d times", s.reads)
		}
		s.own["p"] = []price.Definition{own("mine", "^gpt-4o$", "1", time.Time{})}
	})
	eventually(t, p, "mine")
	definitions.change(func(s *shelf) { s.own["p"] = nil })
	eventually(t, p, list(t).Match("gpt-4o", at).ID)
}

func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	var lines bytes.Buffer
	definitions := &shelf{own: map[string][]price.Definition{"p": {own("mine", "^gpt-4o$", "1", time.Time{})}}}
	p := pricing.New(list(t), definitions, slog.New(slog.NewTextHandler(&lines, nil)))
	eventually(t, p, "mine")
	definitions.change(func(s *shelf) { s.fails = errors.New("refused") })

	stranger := row("gpt-4o")
	stranger.ProjectID = "never seen"
	apply(t, p, stranger)
	if stranger.ModelID != list(t).Match("gpt-4o", at).ID {
		t.Errorf("a new project is priced by %q", stranger.ModelID)
	}
	until := time.Now().Add(1500 * time.Millisecond) // long enough for a second try
	for time.Now().Before(until) {
		eventually(t, p, "mine")
	}
	definitions.change(func(s *shelf) { s.fails, s.own["p"] = nil, nil })
	eventually(t, p, list(t).Match("gpt-4o", at).ID)
	if n := strings.Count(lines.String(), "cannot be read"); n != 1 {
		t.Errorf("said %d times:\n%s", n, lines.String())
	}
	if !strings.Contains(lines.String(), "can be read again") {
		t.Errorf("did not say that it is over:\n%s", lines.String())
	}
}

func TestDatabaseHangs(t *testing.T) {
	t.Parallel()
	p := pricing.New(list(t), &shelf{hangs: true}, quiet())
	begin := time.Now()
	var rows []*model.Observation
	for project := range strings.SplitSeq("abcdefghijklmnopqrst", "") {
		o := row("gpt-4o")
		o.ProjectID = project
		rows = append(rows, o)
	}
	apply(t, p, rows...)
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("rows of %d projects waited %v", len(rows), took)
	}
	if total(rows[19]) != "0.0045" {
		t.Errorf("cost is %v", rows[19].CostDetails)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Apply(ctx, rows); !errors.Is(err, context.Canceled) {
		t.Errorf("Apply with a canceled context = %v", err)
	}
}

// A project that sends texts that are slow to count stays within its share; others do not notice.
func TestCountingHasAShare(t *testing.T) {
	t.Parallel()
	p := pricing.New(list(t), &shelf{}, quiet())
	var rows []*model.Observation
	for range 100 {
		o := row("gpt-4o")
		o.UsageDetails, o.Input = nil, strings.Repeat("\n \n  ", 50_000)
		rows = append(rows, o)
	}
	begin := time.Now()
	apply(t, p, rows...)
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
	if rows[99].UsageDetails != nil {
		t.Error("the last row was counted, so the share has no end")
	}
	other := row("gpt-4o")
	other.ProjectID, other.UsageDetails, other.Input = "other", nil, "hello"
	apply(t, p, other)
	if other.UsageOrigin != model.Tokenized {
		t.Error("another project has no share of its own")
	}
}

func TestApplyAtOnce(t *testing.T) {
	t.Parallel()
	p := pricing.New(list(t), &shelf{own: map[string][]price.Definition{"p": {own("mine", "^mine", "1", time.Time{})}}}, quiet())
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				o, m := row("gpt-4o"), row("mine")
				if err := p.Apply(t.Context(), []*model.Observation{o, m}); err != nil || total(o) != "0.0045" || total(m) != "1000" {
					t.Errorf("%v, costs %v and %v", err, o.CostDetails, m.CostDetails)
					return
				}
			}
		})
	}
	all.Wait()
}

func BenchmarkApply(b *testing.B) {
	p := pricing.New(list(b), &shelf{}, quiet())
	rows := make([]*model.Observation, 100)
	for i := range rows {
		rows[i] = row("gpt-4o-mini")
		rows[i].ModelParameters = `{"temperature":0.7,"max_tokens":1000}`
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := p.Apply(b.Context(), rows); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(rows)), "ns/row")
}
