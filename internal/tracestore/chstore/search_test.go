package chstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/testkit"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/tracestoretest"
)

func openStore(t *testing.T, config Config) *Store {
	t.Helper()
	if config.Nodes == nil {
		config.Nodes = []string{testkit.Engine(t)}
	}
	store, err := Open(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return store
}

var textsStart = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func insertTexts(t *testing.T, store *Store, from, to int, text func(i int) string) {
	t.Helper()
	var rows []*model.Observation
	for i := from; i < to; i++ {
		rows = append(rows, &model.Observation{
			ProjectID: "p", TraceID: fmt.Sprintf("t%d", i%7), ID: fmt.Sprintf("s%d", i), StartTime: textsStart.Add(-time.Duration(i) * time.Second),
			Type: model.Span, Version: model.RowVersion(textsStart, 0), Input: text(i),
		})
	}
	if err := store.Insert(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
}

func searchIDs(t *testing.T, store *Store, where ...filter.Condition) int {
	t.Helper()
	rows, err := store.Observations(t.Context(), tracestore.ObservationQuery{ProjectID: "p", Where: where, Limit: 1000, OwnOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	return len(rows)
}

// Inserts leave the index to merges, so that at any time some parts have it and some do not.
func TestSearchOverMixedParts(t *testing.T) {
	t.Parallel()
	store := openStore(t, Config{})
	between := 0
	tracestoretest.CompareSearches(t, store, func() {
		if between++; between == 2 {
			if err := store.Compact(t.Context(), "payloads"); err != nil {
				t.Fatal(err)
			}
			if err := store.Exec(t.Context(), "SYSTEM STOP MERGES payloads"); err != nil {
				t.Fatal(err)
			}
		}
	})
	parts := func(condition string) float64 {
		n, err := store.Number(t.Context(), "SELECT toFloat64(countIf("+condition+")) AS n FROM system.parts WHERE active AND database = currentDatabase() AND table = 'payloads'")
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if with, without := parts("secondary_indices_compressed_bytes > 0"), parts("secondary_indices_compressed_bytes = 0"); with == 0 || without == 0 {
		t.Errorf("%v parts with an index and %v without, want both", with, without)
	}
}

func TestTextIndexPrunes(t *testing.T) {
	t.Parallel()
	store := openStore(t, Config{})
	insertTexts(t, store, 0, 5000, func(i int) string { return fmt.Sprintf("every row has Common words and one of its own: ticket-%d", i) })
	if err := store.Compact(t.Context(), "payloads"); err != nil {
		t.Fatal(err)
	}
	var candidates Statement
	ctx := OnStatement(t.Context(), func(s Statement) {
		if strings.Contains(s.SQL, "FROM payloads") && candidates.SQL == "" {
			candidates = s
		}
	})
	word := filter.Text{Column: filter.Input, Op: filter.Matches, Value: "4321"}
	rows, err := store.Observations(ctx, tracestore.ObservationQuery{ProjectID: "p", Where: []filter.Condition{word}, Limit: 10})
	if err != nil || len(rows) != 1 || rows[0].ID != "s4321" {
		t.Fatalf("found %d rows: %v", len(rows), err)
	}
	plan := explain(t, store, candidates)
	_, index, found := strings.Cut(plan, "Name: t_input")
	if !found || !strings.Contains(index, "Granules: 1/") || !strings.Contains(plan, "__text_index_t_input_hasAllTokens") {
		t.Errorf("the index does not answer:\n%s", plan)
	}
}

func explain(t *testing.T, store *Store, s Statement) string {
	t.Helper()
	var line proto.ColStr
	var plan strings.Builder
	err := store.reads.do(t.Context(), ch.Query{
		Body: "EXPLAIN indexes = 1, actions = 1 " + s.SQL, Parameters: s.Parameters,
		Result: proto.Results{{Name: "explain", Data: &line}},
		OnResult: func(context.Context, proto.Block) error {
			for i := range line.Rows() {
				plan.WriteString(line.Row(i) + "\n")
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return plan.String()
}

// The setting takes the index away and brings it back; what is found stays the same.
func TestTextIndexSetting(t *testing.T) {
	t.Parallel()
	config := Config{Nodes: []string{testkit.Engine(t)}}
	word := filter.Text{Column: filter.Input, Op: filter.Matches, Value: "word"}
	for i, off := range []bool{false, true, true, false} {
		config.NoTextIndex = off
		store := openStore(t, config)
		insertTexts(t, store, 10*i, 10*(i+1), func(int) string { return "a Word" })
		if err := store.Compact(t.Context(), "payloads"); err != nil {
			t.Fatal(err)
		}
		size, err := store.Number(t.Context(), "SELECT toFloat64(sum(secondary_indices_compressed_bytes)) AS n FROM system.parts WHERE active AND database = currentDatabase() AND table = 'payloads'")
		if err != nil || (size == 0) != off {
			t.Errorf("step %d: %v bytes of index (%v), turned off: %t", i, size, err, off)
		}
		if n := searchIDs(t, store, word); n != 10*(i+1) {
			t.Errorf("step %d: found %d rows, want %d", i, n, 10*(i+1))
		}
	}
}

// A search that the engine cannot finish in time is too expensive; one that it cannot read is the client's.
func TestSearchBounds(t *testing.T) {
	t.Parallel()
	store := openStore(t, Config{})
	insertTexts(t, store, 0, 100, func(int) string { return "text" })
	store.config.ReadWithin = time.Microsecond
	q := tracestore.ObservationQuery{ProjectID: "p", Where: []filter.Condition{filter.Search{In: filter.SearchColumns, Mode: filter.Regex, Value: "none"}}, Limit: 1}
	if _, err := store.Observations(t.Context(), q); !errors.Is(err, tracestore.ErrTooExpensive) {
		t.Errorf("got %v, want ErrTooExpensive", err)
	}
	store.config.ReadWithin = time.Minute
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := store.Observations(ctx, q); errors.Is(err, tracestore.ErrTooExpensive) || err == nil {
		t.Errorf("a caller who went away gets %v", err)
	}
	q.Where = []filter.Condition{filter.Search{In: filter.SearchColumns, Mode: filter.Regex, Value: "("}}
	if _, err := store.Observations(t.Context(), q); !fault.Is(err, fault.Invalid) {
		t.Errorf("an expression that is none gives %v", err)
	}
}

// What is sent to the engine for each plan is a reviewed file; values never stand in it.
func TestSearchText(t *testing.T) {
	t.Parallel()
	store := openStore(t, Config{})
	insertTexts(t, store, 0, 40, func(i int) string { return fmt.Sprintf("the secret word %d", i) })
	matches := func(value string) filter.Condition {
		return filter.Text{Column: filter.Input, Op: filter.Matches, Value: value}
	}
	search := func(mode filter.SearchMode, value string) filter.Condition {
		return filter.Search{In: filter.SearchColumns, Mode: mode, Value: value}
	}
	var text bytes.Buffer
	for _, c := range []struct {
		name  string
		where []filter.Condition
	}{
		{"a word", []filter.Condition{matches("secret")}},
		{"a rare word", []filter.Condition{matches("39")}},
		{"words", []filter.Condition{matches("secret word")}},
		{"a phrase", []filter.Condition{search(filter.Phrase, "secret, word")}},
		{"part of a word", []filter.Condition{search(filter.Substring, "ecre")}},
		{"parts of words", []filter.Condition{search(filter.Substring, "e secret w")}},
		{"a regular expression", []filter.Condition{search(filter.Regex, "secret$")}},
		{"a whole text", []filter.Condition{filter.OneOf{Column: filter.Input, Values: []string{"the secret word 7"}}}},
		{"any text", []filter.Condition{filter.IsTrue{Column: filter.HasInput, Want: true}}},
		{"a word of a trace", []filter.Condition{matches("secret"), filter.OneOf{Column: filter.TraceID, Values: []string{"t3"}}}},
		{"a word and a level", []filter.Condition{matches("secret"), filter.OneOf{Column: filter.Level, Values: []string{"secret"}}}},
	} {
		fmt.Fprintf(&text, "-- %s\n", c.name)
		ctx := OnStatement(t.Context(), func(s Statement) {
			columns, rest, _ := strings.Cut(s.SQL, " FROM ")
			if spine, matches, _ := strings.Cut(columns, ", toUInt8("); len(spine) > 200 {
				columns = spine[:30] + "… " + matches
			}
			fmt.Fprintf(&text, "%s FROM %s;\n", columns, rest)
			if strings.Contains(s.SQL, "secret") {
				t.Errorf("a value stands in the text: %s", s.SQL)
			}
		})
		if _, err := store.Observations(ctx, tracestore.ObservationQuery{ProjectID: "p", Where: c.where, Limit: 2, OwnOnly: true}); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&text)
	}
	text.WriteString("-- count\n")
	ctx := OnStatement(t.Context(), func(s Statement) { text.WriteString(s.SQL + ";\n") })
	if _, err := store.CountObservations(ctx, "p", []filter.Condition{matches("secret word"), filter.OneOf{Column: filter.Name, Values: []string{"n"}}}); err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "testdata/search.sql", text.Bytes())
}
