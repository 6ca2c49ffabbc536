package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/llm"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/playground"
)

const (
	playgroundPath = "/api/public/playground"
	// maxRunBody has room for a long conversation.
	maxRunBody = 4 << 20
)

// playgroundRoutes are the routes for trying prompts. Whoever only looks may not spend money.
func (s *server) playgroundRoutes() []route {
	return []route{
		{method: http.MethodGet, path: playgroundPath + "/models", handle: s.offeredModels, role: playgroundNode},
		{method: http.MethodPost, path: playgroundPath + "/runs", handle: s.runPrompt, role: playgroundNode},
		{method: http.MethodPost, path: playgroundPath + "/connection-tests", handle: s.testConnection, role: playgroundNode, least: model.Admin},
	}
}

// offeredJSON is a connection with the models that are offered for it.
type offeredJSON struct {
	Provider string   `json:"provider"`
	Adapter  string   `json:"adapter"`
	Models   []string `json:"models"`
	Problem  *string  `json:"problem"` // why its models cannot be called
}

// offeredModels serves GET /api/public/playground/models.
func (s *server) offeredModels(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	list, _, err := s.Connections.List(r.Context(), caller.Project.ID, metastore.Range{Limit: metastore.MaxConnections})
	if err != nil {
		return err
	}
	data := []offeredJSON{}
	for _, c := range list {
		one := offeredJSON{Provider: c.Provider, Adapter: c.Adapter, Models: llm.Models(c)}
		if err := llm.Supported(c); err != nil {
			_, body := describe(err)
			one.Problem = &body.Message
		}
		data = append(data, one)
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": data})
	return nil
}

// runBody is what somebody wants to try. Null is not given.
type runBody struct {
	Provider   string          `json:"provider"`
	Model      string          `json:"model"`
	Messages   []messageBody   `json:"messages"`
	Tools      []toolBody      `json:"tools"`
	Schema     json.RawMessage `json:"schema"`
	Parameters struct {
		Temperature *float64 `json:"temperature"`
		TopP        *float64 `json:"topP"`
		MaxTokens   *int     `json:"maxTokens"`
	} `json:"parameters"`
	Prompt *struct {
		Name    string `json:"name"`
		Version int    `json:"version"`
	} `json:"prompt"`
}

type messageBody struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []callJSON `json:"toolCalls"`
	ToolCallID string     `json:"toolCallId"`
	Name       string     `json:"name"`
}

type toolBody struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

type callJSON struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func (b runBody) run() playground.Run {
	run := playground.Run{Request: llm.Request{
		Provider: b.Provider, Model: b.Model, Schema: unlessNull(b.Schema), Temperature: b.Parameters.Temperature, TopP: b.Parameters.TopP, MaxTokens: valueOf(b.Parameters.MaxTokens),
	}}
	for _, m := range b.Messages {
		message := llm.Message{Role: m.Role, Content: m.Content, ToolCallID: m.ToolCallID, Name: m.Name}
		for _, call := range m.ToolCalls {
			message.ToolCalls = append(message.ToolCalls, llm.ToolCall(call))
		}
		run.Messages = append(run.Messages, message)
	}
	for _, tool := range b.Tools {
		run.Tools = append(run.Tools, llm.Tool{Name: tool.Name, Description: tool.Description, Parameters: unlessNull(tool.Parameters)})
	}
	if b.Prompt != nil {
		run.PromptName, run.PromptVersion = b.Prompt.Name, b.Prompt.Version
	}
	return run
}

func unlessNull(value json.RawMessage) json.RawMessage {
	if string(value) == "null" {
		return nil
	}
	return value
}

// runPrompt serves POST /api/public/playground/runs: a stream of events that begins with the first sign of an answer. What is
// refused before that is an answer like any other.
func (s *server) runPrompt(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body runBody
	if err := readExactly(w, r, maxRunBody, &body, "a run"); err != nil {
		return err
	}
	if _, err := s.Connections.ByProvider(r.Context(), caller.Project.ID, body.Provider); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	deltas := make(chan llm.Delta)
	type outcome struct {
		result playground.Result
		err    error
	}
	ended := make(chan outcome, 1)
	go func() {
		result, err := s.Playground.Run(ctx, caller.Project.ID, body.run(), func(d llm.Delta) {
			select {
			case deltas <- d:
			case <-ctx.Done():
			}
		})
		ended <- outcome{result, err}
	}()
	out := &runWriter{w: w, events: &eventWriter{to: w, control: http.NewResponseController(w), within: s.LiveLimits.Write}}
	heartbeat := time.NewTicker(s.LiveLimits.Heartbeat)
	defer heartbeat.Stop()
	for {
		select {
		case d := <-deltas:
			out.send("delta", deltaJSON{d.Text, orNull(d.Tool)})
		case <-heartbeat.C:
			out.beat()
		case <-s.Stopping:
			stop()
			return out.fail(s, r, (<-ended).err)
		case end := <-ended:
			if end.err != nil {
				return out.fail(s, r, end.err)
			}
			out.send("done", resultOf(end.result))
			return nil
		}
		if out.gone { // whoever hung up has stopped the run
			stop()
			<-ended
			panic(http.ErrAbortHandler)
		}
	}
}

type deltaJSON struct {
	Text string  `json:"text"`
	Tool *string `json:"tool"`
}

// resultJSON is what came of a run. Money is a decimal text.
type resultJSON struct {
	Text               string            `json:"text"`
	ToolCalls          []callJSON        `json:"toolCalls"`
	Model              string            `json:"model"`
	StopReason         string            `json:"stopReason"`
	Usage              map[string]uint64 `json:"usageDetails"`
	Cost               *string           `json:"cost"`
	LatencyMs          int64             `json:"latencyMs"`
	TimeToFirstTokenMs *int64            `json:"timeToFirstTokenMs"`
	TraceID            *string           `json:"traceId"`
	ObservationID      *string           `json:"observationId"`
}

func resultOf(r playground.Result) resultJSON {
	body := resultJSON{
		Text: r.Text, ToolCalls: []callJSON{}, Model: r.Model, StopReason: r.Stop, Usage: r.Usage, LatencyMs: r.End.Sub(r.Start).Milliseconds(),
		TraceID: orNull(r.TraceID), ObservationID: orNull(r.ObservationID),
	}
	for _, call := range r.ToolCalls {
		body.ToolCalls = append(body.ToolCalls, callJSON(call))
	}
	if r.Cost != nil {
		cost := r.Cost.String()
		body.Cost = &cost
	}
	if !r.FirstWord.IsZero() {
		first := r.FirstWord.Sub(r.Start).Milliseconds()
		body.TimeToFirstTokenMs = &first
	}
	return body
}

// runWriter begins the stream with its first event.
type runWriter struct {
	w      http.ResponseWriter
	events *eventWriter
	begun  bool
	gone   bool
}

func (o *runWriter) begin() {
	if o.begun {
		return
	}
	o.begun = true
	h := o.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
}

func (o *runWriter) beat() {
	o.begin()
	o.gone = !o.events.send(": heartbeat\n\n")
}

func (o *runWriter) send(name string, data any) {
	o.begin()
	text, err := json.Marshal(data)
	o.gone = err != nil || !o.events.send(fmt.Sprintf("event: %s\ndata: %s\n\n", name, text))
}

// fail answers with an error, or ends the stream with one.
func (o *runWriter) fail(s *server, r *http.Request, err error) error {
	if errors.Is(err, context.Canceled) && r.Context().Err() == nil {
		err = errStopping
	}
	if !o.begun {
		return err
	}
	status, body := describe(err)
	if status == http.StatusInternalServerError {
		s.Log.ErrorContext(r.Context(), "run failed", "request_id", infoOf(r).id, "error", err)
	}
	o.send("error", body)
	return nil
}

var errStopping = refusal{http.StatusServiceUnavailable, "ServiceUnavailableError", "The server is stopping; try again"}

// testConnection serves POST /api/public/playground/connection-tests.
func (s *server) testConnection(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body struct {
		Provider string `json:"provider"`
		Model    string `json:"model"`
	}
	if err := readExactly(w, r, maxConnectionBody, &body, "a test"); err != nil {
		return err
	}
	began := time.Now()
	answer, err := s.Playground.Test(r.Context(), caller.Project.ID, body.Provider, body.Model)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, map[string]any{"model": answer.Model, "latencyMs": time.Since(began).Milliseconds()})
	return nil
}
