package evaluation

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPaths(t *testing.T) {
	t.Parallel()
	value := valueOf(`{"a":{"b c":[{"n":1},{"n":2},{"x":3}]},"t":"text"}`)
	for path, want := range map[string]string{
		"": textOf(value), "$": textOf(value), "$.t": "text", "$['t']": "text", `$["a"]['b c'][0].n`: "1", "$.a['b c'][-1].x": "3",
		"$.a['b c'][*].n": "[1,2]", "$.a.*[1]": `[{"n":2}]`,
	} {
		steps, err := parsePath(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		found, ok := follow(value, steps)
		if diff := cmp.Diff(want, textOf(found)); !ok || diff != "" {
			t.Errorf("%s: %t (-want +got):\n%s", path, ok, diff)
		}
	}
	for _, path := range []string{"$.none", "$.t.x", "$.a['b c'][9]", "$[0]"} {
		if steps, err := parsePath(path); err != nil {
			t.Errorf("%s: %v", path, err)
		} else if found, ok := follow(value, steps); ok {
			t.Errorf("%s finds %v", path, found)
		}
	}
	for _, path := range []string{"t", ".t", "$.", "$..t", "$[", "$['t", "$[x]", "$t"} {
		if _, err := parsePath(path); err == nil {
			t.Errorf("%s is a path", path)
		}
	}
}

func FuzzPath(f *testing.F) {
	f.Add("$.a['b'][0][*].*")
	f.Fuzz(func(_ *testing.T, path string) {
		if steps, err := parsePath(path); err == nil {
			follow(valueOf(`{"a":[{"b":1}]}`), steps)
		}
	})
}

func TestCodeResults(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		`{"scores":[{"name":"a","value":1},{"name":"b","value":"x","comment":"c"}]}`: 2, `{"scores":[]}`: 0, `[{"name":"a","value":true}]`: 1,
		`0.5`: 1, `true`: 1, `"good"`: 1, `{"name":"a","value":1,"dataType":"BOOLEAN"}`: 1,
	} {
		if got, err := codeResults([]byte(text), "evaluator"); err != nil || len(got) != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		``, `null`, `{}`, `{"scores":[{"name":"a"}]}`, `{"scores":[{"name":"a","value":1},{"name":"a","value":2}]}`, `{"scores":[{"name":"","value":1}]}`,
		`{"scores":[{"name":"a","value":{}}]}`, `{"scores":[{"name":"a","value":2,"dataType":"BOOLEAN"}]}`, `[[]]`, `""`, `{"scores":[{"name":"a","value":1,"dataType":"CATEGORICAL"}]}`,
	} {
		if got, err := codeResults([]byte(text), "evaluator"); err == nil {
			t.Errorf("%s gives %v", text, got)
		}
	}
}
