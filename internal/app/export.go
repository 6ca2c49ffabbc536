package app

import (
	"context"
	"fmt"
	"time"

	"github.com/sondehq/sonde/internal/importer"
)

// exportCommand writes rows of a project to a file.
type exportCommand struct {
	Kind string `arg:"" enum:"observations,scores,experiments" help:"Which rows: observations, scores or experiments (one row per run of an item)."`

	URL       string    `default:"http://127.0.0.1:3000" env:"SONDE_URL" help:"Address of the server; ${default} unless given."`
	PublicKey string    `required:"" env:"SONDE_PUBLIC_KEY,LANGFUSE_PUBLIC_KEY" placeholder:"KEY" help:"Public key of the project."`
	SecretKey string    `required:"" env:"SONDE_SECRET_KEY,LANGFUSE_SECRET_KEY" placeholder:"KEY" help:"Secret key of the project."`
	Output    string    `short:"o" placeholder:"FILE" help:"File to write, which is there once it is whole; standard output unless given. Start the same command again to go on after an interruption."`
	Since     time.Time `placeholder:"TIME" help:"Rows from this time on, such as 2026-05-01T00:00:00Z; all unless given."`
	Until     time.Time `placeholder:"TIME" help:"Rows before this time; up to now unless given."`
}

// Help tells what the lines are.
func (*exportCommand) Help() string {
	return "Writes one JSON object per line, as the API shows the row, with the whole of its metadata; see docs/operate/export.md for exports to a bucket on a schedule. " +
		"An export that was interrupted leaves FILE.part and FILE.state, from which the same command goes on."
}

// Run writes the file.
func (c *exportCommand) Run(ctx context.Context, std streams) error {
	line := importLine{out: std.err, redraws: isTerminal(std.err), begin: time.Now()}
	rows, err := importer.Export(ctx, importer.ExportConfig{
		From: importer.Server{URL: c.URL, PublicKey: c.PublicKey, SecretKey: c.SecretKey},
		Kind: c.Kind, Since: c.Since, Until: c.Until, Output: c.Output,
	}, std.out, line.show)
	line.end()
	if err != nil {
		return err
	}
	fmt.Fprintf(std.err, "Wrote %d %s.\n", rows, c.Kind)
	return nil
}
