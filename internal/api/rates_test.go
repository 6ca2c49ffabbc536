package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/ratelimit"
	"github.com/sondehq/sonde/internal/selfobs"
)

// limitedTo is an API whose projects may do so much, at a door that they pay at.
func limitedTo(t *testing.T, rates ratelimit.Rates) (*fixture, *ratelimit.Limiter) {
	t.Helper()
	limiter := ratelimit.New(rates, nil)
	return newFixture(t, func(c *api.Config) {
		c.Rates = limiter
		c.Door = ingest.NewDoor(ingest.Limits{MaxBodyBytes: api.DefaultMaxBodyBytes}, limiter.Open, selfobs.NewMetrics())
	}), limiter
}

// wantLimited checks the answer to somebody who asks too much.
func wantLimited(t *testing.T, got answer) {
	t.Helper()
	var body struct {
		Message, Code string
		Details       struct {
			RetryAfterSeconds, Remaining int
			Limit                        float64
			ResetAt                      time.Time
		}
	}
	if err := json.Unmarshal([]byte(got.body), &body); err != nil || got.status != http.StatusTooManyRequests {
		t.Fatalf("status %d, %v: %s", got.status, err, got.body)
	}
	h := got.header
	if body.Code != "rate_limited" || !strings.HasPrefix(body.Message, "Rate limit exceeded") || body.Details.RetryAfterSeconds < 1 || body.Details.Limit <= 0 ||
		body.Details.ResetAt.IsZero() || h.Get("Retry-After") == "" || h.Get("X-RateLimit-Limit") == "" || h.Get("X-RateLimit-Remaining") != "0" || h.Get("X-RateLimit-Reset") == "" {
		t.Errorf("%s, headers %v", got.body, h)
	}
}

func TestRequestsAreLimitedByProject(t *testing.T) {
	t.Parallel()
	f, _ := limitedTo(t, ratelimit.Rates{Requests: 0.001})
	if got := f.get(t, observations); got.status != http.StatusOK || got.header.Get("X-RateLimit-Limit") != "" {
		t.Fatalf("the first request: %d", got.status)
	}
	for _, target := range []string{observations, "/api/public/v3/scores", "/api/public/v2/evaluators"} {
		wantLimited(t, f.get(t, target))
	}
	if got := f.get(t, "/api/public/projects"); got.status != http.StatusOK {
		t.Errorf("the question by which clients check a key: %d", got.status)
	}
	if got := f.send(t, request("GET", observations, keyB, nil)); got.status != http.StatusOK {
		t.Errorf("another project: %d", got.status)
	}
	if got := f.send(t, request("GET", observations, "Basic eDp5", nil)); got.status != http.StatusUnauthorized {
		t.Errorf("a wrong key: %d", got.status)
	}
	if got := f.send(t, request("POST", traces, keyA, strings.NewReader(jsonSpan("")), "Content-Type", "application/json")); got.status != http.StatusOK {
		t.Errorf("what sends data in is not a request of this kind: %d", got.status)
	}
}

func TestIngestIsLimitedByWhatItSends(t *testing.T) {
	t.Parallel()
	f, limiter := limitedTo(t, ratelimit.Rates{Spans: 10})
	export := func(kind string) answer {
		return f.send(t, request("POST", traces, keyA, strings.NewReader(jsonSpan("")), "Content-Type", kind))
	}
	if got := export("application/json"); got.status != http.StatusOK {
		t.Fatalf("status %d", got.status)
	}
	limiter.Spend("project-a", 1000, 0)
	wantLimited(t, export("application/json"))
	wantLimited(t, f.send(t, request("POST", ingestion, keyA, strings.NewReader(`{"batch":[]}`), "Content-Type", "application/json")))
	if got := export("application/x-protobuf"); got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" || got.body[:2] != "\x08\x08" {
		t.Errorf("in protobuf: %d %q", got.status, got.body)
	}
	if got := f.get(t, observations); got.status != http.StatusOK {
		t.Errorf("reads: %d", got.status)
	}
}
