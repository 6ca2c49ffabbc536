package bench

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/query"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

// recorder answers requests inside this process, by the same API on the same engine, to learn the
// statements that they make.
type recorder struct {
	store   *chstore.Store
	handler http.Handler
}

func newRecorder(node string) (*recorder, error) {
	store, err := chstore.Open(chstore.Config{Nodes: []string{node}})
	if err != nil {
		return nil, err
	}
	return &recorder{store: store, handler: api.New(api.Config{
		Auth: seededProject{}, Query: query.New(store), NoIngest: true, NoIntake: true,
	})}, nil
}

func (r *recorder) close() { r.store.Close() }

// record answers a question and returns its statements in the order in which they were made.
func (r *recorder) record(ctx context.Context, q question) ([]chstore.Statement, error) {
	var mu sync.Mutex
	var statements []chstore.Statement
	ctx = chstore.OnStatement(ctx, func(s chstore.Statement) {
		mu.Lock()
		defer mu.Unlock()
		statements = append(statements, s)
	})
	req, err := q.request(ctx, "")
	if err != nil {
		return nil, err
	}
	answer := statusOnly{header: http.Header{}}
	r.handler.ServeHTTP(&answer, req)
	if answer.status != http.StatusOK {
		return nil, fmt.Errorf("%s: %w", q, &refusedError{answer.status, beginning(answer.beginning)})
	}
	return statements, nil
}

// seededProject takes every caller for the seed's project: nobody can reach this API from outside.
type seededProject struct{}

// Authenticate implements api.Authenticator.
func (seededProject) Authenticate(context.Context, string) (auth.Principal, error) {
	return auth.Principal{Access: auth.Project, Scope: model.ScopeAll, Project: model.Project{ID: projectID}}, nil
}

// statusOnly is a response of which only the status and the beginning, for error messages, are kept.
type statusOnly struct {
	header    http.Header
	status    int
	beginning []byte
}

// Header implements http.ResponseWriter.
func (w *statusOnly) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *statusOnly) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

// Write implements http.ResponseWriter.
func (w *statusOnly) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	w.beginning = append(w.beginning, p[:min(len(p), beginningBytes-len(w.beginning))]...)
	return len(p), nil
}
