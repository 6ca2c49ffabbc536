package evaluation

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/llm"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// Environment is the environment of the calls of judges. Rows with it are never evaluated: a rule that judged its own calls
// would never end.
const Environment = "sonde-evaluation"

// traceWithin bounds how long a judge waits for its trace to be durable.
const traceWithin = 10 * time.Second

// Asker asks models.
type Asker interface {
	Complete(ctx context.Context, projectID string, r llm.Request) (llm.Answer, error)
}

// Connections know how a project reaches models.
type Connections interface {
	// ByProvider returns the connection that a project gave a name. fault.NotFound.
	ByProvider(ctx context.Context, projectID, provider string) (model.Connection, error)
	// List returns a part of the connections of a project, the newest first, and how many there are.
	List(ctx context.Context, projectID string, part metastore.Range) ([]model.Connection, int, error)
}

// Tracer takes a trace in, on the way of all others. It returns once the trace is durable.
type Tracer interface {
	Trace(ctx context.Context, projectID string, export []byte) error
}

// Judges are the models that projects have connections to. Every call is priced, and traced into its project.
type Judges struct {
	links  Connections
	models Asker
	prices llm.Pricer
	tracer Tracer // nil on nodes that take nothing in: calls are not traced
	logger *slog.Logger
}

// NewJudges makes judges.
func NewJudges(links Connections, models Asker, prices llm.Pricer, tracer Tracer, logger *slog.Logger) *Judges {
	return &Judges{links: links, models: models, prices: prices, tracer: tracer, logger: logger}
}

// Ready implements Models.
func (j *Judges) Ready(ctx context.Context, projectID string, config *ModelConfig) error {
	_, err := j.find(ctx, projectID, config)
	return err
}

// find is the model that is meant. Without a name it is the first of the connection that the project made first, so that a new
// connection changes no evaluator.
func (j *Judges) find(ctx context.Context, projectID string, config *ModelConfig) (ModelConfig, error) {
	if config != nil {
		c, err := j.links.ByProvider(ctx, projectID, config.Provider)
		if fault.Is(err, fault.NotFound) {
			return *config, fault.New(fault.Precondition, "No model connection: the project has none called %s", config.Provider).
				Hint("save an LLM connection with this provider, or name another in modelConfig").Because(err)
		}
		if err == nil {
			err = asPrecondition(llm.Supported(c))
		}
		return *config, err
	}
	list, _, err := j.links.List(ctx, projectID, metastore.Range{Limit: metastore.MaxConnections})
	if err != nil {
		return ModelConfig{}, err
	}
	for _, connection := range slices.Backward(list) {
		if names := llm.Models(connection); len(names) > 0 && llm.Supported(connection) == nil {
			return ModelConfig{Provider: connection.Provider, Model: names[0]}, nil
		}
	}
	return ModelConfig{}, fault.New(fault.Precondition, "No model connection: the project has none with a model that can be called").
		Hint("save an LLM connection, or use a code evaluator")
}

// asPrecondition is for what stays until somebody mends the connection.
func asPrecondition(err error) error {
	if f, ok := errors.AsType[*fault.Fault](err); ok {
		return fault.New(fault.Precondition, "%s", f.Public()).Because(err)
	}
	return err
}

// Complete implements Models.
func (j *Judges) Complete(ctx context.Context, c Completion) (Answer, error) {
	to, err := j.find(ctx, c.ProjectID, c.Config)
	if err != nil {
		return Answer{}, err
	}
	call := llm.Call{
		TraceID: c.TraceID, SpanID: llm.NewSpanID(), Name: c.Name, Environment: Environment, Metadata: c.About, Start: time.Now(),
		Request: llm.Request{Provider: to.Provider, Model: to.Model, Schema: c.Schema},
	}
	for _, m := range c.Messages {
		call.Request.Messages = append(call.Request.Messages, llm.Message{Role: m.Role, Content: m.Content})
	}
	call.Answer, call.Failed = j.models.Complete(ctx, c.ProjectID, call.Request)
	call.End = time.Now()
	answer := Answer{Text: call.Answer.Text}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), traceWithin)
	defer cancel()
	if cost := call.Cost(ctx, c.ProjectID, j.prices); cost != nil {
		answer.Cost = cost.String()
	}
	answer.TraceID = j.trace(ctx, c.ProjectID, call)
	if errors.Is(call.Failed, llm.ErrConnection) {
		return answer, asPrecondition(call.Failed)
	}
	return answer, call.Failed
}

// trace never fails a call: its answer is there already.
func (j *Judges) trace(ctx context.Context, projectID string, call llm.Call) (traceID string) {
	if j.tracer == nil {
		return ""
	}
	export, err := call.OTLP()
	if err == nil {
		err = j.tracer.Trace(ctx, projectID, export)
	}
	if err != nil {
		j.logger.WarnContext(ctx, "call of a judge not traced", "project_id", projectID, "error", err)
		return ""
	}
	return call.TraceID
}
