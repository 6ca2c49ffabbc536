package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// FuzzDeprecatedQueries: whatever is asked for, the answer is a page or a 400 that fits the description.
func FuzzDeprecatedQueries(f *testing.F) {
	for i, seed := range []string{
		"", "page=2&limit=1", "page=99999999999999999999", "limit=-1", "orderBy=name.asc", "fields=core,io", "tags=a,b&tags=%00", "userId=%ff&name='",
		"fromTimestamp=2026-05-01T12:00:00Z&toTimestamp=9999-12-31T23:59:59Z", "value=1e400&operator=<", "value=NaN", "scoreIds=,,a&dataType=NUMERIC",
		"filter=" + url.QueryEscape(`[{"type":"numberObject","column":"metadata","operator":">","key":"k","value":1}]`), "traceTags=x&fields=score",
		"query=" + url.QueryEscape(`{"view":"traces","metrics":[{"measure":"count","aggregation":"histogram"}],"dimensions":[{"field":"tags"}],"fromTimestamp":"2026-05-01T00:00:00Z","toTimestamp":"2026-05-02T00:00:00Z"}`),
		"%zz", ";;&=&", "type=SPAN&level=ERROR&version=", "environment=a,b&environment=c",
	} {
		f.Add(byte(i), seed)
	}
	paths := []string{"traces", "observations", "sessions", "scores", "v2/scores", "metrics", "metrics/daily", "traces/t", "sessions/s", "observations/bare"}
	f.Fuzz(func(t *testing.T, which byte, query string) {
		fx := newFixture(t)
		fx.insert(t, fullRow("project-a", "full"), row("project-a", "t", "bare", 0), row("project-b", "t", "secret", 0))
		for _, path := range []string{paths[int(which)%len(paths)], paths[int(which+1)%len(paths)]} {
			a := fx.send(t, rawQuery(request("GET", "/api/public/"+path, keyA, nil), query))
			if a.status != http.StatusOK && a.status != http.StatusBadRequest && a.status != http.StatusNotFound {
				t.Errorf("status %d for %s?%q", a.status, path, query)
			}
			if a.status == http.StatusOK && strings.Contains(a.body, `"secret"`) {
				t.Errorf("a row of another project for %s?%q", path, query)
			}
		}
	})
}
