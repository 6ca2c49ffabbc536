package bench

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/otlp"
)

func seedOf(t testing.TB, rows int, dense bool) *seeder {
	t.Helper()
	plan, err := newSeedPlan(rows, 1, dense)
	if err != nil {
		t.Fatal(err)
	}
	return newSeeder(plan.layout())
}

// seedRows maps a whole seed as the writer does.
func seedRows(t testing.TB, s *seeder) []*model.Observation {
	t.Helper()
	var rows []*model.Observation
	bodies := s.bodies()
	for i := range len(bodies) - 1 {
		var spans []span
		for trace := bodies[i]; trace < bodies[i+1]; trace++ {
			spans = append(spans, s.trace(trace)...)
		}
		mapped, err := otlp.Map(encodeRequest(spans), otlp.Source{ProjectID: projectID, AcceptedAt: s.end()})
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, mapped...)
	}
	return rows
}

func TestSeedIsAFunctionOfItsPlan(t *testing.T) {
	t.Parallel()
	a, b := seedOf(t, 3_000, true), seedOf(t, 3_000, true)
	for _, trace := range []int{b.traces() - 1, 7, 0} { // in any order
		if !cmp.Equal(encodeRequest(a.trace(trace)), encodeRequest(b.trace(trace))) {
			t.Errorf("trace %d differs", trace)
		}
	}
	other, err := newSeedPlan(3_000, 2, true)
	if err != nil {
		t.Fatal(err)
	}
	if cmp.Equal(encodeRequest(a.trace(0)), encodeRequest(newSeeder(other.layout()).trace(0))) {
		t.Error("another seed makes the same trace")
	}
}

func TestSeedHasExactlyItsRows(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rows  int
		dense bool
	}{{1, true}, {15, true}, {16, true}, {200, true}, {3_000, true}, {3_000, false}, {8_000, true}} {
		s := seedOf(t, test.rows, test.dense)
		seen := map[string]bool{}
		inMinute := 0
		for _, o := range seedRows(t, s) {
			seen[o.TraceID+o.ID] = true
			if o.StartTime.Before(seedBegin) || !o.StartTime.Before(s.end()) {
				t.Fatalf("a row starts at %s", o.StartTime)
			}
			if !o.StartTime.Before(s.denseFrom()) {
				inMinute++
			}
		}
		want := 0
		if test.dense {
			want = test.rows / 16
		}
		if len(seen) != test.rows || inMinute != want {
			t.Errorf("%d rows (dense %t): %d made, %d in the newest minute", test.rows, test.dense, len(seen), inMinute)
		}
	}
	for _, rows := range []int{0, -1, mostSeedRows + 1} {
		if _, err := newSeedPlan(rows, 1, true); err == nil {
			t.Errorf("%d rows are no seed", rows)
		}
	}
}

// The promises that the classes of bench read rely on, over a seed as the writer sees it.
func TestSeedStatistics(t *testing.T) {
	t.Parallel()
	s := seedOf(t, 12_000, true)
	rows := seedRows(t, s)
	share := map[string]float64{}
	tickets, sizes := map[string]int{}, map[string]int{}
	for _, o := range rows {
		sizes[o.TraceID]++
		for _, what := range featuresOf(o) {
			share[what] += 1 / float64(len(rows))
		}
		for word := range strings.FieldsSeq(o.Input) {
			if word = strings.Trim(word, `"}]`); strings.HasPrefix(word, "qx") {
				tickets[word]++
			}
		}
	}
	for what, want := range map[string]float64{
		"jasmine": 0.3, "yonder": 0.3, "xenial": 0.3, "zebra": 0.3, "rare key": 0.35, "rare_07": 0.01,
		"5 common keys": 1, "cjk": 0.05, "user": 0.8, "production": 0.7, "staging": 0.2, "development": 0.1,
		"usage": 0.45, "gpt-4o": 0.09, "ERROR": 0.01, "WARNING": 0.03,
	} {
		if got := share[what]; math.Abs(got-want) > 0.25*want+0.02 {
			t.Errorf("%s: in %.3f of the rows, want about %.3f", what, got, want)
		}
	}
	if len(tickets) != s.tickets() {
		t.Errorf("%d tickets, want %d", len(tickets), s.tickets())
	}
	for number := range s.tickets() {
		if got := tickets[ticketWord(number)]; got != ticketRows || got != s.ticketCount(number) {
			t.Errorf("ticket %d is in %d rows, counted as %d", number, got, s.ticketCount(number))
		}
	}
	checkSizes(t, sizes)
}

// featuresOf names what a row has.
func featuresOf(o *model.Observation) []string {
	features := []string{string(o.Level), o.Environment, o.Model}
	add := func(what string, has bool) {
		if has {
			features = append(features, what)
		}
	}
	for _, word := range commonWords {
		add(word, strings.Contains(o.Input, word))
	}
	common := 0
	for _, entry := range o.Metadata {
		if strings.HasPrefix(entry.Name, "rare_") {
			features = append(features, "rare key", entry.Name)
		}
		switch entry.Name {
		case "customer", "plan", "region", "request", "attempt":
			common++
		}
	}
	add("5 common keys", common == 5)
	add("user", o.UserID != "")
	add("usage", len(o.UsageDetails) > 0)
	add("cjk", strings.ContainsFunc(o.Input+o.Output, func(r rune) bool { return r >= 0x4e00 }))
	return features
}

func checkSizes(t *testing.T, sizes map[string]int) {
	t.Helper()
	long, odd := 0, 0
	for _, size := range sizes {
		switch {
		case size >= 500:
			long++
		case size < 12 || size > 30:
			odd++
		}
	}
	if long != 1 || odd > 2 { // two are cut: before the newest minute and at the end
		t.Errorf("%d long traces, %d of another size", long, odd)
	}
}

func TestSeedKnowsItsPlaces(t *testing.T) {
	t.Parallel()
	s := seedOf(t, 5_000, true)
	for _, row := range []int{0, 1, 499, 4_686, 4_687, 4_999} {
		trace := s.traceOf(row)
		if first := int(s.first[trace]); row < first || row >= first+s.rows(trace) {
			t.Errorf("row %d is said to be in trace %d, which begins with %d", row, trace, first)
		}
	}
	at := s.end().Add(-24 * time.Hour)
	trace := s.since(at)
	if s.trace(trace)[0].start.Before(at) || !s.trace(trace - 2)[0].start.Before(at) {
		t.Errorf("trace %d is said to be the first since %s", trace, at)
	}
	ticket, ok := s.ticketOf(4_990)
	if all := s.ticketCountSince(ticket, seedBegin); !ok || all != s.ticketCount(ticket) {
		t.Errorf("ticket %d: %d rows since ever, %d in all", ticket, all, s.ticketCount(ticket))
	}
	if last := s.ticketCountSince(ticket, s.denseFrom()); last != 1 {
		t.Errorf("ticket %d is in %d rows of the newest minute", ticket, last)
	}
	if bodies := s.bodies(); bodies[0] != 0 || bodies[len(bodies)-1] != s.traces() || len(bodies) > 5_000/bodyRows+2 {
		t.Errorf("bodies %v", bodies)
	}
}

func TestSeedStateGuardsADirectory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "seed")
	plan, err := newSeedPlan(100, 1, true)
	if err != nil {
		t.Fatal(err)
	}
	state, err := openSeed(dir, plan)
	if err != nil {
		t.Fatal(err)
	}
	state.Sent = 3
	if err := state.save(); err != nil {
		t.Fatal(err)
	}
	again, err := openSeed(dir, plan)
	if err != nil || again.Sent != 3 || again.seedPlan != plan {
		t.Errorf("opened again: %+v, %v", again, err)
	}
	plan.Rows++
	if _, err := openSeed(dir, plan); err == nil {
		t.Error("a directory with another seed is taken")
	}
	if _, err := openSeed(filepath.Dir(foreign(t)), plan); err == nil {
		t.Error("a directory with somebody's data is taken")
	}
}

// foreign is the metadata of a server in use.
func foreign(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "metadata.sqlite")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestFloor(t *testing.T) {
	t.Parallel()
	f := newFloor(2)
	for _, step := range []struct{ done, reached int }{{3, 2}, {5, 2}, {2, 4}, {4, 6}} {
		if f.done(step.done); f.reached() != step.reached {
			t.Errorf("after %d the floor is %d, want %d", step.done, f.reached(), step.reached)
		}
	}
}
