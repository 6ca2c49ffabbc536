package api_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/api"
)

// The page asks for its own files only, and each of them is there, under any base path.
func TestDocsStandAlone(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "/sonde"} {
		server := httptest.NewServer(api.New(api.Config{Auth: fakeAuth{}, BasePath: base}))
		t.Cleanup(server.Close)
		get := func(path string) (string, http.Header) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			text, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != http.StatusOK || len(text) == 0 {
				t.Fatalf("GET %s: %s, %d bytes, %v", path, resp.Status, len(text), err)
			}
			return string(text), resp.Header
		}
		page, header := get(base + "/api/docs")
		if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "http") {
			t.Errorf("policy %q", policy)
		}
		links := regexp.MustCompile(`(?:src|href|data-description)="([^"]*)"`).FindAllStringSubmatch(page, -1)
		if len(links) < 5 {
			t.Fatalf("%d links in %s", len(links), page)
		}
		for _, link := range links {
			if link[1] == "data:," {
				continue
			}
			if !strings.HasPrefix(link[1], base+"/api/") {
				t.Errorf("the page asks for %q", link[1])
				continue
			}
			get(link[1])
		}
	}
}

func TestDocsFilesForClientsWithoutGzip(t *testing.T) {
	t.Parallel()
	handler := api.New(api.Config{Auth: fakeAuth{}})
	for encoding, want := range map[string]string{"": "", "gzip, br": "gzip"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/docs/swagger-ui.css", http.NoBody)
		r.Header.Set("Accept-Encoding", encoding)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if got := w.Header().Get("Content-Encoding"); got != want || w.Code != http.StatusOK {
			t.Errorf("Accept-Encoding %q: %d, encoding %q, want %q", encoding, w.Code, got, want)
		}
		if plain := strings.Contains(w.Body.String(), ".swagger-ui"); plain != (want == "") {
			t.Errorf("Accept-Encoding %q: plain text %v", encoding, plain)
		}
	}
}
