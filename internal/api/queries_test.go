package api_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/query"
	"github.com/sondehq/sonde/internal/tracestore"
)

// endlessStore has reads that end when they are canceled only.
type endlessStore struct {
	fakeStore
	began chan struct{}
}

func (s *endlessStore) Timeline(ctx context.Context, _ tracestore.TimelineQuery) (tracestore.Timeline, error) {
	s.began <- struct{}{}
	<-ctx.Done()
	return tracestore.Timeline{}, ctx.Err()
}

const queries = "/api/public/queries/"

func (f *fixture) cancel(t *testing.T, id, key string) answer {
	t.Helper()
	return f.send(t, request(http.MethodDelete, queries+id, key, nil))
}

// A read ends when its project cancels it by the id that it chose, and by nobody else's word.
func TestCancelRead(t *testing.T) {
	t.Parallel()
	store := &endlessStore{began: make(chan struct{})}
	f := newFixture(t, func(c *api.Config) { c.Query = query.New(store) })
	answers := make(chan answer, 2)
	for range 2 { // of the same id
		go func() {
			answers <- f.send(t, request(http.MethodGet, "/api/public/histogram?"+rangeOfMay, keyA, nil, "X-Request-Id", "mine"))
		}()
		<-store.began
	}
	if a := f.cancel(t, "mine", keyB); a.status != http.StatusNotFound {
		t.Errorf("another project: %d %s", a.status, a.body)
	}
	if a := f.cancel(t, "other", keyA); a.status != http.StatusNotFound {
		t.Errorf("another id: %d %s", a.status, a.body)
	}
	if a := f.cancel(t, "mine", keyA); a.status != http.StatusOK || !strings.Contains(a.body, `"canceled":2`) {
		t.Errorf("cancel: %d %s", a.status, a.body)
	}
	for range 2 {
		if a := <-answers; a.status != http.StatusUnprocessableEntity || !strings.Contains(a.body, "RequestCanceledError") {
			t.Errorf("canceled read: %d %s", a.status, a.body)
		}
	}
	if a := f.cancel(t, "mine", keyA); a.status != http.StatusNotFound {
		t.Errorf("after its end: %d %s", a.status, a.body)
	}
}
