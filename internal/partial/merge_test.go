package partial_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/partial"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// event makes one of the given second after noon.
func event(id string, kind partial.Kind, second int, body string) partial.Event {
	return partial.Event{
		ID: id, Kind: kind, Time: noon.Add(time.Duration(second) * time.Second), Body: json.RawMessage(body),
		Version: model.RowVersion(noon, second),
	}
}

func mergeAll(events ...partial.Event) *model.Observation {
	return partial.Merge("p", "t", "o", events)
}

func TestEveryOrderMergesTheSame(t *testing.T) {
	t.Parallel()
	events := []partial.Event{
		event("a", "generation-create", 1, `{"id":"o","traceId":"t","name":"one","input":{"q":1},"metadata":{"a":{"x":1},"l":[1]},"startTime":"2026-05-01T11:00:00Z"}`),
		event("b", "generation-create", 1, `{"id":"o","traceId":"t","name":"two","environment":"prod","metadata":"plain"}`),
		event("c", "generation-update", 0, `{"id":"o","traceId":"t","output":"out","metadata":{"a":{"y":null,"x":2}},"endTime":"2026-05-01T12:00:00Z"}`),
		event("d", "generation-update", 5, `{"id":"o","traceId":"t","output":"","name":null,"usage":{"input":1},"environment":"late"}`),
		event("e", "span-update", 6, `{"id":"o","traceId":"t","level":"ERROR","startTime":"2026-05-01T13:00:00Z","metadata":{"a":5}}`),
		event("f", "generation-update", 7, `{"id":"o","traceId":"t","usage":{"input":2,"output":3},"metadata":{"a":{"z":true}}}`),
	}
	want := mergeAll(events...)
	if want.Name != "one" || want.Output != "out" || want.Type != model.Generation || want.Environment != "prod" || want.UsageDetails["total"] != 5 {
		t.Fatalf("row %+v", want)
	}
	orders := 0
	var permute func([]partial.Event, int)
	permute = func(list []partial.Event, from int) {
		if from == len(list) {
			orders++
			if diff := cmp.Diff(want, mergeAll(list...)); diff != "" {
				t.Fatal(diff)
			}
			return
		}
		for i := from; i < len(list); i++ {
			list[from], list[i] = list[i], list[from]
			permute(list, from+1)
			list[from], list[i] = list[i], list[from]
		}
	}
	permute(events, 0)
	if orders != 720 {
		t.Errorf("%d orders, want 720", orders)
	}
}

func TestMergeRules(t *testing.T) {
	t.Parallel()
	create := func(body string) partial.Event { return event("1", "span-create", 1, body) }
	update := func(body string) partial.Event { return event("2", "span-update", 2, body) }
	for name, c := range map[string]struct {
		events []partial.Event
		want   string // path=value of what is shown
	}{
		"null erases nothing":        {[]partial.Event{create(`{"id":"o","name":"n","input":"i"}`), update(`{"id":"o","name":null,"input":null}`)}, "n|i||"},
		"falsy replaces no truthy":   {[]partial.Event{create(`{"id":"o","input":"i"}`), update(`{"id":"o","input":0,"output":false}`)}, "|i|false|"},
		"empty text is none":         {[]partial.Event{create(`{"id":"o","input":"","output":{}}`)}, "||{}|"},
		"later wins":                 {[]partial.Event{create(`{"id":"o","output":[1]}`), update(`{"id":"o","output":{"b":  2}}`)}, `||{"b":2}|`},
		"metadata merges in depth":   {[]partial.Event{create(`{"id":"o","metadata":{"a":{"x":1,"k":"v"},"n":null}}`), update(`{"id":"o","metadata":{"a":{"x":2,"z":[ 1]},"n":null}}`)}, `|||a.x=2:2 a.k=v:1 a.z=[1]:5 n=null:4`},
		"object replaces value":      {[]partial.Event{create(`{"id":"o","metadata":{"a":1}}`), update(`{"id":"o","metadata":{"a":{"b":1}}}`)}, `|||a.b=1:2`},
		"value replaces object":      {[]partial.Event{create(`{"id":"o","metadata":{"a":{"b":1}}}`), update(`{"id":"o","metadata":{"a":"x"}}`)}, `|||a=x:1`},
		"metadata that is no object": {[]partial.Event{create(`{"id":"o","metadata":[1]}`), update(`{"id":"o","metadata":{"a":true}}`)}, `|||metadata=[1]:5 a=true:3`},
		"one path, first counts":     {[]partial.Event{create(`{"id":"o","metadata":{"a.b":1,"a":{"b":2}}}`)}, `|||a.b=1:2`},
		"markup stays":               {[]partial.Event{create(`{"id":"o","input":{"a":"<b>&"}}`)}, `|{"a":"<b>&"}||`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := mergeAll(c.events...)
			var metadata []string
			for _, m := range o.Metadata {
				metadata = append(metadata, fmt.Sprintf("%s=%s:%d", m.Name, m.Value, m.Type))
			}
			if got := strings.Join([]string{o.Name, o.Input, o.Output, strings.Join(metadata, " ")}, "|"); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	o := mergeAll(
		event("u", "span-update", 0, `{"id":"o","endTime":"2026-05-01T11:00:00Z"}`),
		event("c", "tool-create", 9, `{"id":"o"}`))
	if o.Type != model.Tool || !o.StartTime.Equal(noon.Add(9*time.Second)) || o.ParentID != "t-t" || !o.EndTime.Equal(o.StartTime) {
		t.Errorf("row %+v", o)
	}
	if o.Version != model.RowVersion(noon, 9)+2 || !o.CreatedAt.Equal(noon) {
		t.Errorf("version %d, created %s", o.Version, o.CreatedAt)
	}
	trace := event("x", partial.Trace, 1, `{"name":"n","public":true}`)
	if at, id := trace.Entity(); at != "x" || id != "t-x" {
		t.Errorf("a trace without an id is %s of %s", id, at)
	}
	row := partial.Merge("p", "x", "t-x", []partial.Event{trace, event("y", partial.Trace, 2, `{"id":"x","name":"m"}`)})
	if row.ParentID != "" || !row.Public || row.Name != "m" || row.Type != model.Span {
		t.Errorf("row of the trace: %+v", row)
	}
	alone := event("a", "event-create", 1, `{"id":"o"}`)
	if at, id := alone.Entity(); at != "o" || id != "o" {
		t.Errorf("an observation without a trace is %s of %s", id, at)
	}
	if partial.Merge("p", "t", "o", []partial.Event{event("l", partial.Log, 1, `{}`)}) != nil {
		t.Error("log records make no row")
	}
}

// A set that contains another has the higher version and knows every place of the smaller one.
func TestLargerSetsWin(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := drawEvents(t)
		var some []partial.Event
		for _, e := range events {
			if rapid.Bool().Draw(t, "in") {
				some = append(some, e)
			}
		}
		small, large := mergeAll(some...), mergeAll(events...)
		if small == nil {
			return
		}
		if len(some) < len(events) && small.Version >= large.Version {
			t.Fatalf("version %d of %d events, %d of %d", small.Version, len(some), large.Version, len(events))
		}
		places := partial.PlacesOf(some)
		if !places.Here.Equal(small.StartTime) {
			t.Fatalf("place %s of a row at %s", places.Here, small.StartTime)
		}
		known := slices.Clone(events)
		if places.Unmarked {
			mark := partial.Mark(places.Here, 1)
			if partial.PlacesOf(append(slices.Clone(some), mark)).Unmarked {
				t.Fatal("a marked place is unmarked")
			}
			known = append(known, mark)
		}
		all := partial.PlacesOf(known)
		if !all.Here.Equal(large.StartTime) {
			t.Fatalf("place %s of a row at %s", all.Here, large.StartTime)
		}
		if !all.Here.Equal(small.StartTime) && !slices.ContainsFunc(all.Old, small.StartTime.Equal) {
			t.Fatalf("nobody knows of the row at %s: %+v", small.StartTime, all)
		}
	})
}

var kinds = []partial.Kind{"span-create", "span-update", "generation-create", "generation-update"}

func drawEvents(t *rapid.T) []partial.Event {
	n := rapid.IntRange(1, 7).Draw(t, "events")
	var events []partial.Event
	for i := range n {
		body := map[string]any{"id": "o", "traceId": "t"}
		set := func(key string, values ...any) {
			if at := rapid.IntRange(-1, len(values)-1).Draw(t, key); at >= 0 {
				body[key] = values[at]
			}
		}
		set("name", "a", "b", nil)
		set("model", "m", "n", nil)
		set("statusMessage", "x", "y")
		set("startTime", "2026-05-01T11:00:00Z", "2026-05-01T11:30:00Z")
		set("level", "ERROR", "DEBUG", nil)
		set("input", "i", 0, "", map[string]any{"a": 1})
		set("environment", "prod", "dev")
		set("metadata", map[string]any{"k": map[string]any{"x": 1}}, map[string]any{"k": map[string]any{"y": "z"}, "l": 2}, map[string]any{"k": map[string]any{"x": nil}})
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		e := event(fmt.Sprint("e", i), kinds[rapid.IntRange(0, len(kinds)-1).Draw(t, "kind")], rapid.IntRange(0, 3).Draw(t, "second"), string(text))
		e.Version = model.RowVersion(noon, i)
		events = append(events, e)
	}
	return events
}

// The oracle says the rules once more, as plainly as possible.
func TestMergeAgainstOracle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := drawEvents(t)
		rand.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
		got := mergeAll(events...)
		want := oracle(events)
		shown := map[string]any{
			"name": got.Name, "model": got.Model, "statusMessage": got.StatusMessage, "level": string(got.Level),
			"environment": got.Environment, "startTime": got.StartTime.Format(time.RFC3339), "input": got.Input, "type": string(got.Type),
		}
		metadata := map[string]string{}
		for _, m := range got.Metadata {
			metadata[m.Name] = m.Value
		}
		shown["metadata"] = metadata
		if diff := cmp.Diff(want, shown, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}

// told is an event with its body decoded.
type told struct {
	partial.Event
	body map[string]any
}

func (e told) start() string { s, _ := e.body["startTime"].(string); return s }
func (e told) update() bool  { return strings.HasSuffix(string(e.Kind), "-update") }

// before is the order of merging.
func (e told) before(other told) bool {
	switch {
	case e.update() != other.update():
		return other.update()
	case !e.Time.Equal(other.Time):
		return e.Time.Before(other.Time)
	case e.start() != other.start():
		return e.start() < other.start()
	}
	return e.ID < other.ID
}

func oracle(events []partial.Event) map[string]any {
	var list []told
	for _, e := range events {
		var body map[string]any
		_ = json.Unmarshal(e.Body, &body)
		list = append(list, told{e, body})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].before(list[j]) })
	want := map[string]any{"name": "", "model": "", "statusMessage": "", "level": "DEFAULT", "environment": "default"}
	metadata := map[string]string{}
	var input any
	for i, e := range list {
		for _, key := range []string{"name", "model", "statusMessage", "level"} {
			if v, ok := e.body[key].(string); ok {
				want[key] = v
			}
		}
		if v, ok := e.body["environment"].(string); ok && want["environment"] == "default" {
			want["environment"] = v
		}
		if s := e.start(); s != "" && want["startTime"] == nil {
			want["startTime"] = s
		}
		if v := e.body["input"]; v != nil && (!empty(v) || empty(input)) {
			input = v
		}
		if i == 0 || !e.update() || list[0].update() {
			want["type"] = strings.ToUpper(strings.Split(string(e.Kind), "-")[0])
		}
		flattenInto(metadata, "", e.body["metadata"])
	}
	if want["startTime"] == nil {
		want["startTime"] = list[0].Time.Format(time.RFC3339)
	}
	want["input"], want["metadata"] = shownInput(input), metadata
	return want
}

func empty(v any) bool { return v == nil || v == "" || v == 0.0 }

func shownInput(input any) string {
	if s, ok := input.(string); ok || input == nil {
		return s
	}
	text, _ := json.Marshal(input)
	return string(text)
}

func flattenInto(to map[string]string, path string, value any) {
	switch v := value.(type) {
	case nil:
		if _, there := to[path]; path != "" && !there {
			to[path] = "null"
		}
	case map[string]any:
		for name, member := range v {
			flattenInto(to, strings.TrimPrefix(path+"."+name, "."), member)
		}
	default:
		to[path] = fmt.Sprint(v)
	}
}
