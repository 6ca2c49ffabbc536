package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/metastore/sqlstore"
	"github.com/sondehq/sonde/internal/testkit"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

func TestReadVerdict(t *testing.T) {
	t.Parallel()
	smaller := func() *ReadResult {
		return &ReadResult{Rows: 10, Classes: []ClassResult{{Key: "newest", P95: 10}, {Key: "trace", P95: 20}}}
	}
	tests := map[string]struct {
		change func(*ReadResult)
		reason string // part of it; empty: all holds
	}{
		"good":                {func(*ReadResult) {}, ""},
		"at the bound":        {func(r *ReadResult) { r.Classes[0].P95 = 16 }, ""},
		"slower than bare":    {func(r *ReadResult) { r.Classes[0].P95 = 16.1 }, "newest page takes 16.1 ms"},
		"generous":            {func(r *ReadResult) { r.Classes[0].P95, r.MaxRatio = 32, 3 }, ""},
		"class without route": {func(r *ReadResult) { r.Classes[1].Failed = "status 404" }, "one trace failed: status 404"},
		"slow rare word":      {func(r *ReadResult) { r.Classes[2].P50 = 100 }, "rare word takes 100.0 ms"},
		"memory":              {func(r *ReadResult) { r.MemoryPeak = 2e9 }, "took 2.00 GB"},
		"memory not seen":     {func(r *ReadResult) { r.MemoryPeak = 0 }, "took 0.00 GB"},
		"nothing":             {func(r *ReadResult) { r.Classes = nil }, "nothing was measured"},
		"grew a little":       {func(r *ReadResult) { r.smaller = smaller() }, ""},
		"grew too much": {func(r *ReadResult) {
			r.smaller = smaller()
			r.smaller.Classes[0].P95 = 6
		}, "newest page takes 10.0 ms (p95) on 100 rows and 6.0 ms on 10"},
		"compared with more rows": {func(r *ReadResult) {
			r.smaller = smaller()
			r.smaller.Rows = 100
		}, "not fewer"},
		"compared with nothing": {func(r *ReadResult) { r.smaller = &ReadResult{Rows: 10} }, "class trace is not in both runs"},
		"load": {func(r *ReadResult) {
			r.WithIngest = &LoadedReads{Rate: 100, StoredRate: 80, Loss: 0.2, Classes: []LoadedClass{{Ratio: 3}}}
		}, ""},
		"reads suffer": {func(r *ReadResult) { r.WithIngest = &LoadedReads{Classes: []LoadedClass{{Name: "x", Ratio: 3.1}}} }, "x takes"},
		"ingest suffers": {func(r *ReadResult) {
			r.WithIngest = &LoadedReads{Rate: 100, StoredRate: 79, Loss: 0.21, Classes: []LoadedClass{{Ratio: 1}}}
		}, "79 spans/s were stored"},
		"nothing under load": {func(r *ReadResult) { r.WithIngest = &LoadedReads{} }, "no class was read"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ReadResult{Rows: 100, MaxRatio: 1.3, MaxExtraMS: 3, MaxRareWordMS: 100, MemoryPeak: 1e9, Classes: []ClassResult{
				{Key: "newest", Name: "newest page", P50: 9, P95: 10, BareP50: 9, BareP95: 10},
				{Key: "trace", Name: "one trace", P50: 9, P95: 10, BareP50: 9, BareP95: 10},
				{Key: "rare-word", Name: "rare word", P50: 99, P95: 100, BareP95: 90},
			}}
			test.change(&r)
			err := r.Verdict()
			if (err == nil) != (test.reason == "") || err != nil && !strings.Contains(err.Error(), test.reason) {
				t.Errorf("Verdict = %v, want %q", err, test.reason)
			}
			if (err == nil) != (len(r.Broken) == 0) {
				t.Errorf("Broken = %q", r.Broken)
			}
		})
	}
}

func TestChooseClasses(t *testing.T) {
	t.Parallel()
	all, err := chooseClasses(nil, true)
	if err != nil || len(all) != len(readClasses) {
		t.Errorf("%d classes, %v", len(all), err)
	}
	if some, err := chooseClasses(nil, false); err != nil || len(some) != len(readClasses)-1 {
		t.Errorf("%d classes without a dense minute, %v", len(some), err)
	}
	if two, err := chooseClasses([]string{"trace", "newest"}, false); err != nil || len(two) != 2 || two[0].key != "trace" {
		t.Errorf("%v, %v", two, err)
	}
	for _, keys := range [][]string{{"nonsense"}, {"dense"}} {
		if _, err := chooseClasses(keys, false); err == nil {
			t.Errorf("%v was taken", keys)
		}
	}
	for _, key := range slices.Concat(loadedKeys, flatKeys, []string{rareWordKey}) {
		if _, ok := classByKey(key); !ok {
			t.Errorf("there is no class %s", key)
		}
	}
}

func TestRepetitions(t *testing.T) {
	t.Parallel()
	for once, want := range map[time.Duration]int{
		0: mostRepetitions, 10 * time.Millisecond: mostRepetitions, 50 * time.Millisecond: 100,
		time.Second: leastRepetitions, 2 * time.Second: leastRepetitions, 3 * time.Second: slowRepetitions,
	} {
		if got := repetitionsFor(once); got != want {
			t.Errorf("%s: %d repetitions, want %d", once, got, want)
		}
	}
}

// Every repetition asks for something else; the same one asks for the same in every run.
func TestQuestionsDiffer(t *testing.T) {
	t.Parallel()
	a, b := &asker{seeder: seedOf(t, 100_000, true)}, &asker{seeder: seedOf(t, 100_000, true)}
	for _, class := range readClasses {
		if class.key == "page-50" {
			continue // walks through a server
		}
		seen := map[string]bool{}
		for repetition := range leastRepetitions {
			q, err := class.ask(t.Context(), a, repetition)
			if err != nil {
				t.Fatal(err)
			}
			again, err := class.ask(t.Context(), b, repetition)
			if err != nil || q.String() != again.String() || q.rows != again.rows {
				t.Errorf("%s: %s, then %s, %v", class.key, q, again, err)
			}
			if q.rows == 0 {
				t.Errorf("%s: %s expects nothing", class.key, q)
			}
			seen[q.String()] = true
		}
		if len(seen) < leastRepetitions*2/3 {
			t.Errorf("%s: %d different questions of %d", class.key, len(seen), leastRepetitions)
		}
	}
}

func TestCheckLooksAtTheAnswer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rows   int
		answer string
		holds  bool
	}{
		{atLeastOne, `{"data":[{}]}`, true},
		{atLeastOne, `{"data":[]}`, false},
		{2, `{"data":[{},{}]}`, true},
		{2, `{"data":[{}]}`, false},
		{2, `not JSON`, false},
		{anything, `whatever`, true},
	} {
		r := &reader{}
		r.answer.WriteString(test.answer)
		if err := r.check(question{rows: test.rows, query: url.Values{}}); (err == nil) != test.holds {
			t.Errorf("%d rows wanted, %s: %v", test.rows, test.answer, err)
		}
	}
}

// The recorder sees the statements of a request, and they run again bare.
func TestRecorderAndReplay(t *testing.T) {
	t.Parallel()
	node := testkit.Engine(t)
	recorder, err := newRecorder(node)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(recorder.close)
	if err := recorder.store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	seed := seedOf(t, 400, true)
	if err := recorder.store.Insert(t.Context(), seedRows(t, seed)); err != nil {
		t.Fatal(err)
	}
	bare, err := chstore.Open(chstore.Config{Nodes: []string{node}, Reads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(bare.Close)
	asker := &asker{seeder: seed}
	for key, least := range map[string]int{"newest": 1, "dense": 1, "trace": 2, "user": 2} {
		class, _ := classByKey(key)
		q, err := class.ask(t.Context(), asker, 0)
		if err != nil {
			t.Fatal(err)
		}
		statements, err := recorder.record(t.Context(), q)
		if err != nil || len(statements) < least {
			t.Fatalf("%s: %d statements, %v", key, len(statements), err)
		}
		for range 2 { // texts come by a table that travels with the statement
			for _, statement := range statements {
				if err := bare.Replay(t.Context(), statement); err != nil {
					t.Errorf("%s: %v\n%s", key, err, statement.SQL)
				}
			}
		}
	}
	if err := bare.Replay(t.Context(), chstore.Statement{}); err == nil {
		t.Error("a statement without text ran")
	}
	if _, err := recorder.record(t.Context(), question{path: "/api/public/nowhere"}); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a request that is not answered: %v", err)
	}
}

func TestLoadProjectIsMadeOnce(t *testing.T) {
	t.Parallel()
	s := &server{data: t.TempDir()}
	meta, err := sqlstore.OpenSQLite(t.Context(), filepath.Join(s.data, "metadata.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := meta.Close(); err != nil {
			t.Error(err)
		}
	})
	seed, _, err := auth.SeedFrom("Bench", projectID, "Bench", publicKey, secretKey)
	if err != nil {
		t.Fatal(err)
	}
	if planted, err := meta.Plant(t.Context(), seed); !planted || err != nil {
		t.Fatalf("Plant = %v, %v", planted, err)
	}
	for range 2 {
		if _, err := s.loadProject(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	key, err := meta.KeyByPublic(t.Context(), loadPublicKey)
	if err != nil || key.Project.ID == projectID {
		t.Errorf("%+v, %v", key, err)
	}
}

func TestTableShowsEveryClass(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	ReadResult{Rows: 5, Classes: []ClassResult{{Name: "one", P95: 1.25}, {Name: "two", Failed: "gone"}}, WithIngest: &LoadedReads{Classes: []LoadedClass{{Name: "three"}}}}.Table(&out)
	for _, want := range []string{"5 rows", "one", "1.2", "two: failed", "three"} {
		if !strings.Contains(out.String(), want) {
			t.Error(fmt.Errorf("no %q in\n%s", want, out.String()))
		}
	}
}

// Reads go on until the load is through; a load that fails fails the run.
func TestReadsEndWithTheLoad(t *testing.T) {
	t.Parallel()
	answers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data":[{}]}`) }))
	t.Cleanup(answers.Close)
	t.Cleanup(client.CloseIdleConnections)
	asked := make(chan struct{}, mostRounds)
	class := readClass{key: "any", ask: func(context.Context, *asker, int) (question, error) {
		asked <- struct{}{}
		return question{query: url.Values{}, rows: atLeastOne}, nil
	}}
	r := &reader{asker: &asker{server: &server{url: answers.URL}}}
	times, err := r.roundsUnder(t.Context(), []readClass{class}, func(context.Context) error {
		for range 3 {
			<-asked
		}
		return nil
	})
	if err != nil || len(times["any"]) < 2 {
		t.Errorf("%d reads, %v", len(times["any"]), err)
	}
	refused := errors.New("refused")
	if _, err := r.roundsUnder(t.Context(), []readClass{class}, func(context.Context) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("a load that failed: %v", err)
	}
}
