package e2e_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// page fetches what a browser would, without a key.
func (s *server) page(target string) (status int, header http.Header, body string) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, "http://"+s.listen+target, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	response, err := probe.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(text)
}

// TestPages asks the program for pages: behind a proxy that takes off a part of the path, the page
// says where the browser finds the rest.
func TestPages(t *testing.T) {
	t.Parallel()
	s := startNode(t, "--public-url", "https://example.com/tools/sonde")
	for _, target := range []string{"/", "/project/p/traces"} {
		status, header, body := s.page(target)
		if status != http.StatusOK || !strings.Contains(body, `<base href="/tools/sonde/" />`) {
			t.Errorf("%s: got %d %s", target, status, body)
		}
		if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "script-src 'self';") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: policy is %q", target, policy)
		}
		if header.Get("X-Request-Id") == "" {
			t.Errorf("%s: no request id", target)
		}
	}
	if status, header, _ := s.page("/api/nothing"); status != http.StatusNotFound || !strings.HasPrefix(header.Get("Content-Type"), "application/json") {
		t.Errorf("got %d %s, want the API's 404", status, header.Get("Content-Type"))
	}
}
