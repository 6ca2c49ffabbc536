package metastoretest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

var promptsTests = map[string]func(*testing.T, metastore.Store){
	"prompts by id":                testPromptExists,
	"prompts":                      testPrompts,
	"prompt labels":                testPromptLabels,
	"prompt tags":                  testPromptTags,
	"prompt types":                 testPromptTypes,
	"deleted prompts":              testDeletePrompts,
	"included prompts":             testPromptIncludes,
	"prompts of projects":          testPromptTenants,
	"refused prompts":              testRefusedPrompts,
	"hostile prompts":              testHostilePrompts,
	"prompt at once":               testPromptAtOnce,
	"labels of a prompt at once":   testLabelsAtOnce,
	"deleted and created at once":  testDeletedAtOnce,
	"prompt changes":               testPromptChanges,
	"many prompt changes":          testManyPromptChanges,
	"prompt changes while written": testPromptChangesAtOnce,
	"versions of a prompt":         testPromptVersions,
	"dependents of a prompt":       testPromptDependents,
	"list of prompts":              testListPrompts,
	"pages of prompts":             testPromptPages,
	"conditions on prompts":        testPromptConditions,
	"patterns on prompts":          testPromptPatterns,
	"any pattern on prompts":       testAnyPattern,
	"large pages of prompts":       testLargePromptPages,
}

var promptTime = time.Date(2026, 5, 1, 10, 0, 0, 123_456_789, time.UTC)

// later is promptTime some milliseconds later, as it is stored.
func later(millis int) time.Time {
	return promptTime.Truncate(time.Millisecond).Add(time.Duration(millis) * time.Millisecond)
}

// draft is a version of a name; drafts of one name that differ in time differ in id.
func draft(project, name string, millis int) metastore.PromptDraft {
	return metastore.PromptDraft{
		Prompt: model.Prompt{
			ProjectID: project, ID: fmt.Sprintf("id-%x-%d", name, millis), Name: name, Type: model.TextPrompt,
			Content: model.PromptContent{Text: "Hello {{who}}"}, Config: []byte(`{"model":"m"}`), CreatedBy: "API", CommitMessage: "why",
		},
		At: promptTime.Add(time.Duration(millis) * time.Millisecond),
	}
}

func mustCreate(t *testing.T, store metastore.Store, d metastore.PromptDraft) model.Prompt {
	t.Helper()
	p, err := store.CreatePrompt(t.Context(), d)
	if err != nil {
		t.Fatalf("CreatePrompt %s: %v", d.Name, err)
	}
	return p
}

func wantPrompt(t *testing.T, store metastore.Store, want model.Prompt) {
	t.Helper()
	got, err := store.Prompt(t.Context(), want.ProjectID, want.Name, metastore.PromptSelector{Version: want.Version})
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Prompt %s %d: %v (-want +got):\n%s", want.Name, want.Version, err, diff)
	}
}

// wantLabels compares the labels of the versions from 1 on, "-" for one that is gone.
func wantLabels(t *testing.T, store metastore.Store, project, name string, want ...string) {
	t.Helper()
	for i, labels := range want {
		p, err := store.Prompt(t.Context(), project, name, metastore.PromptSelector{Version: i + 1})
		if labels == "-" {
			wantError(t, "Prompt", err, metastore.ErrNotFound)
			continue
		}
		if got := strings.Join(p.Labels, " "); err != nil || got != labels {
			t.Errorf("labels of version %d: %q, %v, want %q", i+1, got, err, labels)
		}
	}
}

func testPrompts(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	first := draft(project, "folder/name", 0)
	first.Labels, first.Tags = []string{"production", "b", "production"}, []string{"t2", "t1", "t2"}
	want := first.Prompt
	want.Version, want.Labels, want.Tags = 1, []string{"production", "b", "latest"}, []string{"t2", "t1"}
	want.CreatedAt, want.UpdatedAt = later(0), later(0)
	if diff := cmp.Diff(want, mustCreate(t, store, first)); diff != "" {
		t.Errorf("CreatePrompt (-want +got):\n%s", diff)
	}
	wantPrompt(t, store, want)
	for _, selector := range []metastore.PromptSelector{{Label: "production"}, {Label: "latest"}, {Label: "b", Version: 1}} {
		got, err := store.Prompt(t.Context(), project, "folder/name", selector)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("Prompt %+v: %v (-want +got):\n%s", selector, err, diff)
		}
	}
	for _, selector := range []metastore.PromptSelector{{Label: "nothing"}, {Version: 2}, {Version: 2, Label: "b"}, {Version: 1 << 40}, {Version: -1}} {
		_, err := store.Prompt(t.Context(), project, "folder/name", selector)
		wantError(t, fmt.Sprintf("Prompt %+v", selector), err, metastore.ErrNotFound)
	}
	chat := draft(project, "chat", 1)
	chat.Type, chat.Config, chat.CommitMessage = model.ChatPrompt, []byte(`null`), ""
	chat.Content = model.PromptContent{Messages: []model.PromptMessage{{Role: "system", Content: "x\x00\"é"}, {Placeholder: "history"}}}
	wantPrompt(t, store, mustCreate(t, store, chat))
	empty := draft(project, "empty chat", 2)
	empty.Type, empty.Content = model.ChatPrompt, model.PromptContent{Messages: []model.PromptMessage{}}
	wantPrompt(t, store, mustCreate(t, store, empty))
	_, err := store.CreatePrompt(t.Context(), draft("nobody", "x", 0))
	wantError(t, "CreatePrompt in no project", err, metastore.ErrNotFound)
}

func testPromptLabels(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	first := draft(project, "p", 0)
	first.Labels = []string{"production", "latest", "a"}
	mustCreate(t, store, first)
	wantLabels(t, store, project, "p", "production latest a")
	second := draft(project, "p", 1)
	second.Labels = []string{"a"}
	two := mustCreate(t, store, second)
	wantLabels(t, store, project, "p", "production", "a latest")
	third := mustCreate(t, store, draft(project, "p", 2))
	wantLabels(t, store, project, "p", "production", "a", "latest")
	if one, _ := store.Prompt(t.Context(), project, "p", metastore.PromptSelector{Version: 1}); !one.UpdatedAt.Equal(later(1)) || !one.CreatedAt.Equal(later(0)) {
		t.Errorf("version 1 lost labels at %v, was made at %v", one.UpdatedAt, one.CreatedAt)
	}
	moved, err := store.LabelPrompt(t.Context(), project, "p", 2, []string{"production", "a", "new"}, promptTime.Add(5*time.Millisecond))
	two.Labels, two.UpdatedAt = []string{"a", "production", "new"}, later(5)
	if diff := cmp.Diff(two, moved); err != nil || diff != "" {
		t.Errorf("LabelPrompt: %v (-want +got):\n%s", err, diff)
	}
	wantLabels(t, store, project, "p", "", "a production new", "latest")
	wantPrompt(t, store, third)
	// What changes nothing is no change.
	again, err := store.LabelPrompt(t.Context(), project, "p", 2, []string{"a"}, promptTime.Add(9*time.Millisecond))
	if diff := cmp.Diff(moved, again); err != nil || diff != "" {
		t.Errorf("LabelPrompt again: %v (-want +got):\n%s", err, diff)
	}
	for _, version := range []int{0, 4, -1, 1 << 40} {
		_, err := store.LabelPrompt(t.Context(), project, "p", version, []string{"x"}, promptTime)
		wantError(t, "LabelPrompt of nothing", err, metastore.ErrNotFound)
	}
	_, err = store.LabelPrompt(t.Context(), project, "q", 1, []string{"x"}, promptTime)
	wantError(t, "LabelPrompt of no name", err, metastore.ErrNotFound)
}

func testPromptTags(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	tags := func(version int) string {
		p, err := store.Prompt(t.Context(), project, "p", metastore.PromptSelector{Version: version})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(p.Tags, " ")
	}
	steps := []struct {
		keep bool
		tags []string
		want string
	}{{false, []string{"a", "b"}, "a b"}, {true, []string{"ignored"}, "a b"}, {false, []string{"c"}, "c"}, {false, nil, ""}, {true, nil, ""}}
	for i, step := range steps {
		d := draft(project, "p", i)
		d.Tags, d.KeepTags = step.tags, step.keep
		mustCreate(t, store, d)
		for version := 1; version <= i+1; version++ {
			if got := tags(version); got != step.want {
				t.Errorf("step %d: version %d has tags %q, want %q", i, version, got, step.want)
			}
		}
	}
	// Tags change without a new version, too, and what changes nothing is no change.
	other := mustCreate(t, store, draft(project, "q", 0))
	for i, wanted := range []string{"x y", "y x", ""} {
		wantError(t, "TagPrompt", store.TagPrompt(t.Context(), project, "p", strings.Fields(wanted), later(20+i)), nil)
		one, err := store.Prompt(t.Context(), project, "p", metastore.PromptSelector{Version: 1})
		want, at := []string{"x y", "x y", ""}[i], later([]int{20, 20, 22}[i])
		if err != nil || tags(1) != want || tags(len(steps)) != want || !one.UpdatedAt.Equal(at) {
			t.Errorf("tagged %q: versions have %q and %q, changed at %v, %v", wanted, tags(1), tags(len(steps)), one.UpdatedAt, err)
		}
	}
	wantLabels(t, store, project, "p", "", "", "", "", "latest")
	wantPrompt(t, store, other)
	wantError(t, "TagPrompt of nothing", store.TagPrompt(t.Context(), project, "r", []string{"x"}, promptTime), metastore.ErrNotFound)
	wantError(t, "TagPrompt of another project", store.TagPrompt(t.Context(), "other", "p", []string{"x"}, promptTime), metastore.ErrNotFound)
	if err := store.TagPrompt(t.Context(), project, "p", []string{"a\x00"}, promptTime); !fault.Is(err, fault.Invalid) {
		t.Errorf("TagPrompt with NUL = %v", err)
	}
}

func testPromptTypes(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	mustCreate(t, store, draft(project, "p", 0))
	chat := draft(project, "p", 1)
	chat.Type, chat.Content = model.ChatPrompt, model.PromptContent{Messages: []model.PromptMessage{{Role: "user", Content: "x"}}}
	if _, err := store.CreatePrompt(t.Context(), chat); !fault.Is(err, fault.Invalid) {
		t.Errorf("CreatePrompt of another type = %v, want fault.Invalid", err)
	}
	wantLabels(t, store, project, "p", "latest", "-")
	// A name that is gone may come back as another type, from version 1 on.
	wantError(t, "DeletePrompts", store.DeletePrompts(t.Context(), project, "p", metastore.PromptSelector{}, promptTime), nil)
	if made := mustCreate(t, store, chat); made.Version != 1 || made.Tags != nil {
		t.Errorf("made %+v", made)
	}
}

func testDeletePrompts(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	for i := range 5 {
		d := draft(project, "p", i)
		d.Labels = []string{fmt.Sprintf("l%d", i+1)}
		mustCreate(t, store, d)
	}
	mustCreate(t, store, draft(project, "q", 0))
	remove := func(selector metastore.PromptSelector, want error) {
		t.Helper()
		wantError(t, fmt.Sprintf("DeletePrompts %+v", selector), store.DeletePrompts(t.Context(), project, "p", selector, promptTime.Add(time.Second)), want)
	}
	remove(metastore.PromptSelector{Version: 9}, metastore.ErrNotFound)
	remove(metastore.PromptSelector{Label: "l9"}, metastore.ErrNotFound)
	remove(metastore.PromptSelector{Label: "l1", Version: 2}, metastore.ErrNotFound)
	remove(metastore.PromptSelector{Version: 2}, nil)
	wantLabels(t, store, project, "p", "l1", "-", "l3", "l4", "l5 latest")
	remove(metastore.PromptSelector{Label: "latest"}, nil)
	wantLabels(t, store, project, "p", "l1", "-", "l3", "l4 latest", "-")
	if p, _ := store.Prompt(t.Context(), project, "p", metastore.PromptSelector{Label: "latest"}); !p.UpdatedAt.Equal(later(1000)) {
		t.Errorf("the new latest changed at %v", p.UpdatedAt)
	}
	// The next version follows the highest that is left.
	if made := mustCreate(t, store, draft(project, "p", 9)); made.Version != 5 {
		t.Errorf("version %d after a deletion, want 5", made.Version)
	}
	remove(metastore.PromptSelector{}, nil)
	wantLabels(t, store, project, "p", "-", "-", "-", "-", "-")
	remove(metastore.PromptSelector{}, metastore.ErrNotFound)
	wantLabels(t, store, project, "q", "latest")
}

func testPromptIncludes(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	for i := range 3 {
		d := draft(project, "child", i)
		d.Labels = []string{fmt.Sprintf("l%d", i+1)}
		mustCreate(t, store, d)
	}
	chat := draft(project, "chat", 0)
	chat.Type, chat.Content = model.ChatPrompt, model.PromptContent{Messages: []model.PromptMessage{{Role: "user", Content: "x"}}}
	mustCreate(t, store, chat)
	parent := draft(project, "parent", 0)
	for _, bad := range []model.PromptReference{{Name: "nothing", Version: 1}, {Name: "child", Version: 4}, {Name: "child", Label: "l4"}, {Name: "chat", Version: 1}} {
		parent.Includes = []model.PromptReference{{Name: "child", Version: 1}, bad}
		if _, err := store.CreatePrompt(t.Context(), parent); !fault.Is(err, fault.Invalid) {
			t.Errorf("CreatePrompt that includes %+v = %v, want fault.Invalid", bad, err)
		}
	}
	wantLabels(t, store, project, "parent", "-")
	parent.Includes = []model.PromptReference{{Name: "child", Version: 1}, {Name: "child", Label: "l2"}, {Name: "child", Label: "latest"}}
	mustCreate(t, store, parent)
	for selector, free := range map[metastore.PromptSelector]bool{
		{Version: 1}: false, {Version: 2}: false, {Label: "l2"}: false, {Label: "l1"}: false, {}: false, {Version: 3}: true,
	} {
		err := store.DeletePrompts(t.Context(), project, "child", selector, promptTime)
		if free && err != nil || !free && !fault.Is(err, fault.Invalid) {
			t.Errorf("DeletePrompts %+v = %v, free: %v", selector, err, free)
		}
	}
	wantLabels(t, store, project, "child", "l1", "l2 latest", "-")
	wantError(t, "DeletePrompts", store.DeletePrompts(t.Context(), project, "parent", metastore.PromptSelector{Version: 1}, promptTime), nil)
	wantError(t, "DeletePrompts", store.DeletePrompts(t.Context(), project, "child", metastore.PromptSelector{}, promptTime), nil)
}

func testPromptTenants(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	wantError(t, "CreateProject", store.CreateProject(t.Context(), model.Project{ID: "other", Organization: seed.Organization}), nil)
	own, foreign := draft(seed.Project.ID, "p", 0), draft("other", "p", 0)
	foreign.Content.Text, foreign.Labels, foreign.Tags = "foreign", []string{"production"}, []string{"foreign"}
	mine, theirs := mustCreate(t, store, own), mustCreate(t, store, foreign)
	if theirs.Version != 1 || theirs.ID != mine.ID {
		t.Errorf("made %+v", theirs)
	}
	wantPrompt(t, store, mine)
	including := draft(seed.Project.ID, "parent", 0)
	including.Includes = []model.PromptReference{{Name: "p", Label: "production"}}
	if _, err := store.CreatePrompt(t.Context(), including); !fault.Is(err, fault.Invalid) {
		t.Errorf("a label of another project was included: %v", err)
	}
	_, err := store.LabelPrompt(t.Context(), "other", "p", 1, []string{"x"}, promptTime.Add(time.Second))
	wantError(t, "LabelPrompt", err, nil)
	wantPrompt(t, store, mine)
	wantError(t, "DeletePrompts", store.DeletePrompts(t.Context(), "other", "p", metastore.PromptSelector{}, promptTime), nil)
	wantPrompt(t, store, mine)
	list, total, err := store.ListPrompts(t.Context(), "other", metastore.PromptQuery{Limit: 10})
	if len(list) != 0 || total != 0 || err != nil {
		t.Errorf("ListPrompts of the other project = %v, %d, %v", list, total, err)
	}
}

func testRefusedPrompts(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	for name, spoil := range map[string]func(*metastore.PromptDraft){
		"no id":         func(d *metastore.PromptDraft) { d.ID = "" },
		"no name":       func(d *metastore.PromptDraft) { d.Name = "" },
		"NUL":           func(d *metastore.PromptDraft) { d.Name = "a\x00" },
		"NUL tag":       func(d *metastore.PromptDraft) { d.Tags = []string{"a\x00"} },
		"separator":     func(d *metastore.PromptDraft) { d.Tags = []string{"a\x1fb"} },
		"empty tag":     func(d *metastore.PromptDraft) { d.Tags = []string{""} },
		"long tag":      func(d *metastore.PromptDraft) { d.Tags = []string{strings.Repeat("x", metastore.MaxTag+1)} },
		"not UTF-8":     func(d *metastore.PromptDraft) { d.Name = "\xff" },
		"empty label":   func(d *metastore.PromptDraft) { d.Labels = []string{""} },
		"long label":    func(d *metastore.PromptDraft) { d.Labels = []string{strings.Repeat("x", 37)} },
		"upper label":   func(d *metastore.PromptDraft) { d.Labels = []string{"Production"} },
		"comma label":   func(d *metastore.PromptDraft) { d.Labels = []string{"a,b"} },
		"many labels":   func(d *metastore.PromptDraft) { d.Labels = make([]string, 101) },
		"many tags":     func(d *metastore.PromptDraft) { d.Tags = make([]string, 101) },
		"many includes": func(d *metastore.PromptDraft) { d.Includes = make([]model.PromptReference, 101) },
		"huge text":     func(d *metastore.PromptDraft) { d.Content.Text = strings.Repeat("x", metastore.MaxPromptBytes) },
		"huge config": func(d *metastore.PromptDraft) {
			d.Config = []byte(`"` + strings.Repeat("x", metastore.MaxPromptBytes) + `"`)
		},
		"many keys":       func(d *metastore.PromptDraft) { d.Config = manyKeys(metastore.MaxConfigKeys + 1) },
		"message of NULs": func(d *metastore.PromptDraft) { d.CommitMessage = "\x00" },
	} {
		d := draft(project, "bad", 0)
		spoil(&d)
		if _, err := store.CreatePrompt(t.Context(), d); !fault.Is(err, fault.Invalid) {
			t.Errorf("CreatePrompt with %s = %v, want fault.Invalid", name, err)
		}
	}
	for _, name := range []string{"", "a\x00", "\xff"} {
		_, reading := store.Prompt(t.Context(), project, name, metastore.PromptSelector{Version: 1})
		_, labeling := store.LabelPrompt(t.Context(), project, name, 1, nil, promptTime)
		deleting := store.DeletePrompts(t.Context(), project, name, metastore.PromptSelector{}, promptTime)
		for what, err := range map[string]error{"Prompt": reading, "LabelPrompt": labeling, "DeletePrompts": deleting} {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("%s %q = %v, want fault.Invalid", what, name, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := store.CreatePrompt(ctx, draft(project, "late", 0))
	wantError(t, "CreatePrompt", err, context.Canceled)
	_, _, err = store.ListPrompts(ctx, project, metastore.PromptQuery{Limit: 1})
	wantError(t, "ListPrompts", err, context.Canceled)
	_, err = store.PromptChanges(ctx, 0)
	wantError(t, "PromptChanges", err, context.Canceled)
	if list, _, err := store.ListPrompts(t.Context(), project, metastore.PromptQuery{Limit: 10}); len(list) > 0 || err != nil {
		t.Errorf("ListPrompts = %v, %v after refusals", list, err)
	}
}

func manyKeys(n int) []byte {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, `,"k%d":%d`, i, i)
	}
	return []byte("{" + text.String()[1:] + "}")
}

func testHostilePrompts(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	names := []string{
		"*", "..", "/", `\`, "'", "%", "_", "$1", "?", "-- x", " ", " a", "a ", "\t\n", "NULL", "Ä", "A\u0308", "ä", "\U0001F600", "\u202e",
		strings.Repeat("x", metastore.MaxText), strings.Repeat("ü", metastore.MaxText/2),
	}
	for i, name := range names {
		d := draft(project, name, i)
		d.ID, d.Content.Text, d.Tags = fmt.Sprintf("id%d", i), name+"\x00", []string{name[:min(len(name), metastore.MaxTag)]}
		if i == 0 {
			d.Config = manyKeys(metastore.MaxConfigKeys)
		}
		wantPrompt(t, store, mustCreate(t, store, d))
	}
	list, total, err := store.ListPrompts(t.Context(), project, metastore.PromptQuery{Limit: 100})
	var got []string
	for _, p := range list {
		got = append(got, p.Name)
	}
	slices.Sort(names)
	if diff := cmp.Diff(names, got); err != nil || total != len(names) || diff != "" {
		t.Errorf("ListPrompts: %d, %v (-want +got):\n%s", total, err, diff)
	}
}

func testPromptExists(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	made := mustCreate(t, store, draft(project, "greeting", 0))
	for id, want := range map[string]bool{made.ID: true, "another": false} {
		for _, owner := range []string{project, "foreign"} {
			found, err := store.PromptExists(t.Context(), owner, id)
			if err != nil || found != (want && owner == project) {
				t.Errorf("PromptExists(%s, %s) = %v, %v", owner, id, found, err)
			}
		}
	}
}
