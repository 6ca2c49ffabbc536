// Package llm asks language models through the connections of a project, in the wire formats of OpenAI, Anthropic and
// Gemini. Answers are always streamed, so that a provider that went away is noticed, and bounded in time and size.
package llm

import (
	"context"
	"encoding/json"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/outbound"
	"github.com/sondehq/sonde/internal/usage"
)

// Roles of messages.
const (
	System    = "system"
	User      = "user"
	Assistant = "assistant"
	ToolRole  = "tool" // what came of a call
)

// Message is a part of a conversation.
type Message struct {
	Role      string
	Content   string
	ToolCalls []ToolCall // of the assistant
	// ToolCallID and Name say which call the content is the result of, with the role "tool".
	ToolCallID string
	Name       string
}

// ToolCall is what a model wants to have called.
type ToolCall struct {
	ID, Name  string
	Arguments string // a JSON object
}

// Tool is what a model may have called.
type Tool struct {
	Name, Description string
	Parameters        json.RawMessage // a JSON schema; nil: none
}

// Request asks a model.
type Request struct {
	Provider string // what the project calls the connection
	Model    string
	Messages []Message
	Tools    []Tool
	// Schema is a JSON schema that the answer's text is to follow; nil: any text. With one, tools are not offered.
	Schema      json.RawMessage
	Temperature *float64
	TopP        *float64
	MaxTokens   int // 0: what the provider gives
}

// Delta is the next piece of an answer.
type Delta struct {
	Text string
	// Tool is the name of a tool whose call begins; its arguments are told with the answer.
	Tool string
}

// Answer is what a model said. One that broke off has what came before.
type Answer struct {
	Text      string
	ToolCalls []ToolCall
	Model     string // as the provider calls it
	Stop      string // why it ended, in the provider's words
	// Usage has disjoint kinds of units and their total, as rows do; nil: the provider told nothing.
	Usage     map[string]uint64
	FirstWord time.Time // when the first piece came; zero: none did
}

// Connections knows how providers are reached.
type Connections interface {
	// ByProvider returns the connection that a project gave a name. fault.NotFound.
	ByProvider(ctx context.Context, projectID, provider string) (model.Connection, error)
	// Secrets opens its key and its headers.
	Secrets(c model.Connection) (key string, headers map[string]string, err error)
}

// Bounds of an answer. Providers send something every few seconds, a sign of life at least.
const (
	answerWithin = 10 * time.Minute
	quietFor     = 3 * time.Minute
	maxAnswer    = 4 << 20
	maxEvent     = 1 << 20
	maxStream    = 64 << 20 // of all events, those that are no part of the answer included
	maxRequest   = 8 << 20
)

// Client asks models. It is safe for concurrent use.
type Client struct {
	connections Connections
	guard       *outbound.Guard
	quiet       time.Duration
}

// New makes a client that calls what the guard lets it call.
func New(connections Connections, guard *outbound.Guard) *Client {
	return &Client{connections: connections, guard: guard, quiet: quietFor}
}

// Complete returns the whole answer. What the caller, the connection or the model's limits are to blame for is
// fault.Invalid or fault.Limited; a provider that does not answer is fault.Unavailable.
func (c *Client) Complete(ctx context.Context, projectID string, r Request) (Answer, error) {
	return c.Stream(ctx, projectID, r, func(Delta) {})
}

// Stream tells the pieces of an answer as they come, one after the other, and returns the whole. When it fails the
// answer holds what came before. It ends with ctx.
func (c *Client) Stream(ctx context.Context, projectID string, r Request, tell func(Delta)) (Answer, error) {
	connection, err := c.connections.ByProvider(ctx, projectID, r.Provider)
	if err != nil {
		return Answer{}, err
	}
	if r.Model == "" {
		return Answer{}, fault.Invalidf("model", "must be given")
	}
	if len(r.Messages) == 0 {
		return Answer{}, fault.Invalidf("messages", "must not be empty")
	}
	to, err := targetOf(connection)
	if err != nil {
		return Answer{}, err
	}
	if to.key, to.headers, err = c.connections.Secrets(connection); err != nil {
		return Answer{}, err
	}
	a := &assembly{tell: tell, bySchema: r.Schema != nil, hide: to.hide}
	err = c.ask(ctx, to, r, a)
	return a.answer(), err
}

// answer is what was put together so far.
func (a *assembly) answer() Answer {
	answer := Answer{Text: a.text.String(), Model: a.model, Stop: a.stop, FirstWord: a.first}
	for _, call := range a.calls {
		if call.arguments.Len() == 0 {
			call.arguments.WriteString("{}")
		}
		answer.ToolCalls = append(answer.ToolCalls, ToolCall{ID: call.id, Name: call.name, Arguments: call.arguments.String()})
	}
	if len(a.usage) > 0 {
		if text, err := json.Marshal(a.usage); err == nil {
			answer.Usage = usage.FromJSON(string(text))
		}
	}
	return answer
}
