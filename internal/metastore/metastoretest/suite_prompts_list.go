package metastoretest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

func testListPrompts(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	for i := range 3 {
		d := draft(project, "b", i)
		d.Config, d.Tags = fmt.Appendf(nil, `{"n":%d}`, i), []string{"z", "a"}
		d.Labels = []string{fmt.Sprintf("l%d", i)}
		mustCreate(t, store, d)
	}
	mustCreate(t, store, draft(project, "a", 9))
	want := []metastore.PromptSummary{
		{Name: "a", Type: model.TextPrompt, Versions: []int{1}, Labels: []string{"latest"}, UpdatedAt: later(9), LastConfig: []byte(`{"model":"m"}`)},
		{Name: "b", Type: model.TextPrompt, Versions: []int{1, 2, 3}, Labels: []string{"l0", "l1", "l2", "latest"}, Tags: []string{"z", "a"}, UpdatedAt: later(2), LastConfig: []byte(`{"n":2}`)},
	}
	got, total, err := store.ListPrompts(t.Context(), project, metastore.PromptQuery{Limit: 10})
	if diff := cmp.Diff(want, got); err != nil || total != 2 || diff != "" {
		t.Errorf("ListPrompts: %d, %v (-want +got):\n%s", total, err, diff)
	}
	// What a list says of a name is about the versions that were selected.
	want = want[1:]
	want[0].Versions, want[0].Labels, want[0].UpdatedAt, want[0].LastConfig = []int{1, 2}, []string{"l0", "l1"}, later(2), []byte(`{"n":1}`)
	got, total, err = store.ListPrompts(t.Context(), project, metastore.PromptQuery{Limit: 10, Conditions: []filter.Condition{
		filter.List{Column: filter.Labels, Op: filter.AnyOf, Values: []string{"l0", "l1"}},
	}})
	if diff := cmp.Diff(want, got); err != nil || total != 1 || diff != "" {
		t.Errorf("ListPrompts with a condition: %d, %v (-want +got):\n%s", total, err, diff)
	}
}

func testPromptPages(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	var all []string
	for _, name := range []string{"B", "Z", "_", "a", "b", "ä", "Ä", "z"} { // not in the order of any language
		mustCreate(t, store, draft(project, name, 0))
	}
	for offset := 0; offset < 12; offset += 3 {
		page, total, err := store.ListPrompts(t.Context(), project, metastore.PromptQuery{Limit: 3, Offset: offset})
		if err != nil || total != 8 {
			t.Fatalf("ListPrompts = %d, %v", total, err)
		}
		for _, p := range page {
			all = append(all, p.Name)
		}
	}
	if diff := cmp.Diff([]string{"B", "Z", "_", "a", "b", "z", "Ä", "ä"}, all); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
}

// promptCases is what the tests of conditions ask.
func promptCases(t *testing.T, store metastore.Store) (ask func(...filter.Condition) string) {
	t.Helper()
	project := mustPlant(t, store, Seed("seed")).Project.ID
	for i, c := range []struct{ name, kind, config, labels, tags string }{
		{"Alpha", "text", `{"model":"GPT-4o","temperature":0.70,"deep":{"a":[1]},"none":null}`, "production a", "x y"},
		{"alpha_beta", "chat", `{"model":"gpt-4o mini","flag":true}`, "a b", "y"},
		{"100% ÄRGER", "text", `"no object"`, "", ""},
		{`back\slash`, "text", `{"model":"","a b":"c\u0000d"}`, "production", "x"},
	} {
		d := draft(project, c.name, i)
		d.ID, d.Type, d.Config = fmt.Sprintf("id%d", i), model.PromptType(c.kind), []byte(c.config)
		d.Labels, d.Tags = strings.Fields(c.labels), strings.Fields(c.tags)
		if d.Type == model.ChatPrompt {
			d.Content = model.PromptContent{Messages: []model.PromptMessage{{Role: "user", Content: "x"}}}
		}
		mustCreate(t, store, d)
	}
	second := draft(project, "Alpha", 10)
	second.ID, second.Config, second.KeepTags = "id10", []byte(`{}`), true
	mustCreate(t, store, second)
	return func(conditions ...filter.Condition) string {
		t.Helper()
		list, total, err := store.ListPrompts(t.Context(), project, metastore.PromptQuery{Conditions: conditions, Limit: 10})
		if err != nil || total != len(list) {
			t.Errorf("ListPrompts %+v = %d of %d, %v", conditions, len(list), total, err)
		}
		var got []string
		for _, p := range list {
			got = append(got, fmt.Sprint(p.Name, p.Versions))
		}
		return strings.Join(got, ", ")
	}
}

func testPromptConditions(t *testing.T, store metastore.Store) {
	ask := promptCases(t, store)
	config := func(key string, op filter.TextOp, value string) filter.Condition {
		return filter.MetadataText{Key: key, Op: op, Value: value}
	}
	for _, c := range []struct {
		condition filter.Condition
		want      string
	}{
		{filter.OneOf{Column: filter.Name, Values: []string{"Alpha", "alpha"}}, "Alpha[1 2]"},
		{filter.OneOf{Column: filter.Name, Values: []string{"Alpha", "alpha_beta"}, Not: true}, `100% ÄRGER[1], back\slash[1]`},
		{filter.OneOf{Column: filter.ID, Values: []string{"id10"}}, "Alpha[2]"},
		{filter.OneOf{Column: filter.Type, Values: []string{"chat"}}, "alpha_beta[1]"},
		{filter.IsSet{Column: filter.Name, Want: true}, `100% ÄRGER[1], Alpha[1 2], alpha_beta[1], back\slash[1]`},
		{filter.Number{Column: filter.PromptNumber, Op: filter.Above, Value: 1.5}, "Alpha[2]"},
		{filter.Number{Column: filter.PromptNumber, Op: filter.Same, Value: 2}, "Alpha[2]"},
		{filter.Number{Column: filter.PromptNumber, Op: filter.AtLeast, Value: 1e300}, ""},
		{filter.Number{Column: filter.PromptNumber, Op: filter.Below, Value: -1}, ""},
		{filter.Number{Column: filter.PromptNumber, Op: filter.AtMost, Value: 1}, `100% ÄRGER[1], Alpha[1], alpha_beta[1], back\slash[1]`},
		{filter.Time{Column: filter.CreatedAt, Op: filter.Above, At: later(3)}, "Alpha[2]"},
		{filter.Time{Column: filter.CreatedAt, Op: filter.AtLeast, At: later(3)}, `Alpha[2], back\slash[1]`},
		{filter.Time{Column: filter.CreatedAt, Op: filter.AtMost, At: later(0).Add(999 * time.Microsecond)}, `Alpha[1]`},
		{filter.Time{Column: filter.UpdatedAt, Op: filter.Below, At: later(2)}, "alpha_beta[1]"},
		{filter.List{Column: filter.Labels, Op: filter.AnyOf, Values: []string{"b", "production"}}, `Alpha[1], alpha_beta[1], back\slash[1]`},
		{filter.List{Column: filter.Labels, Op: filter.AllOf, Values: []string{"a", "production", "a"}}, "Alpha[1]"},
		{filter.List{Column: filter.Labels, Op: filter.NoneOf, Values: []string{"a", "production"}}, "100% ÄRGER[1], Alpha[2]"},
		{filter.List{Column: filter.Tags, Op: filter.AnyOf, Values: []string{"x"}}, `Alpha[1 2], back\slash[1]`},
		{filter.List{Column: filter.Tags, Op: filter.AllOf, Values: []string{"x", "y"}}, "Alpha[1 2]"},
		{filter.List{Column: filter.Tags, Op: filter.NoneOf, Values: []string{"y"}}, `100% ÄRGER[1], back\slash[1]`},
		{config("model", filter.Equal, "GPT-4o"), "Alpha[1]"},
		{config("model", filter.Equal, "gpt-4o"), ""},
		{config("model", filter.Equal, ""), `back\slash[1]`},
		{config("model", filter.Contains, "gpt-4O"), "Alpha[1], alpha_beta[1]"},
		{config("model", filter.NotContains, "mini"), `Alpha[1], back\slash[1]`},
		{config("model", filter.StartsWith, "gpt"), "Alpha[1], alpha_beta[1]"},
		{config("model", filter.EndsWith, "INI"), "alpha_beta[1]"},
		{config("temperature", filter.Equal, "0.70"), "Alpha[1]"},
		{config("flag", filter.Equal, "true"), "alpha_beta[1]"},
		{config("deep", filter.Equal, `{"a":[1]}`), "Alpha[1]"},
		{config("a b", filter.Contains, "C_d"), `back\slash[1]`},
		{config("a", filter.Equal, "1"), ""},
		{filter.MetadataSet{Key: "model", Want: true}, `Alpha[1], alpha_beta[1], back\slash[1]`},
		{filter.MetadataSet{Key: "model"}, "100% ÄRGER[1], Alpha[2]"},
		{filter.MetadataSet{Key: "none", Want: true}, ""},
	} {
		if got := ask(c.condition); got != c.want {
			t.Errorf("%+v selects %q, want %q", c.condition, got, c.want)
		}
	}
	both := []filter.Condition{filter.OneOf{Column: filter.Name, Values: []string{"Alpha"}}, filter.Number{Column: filter.PromptNumber, Op: filter.Same, Value: 1}}
	if got := ask(both...); got != "Alpha[1]" {
		t.Errorf("both conditions select %q", got)
	}
	for _, bad := range []filter.Condition{
		filter.List{Column: filter.Labels, Op: filter.AllOf},
		filter.Text{Column: filter.Name, Op: filter.Contains, Value: "\x00"},
		filter.Text{Column: filter.Name, Op: filter.Contains, Value: strings.Repeat("x", metastore.MaxPattern+1)},
		filter.OneOf{Column: filter.Name, Values: []string{"\xff"}},
		filter.IsTrue{Column: filter.HasInput},
	} {
		if _, _, err := store.ListPrompts(t.Context(), "any", metastore.PromptQuery{Conditions: []filter.Condition{bad}, Limit: 1}); !fault.Is(err, fault.Invalid) {
			t.Errorf("ListPrompts with %+v = %v, want fault.Invalid", bad, err)
		}
	}
}

func testPromptPatterns(t *testing.T, store metastore.Store) {
	ask := promptCases(t, store)
	for _, c := range []struct {
		op          filter.TextOp
		value, want string
	}{
		{filter.Contains, "ALPHA", "Alpha[1 2], alpha_beta[1]"},
		{filter.Contains, "ä", "100% ÄRGER[1]"},
		{filter.Contains, "", `100% ÄRGER[1], Alpha[1 2], alpha_beta[1], back\slash[1]`},
		{filter.Contains, "0% Ä", "100% ÄRGER[1]"},
		{filter.Contains, `0\% `, "100% ÄRGER[1]"},
		{filter.Contains, "a_b", "alpha_beta[1]"},
		{filter.Contains, `ha\_b`, "alpha_beta[1]"},
		{filter.Contains, `h_p`, ""},
		{filter.Contains, `l_h`, "Alpha[1 2], alpha_beta[1]"},
		{filter.Contains, `l\_h`, ""},
		{filter.Contains, `k\\s`, `back\slash[1]`},
		{filter.Contains, `k\s`, ""}, // an escaped s
		{filter.Contains, `\`, `back\slash[1]`},
		{filter.Contains, `%`, `100% ÄRGER[1], Alpha[1 2], alpha_beta[1], back\slash[1]`},
		{filter.Contains, `\%`, "100% ÄRGER[1]"},
		{filter.StartsWith, "ALPHA", "Alpha[1 2], alpha_beta[1]"},
		{filter.StartsWith, "lpha", ""},
		{filter.StartsWith, "%pha", "Alpha[1 2], alpha_beta[1]"},
		{filter.StartsWith, "_lpha_", "alpha_beta[1]"},
		{filter.EndsWith, "PHA", "Alpha[1 2]"},
		{filter.EndsWith, "pha%", "Alpha[1 2], alpha_beta[1]"},
		{filter.EndsWith, "rger", "100% ÄRGER[1]"},
		{filter.EndsWith, "______________", ""},
		{filter.NotContains, "alpha", `100% ÄRGER[1], back\slash[1]`},
		{filter.NotContains, "_", ""},
		{filter.NotContains, `\_`, `100% ÄRGER[1], Alpha[1 2], back\slash[1]`},
	} {
		if got := ask(filter.Text{Column: filter.Name, Op: c.op, Value: c.value}); got != c.want {
			t.Errorf("operator %d %q selects %q, want %q", c.op, c.value, got, c.want)
		}
	}
}

// testAnyPattern compares a store with the plain Go of the one in memory.
func testAnyPattern(t *testing.T, store metastore.Store) {
	ask, want := promptCases(t, store), promptCases(t, NewMemory())
	rapid.Check(t, func(rt *rapid.T) {
		value := rapid.StringOfN(rapid.SampledFrom([]rune(`aAlhp%_\\ ä1é`)), 0, 6, -1).Draw(rt, "value")
		op := rapid.SampledFrom([]filter.TextOp{filter.Contains, filter.NotContains, filter.StartsWith, filter.EndsWith}).Draw(rt, "op")
		for _, condition := range []filter.Condition{filter.Text{Column: filter.Name, Op: op, Value: value}, filter.MetadataText{Key: "model", Op: op, Value: value}} {
			if got, want := ask(condition), want(condition); got != want {
				rt.Fatalf("%+v selects %q, want %q", condition, got, want)
			}
		}
	})
}

func testLargePromptPages(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	for i := range 10 {
		d := draft(project, strconv.Itoa(i), 0)
		d.Config = []byte(`"` + strings.Repeat("x", metastore.MaxPromptBytes-2) + `"`)
		mustCreate(t, store, d)
	}
	if _, _, err := store.ListPrompts(t.Context(), project, metastore.PromptQuery{Limit: 10}); !fault.Is(err, fault.Exhausted) {
		t.Errorf("ListPrompts = %v, want fault.Exhausted", err)
	}
	if list, _, err := store.ListPrompts(t.Context(), project, metastore.PromptQuery{Limit: 8}); err != nil || len(list) != 8 {
		t.Errorf("ListPrompts of 8 = %d, %v", len(list), err)
	}
}
