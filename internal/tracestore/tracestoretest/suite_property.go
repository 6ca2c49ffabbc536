package tracestoretest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// The property of reads runs this many cases, on a new dataset after so many of them. The environment
// variable asks for more cases, the other one for the seed of a run that failed.
const (
	defaultReadCases = 150
	casesPerDataset  = 75
	readCasesEnv     = "SONDE_READ_CASES"
	readSeedEnv      = "SONDE_READ_SEED"
)

// dataset is a project that the store under test and Memory hold alike.
type dataset struct {
	seed    int
	project string
	rows    []*model.Observation
	memory  *Memory
}

// GoString keeps the rows out of the report of a failed check; the seed gives them again.
func (d dataset) GoString() string { return fmt.Sprintf("dataset(seed %d, %s)", d.seed, d.project) }

// newDataset draws rows from a seed and inserts them in several batches: versions out of order, rows sent
// again, tombstones of rows among them, rows amended, and tombstones of traces in between.
func newDataset(t *testing.T, store Stores, seed int) dataset {
	t.Helper()
	d := dataset{seed: seed, project: newProject(), memory: &Memory{}}
	for i, o := range rapid.SliceOfN(drawnRow, 120, 120).Example(seed) {
		o.ProjectID = d.project
		setVersion(o, (i*37)%121)
		d.rows = append(d.rows, o)
	}
	for i, batch := range slices.Collect(slices.Chunk(d.rows, 30)) {
		batch = append(slices.Clone(batch), d.rows[i*11:i*11+5]...) // some are sent again
		insert(t, store, batch...)
		insert(t, d.memory, batch...)
		amended := readForAmend(t, d.memory, d.project)
		for _, o := range amended {
			reprice(o)
		}
		amended = slices.DeleteFunc(amended, func(o *model.Observation) bool { return o.Version%3 != 0 })
		amend(t, store, amended...)
		amend(t, d.memory, amended...)
		d.bury(t, store, drawnTraces[(seed+i)%len(drawnTraces)], 20+(seed*31+i*17)%60, i)
	}
	return d
}

// bury hides versions of a trace below the nth, in every second batch.
func (d dataset) bury(t *testing.T, store Stores, trace string, n, batch int) {
	t.Helper()
	if batch%2 != 0 {
		return
	}
	at := noon.Add(time.Hour + time.Duration(n)*time.Millisecond)
	tombstone := tracestore.Tombstone{ProjectID: d.project, Kind: tracestore.TraceTombstone, ID: trace, Version: model.RowVersion(at, 0)}
	for _, s := range []tracestore.Tombstones{store, d.memory} {
		if err := s.InsertTombstones(t.Context(), []tracestore.Tombstone{tombstone}); err != nil {
			t.Fatal(err)
		}
	}
}

// readCase is one question to a dataset.
type readCase struct {
	where                 []filter.Condition
	pages                 int // how many pages the walk has, about
	io, metadata, ownOnly bool
}

var drawnCase = shared(func(t *rapid.T) readCase {
	return readCase{
		where: rapid.SliceOfN(drawnCondition, 0, 3).Draw(t, "where"), pages: rapid.IntRange(1, 4).Draw(t, "pages"),
		io: rapid.Bool().Draw(t, "io"), metadata: rapid.Bool().Draw(t, "metadata"), ownOnly: rapid.IntRange(0, 4).Draw(t, "own only") == 0,
	}
})

// conditionsProperty: whatever rows there are and whatever is asked, the pages one after the other are the
// answer of Memory, and the count is its length.
func conditionsProperty(t *testing.T, store Stores) {
	cases, seed := fromEnv(t, readCasesEnv, defaultReadCases), fromEnv(t, readSeedEnv, rand.IntN(1<<30))
	var d dataset
	for i := range cases {
		if i%casesPerDataset == 0 {
			d = newDataset(t, store, seed+i)
		}
		c := drawnCase.Example(seed + i)
		if problem := d.check(t, store, c); problem != "" {
			c.where = d.smallest(t, store, c)
			t.Fatalf("case %d of seed %d (set %s=%d): %+v\n%s", i, seed, readSeedEnv, seed, c, d.check(t, store, c))
		}
	}
}

func fromEnv(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// check compares a walk and a count with Memory and returns how they differ.
func (d dataset) check(t *testing.T, store Stores, c readCase) string {
	t.Helper()
	q := tracestore.ObservationQuery{ProjectID: d.project, Where: c.where, Limit: everything, IO: c.io, Metadata: c.metadata, OwnOnly: c.ownOnly}
	want := read(t, d.memory, q)
	q.Limit = len(want)/c.pages + 1
	got := walk(t, store, q, func() {})
	if diff := cmp.Diff(idsAndVersions(want), idsAndVersions(got)); diff != "" {
		return "rows (-want +got):\n" + diff
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		return "fields (-want +got):\n" + diff
	}
	if n := count(t, store, d.project, c.where...); n != len(want) {
		return fmt.Sprintf("counted %d rows, want %d", n, len(want))
	}
	if n, can := d.matched(t, store, c.where); can && n != len(want) {
		return fmt.Sprintf("an evaluation rule matches %d rows, want %d", n, len(want))
	}
	return ""
}

// matched counts what a rule with these conditions would match. Rules have none on texts.
func (d dataset) matched(t *testing.T, store Stores, where []filter.Condition) (n int, can bool) {
	t.Helper()
	for _, c := range where {
		if slices.Contains([]filter.Column{filter.Input, filter.Output, filter.HasInput, filter.HasOutput}, c.On()) {
			return 0, false
		}
	}
	_, matching, _, err := store.CountCandidates(t.Context(), tracestore.UndecidedQuery{
		ProjectID: d.project, RuleID: "rule", ByStart: true, From: noon.AddDate(-1, 0, 0), To: noon.AddDate(1, 0, 0), Where: where, Sampling: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return int(matching), true
}

// smallest leaves out conditions as long as the answer stays wrong.
func (d dataset) smallest(t *testing.T, store Stores, c readCase) []filter.Condition {
	t.Helper()
	for i := 0; i < len(c.where); {
		fewer := c
		fewer.where = slices.Delete(slices.Clone(c.where), i, i+1)
		if d.check(t, store, fewer) == "" {
			i++
			continue
		}
		c.where = fewer.where
	}
	return c.where
}

func idsAndVersions(rows []*model.Observation) []string {
	list := make([]string, len(rows))
	for i, o := range rows {
		list[i] = fmt.Sprintf("%s %s %s %d", o.StartTime.Format(time.TimeOnly+".000"), o.TraceID, o.ID, o.Version)
	}
	return list
}

func countEqualsWalk(t *testing.T, store Stores) {
	d := newDataset(t, store, 99)
	for i, where := range [][]filter.Condition{
		nil,
		{filter.IsTrue{Column: filter.IsRootObservation, Want: true}},
		{oneOf(filter.UserID, "a")},
		{oneOf(filter.UserID, ""), oneOf(filter.Environment, "prod")},
	} {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			rows := walk(t, store, tracestore.ObservationQuery{ProjectID: d.project, Where: where, Limit: 9}, func() {})
			requireOrder(t, rows)
			want := count(t, d.memory, d.project, where...)
			if n := count(t, store, d.project, where...); n != len(rows) || n != want {
				t.Errorf("counted %d and walked %d rows, want %d", n, len(rows), want)
			}
		})
	}
}
