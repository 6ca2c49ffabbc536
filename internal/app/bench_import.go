package app

import (
	"context"
	"fmt"

	"github.com/sondehq/sonde/internal/bench"
)

type importBench struct {
	outputFlags
	Observations int  `default:"100000" help:"Rows of the source, beside a trace and a score for ten of them."`
	Kills        int  `default:"3" help:"How often the import is killed -9 on the way and started again."`
	Newer        bool `help:"The source has the reads and ids of version 4, otherwise those of older servers."`
}

// Run imports from a scripted server and compares.
func (b *importBench) Run(ctx context.Context, std streams) error {
	result, err := bench.Import(ctx, bench.ImportOptions{Observations: b.Observations, Kills: b.Kills, Newer: b.Newer}, bench.NewProgress(std.err))
	if err == nil {
		err = result.Verdict()
	}
	if err != nil {
		err = fmt.Errorf("importing: %w", err)
	}
	return b.print(std, result, err)
}
