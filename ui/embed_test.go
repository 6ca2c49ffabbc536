package ui_test

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/web"
	"github.com/sondehq/sonde/ui"
)

// Whatever was built, the program can serve it: the UI, or the page that stands in for it.
func TestFilesCanBeServed(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]fs.FS{"embedded": ui.Files(), "placeholder": ui.Placeholder()} {
		handler, err := web.New(files, "")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
		if body := w.Body.String(); w.Code != http.StatusOK || !strings.Contains(body, "<title>Sonde</title>") || strings.Contains(body, "__NONCE__") {
			t.Errorf("%s: got %d %s", name, w.Code, body)
		}
	}
}
