package otlp

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
)

// attributesOf makes attributes of names and string values in turn.
func attributesOf(pairs ...string) list {
	var out list
	for pair := range slices.Chunk(pairs, 2) {
		out = append(out, attr(pair[0], pair[1]))
	}
	return out
}

// mapAttributes maps one span of the SDK with string attributes.
func mapAttributes(t *testing.T, pairs ...string) *model.Observation {
	t.Helper()
	rows := mapAll(t, parseJSON(t, body("langfuse-sdk", nil, spanWith(object{"attributes": attributesOf(pairs...)}))))
	return rows[0]
}

func TestMapWholeRow(t *testing.T) {
	t.Parallel()
	resource := attributesOf("service.name", "svc", "service.version", "7", "langfuse.environment", "Prod", "langfuse.release", "r1")
	span := spanWith(object{
		"parentSpanId": "00f067aa0ba902b7", "endTimeUnixNano": "1767323046999999999",
		"status": object{"code": 2, "message": "boom"},
		"attributes": append(attributesOf(
			"langfuse.observation.type", "generation",
			"langfuse.observation.input", "in", "langfuse.observation.output", "out",
			"langfuse.observation.model.name", "gpt-4o",
			"langfuse.observation.model.parameters", `{"t": 0.5, "stop": ["a", "b"]}`,
			"langfuse.observation.usage_details", `{"input": 3, "output": 4}`,
			"langfuse.observation.cost_details", `{"input": 0.1, "output": "0.2"}`,
			"langfuse.observation.prompt.name", "p",
			"langfuse.observation.completion_start_time", `"2026-01-02T03:04:05.9999Z"`,
			"langfuse.trace.name", "tn", "langfuse.user.id", "u", "session.id", "s", "langfuse.trace.tags", "a,b",
			"langfuse.trace.public", "true", "langfuse.internal.is_app_root", "true",
		), object{"key": "langfuse.observation.prompt.version", "value": object{"intValue": 3}}),
	})
	src := testSource()
	src.First = 5
	r := parseJSON(t, body("langfuse-sdk", resource, span, span))
	rows, err := Map(r.Split(1 << 20)[0].Payload, src)
	if err != nil {
		t.Fatal(err)
	}
	want := &model.Observation{
		ProjectID: "p1", TraceID: testTrace, ID: testSpan, ParentID: "00f067aa0ba902b7",
		StartTime:           time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC),
		EndTime:             time.Date(2026, 1, 2, 3, 4, 6, 999e6, time.UTC),
		CompletionStartTime: time.Date(2026, 1, 2, 3, 4, 5, 999e6, time.UTC),
		Type:                model.Generation, Name: "n", Level: model.Error, StatusMessage: "boom",
		Environment: "prod", CodeVersion: "7", UserID: "u", SessionID: "s", TraceName: "tn", Release: "r1",
		Tags: []string{"a", "b"}, Public: true, AppRoot: true,
		Model: "gpt-4o", ModelParameters: `{"t":0.5,"stop":"[\"a\",\"b\"]"}`,
		UsageDetails: map[string]uint64{"input": 3, "output": 4, "total": 7}, UsageOrigin: model.Provided,
		CostOrigin: model.Provided, CostDetails: map[string]decimal.Decimal{
			"input": decimal.RequireFromString("0.1"), "output": decimal.RequireFromString("0.2"), "total": decimal.RequireFromString("0.3"),
		},
		PromptName: "p", PromptVersion: 3,
		Input: "in", Output: "out",
		Metadata: []model.MetadataEntry{
			{Name: "resourceAttributes.service.name", Value: "svc", Type: model.MetadataString},
			{Name: "resourceAttributes.service.version", Value: "7", Type: model.MetadataString},
			{Name: "resourceAttributes.langfuse.environment", Value: "Prod", Type: model.MetadataString},
			{Name: "resourceAttributes.langfuse.release", Value: "r1", Type: model.MetadataString},
			{Name: "scope.name", Value: "langfuse-sdk", Type: model.MetadataString},
		},
		ServiceName: "svc", ServiceVersion: "7", ScopeName: "langfuse-sdk", SDKName: "python", SDKVersion: "5.0.4",
		CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC),
		Version:   model.RowVersion(accepted, 5),
	}
	second := *want
	second.Version = model.RowVersion(accepted, 6)
	if diff := cmp.Diff([]*model.Observation{want, &second}, rows); diff != "" {
		t.Error(diff)
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	const start, end = "1767323045678901234", "1767323046000000001"
	for _, c := range []struct {
		start, end         any
		wantStart, wantEnd string
	}{
		{start, end, "2026-01-02T03:04:05.678Z", "2026-01-02T03:04:06.000Z"},
		{start, nil, "2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05.678Z"},
		{start, "0", "2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05.678Z"},
		{nil, end, "2026-01-02T03:04:06.000Z", "2026-01-02T03:04:06.000Z"},
		{end, start, "2026-01-02T03:04:06.000Z", "2026-01-02T03:04:06.000Z"},
		{nil, nil, "2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05.678Z"}, // when it was accepted
		{"0", "0", "2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05.678Z"},
		{"999999", nil, "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000Z"},
	} {
		o := mapOne(t, spanWith(object{"startTimeUnixNano": c.start, "endTimeUnixNano": c.end}))
		if isoTime(o.StartTime) != c.wantStart || isoTime(o.EndTime) != c.wantEnd {
			t.Errorf("%v to %v: %s to %s", c.start, c.end, isoTime(o.StartTime), isoTime(o.EndTime))
		}
	}
}

func TestEnvironments(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"production": "production", "Stag-1": "stag-1", "a_b": "a_b", "PROD EU": "default", "": "default",
		"langfuse": "default", "langfuse-langfuse_x": "x", "langfusex": "x", "prod/eu": "default", "größe": "default",
		strings.Repeat("a", 45): strings.Repeat("a", 40), strings.Repeat("a", 40) + "!": strings.Repeat("a", 40),
		"sdk-experiment": "sdk-experiment",
	} {
		if got := model.NormalEnvironment(given); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}

func TestLevels(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]model.Level{
		"debug": model.Debug, "Trace": model.Debug, "VERBOSE": model.Debug, "info": model.Default, "ok": model.Default,
		"warn": model.Warning, "fatal": model.Error, "critical": model.Error, "weird": model.Default,
	} {
		if got := mapAttributes(t, "langfuse.observation.level", word).Level; got != want {
			t.Errorf("%s: %s, want %s", word, got, want)
		}
	}
}

// Of two spellings of one attribute sonde. wins, in whatever order they come; of two equal ones
// the last.
func TestSpellings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		attributes []string
		want       string
	}{
		{[]string{"langfuse.user.id", "a"}, "a"},
		{[]string{"sonde.user.id", "b"}, "b"},
		{[]string{"langfuse.user.id", "a", "sonde.user.id", "b"}, "b"},
		{[]string{"sonde.user.id", "b", "langfuse.user.id", "a"}, "b"},
		{[]string{"sonde.user.id", "b", "sonde.user.id", "c", "langfuse.user.id", "a"}, "c"},
		{[]string{"langfuse.user.id", "a", "langfuse.user.id", "c"}, "c"},
		{[]string{"user.id", "x", "sonde.user.id", "b"}, "b"},
	} {
		if got := mapAttributes(t, c.attributes...).UserID; got != c.want {
			t.Errorf("%v: %q, want %q", c.attributes, got, c.want)
		}
	}
	o := mapAttributes(t,
		"sonde.observation.type", "tool", "sonde.observation.input", "i", "sonde.observation.output", "o",
		"sonde.environment", "e", "sonde.version", "v", "sonde.release", "r", "sonde.trace.tags", `["t"]`,
		"sonde.trace.name", "n", "sonde.internal.as_root", "true", "sonde.observation.metadata.k", "1",
	)
	if o.Type != model.Tool || o.Input != "i" || o.Output != "o" || o.Environment != "e" || o.CodeVersion != "v" ||
		o.Release != "r" || len(o.Tags) != 1 || o.TraceName != "n" || !o.AppRoot || o.Metadata[1].Value != "1" {
		t.Errorf("%+v", o)
	}
}

func TestUserAndSessionFromMetadata(t *testing.T) {
	t.Parallel()
	o := mapAttributes(t, "langfuse.trace.metadata.langfuse_user_id", `"quoted \"u\""`,
		"langfuse.observation.metadata.langfuse_session_id", "plain", "langfuse.trace.metadata.langfuse_tags", `["x","y"]`)
	if o.UserID != `quoted "u"` || o.SessionID != "plain" || !cmp.Equal(o.Tags, []string{"x", "y"}) {
		t.Errorf("%q %q %q", o.UserID, o.SessionID, o.Tags)
	}
}

func TestTags(t *testing.T) {
	t.Parallel()
	for given, want := range map[string][]string{
		"one": {"one"}, "a, b ,,c,": {"a", "b", "c"}, `["b","a","a"]`: {"b", "a", "a"}, ` [ "x" , 1, true, {"k": 1}] `: {"x", "1", "true", `{"k": 1}`},
		"[]": nil, "": nil, `["x"`: {`["x"`}, `["\u00fc"]`: {"ü"},
	} {
		if got := mapAttributes(t, "langfuse.trace.tags", given).Tags; !cmp.Equal(got, want) {
			t.Errorf("%s: %q, want %q", given, got, want)
		}
	}
}

func TestModelParameters(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`{"a":1,"b":"x"}`:                          `{"a":1,"b":"x"}`,
		` { "a" : 1.0 , "b" : [ 1, {"c": "d"} ] }`: `{"a":1.0,"b":"[1,{\"c\":\"d\"}]"}`,
		`{"a":true,"b":null}`:                      `{"a":"true","b":"null"}`,
		`{}`:                                       "", "[1]": "", "text": "", `{"a":1`: "", `{"a":1}x`: "",
	} {
		if got := mapAttributes(t, "langfuse.observation.model.parameters", given).ModelParameters; got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]map[string]uint64{
		`{"input":10,"output":5,"x":1.5,"y":"7","neg":-1}`:         {"input": 10, "output": 5, "y": 7, "total": 22},
		`{"input":10,"total":3}`:                                   {"input": 10, "total": 3},
		`{"a":10.0,"b":1e2,"c":null,"d":{"e":1},"f":true,"g":"x"}`: {"a": 10, "b": 100, "total": 110},
		`{"a":18446744073709551615,"b":1}`:                         {"a": 1<<64 - 1, "b": 1, "total": 1<<64 - 1},
		`{"a":"12 tokens","\u0062":1}`:                             {"a": 12, "b": 1, "total": 13},
		`{}`:                                                       nil,
		`[1]`:                                                      nil,
		`{"a":1`:                                                   nil,
		`{"a":1e999}`:                                              nil,
	} {
		if got := mapAttributes(t, "langfuse.observation.usage_details", given).UsageDetails; !cmp.Equal(got, want) {
			t.Errorf("%s: %v, want %v", given, got, want)
		}
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]map[string]string{
		`{"input":0.1,"output":0.2}`:                  {"input": "0.1", "output": "0.2", "total": "0.3"},
		`{"input":0.1,"audio":0.2}`:                   {"input": "0.1", "audio": "0.2"},
		`{"input":0.1,"total":5}`:                     {"input": "0.1", "total": "5"},
		`{"input":"0.25"}`:                            {"input": "0.25", "total": "0.25"},
		`{"total":1e999999999}`:                       {"total": "999999.999999"},
		`{"total":1e-999999999}`:                      {"total": "0"},
		`{"total":1234567890}`:                        {"total": "999999.999999"},
		`{"total":0.0000000000015}`:                   {"total": "0.000000000002"},
		`{"total":0}`:                                 {"total": "0"},
		`{"total":-1,"x":null,"y":[],"z":"NaN"}`:      nil,
		`{"total":"Infinity"}`:                        nil,
		`{"total":1.` + strings.Repeat("5", 99) + `}`: {"total": "1.555555555556"},
	} {
		got := map[string]string{}
		for k, v := range mapAttributes(t, "langfuse.observation.cost_details", given).CostDetails {
			got[k] = v.String()
		}
		if len(got)+len(want) > 0 && !cmp.Equal(got, want) {
			t.Errorf("%s: %v, want %v", given, got, want)
		}
	}
}

func TestCompletionStart(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"2026-01-02T03:04:05.678901Z": "2026-01-02T03:04:05.678Z", `"2026-01-02T03:04:05Z"`: "2026-01-02T03:04:05.000Z",
		"2026-01-02T03:04:05+01:00": "2026-01-02T02:04:05.000Z", "2026-01-02T03:04:05.5": "2026-01-02T03:04:05.500Z",
		"2026-01-02 03:04:05+00:00": "2026-01-02T03:04:05.000Z", "soon": "", "9999-01-01T00:00:00Z": "", "0001-01-01T00:00:00Z": "",
	} {
		if got := isoTime(mapAttributes(t, "langfuse.observation.completion_start_time", given).CompletionStartTime); got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
}

func TestPrompt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, version string
		wantName      string
		wantVersion   uint32
	}{
		{"generation", "3", "p", 3},
		{"span", "3", "", 0},
		{"generation", "65535", "p", 65535},
		{"generation", "65536", "p", 0},
		{"generation", "latest", "p", 0},
	} {
		o := mapAttributes(t, "langfuse.observation.type", c.kind, "langfuse.prompt.name", "p", "langfuse.prompt.version", c.version)
		if o.PromptName != c.wantName || o.PromptVersion != c.wantVersion {
			t.Errorf("%+v: %s %d", c, o.PromptName, o.PromptVersion)
		}
	}
}

func TestBefore34(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{
		"3.3.5": true, "3.3": true, "2.60.1": true, "3.4.0": false, "4.0": false, "": false, "x.1": false, "3.10.0": false,
	} {
		if before34(version) != want {
			t.Errorf("%s: %v", version, !want)
		}
	}
}

// Text that is no UTF-8 is repaired wherever it stands; NUL passes.
func TestInvalidText(t *testing.T) {
	t.Parallel()
	attribute := func(key, text string) []byte {
		return field(nil, 9, field(field(nil, 1, []byte(key)), 2, field(nil, 1, []byte(text))))
	}
	span := wireSpan(field(nil, 5, []byte("n\xff\x00"))...)
	span = append(span, attribute("k\xfe", "v\xff")...)
	span = append(span, attribute("langfuse.observation.input", "ü\xc3 \x00")...)
	span = append(span, attribute("langfuse.observation.metadata.m", "\"a\xffb\"")...)
	span = append(span, field(nil, 15, field(nil, 2, []byte("\xff")))...)
	r, err := ParseProtobuf(wireBody(span, span))
	if err != nil {
		t.Fatal(err)
	}
	o := mapAll(t, r)[1]
	want := []model.MetadataEntry{
		{Name: "attributes.k\uFFFD", Value: "v\uFFFD", Type: model.MetadataString},
		{Name: "scope.name", Value: "my-lib", Type: model.MetadataString},
		{Name: "m", Value: "a\uFFFDb", Type: model.MetadataString},
	}
	if o.Name != "n\uFFFD\x00" || o.Input != "ü\uFFFD \x00" || o.StatusMessage != "\uFFFD" || !cmp.Equal(o.Metadata, want) {
		t.Errorf("%+v", o)
	}
}

// A span must not inherit anything from its neighbor, whose memory it reuses.
func TestSpansAreIndependent(t *testing.T) {
	t.Parallel()
	full := spanWith(object{
		"parentSpanId": "00f067aa0ba902b7", "status": object{"code": 2, "message": "m"},
		"attributes": attributesOf("user.id", "u", "langfuse.observation.metadata.a", `{"b":1}`, "x", "1", "langfuse.trace.tags", "t"),
	})
	other := spanWith(object{"name": nil, "attributes": attributesOf("y", "2", "x", "3")})
	plain := spanWith(nil)
	together := mapAll(t, parseJSON(t, body("lib", nil, full, other, plain, full)))
	for i, span := range []object{full, other, plain, full} {
		alone := mapAll(t, parseJSON(t, body("lib", nil, span)))[0]
		alone.Version = together[i].Version
		if diff := cmp.Diff(alone, together[i]); diff != "" {
			t.Errorf("span %d: %s", i, diff)
		}
	}
}

// What all rows of a resource repeat is bounded, or a small body could become a huge one.
func TestSharedFactsAreBounded(t *testing.T) {
	t.Parallel()
	resource := attributesOf("service.name", strings.Repeat("ü", 600), "huge", strings.Repeat("x", 1<<20), "small", "s")
	for i := range 2000 {
		resource = append(resource, attr(fmt.Sprint("k", i), "v"))
	}
	rows := mapAll(t, parseJSON(t, body(strings.Repeat("s", 2000), resource, spanWith(nil))))
	o := rows[0]
	if o.ServiceName != strings.Repeat("ü", 512) || len(o.ScopeName) != maxSharedText {
		t.Errorf("names of %d and %d bytes", len(o.ServiceName), len(o.ScopeName))
	}
	size := 0
	for _, e := range o.Metadata {
		size += len(e.Name) + len(e.Value)
	}
	if len(o.Metadata) > maxSharedLeaves+1 || size > 2*maxSharedBytes || o.Metadata[1].Value != "s" {
		t.Errorf("%d leaves of %d bytes", len(o.Metadata), size)
	}
}
