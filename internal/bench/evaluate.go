package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// EvaluateOptions bound the run.
type EvaluateOptions struct {
	Rows, Kills int
	Within      time.Duration
}

// EvaluateResult says what a rule did with rows while its server died.
type EvaluateResult struct {
	Rows    int               `json:"rows"`
	Kills   int               `json:"kills"`
	Decided map[string]uint64 `json:"decided"` // by outcome and reason
	Scores  int               `json:"scores"`
	// Replayed are scores that were written again, the same, because the server died before their decision was stored.
	Replayed   int     `json:"replayed_scores"`
	Seconds    float64 `json:"seconds"` // from the last row sent until the last was decided
	RowsPerSec float64 `json:"rows_per_s"`
}

// Verdict names the promises that did not hold.
func (r EvaluateResult) Verdict() error {
	var errs []error
	sum := uint64(0)
	for _, n := range r.Decided {
		sum += n
	}
	if sum != uint64(r.Rows) {
		errs = append(errs, fmt.Errorf("%d decisions for %d rows: %v", sum, r.Rows, r.Decided))
	}
	for _, kind := range []string{evaluatedRows, "skipped filter", "skipped sampling", "failed threw"} {
		if r.Decided[kind] == 0 {
			errs = append(errs, fmt.Errorf("no row was %s, so the proof proves little", kind))
		}
	}
	if uint64(r.Scores) != r.Decided[evaluatedRows] {
		errs = append(errs, fmt.Errorf("%d scores for %d evaluated rows", r.Scores, r.Decided[evaluatedRows]))
	}
	return errors.Join(errs...)
}

const (
	evaluatedRows = "evaluated"
	createTries   = 10
	rulesTarget   = "/api/public/v2/evaluation-rules"
	// provingEvaluator gives one score for a row, and fails for one of sixteen.
	provingEvaluator = `function evaluate(ctx: any) { if (ctx.observation.id.endsWith("0")) throw new Error("one of sixteen"); return { scores: [{ name: "proof", value: JSON.stringify(ctx.observation.output ?? "").length }] } }`
)

// Evaluate sends rows through a rule with filter, sample and an evaluator that fails at times, kills server and engine in the
// middle, and counts: every row has one decision, and every evaluated one its score once.
func Evaluate(ctx context.Context, o EvaluateOptions, p *Progress) (result EvaluateResult, err error) {
	s, err := newServer("--evaluation-lag", "2s")
	if err != nil {
		return result, err
	}
	defer func() { err = joinRemove(err, s) }()
	if _, err := s.start(ctx); err != nil {
		return result, err
	}
	rule, err := s.makeRule(ctx)
	if err != nil {
		return result, err
	}
	bodies := newCorpus(1).bodies(o.Rows, false)
	result.Rows, result.Kills = len(bodies)*spansPerBody, o.Kills
	p.say("sending %d rows", result.Rows)
	if _, err := s.sendAll(ctx, bodies, 4); err != nil {
		return result, err
	}
	sent := time.Now()
	if err := s.awaitDecided(ctx, rule, o, &result, p); err != nil {
		return result, err
	}
	result.Seconds = round(time.Since(sent).Seconds(), 1)
	result.RowsPerSec = round(float64(result.Rows)/time.Since(sent).Seconds(), 0)
	return result, s.countScores(ctx, &result)
}

func (s *server) makeRule(ctx context.Context) (id string, err error) {
	var made struct{ ID string }
	create := func(path string, body map[string]any) error {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		for try := 1; ; try++ { // the first evaluator waits until the interpreter is compiled, which a busy machine takes long for
			answer, err := s.exchange(ctx, http.MethodPost, s.url+path, text, http.StatusCreated)
			if err == nil {
				return json.Unmarshal(answer, &made)
			}
			if try == createTries || ctx.Err() != nil {
				return err
			}
		}
	}
	if err := create("/api/public/v2/evaluators", map[string]any{"type": "code", "name": "proof", "sourceCode": provingEvaluator, "sourceCodeLanguage": "TYPESCRIPT"}); err != nil {
		return "", err
	}
	err = create(rulesTarget, map[string]any{
		"name": "proof", "enabled": true, "sampling": 0.5, "evaluatorAssignments": []any{map[string]any{"evaluatorId": made.ID}},
		"filter": []any{map[string]any{"type": "stringOptions", "column": "type", "operator": "any of", "value": []string{"GENERATION"}}},
	})
	return made.ID, err
}

// awaitDecided waits until every row has its decision, and kills in between.
func (s *server) awaitDecided(ctx context.Context, rule string, o EvaluateOptions, result *EvaluateResult, p *Progress) error {
	ctx, cancel := context.WithTimeout(ctx, o.Within)
	defer cancel()
	killed, said := 0, uint64(0)
	for {
		total, err := s.decided(ctx, rule, result)
		if err == nil && total >= uint64(result.Rows) && killed == o.Kills {
			return nil
		}
		if err == nil && total != said {
			said = total
			p.say("%d of %d decided", total, result.Rows)
		}
		if killed < o.Kills && total > uint64(result.Rows*(killed+1)/(o.Kills+2)) {
			killed++
			p.say("killing engine and server at %d rows", total)
			engine, err := s.enginePid()
			if err != nil {
				return err
			}
			if err := errors.Join(s.kill(s.pid()), s.kill(engine)); err != nil {
				return err
			}
			s.waitExit()
			if _, err := s.start(ctx); err != nil {
				return err
			}
		}
		if err := sleep(ctx, time.Second); err != nil { // counting is work for the engine, too
			return fmt.Errorf("%d of %d rows are decided: %w", total, result.Rows, err)
		}
	}
}

// decided counts the decisions of a rule.
func (s *server) decided(ctx context.Context, rule string, result *EvaluateResult) (total uint64, err error) {
	var counts struct {
		Data []struct {
			Outcome string
			Reason  *string
			Count   uint64
		}
	}
	if err := s.ask(ctx, rulesTarget+"/"+rule+"/decision-counts", &counts); err != nil {
		return 0, err
	}
	result.Decided = map[string]uint64{}
	for _, c := range counts.Data {
		kind := c.Outcome
		if c.Reason != nil {
			kind += " " + *c.Reason
		}
		result.Decided[kind] += c.Count
		total += c.Count
	}
	return total, nil
}

// countScores walks all scores of evaluators. They are there a moment after the decisions, when the log has passed them.
func (s *server) countScores(ctx context.Context, result *EvaluateResult) error {
	for end := time.Now().Add(time.Minute); ; {
		seen, replayed := map[string]bool{}, 0
		for cursor := ""; ; {
			var page struct {
				Data []struct {
					ID, CreatedAt, UpdatedAt string
				}
				Meta struct{ Cursor string }
			}
			q := url.Values{"source": {"EVAL"}, "limit": {"100"}}
			if cursor != "" {
				q.Set("cursor", cursor)
			}
			if err := s.ask(ctx, "/api/public/v3/scores?"+q.Encode(), &page); err != nil {
				return err
			}
			for _, score := range page.Data {
				if seen[score.ID] {
					return fmt.Errorf("the score %s is there twice", score.ID)
				}
				seen[score.ID] = true
				if score.CreatedAt != score.UpdatedAt {
					replayed++
				}
			}
			if cursor = page.Meta.Cursor; cursor == "" {
				break
			}
		}
		result.Scores, result.Replayed = len(seen), replayed
		if uint64(result.Scores) >= result.Decided[evaluatedRows] || time.Now().After(end) {
			return nil
		}
		if err := sleep(ctx, 500*time.Millisecond); err != nil {
			return err
		}
	}
}
