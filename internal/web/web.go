// Package web serves the pages of the UI and the files they are made of.
//
// It knows nothing of what they show: a page is the same bytes for everyone, and asks the API for
// the rest. Every answer comes from memory.
package web

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

const (
	// indexName is the page behind every address; the script in it shows the right one.
	indexName = "index.html"
	// hashedFolder holds files whose names change with their content.
	hashedFolder = "assets/"
	// nonceMark stands in the index for the nonce of the answer.
	nonceMark = "__NONCE__"
	// baseMark is the element of the index that says where the UI lives.
	baseMark = `<base href="/" />`
)

// Handler answers GET and HEAD below the base path, which the caller has taken off.
type Handler struct {
	index string // with its base, but without its nonce
	files map[string]file
}

// New reads all files. Base is the path under which browsers reach the UI, such as "/sonde"; it is
// not always that of the requests, as a proxy may take a part off.
func New(files fs.FS, base string) (*Handler, error) {
	index, err := fs.ReadFile(files, indexName)
	if err != nil {
		return nil, fmt.Errorf("read the index of the UI: %w", err)
	}
	if !bytes.Contains(index, []byte(baseMark)) || !bytes.Contains(index, []byte(nonceMark)) {
		return nil, fmt.Errorf("the index of the UI must have %s and %s", baseMark, nonceMark)
	}
	h := &Handler{index: withBase(string(index), base)}
	h.files, err = readFiles(files)
	return h, err
}

func withBase(index, base string) string {
	href := htmlAttribute.Replace("/" + strings.Trim(base, "/") + "/")
	if strings.Trim(base, "/") == "" {
		href = "/"
	}
	return strings.Replace(index, baseMark, `<base href="`+href+`" />`, 1)
}

// htmlAttribute makes a text safe between double quotes.
var htmlAttribute = strings.NewReplacer("&", "&amp;", `"`, "&#34;", "<", "&lt;", ">", "&gt;")

// ServeHTTP answers with a file when there is one of that name, else with the index.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if f, found := h.files[name]; found {
		serveFile(w, r, name, f)
		return
	}
	if isFileName(name) {
		// Never the index: a browser would take it for a script, and a cache would keep it.
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, "There is no such file.", http.StatusNotFound)
		return
	}
	h.servePage(w, r)
}

// isFileName tells the name of a file from a page's address: pages at the root have no dot, those
// below may have ids with one.
func isFileName(name string) bool {
	return strings.HasPrefix(name, hashedFolder) || !strings.Contains(name, "/") && path.Ext(name) != ""
}

func (h *Handler) servePage(w http.ResponseWriter, r *http.Request) {
	nonce := rand.Text()
	page := strings.ReplaceAll(h.index, nonceMark, nonce)
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", "no-cache")
	header.Set("Content-Security-Policy", policy(nonce))
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Referrer-Policy", "same-origin") // addresses carry ids
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Content-Length", strconv.Itoa(len(page)))
	if r.Method != http.MethodHead {
		_, _ = w.Write([]byte(page)) // an error means that the caller is gone
	}
}

// policy lets a page run our scripts, talk to this server and nothing else. The nonce is for style
// elements that libraries make: the scroll lock of dialogs, the styles of the editor. The page has
// a <base>, so that is held to our origin rather than forbidden.
func policy(nonce string) string {
	return "default-src 'self'; script-src 'self'; style-src 'self' 'nonce-" + nonce + "'; img-src 'self' data: blob:; " +
		"connect-src 'self'; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
}

func serveFile(w http.ResponseWriter, r *http.Request, name string, f file) {
	coding, content := f.best(r.Header.Get("Accept-Encoding"))
	header := w.Header()
	header.Set("Content-Type", f.kind)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("ETag", `"`+f.hash+coding+`"`)
	if strings.HasPrefix(name, hashedFolder) {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		header.Set("Cache-Control", "no-cache")
	}
	if f.packed() {
		header.Add("Vary", "Accept-Encoding")
	}
	if coding != "" {
		header.Set("Content-Encoding", coding)
		header.Set("Content-Length", strconv.Itoa(len(content)))
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}
