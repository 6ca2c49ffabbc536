package alerts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// Horizon tells up to which time everything that was accepted is stored.
type Horizon interface {
	Settled(ctx context.Context) (time.Time, error)
}

// maxBehind is how far the store may be behind before an alert says so instead of judging old data.
const maxBehind = 5 * time.Minute

// Judge evaluates alerts.
type Judge struct {
	metrics Metrics
	horizon Horizon
}

// NewJudge makes a judge.
func NewJudge(metrics Metrics, horizon Horizon) *Judge { return &Judge{metrics, horizon} }

// Outcome is what an evaluation found.
type Outcome struct {
	State  model.AlertState
	Value  string // a decimal; empty: none
	Reason string
}

// Evaluate looks at the window of an alert that ends at a time, or at the horizon of the store if that is earlier:
// what was accepted and is not stored yet must not count as missing. A store that is away is fault.Unavailable.
func (j *Judge) Evaluate(ctx context.Context, a model.Alert, at time.Time) (Outcome, error) {
	end, err := j.horizon.Settled(ctx)
	if err != nil {
		return Outcome{}, err
	}
	if end.After(at) {
		end = at
	}
	if behind := at.Sub(end); behind > maxBehind {
		return failed("the store is %s behind; this cannot be judged now", behind.Round(time.Second)), nil
	}
	outcome, err := j.evaluate(ctx, a, end)
	if f, ok := errors.AsType[*fault.Fault](err); ok && (f.Kind == fault.Invalid || f.Kind == fault.Exhausted) {
		return failed("%s", f.Public()), nil
	}
	return outcome, err
}

func (j *Judge) evaluate(ctx context.Context, a model.Alert, end time.Time) (Outcome, error) {
	s := a.Settings
	value, err := j.value(ctx, a, end, s.Condition.Kind == model.Absence)
	if err != nil {
		return Outcome{}, err
	}
	switch s.Condition.Kind {
	case model.Absence:
		return absent(value), nil
	case model.WeekChange:
		before, err := j.value(ctx, a, end.AddDate(0, 0, -7), false)
		if err != nil {
			return Outcome{}, err
		}
		return compared(s.Condition, value, before), nil
	default:
		return measured(s.Condition, value), nil
	}
}

func (j *Judge) value(ctx context.Context, a model.Alert, end time.Time, rows bool) (*decimal.Decimal, error) {
	text, err := asked(a.Settings, end, rows)
	if err != nil {
		return nil, err
	}
	return j.metrics.Value(ctx, a.ProjectID, text)
}

func failed(format string, args ...any) Outcome {
	return Outcome{State: model.AlertError, Reason: fmt.Sprintf(format, args...)}
}

func noData(reason string) Outcome { return Outcome{State: model.AlertNoData, Reason: reason} }

func judged(fires bool, value *decimal.Decimal, reason string) Outcome {
	if fires {
		return Outcome{State: model.AlertFiring, Value: value.String(), Reason: reason}
	}
	return Outcome{State: model.AlertOK, Value: value.String(), Reason: reason}
}

func absent(rows *decimal.Decimal) Outcome {
	if rows == nil {
		rows = &decimal.Zero
	}
	return judged(rows.IsZero(), rows, "")
}

func measured(c model.AlertCondition, value *decimal.Decimal) Outcome {
	if value == nil {
		return noData("there is no value in the window")
	}
	limit, err := decimal.NewFromString(c.Limit)
	if err != nil {
		return failed("the limit %q is no number", c.Limit)
	}
	return judged(operators[c.Operator](value.Cmp(limit)), value, "")
}

// compared judges a change in percent of what was a week before. Against nothing there is no percentage.
func compared(c model.AlertCondition, value, before *decimal.Decimal) Outcome {
	switch {
	case value == nil:
		return noData("there is no value in the window")
	case before == nil || before.IsZero():
		return noData("there was nothing a week before to compare with")
	}
	limit, err := decimal.NewFromString(c.Limit)
	if err != nil {
		return failed("the limit %q is no number", c.Limit)
	}
	const digits = 4
	change := value.Sub(*before).Mul(decimal.NewFromInt(100)).DivRound(before.Abs(), digits)
	up, down := change.Cmp(limit) >= 0, change.Neg().Cmp(limit) >= 0
	fires := up && c.Direction != "down" || down && c.Direction != "up"
	return judged(fires, value, fmt.Sprintf("%s %% against %s a week before", change.StringFixed(1), before))
}
