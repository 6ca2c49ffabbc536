package app

import (
	"context"

	"github.com/sondehq/sonde/internal/bench"
)

type skeletonBench struct {
	outputFlags
	Spans   []int `default:"10000,50000,1000000" help:"Traces to store and read, by number of spans."`
	Repeats int   `default:"5" help:"How often to read each."`
}

// Run reads whole traces as a page shows them.
func (b *skeletonBench) Run(ctx context.Context, std streams) error {
	result, err := bench.Skeleton(ctx, bench.SkeletonOptions{Spans: b.Spans, Repeats: b.Repeats}, bench.NewProgress(std.err))
	return b.print(std, result, err)
}
