// Package llmtest is a provider of language models for tests. It speaks the three wire formats over real HTTP, and the
// model's name says how it behaves: well, slowly, or not as the format says.
package llmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Key is what the provider takes.
const Key = "sk-test-0123456789abcdef"

// Models that behave otherwise than "echo", which repeats the last message in words.
const (
	Echo     = "echo"
	Tools    = "tools"    // calls the first tool
	Refuses  = "refuses"  // 400 with a reason
	Limited  = "limited"  // 429
	Fails    = "fails"    // 500 without a body
	Unknown  = "unknown"  // 404
	Broken   = "broken"   // the stream ends in the middle
	Garbage  = "garbage"  // an event that is no JSON
	Complain = "complain" // an error as an event
	Blurts   = "blurts"   // an error as an event, with the headers of the request in it
	Silent   = "silent"   // begins and says no more
	Endless  = "endless"  // never stops talking
	Page     = "page"     // a page of HTML
	Moved    = "moved"    // a redirect
)

// Provider is a running server.
type Provider struct {
	URL string

	mu   sync.Mutex
	last Seen
	open int // answers under way
}

// Seen is a request as it came.
type Seen struct {
	Path   string
	Header http.Header
	Body   map[string]any
}

// New starts a provider that ends with the test.
func New(t testing.TB) *Provider {
	t.Helper()
	p := &Provider{}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	p.URL = server.URL
	return p
}

// Last is the request that came last.
func (p *Provider) Last() Seen {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

// Open is how many answers are under way.
func (p *Provider) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open
}

func (p *Provider) count(by int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open += by
}

// ServeHTTP implements http.Handler.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.count(1)
	defer p.count(-1)
	raw, _ := io.ReadAll(r.Body)
	body := map[string]any{}
	_ = json.Unmarshal(raw, &body)
	p.mu.Lock()
	p.last = Seen{r.URL.String(), r.Header.Clone(), body}
	p.mu.Unlock()

	speak, name := dialectOf(r.URL.Path, body)
	if speak == nil {
		http.NotFound(w, r)
		return
	}
	if !authorized(r.Header) {
		refuse(w, http.StatusUnauthorized, "Incorrect API key provided: "+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")+".")
		return
	}
	switch name {
	case Refuses:
		refuse(w, http.StatusBadRequest, "temperature is not for this model")
	case Limited:
		refuse(w, http.StatusTooManyRequests, "Rate limit reached")
	case Unknown:
		refuse(w, http.StatusNotFound, "no such model")
	case Fails:
		w.WriteHeader(http.StatusInternalServerError)
	case Page:
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<h1>Welcome</h1>")
	case Moved:
		http.Redirect(w, r, "http://169.254.169.254/", http.StatusTemporaryRedirect)
	default:
		stream(w, r, speak(name, body), name)
	}
}

func authorized(h http.Header) bool {
	return h.Get("Authorization") == "Bearer "+Key || h.Get("X-Api-Key") == Key || h.Get("X-Goog-Api-Key") == Key || h.Get("Api-Key") == Key
}

func refuse(w http.ResponseWriter, status int, says string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"message": says}})
}

// script is what a stream sends: its beginning, a way to say a word, and its end.
type script struct {
	begin []any
	words []string
	word  func(string) any
	end   []any
}

// stream sends a script as the model would.
func stream(w http.ResponseWriter, r *http.Request, s script, name string) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(event any) {
		text, ok := event.(string)
		if !ok {
			encoded, _ := json.Marshal(event)
			text = string(encoded)
		}
		_, _ = fmt.Fprintf(w, "data: %s\n\n", text)
		_ = http.NewResponseController(w).Flush()
	}
	for _, event := range s.begin {
		send(event)
	}
	for i, word := range s.words {
		send(s.word(word))
		switch {
		case i == 0 && name == Broken:
			return
		case i == 0 && name == Garbage:
			send("{no json")
			return
		case i == 0 && name == Complain:
			send(map[string]any{"type": "error", "error": map[string]string{"message": "Overloaded"}})
			return
		case i == 0 && name == Blurts:
			send(map[string]any{"error": map[string]string{"message": "your key " + r.Header.Get("Authorization") + " of " + r.Header.Get("X-Team")}})
			return
		case i == 0 && name == Silent:
			<-r.Context().Done()
			return
		}
	}
	for name == Endless && r.Context().Err() == nil {
		send(s.word(strings.Repeat("on and on ", 10_000)))
	}
	for _, event := range s.end {
		send(event)
	}
}

// wordsOf splits so that joined words are the text again.
func wordsOf(text string) []string { return strings.SplitAfter(text, " ") }
