package app

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/query"
	"github.com/sondehq/sonde/internal/testkit"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

// endlessReads has timelines that would keep the engine busy for hours.
type endlessReads struct{ *chstore.Store }

const endless = "SELECT toFloat64(count()) AS n FROM numbers(1000000000000) WHERE sipHash64(number) = 1"

func (s endlessReads) Timeline(ctx context.Context, _ tracestore.TimelineQuery) (tracestore.Timeline, error) {
	_, err := s.Number(ctx, endless)
	return tracestore.Timeline{}, err
}

func (s endlessReads) running(t *testing.T) bool {
	t.Helper()
	n, err := s.Number(t.Context(), "SELECT toFloat64(count()) AS n FROM system.processes WHERE query LIKE '%numbers(1000000000000)%' AND query NOT LIKE '%system.processes%'")
	if err != nil {
		t.Fatal(err)
	}
	return n > 0
}

type anyKey struct{}

func (anyKey) Authenticate(context.Context, string) (auth.Principal, error) {
	return auth.Principal{Access: auth.Project, Scope: model.ScopeRead, Project: model.Project{ID: "p"}}, nil
}

// DELETE /api/public/queries/{requestId} stops the statement in the engine, not only the wait for it.
func TestCanceledReadStopsInTheEngine(t *testing.T) {
	t.Parallel()
	store, err := chstore.Open(chstore.Config{Nodes: []string{testkit.Engine(t)}, ReadRows: 1 << 62})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	reads := endlessReads{store}
	handler := api.New(api.Config{Auth: anyKey{}, Query: query.New(reads), NoIngest: true, NoIntake: true})
	send := func(method, target string) *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), method, target, nil)
		r.Header.Set("X-Request-Id", "long-read")
		handler.ServeHTTP(answer, r)
		return answer
	}
	ended := make(chan *httptest.ResponseRecorder, 1)
	go func() {
		ended <- send(http.MethodGet, "/api/public/histogram?fromStartTime=2026-05-01T00:00:00Z&toStartTime=2026-05-02T00:00:00Z")
	}()
	until(t, "the statement runs", func() bool { return reads.running(t) })
	if answer := send(http.MethodDelete, "/api/public/queries/long-read"); answer.Code != http.StatusOK {
		t.Fatalf("cancel: %d %s", answer.Code, answer.Body)
	}
	if answer := <-ended; answer.Code != http.StatusUnprocessableEntity || !strings.Contains(answer.Body.String(), "canceled") {
		t.Errorf("the read: %d %s", answer.Code, answer.Body)
	}
	until(t, "the engine stopped it", func() bool { return !reads.running(t) })
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("not within 20 s: %s", what)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
