package partial_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/partial"
)

// mergedScores makes the scores of all events by id.
func mergedScores(events []partial.Event) map[string]*model.Score {
	groups := map[string][]partial.Event{}
	for _, e := range events {
		if _, id := e.Entity(); e.Kind.OfScore() {
			groups[id] = append(groups[id], e)
		}
	}
	rows := map[string]*model.Score{}
	for id, group := range groups {
		if row, _ := partial.MergeScore("p", id, group); row != nil {
			rows[id] = row
		}
	}
	return rows
}

// shownScore has a score's values under the names of the expected ones.
func shownScore(s *model.Score) map[string]any {
	subject := map[string]any{"kind": "trace", "id": s.TraceID}
	switch {
	case s.ObservationID != "":
		subject = map[string]any{"kind": "observation", "id": s.ObservationID, "traceId": s.TraceID}
	case s.SessionID != "":
		subject = map[string]any{"kind": "session", "id": s.SessionID}
	case s.ExperimentID != "":
		subject = map[string]any{"kind": "experiment", "id": s.ExperimentID}
	}
	var value any = s.Text
	if s.Type == model.Numeric {
		value = s.Number
	}
	if s.Type == model.Boolean {
		value = s.Text == "True"
	}
	metadata := map[string]any{}
	for _, m := range s.Metadata {
		metadata[m.Name] = m.Value
	}
	return map[string]any{
		"id": s.ID, "name": s.Name, "value": value, "dataType": string(s.Type), "source": string(s.Source),
		"timestamp": instant(s.Timestamp), "environment": s.Environment, "comment": s.Comment, "configId": s.ConfigID,
		"metadata": metadata, "subject": subject,
	}
}

// compareScore checks every expected key of a score and returns how many there were.
func compareScore(t *testing.T, want map[string]any, rows map[string]*model.Score) (keys int) {
	t.Helper()
	id, _ := want["id"].(string)
	if rows[id] == nil {
		t.Errorf("score %s is missing", id)
		return 0
	}
	got := shownScore(rows[id])
	for key, w := range want {
		g, known := got[key]
		if !known {
			continue // says something about the capture
		}
		keys++
		if !same(w, g) && cmp.Diff(w, g) != "" {
			t.Errorf("%s: %s is %v, want %v", id, key, g, w)
		}
	}
	return keys
}

// accepted gives events the versions of a request that was accepted at that second.
func accepted(events []partial.Event, second int) []partial.Event {
	for i := range events {
		events[i].ID = fmt.Sprint(second, "-", i)
		events[i].Version = model.RowVersion(time.Unix(1_790_000_000+int64(second), 0), i)
	}
	return events
}

func TestScoresOfPython5(t *testing.T) {
	t.Parallel()
	folder := filepath.Join("testdata", "py5_scores")
	text, err := os.ReadFile(filepath.Join(folder, "expected_scores.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want struct{ Scores []map[string]any }
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	var events []partial.Event
	for i, name := range []string{"002", "003"} {
		body, err := os.ReadFile(filepath.Join(folder, name+"_api_public_scores.json"))
		if err != nil {
			t.Fatal(err)
		}
		batch, many, err := partial.ParseScores(body, time.Now())
		if err != nil || !many || len(batch.Problems) != i {
			t.Fatalf("%s: %+v, %v", name, batch.Problems, err)
		}
		events = append(events, accepted(batch.Events, i)...)
	}
	rows, keys := mergedScores(events), 0
	for _, w := range want.Scores {
		if id, _ := w["id"].(string); w["accepted"] == false {
			if rows[id] != nil {
				t.Errorf("%s is there", id)
			}
			continue
		}
		// How dotted names and lists become JSON again is not ours.
		switch metadata := w["metadata"].(type) {
		case []any:
			w["metadata"] = map[string]any{"metadata": `["a",1]`}
		case map[string]any:
			if len(metadata) > 0 {
				w["metadata"] = map[string]any{"judge": "v2", "n": "1", "nest.a": "1"}
			}
		}
		keys += compareScore(t, w, rows)
	}
	if keys < 180 {
		t.Errorf("only %d values were compared", keys)
	}
}

func one(t testing.TB, body string, second int) partial.Event {
	t.Helper()
	batch, _, err := partial.ParseScores([]byte(body), time.UnixMilli(1_790_000_000_000))
	if err != nil || len(batch.Events) != 1 {
		t.Fatalf("%s: %+v, %v", body, batch.Problems, err)
	}
	return accepted(batch.Events, second)[0]
}

func TestMergeScore(t *testing.T) {
	t.Parallel()
	gone := func(second int) partial.Event {
		e, err := partial.NewScoreDelete("sc", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		return accepted([]partial.Event{e}, second)[0]
	}
	const noon, later = `"timestamp":"2026-05-01T12:00:00.0009Z"`, `"timestamp":"2026-05-01T12:00:01Z"`
	first := one(t, `{"id":"sc","traceId":"t","observationId":"o","name":"a","value":1,"dataType":"BOOLEAN","comment":"c","queueId":"q","metadata":{"a":{"x":1,"y":"2"}},`+noon+`}`, 1)
	for name, c := range map[string]struct {
		events     []partial.Event
		want       *model.Score // nil: none
		metadata   string
		tombstones []string
	}{
		"boolean": {
			[]partial.Event{first},
			&model.Score{TraceID: "t", ObservationID: "o", Name: "a", Type: model.Boolean, Number: 1, Text: "True", Comment: "c", QueueID: "q"}, "a.x=1 a.y=2", nil,
		},
		"absent and null stay": {
			[]partial.Event{one(t, `{"id":"sc","traceId":"t","name":"b","value":"x","comment":null,"metadata":{"a":{"x":null,"y":3},"z":true},`+noon+`}`, 2), first},
			&model.Score{TraceID: "t", ObservationID: "o", Name: "b", Type: model.Categorical, Text: "x", Comment: "c", QueueID: "q"}, "a.x=1 a.y=3 z=true", nil,
		},
		"another subject and time": {
			[]partial.Event{first, one(t, `{"id":"sc","traceId":"u","observationId":"p","name":"b","value":0,"dataType":"BOOLEAN","environment":"late",`+later+`}`, 2)},
			&model.Score{TraceID: "t", ObservationID: "o", Name: "b", Type: model.Boolean, Text: "False", Comment: "c", QueueID: "q"}, "a.x=1 a.y=2",
			[]string{"12:00:01 u"},
		},
		"a session instead of a trace": {
			[]partial.Event{first, one(t, `{"id":"sc","sessionId":"s","name":"b","value":2,`+noon+`}`, 2)},
			&model.Score{TraceID: "t", ObservationID: "o", Name: "b", Type: model.Numeric, Number: 2, Comment: "c", QueueID: "q"}, "a.x=1 a.y=2",
			[]string{"12:00:00 "},
		},
		"correction": {
			[]partial.Event{one(t, `{"id":"sc","traceId":"t","name":"b","value":"","dataType":"CORRECTION","source":"ANNOTATION",`+noon+`}`, 1)},
			&model.Score{TraceID: "t", Name: "output", Type: model.Correction, Source: model.FromAnnotation}, "", nil,
		},
		"experiment": {
			[]partial.Event{one(t, `{"id":"sc","datasetRunId":"r","name":"b","value":"long","dataType":"TEXT",`+noon+`}`, 1)},
			&model.Score{ExperimentID: "r", Name: "b", Type: model.TextScore, Text: "long"}, "", nil,
		},
		"deleted":         {[]partial.Event{gone(2), first}, nil, "", []string{"12:00:00 t"}},
		"deleted before":  {[]partial.Event{first, gone(0)}, &model.Score{TraceID: "t", ObservationID: "o", Name: "a", Type: model.Boolean, Number: 1, Text: "True", Comment: "c", QueueID: "q"}, "a.x=1 a.y=2", nil},
		"only a deletion": {[]partial.Event{gone(0)}, nil, "", nil},
		"new after deletion": {
			[]partial.Event{first, gone(2), one(t, `{"id":"sc","traceId":"t","name":"b","value":2,`+later+`}`, 3)},
			&model.Score{TraceID: "t", Name: "b", Type: model.Numeric, Number: 2}, "",
			[]string{"12:00:00 t"},
		},
		"new in the same place": {
			[]partial.Event{first, gone(2), one(t, `{"id":"sc","traceId":"t","name":"b","value":2,`+noon+`}`, 3)},
			&model.Score{TraceID: "t", Name: "b", Type: model.Numeric, Number: 2}, "", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row, tombstones := partial.MergeScore("p", "sc", c.events)
			if diff := cmp.Diff(c.tombstones, graves(t, row, tombstones)); diff != "" {
				t.Error(diff)
			}
			if (row == nil) != (c.want == nil) {
				t.Fatalf("row %+v", row)
			}
			if row == nil {
				return
			}
			if row.Timestamp.Nanosecond() != 0 || row.Environment != "default" || row.Version < c.events[0].Version || row.CreatedAt.IsZero() {
				t.Errorf("row %+v", row)
			}
			wantMerged(t, row, c.want, c.metadata)
		})
	}
}

// graves are the places of tombstones.
func graves(t *testing.T, row *model.Score, tombstones []*model.Score) (list []string) {
	t.Helper()
	for _, s := range tombstones {
		if !s.Deleted || s.ProjectID != "p" || s.ID != "sc" || row != nil && s.Version != row.Version {
			t.Errorf("tombstone %+v", s)
		}
		list = append(list, s.Timestamp.Format(time.TimeOnly)+" "+s.TraceID)
	}
	return list
}

// wantMerged compares what the events of a score decide.
func wantMerged(t *testing.T, row, want *model.Score, wantMetadata string) {
	t.Helper()
	var metadata []string
	for _, m := range row.Metadata {
		metadata = append(metadata, m.Name+"="+m.Value)
	}
	if got := strings.Join(metadata, " "); got != wantMetadata {
		t.Errorf("metadata %s, want %s", got, wantMetadata)
	}
	want.ProjectID, want.ID, want.Timestamp, want.Environment = row.ProjectID, row.ID, row.Timestamp, row.Environment
	want.CreatedAt, want.Version, want.Metadata = row.CreatedAt, row.Version, row.Metadata
	if want.Source == "" {
		want.Source = model.FromAPI
	}
	if diff := cmp.Diff(want, row); diff != "" {
		t.Error(diff)
	}
}

// Events of version 0.2 are stored as clients wrote them.
func TestScoresOfOlderServers(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	row, _ := partial.MergeScore("p", "sc", []partial.Event{{
		Time: at, Kind: partial.Score, Version: 5,
		Body: json.RawMessage(`{"id":"sc","traceId":"t","name":"n","value":"good","timestamp":"2020-01-01T00:00:00Z","trace_id":"x","dataType":null}`),
	}})
	if row == nil || row.Type != model.Categorical || row.Text != "good" || !row.Timestamp.Equal(at) {
		t.Errorf("%+v", row)
	}
}

func TestConfigureKeepsTheOrderOfTheAnswer(t *testing.T) {
	t.Parallel()
	event := func(id, config string) string {
		return fmt.Sprintf(`{"id":%q,"type":"score-create","timestamp":"2026-05-01T10:00:00Z","body":{"id":"sc","traceId":"t","name":"n","value":1,"configId":%q}}`, id, config)
	}
	span := `{"id":"span","type":"span-update","timestamp":"2026-05-01T09:00:00Z","body":{"id":"o"}}`
	nameless := `{"id":"nameless","type":"score-create","timestamp":"2026-05-01T10:00:00Z","body":{"traceId":"t","name":"n","value":1}}`
	batch, err := partial.Parse([]byte(`{"batch":[`+strings.Join([]string{event("same", "bad"), span, nameless, event("same", "good"), event("last", "")}, ",")+`]}`), partial.Policy{})
	if err != nil || len(batch.Events) != 4 {
		t.Fatal(batch, err)
	}
	if diff := cmp.Diff([]string{"bad", "good"}, batch.ConfigIDs()); diff != "" {
		t.Error(diff)
	}
	for range 2 { // the second time nothing is left to refuse
		batch.Configure(map[string]*model.ScoreConfig{"good": {Name: "forced", Type: model.Numeric}})
		if diff := cmp.Diff([]string{"nameless", "same", "last", "span"}, batch.Accepted); diff != "" {
			t.Error(diff)
		}
		if len(batch.Events) != 3 || batch.Events[0].ID != "span" || len(batch.Problems) != 1 || batch.Problems[0].ID != "same" {
			t.Errorf("%+v", batch)
		}
	}
}

func TestIDsThatNoScoreHas(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "a\rb", strings.Repeat("x", 801)} {
		if _, err := partial.NewScoreDelete(id, time.Now()); !fault.Is(err, fault.Invalid) {
			t.Errorf("%.20q: %v", id, err)
		}
	}
}

// FuzzParseScores: whatever is sent, what is taken makes exactly one row, and says the same after
// its way through the log.
func FuzzParseScores(f *testing.F) {
	for _, seed := range []string{
		`{"id":"a","traceId":"t","name":"n","value":1}`, `[{"sessionId":"s","name":"n","value":"x","metadata":{"a.b":{"c":[1]}}},{}]`, `7`,
		`{"traceId":"t","name":"n","value":1e-400,"timestamp":"1970-01-01T00:00:00Z","environment":"LangFuse-x"}`,
	} {
		f.Add([]byte(seed))
	}
	now := time.UnixMilli(1_790_000_000_000)
	f.Fuzz(func(t *testing.T, body []byte) {
		batch, _, err := partial.ParseScores(body, now)
		if err != nil {
			return
		}
		for i := range batch.Events {
			line, err := partial.AppendLine(nil, &batch.Events[i])
			if err != nil {
				t.Fatal(err)
			}
			logged, err := partial.ParseLines(line)
			if err != nil || len(logged) != 1 {
				t.Fatalf("%q: %v", line, err)
			}
			_, id := logged[0].Entity()
			want, _ := partial.MergeScore("p", id, batch.Events[i:i+1])
			got, tombstones := partial.MergeScore("p", id, logged)
			if diff := cmp.Diff(want, got); diff != "" || got == nil || len(tombstones) != 0 || got.ID == "" {
				t.Errorf("%s: %s", batch.Events[i].Body, diff)
			}
		}
	})
}

// An author is named by who takes the score in, and by no client; a config's number survives it.
func TestScoreAuthor(t *testing.T) {
	t.Parallel()
	const body = `[{"id":"a","traceId":"t","name":"n","value":1,"authorUserId":"eve"},{"id":"b","traceId":"t","name":"n","value":"good","configId":"c"}]`
	batch, _, err := partial.ParseScores([]byte(body), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	batch.Configure(map[string]*model.ScoreConfig{"c": {ID: "c", Name: "n", Type: model.Categorical, Categories: []model.ScoreCategory{{Label: "good", Value: 7}}}})
	for _, author := range []string{"", "ada"} {
		batch.NameAuthor(author)
		rows := mergedScores(batch.Events)
		if a, b := rows["a"], rows["b"]; a.AuthorUserID != author || b.AuthorUserID != author || b.Number != 7 || b.Text != "good" {
			t.Errorf("by %q: %+v, %+v", author, a, b)
		}
	}
}
