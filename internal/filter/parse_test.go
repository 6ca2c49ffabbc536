package filter_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
)

var morning = time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)

// Every type with every operator, on a column that takes it.
func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]filter.Condition{
		`"type":"string","column":"name","operator":"=","value":"x"`:                filter.OneOf{Column: filter.Name, Values: []string{"x"}},
		`"type":"string","column":"name","operator":"=","value":""`:                 filter.OneOf{Column: filter.Name, Values: []string{""}},
		`"type":"string","column":"model","operator":"contains","value":"%_"`:       filter.Text{Column: filter.Model, Op: filter.Contains, Value: "%_"},
		`"type":"string","column":"type","operator":"does not contain","value":"A"`: filter.Text{Column: filter.Type, Op: filter.NotContains, Value: "A"},
		`"type":"string","column":"userId","operator":"starts with","value":"u"`:    filter.Text{Column: filter.UserID, Op: filter.StartsWith, Value: "u"},
		`"type":"string","column":"id","operator":"ends with","value":"9"`:          filter.Text{Column: filter.ID, Op: filter.EndsWith, Value: "9"},
		`"type":"string","column":"input","operator":"=","value":"--"`:              filter.OneOf{Column: filter.Input, Values: []string{"--"}},
		`"type":"string","column":"output","operator":"matches","value":"a b"`:      filter.Text{Column: filter.Output, Op: filter.Matches, Value: "a b"},
		`"type":"string","column":"input","operator":"matches","value":"é"`:         filter.Text{Column: filter.Input, Op: filter.Matches, Value: "é"},

		`"type":"stringOptions","column":"level","operator":"any of","value":["ERROR","NONE"]`:  filter.OneOf{Column: filter.Level, Values: []string{"ERROR", "NONE"}},
		`"type":"stringOptions","column":"promptName","operator":"none of","value":["a","",""]`: filter.OneOf{Column: filter.PromptName, Values: []string{"a", "", ""}, Not: true},

		`"type":"arrayOptions","column":"tags","operator":"any of","value":["a"]`:              filter.List{Column: filter.Tags, Op: filter.AnyOf, Values: []string{"a"}},
		`"type":"arrayOptions","column":"traceTags","operator":"none of","value":[]`:           filter.List{Column: filter.Tags, Op: filter.NoneOf, Values: []string{}},
		`"type":"arrayOptions","column":"calledToolNames","operator":"all of","value":[]`:      filter.List{Column: filter.CalledToolNames, Op: filter.AllOf, Values: []string{}},
		`"type":"number","column":"totalCost","operator":"=","value":-0.5`:                     filter.Number{Column: filter.TotalCost, Op: filter.Same, Value: -0.5},
		`"type":"number","column":"tokens","operator":">","value":9007199254740993`:            filter.Number{Column: filter.TotalTokens, Op: filter.Above, Value: 1 << 53},
		`"type":"number","column":"Latency (s)","operator":"<","value":1e308`:                  filter.Number{Column: filter.Latency, Op: filter.Below, Value: 1e308},
		`"type":"number","column":"promptVersion","operator":">=","value":1e-999`:              filter.Number{Column: filter.PromptVersion, Op: filter.AtLeast, Value: 0},
		`"type":"number","column":"toolCalls","operator":"<=","value":3`:                       filter.Number{Column: filter.ToolCalls, Op: filter.AtMost, Value: 3},
		`"type":"datetime","column":"Start Time","operator":">","value":"2026-05-01 10:00:00"`: filter.Time{Column: filter.StartTime, Op: filter.Above, At: morning},
		`"type":"datetime","column":"endTime","operator":"<=","value":"2026-05-01T10:00:00Z"`:  filter.Time{Column: filter.EndTime, Op: filter.AtMost, At: morning},

		`"type":"boolean","column":"isRootObservation","operator":"=","value":true`: filter.IsTrue{Column: filter.IsRootObservation, Want: true},
		`"type":"boolean","column":"hasInput","operator":"<>","value":true`:         filter.IsTrue{Column: filter.HasInput, Want: false},
		`"type":"boolean","column":"hasOutput","operator":"<>","value":false`:       filter.IsTrue{Column: filter.HasOutput, Want: true},

		`"type":"null","column":"release","operator":"is null","value":""`:        filter.IsSet{Column: filter.Release},
		`"type":"null","column":"tags","operator":"is not null","value":null`:     filter.IsSet{Column: filter.Tags, Want: true},
		`"type":"null","column":"providedModelName","operator":"is null"`:         filter.IsSet{Column: filter.Model},
		`"type":"null","column":"latency","operator":"is not null","extra":[{}]`:  filter.IsSet{Column: filter.Latency, Want: true},
		`"type":"null","column":"x","column":"endTime","operator":"is null"`:      filter.IsSet{Column: filter.EndTime},
		`"type":"null","Type":"number","column":"userId","operator":"is null"`:    filter.IsSet{Column: filter.UserID},
		`"type":"null","column":"traceName","operator":"is null","key":17`:        filter.IsSet{Column: filter.TraceName},
		`"type":"null","column":"Session ID","operator":"is not null","value":""`: filter.IsSet{Column: filter.SessionID, Want: true},

		`"type":"stringObject","column":"metadata","key":"a.b","operator":"=","value":""`:                 filter.MetadataText{Key: "a.b", Op: filter.Equal},
		`"type":"stringObject","column":"metadata","key":"k","operator":"matches","value":"x-1"`:          filter.MetadataText{Key: "k", Op: filter.Matches, Value: "x-1"},
		`"type":"stringObject","column":"Metadata","key":"k","operator":"does not contain","value":"x"`:   filter.MetadataText{Key: "k", Op: filter.NotContains, Value: "x"},
		`"type":"stringObject","column":"metadata","key":"k","operator":"is set"`:                         filter.MetadataSet{Key: "k", Want: true},
		`"type":"stringObject","column":"metadata","key":"k","operator":"is not set","value":{"any":1}`:   filter.MetadataSet{Key: "k"},
		`"type":"numberObject","column":"metadata","key":"score","operator":">=","value":0.25`:            filter.MetadataNumber{Key: "score", Op: filter.AtLeast, Value: 0.25},
		`"type":"string","column":"traceEnvironment","operator":"=","value":"\ud800{p0:String}'--\u0000"`: filter.OneOf{Column: filter.Environment, Values: []string{"\ufffd{p0:String}'--\x00"}},
	} {
		got, err := filter.Parse("[{"+text+"}]", filter.Observations)
		if diff := cmp.Diff([]filter.Condition{want}, got); err != nil || diff != "" {
			t.Errorf("{%s}: %v\n%s", text, err, diff)
		}
	}
}

func TestParseLists(t *testing.T) {
	t.Parallel()
	name := `{"type":"string","column":"name","operator":"=","value":"x"}`
	position := `{"type":"positionInTrace","column":"whatever","operator":"=","key":"nthFromStart","value":3}`
	for text, want := range map[string]int{
		"": 0, " \n": 0, "[]": 0, " null ": 0, "[" + name + "]": 1, "[" + name + "," + name + "]": 2,
		"[" + position + "]": 0, "[" + position + "," + name + "]": 1,
		"[" + strings.Repeat(name+",", filter.MaxConditions-1) + name + "]": filter.MaxConditions,
	} {
		got, err := filter.Parse(text, filter.Observations)
		if err != nil || len(got) != want {
			t.Errorf("%.80q gives %d conditions (%v), want %d", text, len(got), err, want)
		}
	}
}

// What has not the shape of a condition names the path of the member, all of them at once.
func TestShapes(t *testing.T) {
	t.Parallel()
	values := `["` + strings.Repeat(`","`, filter.MaxValues) + `"]`
	for text, want := range map[string]string{
		`{}`:  "filter must be a JSON array of conditions {type, column, operator, value}",
		`"x"`: "filter must be a JSON array of conditions {type, column, operator, value}",
		`[1]`: "filter.0 must be a condition {type, column, operator, value}",
		`[null,{"type":"null","column":"name","operator":"is null"},[]]`: "filter.0 must be a condition {type, column, operator, value}\n" +
			"filter.2 must be a condition {type, column, operator, value}",
		`[{}]`:                                "filter.0.type must be a string",
		`[{"type":1}]`:                        "filter.0.type must be a string",
		`[{"type":"string","column":null}]`:   "filter.0.column must be a string",
		`[{"type":"string","column":"name"}]`: "filter.0.operator must be a string",
		`[{"type":"text","column":"name","operator":"=","value":"x"}]`:  "filter.0.type must be one of string, stringOptions, arrayOptions, number, datetime, boolean, null, stringObject, numberObject, booleanObject, categoryOptions, positionInTrace",
		`[{"type":"string","column":"name","operator":">","value":""}]`: "filter.0.operator must be one of =, contains, does not contain, starts with, ends with, matches for conditions of type string",
		`[{"type":"datetime","column":"startTime","operator":"="}]`:     "filter.0.operator must be one of >, <, >=, <= for conditions of type datetime",
		`[{"type":"string","column":"name","operator":"="}]`:            "filter.0.value must be a string for conditions of type string",
		`[{"type":"string","column":"name","operator":"=","value":1}]`:  "filter.0.value must be a string for conditions of type string",

		`[{"type":"stringOptions","column":"name","operator":"any of","value":"x"}]`:           "filter.0.value must be an array of strings for conditions of type stringOptions",
		`[{"type":"stringOptions","column":"name","operator":"any of","value":["",null]}]`:     "filter.0.value must be an array of strings for conditions of type stringOptions",
		`[{"type":"stringOptions","column":"name","operator":"none of","value":[]}]`:           "filter.0.value must not be empty for conditions of type stringOptions",
		`[{"type":"arrayOptions","column":"tags","operator":"any of","value":[]}]`:             "filter.0.value must not be empty for conditions of type arrayOptions",
		`[{"type":"arrayOptions","column":"tags","operator":"any of","value":` + values + `}]`: "filter.0.value must not have more than 10000 values for conditions of type arrayOptions",
		`[{"type":"number","column":"latency","operator":"=","value":"1"}]`:                    "filter.0.value must be a number that fits in a double for conditions of type number",
		`[{"type":"number","column":"latency","operator":"=","value":1e309}]`:                  "filter.0.value must be a number that fits in a double for conditions of type number",
		`[{"type":"datetime","column":"endTime","operator":">","value":"soon"}]`:               "filter.0.value must be a time like 2026-05-01T10:00:00.000Z for conditions of type datetime",
		`[{"type":"datetime","column":"endTime","operator":">","value":1777629600000}]`:        "filter.0.value must be a time like 2026-05-01T10:00:00.000Z for conditions of type datetime",
		`[{"type":"boolean","column":"hasInput","operator":"=","value":"true"}]`:               "filter.0.value must be true or false for conditions of type boolean",
		`[{"type":"null","column":"name","operator":"is null","value":"x"}]`:                   "filter.0.value must be left out, null or an empty string for conditions of type null",
		`[{"type":"null","column":"name","operator":"is null","value":false}]`:                 "filter.0.value must be left out, null or an empty string for conditions of type null",
		`[{"type":"stringObject","column":"metadata","operator":"is set"}]`:                    "filter.0.key must be a string that is not empty: it says which value the condition of type stringObject looks at",
		`[{"type":"numberObject","column":"metadata","key":"","operator":"=","value":1}]`:      "filter.0.key must be a string that is not empty: it says which value the condition of type numberObject looks at",
		`[{"type":"stringObject","column":"metadata","key":"k","operator":"=","value":[]}]`:    "filter.0.value must be a string for conditions of type stringObject",

		`[` + strings.Repeat("{},", filter.MaxConditions) + `{}]`: "filter must not have more than 100 conditions, got 101",
		strings.Repeat(" ", filter.MaxBytes-1) + "[]":             "filter must not be longer than 262144 bytes, got 262145",
	} {
		_, err := filter.Parse(text, filter.Observations)
		if got := publicTexts(err, true); got != want {
			t.Errorf("%.90s gives\n  %s\nwant\n  %s", text, got, want)
		}
	}
}

// What has the shape but fits no column names the condition and what is allowed.
func TestMisfits(t *testing.T) {
	t.Parallel()
	const texts = "column %s takes conditions of type string or stringOptions or null"
	condition := func(kind, column, operator string) string {
		return fmt.Sprintf("filter condition 1 (type %q, column %q, operator %q): ", kind, column, operator)
	}
	payload := func(operator, value string) string {
		return `"type":"string","column":"input","operator":"` + operator + `","value":"` + value + `"`
	}
	for text, want := range map[string]string{
		`"type":"number","column":"name","operator":"=","value":1`:                      condition("number", "name", "=") + fmt.Sprintf(texts, "name"),
		`"type":"string","column":"providedModelName","operator":"matches","value":"a"`: condition("string", "providedModelName", "matches") + "column model takes the operators =, contains, does not contain, starts with, ends with",
		`"type":"string","column":"tags","operator":"=","value":"a"`:                    condition("string", "tags", "=") + "column tags takes conditions of type arrayOptions or null",
		`"type":"string","column":"latency","operator":"=","value":"1"`:                 condition("string", "latency", "=") + "column latency takes conditions of type number or null",
		`"type":"string","column":"metadata","operator":"=","value":"1"`:                condition("string", "metadata", "=") + "column metadata takes conditions of type stringObject or numberObject",
		`"type":"null","column":"metadata","operator":"is null"`:                        condition("null", "metadata", "is null") + "column metadata takes conditions of type stringObject or numberObject",
		`"type":"null","column":"id","operator":"is null"`:                              condition("null", "id", "is null") + "column id takes conditions of type string or stringOptions",
		`"type":"null","column":"output","operator":"is not null"`:                      condition("null", "output", "is not null") + "column output takes conditions of type string",
		`"type":"stringOptions","column":"input","operator":"any of","value":["a"]`:     condition("stringOptions", "input", "any of") + "column input takes conditions of type string",
		`"type":"stringObject","column":"name","key":"k","operator":"is set"`:           condition("stringObject", "name", "is set") + fmt.Sprintf(texts, "name"),
		payload("contains", "a"):         condition("string", "input", "contains") + "column input takes the operators =, matches",
		payload("does not contain", "a"): condition("string", "input", "does not contain") + "column input takes the operators =, matches",
		payload("starts with", "a"):      condition("string", "input", "starts with") + "column input takes the operators =, matches",
		payload("ends with", "a"):        condition("string", "input", "ends with") + "column input takes the operators =, matches",
		payload("matches", ""):           condition("string", "input", "matches") + "the value of matches needs at least one letter or digit",
		payload("matches", " -%_"):       condition("string", "input", "matches") + "the value of matches needs at least one letter or digit",
		`"type":"stringObject","column":"metadata","key":"k","operator":"matches","value":"?"`:   condition("stringObject", "metadata", "matches") + "the value of matches needs at least one letter or digit",
		`"type":"booleanObject","column":"metadata","key":"k","operator":"=","value":true`:       condition("booleanObject", "metadata", "=") + "only columns of scores take this type, and there are none here",
		`"type":"categoryOptions","column":"scores","key":"k","operator":"any of","value":["a"]`: condition("categoryOptions", "scores", "any of") + "only columns of scores take this type, and there are none here",
	} {
		_, err := filter.Parse("[{"+text+"}]", filter.Observations)
		if got := publicTexts(err, false); got != want {
			t.Errorf("{%s} gives\n  %s\nwant\n  %s", text, got, want)
		}
	}
	_, err := filter.Parse(`[{"type":"null","column":"name","operator":"is null"},{"type":"null","column":"`+strings.Repeat("é", 99)+`","operator":"is null"}]`, filter.Observations)
	want := `filter condition 2 (type "null", column "` + strings.Repeat("é", 30) + `...", operator "is null"): unknown column; use one of id, traceId, parentObservationId,`
	if got := publicTexts(err, false); !strings.HasPrefix(got, want) {
		t.Errorf("an unknown column gives %s, want %s", got, want)
	}
	_, err = filter.Parse(`[{"type":"null"`, filter.Observations)
	if got := publicTexts(err, false); got != "Invalid JSON in filter parameter" {
		t.Errorf("broken JSON gives %s", got)
	}
}

// publicTexts lists what a client reads of err, in which every fault is Invalid and has a field or not.
func publicTexts(err error, withField bool) string {
	if err == nil {
		return "no error"
	}
	many := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		many = joined.Unwrap()
	}
	var shown []string
	for _, err := range many {
		var f *fault.Fault
		if !errors.As(err, &f) || f.Kind != fault.Invalid || (f.Field != "") != withField {
			return fmt.Sprintf("%#v, no fault of the right sort", err)
		}
		shown = append(shown, f.Public())
	}
	return strings.Join(shown, "\n")
}

// Every name of every column is known once and every condition that a field promises parses.
func TestCatalog(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, field := range filter.Observations {
		for _, name := range append([]string{string(field.Column)}, field.Aliases...) {
			if seen[name] {
				t.Errorf("two columns are called %q", name)
			}
			seen[name] = true
		}
		for _, kind := range field.Types() {
			for _, operator := range field.Operators(kind) {
				got, err := filter.Parse(exampleOf(field.Column, kind, operator), filter.Observations)
				if err != nil || len(got) != 1 || got[0].On() != field.Column {
					t.Errorf("%s, %s, %s: %v (%v)", field.Column, kind, operator, got, err)
				}
			}
		}
	}
	for column := range strings.SplitSeq("id type name traceId traceName startTime endTime environment level statusMessage version userId "+
		"sessionId isRootObservation tags latency timeToFirstToken tokensPerSecond inputTokens outputTokens totalTokens inputCost outputCost "+
		"totalCost model promptName promptVersion input output metadata", " ") {
		if field, ok := filter.Observations.Find(column); !ok || string(field.Column) != column {
			t.Errorf("the contract's column %s is missing", column)
		}
	}
}

// exampleOf is a filter with one condition.
func exampleOf(column filter.Column, kind, operator string) string {
	value := map[string]string{
		"string": `"x"`, "stringObject": `"x"`, "stringOptions": `["x"]`, "arrayOptions": `["x"]`, "number": "1", "numberObject": "1",
		"datetime": `"2026-05-01"`, "boolean": "true", "null": `""`,
	}[kind]
	return fmt.Sprintf(`[{"type":%q,"column":%q,"operator":%q,"key":"k","value":%s}]`, kind, column, operator, value)
}
