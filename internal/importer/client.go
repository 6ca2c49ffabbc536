package importer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Server is one side of an import: an address and the keys of a project there.
type Server struct{ URL, PublicKey, SecretKey string }

const (
	requestWithin = 5 * time.Minute
	// patience is how long one request is tried again before the import gives up; it can be resumed then.
	patience  = 15 * time.Minute
	firstWait = 500 * time.Millisecond
	longest   = time.Minute
	maxAnswer = 64 << 20
	maxText   = 500 // bytes of a refusal that are shown
)

// client talks to one of the two servers, and waits when it is told to or when the server is away.
type client struct {
	server   Server
	http     *http.Client
	patience time.Duration
	waiting  func(reason string, wait time.Duration)
	met      bool // it answered once, so the address is right
}

func newClient(s Server, waiting func(string, time.Duration)) *client {
	s.URL = strings.TrimRight(s.URL, "/")
	return &client{server: s, http: &http.Client{Timeout: requestWithin}, patience: patience, waiting: waiting}
}

// refusal is an answer that another try would not change.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

// refusedWith reports whether a server answered with one of the statuses.
func refusedWith(err error, statuses ...int) bool {
	r, ok := errors.AsType[*refusal](err)
	for _, status := range statuses {
		if ok && r.status == status {
			return true
		}
	}
	return false
}

// temporary is a failure after which the same may be sent again.
type temporary struct {
	error
	wait time.Duration // as the server wants it; 0: it did not say
}

// final marks an error of reading an answer that another answer would not mend.
type final struct{ error }

// get reads a JSON answer.
func (c *client) get(ctx context.Context, path string, query url.Values, into any) error {
	return c.stream(ctx, path, query, func(body io.Reader) error {
		return json.NewDecoder(io.LimitReader(body, maxAnswer)).Decode(into)
	})
}

// stream hands the body of an answer to read, which is called anew when the answer breaks off.
func (c *client) stream(ctx context.Context, path string, query url.Values, read func(io.Reader) error) error {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return c.try(ctx, http.MethodGet, path, nil, read)
}

// send writes JSON and reads the answer; into may be nil.
func (c *client) send(ctx context.Context, method, path string, body, into any) error {
	text, err := encode(body)
	if err != nil {
		return err
	}
	return c.post(ctx, method, path, text, into)
}

func (c *client) post(ctx context.Context, method, path string, text []byte, into any) error {
	return c.try(ctx, method, path, text, func(body io.Reader) error {
		if into == nil {
			_, err := io.Copy(io.Discard, io.LimitReader(body, maxAnswer))
			return err
		}
		return json.NewDecoder(io.LimitReader(body, maxAnswer)).Decode(into)
	})
}

// try makes a request until it is answered or patience ends.
func (c *client) try(ctx context.Context, method, path string, body []byte, read func(io.Reader) error) error {
	until, wait := time.Now().Add(c.patience), firstWait
	for {
		err := c.once(ctx, method, path, body, read)
		again, mayTry := errors.AsType[temporary](err)
		if !mayTry || ctx.Err() != nil || time.Now().After(until) {
			return err
		}
		pause := again.wait
		if pause == 0 {
			pause = wait + rand.N(wait/2)
			wait = min(2*wait, longest)
		}
		c.waiting(err.Error(), pause)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (c *client) once(ctx context.Context, method, path string, body []byte, read func(io.Reader) error) error {
	request, err := http.NewRequestWithContext(ctx, method, c.server.URL+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s is no address: %w", c.server.URL, err)
	}
	request.SetBasicAuth(c.server.PublicKey, c.server.SecretKey)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(request)
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" && !c.met {
		return fmt.Errorf("%s does not answer; is it the right address? %w", c.server.URL, err)
	}
	if err != nil {
		return temporary{error: fmt.Errorf("%s does not answer: %w", c.server.URL, err)}
	}
	defer response.Body.Close()
	c.met = true
	if response.StatusCode >= http.StatusMultipleChoices {
		return c.failure(method, path, response)
	}
	err = read(response.Body)
	if stop, ok := errors.AsType[final](err); ok {
		return stop.error
	}
	if err != nil {
		return temporary{error: fmt.Errorf("read the answer of %s to %s %s: %w", c.server.URL, method, short(path), err)}
	}
	return nil
}

// failure tells an answer that refuses for good from one that asks for patience.
func (c *client) failure(method, path string, response *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(response.Body, maxText)) // what there is of it is shown
	err := fmt.Errorf("%s answers %s to %s %s: %s", c.server.URL, response.Status, method, short(path), strings.TrimSpace(string(text)))
	switch status := response.StatusCode; {
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status >= http.StatusInternalServerError:
		return temporary{error: err, wait: retryAfter(response.Header)}
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return &refusal{status, fmt.Sprintf("%s refuses the keys: %s", c.server.URL, strings.TrimSpace(string(text)))}
	default:
		return &refusal{status, err.Error()}
	}
}

// short is a path without its query.
func short(path string) string {
	path, _, _ = strings.Cut(path, "?")
	return path
}

// retryAfter is how long a server wants to be left alone, 0 when it does not say.
func retryAfter(header http.Header) time.Duration {
	text := header.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds >= 0 {
		return max(time.Duration(seconds*float64(time.Second)), time.Millisecond)
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(time.Until(at), time.Millisecond)
	}
	return 0
}

// encode is JSON that leaves texts as they are.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// meta is what a page says of the list that it is of.
type meta struct {
	Cursor     string `json:"cursor"`
	TotalItems int    `json:"totalItems"`
	TotalPages int    `json:"totalPages"`
}

// readPage hands out the rows of a page one by one: a page of large rows is never in memory.
func readPage(body io.Reader, each func(json.RawMessage) error) (m meta, err error) {
	decoder := json.NewDecoder(body)
	if err := expect(decoder, '{'); err != nil {
		return m, err
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return m, err
		}
		switch name {
		case "data":
			err = readRows(decoder, each)
		case "meta":
			err = decoder.Decode(&m)
		default:
			var skipped json.RawMessage
			err = decoder.Decode(&skipped)
		}
		if err != nil {
			return m, err
		}
	}
	return m, expect(decoder, '}')
}

func readRows(decoder *json.Decoder, each func(json.RawMessage) error) error {
	if err := expect(decoder, '['); err != nil {
		return err
	}
	for decoder.More() {
		var row json.RawMessage
		if err := decoder.Decode(&row); err != nil {
			return err
		}
		if err := each(row); err != nil {
			return final{err}
		}
	}
	return expect(decoder, ']')
}

func expect(decoder *json.Decoder, want json.Delim) error {
	got, err := decoder.Token()
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("expected %s, got %v: is this the address of a Langfuse server?", want, got)
	}
	return nil
}
