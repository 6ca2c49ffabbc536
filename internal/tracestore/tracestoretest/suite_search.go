package tracestoretest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var searchTests = map[string]func(*testing.T, Stores){
	"what matches and what does not":          searchCases,
	"texts of stale versions never match":     searchUpdated,
	"an amended row keeps its words":          searchAmended,
	"a deleted row is not found":              searchDeleted,
	"words of many days, page by page":        searchManyDays,
	"steps that end between two versions":     searchBetweenVersions,
	"values that are long or have many words": searchLongValues,
	"beside other conditions":                 searchWithConditions,
	"conditions that cannot be":               searchRefused,
	"random texts, compared":                  func(t *testing.T, store Stores) { CompareSearches(t, store, func() {}) },
}

func in(mode filter.SearchMode, value string, columns ...filter.Column) filter.Condition {
	if columns == nil {
		columns = filter.SearchColumns
	}
	return filter.Search{In: columns, Mode: mode, Value: value}
}

func matches(column filter.Column, value string) filter.Condition {
	return filter.Text{Column: column, Op: filter.Matches, Value: value}
}

func saying(input, output string) func(*model.Observation) {
	return func(o *model.Observation) { o.Input, o.Output = input, output }
}

// searchCases has one row per text. A case lists the texts that it finds.
func searchCases(t *testing.T, store Stores) {
	project := newProject()
	texts := []string{
		0: "Needle in a haystack",
		1: "mail needle@x.com now",
		2: "foobarneedle needles",
		3: "alpha beta",
		4: "beta alpha, alpha gap beta",
		5: "100% of a_b\\c and 100 of aXb",
		6: "日本語テスト，你好。abc",
		7: "emoji 👍🏽 and É é",
		8: "line one\nline two\tEND",
		9: "",
	}
	var rows []*model.Observation
	for i, text := range texts {
		rows = append(rows, newRow(project, "t", strconv.Itoa(i), -i, saying(text, "")))
	}
	insert(t, store, rows...)
	for _, c := range []struct {
		where filter.Condition
		want  []string
	}{
		{matches(filter.Input, "needle"), []string{"0", "1"}},
		{matches(filter.Input, "NEEDLE"), []string{"0", "1"}},
		{matches(filter.Input, "needle@X.com"), []string{"1"}},
		{matches(filter.Input, "needle x.com"), nil},
		{matches(filter.Input, "alpha beta"), []string{"3"}},
		{matches(filter.Input, "Alpha, alpha"), []string{"4"}},
		{matches(filter.Input, "100%"), []string{"5"}},
		{matches(filter.Input, "a_b"), []string{"5"}},
		{matches(filter.Input, `b\C`), []string{"5"}},
		{matches(filter.Input, "a%b"), nil},
		{matches(filter.Input, "日本語"), nil},
		{matches(filter.Input, "日本語テスト，你好。ABC"), []string{"6"}},
		{matches(filter.Input, "👍🏽"), []string{"7"}},
		{matches(filter.Input, "é"), []string{"7"}},
		{matches(filter.Input, "one\nline"), []string{"8"}},
		{matches(filter.Output, "needle"), nil},
		{oneOf(filter.Input, "alpha beta"), []string{"3"}},
		{oneOf(filter.Input, "Alpha beta"), nil},
		{oneOf(filter.Input, "alpha"), nil},
		{oneOf(filter.Input, ""), []string{"9"}},
		{oneOf(filter.Input, "", "alpha beta"), []string{"3", "9"}},
		{filter.OneOf{Column: filter.Output, Values: []string{""}, Not: true}, nil},
		{filter.IsTrue{Column: filter.HasInput, Want: false}, []string{"9"}},
		{filter.IsTrue{Column: filter.HasOutput, Want: true}, nil},
		{in(filter.Substring, "eedl"), []string{"0", "1", "2"}},
		{in(filter.Substring, "needle"), []string{"0", "1", "2"}},
		{in(filter.Substring, "NEEDLE N"), []string{"2"}},
		{in(filter.Substring, "le@x.c"), []string{"1"}},
		{in(filter.Substring, "a hay"), []string{"0"}},
		{in(filter.Substring, "in a h"), []string{"0"}},
		{in(filter.Substring, "日"), []string{"6"}},
		{in(filter.Substring, "，你"), []string{"6"}},
		{in(filter.Substring, "\U0001f3fd"), []string{"7"}},
		{in(filter.Substring, "%"), []string{"5"}},
		{in(filter.Substring, "a_b"), []string{"5"}},
		{in(filter.Substring, `\`), []string{"5"}},
		{in(filter.Substring, "needle", filter.Output), nil},
		{in(filter.Phrase, "alpha beta"), []string{"3"}},
		{in(filter.Phrase, "Beta: alpha?"), []string{"4"}},
		{in(filter.Phrase, "alpha alpha gap"), []string{"4"}},
		{in(filter.Phrase, "needle"), []string{"0", "1"}},
		{in(filter.Phrase, "one line two end"), []string{"8"}},
		{in(filter.Phrase, "a b c and"), []string{"5"}},
		{in(filter.Phrase, "alph"), nil},
		{in(filter.Regex, "^Needle"), []string{"0"}},
		{in(filter.Regex, "(?i)^NEEDLE"), []string{"0"}},
		{in(filter.Regex, "^needle"), nil},
		{in(filter.Regex, `needle@\w+\.com`), []string{"1"}},
		{in(filter.Regex, "one.line"), nil},
		{in(filter.Regex, "(?s)one.line"), []string{"8"}},
		{in(filter.Regex, "[日月]本"), []string{"6"}},
		{in(filter.Regex, "^.{1,10}$"), []string{"3"}},
	} {
		t.Run(fmt.Sprintf("%+v", c.where), func(t *testing.T) {
			requireIDs(t, readAll(t, store, project, c.where), c.want...)
			if n := count(t, store, project, c.where); n != len(c.want) {
				t.Errorf("counted %d rows, want %d", n, len(c.want))
			}
		})
	}
}

// everyWay are conditions that find a row by the word, by each plan.
func everyWay(word string) []filter.Condition {
	return []filter.Condition{
		matches(filter.Input, word),
		matches(filter.Input, "the "+word),
		in(filter.Substring, word),
		in(filter.Substring, "the "+word),
		in(filter.Phrase, "the "+word),
		in(filter.Regex, "the "+word),
	}
}

func requireFound(t *testing.T, store Stores, project, word string, want ...string) {
	t.Helper()
	for _, c := range everyWay(word) {
		requireIDs(t, readAll(t, store, project, c), want...)
		requireIDs(t, readAll(t, store, project, c, oneOf(filter.TraceID, "t")), want...)
		requireIDs(t, readAll(t, store, project, c, oneOf(filter.Level, "DEFAULT", "ERROR")), want...)
		if n := count(t, store, project, c); n != len(want) {
			t.Errorf("counted %d rows by %+v, want %d", n, c, len(want))
		}
	}
}

func searchUpdated(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "a", 0, version(1), saying("the old", "")), newRow(project, "t", "b", 1, version(1), saying("the other", "")))
	requireFound(t, store, project, "old", "a")
	insert(t, store, newRow(project, "t", "a", 0, version(3), saying("the new", "")))
	requireFound(t, store, project, "old")
	requireFound(t, store, project, "new", "a")
	insert(t, store, newRow(project, "t", "a", 0, version(2), saying("the late", "")))
	requireFound(t, store, project, "late")
	requireFound(t, store, project, "new", "a")
	requireFound(t, store, project, "other", "b")
}

func searchAmended(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "a", 0, version(1), saying("the old", "")))
	insert(t, store, newRow(project, "t", "a", 0, version(2), saying("the new", "")))
	rows := readForAmend(t, store, project)
	reprice(rows[0])
	amend(t, store, rows...)
	requireFound(t, store, project, "new", "a")
	requireFound(t, store, project, "old")
}

func searchDeleted(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "a", 0, version(1), saying("the word", "")), newRow(project, "t", "b", 0, version(1), saying("the word", "")))
	insert(t, store, newRow(project, "t", "a", 0, version(2), asDeleted))
	requireFound(t, store, project, "word", "b")
	empty := filter.IsTrue{Column: filter.HasInput, Want: false}
	requireIDs(t, readAll(t, store, project, empty))
	insert(t, store, newRow(project, "t", "a", 0, version(3), saying("the word", "")))
	requireFound(t, store, project, "word", "b", "a")
}

// searchManyDays spreads rows so that every window of a walk has some.
func searchManyDays(t *testing.T, store Stores) {
	project := newProject()
	var rows []*model.Observation
	var all, rare []string
	for i := range 120 {
		id := fmt.Sprintf("s%03d", i)
		text := "the common word"
		if i%40 == 39 {
			text, rare = "the common and rare word", append(rare, id)
		}
		all = append(all, id)
		rows = append(rows, newRow(project, "t", id, 0, saying(text, ""), func(o *model.Observation) {
			o.StartTime = noon.Add(-time.Duration(i) * 20 * time.Hour)
		}))
	}
	insert(t, store, rows...)
	for _, limit := range []int{9, 50, 200} {
		for word, want := range map[string][]string{"common": all, "rare": rare} {
			for _, c := range []filter.Condition{matches(filter.Input, word), in(filter.Substring, word[1:]), in(filter.Regex, word)} {
				q := tracestore.ObservationQuery{ProjectID: project, Where: []filter.Condition{c}, Limit: limit}
				requireIDs(t, walk(t, store, q, func() {}), want...)
			}
		}
	}
	since := filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: noon.Add(-50 * time.Hour)}
	until := filter.Time{Column: filter.StartTime, Op: filter.Below, At: noon.Add(-10 * time.Hour)}
	requireIDs(t, readAll(t, store, project, matches(filter.Input, "common"), since), all[:3]...)
	requireIDs(t, readAll(t, store, project, matches(filter.Input, "common"), since, until), all[1:3]...)
	requireIDs(t, readAll(t, store, project, in(filter.Regex, "c.mmon"), since, until), all[1:3]...)
}

// searchBetweenVersions has rows whose versions all meet the search, below some that do not: wherever a
// step ends, the newest version decides.
func searchBetweenVersions(t *testing.T, store Stores) {
	project := newProject()
	var want []string
	for v := range 3 {
		var rows []*model.Observation
		for i := range 60 {
			text := "the word"
			if i < 30 {
				text = "another"
			}
			rows = append(rows, newRow(project, "t", fmt.Sprintf("s%02d", i), -i, version(v+1), saying(text, "")))
		}
		insert(t, store, rows...)
	}
	for i := 30; i < 60; i++ {
		want = append(want, fmt.Sprintf("s%02d", i))
	}
	for _, c := range []filter.Condition{matches(filter.Input, "word"), in(filter.Substring, "wor"), in(filter.Regex, "w.rd")} {
		for limit := 1; limit < 8; limit++ {
			q := tracestore.ObservationQuery{ProjectID: project, Where: []filter.Condition{c}, Limit: limit}
			requireIDs(t, walk(t, store, q, func() {}), want...)
		}
	}
}

func searchLongValues(t *testing.T, store Stores) {
	project := newProject()
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf("w%d", i))
	}
	hundred := strings.Join(many, " ")
	changed := strings.Replace(hundred, " w90 ", " x90 ", 1)
	long := strings.Repeat("lorem ", 50_000) + "END"
	insert(t, store, newRow(project, "t", "hundred", 2, saying(hundred, "")), newRow(project, "t", "changed", 1, saying(changed, "")), newRow(project, "t", "long", 0, saying("", long)))
	requireIDs(t, readAll(t, store, project, matches(filter.Input, hundred)), "hundred")
	requireIDs(t, readAll(t, store, project, matches(filter.Input, changed)), "changed")
	requireIDs(t, readAll(t, store, project, in(filter.Phrase, hundred)), "hundred")
	requireIDs(t, readAll(t, store, project, in(filter.Substring, changed)), "changed")
	requireIDs(t, readAll(t, store, project, in(filter.Substring, long[len(long)-filter.MaxSearchBytes:])), "long")
	requireIDs(t, readAll(t, store, project, matches(filter.Output, "end")), "long")
	requireIDs(t, readAll(t, store, project, oneOf(filter.Output, long)), "long")
}

func searchWithConditions(t *testing.T, store Stores) {
	project := newProject()
	var rows []*model.Observation
	for i := range 300 {
		rows = append(rows, newRow(project, fmt.Sprintf("t%d", i%10), fmt.Sprintf("s%03d", i), -i, saying("the common word "+strconv.Itoa(i%100), ""), func(o *model.Observation) {
			o.UserID = fmt.Sprintf("u%d", i%50)
			if i%60 == 59 {
				o.Level = model.Error
			}
		}))
	}
	insert(t, store, rows...)
	for _, c := range []filter.Condition{matches(filter.Input, "common"), in(filter.Substring, "ommo"), in(filter.Regex, "c.m"), filter.IsTrue{Column: filter.HasInput, Want: true}} {
		for _, limit := range []int{1, 2, 100} {
			by := func(other filter.Condition) tracestore.ObservationQuery {
				return tracestore.ObservationQuery{ProjectID: project, Where: []filter.Condition{other, c}, Limit: limit}
			}
			requireIDs(t, walk(t, store, by(oneOf(filter.Level, "ERROR")), func() {}), "s059", "s119", "s179", "s239", "s299")
			requireIDs(t, walk(t, store, by(oneOf(filter.UserID, "u7")), func() {}), "s007", "s057", "s107", "s157", "s207", "s257")
			requireIDs(t, walk(t, store, by(oneOf(filter.ID, "s299")), func() {}), "s299")
			requireIDs(t, walk(t, store, by(matches(filter.Input, "word 33")), func() {}), "s033", "s133", "s233")
			requireIDs(t, walk(t, store, by(oneOf(filter.Name, "nobody")), func() {}))
			ofTrace := by(oneOf(filter.TraceID, "t3"))
			ofTrace.Where = append(ofTrace.Where, in(filter.Regex, "word 33$"))
			requireIDs(t, walk(t, store, ofTrace, func() {}), "s033", "s133", "s233")
		}
	}
}

func searchRefused(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "a", 0, saying("text", "")))
	for _, c := range []filter.Condition{
		filter.Search{In: []filter.Column{filter.Name}, Mode: filter.Substring, Value: "x"},
		filter.Search{In: filter.SearchColumns, Value: "x"},
		filter.Text{Column: filter.Input, Op: filter.Contains, Value: "x"},
	} {
		if _, err := store.Observations(t.Context(), tracestore.ObservationQuery{ProjectID: project, Where: []filter.Condition{c}, Limit: 1}); err == nil {
			t.Errorf("%+v is not refused", c)
		}
	}
}

// What random texts and values are made of: words that meet in several cases and places.
var (
	searchWords      = []string{"alpha", "Alpha", "beta", "alphabet", "a", "b1", "42", "日本語", "本", "é", "É", "👍", "needle", "xneedle", "needles"}
	searchSeparators = []string{" ", " ", " ", ", ", "_", "%", "-", "\n", "\\", "'", "，", "", "{p0:String}"}
)

var drawnSentence = shared(func(t *rapid.T) string {
	var b strings.Builder
	for range rapid.IntRange(0, 7).Draw(t, "words") {
		b.WriteString(rapid.SampledFrom(searchWords).Draw(t, "word"))
		b.WriteString(rapid.SampledFrom(searchSeparators).Draw(t, "separator"))
	}
	return b.String()
})

var drawnSearch = shared(func(t *rapid.T) filter.Condition {
	column := rapid.SampledFrom(filter.SearchColumns).Draw(t, "column")
	value := drawnSentence.Filter(func(text string) bool { return text != "" }).Draw(t, "value")
	if rapid.Bool().Draw(t, "short") {
		value = rapid.SampledFrom(searchWords).Draw(t, "word")
	}
	mode := rapid.SampledFrom([]filter.SearchMode{filter.Substring, filter.Phrase, filter.Regex}).Draw(t, "mode")
	switch rapid.IntRange(0, 5).Draw(t, "condition") {
	case 0:
		return filter.IsTrue{Column: rapid.SampledFrom([]filter.Column{filter.HasInput, filter.HasOutput}).Draw(t, "has"), Want: rapid.Bool().Draw(t, "want")}
	case 1:
		return oneOf(column, value)
	case 2:
		if len(filter.Words(value)) > 0 {
			return matches(column, value)
		}
	}
	switch mode {
	case filter.Regex:
		value = strings.NewReplacer("\\", `\\`, "{p", `\{p`).Replace(value)
		value = rapid.SampledFrom([]string{"", "^", "(?i)", ".", `\b`}).Draw(t, "prefix") + value
	case filter.Phrase:
		if len(filter.Words(value)) == 0 {
			value = "alpha"
		}
	default:
	}
	return in(mode, value, rapid.SampledFrom([][]filter.Column{filter.SearchColumns, {filter.Input}, {filter.Output}}).Draw(t, "in")...)
})

// CompareSearches holds random pages with conditions on texts against Memory: nothing is missed, nothing
// stale is shown. It inserts in several batches and calls between after each.
func CompareSearches(t *testing.T, store Stores, between func()) {
	t.Helper()
	d := dataset{project: newProject(), memory: &Memory{}}
	for i, o := range rapid.SliceOfN(drawnRow, 400, 400).Example(7) {
		o.ProjectID, o.UserID, o.SessionID, o.TraceName, o.Release, o.Tags, o.Name = d.project, "", "", "", "", nil, ""
		o.ParentID, o.AppRoot = "s1", false
		o.ID = fmt.Sprintf("s%d", i%90)
		o.StartTime = noon.Add(-time.Duration(i%90*7) * time.Hour)
		o.TraceID = drawnTraces[i%90%len(drawnTraces)]
		o.Input, o.Output = drawnSentence.Example(2*i), drawnSentence.Example(2*i+1)
		o.Deleted = i%11 == 3
		setVersion(o, (i*37)%401)
		d.rows = append(d.rows, o)
	}
	for batch := range slices.Chunk(d.rows, 130) {
		insert(t, store, batch...)
		insert(t, d.memory, batch...)
		between()
		amended := slices.DeleteFunc(readForAmend(t, d.memory, d.project), func(o *model.Observation) bool { return o.Version%5 != 0 })
		for _, o := range amended {
			reprice(o)
		}
		amend(t, store, amended...)
		amend(t, d.memory, amended...)
	}
	rapid.Check(t, func(rt *rapid.T) {
		q := tracestore.ObservationQuery{
			ProjectID: d.project,
			Where:     rapid.SliceOfN(drawnSearch, 1, 2).Draw(rt, "texts"),
			Limit:     rapid.IntRange(1, 30).Draw(rt, "limit"),
			IO:        true,
		}
		if rapid.Bool().Draw(rt, "others") {
			q.Where = append(q.Where, rapid.SampledFrom([]filter.Condition{
				oneOf(filter.Level, "ERROR"), oneOf(filter.TraceID, "t1", "t2"), oneOf(filter.Environment, "prod"), oneOf(filter.ID, "s1", "s44", "s80"),
				filter.Time{Column: filter.StartTime, Op: filter.Below, At: noon.Add(-100 * time.Hour)},
				filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: noon.Add(-100 * time.Hour)},
			}).Draw(rt, "other"))
		}
		if rapid.Bool().Draw(rt, "continued") {
			after := positionOf(rapid.SampledFrom(d.rows).Draw(rt, "after"))
			q.After = &after
		}
		want, err := d.memory.Observations(t.Context(), q)
		if err != nil {
			rt.Fatal(err)
		}
		got, err := store.Observations(t.Context(), q)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			rt.Fatalf("page (-want +got):\n%s", diff)
		}
		if n := count(t, store, d.project, q.Where...); n != count(t, d.memory, d.project, q.Where...) {
			rt.Fatalf("counted %d rows", n)
		}
	})
}
