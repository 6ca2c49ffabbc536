package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

const scores = "/api/public/v3/scores"

func (f *fakeStore) Scores(ctx context.Context, q tracestore.ScoreQuery) ([]*model.Score, error) {
	if f.err != nil {
		return nil, f.err
	}
	return f.Memory.Scores(ctx, q)
}

func score(project, id string, millis int, edits ...func(*model.Score)) *model.Score {
	s := &model.Score{
		ProjectID: project, ID: id, TraceID: "t1", Timestamp: noon.Add(time.Duration(millis) * time.Millisecond), Name: "accuracy",
		Type: model.Numeric, Source: model.FromAPI, Number: 0.5, Environment: "default",
		CreatedAt: noon.Add(time.Hour), Version: model.RowVersion(noon.Add(2*time.Hour), 0),
	}
	for _, edit := range edits {
		edit(s)
	}
	return s
}

func (f *fixture) insertScores(t testing.TB, scores ...*model.Score) {
	t.Helper()
	if err := f.store.InsertScores(t.Context(), scores); err != nil {
		t.Fatal(err)
	}
}

// everyKind is one score of each data type, and of each kind of subject.
func everyKind() []*model.Score {
	return []*model.Score{
		score("project-a", "numeric", 0, func(s *model.Score) {
			s.ObservationID, s.Comment, s.ConfigID = "o1", "well", "config"
			s.Metadata = []model.MetadataEntry{
				{Name: "judge", Value: strings.Repeat("v", 300), Type: model.MetadataString},
				{Name: "n", Value: "42", Type: model.MetadataNumber},
				{Name: "text", Value: "42", Type: model.MetadataString},
				{Name: "list", Value: `[1,"a"]`, Type: model.MetadataJSON},
				{Name: "yes", Value: "true", Type: model.MetadataBool},
				{Name: "none", Type: model.MetadataNull},
			}
		}),
		score("project-a", "boolean", -1, func(s *model.Score) {
			s.Type, s.Number, s.Text, s.TraceID, s.SessionID = model.Boolean, 1, "True", "", "session"
		}),
		score("project-a", "categorical", -2, func(s *model.Score) {
			s.Type, s.Number, s.Text, s.TraceID, s.ExperimentID, s.Source = model.Categorical, 3, "good", "", "experiment", model.FromEvaluation
			s.AuthorUserID, s.QueueID = "hidden", "hidden"
		}),
		score("project-a", "text", -3, func(s *model.Score) {
			s.Type, s.Text, s.Source, s.AuthorUserID, s.QueueID = model.TextScore, "fine <b>", model.FromAnnotation, "user", "queue"
		}),
		score("project-a", "correction", -4, func(s *model.Score) { s.Type, s.Number, s.Name = model.Correction, 0, "output" }),
	}
}

func TestScoreShape(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.insertScores(t, everyKind()...)
	// A value that JSON has no form for costs its own row only.
	f.insertScores(t, score("project-a", "not a number", 5, func(s *model.Score) { s.Number = math.NaN() }), score("project-a", "odd", 6, func(s *model.Score) { s.Type = "ODD" }))
	golden(t, "scores_core", printed(f.get(t, scores)))
	golden(t, "scores_all", printed(f.get(t, scores+"?fields=core,details,subject,annotation")))
}

func scoreIDs(t *testing.T, a answer) []string {
	t.Helper()
	if a.status != http.StatusOK {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	var page struct{ Data []struct{ ID string } }
	if err := json.Unmarshal([]byte(a.body), &page); err != nil {
		t.Fatal(err)
	}
	ids := []string{}
	for _, s := range page.Data {
		ids = append(ids, s.ID)
	}
	return ids
}

func TestScoreParameters(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.insertScores(t, everyKind()...)
	f.insertScores(t, score("project-b", "foreign", 0))
	for query, want := range map[string]string{
		"": "numeric boolean categorical text correction",
		"limit=&cursor=&fields=&name=&value=&valueMin=&fromTimestamp=&userId=&traceTags=": "numeric boolean categorical text correction",
		"id=text,%20numeric,":                                   "numeric text",
		"id=foreign":                                            "",
		"name=output":                                           "correction",
		"source=eval,Annotation":                                "categorical text",
		"dataType=Numeric,text":                                 "numeric text",
		"dataType=numeric,NUMERIC&value=0.5":                    "numeric",
		"environment=default&configId=config":                   "numeric",
		"queueId=queue":                                         "text",
		"authorUserId=user":                                     "text",
		"traceId=t1":                                            "numeric text correction",
		"traceId=t1&observationId=o1":                           "numeric",
		"sessionId=session":                                     "boolean",
		"experimentId=experiment":                               "categorical",
		"dataType=BOOLEAN&value=true":                           "boolean",
		"dataType=BOOLEAN&value=false":                          "",
		"dataType=CATEGORICAL&value=bad,good":                   "categorical",
		"dataType=CATEGORICAL&value=Good":                       "",
		"dataType=NUMERIC&value=.5":                             "numeric",
		"dataType=NUMERIC&value=5e-1,7":                         "numeric",
		"dataType=NUMERIC&valueMin=0.5&valueMax=0.5":            "numeric",
		"dataType=NUMERIC&valueMin=0.50001":                     "",
		"fromTimestamp=2026-05-01T12:00:00Z":                    "numeric",
		"toTimestamp=2026-05-01T12:00:00.000Z":                  "boolean categorical text correction",
		"fromTimestamp=2026-05-01&toTimestamp=2026-05-02":       "numeric boolean categorical text correction",
		"fromTimestamp=Fri,%2001%20May%202026%2012:00:00%20GMT": "numeric",
		"toTimestamp=2026":                                      "",
	} {
		got := strings.Join(scoreIDs(t, f.get(t, scores+"?"+query)), " ")
		if got != want {
			t.Errorf("%s gives %q, want %q", query, got, want)
		}
	}
}

func TestScoreErrorBodies(t *testing.T) {
	t.Parallel()
	for name, query := range map[string]string{
		"unknown":      "page=1&Name=x&filter=%5B%5D",
		"refused":      "userId=u&traceTags=a,b",
		"fields":       "fields=core,io,details,trace",
		"limit":        "limit=0",
		"limit_above":  "limit=101",
		"limit_text":   "limit=ten",
		"twice":        "name=a&name=b",
		"enums":        "source=api,web&dataType=number",
		"value":        "value=1",
		"value_text":   "value=x&dataType=TEXT",
		"value_two":    "value=1&dataType=NUMERIC,BOOLEAN",
		"value_number": "value=1,NaN,0x10,1e999&dataType=NUMERIC",
		"value_bool":   "value=1,TRUE&dataType=BOOLEAN",
		"range":        "valueMin=1&valueMax=Infinity",
		"range_type":   "valueMin=1&dataType=NUMERIC,TEXT",
		"times":        "fromTimestamp=yesterday&toTimestamp=2026-13-01",
		"subjects":     "traceId=a&sessionId=b&experimentId=c",
		"observation":  "observationId=o",
		"cursor":       "cursor=abc",
		"together":     "observationId=o&sessionId=s&experimentId=e&valueMax=1&value=2&limit=1000&fields=x&page=2&source=y&fromTimestamp=z",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			golden(t, "scores_error_"+name, printed(newFixture(t).get(t, scores+"?"+query)))
		})
	}
}

func TestScoreStoreErrors(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.store.err = fmt.Errorf("secret: %w", tracestore.ErrTooExpensive)
	golden(t, "scores_too_expensive", printed(f.get(t, scores)))
}

func TestScoreWalk(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var want, got []string
	for i := range 7 {
		id := fmt.Sprintf("s%d", i)
		f.insertScores(t, score("project-a", id, -i/2))
	}
	for _, i := range []int{1, 0, 3, 2, 5, 4, 6} {
		want = append(want, fmt.Sprintf("s%d", i))
	}
	cursor := ""
	for range 4 {
		a := f.get(t, scores+"?limit=2&cursor="+url.QueryEscape(cursor))
		got = append(got, scoreIDs(t, a)...)
		var page struct{ Meta map[string]any }
		if err := json.Unmarshal([]byte(a.body), &page); err != nil || page.Meta["limit"] != 2.0 {
			t.Fatalf("meta %v (%v), want the limit", page.Meta, err)
		}
		cursor, _ = page.Meta["cursor"].(string)
	}
	if diff := cmp.Diff(want, got); diff != "" || cursor != "" {
		t.Errorf("walk (-want +got):\n%s", diff)
	}
}

func TestScoreTenants(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.insertScores(t, score("project-a", "s", 0), score("project-b", "theirs", 1))
	a := f.send(t, request("GET", scores+"?traceId=t1", keyB, nil))
	if diff := cmp.Diff([]string{"theirs"}, scoreIDs(t, a)); diff != "" {
		t.Error(diff)
	}
	if a := f.send(t, request("GET", scores, scoresOnly, nil)); a.status != http.StatusForbidden {
		t.Errorf("a public key alone reads scores: %d", a.status)
	}
}

// FuzzScoreParameters: whatever is asked for, the answer is a page or a 400 that fits the description.
func FuzzScoreParameters(f *testing.F) {
	for _, seed := range []string{
		"", "limit=0", "limit=1&fields=core,details,subject,annotation", "dataType=numeric&value=1,2&valueMin=-1e5&valueMax=1e309",
		"dataType=BOOLEAN&value=true,0", "source=,api,&dataType=%00", "traceId=a&sessionId=b", "observationId=o&traceId=%ff",
		"fromTimestamp=2026-05-01&toTimestamp=Sat%20May%2002%202026", "cursor=eyJ2IjoxLCJ0IjoxLCJyIjoiYSIsImkiOiJiIn0", "userId=&traceTags=x", "%zz", ";;&=&",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		fx := newFixture(t)
		fx.insertScores(t, everyKind()...)
		fx.insertScores(t, score("project-b", "secret", 0))
		a := fx.send(t, rawQuery(request("GET", scores, keyA, nil), query))
		if a.status != http.StatusOK && a.status != http.StatusBadRequest {
			t.Errorf("status %d for %q", a.status, query)
		}
		if a.status == http.StatusOK && strings.Contains(a.body, `"secret"`) {
			t.Errorf("a score of another project for %q", query)
		}
	})
}
