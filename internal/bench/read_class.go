package bench

import (
	"context"
	"fmt"
	"time"
)

// How often a class is repeated: as often as fits into classBudget, within bounds. A slow one is
// repeated less: its time is not in doubt.
const (
	classBudget       = 5 * time.Second
	leastRepetitions  = 30
	mostRepetitions   = 200
	slowRead          = time.Second
	slowRepetitions   = 10
	warmUps           = 3
	warmUpRepetitions = 1_000 // their questions are others than those that count
)

// measureAll measures class by class. One that the server does not answer fails the run, but the
// others are measured all the same.
func (r *reader) measureAll(ctx context.Context, classes []readClass) ([]ClassResult, error) {
	var results []ClassResult
	for _, class := range classes {
		result := ClassResult{Key: class.key, Name: class.name}
		if err := r.measureClass(ctx, class, &result); err != nil {
			if ctx.Err() != nil {
				return results, err
			}
			result = ClassResult{Key: class.key, Name: class.name, Failed: err.Error()}
			r.progress.say("%s: %v", class.name, err)
		} else {
			r.progress.say("%-36s %7.1f ms p50 %7.1f ms p95, bare %7.1f and %7.1f (%d repetitions)",
				class.name, result.P50, result.P95, result.BareP50, result.BareP95, result.Repetitions)
		}
		results = append(results, result)
	}
	return results, nil
}

// measureClass alternates requests with their own statements, so that whatever else the machine does
// hits both.
func (r *reader) measureClass(ctx context.Context, class readClass, result *ClassResult) error {
	var once time.Duration
	for i := range warmUps {
		answered, bare, err := r.measureOnce(ctx, class, warmUpRepetitions+i, result)
		if err != nil {
			return err
		}
		once = answered + bare
	}
	var answers, bares []time.Duration
	for i := range repetitionsFor(once) {
		answered, bare, err := r.measureOnce(ctx, class, i, result)
		if err != nil {
			return err
		}
		answers, bares = append(answers, answered), append(bares, bare)
	}
	result.Repetitions = len(answers)
	result.P50, result.P95 = percentile(answers, 0.5), percentile(answers, 0.95)
	result.BareP50, result.BareP95 = percentile(bares, 0.5), percentile(bares, 0.95)
	if result.BareP95 > 0 {
		result.Ratio = round(result.P95/result.BareP95, 2)
	}
	return nil
}

// repetitionsFor a request and its statements that take so long together.
func repetitionsFor(once time.Duration) int {
	if once/2 > slowRead {
		return slowRepetitions
	}
	return max(leastRepetitions, min(mostRepetitions, int(classBudget/max(once, time.Millisecond))))
}

// measureOnce asks one question through the API and bare; which goes first changes from one
// repetition to the next.
func (r *reader) measureOnce(ctx context.Context, class readClass, repetition int, result *ClassResult) (answered, bare time.Duration, err error) {
	q, err := class.ask(ctx, r.asker, repetition)
	if err != nil {
		return 0, 0, err
	}
	statements, err := r.recorder.record(ctx, q)
	if err != nil {
		return 0, 0, err
	}
	if len(statements) == 0 {
		return 0, 0, fmt.Errorf("%s made no statement", q)
	}
	runBare := func() error {
		began := time.Now()
		for _, statement := range statements {
			if err := r.bare.Replay(ctx, statement); err != nil {
				return err
			}
		}
		bare = time.Since(began)
		return nil
	}
	if repetition%2 == 1 {
		if err := runBare(); err != nil {
			return 0, 0, err
		}
	}
	if answered, err = r.get(ctx, q); err != nil {
		return 0, 0, err
	}
	if err := r.check(q); err != nil {
		return 0, 0, err
	}
	if repetition%2 == 0 {
		if err := runBare(); err != nil {
			return 0, 0, err
		}
	}
	result.Statements, result.Bytes = len(statements), r.answer.Len()
	return answered, bare, nil
}
