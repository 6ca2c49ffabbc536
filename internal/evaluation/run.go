package evaluation

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/llm"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/sandbox"
)

// evaluating runs evaluators on rows.
type evaluating struct {
	code   Code
	models Models

	mu       sync.Mutex
	programs map[string]sandbox.Program // by id of the version
}

// maxPrograms is how many programs are kept ready.
const maxPrograms = 500

func newEvaluating(code Code, models Models) *evaluating {
	return &evaluating{code: code, models: models, programs: map[string]sandbox.Program{}}
}

// loaded is an evaluator that is ready to run.
type loaded struct {
	model.EvaluatorEntity

	ruleID     string // empty: it is tried out
	definition Definition
	mapping    []Mapping
	missing    []string // variables without a mapping
}

// load reads the definition of an evaluator and the mapping that counts, the rule's before its own.
func load(e model.EvaluatorEntity, ruleMapping string) (*loaded, error) {
	d, err := parseDefinition(e.Latest.Definition)
	if err != nil {
		return nil, err
	}
	var own []Mapping
	if ruleMapping != "" {
		if err := json.Unmarshal([]byte(ruleMapping), &own); err != nil {
			return nil, fmt.Errorf("read a stored mapping: %w", err)
		}
	}
	l := &loaded{EvaluatorEntity: e, definition: d}
	l.mapping, l.missing = merged(d.Variables(), own, d.Mapping)
	return l, nil
}

// failure is why an evaluator gave no score for a row.
type failure struct{ reason, message string }

func (f *failure) Error() string { return f.message }

// outcome is what an evaluator made of a row.
type outcome struct {
	results []Result
	cost    string
	traceID string // of the model's call; empty: there was none
	took    time.Duration
}

// evaluate runs an evaluator on a row. What is wrong with the evaluator, the row or the model is a *failure; every other error
// says nothing about them, and the row is looked at again later.
func (r *evaluating) evaluate(ctx context.Context, e *loaded, o *model.Observation) (out outcome, err error) {
	began := time.Now()
	defer func() { out.took = time.Since(began) }()
	if e.Kind == model.CodeEvaluator {
		out.cost = "0"
		out.results, err = r.runCode(ctx, e, o)
		return out, err
	}
	err = r.judge(ctx, e, o, &out)
	return out, err
}

func (r *evaluating) runCode(ctx context.Context, e *loaded, o *model.Observation) ([]Result, error) {
	program, err := r.program(ctx, e)
	if err != nil {
		return nil, asFailure(err)
	}
	given, err := contextOf(o)
	if err != nil {
		return nil, &failure{reasonMapping, "the observation cannot be written as JSON"}
	}
	at := o.EndTime
	if at.IsZero() {
		at = o.StartTime
	}
	answer, err := r.code.Run(ctx, program, sandbox.Call{Input: given, Now: at, Seed: seedOf(o)})
	if err != nil {
		return nil, asFailure(err)
	}
	results, err := codeResults(answer, e.Name)
	if err != nil {
		return nil, &failure{reasonOutput, err.Error()}
	}
	return results, nil
}

// seedOf makes random numbers follow from the row.
func seedOf(o *model.Observation) uint64 {
	return xxhash.Sum64(binary.BigEndian.AppendUint64([]byte(o.TraceID+"/"+o.ID), uint64(o.StartTime.UnixMicro())))
}

func asFailure(err error) error {
	if e, ok := errors.AsType[*sandbox.Error](err); ok {
		return &failure{string(e.Reason), e.Text}
	}
	return err
}

// program is the program of an evaluator's newest version.
func (r *evaluating) program(ctx context.Context, e *loaded) (sandbox.Program, error) {
	r.mu.Lock()
	p, ok := r.programs[e.Latest.ID]
	r.mu.Unlock()
	if ok {
		return p, nil
	}
	p, err := r.code.Compile(ctx, e.definition.SourceCode)
	if err != nil || e.Latest.ID == "" {
		return p, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.programs) >= maxPrograms {
		clear(r.programs)
	}
	r.programs[e.Latest.ID] = p
	return p, nil
}

// judge asks a model for a score.
func (r *evaluating) judge(ctx context.Context, e *loaded, o *model.Observation, out *outcome) error {
	if len(e.missing) > 0 {
		return &failure{reasonMapping, "no value is mapped to the variables " + strings.Join(e.missing, ", ")}
	}
	values := map[string]string{}
	for _, m := range e.mapping {
		text, err := mapped(o, m)
		if err != nil {
			return &failure{reasonMapping, err.Error()}
		}
		values[m.Variable] = text
	}
	answer, err := r.ask(ctx, Completion{
		ProjectID: e.ProjectID, Config: e.definition.Model, Messages: fill(e.definition.Prompt, values), Schema: e.definition.Output.schema(),
		Name: e.Name, TraceID: e.callTrace(o), About: e.about(o),
	})
	out.cost, out.traceID = answer.Cost, answer.TraceID
	if err != nil {
		return err
	}
	if out.results, err = e.definition.Output.read(answer.Text); err != nil {
		return &failure{reasonOutput, err.Error()}
	}
	for i := range out.results {
		out.results[i].Name = e.Name
	}
	return nil
}

// callTrace is the trace of the calls for a row: always the same, so that a call that is made again lies beside the first.
func (e *loaded) callTrace(o *model.Observation) string {
	if e.ruleID == "" {
		return llm.NewTraceID()
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{"sonde-judge-v1", e.ruleID, e.Latest.ID, o.TraceID, o.ID}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// about says in the trace of a call what it was made for.
func (e *loaded) about(o *model.Observation) map[string]string {
	known := map[string]string{"evaluatedTraceId": o.TraceID, "evaluatedObservationId": o.ID}
	if e.ruleID != "" {
		known["evaluationRuleId"], known["evaluatorId"], known["evaluatorVersion"] = e.ruleID, e.ID, strconv.Itoa(e.Latest.Number)
	}
	return known
}

// fill puts values in the places of variables.
func fill(prompt []Message, values map[string]string) []Message {
	filled := make([]Message, len(prompt))
	for i, m := range prompt {
		filled[i] = Message{m.Role, variable.ReplaceAllStringFunc(m.Content, func(place string) string {
			return values[variable.FindStringSubmatch(place)[1]]
		})}
	}
	return filled
}

// How often a model that does not answer now is asked again, how long between, and how long all of it may take.
const (
	askTries     = 3
	limitedTries = 5
	askPause     = 2 * time.Second
	askWithin    = 75 * time.Second
)

// ask asks a model until it answers, a few times. What failed tries did cost is counted.
func (r *evaluating) ask(outside context.Context, request Completion) (answer Answer, err error) {
	ctx, cancel := context.WithTimeout(outside, askWithin)
	defer cancel()
	spent := ""
	for try := 1; ; try++ {
		answer, err = r.models.Complete(ctx, request)
		spent = sum(spent, answer.Cost)
		answer.Cost = spent
		if err == nil {
			return answer, nil
		}
		again, wrong := judged(err, try)
		switch {
		case outside.Err() != nil:
			return answer, outside.Err()
		case ctx.Err() != nil:
			return answer, &failure{reasonModel, "the model did not answer within " + askWithin.String()}
		case !again:
			return answer, wrong
		}
		select {
		case <-ctx.Done():
		case <-time.After(askPause << (try - 1)):
		}
	}
}

// judged says what an error of a model means, and whether it may pass by itself.
func judged(err error, try int) (again bool, wrong error) {
	f, isFault := errors.AsType[*fault.Fault](err)
	if !isFault || f.Kind == fault.Internal {
		return false, err
	}
	says := cut(f.Public(), maxMessage)
	switch f.Kind {
	case fault.Precondition:
		return false, &failure{reasonNoModel, says}
	case fault.Limited:
		return try < limitedTries, &failure{reasonLimited, says}
	case fault.Unavailable:
		return try < askTries, &failure{reasonModel, says}
	default:
		return false, &failure{reasonModel, says}
	}
}

// sum adds costs; one that is not known adds nothing.
func sum(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	one, err := decimal.NewFromString(a)
	other, wrong := decimal.NewFromString(b)
	if err != nil || wrong != nil {
		return a
	}
	return one.Add(other).String()
}
