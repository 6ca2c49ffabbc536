package datasets_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/datasets"
	"github.com/sondehq/sonde/internal/fault"
)

// bomb is a small schema whose validation takes 2^depth steps.
func bomb(depth int) string {
	parts := []string{`"d0":{"type":"object"}`}
	for i := 1; i <= depth; i++ {
		parts = append(parts, fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i-1, i-1))
	}
	return fmt.Sprintf(`{"$defs":{%s},"$ref":"#/$defs/d%d"}`, strings.Join(parts, ","), depth)
}

// TestExpensiveSchemas: whatever a schema says, checking against it ends soon, and with a fault of the client.
func TestExpensiveSchemas(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ schema, input string }{
		"references to references": {bomb(60), `{}`},
		"the same with a draft":    {strings.Replace(bomb(60), "{", `{"$schema":"http://json-schema.org/draft-07/schema#",`, 1), `{}`},
		"by the depth of the value": {
			`{"$defs":{"n":{"properties":{"a":{"allOf":[{"$ref":"#/$defs/n"},{"$ref":"#/$defs/n"}]}}}},"$ref":"#/$defs/n"}`,
			strings.Repeat(`{"a":`, 200) + "{}" + strings.Repeat("}", 200),
		},
		"errors without end":       {strings.Replace(bomb(60), `"object"`, `"string"`, 1), `{}`},
		"more values than errors":  {`{"items":{"type":"string"}}`, `[` + strings.Repeat("0,", 2_000_000) + `0]`},
		"as many errors as can be": {`{"items":{"type":"string"}}`, `[` + strings.Repeat("0,", 99_000) + `0]`},
		"a cycle":                  {`{"$ref":"#"}`, `{}`},
		"a number without end":     {`{"multipleOf":3}`, `1e1000000000`},
		"a small one without end":  {`{"minimum":3}`, `1e-1000000000`},
		"a value of great depth":   {`{"not":{"const":1}}`, strings.Repeat("[", 9000) + `1e9999` + strings.Repeat("]", 9000)},
		"patterns that backtrack":  {`{"pattern":"^(a+)+$","type":"string"}`, `"` + strings.Repeat("a", 50_000) + `!"`},
		"many equal-looking items": {`{"uniqueItems":true,"type":"array"}`, `[` + strings.Repeat(`{"a":1},`, 20_000) + `{"a":1}]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := newService(t)
			mustSave(t, s, datasets.Change{Name: "d", InputSchema: []byte(c.schema)})
			began := time.Now()
			_, err := s.SaveItem(t.Context(), project, datasets.ItemChange{DatasetName: "d", Input: []byte(c.input)})
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("SaveItem = %v, want fault.Invalid", err)
			}
			if took := time.Since(began); took > 30*time.Second { // it takes 2 s on an idle machine
				t.Errorf("took %v", took)
			}
		})
	}
}

// TestSchemasStayAtHome: nothing that a schema refers to is fetched.
func TestSchemasStayAtHome(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.URL.Path }))
	defer server.Close()
	s, _ := newService(t)
	for _, schema := range []string{
		`{"$ref":"` + server.URL + `/a"}`, `{"$schema":"` + server.URL + `/b"}`, `{"$id":"` + server.URL + `/c","$ref":"d"}`,
		`{"$dynamicRef":"` + server.URL + `/e"}`, `{"properties":{"x":{"$ref":"` + server.URL + `/f#/x"}}}`, `{"$ref":"file:///etc/passwd"}`, `{"$ref":"schema.go"}`,
	} {
		_, err := s.Save(t.Context(), project, datasets.Change{Name: "d", InputSchema: []byte(schema)})
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v, want fault.Invalid", schema, err)
		}
	}
	select {
	case path := <-asked:
		t.Errorf("%s was fetched", path)
	default:
	}
}

func TestSchemas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ schema, input, want string }{
		{`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`, `{"a":1}`, ""},
		{`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`, `{"a":1.5}`, "at /a: got number, want integer"},
		{`{"type":"object"}`, ``, "got null, want object"},
		{`{"type":["object","null"]}`, ``, ""},
		{`true`, `7`, ""},
		{`false`, `7`, "false schema"},
		{`{"type":"integer","maximum":18446744073709551616}`, `18446744073709551617`, "maximum"},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","type":"number","minimum":1,"exclusiveMinimum":true}`, `1`, "exclusiveMinimum"},
		{`{"const":"x"}`, `"` + strings.Repeat("ä", 5000) + `"`, "does not fit"},
	} {
		s, _ := newService(t)
		mustSave(t, s, datasets.Change{Name: "d", InputSchema: []byte(c.schema)})
		_, err := s.SaveItem(t.Context(), project, datasets.ItemChange{DatasetName: "d", Input: []byte(c.input)})
		switch {
		case c.want == "" && err != nil, c.want != "" && (!fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s against %s: %v, want %q", c.input, c.schema, err, c.want)
		case err != nil && len(err.Error()) > 500:
			t.Errorf("a message of %d bytes", len(err.Error()))
		}
	}
}

func FuzzSchema(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#"}}}`, `{"a":{"a":{}}}`)
	f.Add(`{"$dynamicAnchor":"x","items":{"$dynamicRef":"#x"},"unevaluatedItems":false}`, `[[1],[[]]]`)
	f.Add(`{"pattern":"(?=a)","format":"regex","contentEncoding":"base64"}`, `"a"`)
	f.Add(`{"$id":"urn:x:y","$anchor":"a","$ref":"#a","dependentSchemas":{"b":false}}`, `{"b":1e5}`)
	f.Add(`{"$schema":"http://json-schema.org/draft-06/schema#","enum":[1,"1",null]}`, `null`)
	f.Fuzz(func(t *testing.T, schema, input string) {
		s, _ := newService(t)
		if _, err := s.Save(t.Context(), project, datasets.Change{Name: "d", InputSchema: []byte(schema)}); err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("Save: %v", err)
			}
			return
		}
		if _, err := s.SaveItem(t.Context(), project, datasets.ItemChange{DatasetName: "d", Input: []byte(input)}); err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("SaveItem: %v", err)
		}
	})
}
