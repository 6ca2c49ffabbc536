package otlp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/otlp/otlptest"
)

// flat writes leaves as "name=value:type".
func flat(entries []model.MetadataEntry) []string {
	out := []string{}
	for _, e := range entries {
		out = append(out, fmt.Sprintf("%s=%s:%s", e.Name, e.Value, typeWords[e.Type]))
	}
	return out
}

// clientLeaves maps an SDK span and returns the metadata its client set.
func clientLeaves(t testing.TB, attributes list) []string {
	t.Helper()
	rows := mapAll(t, parseJSON(t, body("langfuse-sdk", nil, spanWith(object{"attributes": attributes}))))
	leaves := flat(rows[0].Metadata)
	if leaves[0] != "scope.name=langfuse-sdk:string" {
		t.Fatalf("leaves %q", leaves)
	}
	return leaves[1:]
}

func TestMetadataValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		given string
		want  []string
	}{
		{`"gold"`, []string{"k=gold:string"}},
		{`""`, []string{"k=:string"}},
		{``, []string{"k=:string"}},
		{`gold`, []string{"k=gold:string"}},
		{`42`, []string{"k=42:number"}},
		{`-1.50e+3`, []string{"k=-1.50e+3:number"}},
		{`12345678901234567890123`, []string{"k=12345678901234567890123:number"}},
		{`"12345678901234567890123"`, []string{"k=12345678901234567890123:string"}},
		{`042`, []string{"k=042:string"}},
		{`1.`, []string{"k=1.:string"}},
		{`-`, []string{"k=-:string"}},
		{`true`, []string{"k=true:boolean"}},
		{`false`, []string{"k=false:boolean"}},
		{`null`, []string{"k=null:null"}},
		{`True`, []string{"k=True:string"}},
		{`None`, []string{"k=None:string"}},
		{`nan`, []string{"k=nan:string"}},
		{`trueish`, []string{"k=trueish:string"}},
		{` 42 `, []string{"k=42:number"}},
		{`  `, []string{"k=  :string"}},
		{`2026-01-02`, []string{"k=2026-01-02:string"}},
		{`[1, "x", null, {"a": [ ]}]`, []string{`k=[1,"x",null,{"a":[]}]:array`}},
		{`[" a\" ,b "]`, []string{`k=[" a\" ,b "]:array`}},
		{`[]`, []string{"k=[]:array"}},
		{`[1`, []string{"k=[1:string"}},
		{`{}`, []string{}},
		{`{"b":{"c":1},"d":"x"}`, []string{"k.b.c=1:number", "k.d=x:string"}},
		{`{"b":{},"l":[],"n":null,"s":"","t":true}`, []string{"k.l=[]:array", "k.n=null:null", "k.s=:string", "k.t=true:boolean"}},
		{`{"a.b":1,"a":{"b":2,"c":3}}`, []string{"k.a.b=1:number", "k.a.c=3:number"}},
		{`{"\u00fc\"":"\ud83d\ude00"}`, []string{"k.ü\"=\U0001F600:string"}},
		{`{"b":1,}`, []string{`k={"b":1,}:string`}},
		{`{"b":1} x`, []string{`k={"b":1} x:string`}},
		{`{'b': 1}`, []string{`k={'b': 1}:string`}},
		{`"{\"x\":1}"`, []string{`k={"x":1}:string`}},
		{`"a" "b"`, []string{`k="a" "b":string`}},
	} {
		got := clientLeaves(t, attributesOf("langfuse.observation.metadata.k", c.given))
		if !cmp.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.given, got, c.want)
		}
	}
}

func TestMetadataKeys(t *testing.T) {
	t.Parallel()
	const o, tr, m, s = "langfuse.observation.metadata", "langfuse.trace.metadata", "langfuse.metadata", "sonde."
	for _, c := range []struct {
		name  string
		given []string
		want  []string
	}{
		{"trace wins in the place of the observation", []string{tr + ".k", "2", o + ".a", "0", o + ".k", "1"}, []string{"a=0:number", "k=2:number"}},
		{"last duplicate wins", []string{o + ".k", "1", o + ".l", "2", o + ".k", "3"}, []string{"k=3:number", "l=2:number"}},
		{"literal before object", []string{o + ".a.b", "1", o + ".a", `{"b":2,"c":3}`}, []string{"a.b=1:number", "a.c=3:number"}},
		{"object before literal", []string{o + ".a", `{"b":2}`, o + ".a.b", "1"}, []string{"a.b=2:number"}},
		{"a whole key is replaced", []string{o + ".a", `{"b":1}`, tr + ".a", `{"c":2}`}, []string{"a.c=2:number"}},
		{"leaf and object of one name", []string{o + ".a", "1", tr + ".a.b", "2"}, []string{"a=1:number", "a.b=2:number"}},
		{"bare object", []string{o, `{"a":{"b":1},"l":[1, 2]}`, o + ".a", "flat"}, []string{"a=flat:string", "l=[1,2]:array"}},
		{"bare array", []string{o, `["a",{"b":1}]`}, []string{"0=a:string", "1.b=1:number"}},
		{"bare string", []string{o, `"text"`}, []string{"metadata=text:string"}},
		{"bare number", []string{o, `5`}, []string{"metadata=5:number"}},
		{"bare null", []string{o, `null`}, []string{}},
		{"bare text", []string{o, `plain`}, []string{}},
		{"bare of the trace", []string{tr, `{"k":1}`, o + ".k", "0"}, []string{"k=1:number"}},
		{"plain", []string{m + ".q", "1"}, []string{"q=1:number"}},
		{"plain loses to its domain", []string{tr + ".q", "2", m + ".q", "1"}, []string{"q=2:number"}},
		{"plain bare", []string{m, `{"q":1}`}, []string{"q=1:number"}},
		{"plain bare loses to specific", []string{m, `{"q":1}`, o, `{"z":1}`, tr, `{}`}, []string{"z=1:number"}},
		{"sonde wins", []string{s + "observation.metadata.k", "1", o + ".k", "2"}, []string{"k=1:number"}},
		{"sonde wins late", []string{o + ".k", "2", s + "observation.metadata.k", "1"}, []string{"k=1:number"}},
		{"telemetry", []string{"ai.telemetry.metadata.custom", `"c"`, "ai.telemetry.metadata.userId", "u"}, []string{"custom=c:string"}},
		{"unknown attributes of the SDK are dropped", []string{"foo", "bar", o + ".", "x"}, []string{}},
		{"bucket path", []string{o + ".scope.name", "x", o + ".scope.other", "y"}, []string{"scope.other=y:string"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := clientLeaves(t, attributesOf(c.given...)); !cmp.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestNativeMetadata(t *testing.T) {
	t.Parallel()
	kv := object{"kvlistValue": object{"values": list{
		object{"key": "i", "value": object{"intValue": "9007199254740993"}},
		object{"key": "s", "value": object{"stringValue": `"text"`}},
		object{"key": "e"},
		object{"key": "deep", "value": object{"kvlistValue": object{"values": list{object{"key": "x", "value": object{"boolValue": false}}}}}},
		object{"key": "list", "value": object{"arrayValue": object{"values": list{
			object{"doubleValue": 0.5},
			object{"kvlistValue": object{"values": list{attr("k", "v\n")}}},
			object{},
			object{"bytesValue": "AQID"},
			object{"doubleValue": "NaN"},
		}}}},
	}}}
	want := []string{
		"k.i=9007199254740993:number", `k.s="text":string`, "k.deep.x=false:boolean",
		`k.list=[0.5,{"k":"v\n"},null,"AQID","NaN"]:array`,
	}
	got := clientLeaves(t, list{object{"key": "langfuse.observation.metadata.k", "value": kv}})
	if !cmp.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	bare := clientLeaves(t, list{object{"key": "langfuse.observation.metadata", "value": object{"kvlistValue": object{"values": list{attr("a", "1")}}}}})
	if !cmp.Equal(bare, []string{"a=1:string"}) {
		t.Errorf("bare list: %q", bare)
	}
	array := clientLeaves(t, list{object{"key": "langfuse.metadata", "value": object{"arrayValue": object{"values": list{object{"intValue": 7}}}}}})
	if !cmp.Equal(array, []string{"0=7:number"}) {
		t.Errorf("bare array: %q", array)
	}
}

func TestBuckets(t *testing.T) {
	t.Parallel()
	kv := object{"key": "kv", "value": object{"kvlistValue": object{"values": list{attr("a", "nested")}}}}
	for _, c := range []struct {
		name       string
		attributes list
		want       []string
	}{
		{
			"everything no rule shows elsewhere", append(attributesOf("http.method", "GET", "input.value", "i", "langfuse.environment", "e",
				"langfuse.metadata.q", "1", "langfuse.trace.metadata.k", "2", "ai.telemetry.metadata.tags", "t", "langfuse.trace.input", "x"),
				object{"key": "none"}),
			[]string{
				"attributes.http.method=GET:string", "attributes.langfuse.environment=e:string", "attributes.langfuse.metadata.q=1:string",
				"resourceAttributes.r=1:string", "scope.name=lib:string", "q=1:number", "k=2:number",
			},
		},
		{
			"duplicates", attributesOf("a", "1", "b", "2", "a", "3"),
			[]string{"attributes.a=3:string", "attributes.b=2:string", "resourceAttributes.r=1:string", "scope.name=lib:string"},
		},
		{
			"paths meet",
			list{kv, attr("kv.a", "literal")},
			[]string{"attributes.kv.a=nested:string", "resourceAttributes.r=1:string", "scope.name=lib:string"},
		},
		{
			"a client's key replaces a bucket", attributesOf("langfuse.trace.metadata.scope", `{"x":1}`, "langfuse.trace.metadata.attributes", "0", "a", "1"),
			[]string{"attributes=0:number", "resourceAttributes.r=1:string", "scope.x=1:number"},
		},
		{
			"a client's path meets a bucket's", attributesOf("langfuse.trace.metadata.resourceAttributes.r", "2", "langfuse.trace.metadata.resourceAttributes.z", "3"),
			[]string{"resourceAttributes.r=1:string", "scope.name=lib:string", "resourceAttributes.z=3:number"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rows := mapAll(t, parseJSON(t, body("lib", attributesOf("r", "0", "r", "1"), spanWith(object{"attributes": c.attributes}))))
			if got := flat(rows[0].Metadata); !cmp.Equal(got, c.want) {
				t.Errorf("%q\nwant\n%q", got, c.want)
			}
		})
	}
}

// Objects that would name too many or too long paths stay whole.
func TestMetadataLimits(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)
	long := strings.Repeat("x", 300)
	wide := "{" + strings.Repeat(`"k":{"a":1},`, 12000) + `"last":{"a":1}}`
	for _, c := range []struct{ given, want string }{
		{deep, "k" + strings.Repeat(".a", 32) + "=" + strings.Repeat(`{"a":`, 8) + "1" + strings.Repeat("}", 8) + ":array"},
		{`{"` + long + `":{"a": 1}}`, "k." + long + `={"a":1}:array`},
		{`{"` + long + `":1}`, "k." + long + "=1:number"},
	} {
		if got := clientLeaves(t, attributesOf("langfuse.observation.metadata.k", c.given)); !cmp.Equal(got, []string{c.want}) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got := clientLeaves(t, attributesOf("langfuse.observation.metadata.k", wide)); len(got) != 3 || got[2] != `k.last={"a":1}:array` {
		t.Errorf("%d leaves: %q", len(got), got)
	}
}

// The decode cases of the contract.
func TestMetadataCases(t *testing.T) {
	t.Parallel()
	cases, _ := otlptest.ExtraCases()
	want := map[string][]string{
		"T01": {"a.b=1:number", "a.c=3:number"}, "T02": {"a.b=2:number"},
		"T03": {"s=true:string", "t=true:boolean"}, "T04": {`s={"x":1}:string`},
		"T05": {"big=123456789012345678901234567890:string"}, "T06": {"n=null:null"},
		"T07": {"when=2026-01-02T03:04:05Z:string"}, "T08": {"u=héé✓:string"}, "T09": {"raw=not json {:string"},
		"T10": {"long=" + strings.Repeat("x", 300) + ":string"}, "T11": {`arr=[{"k":1}]:array`},
	}
	seen := 0
	for _, c := range cases {
		if want[c.ID] == nil {
			continue
		}
		seen++
		if got := clientLeaves(t, orderedAttributes(t, c.Given)); !cmp.Equal(got, want[c.ID]) {
			t.Errorf("%s: %q, want %q", c.ID, got, want[c.ID])
		}
	}
	if seen != len(want) {
		t.Errorf("%d of %d cases found", seen, len(want))
	}
}

// orderedAttributes keeps the order of an object's members.
func orderedAttributes(t *testing.T, raw json.RawMessage) list {
	t.Helper()
	var out list
	if !eachMember(string(raw), func(name, value string) { out = append(out, attr(name, textIn(value))) }) {
		t.Fatalf("not an object: %s", raw)
	}
	return out
}

// oracle flattens by the book: objects as ordered lists, then every path, then the first of each.
func oracle(keys []string, values map[string]any) []string {
	var out []string
	seen := map[string]bool{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		if members, ok := v.([]member); ok {
			for _, m := range members {
				walk(path+"."+m.name, m.value)
			}
			return
		}
		if !seen[path] {
			seen[path] = true
			out = append(out, fmt.Sprintf("%s=%v:number", path, v))
		}
	}
	for _, k := range keys {
		walk(k, values[k])
	}
	return out
}

type member struct {
	name  string
	value any
}

// text is the JSON of a value.
func (m member) text() string {
	members, ok := m.value.([]member)
	if !ok {
		return fmt.Sprint(m.value)
	}
	var parts []string
	for _, inner := range members {
		parts = append(parts, fmt.Sprintf("%q:%s", inner.name, inner.text()))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func drawValue(t *rapid.T, depth int) any {
	if depth == 0 || rapid.IntRange(0, 2).Draw(t, "leaf") == 0 {
		return rapid.IntRange(0, 99).Draw(t, "number")
	}
	var members []member
	for range rapid.IntRange(0, 3).Draw(t, "members") {
		name := rapid.SampledFrom([]string{"a", "b", "a.b", "b.c", "c"}).Draw(t, "name")
		if !slices.ContainsFunc(members, func(m member) bool { return m.name == name }) {
			members = append(members, member{name, drawValue(t, depth-1)})
		}
	}
	if members == nil {
		members = []member{}
	}
	return members
}

func TestFirstPathWins(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var keys []string
		values := map[string]any{}
		var attributes list
		for range rapid.IntRange(0, 70).Draw(rt, "keys") {
			key := rapid.SampledFrom([]string{"a", "a.b", "a.b.c", "b", "b.a", "x", "x.a.b"}).Draw(rt, "key") +
				rapid.SampledFrom([]string{"", "", ".1", ".2", ".3", ".4"}).Draw(rt, "suffix")
			value := drawValue(rt, 3)
			if _, ok := values[key]; !ok {
				keys = append(keys, key)
			}
			values[key] = value
			attributes = append(attributes, attr("langfuse.observation.metadata."+key, member{"", value}.text()))
		}
		want := oracle(keys, values)
		got := clientLeaves(t, attributes)
		if !slices.Equal(got, want) {
			rt.Fatalf("%v\ngot  %q\nwant %q", slices.Sorted(maps.Keys(values)), got, want)
		}
	})
}
