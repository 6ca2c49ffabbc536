package app

import (
	"context"
	"fmt"
	"time"

	"github.com/sondehq/sonde/internal/bench"
)

type scanBench struct {
	outputFlags
	Dir    string `required:"" help:"Data directory to look through."`
	Marker string `required:"" help:"Text to look for, at least 16 characters; its second half is enough."`
}

// Run decodes every file and says where the marker is.
func (b *scanBench) Run(ctx context.Context, std streams) error {
	result, err := bench.Scan(ctx, b.Dir, b.Marker)
	return b.print(std, result, err)
}

type eraseBench struct {
	outputFlags
	Rows   int  `default:"50000" help:"Spans beside those that are deleted."`
	Traces int  `default:"1000" help:"Traces with a marker, which are deleted."`
	Rate   int  `help:"Spans per second that come in meanwhile; 0: half of the peak, which is measured first."`
	Kill   bool `help:"Kill -9 server and engine while the job works."`

	MaxLag time.Duration `default:"2s" help:"How far behind the store may fall meanwhile."`
}

// Run plants markers, deletes, and looks for them everywhere.
func (b *eraseBench) Run(ctx context.Context, std streams) error {
	result, err := bench.Erase(ctx, bench.EraseOptions{Rows: b.Rows, Traces: b.Traces, Rate: b.Rate, Kill: b.Kill, MaxLag: b.MaxLag}, bench.NewProgress(std.err))
	if err == nil {
		err = result.Verdict()
	}
	if err != nil {
		err = fmt.Errorf("erasing: %w", err)
	}
	return b.print(std, result, err)
}
