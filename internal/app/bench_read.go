package app

import (
	"context"
	"time"

	"github.com/sondehq/sonde/internal/bench"
)

type seedBench struct {
	outputFlags
	Rows        int    `default:"300000" help:"Observations to make."`
	Dir         string `placeholder:"DIR" help:"Data directory to fill; bench-data-ROWS unless given. \"sonde serve --data-dir DIR\" serves it."`
	Seed        uint64 `default:"1" help:"The same seed makes the same rows."`
	DenseMinute bool   `default:"true" negatable:"" help:"Let a sixteenth of the rows start in the newest minute (600,000 of 10 million); on unless turned off."`
}

// Run fills a directory.
func (b *seedBench) Run(ctx context.Context, std streams) error {
	result, err := bench.Seed(ctx, bench.SeedOptions{Dir: b.Dir, Rows: b.Rows, Seed: b.Seed, Dense: b.DenseMinute}, bench.NewProgress(std.err))
	return b.print(std, result, err)
}

type readBench struct {
	outputFlags
	Dir         string        `placeholder:"DIR" help:"Directory that bench seed filled; bench-data-ROWS unless given."`
	Rows        int           `help:"Seed the directory with so many observations first, unless that is done."`
	Classes     []string      `placeholder:"CLASS" help:"Classes to measure: ${readClasses}; all unless given."`
	MaxRatio    float64       `default:"1.3" help:"What the API's p95 may be of the bare statements' p95, before --max-extra."`
	MaxExtra    time.Duration `default:"3ms" help:"What the API may take beyond that."`
	MaxRareWord time.Duration `default:"100ms" help:"What the search for a rare word may take (p50)."`
	Compare     string        `type:"existingfile" placeholder:"FILE" help:"JSON of a run on fewer rows: newest page and one trace may take 1.5 times as long here."`

	WithIngest bool `help:"Then read while spans come in, beside the same reads without: at most 3 times as slow, and at most 20 % of the ingest lost. The spans stay in the directory, in a project of their own."`
	IngestPeak int  `placeholder:"N" help:"Peak of bench ingest in spans/s, of which half is sent; measured first unless given."`
}

// Run measures every class of reads.
func (b *readBench) Run(ctx context.Context, std streams) error {
	result, err := bench.Read(ctx, bench.ReadOptions{
		Dir: b.Dir, Rows: b.Rows, Classes: b.Classes, MaxRatio: b.MaxRatio, MaxExtra: b.MaxExtra, MaxRareWord: b.MaxRareWord,
		Compare: b.Compare, WithIngest: b.WithIngest, IngestPeak: b.IngestPeak,
	}, bench.NewProgress(std.err))
	if err == nil {
		err = result.Verdict()
	}
	if b.JSON {
		return b.print(std, result, err)
	}
	result.Table(std.out)
	return err
}
