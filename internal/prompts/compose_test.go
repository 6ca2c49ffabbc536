package prompts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

func TestReadTag(t *testing.T) {
	t.Parallel()
	for inside, want := range map[string]model.PromptReference{
		"name=a|version=1":           {Name: "a", Version: 1},
		"name=folder/a b|label=prod": {Name: "folder/a b", Label: "prod"},
		"name=a=b|version=12":        {Name: "a=b", Version: 12},
		"":                           {}, "name=a": {}, "name=a|": {}, "version=1|name=a": {}, "name=|version=1": {}, "name=a|version=0": {}, "name=a|version=x": {},
		"name=a|version=1|label=b": {}, "name=a|label=b|version=1": {}, "name=a|label=": {}, "name=a|other=1": {}, "name=a|version=99999999999999999999": {}, "name=a|version=-1": {},
	} {
		got, ok := readTag(inside)
		if ok != (want != model.PromptReference{}) || ok && got != want {
			t.Errorf("%q: %+v, %v", inside, got, ok)
		}
	}
}

func include(name string, version int) string {
	return fmt.Sprintf("@@@langfusePrompt:name=%s|version=%d@@@", name, version)
}

func TestComposition(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	leaf := mustMake(t, s, text("leaf", `"leaf" \ $1`, "production"))
	middle := mustMake(t, s, text("middle", "<"+include("leaf", 1)+">"))
	root := mustMake(t, s, Draft{Name: "root", Type: model.ChatPrompt, Labels: []string{"production"}, Content: model.PromptContent{Messages: []model.PromptMessage{
		{Role: "system", Content: include("middle", 1) + "@@@langfusePrompt:name=leaf|label=production@@@" + include("leaf", 1) + "@@@langfusePrompt:name=leaf@@@"},
		{Placeholder: "history"},
		{Role: "user", Content: "plain"},
	}}})
	got := mustGet(t, s, "root", metastore.PromptSelector{})
	const text1 = `"leaf" \ $1`
	want := []model.PromptMessage{{Role: "system", Content: "<" + text1 + ">" + text1 + text1 + "@@@langfusePrompt:name=leaf@@@"}, {Placeholder: "history"}, {Role: "user", Content: "plain"}}
	if diff := cmp.Diff(want, got.Prompt.Content.Messages); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	node := func(p model.Prompt) Node { return Node{p.ID, p.Name, p.Version} }
	graph := &Graph{Root: node(root), Dependencies: map[string][]Node{root.ID: {node(middle), node(leaf)}, middle.ID: {node(leaf)}}}
	if diff := cmp.Diff(graph, got.Graph); diff != "" {
		t.Errorf("graph (-want +got):\n%s", diff)
	}
	raw, err := s.Get(t.Context(), project, "root", metastore.PromptSelector{}, Raw)
	if err != nil || raw.Graph != nil || raw.Prompt.Content.Messages[0].Content != root.Content.Messages[0].Content {
		t.Errorf("raw: %+v, %v", raw, err)
	}
	// A label that moves counts in what is read, also where it is known already.
	mustMake(t, s, text("leaf", "newer", "production"))
	if got := mustGet(t, s, "root", metastore.PromptSelector{}).Prompt.Content.Messages[0].Content; got != "<"+text1+">newer"+text1+"@@@langfusePrompt:name=leaf@@@" {
		t.Errorf("after the label moved: %s", got)
	}
	if err := s.Delete(t.Context(), project, "leaf", metastore.PromptSelector{Version: 1}); !fault.Is(err, fault.Invalid) {
		t.Errorf("an included version was deleted: %v", err)
	}
}

// put stores a version without the checks of Create: as others, at the same time, may bring it about.
func put(t *testing.T, s *Service, name string, kind model.PromptType, content model.PromptContent) {
	t.Helper()
	_, err := s.store.CreatePrompt(t.Context(), metastore.PromptDraft{Prompt: model.Prompt{
		ProjectID: project, ID: fmt.Sprintf("%x", fmt.Sprint(name, len(content.Text))), Name: name, Type: kind, Content: content, Config: []byte("{}"),
	}})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFaultsOfComposition(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	texts := func(name, content string) { put(t, s, name, model.TextPrompt, model.PromptContent{Text: content}) }
	texts("missing", include("nothing", 1))
	texts("bad name", "@@@langfusePrompt:name=a\x00|version=1@@@")
	texts("self", include("self", 1))
	texts("older self", "plain")
	texts("older self", include("older self", 1))
	texts("a", include("b", 1))
	texts("b", include("c", 1))
	texts("c", include("a", 1)+include("b", 1))
	put(t, s, "chat", model.ChatPrompt, model.PromptContent{Messages: []model.PromptMessage{{Role: "user", Content: "x"}}})
	texts("includes a chat", include("chat", 1))
	texts("d5", "bottom")
	for i := 4; i >= 0; i-- {
		texts(fmt.Sprintf("d%d", i), include(fmt.Sprintf("d%d", i+1), 1))
	}
	texts("deep by two ways", include("d4", 1)+include("d1", 1))
	texts("wide", strings.Repeat("x", 1<<20))
	texts("wider", strings.Repeat(include("wide", 1), 5))
	var many strings.Builder
	for i := range maxIncluded + 1 {
		texts(fmt.Sprintf("many%d", i), "x")
		many.WriteString(include(fmt.Sprintf("many%d", i), 1))
	}
	texts("many", many.String())
	for _, name := range []string{"missing", "bad name", "self", "older self", "a", "b", "c", "includes a chat", "d0", "deep by two ways", "wider", "many"} {
		for range 2 { // known the second time
			if _, err := s.Get(t.Context(), project, name, latest, Resolved); !fault.Is(err, fault.Conflict) {
				t.Errorf("Get %s: %v, want fault.Conflict", name, err)
			}
		}
		if _, err := s.Get(t.Context(), project, name, latest, Raw); err != nil {
			t.Errorf("Get %s as it was written: %v", name, err)
		}
		if _, err := s.Create(t.Context(), project, text("parent", "@@@langfusePrompt:name="+name+"|label=latest@@@")); name != "d0" && !fault.Is(err, fault.Invalid) {
			t.Errorf("Create that includes %s: %v, want fault.Invalid", name, err)
		}
	}
	if got := mustGet(t, s, "d1", latest).Prompt.Content.Text; got != "bottom" {
		t.Errorf("five prompts in each other: %q", got)
	}
	if _, err := s.Create(t.Context(), project, text("c", include("a", 1))); !fault.Is(err, fault.Invalid) {
		t.Errorf("Create of a cycle: %v", err)
	}
}

func FuzzCompose(f *testing.F) {
	for _, seed := range []string{
		"", "plain", include("a", 1), include("self", 1) + "x", "@@@langfusePrompt:name=a|label=latest@@@", "@@@langfusePrompt:@@@@@@langfusePrompt:name=a|version=1@@@",
		"@@@langfusePrompt:name=\x00|version=1@@@", "@@@langfusePrompt:name=a|version=1@@", "{{a}}@@@langfusePrompt:name=b|version=1@@@",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		s, _ := open(t)
		mustMake(t, s, text("a", "A"))
		mustMake(t, s, text("b", "B"+include("a", 1)))
		made, err := s.Create(t.Context(), project, text("self", content, "production"))
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Fatalf("%q: %v", content, err)
			}
			return
		}
		found := mustGet(t, s, "self", metastore.PromptSelector{})
		if len(references(made.Content)) == 0 && (found.Prompt.Content.Text != made.Content.Text || found.Graph != nil) {
			t.Errorf("%q became %q", content, found.Prompt.Content.Text)
		}
		for _, r := range references(found.Prompt.Content) {
			if strings.Contains(content, "@@@langfusePrompt:name="+r.Name+"|") && r.Name == "a" && !strings.Contains(content, "@@@@@@") {
				t.Errorf("%q still includes %+v: %q", content, r, found.Prompt.Content.Text)
			}
		}
	})
}

func FuzzName(f *testing.F) {
	for _, seed := range []string{"a", "a/b", "", "/", "a|b", "<b>", "new", "\x00", "%2F", "ä", "..", " a", "a?b#c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		s, _ := open(t)
		made, err := s.Create(t.Context(), project, text(name, "x", "production"))
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Fatalf("%q: %v", name, err)
			}
			return
		}
		if got := mustGet(t, s, name, metastore.PromptSelector{}); got.Prompt.Name != name || got.Prompt.ID != made.ID {
			t.Errorf("%q: got %+v", name, got.Prompt)
		}
	})
}

func FuzzFilter(f *testing.F) {
	for _, seed := range []string{
		"[]", "", "{", `[{"type":"string","column":"name","operator":"contains","value":"%\\_"}]`, `[{"type":"stringObject","column":"config","key":"k","operator":"=","value":"v"}]`,
		`[{"type":"arrayOptions","column":"labels","operator":"all of","value":["latest"]}]`, `[{"type":"number","column":"version","operator":"<","value":1e308}]`,
		`[{"type":"datetime","column":"createdAt","operator":">","value":"0000-01-01"}]`, `[{"type":"string","column":"id","operator":"is not empty"}]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, filter string) {
		s, _ := open(t)
		mustMake(t, s, text("a", "A"))
		if _, _, err := s.List(t.Context(), project, Query{Filter: filter, Page: 1, Limit: 10}); err != nil && !fault.Is(err, fault.Invalid) {
			t.Fatalf("%q: %v", filter, err)
		}
	})
}
