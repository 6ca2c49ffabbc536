package api

import (
	"bytes"
	"compress/gzip"
	_ "embed" // for the page
	"io"
	"net/http"
	"strings"

	swaggerui "github.com/swaggest/swgui/v5/static"

	"github.com/sondehq/sonde/internal/auth"
)

// docsRoutes are the routes of the interactive reference and of tools for agents.
func (s *server) docsRoutes() []route {
	return []route{
		{method: http.MethodGet, path: "/api/docs", handle: s.docs, open: true},
		{method: http.MethodGet, path: "/api/docs/{file}", handle: s.docsFile, open: true},
		{method: http.MethodPost, path: mcpPath, handle: s.callTools, fail: s.failTools, anyScope: true, keysOnly: true},
		{method: http.MethodGet, path: "/.well-known/mcp.json", handle: s.discovery, open: true},
	}
}

// docsPolicy lets the reference load its own files and call this server, and nothing else: a key that
// somebody types there can go nowhere else.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"

var (
	//go:embed docs/page.html
	docsPage string
	//go:embed docs/docs.css
	docsStyle string
	//go:embed docs/docs.js
	docsScript string
)

// docs serves GET /api/docs. Paths in the page begin where the API does.
func (s *server) docs(w http.ResponseWriter, _ *http.Request, _ auth.Principal) error {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", docsPolicy)
	h.Set("Cache-Control", "no-cache")
	_, _ = io.WriteString(w, strings.ReplaceAll(docsPage, "{{base}}", s.BasePath)) // an error means that the caller is gone
	return nil
}

// docsFiles are the files of the page by name. Those of Swagger UI are embedded compressed.
var docsFiles = map[string]struct{ kind, text, packed string }{
	"docs.css":             {kind: "text/css; charset=utf-8", text: docsStyle},
	"docs.js":              {kind: "text/javascript; charset=utf-8", text: docsScript},
	"swagger-ui.css":       {kind: "text/css; charset=utf-8", packed: "swagger-ui.css.gz"},
	"swagger-ui-bundle.js": {kind: "text/javascript; charset=utf-8", packed: "swagger-ui-bundle.js.gz"},
}

// docsFile serves GET /api/docs/{file}.
func (s *server) docsFile(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	file, found := docsFiles[r.PathValue("file")]
	if !found {
		s.notFound(w, r)
		return nil
	}
	h := w.Header()
	h.Set("Content-Type", file.kind)
	h.Set("Cache-Control", "public, max-age=3600")
	var content io.Reader = strings.NewReader(file.text)
	if file.packed != "" {
		packed, err := swaggerui.FS.ReadFile(file.packed)
		if err != nil {
			return err
		}
		h.Add("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			h.Set("Content-Encoding", "gzip")
			content = bytes.NewReader(packed)
		} else if content, err = gzip.NewReader(bytes.NewReader(packed)); err != nil {
			return err
		}
	}
	_, _ = io.Copy(w, content) //nolint:gosec // our own file; an error means that the caller is gone
	return nil
}
