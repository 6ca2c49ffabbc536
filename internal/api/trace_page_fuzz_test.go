package api_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/model"
)

// FuzzTracePage: whatever ranges, codings and parameters are asked for, the answer is one of those that are described and
// never shows another project.
func FuzzTracePage(f *testing.F) {
	for i, seed := range [][3]string{
		{"part=input", "bytes=0-3", "gzip"},
		{"part=input&traceId=t", "bytes=-1,3-", "gzip;q=0.001"},
		{"part=output", "bytes=9999999999999999999-", "*;q=x"},
		{"part=metadata", "bytes=", ";;,gzip;q="},
		{"q=in", "", ""},
		{"q=%ff%00'", "", "gzip;q=NaN"},
		{"ids=here,secret,,", "x", "gzip,gzip;q=0"},
		{"ids=here&fromStartTime=2026-05-01T12:00:00Z", "", "deflate"},
		{"%zz", "bytes=5-2", "identity"},
	} {
		f.Add(byte(i), seed[0], seed[1], seed[2])
	}
	paths := []string{"observations/here/io", "observations/secret/io", "traces/t/search", "traces/t/skeleton", "previews"}
	fx := newFixture(f)
	said := func(text string) func(*model.Observation) {
		return func(o *model.Observation) { o.Name, o.Input, o.Output = text, text, strings.Repeat(text, 400) }
	}
	fx.insert(f, row("project-a", "t", "here", 0, said("in")), row("project-b", "t", "secret", 0, said("zqx")))
	f.Fuzz(func(t *testing.T, which byte, query, span, coding string) {
		path := paths[int(which)%len(paths)]
		recorder := httptest.NewRecorder()
		fx.bare.ServeHTTP(recorder, rawQuery(request(http.MethodGet, "/api/public/"+path, keyA, nil, "Range", span, "Accept-Encoding", coding), query))
		if !slices.Contains([]int{200, 206, 400, 404, 416}, recorder.Code) {
			t.Errorf("status %d for %s?%q, range %q", recorder.Code, path, query, span)
		}
		if strings.Contains(recorder.Body.String(), "zqx") && !strings.Contains(query, "zqx") {
			t.Errorf("%s?%q shows another project", path, query)
		}
	})
}
