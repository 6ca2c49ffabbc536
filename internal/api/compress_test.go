package api_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/model"
)

func TestAnswersAreCompressed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.insert(t, row("project-a", "t", "long", 0, func(o *model.Observation) { o.Input = strings.Repeat("long ", 1000) }))
	for name, c := range map[string]struct {
		target, accepts string
		packed          bool
	}{
		"asked for":      {observations + "?fields=core,io", "br, gzip;q=0.5", true},
		"in capitals":    {observations + "?fields=core,io", "GZIP", true},
		"not asked for":  {observations + "?fields=core,io", "", false},
		"another coding": {observations + "?fields=core,io", "br, x-gzip", false},
		"forbidden":      {observations + "?fields=core,io", "gzip; q=0", false},
		"small":          {"/api/public/projects", "gzip", false},
		"an error":       {observations + "?limit=" + strings.Repeat("9", 2000), "gzip", false},
		"with a tag":     {"/api/public/observations/long/io?part=input", "gzip", false},
	} {
		plain, packed := httptest.NewRecorder(), httptest.NewRecorder()
		f.bare.ServeHTTP(plain, request(http.MethodGet, c.target, keyA, nil))
		r := request(http.MethodGet, c.target, keyA, nil)
		if c.accepts != "" {
			r.Header.Set("Accept-Encoding", c.accepts)
		}
		f.bare.ServeHTTP(packed, r)
		if got := packed.Header().Get("Content-Encoding") == "gzip"; got != c.packed {
			t.Errorf("%s: compressed is %v, want %v", name, got, c.packed)
			continue
		}
		body := io.Reader(packed.Body)
		if c.packed {
			var err error
			if body, err = gzip.NewReader(packed.Body); err != nil {
				t.Fatal(err)
			}
			if vary := strings.Join(packed.Header().Values("Vary"), ","); !strings.Contains(vary, "Accept-Encoding") || !strings.Contains(strings.Join(plain.Header().Values("Vary"), ","), "Accept-Encoding") {
				t.Errorf("%s: varies by %q", name, vary)
			}
		}
		text, err := io.ReadAll(body)
		if err != nil || string(text) != plain.Body.String() || packed.Code != plain.Code {
			t.Errorf("%s: %d with %d bytes, %v; want %d with %d", name, packed.Code, len(text), err, plain.Code, plain.Body.Len())
		}
	}
}
