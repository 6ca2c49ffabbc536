package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
)

const (
	sendTimeout = time.Minute
	// patience is how often a request is sent again that the server had no room for.
	patience  = 20
	maxAnswer = 64 << 10
)

type client struct {
	http                  http.Client
	base, public, private string
}

func newClient(c Config) *client {
	return &client{http: http.Client{Timeout: sendTimeout}, base: strings.TrimRight(c.URL, "/"), public: c.PublicKey, private: c.SecretKey}
}

// sendSpans sends one export request.
func (c *client) sendSpans(ctx context.Context, spans []*span) error {
	list := make([]map[string]any, len(spans))
	for i, s := range spans {
		list[i] = s.json()
	}
	return c.postPacked(ctx, "/api/public/otel/v1/traces", map[string]any{
		"resourceSpans": []any{map[string]any{
			"resource": map[string]any{"attributes": attributeList(map[string]any{"service.name": "acme-assistant"})},
			"scopeSpans": []any{map[string]any{
				"scope": map[string]any{"name": "sonde-demo", "version": "1"},
				"spans": list,
			}},
		}},
	})
}

// postPacked compresses what may be large.
func (c *client) postPacked(ctx context.Context, path string, body any) error {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if err := json.NewEncoder(z).Encode(body); err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("compress: %w", err)
	}
	_, err := c.send(ctx, http.MethodPost, path, packed.Bytes(), "gzip")
	return err
}

func (c *client) post(ctx context.Context, path string, body any) error {
	_, err := c.send(ctx, http.MethodPost, path, []byte(jsonText(body)), "identity")
	return err
}

// create posts what gets an id from the server, and returns the id.
func (c *client) create(ctx context.Context, path string, body any) (string, error) {
	answer, err := c.send(ctx, http.MethodPost, path, []byte(jsonText(body)), "identity")
	if err != nil {
		return "", err
	}
	var made struct{ ID string }
	if err := json.Unmarshal(answer, &made); err != nil {
		return "", fmt.Errorf("POST %s: the answer is not what it should be: %w", path, err)
	}
	return made.ID, nil
}

// send waits while the server has no room for a body.
func (c *client) send(ctx context.Context, method, path string, body []byte, encoding string) (answer []byte, err error) {
	for attempt := 0; ; attempt++ {
		answer, wait, err := c.try(ctx, method, path, body, encoding)
		if err == nil || wait == 0 || attempt == patience {
			return answer, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// try sends once. A wait says that the same may be sent again after it.
func (c *client) try(ctx context.Context, method, path string, body []byte, encoding string) (answer []byte, wait time.Duration, err error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, 0, fmt.Errorf("%s is no address: %w", c.base, err)
	}
	request.SetBasicAuth(c.public, c.private)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Content-Encoding", encoding)
	response, err := c.http.Do(request)
	if err != nil {
		return nil, 0, fmt.Errorf("the server does not answer; is it running at %s? %w", c.base, err)
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	switch {
	case response.StatusCode < http.StatusMultipleChoices:
		return answer, 0, err
	case response.StatusCode == http.StatusServiceUnavailable || response.StatusCode == http.StatusTooManyRequests:
		return nil, time.Second, fmt.Errorf("%s %s: %s: %s", method, path, response.Status, answer)
	case response.StatusCode == http.StatusUnauthorized:
		return nil, 0, fmt.Errorf("the server refuses the keys: %s", answer)
	}
	return nil, 0, fmt.Errorf("%s %s: %s: %s", method, path, response.Status, answer)
}
