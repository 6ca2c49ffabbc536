package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/testkit"
)

// plantRatings gives traces a yes or no by two people, who agree on three of four.
func plantRatings(t *testing.T, f *fixture) {
	t.Helper()
	for i, given := range [][2]float64{{1, 1}, {0, 0}, {1, 0}, {1, 1}} {
		for person, number := range given {
			f.insertScores(t, score("project-a", fmt.Sprint("s", i, person), i, func(s *model.Score) {
				s.Type, s.Source, s.Name, s.Number = model.Boolean, model.FromAnnotation, "helpful", number
				s.TraceID, s.AuthorUserID = fmt.Sprint("t", i), []string{"ada", "zoe"}[person]
			}))
		}
	}
}

func by(author string) string {
	return url.QueryEscape(`[{"type":"string","column":"authorUserId","operator":"=","value":"` + author + `"}]`)
}

func TestScoreAnalytics(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	plantRatings(t, f)
	within := "fromTimestamp=" + noon.Format(time.RFC3339) + "&toTimestamp=" + noon.Add(time.Hour).Format(time.RFC3339)
	for name, target := range map[string]string{
		"score_kinds":     "/api/public/score-kinds?" + within,
		"score_analytics": "/api/public/score-analytics?" + within + "&buckets=2&a=" + by("ada") + "&b=" + by("zoe"),
	} {
		got := f.send(t, request("GET", target, keyA, nil))
		if got.status != http.StatusOK {
			t.Fatalf("%s: status %d: %s", name, got.status, got.body)
		}
		testkit.Golden(t, "testdata/"+name+".json", []byte(got.body+"\n"))
	}
	for _, query := range []string{"", within, "a=" + by("ada"), within + "&a=x", within + "&buckets=0&a=" + by("ada"), within + "&a=" + by("ada") + "&b=[1]"} {
		if got := f.send(t, request("GET", "/api/public/score-analytics?"+query, keyA, nil)); got.status != http.StatusBadRequest {
			t.Errorf("%s: status %d: %s", query, got.status, got.body)
		}
	}
	if got := f.send(t, request("GET", "/api/public/score-kinds?"+within+"&limit=501", keyA, nil)); got.status != http.StatusBadRequest {
		t.Errorf("too many kinds: status %d", got.status)
	}
}

// The filter of scores is the language of all lists; a column in it takes the place of its own parameter.
func TestScoresByFilter(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	plantRatings(t, f)
	for filter, want := range map[string]int{
		`[]`: 8, `[{"type":"number","column":"value","operator":"<","value":0.5}]`: 3,
		`[{"type":"string","column":"authorUserId","operator":"=","value":"zoe"}]`:                     4,
		`[{"type":"stringOptions","column":"name","operator":"none of","value":["helpful"]}]`:          0,
		`[{"type":"stringOptions","column":"traceId","operator":"any of","value":["t0","t2"]}]`:        4,
		`[{"type":"datetime","column":"timestamp","operator":">","value":"2026-05-01T12:00:00.001Z"}]`: 4,
	} {
		_, got := f.call(t, "GET", scores+"?traceId=t1,t0,t2,t3&filter="+url.QueryEscape(filter), keyA, "")
		if rows, ok := got["data"].([]any); !ok || len(rows) != want {
			t.Errorf("%s: %d scores, want %d", filter, len(rows), want)
		}
	}
	for _, filter := range []string{"{", `[{"type":"number","column":"name","operator":"<","value":1}]`, `[{"type":"string","column":"userId","operator":"=","value":"u"}]`} {
		if a, _ := f.call(t, "GET", scores+"?filter="+url.QueryEscape(filter), keyA, ""); a.status != http.StatusBadRequest {
			t.Errorf("%s: status %d", filter, a.status)
		}
	}
}
