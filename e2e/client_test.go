package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/testkit"
)

const (
	tracesPath       = "/api/public/otel/v1/traces"
	observationsPath = "/api/public/v2/observations"
	everyGroup       = "core,basic,time,io,metadata,model,usage,prompt,metrics,trace_context"
)

// client talks to a server with the key of one project.
type client struct {
	t    *testing.T
	base string
	key  string // Authorization header
	grpc string // address of OTLP over gRPC
	http *http.Client
}

var description = struct {
	sync.Once
	*testkit.OpenAPI
}{}

// client returns one with the first project's key.
func (s *server) client() *client {
	s.t.Helper()
	return s.clientWith(basicAuth(publicKey, secretKey))
}

func (s *server) clientWith(key string) *client {
	s.t.Helper()
	description.Do(func() { description.OpenAPI = testkit.LoadOpenAPI(s.t, api.Description("")) })
	connections := &http.Transport{MaxIdleConnsPerHost: 8}
	s.t.Cleanup(connections.CloseIdleConnections)
	return &client{
		t: s.t, base: "http://" + s.listen, key: key, grpc: s.grpc,
		http: &http.Client{Timeout: 60 * time.Second, Transport: description.Transport(s.t, connections)},
	}
}

// addProject creates a second project beside the first, past the running server, and returns a
// client of it.
func (s *server) addProject(id string) *client {
	s.t.Helper()
	store := s.metadata()
	key := addProject(s.t, store, id)
	if err := store.Close(); err != nil {
		s.t.Fatal(err)
	}
	return s.clientWith(key)
}

func addProject(t *testing.T, store metastore.Store, id string) (authorization string) {
	t.Helper()
	first, err := store.KeyByPublic(t.Context(), publicKey)
	if err != nil {
		t.Fatal(err)
	}
	project := model.Project{ID: id, Name: "added " + id, Organization: first.Project.Organization}
	if err := store.CreateProject(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	public, secret := auth.NewKeyPair()
	salt, hash := auth.Hash(secret)
	key := model.Key{
		ID: uuid.NewString(), Project: project, PublicKey: public, SecretHash: hash, Salt: salt,
		Display: auth.Display(secret), Scope: model.ScopeAll, CreatedAt: time.Now().UTC(),
	}
	if err := store.CreateKey(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	return basicAuth(public, secret)
}

// answer is a response that was read to its end.
type answer struct {
	status int
	header http.Header
	body   string
}

func (a answer) err() error {
	if a.status != http.StatusOK {
		return fmt.Errorf("status %d: %.1000s", a.status, a.body)
	}
	return nil
}

func (c *client) do(method, target string, body []byte, headers ...string) (answer, error) {
	request, err := http.NewRequestWithContext(c.t.Context(), method, c.base+target, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	if c.key != "" {
		request.Header.Set("Authorization", c.key)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := c.http.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(text)}, err
}

// export sends spans; what comes back may be a refusal.
func (c *client) export(b body) (answer, error) {
	headers := []string{"Content-Type", b.contentType}
	if b.gzip {
		headers = append(headers, "Content-Encoding", "gzip")
	}
	return c.do(http.MethodPost, tracesPath, b.bytes, headers...)
}

// send sends spans that must be taken, all of them.
func (c *client) send(b body) {
	c.t.Helper()
	a, err := c.export(b)
	if err == nil {
		err = a.err()
	}
	if err == nil && strings.Contains(a.body, "partialSuccess") {
		err = fmt.Errorf("not all taken: %s", a.body)
	}
	if err != nil {
		c.t.Fatalf("send spans: %v", err)
	}
}

// row is the part of an observation that tests look at.
type row struct {
	ID        string    `json:"id"`
	TraceID   string    `json:"traceId"`
	ProjectID string    `json:"projectId"`
	StartTime time.Time `json:"startTime"`
	Name      string    `json:"name"`
	Input     string    `json:"input"`
	Output    string    `json:"output"`
}

func (r row) key() string { return r.TraceID + " " + r.ID }

type page struct {
	Data []row `json:"data"`
	Meta struct {
		Cursor string `json:"cursor"`
	} `json:"meta"`
}

func (c *client) observations(query url.Values) (page, error) {
	a, err := c.do(http.MethodGet, observationsPath+"?"+query.Encode(), nil)
	if err == nil {
		err = a.err()
	}
	if err != nil {
		return page{}, fmt.Errorf("read observations: %w", err)
	}
	var p page
	if err := json.Unmarshal([]byte(a.body), &p); err != nil {
		return page{}, fmt.Errorf("read observations: %w", err)
	}
	return p, nil
}

// walk follows cursors to the end and returns every row it was shown, in order.
func (c *client) walk(query url.Values, limit int) ([]row, error) {
	asked := url.Values{"limit": {strconv.Itoa(limit)}, "fields": {"core"}}
	maps.Copy(asked, query)
	var rows []row
	for {
		p, err := c.observations(asked)
		if err != nil {
			return nil, err
		}
		if len(p.Data) > limit {
			return nil, fmt.Errorf("a page of %d rows, limit was %d", len(p.Data), limit)
		}
		rows = append(rows, p.Data...)
		if p.Meta.Cursor == "" {
			return rows, nil
		}
		asked.Set("cursor", p.Meta.Cursor)
	}
}

// exactly says what differs between the rows of a walk and the spans that were sent: each must be
// there once, newest first, and nothing else. Spans whose sender got no answer may be there as well.
func exactly(rows []row, spans []span, unanswered ...span) error {
	want := make(map[string]bool, len(spans))
	for _, s := range spans {
		want[s.key()] = true
	}
	allowed := make(map[string]bool, len(unanswered))
	for _, s := range unanswered {
		allowed[s.key()] = true
	}
	seen := make(map[string]int, len(rows))
	var found, foreign, twice int
	for i, r := range rows {
		if i > 0 && r.StartTime.After(rows[i-1].StartTime) {
			return fmt.Errorf("row %d is newer than the one before it", i)
		}
		switch seen[r.key()]++; {
		case seen[r.key()] == 2:
			twice++
		case seen[r.key()] > 2:
		case want[r.key()]:
			found++
		case !allowed[r.key()]:
			foreign++
		}
	}
	if missing := len(want) - found; foreign+twice+missing > 0 {
		return fmt.Errorf("of %d spans %d are missing and %d there more than once; %d rows were never sent", len(want), missing, twice, foreign)
	}
	return nil
}

// shows checks at once that a walk gives exactly the spans, in pages large and small.
func (c *client) shows(spans []span, limits ...int) {
	c.t.Helper()
	for _, limit := range limits {
		rows, err := c.walk(nil, limit)
		if err == nil {
			err = exactly(rows, spans)
		}
		if err != nil {
			c.t.Errorf("pages of %d: %v", limit, err)
		}
	}
}

// showsWithin waits until a walk gives exactly the spans.
func (c *client) showsWithin(within time.Duration, spans []span, unanswered ...span) time.Duration {
	c.t.Helper()
	return eventually(c.t, within, "every span is readable, once", func() error {
		rows, err := c.walk(nil, 1000)
		if err != nil {
			return err
		}
		return exactly(rows, spans, unanswered...)
	})
}
