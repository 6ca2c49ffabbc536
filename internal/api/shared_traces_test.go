package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/model"
)

const sharedTrace = "/api/public/shared-traces/"

func (f *fixture) stranger(t *testing.T, target string, headers ...string) answer {
	t.Helper()
	return f.send(t, request(http.MethodGet, sharedTrace+target, "", nil, headers...))
}

func root(edits ...func(*model.Observation)) func(*model.Observation) {
	return func(o *model.Observation) {
		o.ParentID = ""
		for _, edit := range edits {
			edit(o)
		}
	}
}

func below(o *model.Observation) { o.ParentID = "root" }

func public(o *model.Observation) { o.Public = true }

func says(name, text string) func(*model.Observation) {
	return func(o *model.Observation) {
		o.Name, o.Input, o.Output = name, text+" in", text+" out"
		o.Metadata = []model.MetadataEntry{{Name: "k", Value: text, Type: model.MetadataString}}
	}
}

// A public trace is shown to everybody: its rows and their texts.
func TestSharedTrace(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.insert(t, row("project-a", "t", "root", 0, root(public, says("answer", "root"))), row("project-a", "t", "child", 1, says("step", "child"), below))
	for _, link := range []string{"", "?projectId=project-a"} {
		a := f.stranger(t, "t/skeleton"+link)
		if a.status != http.StatusOK || !strings.Contains(a.body, `"names":["answer","step"]`) || strings.Contains(a.body, "project-a") {
			t.Errorf("%s: %d %s", link, a.status, a.body)
		}
	}
	for part, want := range map[string]string{"input": "child in", "output": "child out", "metadata": `"child"`} {
		a := f.stranger(t, "t/observations/child/io?part="+part)
		if a.status != http.StatusOK || !strings.Contains(a.body, want) {
			t.Errorf("%s: %d %s", part, a.status, a.body)
		}
	}
	if a := f.stranger(t, "t/observations/child/io?part=input", "Range", "bytes=0-4"); a.status != http.StatusPartialContent || a.body != "child" {
		t.Errorf("a range: %d %s", a.status, a.body)
	}
	if a := f.stranger(t, "t/observations/child/io"); a.status != http.StatusBadRequest {
		t.Errorf("without a part: %d %s", a.status, a.body)
	}
}

// What is not public, not there, or deleted is the same to a stranger, down to the last byte.
func TestSharedTraceHides(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.insert(t,
		row("project-a", "private", "root", 0, root(says("secret", "secret"))),
		row("project-a", "half", "root", 0, root(says("secret", "secret"))), row("project-a", "half", "child", 1, public, says("secret", "secret")),
		row("project-a", "open", "root", 0, root(public)), row("project-a", "open", "child", 1),
		row("project-a", "gone", "root", 0, root(public)),
	)
	if a := f.send(t, request(http.MethodDelete, "/api/public/traces/gone", keyA, nil)); a.status != http.StatusOK {
		t.Fatalf("delete: %d %s", a.status, a.body)
	}
	want := f.stranger(t, "nobody/skeleton").body
	for _, target := range []string{
		"private/skeleton", "private/skeleton?projectId=project-a", "private/observations/root/io?part=input",
		"half/skeleton", "half/observations/child/io?part=input", "half/observations/root/io?part=input&projectId=project-a",
		"gone/skeleton", "open/skeleton?projectId=project-b", "open/skeleton?projectId=nobody",
		"nobody/observations/root/io?part=input", "%27%20OR%201=1/skeleton",
	} {
		a := f.stranger(t, target)
		if a.status != http.StatusNotFound || a.body != want || strings.Contains(a.body, "secret") {
			t.Errorf("%s: %d %s, want %s", target, a.status, a.body, want)
		}
	}
	// Rows of other traces are not found through a public one.
	if a := f.stranger(t, "open/observations/root/io?part=input&traceId=private"); a.status != http.StatusOK || strings.Contains(a.body, "secret") {
		t.Errorf("another trace: %d %s", a.status, a.body)
	}
	f.flag(t, "open", keyA, `{"public":false}`)
	if a := f.stranger(t, "open/skeleton"); a.status != http.StatusNotFound || a.body != want {
		t.Errorf("private again: %d %s", a.status, a.body)
	}
}

// Traces of several projects may have one id. A link that names its project shows that one, and never another's rows; one
// that does not is refused rather than guessed, and a private namesake neither shows nor disturbs.
func TestSharedTraceTenants(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.insert(t,
		row("project-a", "t", "root", 0, root(public, says("of a", "of a"))),
		row("project-b", "t", "root", 0, root(says("secret", "secret"))), row("project-b", "t", "other", 1, says("secret", "secret")),
	)
	only := f.stranger(t, "t/skeleton")
	if only.status != http.StatusOK || !strings.Contains(only.body, "of a") || strings.Contains(only.body, "secret") || !strings.Contains(only.body, `"rows":1`) {
		t.Fatalf("%d %s", only.status, only.body)
	}
	if a := f.stranger(t, "t/observations/root/io?part=input"); a.body != "of a in" {
		t.Errorf("text of another project: %s", a.body)
	}
	for _, target := range []string{"t/observations/other/io?part=input", "t/skeleton?projectId=project-b", "t/observations/root/io?part=input&projectId=project-b"} {
		if a := f.stranger(t, target); a.status != http.StatusNotFound || strings.Contains(a.body, "secret") {
			t.Errorf("%s: %d %s", target, a.status, a.body)
		}
	}
	f.flag(t, "t", keyB, `{"public":true}`)
	if a := f.stranger(t, "t/skeleton"); a.status != http.StatusNotFound {
		t.Errorf("two public ones: %d %s", a.status, a.body)
	}
	if a := f.stranger(t, "t/skeleton?projectId=project-a"); a.body != only.body {
		t.Errorf("another's trace changed the link: %d %s", a.status, a.body)
	}
}
