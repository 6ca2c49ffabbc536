package api

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/mcp"
)

// mcpPath is where agents find their tools.
const mcpPath = "/api/public/mcp"

// maxMCPBody bounds a request of an agent: as much as the largest body of a tool, and its wrapping.
const maxMCPBody = 5 << 20

// newTools makes the API's own operations tools when they are first asked for; requests go to api.
func (s *server) newTools(api http.Handler) func() http.Handler {
	return sync.OnceValue(func() http.Handler {
		tools, err := mcp.Handler(description, s.Version, s.BasePath, api)
		if err != nil {
			panic(err) // the description is part of the program, and tests read it
		}
		return tools
	})
}

// callTools serves POST /api/public/mcp.
func (s *server) callTools(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	if err := s.sameSite(r); err != nil {
		return err
	}
	accept := r.Header.Get("Accept")
	if accept != "" && !accepts(accept, "application/json") && !accepts(accept, "text/event-stream") {
		return refusal{http.StatusNotAcceptable, "not_acceptable", "Send the header Accept: application/json, text/event-stream"}
	}
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); strings.TrimSpace(kind) != "application/json" {
		return refusal{http.StatusUnsupportedMediaType, "unsupported_media_type", "Send the header Content-Type: application/json"}
	}
	r.Header.Set("Accept", "application/json, text/event-stream") // the library wants both
	r.Body = http.MaxBytesReader(w, r.Body, maxMCPBody)
	s.tools().ServeHTTP(w, r)
	return nil
}

func accepts(header, kind string) bool {
	major, _, _ := strings.Cut(kind, "/")
	for part := range strings.SplitSeq(header, ",") {
		got, _, _ := strings.Cut(part, ";")
		switch strings.TrimSpace(got) {
		case kind, "*/*", major + "/*":
			return true
		}
	}
	return false
}

// sameSite refuses a page of another site, and a host that is not the one that clients are told.
func (s *server) sameSite(r *http.Request) error {
	hosts := []string{r.Host}
	if public, err := url.Parse(s.PublicURL); err == nil && public.Host != "" {
		hosts = append(hosts, public.Host)
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return nil
	}
	from, err := url.Parse(origin)
	if err == nil {
		for _, host := range hosts {
			if strings.EqualFold(from.Host, host) {
				return nil
			}
		}
	}
	return fault.New(fault.Forbidden, "Pages of %q may not call tools here", origin)
}

// failTools writes errors outside of the protocol.
func (s *server) failTools(w http.ResponseWriter, r *http.Request, err error) {
	status, body := describe(err)
	if status == http.StatusInternalServerError {
		s.fail(w, r, err)
		return
	}
	code := fmt.Sprint(body.Error)
	if body.Error == nil {
		code = http.StatusText(status)
	}
	writeJSON(w, status, map[string]string{"error": body.Message, "code": code})
}

type discoveryBody struct {
	Name        string            `json:"name"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Version     string            `json:"version"`
	Remotes     []discoveryRemote `json:"remotes"`
}

type discoveryRemote struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

// discovery serves GET /.well-known/mcp.json.
func (s *server) discovery(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	writeJSON(w, http.StatusOK, discoveryBody{
		Name: "sonde", Title: "Sonde", Description: "Traces, scores, prompts, datasets and experiments of LLM applications.",
		Version: s.Version, Remotes: []discoveryRemote{{Type: "streamable-http", URL: s.baseURL(r) + mcpPath}},
	})
	return nil
}
