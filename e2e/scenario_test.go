package e2e_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/sondehq/sonde/internal/api"
)

// TestScenarios plays every file of testdata against one server. A file has two projects of its
// own, A and B, and sections of two kinds.
//
// Bodies to send have a name, "spans.json". Requests have a number and say what to ask; below them
// stands what must be answered: the status, headers, and JSON.
//
//	-- 02 eventually GET /api/public/v2/observations?name=chat --
//	-- 03 as B POST /api/public/otel/v1/traces (spans.json) --
//
// "eventually" asks until the answer fits, for 10 seconds. "as B" is the other project's key,
// "as nobody" none, "as public" the public half of A's. In the expected JSON an object names the
// keys to look at, "<absent>" says that a key must not be there, a list is complete, "*" stands for
// any text, or any value where it is alone, and "$x", alone or at the end of a text, keeps a text
// that later must be the same, or goes into a request.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	s := startServer(t)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			on := *s
			on.t = t
			play(t, archive, map[string]*client{
				"A": on.addProject(name + " A"), "B": on.addProject(name + " B"),
				"nobody": on.clientWith(""), "stranger": on.clientWith(basicAuth(publicKey, "wrong")),
				"public": on.clientWith("Bearer " + publicKey),
			})
		})
	}
}

// Whoever adds a route that knows projects adds it to the scenario about them.
func TestTenantsScenarioHasEveryRoute(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/tenants.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	for _, section := range archive.Files {
		if parts := heading.FindStringSubmatch(section.Name); parts != nil && parts[1] == "B" {
			path, _, _ := strings.Cut(parts[4], "?")
			asked = append(asked, parts[3]+" "+path)
		}
	}
	open := []string{
		"/api/public/health", "/api/public/ready", "/api/openapi.yaml", "/generated/api/openapi.yml",
		"/api/docs", "/api/docs/{file}", "/.well-known/mcp.json",
	}
	for _, r := range api.Routes() {
		route := regexp.MustCompile("^" + r.Method + " " + pathVariable.ReplaceAllString(r.Path, "[^/]+") + "$")
		ofPeople := strings.HasPrefix(r.Path, "/api/ui/") // no key opens them
		if !ofPeople && !slices.Contains(open, r.Path) && !slices.ContainsFunc(asked, route.MatchString) {
			t.Errorf("the other project does not ask %s %s", r.Method, r.Path)
		}
	}
}

// pathVariable is a part of a route's path that stands for any text.
var pathVariable = regexp.MustCompile(`\{\w+\}`)

// step is one request of a scenario.
type step struct {
	as, method, target, body string
	eventually               bool
	want                     expectation
}

type expectation struct {
	status  int
	headers map[string]string
	body    any // nil: not looked at
}

var heading = regexp.MustCompile(`^\d+ (?:as (\w+) )?(eventually )?([A-Z]+) (/\S*)(?: \((\S+)\))?$`)

func play(t *testing.T, archive *txtar.Archive, clients map[string]*client) {
	t.Helper()
	bodies, kept, steps := map[string][]byte{}, map[string]string{}, 0
	for _, section := range archive.Files {
		parts := heading.FindStringSubmatch(section.Name)
		if parts == nil {
			bodies[section.Name] = section.Data
			continue
		}
		steps++
		st := step{as: parts[1], eventually: parts[2] != "", method: parts[3], target: parts[4], body: parts[5]}
		if st.as == "" {
			st.as = "A"
		}
		var err error
		if st.want, err = readExpectation(string(section.Data)); err == nil {
			err = st.play(t, clients[st.as], bodies, kept)
		}
		if err != nil {
			t.Fatalf("%s: %v", section.Name, err)
		}
	}
	if steps == 0 {
		t.Fatal("the scenario has no requests")
	}
}

func (st step) play(t *testing.T, c *client, bodies map[string][]byte, kept map[string]string) error {
	t.Helper()
	if c == nil {
		return fmt.Errorf("nobody is called %q", st.as)
	}
	body, known := bodies[st.body]
	if st.body != "" && !known {
		return fmt.Errorf("there is no section %q before it", st.body)
	}
	fill := func(name string) string { return cmp.Or(kept[name], name) }
	st.target = keptName.ReplaceAllStringFunc(st.target, fill)
	body = []byte(keptName.ReplaceAllStringFunc(string(body), fill))
	for deadline := time.Now().Add(10 * time.Second); ; {
		a, err := c.do(st.method, st.target, body, "Content-Type", "application/json")
		if err == nil {
			err = st.want.check(a, kept)
		}
		if err == nil || !st.eventually || time.Now().After(deadline) {
			return err
		}
		pause(20 * time.Millisecond)
	}
}

var header = regexp.MustCompile(`^([A-Za-z-]+): (.*)\n`)

func readExpectation(text string) (e expectation, err error) {
	first, rest, _ := strings.Cut(text, "\n")
	if e.status, err = strconv.Atoi(strings.TrimSpace(first)); err != nil {
		return e, fmt.Errorf("the first line must be a status: %w", err)
	}
	e.headers = map[string]string{}
	for match := header.FindStringSubmatch(rest); match != nil; match = header.FindStringSubmatch(rest) {
		e.headers[match[1]] = match[2]
		rest = rest[len(match[0]):]
	}
	if strings.TrimSpace(rest) == "" {
		return e, nil
	}
	return e, json.Unmarshal([]byte(rest), &e.body)
}

func (e expectation) check(a answer, kept map[string]string) error {
	if a.status != e.status {
		return fmt.Errorf("status %d, want %d: %s", a.status, e.status, a.body)
	}
	for name, want := range e.headers {
		if err := matches(want, a.header.Get(name), "header "+name, kept); err != nil {
			return err
		}
	}
	if e.body == nil {
		return nil
	}
	var got any
	if err := json.Unmarshal([]byte(a.body), &got); err != nil {
		return fmt.Errorf("%w in %s", err, a.body)
	}
	found := maps.Clone(kept)
	if err := matches(e.body, got, "answer", found); err != nil {
		return fmt.Errorf("%w\nin %s", err, a.body)
	}
	maps.Copy(kept, found)
	return nil
}

const absent = "<absent>"

// matches compares an expected value with one that came, at a place in the answer.
func matches(want, got any, at string, kept map[string]string) error {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return fmt.Errorf("%s is %v, want an object", at, got)
		}
		var errs []error
		for key, value := range want {
			found, there := object[key]
			switch {
			case there == (value == absent):
				errs = append(errs, fmt.Errorf("%s.%s: present is %v", at, key, there))
			case there:
				errs = append(errs, matches(value, found, at+"."+key, kept))
			}
		}
		return errors.Join(errs...)
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return fmt.Errorf("%s is %v, want a list of %d", at, got, len(want))
		}
		var errs []error
		for i := range want {
			errs = append(errs, matches(want[i], list[i], fmt.Sprintf("%s[%d]", at, i), kept))
		}
		return errors.Join(errs...)
	case string:
		return textMatches(want, got, at, kept)
	}
	if !reflect.DeepEqual(want, got) {
		return fmt.Errorf("%s is %v, want %v", at, got, want)
	}
	return nil
}

func textMatches(want string, got any, at string, kept map[string]string) error {
	if want == "*" {
		return nil
	}
	text, ok := got.(string)
	name := keptName.FindString(want)
	if before, alone := strings.CutSuffix(want, name); name == "" || !alone {
		name = ""
	} else {
		want = before + kept[name]
	}
	pattern := strings.ReplaceAll(regexp.QuoteMeta(want), `\*`, `.*`)
	if name != "" && kept[name] == "" {
		pattern += "(.+)"
	}
	match := regexp.MustCompile(`(?s)^` + pattern + `$`).FindStringSubmatch(text)
	if !ok || match == nil {
		return fmt.Errorf("%s is %q, want %q", at, got, want)
	}
	if len(match) == 2 {
		kept[name] = match[1]
	}
	return nil
}

var keptName = regexp.MustCompile(`\$[a-z0-9]+`)

func TestMatchesFinds(t *testing.T) {
	t.Parallel()
	kept := map[string]string{"$id": "7"}
	for _, c := range []struct {
		want, got string
		fits      bool
	}{
		{`{"a":1}`, `{"a":1,"b":2}`, true},
		{`{"a":1}`, `{"a":2}`, false},
		{`{"a":1}`, `{"b":1}`, false},
		{`{"a":null}`, `{"a":null}`, true},
		{`{"a":null}`, `{"a":"x"}`, false},
		{`{"a":"*"}`, `{"a":null}`, true},
		{`{"a":"*"}`, `{}`, false},
		{`{"a":"<absent>"}`, `{}`, true},
		{`{"a":"<absent>"}`, `{"a":null}`, false},
		{`["x*z"]`, `["x, y, z"]`, true},
		{`["x*z"]`, `["x"]`, false},
		{`["a.b"]`, `["axb"]`, false},
		{`[{}]`, `[{},{}]`, false},
		{`[{}]`, `{}`, false},
		{`["$id"]`, `["7"]`, true},
		{`["$id"]`, `["8"]`, false},
		{`["$new","$new"]`, `["1","1"]`, true},
		{`["$new","$new"]`, `["1","2"]`, false},
		{`["*/$new","$new"]`, `["a/b","b"]`, true},
		{`["*/$new","$new"]`, `["a/b","c"]`, false},
		{`["a/$id"]`, `["a/7"]`, true},
		{`["a/$id"]`, `["a/8"]`, false},
		{`["a/$new"]`, `["b/7"]`, false},
	} {
		e, err := readExpectation("200\n" + c.want)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.check(answer{status: 200, body: c.got}, maps.Clone(kept)); (err == nil) != c.fits {
			t.Errorf("%s against %s: %v", c.want, c.got, err)
		}
		if e.check(answer{status: 400, body: c.got}, maps.Clone(kept)) == nil {
			t.Errorf("%s: another status fits", c.want)
		}
	}
}
