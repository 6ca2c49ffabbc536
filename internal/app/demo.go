package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/demo"
)

// demoCommand fills a project of a running server.
type demoCommand struct {
	URL       string    `default:"http://127.0.0.1:3000" env:"SONDE_URL" help:"Address of the server; ${default} unless given."`
	PublicKey string    `required:"" env:"SONDE_PUBLIC_KEY,LANGFUSE_PUBLIC_KEY" placeholder:"KEY" help:"Public key of the project to fill. Take a project of its own."`
	SecretKey string    `required:"" env:"SONDE_SECRET_KEY,LANGFUSE_SECRET_KEY" placeholder:"KEY" help:"Secret key of the project."`
	Traces    int       `default:"2000" help:"How many ordinary traces; ${default} unless given."`
	Days      int       `default:"7" help:"Over how many days they spread; ${default} unless given."`
	Until     time.Time `placeholder:"TIME" help:"When the newest trace starts, such as 2026-05-01T12:00:00Z; now unless given. The same time and seed give the same data."`
	Seed      uint64    `default:"1" help:"Another number gives other data."`
	Small     bool      `help:"Leave out the traces of 10,000 and 50,000 observations and the input of 20 MB."`
	Fixture   string    `enum:"ui," default:"" placeholder:"NAME" help:"Send what tests know instead: ui is the data of the tests of the web interface, with times, sizes and ids that never change. Leaves the other settings aside."`
}

func (c *demoCommand) Run(ctx context.Context, std streams) error {
	until := c.Until
	if until.IsZero() {
		until = time.Now()
	}
	if c.Traces < 0 || c.Days < 1 {
		return errors.New("--traces must be at least 0 and --days at least 1")
	}
	config := demo.Config{
		URL: c.URL, PublicKey: c.PublicKey, SecretKey: c.SecretKey,
		Traces: c.Traces, Days: c.Days, Until: until, Seed: c.Seed, Large: !c.Small, Volume: demo.Usual,
	}
	if c.Fixture == "ui" {
		config = demo.Fixture(c.URL, c.PublicKey, c.SecretKey)
	}
	begin := time.Now()
	bar := progressBar{out: std.err, redraws: isTerminal(std.err)}
	sent, err := demo.Run(ctx, config, bar.show)
	bar.end()
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "Sent %d traces with %d observations and %d scores in %.0f s.\n", sent.Traces, sent.Observations, sent.Scores, time.Since(begin).Seconds())
	fmt.Fprintln(std.out, "Traces that show one thing each:")
	for _, odd := range sent.Odd {
		fmt.Fprintf(std.out, "  %-48s %s/trace/%s\n", odd.What, strings.TrimRight(c.URL, "/"), odd.ID)
	}
	return nil
}

// progressBar shows how far a step is: on a terminal in one line that changes, elsewhere one line per step.
type progressBar struct {
	out     io.Writer
	redraws bool
	what    string
}

func (b *progressBar) show(what string, done, total int) {
	const width = 30
	if b.redraws {
		if b.what != "" && b.what != what {
			fmt.Fprintln(b.out)
		}
		filled := width * done / max(total, 1)
		fmt.Fprintf(b.out, "\r%-26s %s%s %d/%d", what, strings.Repeat("#", filled), strings.Repeat(".", width-filled), done, total)
	} else if done == total {
		fmt.Fprintf(b.out, "%s: %d\n", what, total)
	}
	b.what = what
}

func (b *progressBar) end() {
	if b.redraws && b.what != "" {
		fmt.Fprintln(b.out)
	}
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
