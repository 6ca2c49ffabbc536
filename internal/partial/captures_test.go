package partial_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/partial"
)

// expected is expected_rows.json: what the captured requests of one SDK make.
type expected struct {
	Traces       []map[string]any `json:"traces"`
	Observations []map[string]any `json:"observations"`
	Scores       []map[string]any `json:"scores"`
}

// captured reads the events of all requests of one SDK, in the order they were sent.
func captured(t testing.TB, sdk string) []partial.Event {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", sdk, "*ingestion.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no captures of %s (%v)", sdk, err)
	}
	slices.Sort(files)
	var events []partial.Event
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		batch, err := partial.Parse(body, partial.Policy{})
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, p := range batch.Problems {
			t.Errorf("%s: event %s is refused: %s", file, p.ID, p.Error)
		}
		for _, e := range batch.Events {
			e.Version = model.RowVersion(time.UnixMicro(1_790_000_000_000_000), len(events))
			events = append(events, e)
		}
	}
	return events
}

type entity struct{ trace, id string }

func merged(events []partial.Event) map[entity]*model.Observation {
	groups := map[entity][]partial.Event{}
	for _, e := range events {
		trace, id := e.Entity()
		groups[entity{trace, id}] = append(groups[entity{trace, id}], e)
	}
	rows := map[entity]*model.Observation{}
	for at, group := range groups {
		if row := partial.Merge("p", at.trace, at.id, group); row != nil {
			rows[at] = row
		}
	}
	return rows
}

func TestCapturesOfOlderSDKs(t *testing.T) {
	t.Parallel()
	for _, sdk := range []string{"py1", "py2", "js2", "js3"} {
		t.Run(sdk, func(t *testing.T) {
			t.Parallel()
			var want expected
			text, err := os.ReadFile(filepath.Join("testdata", sdk, "expected_rows.json"))
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, &want); err != nil {
				t.Fatal(err)
			}
			events := captured(t, sdk)
			rows := merged(events)
			keys := 0
			for _, w := range want.Traces {
				id, _ := w["id"].(string)
				keys += compare(t, w, rows[entity{id, "t-" + id}], true)
			}
			for _, w := range want.Observations {
				trace, _ := w["traceId"].(string)
				id, _ := w["id"].(string)
				keys += compare(t, w, rows[entity{trace, id}], false)
			}
			if n := len(want.Traces) + len(want.Observations); len(rows) != n {
				t.Errorf("%d rows, want %d", len(rows), n)
			}
			scores := mergedScores(events)
			for _, w := range want.Scores {
				keys += compareScore(t, w, scores)
			}
			if len(scores) != len(want.Scores) {
				t.Errorf("%d scores, want %d", len(scores), len(want.Scores))
			}
			t.Logf("%s: %d events, %d rows, %d scores, %d values compared", sdk, len(events), len(rows), len(scores), keys)
		})
	}
}

// compare checks every expected key of a row and returns how many there were.
func compare(t *testing.T, want map[string]any, row *model.Observation, isTrace bool) (keys int) {
	t.Helper()
	if row == nil {
		t.Errorf("row %v is missing", want["id"])
		return 0
	}
	got := shown(row, isTrace)
	doubtful, _ := want["doubtful"].([]any)
	for key, w := range want {
		if slices.Contains([]string{"scenario", "events", "notes", "doubtful"}, key) || slices.Contains(doubtful, any(key)) {
			continue
		}
		g, known := got[key]
		if !known {
			t.Errorf("%v: the test does not know %q", want["id"], key)
		}
		keys++
		if !same(w, g) {
			t.Errorf("%v: %s is %v, want %v", want["id"], key, g, w)
		}
	}
	return keys
}

// shown has the row's values under the names of the expected ones.
func shown(o *model.Observation, isTrace bool) map[string]any {
	metadata := map[string]any{}
	for _, m := range o.Metadata {
		var value any = m.Value
		if m.Type == model.MetadataNull || m.Name == "nul" {
			continue
		}
		if m.Type != model.MetadataString {
			value = parsed(m.Value)
		}
		metadata[m.Name] = value
	}
	var tags []any
	for _, tag := range o.Tags {
		tags = append(tags, tag)
	}
	m := map[string]any{
		"name": o.Name, "version": o.CodeVersion, "environment": o.Environment, "metadata": metadata,
		"input": parsed(o.Input), "output": parsed(o.Output),
	}
	if isTrace {
		m["id"], m["timestamp"], m["userId"], m["sessionId"] = o.TraceID, instant(o.StartTime), o.UserID, o.SessionID
		m["release"], m["public"], m["tags"] = o.Release, o.Public, tags
		return m
	}
	m["id"], m["traceId"], m["type"] = o.ID, o.TraceID, string(o.Type)
	m["parentObservationId"] = strings.TrimPrefix(o.ParentID, "t-"+o.TraceID)
	m["startTime"], m["endTime"], m["completionStartTime"] = instant(o.StartTime), instant(o.EndTime), instant(o.CompletionStartTime)
	m["level"], m["statusMessage"], m["model"] = string(o.Level), o.StatusMessage, o.Model
	m["modelParameters"] = parsed(o.ModelParameters)
	m["promptName"], m["promptVersion"] = o.PromptName, float64(o.PromptVersion)
	usage, cost := map[string]any{}, map[string]any{}
	for key, n := range o.UsageDetails {
		usage[key] = float64(n)
	}
	for key, amount := range o.CostDetails {
		cost[key] = amount.InexactFloat64()
	}
	m["usageDetails"], m["costDetails"] = usage, cost
	return m
}

func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format("2006-01-02T15:04:05.000Z")
}

func parsed(text string) any {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	return v
}

// same compares with the expected value; nothing, null, zero and empty are one.
func same(want, got any) bool {
	if s, ok := want.(string); ok {
		want = parsed(s)
	}
	if s, ok := got.(string); ok {
		got = parsed(s)
	}
	if nothing(want) && nothing(got) {
		return true
	}
	return reflect.DeepEqual(want, got) || fmt.Sprint(want) == fmt.Sprint(got)
}

func nothing(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case float64:
		return v == 0
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}
