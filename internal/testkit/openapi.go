package testkit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
)

// OpenAPI checks answers against an OpenAPI description.
type OpenAPI struct {
	Document *openapi3.T
	router   routers.Router
	schemas  *schemas

	mu   sync.Mutex
	seen map[string]int
}

// LoadOpenAPI reads a description and fails the test when it is not valid, examples included.
func LoadOpenAPI(t testing.TB, text []byte) *OpenAPI {
	t.Helper()
	document, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatalf("load the description: %v", err)
	}
	router, err := legacy.NewRouter(document, openapi3.EnableExamplesValidation())
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := newSchemas(document)
	if err != nil {
		t.Fatal(err)
	}
	return &OpenAPI{Document: document, router: router, schemas: schemas, seen: map[string]int{}}
}

// Handler passes requests on to next and reports answers that the description does not allow as
// errors of t.
func (o *OpenAPI) Handler(t testing.TB, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorder := httptest.NewRecorder()
		next.ServeHTTP(recorder, r)
		answer := recorder.Result()
		body := recorder.Body.Bytes()
		if err := o.check(r, answer, body); err != nil {
			t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
		}
		maps.Copy(w.Header(), answer.Header)
		w.WriteHeader(answer.StatusCode)
		_, _ = w.Write(body)
	})
}

// Transport sends requests through next and reports answers that the description does not allow
// as errors of t.
func (o *OpenAPI) Transport(t testing.TB, next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		answer, err := next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			return nil, err
		}
		if err := answer.Body.Close(); err != nil {
			return nil, err
		}
		if err := o.check(r, answer, body); err != nil {
			t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
		}
		answer.Body = io.NopCloser(bytes.NewReader(body))
		return answer, nil
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Seen returns how often each "METHOD path status" of the description was answered.
func (o *OpenAPI) Seen() map[string]int {
	o.mu.Lock()
	defer o.mu.Unlock()
	seen := make(map[string]int, len(o.seen))
	maps.Copy(seen, o.seen)
	return seen
}

func (o *OpenAPI) check(r *http.Request, answer *http.Response, body []byte) error {
	// Only the path counts: a described server is one that the paths begin with, on any host.
	r = r.Clone(context.WithoutCancel(r.Context()))
	r.URL = &url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
	route, pathParams, err := o.router.FindRoute(r)
	// The router is blind to a slash at the end and finds /x/{id} for /x.
	if err != nil || strings.HasSuffix(r.URL.Path, "/") != strings.HasSuffix(route.Path, "/") || hasEmpty(pathParams) {
		return o.checkUndescribed(r, answer, body)
	}
	o.mu.Lock()
	o.seen[fmt.Sprintf("%s %s %d", route.Method, route.Path, answer.StatusCode)]++
	o.mu.Unlock()
	bare := slices.Contains([]int{http.StatusNotModified, http.StatusNoContent, http.StatusSeeOther}, answer.StatusCode)
	if bare && len(body) == 0 && route.Operation.Responses.Status(answer.StatusCode) != nil {
		return nil // it has no content, so it has no type
	}
	mediaType, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if err != nil {
		return fmt.Errorf("status %d: content type: %w", answer.StatusCode, err)
	}
	described := route.Operation.Responses.Status(answer.StatusCode)
	if described != nil && described.Value.Content.Get(mediaType) == nil {
		return fmt.Errorf("status %d: content type %s is not described", answer.StatusCode, mediaType)
	}
	err = openapi3filter.ValidateResponse(r.Context(), //nolint:contextcheck // the request carries it
		&openapi3filter.ResponseValidationInput{
			RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, PathParams: pathParams, Route: route},
			Status:                 answer.StatusCode,
			Header:                 answer.Header,
			Body:                   http.NoBody,
			Options:                &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true, ExcludeResponseBody: true},
		})
	if err != nil || described == nil || answer.StatusCode == http.StatusPartialContent {
		return err // a part of a body is none
	}
	// Only JSON has a schema that says something about the body; what may have any type has none.
	content := described.Value.Content[mediaType]
	if mediaType != "application/json" || content == nil || content.Schema == nil {
		return nil
	}
	return o.schemas.check(content.Schema, body)
}

func hasEmpty(params map[string]string) bool {
	for _, value := range params {
		if value == "" {
			return true
		}
	}
	return false
}

// checkUndescribed checks the answer to a path or method that is not described: a preflight, or
// an error with the common body.
func (o *OpenAPI) checkUndescribed(r *http.Request, answer *http.Response, body []byte) error {
	switch answer.StatusCode {
	case http.StatusNoContent:
		if r.Method == http.MethodOptions && len(body) == 0 {
			return nil
		}
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		if r.Method == http.MethodHead && len(body) == 0 {
			return nil
		}
		var value map[string]any
		if err := json.Unmarshal(body, &value); err != nil {
			return fmt.Errorf("status %d: %w", answer.StatusCode, err)
		}
		name := "Error"
		if _, coded := value["code"]; coded {
			name = "CodedError"
		}
		schema := o.Document.Components.Schemas[name]
		if schema == nil {
			return fmt.Errorf("the description has no schema %s", name)
		}
		return o.schemas.check(schema, body)
	}
	return fmt.Errorf("status %d is not described", answer.StatusCode)
}
