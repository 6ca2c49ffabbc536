package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// send posts one body, compressed when it is, and returns how long the acknowledgement took. A status other than 200 is
// an error; the body was then not acknowledged.
func (s *server) send(ctx context.Context, b *body, public, secret string) (time.Duration, error) {
	content := b.compressed
	if content == nil {
		content = b.plain
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/api/public/otel/v1/traces", bytes.NewReader(content))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	if b.compressed != nil {
		req.Header.Set("Content-Encoding", "gzip")
	}
	req.Header.Set("X-Langfuse-Ingestion-Version", "4")
	req.SetBasicAuth(public, secret)
	began := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 4096))
	if err != nil {
		return 0, err
	}
	if resp.StatusCode != http.StatusOK {
		return 0, &refusedError{resp.StatusCode, string(text)}
	}
	return time.Since(began), nil
}

// refusedError is an answer other than 200.
type refusedError struct {
	status int
	text   string
}

func (e *refusedError) Error() string { return fmt.Sprintf("status %d: %s", e.status, e.text) }

// page is one answer of the observations API.
type page struct {
	Data []struct {
		ID      string `json:"id"`
		TraceID string `json:"traceId"`
	} `json:"data"`
	Meta struct {
		Cursor string `json:"cursor"`
	} `json:"meta"`
}

func (s *server) observations(ctx context.Context, query url.Values) (page, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/api/public/v2/observations?"+query.Encode(), nil)
	if err != nil {
		return page{}, err
	}
	req.SetBasicAuth(s.key.public, s.key.secret)
	resp, err := client.Do(req)
	if err != nil {
		return page{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1024)) // part of an error message
		return page{}, fmt.Errorf("read observations: status %d: %s", resp.StatusCode, text)
	}
	var p page
	if err := json.NewDecoder(resp.Body).Decode(&p); err != nil {
		return page{}, fmt.Errorf("read observations: %w", err)
	}
	return p, nil
}

// walk pages through everything that matches and counts each row by trace and id.
func (s *server) walk(ctx context.Context, query url.Values) (map[string]int, error) {
	seen := map[string]int{}
	query.Set("fields", "core")
	query.Set("limit", "1000")
	for {
		p, err := s.observations(ctx, query)
		if err != nil {
			return nil, err
		}
		for _, row := range p.Data {
			seen[row.TraceID+row.ID]++
		}
		if p.Meta.Cursor == "" {
			return seen, nil
		}
		query.Set("cursor", p.Meta.Cursor)
	}
}

// readable reports whether the last span of a body has come out of the API.
func (s *server) readable(ctx context.Context, b *body) (bool, error) {
	last := b.ids[len(b.ids)-1]
	p, err := s.observations(ctx, url.Values{"traceId": {b.lastTrace}, "fields": {"core"}, "limit": {"1000"}})
	if err != nil {
		return false, err
	}
	for _, row := range p.Data {
		if row.TraceID+row.ID == last {
			return true, nil
		}
	}
	return false, nil
}

// metric reads one number from the server's own metrics.
func (s *server) metric(ctx context.Context, name string) (float64, error) {
	var text bytes.Buffer
	status, err := get(ctx, s.metrics+"/metrics", &text)
	if err != nil || status != http.StatusOK {
		return 0, fmt.Errorf("read metrics: status %d: %w", status, err)
	}
	for line := range strings.Lines(text.String()) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return 0, fmt.Errorf("there is no metric %s", name)
}

// percentile of unsorted durations, in milliseconds.
func percentile(list []time.Duration, p float64) float64 {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	at := sorted[min(len(sorted)-1, int(p*float64(len(sorted))))]
	return float64(at.Microseconds()) / 1000
}
