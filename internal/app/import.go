package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/importer"
)

// importCommand brings data of other servers.
type importCommand struct {
	Langfuse importLangfuse `cmd:"" help:"Copy a project of a Langfuse server, by the public API of both."`
}

// importLangfuse copies a project.
type importLangfuse struct {
	From          string `required:"" env:"LANGFUSE_BASE_URL,LANGFUSE_HOST" placeholder:"URL" help:"Address of the Langfuse server, such as https://cloud.langfuse.com."`
	FromPublicKey string `required:"" env:"LANGFUSE_PUBLIC_KEY" placeholder:"KEY" help:"Public key of the project there."`
	FromSecretKey string `required:"" env:"LANGFUSE_SECRET_KEY" placeholder:"KEY" help:"Secret key of the project there."`
	To            string `default:"http://127.0.0.1:3000" env:"SONDE_URL" placeholder:"URL" help:"Address of this server; ${default} unless given."`
	PublicKey     string `env:"SONDE_PUBLIC_KEY" placeholder:"KEY" help:"Public key of the project to copy into. Take an empty one."`
	SecretKey     string `env:"SONDE_SECRET_KEY" placeholder:"KEY" help:"Secret key of that project."`

	Since  time.Time `env:"SONDE_IMPORT_SINCE" placeholder:"TIME" help:"Copy traces and scores from this time on, such as 2026-05-01T00:00:00Z; all unless given."`
	Until  time.Time `env:"SONDE_IMPORT_UNTIL" placeholder:"TIME" help:"Copy traces and scores before this time; up to now unless given."`
	Only   []string  `env:"SONDE_IMPORT_ONLY" placeholder:"KIND" help:"Copy only these, of models, prompts, datasets, traces and scores."`
	State  string    `default:"sonde-import.json" env:"SONDE_IMPORT_STATE" placeholder:"FILE" help:"Where to keep how far the import is; ${default} in the current directory unless given. Start again with the same file to go on."`
	Verify string    `enum:"off,sample,all" default:"sample" env:"SONDE_IMPORT_VERIFY" help:"What to read back and compare at the end: off, sample (100 rows of each kind) or all, which reads the source once more."`
	DryRun bool      `env:"SONDE_IMPORT_DRY_RUN" help:"Only count what there is; writes nothing and needs no keys of this server."`
}

// Help tells what happens when, and the exit codes.
func (*importLangfuse) Help() string {
	return "Ids, times, costs, usage, contents, metadata, users, sessions, tags, scores, prompts with their versions and labels, datasets with their runs, " +
		"score configs and models come along; see docs/operate/migrate-from-langfuse.md for what does not. It can be ended at any time, also by kill -9, " +
		"and started again: nothing is lost or doubled. Ends with 0 when everything arrived, with 1 when the comparison shows a difference, and with 2 when it could not finish."
}

// errDiffers ends an import after which both sides are not the same.
var errDiffers = errors.New("the target differs from the source; see above")

// Run imports and reports.
func (c *importLangfuse) Run(ctx context.Context, std streams) error {
	for _, kind := range c.Only {
		if !slices.Contains(importer.Choices, kind) {
			return fmt.Errorf("--only has no kind %q; there are %s", kind, strings.Join(importer.Choices, ", "))
		}
	}
	if !c.DryRun && (c.PublicKey == "" || c.SecretKey == "") {
		return errors.New("missing flags: --public-key and --secret-key of the project to copy into; --dry-run needs none")
	}
	line := importLine{out: std.err, redraws: isTerminal(std.err), begin: time.Now()}
	report, err := importer.Run(ctx, importer.Config{
		From:  importer.Server{URL: c.From, PublicKey: c.FromPublicKey, SecretKey: c.FromSecretKey},
		To:    importer.Server{URL: c.To, PublicKey: c.PublicKey, SecretKey: c.SecretKey},
		Since: c.Since, Until: c.Until, Only: c.Only, StateFile: c.State, Verify: c.Verify, DryRun: c.DryRun,
	}, line.show)
	line.end()
	if err != nil {
		if report != nil && !c.DryRun {
			return fmt.Errorf("%w\nstart the same command again to go on; %s holds how far it is", err, c.State)
		}
		return err
	}
	if err := report.Write(std.out); err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	if report.Differs() {
		return errDiffers
	}
	return nil
}

// importLine shows progress: on a terminal in one line that changes every second at most, elsewhere in a line every ten.
type importLine struct {
	out     io.Writer
	redraws bool
	begin   time.Time
	shown   time.Time
	what    string
	width   int
}

const (
	redrawEvery = time.Second
	lineEvery   = 10 * time.Second
)

func (l *importLine) show(p importer.Progress) {
	every := lineEvery
	if l.redraws {
		every = redrawEvery
	}
	if p.What == "" {
		p.What = l.what
	}
	if time.Since(l.shown) < every && p.What == l.what {
		return
	}
	l.shown, l.what = time.Now(), p.What
	text := fmt.Sprintf("%6.0f s  %s", time.Since(l.begin).Seconds(), p.What)
	switch {
	case p.Waiting != "":
		text = fmt.Sprintf("%s: waiting %s, because %s", text, p.Wait.Round(100*time.Millisecond), p.Waiting)
	case p.At.IsZero():
		text = fmt.Sprintf("%s: %d", text, p.Rows)
	default:
		text = fmt.Sprintf("%s: %d, up to %s", text, p.Rows, p.At.Format("2006-01-02 15:04"))
	}
	if !l.redraws {
		fmt.Fprintln(l.out, text)
		return
	}
	fmt.Fprintf(l.out, "\r%-*s", l.width, text)
	l.width = len(text)
}

func (l *importLine) end() {
	if l.redraws && l.what != "" {
		fmt.Fprintln(l.out)
	}
}
