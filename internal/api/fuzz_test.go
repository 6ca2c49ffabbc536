package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
)

// FuzzQueryString: whatever is asked for, the answer is a page or a 400 that fits the description.
func FuzzQueryString(f *testing.F) {
	for _, seed := range []string{
		"", "limit=0", "limit=-5", "fields=" + allGroups, "fromStartTime=2026-05-01T12:00:00Z", "toStartTime=9999-12-31T23:59:59Z",
		"name=%00%ff", "environment=a,b&environment=c", "filter=%5B%7B%7D%5D", "type=SPAN&level=ERROR&isRootObservation=true",
		"cursor=eyJ2IjoxLCJ0IjoxLCJyIjoiYSIsImkiOiJiIn0", "expandMetadata=a.b,c&fields=metadata", "%zz", ";;&=&", "userId=&sessionId=",
		"traceId=t&filter=" + url.QueryEscape(`[{"type":"stringOptions","column":"traceEnvironment","operator":"none of","value":["a",""]}]`),
		"filter=" + url.QueryEscape(`[{"type":"datetime","column":"Start Time","operator":">=","value":"May 1, 2026"}]`),
		"search=line&searchIn=output", "search=%5B&searchMode=regex", "search=%00%ff&searchMode=phrase&searchIn=input,,output", "search=a&search=b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		fx := newFixture(t)
		fx.insert(t, fullRow("project-a", "full"), row("project-a", "t", "bare", 0), row("project-b", "t", "secret", 0))
		a := fx.send(t, rawQuery(request("GET", observations, keyA, nil), query))
		if a.status != http.StatusOK && a.status != http.StatusBadRequest {
			t.Errorf("status %d for %q", a.status, query)
		}
		if a.status == http.StatusOK && strings.Contains(a.body, `"secret"`) {
			t.Errorf("a row of another project for %q", query)
		}
	})
}

// FuzzCursor: a cursor places the walk or is refused; it never breaks it.
func FuzzCursor(f *testing.F) {
	for _, seed := range []string{
		"", "x", "e30", "bnVsbA", "W10", filter.EncodeCursor(filter.Position{StartTime: noon, TraceID: "t", ID: "s5"}),
		filter.EncodeCursor(filter.Position{ID: "x"}), "eyJ2IjoxLCJ0Ijo5MjIzMzcyMDM2ODU0Nzc1ODA3LCJyIjoiIiwiaSI6ImEifQ",
		"eyJ2IjoxLCJ0IjotOTIyMzM3MjAzNjg1NDc3NTgwOCwiciI6IiIsImkiOiJhIn0", "eyJ2IjoyfQ",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cursor string) {
		fx := newFixture(t)
		rows := []*model.Observation{row("project-a", "t", "s1", 1), row("project-a", "t", "s2", 2), row("project-a", "t", "s3", 3)}
		fx.insert(t, rows...)
		a := fx.get(t, observations+"?limit=2&cursor="+url.QueryEscape(cursor))
		if a.status == http.StatusBadRequest {
			return
		}
		ids := decodePage(t, a).ids()
		if full := "s3 s2 s1"; !strings.Contains(full, strings.Join(ids, " ")) {
			t.Errorf("cursor %q gives %q", cursor, ids)
		}
	})
}
