package app

import (
	"context"
	"fmt"
	"time"

	"github.com/sondehq/sonde/internal/bench"
)

type evaluateBench struct {
	outputFlags
	Rows   int           `default:"100000" help:"Spans that go through the rule."`
	Kills  int           `default:"2" help:"How often server and engine are killed -9 in the middle."`
	Within time.Duration `default:"60m" help:"When every row must have its decision."`
}

// Run sends rows through an evaluation rule and counts what became of them.
func (b *evaluateBench) Run(ctx context.Context, std streams) error {
	result, err := bench.Evaluate(ctx, bench.EvaluateOptions{Rows: b.Rows, Kills: b.Kills, Within: b.Within}, bench.NewProgress(std.err))
	if err == nil {
		err = result.Verdict()
	}
	if err != nil {
		err = fmt.Errorf("evaluating: %w", err)
	}
	return b.print(std, result, err)
}
