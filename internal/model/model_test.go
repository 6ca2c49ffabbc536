package model_test

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
)

func TestVersionsFollowAcceptanceThenPosition(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 1, 12, 0, 0, 123_456_000, time.UTC)
	first, second := model.RowVersion(at, 0), model.RowVersion(at, 1)
	later := model.RowVersion(at.Add(time.Microsecond), 0)
	if first >= second || second >= later || model.RowVersion(at, 1023) >= later {
		t.Errorf("versions %d, %d, %d are not in order", first, second, later)
	}
	for position := range 5000 {
		if model.RowVersion(at, position) >= model.RowVersion(at, position+1) {
			t.Fatalf("positions %d and %d are not in order", position, position+1)
		}
	}
	if got := model.AcceptedAt(second); !got.Equal(at.Truncate(time.Millisecond)) {
		t.Errorf("accepted at %s, want %s", got, at)
	}
}

func TestRoot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		o    model.Observation
		want bool
	}{{model.Observation{}, true}, {model.Observation{ParentID: "p"}, false}, {model.Observation{ParentID: "p", AppRoot: true}, true}} {
		if got := c.o.Root(); got != c.want {
			t.Errorf("%+v: root %t", c.o, got)
		}
	}
}

func TestTokensAndCosts(t *testing.T) {
	t.Parallel()
	dollars := decimal.RequireFromString
	o := model.Observation{
		UsageDetails: map[string]uint64{"input": 1, "cache_read_INPUT": 2, "output": 4, "other": 8, "total": 15},
		CostDetails:  map[string]decimal.Decimal{"input": dollars("0.1"), "input_cached": dollars("0.02"), "total": dollars("0.5")},
	}
	if got, want := o.Tokens(), (model.Tokens{Input: 3, Output: 4, Total: 15, HasTotal: true}); got != want {
		t.Errorf("tokens %+v, want %+v", got, want)
	}
	costs := o.Costs()
	if !costs.Input.Decimal.Equal(dollars("0.12")) || costs.Output.Valid || !costs.Total.Decimal.Equal(dollars("0.5")) {
		t.Errorf("costs %+v", costs)
	}
	var none model.Observation
	if none.Tokens().HasTotal || none.Costs().Total.Valid {
		t.Error("nothing has a total")
	}
}
