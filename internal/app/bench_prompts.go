package app

import (
	"context"
	"os"
	"time"

	"github.com/sondehq/sonde/internal/bench"
)

type promptsBench struct {
	outputFlags
	Rate       int           `default:"1000" help:"Reads per second."`
	Duration   time.Duration `default:"60s" help:"How long to read, half of it from the bare handler."`
	IngestPeak int           `placeholder:"N" help:"Peak of bench ingest in spans/s, of which half is sent; measured first unless given."`
	MaxRatio   float64       `default:"3" help:"What the p99 of prompt reads may be of the bare handler's."`
}

// Run reads prompts while spans come in.
func (b *promptsBench) Run(ctx context.Context, std streams) error {
	options := bench.PromptsOptions{Rate: b.Rate, Duration: b.Duration, IngestPeak: b.IngestPeak, MaxRatio: b.MaxRatio}
	result, err := bench.Prompts(ctx, options, bench.NewProgress(std.err))
	if err == nil {
		err = result.Verdict()
	}
	return b.print(std, result, err)
}

// staticBench is the other side of promptsBench, which starts it.
type staticBench struct {
	Listen string `required:"" help:"Address to answer on."`
}

// Run answers every request with what stands on standard input.
func (b *staticBench) Run(ctx context.Context) error { return bench.Static(ctx, b.Listen, os.Stdin) }
