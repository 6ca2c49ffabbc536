// Package mcp offers the public API to agents by the Model Context Protocol: every operation of its
// description that is meant for a project is a tool, and calling a tool is a request to the API.
//
// There is no second way into the data: a tool call carries the caller's own credentials through the
// same handler as any other request, so that keys, scopes, bounds and error texts are the API's.
package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// instructions are what a model reads before it calls the first tool.
const instructions = `Sonde keeps what LLM applications did: traces made of observations (spans, generations, tool calls and so on), ` +
	`scores, prompts, datasets and experiments of one project. Start with listObservations or queryMetrics with a time range, and read a trace with getTraceDigest; ` +
	`lists have a limit and a cursor or page. Errors say what to change.`

// maxPageSize is more than there are tools: clients get them in one page.
const maxPageSize = 1000

// Handler speaks the protocol: streamable HTTP without sessions, answers in JSON. Requests to the API go to
// next, with paths below base.
func Handler(description []byte, version, base string, next http.Handler) (http.Handler, error) {
	tools, err := toolsOf(description)
	if err != nil {
		return nil, err
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "sonde", Title: "Sonde", Version: version}, &mcp.ServerOptions{
		Instructions: instructions, PageSize: maxPageSize, Capabilities: &mcp.ServerCapabilities{},
	})
	for _, t := range tools {
		server.AddTool(t.tool(), func(ctx context.Context, call *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return t.call(ctx, call, base, next)
		})
	}
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true,
		DisableLocalhostProtection: true, // the API looks at Host and Origin itself, and wants credentials
	}), nil
}

// tool is an operation of the API.
type tool struct {
	name, method, path string
	summary            string
	description        string
	input              map[string]any
	inPath, inQuery    []string
	body               bool
}

func (t *tool) tool() *mcp.Tool {
	destructive := t.method == http.MethodDelete
	return &mcp.Tool{
		Name: t.name, Title: t.summary, Description: strings.TrimSpace(t.summary + ".\n\n" + t.description), InputSchema: t.input,
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint: t.method == http.MethodGet, DestructiveHint: &destructive,
			IdempotentHint: t.method != http.MethodPost,
		},
	}
}

// call makes the request. What the API refuses is a result that says so, which a model can act on.
func (t *tool) call(ctx context.Context, call *mcp.CallToolRequest, base string, next http.Handler) (*mcp.CallToolResult, error) {
	r, err := t.request(ctx, call.Params.Arguments, base)
	if err != nil {
		return failed(err.Error()), nil // which the model reads
	}
	if call.Extra != nil {
		for _, name := range []string{"Authorization", "X-Request-Id"} {
			if value := call.Extra.Header.Get(name); value != "" {
				r.Header.Set(name, value)
			}
		}
	}
	w := &answer{header: http.Header{}, status: http.StatusOK}
	next.ServeHTTP(w, r)
	text := w.body.String()
	if w.status >= http.StatusBadRequest {
		return failed(fmt.Sprintf("%d %s: %s", w.status, http.StatusText(w.status), text)), nil
	}
	result := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	if object := json.RawMessage(text); strings.HasPrefix(text, "{") && json.Valid(object) {
		result.StructuredContent = object
	}
	return result, nil
}

// answer takes what the API answers.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header            { return a.header }
func (a *answer) WriteHeader(status int)         { a.status = status }
func (a *answer) Write(text []byte) (int, error) { return a.body.Write(text) }

func failed(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// request makes arguments a request: texts go as they are, everything else as JSON.
func (t *tool) request(ctx context.Context, arguments json.RawMessage, base string) (*http.Request, error) {
	var given map[string]json.RawMessage
	if len(arguments) > 0 {
		if err := json.Unmarshal(arguments, &given); err != nil {
			return nil, fmt.Errorf("arguments must be a JSON object: %w", err)
		}
	}
	path := t.path
	for _, name := range t.inPath {
		value, found := textOf(given[name])
		if !found || value == "" {
			return nil, fmt.Errorf("argument %q is missing", name)
		}
		path = strings.Replace(path, "{"+name+"}", url.PathEscape(value), 1)
		delete(given, name)
	}
	query := url.Values{}
	for _, name := range t.inQuery {
		if value, found := textOf(given[name]); found {
			query.Set(name, value)
		}
		delete(given, name)
	}
	body := string(given["body"])
	if t.body {
		delete(given, "body")
	}
	for name := range given {
		return nil, fmt.Errorf("argument %q is not known", name)
	}
	target := base + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, t.method, target, strings.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("arguments make no address: %w", err)
	}
	r.RequestURI = target
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, nil
}

// textOf is an argument as it stands in an address; null is not given.
func textOf(value json.RawMessage) (text string, given bool) {
	if len(value) == 0 || string(value) == "null" {
		return "", false
	}
	if json.Unmarshal(value, &text) == nil {
		return text, true
	}
	return string(value), true
}
