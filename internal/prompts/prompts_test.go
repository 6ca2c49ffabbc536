package prompts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/metastore/sqlstore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const project = "seed-project"

// counted counts the questions to a store and can be away.
type counted struct {
	metastore.Prompts
	reads, looks atomic.Int64
	away         atomic.Bool
}

var errAway = fault.Unavailablef("away")

func (c *counted) Prompt(ctx context.Context, projectID, name string, s metastore.PromptSelector) (model.Prompt, error) {
	c.reads.Add(1)
	if c.away.Load() {
		return model.Prompt{}, errAway
	}
	return c.Prompts.Prompt(ctx, projectID, name, s)
}

func (c *counted) PromptChanges(ctx context.Context, since int64) (metastore.PromptChanges, error) {
	c.looks.Add(1)
	if c.away.Load() {
		return metastore.PromptChanges{}, errAway
	}
	return c.Prompts.PromptChanges(ctx, since)
}

// planted is a store with one project.
func planted[S metastore.Store](t *testing.T, store S) S {
	t.Helper()
	if _, err := store.Plant(t.Context(), metastoretest.Seed("seed")); err != nil {
		t.Fatal(err)
	}
	return store
}

func open(t *testing.T) (*Service, *counted) {
	t.Helper()
	store := &counted{Prompts: planted(t, metastoretest.NewMemory())}
	s := New(store)
	t.Cleanup(s.Close)
	return s, store
}

func text(name, content string, labels ...string) Draft {
	return Draft{Name: name, Content: model.PromptContent{Text: content}, Labels: labels}
}

func mustMake(t *testing.T, s *Service, d Draft) model.Prompt {
	t.Helper()
	p, err := s.Create(t.Context(), project, d)
	if err != nil {
		t.Fatalf("Create %s: %v", d.Name, err)
	}
	return p
}

func mustGet(t *testing.T, s *Service, name string, selector metastore.PromptSelector) *Found {
	t.Helper()
	found, err := s.Get(t.Context(), project, name, selector, Resolved)
	if err != nil {
		t.Fatalf("Get %s: %v", name, err)
	}
	return found
}

var latest = metastore.PromptSelector{Label: model.LabelLatest}

func TestCreateAndGet(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	first := mustMake(t, s, text("folder/p", "one", "production"))
	second := mustMake(t, s, text("folder/p", "two"))
	if first.Version != 1 || second.Version != 2 || string(first.Config) != "{}" || first.Type != model.TextPrompt || first.CreatedBy != "API" {
		t.Errorf("made %+v and %+v", first, second)
	}
	for selector, want := range map[metastore.PromptSelector]int{{}: 1, {Label: "latest"}: 2, {Version: 2}: 2, {Label: "production", Version: 1}: 1} {
		if got := mustGet(t, s, "folder/p", selector); got.Prompt.Version != want || got.Graph != nil {
			t.Errorf("%+v is version %d, want %d", selector, got.Prompt.Version, want)
		}
	}
	if id, err := s.ID(t.Context(), project, "folder/p", 2); id != second.ID || err != nil {
		t.Errorf("ID = %s, %v", id, err)
	}
	if _, err := s.Get(t.Context(), "other", "folder/p", latest, Resolved); !fault.Is(err, fault.NotFound) {
		t.Errorf("another project gets %v", err)
	}
}

func TestLabelAndDelete(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	mustMake(t, s, text("folder/p", "one", "production"))
	mustMake(t, s, text("folder/p", "two"))
	if _, err := s.Label(t.Context(), project, "folder/p", 3, []string{"x"}); !fault.Is(err, fault.NotFound) {
		t.Errorf("Label of nothing: %v", err)
	}
	if _, err := s.Label(t.Context(), project, "folder/p", 1, []string{"latest"}); !fault.Is(err, fault.Invalid) {
		t.Errorf("Label latest: %v", err)
	}
	if _, err := s.Label(t.Context(), project, "folder/p", 2, []string{"production"}); err != nil {
		t.Error(err)
	}
	if got := mustGet(t, s, "folder/p", metastore.PromptSelector{}); got.Prompt.Version != 2 {
		t.Errorf("after labeling, version %d is in production", got.Prompt.Version)
	}
	if err := s.Delete(t.Context(), project, "folder/p", metastore.PromptSelector{}); err != nil {
		t.Error(err)
	}
	if err := s.Delete(t.Context(), project, "folder/p", metastore.PromptSelector{}); !fault.Is(err, fault.NotFound) {
		t.Errorf("Delete of nothing: %v", err)
	}
	if _, err := s.Get(t.Context(), project, "folder/p", latest, Resolved); !fault.Is(err, fault.NotFound) {
		t.Errorf("Get after Delete: %v", err)
	}
}

func TestRefusedDrafts(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	message := func(content string) model.PromptMessage { return model.PromptMessage{Role: "user", Content: content} }
	chat := func(messages ...model.PromptMessage) Draft {
		return Draft{Name: "p", Type: model.ChatPrompt, Content: model.PromptContent{Messages: append([]model.PromptMessage{}, messages...)}}
	}
	for name, d := range map[string]Draft{
		"no name": text("", "x"), "spaces": text("  ", "x"), "bar": text("a|b", "x"), "tag": text("a<b>c", "x"), "slash": text("/a", "x"),
		"slash at the end": text("a/", "x"), "two slashes": text("a//b", "x"), "new": text("new", "x"), "metrics": text("metrics", "x"),
		"prompt-detail": text("prompt-detail", "x"), "label": text("p", "x", "Upper"), "type": {Name: "p", Type: "other"},
		"chat as text":     {Name: "p", Type: model.TextPrompt, Content: model.PromptContent{Messages: []model.PromptMessage{}}},
		"text as chat":     {Name: "p", Type: model.ChatPrompt, Content: model.PromptContent{Text: "x"}},
		"long message":     {Name: "p", CommitMessage: strings.Repeat("ä", 501)},
		"config":           {Name: "p", Config: json.RawMessage("{")},
		"placeholder":      chat(model.PromptMessage{Placeholder: "1a"}),
		"same as variable": chat(message("{{ a }}"), model.PromptMessage{Placeholder: "a"}),
		"itself":           text("p", "@@@langfusePrompt:name=p|label=production@@@"),
		"nothing":          text("p", "@@@langfusePrompt:name=q|version=1@@@"),
	} {
		if _, err := s.Create(t.Context(), project, d); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v, want fault.Invalid", name, err)
		}
	}
	for _, d := range []Draft{
		chat(), chat(message("{{b}} {{a b}}"), model.PromptMessage{Placeholder: "a"}),
		{Name: "long", CommitMessage: strings.Repeat("ä", 500)},
		text("a < b/d e?%", "x"), text("newer", "x"),
	} {
		mustMake(t, s, d)
	}
}

func TestConcurrentCreation(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	const writers = 50
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			if _, err := s.Create(t.Context(), project, text("p", strconv.Itoa(i))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := mustGet(t, s, "p", latest).Prompt.Version; got != writers {
		t.Errorf("latest is version %d", got)
	}
}

// TestChangesOfOtherNodes runs two services over one real store.
func TestChangesOfOtherNodes(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		store, err := sqlstore.OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "metadata.sqlite"))
		if err != nil {
			t.Fatal(err)
		}
		testOtherNodes(t, store)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		store, err := sqlstore.OpenPostgres(t.Context(), testkit.Postgres(t))
		if err != nil {
			t.Fatal(err)
		}
		testOtherNodes(t, store)
	})
}

func testOtherNodes(t *testing.T, store *sqlstore.Store) {
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	planted(t, store)
	writer, reader := New(store), New(store)
	t.Cleanup(writer.Close)
	t.Cleanup(reader.Close)
	mustMake(t, writer, text("p", "0", "production"))
	if _, err := reader.Get(t.Context(), project, "q", latest, Resolved); !fault.Is(err, fault.NotFound) {
		t.Errorf("Get of nothing: %v", err)
	}
	for i := 1; i <= 3; i++ {
		mustGet(t, reader, "p", metastore.PromptSelector{}) // so that it is known
		want := strconv.Itoa(i)
		mustMake(t, writer, text("p", want, "production"))
		changed := time.Now()
		if got := mustGet(t, writer, "p", metastore.PromptSelector{}).Prompt.Content.Text; got != want {
			t.Errorf("the writer reads %q after it wrote %q", got, want)
		}
		for mustGet(t, reader, "p", metastore.PromptSelector{}).Prompt.Content.Text != want {
			if time.Since(changed) > time.Second {
				t.Fatalf("change %d is not seen after a second", i)
			}
			<-time.After(5 * time.Millisecond)
		}
	}
	mustMake(t, writer, text("q", "now"))
	for began := time.Now(); ; <-time.After(5 * time.Millisecond) {
		_, err := reader.Get(t.Context(), project, "q", latest, Resolved)
		if err == nil {
			break
		}
		if !fault.Is(err, fault.NotFound) || time.Since(began) > time.Second {
			t.Fatalf("a new prompt is not seen after %s: %v", time.Since(began), err)
		}
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	mustMake(t, s, Draft{Name: "a", Content: model.PromptContent{Text: "x"}, Labels: []string{"production"}, Tags: []string{"t"}})
	mustMake(t, s, text("a", "y"))
	mustMake(t, s, text("b", "z"))
	now := time.Now()
	for name, c := range map[string]struct {
		query Query
		want  string
	}{
		"all": {Query{}, "a[1 2] b[1]"}, "name": {Query{Name: "b"}, "b[1]"}, "label": {Query{Label: "production"}, "a[1]"},
		"tag": {Query{Tag: "t"}, "a[1 2]"}, "version": {Query{Version: 2}, "a[2]"}, "from": {Query{From: now.Add(time.Hour)}, ""},
		"to": {Query{To: now.Add(time.Hour)}, "a[1 2] b[1]"}, "to before": {Query{To: now.Add(-time.Hour)}, ""},
		"empty filter":        {Query{Name: "b", Filter: "[]"}, "a[1 2] b[1]"},
		"filter":              {Query{Name: "b", Filter: `[{"type":"string","column":"name","operator":"is not empty"},{"type":"number","column":"version","operator":">","value":1}]`}, "a[2]"},
		"filter by config":    {Query{Filter: `[{"type":"stringObject","column":"config","key":"x","operator":"is not set"}]`}, "a[1 2] b[1]"},
		"filter by none":      {Query{Filter: `[{"type":"arrayOptions","column":"labels","operator":"none of","value":["production"]}]`}, "a[2] b[1]"},
		"a page far out":      {Query{Page: 1 << 60}, ""},
		"second page of one":  {Query{Page: 2, Limit: 1}, "b[1]"},
		"filter by wildcards": {Query{Filter: `[{"type":"string","column":"name","operator":"starts with","value":"_"}]`}, "a[1 2] b[1]"},
	} {
		q := c.query
		q.Page, q.Limit = max(q.Page, 1), max(q.Limit, 0)
		if q.Limit == 0 {
			q.Limit = 10
		}
		list, _, err := s.List(t.Context(), project, q)
		var got []string
		for _, p := range list {
			got = append(got, fmt.Sprint(p.Name, p.Versions))
		}
		if strings.Join(got, " ") != c.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
	for _, bad := range []string{
		"{", "{}", `[{"type":"string","column":"name","operator":"matches","value":"x"}]`, `[{"type":"string","column":"labels","operator":"=","value":"x"}]`,
		`[{"type":"arrayOptions","column":"tags","operator":"all of","value":[]}]`, `[{"type":"numberObject","column":"config","key":"x","operator":"=","value":1}]`,
		`[{"type":"stringObject","column":"config","key":"x","operator":"matches","value":"x"}]`, `[{"type":"string","column":"prompt","operator":"=","value":"x"}]`,
		`[{"type":"string","column":"name","operator":"contains","value":"\u0000"}]`, `[{"type":"number","column":"version","operator":"=","value":"1"}]`,
		`[{"type":"null","column":"name","operator":"is null","value":""}]`,
	} {
		if _, _, err := s.List(t.Context(), project, Query{Filter: bad, Page: 1, Limit: 1}); !fault.Is(err, fault.Invalid) {
			t.Errorf("filter %s: %v, want fault.Invalid", bad, err)
		}
	}
}

func TestEncodedOnce(t *testing.T) {
	t.Parallel()
	f := &Found{Prompt: model.Prompt{Name: "p"}}
	calls := 0
	encode := func(f *Found) ([]byte, error) {
		if calls++; calls == 1 {
			return nil, errors.New("once")
		}
		return []byte(f.Prompt.Name), nil
	}
	if _, err := f.Encoded(encode); err == nil {
		t.Error("an error was lost")
	}
	for range 3 {
		if got, err := f.Encoded(encode); string(got) != "p" || err != nil {
			t.Errorf("Encoded = %s, %v", got, err)
		}
	}
	if diff := cmp.Diff(2, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}
