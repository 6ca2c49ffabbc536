package web_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/sondehq/sonde/internal/web"
)

const index = `<html><head><base href="/" /><meta name="sonde-nonce" content="__NONCE__" /></head></html>`

func built() fstest.MapFS {
	return fstest.MapFS{
		"index.html":             {Data: []byte(index)},
		"theme.js":               {Data: []byte("theme")},
		"robots.txt":             {Data: []byte("robots")},
		"assets/main-abc.js":     {Data: []byte("plain script")},
		"assets/main-abc.js.gz":  {Data: []byte("gzip form")},
		"assets/main-abc.js.br":  {Data: []byte("brotli form")},
		"assets/small-def.css":   {Data: []byte("style")},
		"assets/nested/deep.svg": {Data: []byte("picture")},
	}
}

func ask(t *testing.T, method, target string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	handler, err := web.New(built(), "/sonde")
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), method, target, nil)
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

func TestEveryAddressIsThePage(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"/", "/setup", "/project/p/traces/0af7", "/project/p/users/ada@example.com", "/project/p/prompts/a.b/c.js", "/index.html/x"} {
		w := ask(t, http.MethodGet, target)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `<base href="/sonde/" />`) {
			t.Errorf("%s: got %d %q, want the page", target, w.Code, w.Body)
		}
		if got := w.Header().Get("Cache-Control"); got != "no-cache" {
			t.Errorf("%s: Cache-Control is %q", target, got)
		}
	}
}

func TestPolicyHasTheNonceOfThePage(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 3 {
		w := ask(t, http.MethodGet, "/")
		in := regexp.MustCompile(`content="([A-Z2-7]{26})"`).FindStringSubmatch(w.Body.String())
		if in == nil {
			t.Fatalf("no nonce in %s", w.Body)
		}
		if seen[in[1]] {
			t.Fatalf("nonce %s came twice", in[1])
		}
		seen[in[1]] = true
		want := "default-src 'self'; script-src 'self'; style-src 'self' 'nonce-" + in[1] + "'; img-src 'self' data: blob:; " +
			"connect-src 'self'; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
		if got := w.Header().Get("Content-Security-Policy"); got != want {
			t.Errorf("got policy %q, want %q", got, want)
		}
		for name, value := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "X-Frame-Options": "DENY",
			"Cross-Origin-Opener-Policy": "same-origin", "Content-Type": "text/html; charset=utf-8",
		} {
			if got := w.Header().Get(name); got != value {
				t.Errorf("%s is %q, want %q", name, got, value)
			}
		}
	}
}

func TestFilesInTheFormThatIsAccepted(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]struct{ coding, body string }{
		"":                         {"", "plain script"},
		"identity":                 {"", "plain script"},
		"gzip":                     {"gzip", "gzip form"},
		"gzip, deflate, br, zstd":  {"br", "brotli form"},
		"br;q=0, gzip;q=0.5":       {"gzip", "gzip form"},
		"*":                        {"br", "brotli form"},
		"*;q=0":                    {"", "plain script"},
		"br;q=0, *":                {"gzip", "gzip form"},
		"x-gzip, brotli":           {"", "plain script"},
		"GZIP ; q=1":               {"gzip", "gzip form"},
		"gzip;q=0.000, br; q=0.00": {"", "plain script"},
	} {
		w := ask(t, http.MethodGet, "/assets/main-abc.js", "Accept-Encoding", accept)
		if got := w.Header().Get("Content-Encoding"); w.Code != http.StatusOK || got != want.coding || w.Body.String() != want.body {
			t.Errorf("%q: got %d %q %q, want %q %q", accept, w.Code, got, w.Body, want.coding, want.body)
		}
		if got := w.Header().Get("Vary"); got != "Accept-Encoding" {
			t.Errorf("%q: Vary is %q", accept, got)
		}
		if got := w.Header().Get("Content-Type"); got != "text/javascript; charset=utf-8" {
			t.Errorf("%q: Content-Type is %q", accept, got)
		}
	}
}

func TestCaching(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]string{
		"/assets/main-abc.js":     "public, max-age=31536000, immutable",
		"/assets/small-def.css":   "public, max-age=31536000, immutable",
		"/assets/nested/deep.svg": "public, max-age=31536000, immutable",
		"/theme.js":               "no-cache",
		"/robots.txt":             "no-cache",
	} {
		first := ask(t, http.MethodGet, target)
		if got := first.Header().Get("Cache-Control"); got != want {
			t.Errorf("%s: Cache-Control is %q, want %q", target, got, want)
		}
		again := ask(t, http.MethodGet, target, "If-None-Match", first.Header().Get("ETag"))
		if again.Code != http.StatusNotModified || again.Body.Len() > 0 {
			t.Errorf("%s: got %d with %d bytes for its own tag, want 304", target, again.Code, again.Body.Len())
		}
	}
	plain, packed := ask(t, http.MethodGet, "/assets/main-abc.js"), ask(t, http.MethodGet, "/assets/main-abc.js", "Accept-Encoding", "br")
	if plain.Header().Get("ETag") == packed.Header().Get("ETag") {
		t.Error("two forms of a file have one tag")
	}
}

func TestUnknownFilesAreNotThePage(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"/assets/old-123.js", "/assets/", "/assets/main-abc.js.br", "/favicon.ico", "/theme.js.gz", "/index.html"} {
		w := ask(t, http.MethodGet, target)
		if w.Code != http.StatusNotFound || strings.Contains(w.Body.String(), "<html>") {
			t.Errorf("%s: got %d %q, want 404", target, w.Code, w.Body)
		}
		if got := w.Header().Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: Cache-Control is %q", target, got)
		}
	}
}

func TestHeadHasNoBody(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"/", "/assets/main-abc.js", "/theme.js"} {
		get, head := ask(t, http.MethodGet, target, "Accept-Encoding", "gzip"), ask(t, http.MethodHead, target, "Accept-Encoding", "gzip")
		if head.Code != http.StatusOK || head.Body.Len() > 0 {
			t.Errorf("%s: HEAD got %d with %d bytes", target, head.Code, head.Body.Len())
		}
		if got, want := head.Header().Get("Content-Length"), get.Header().Get("Content-Length"); got != want || got == "" {
			t.Errorf("%s: HEAD says %q bytes, GET %q", target, got, want)
		}
	}
}

func TestBaseOfThePage(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"": `<base href="/" />`, "/": `<base href="/" />`, "/sonde": `<base href="/sonde/" />`, "/a/b/": `<base href="/a/b/" />`,
		`/"><script>`: `<base href="/&#34;&gt;&lt;script&gt;/" />`, "//evil.example": `<base href="/evil.example/" />`,
	} {
		handler, err := web.New(built(), base)
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("%q: got %s, want %s", base, w.Body, want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	strange := built()
	strange["assets/x.exe"] = &fstest.MapFile{Data: []byte("?")}
	for name, files := range map[string]fstest.MapFS{
		"no index":     {},
		"no nonce":     {"index.html": {Data: []byte(`<base href="/" />`)}},
		"no base":      {"index.html": {Data: []byte(`__NONCE__`)}},
		"unknown kind": strange,
	} {
		if _, err := web.New(files, ""); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
}
