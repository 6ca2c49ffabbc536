// Package app is the program: its commands, its roles, and the wiring of every part.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/bench"
	"github.com/sondehq/sonde/internal/config"
	"github.com/sondehq/sonde/internal/engine"
	"github.com/sondehq/sonde/internal/selfobs"
)

// commandLine is every command with its flags.
type commandLine struct {
	Config kong.ConfigFlag `placeholder:"FILE" help:"YAML file with settings; its keys are the flags of serve."`

	Serve   serveCommand   `cmd:"" help:"Run the server: API, ingest log, writer and engine in one process."`
	Router  routerCommand  `cmd:"" help:"Stand in front of the processes of a cluster and send each request where it is served."`
	Doctor  doctorCommand  `cmd:"" aliases:"check" help:"Find out what is wrong: with the settings and all they point to, and with the server that runs here."`
	User    userCommand    `cmd:"" help:"Create users, reset their passwords and list them, in the metadata database itself."`
	Key     keyCommand     `cmd:"" help:"List API keys and give one another secret, in the metadata database itself."`
	Project projectCommand `cmd:"" help:"Show and change which cell serves a project."`
	Audit   auditCommand   `cmd:"" help:"Show who did what."`
	Secrets secretsCommand `cmd:"" help:"Give everything that is sealed in the metadata database another key."`
	Backup  backupCommand  `cmd:"" help:"Write everything a running server keeps to a directory or a bucket, and prove that it comes back."`
	Restore restoreCommand `cmd:"" help:"Make the data of a new server from a backup."`
	Migrate migrateCommand `cmd:"" help:"Show what this version would do to the data, or do it without serving."`
	Health  healthCommand  `cmd:"" help:"Ask the server on this machine whether it works; for health checks of containers."`
	Probe   probeCommand   `cmd:"" help:"Write known traces to a server and read them back, once or as a service with metrics."`
	Reprice repriceCommand `cmd:"" help:"Give stored observations the cost that they have by today's prices, or show what would change."`
	Import  importCommand  `cmd:"" help:"Copy the data of another server into a project of a running one."`
	Export  exportCommand  `cmd:"" help:"Write the observations, scores or experiments of a project to a file, as lines of JSON."`
	SQL     sqlCommand     `cmd:"" name:"sql" help:"Ask a running server SQL over the rows of a project."`
	Demo    demoCommand    `cmd:"" help:"Fill a project of a running server with data to look around in."`
	Bench   benchCommand   `cmd:"" help:"Measure this build on this machine; each bench starts its own server and ends it."`
	Version versionCommand `cmd:"" help:"Print the version."`

	Experiments experimentsCommand `cmd:"" help:"Compare experiments of a running server, for pipelines that must notice when answers get worse."`
	Erasures    erasuresCommand    `cmd:"" help:"Show who had what deleted, when it was erased, and what that found."`
	DeadLetters deadLettersCommand `cmd:"" name:"deadletters" help:"List, read, redrive and delete records that could not be stored."`

	Completion completionCommand `cmd:"" help:"Print what makes a shell complete commands and flags."`
	Man        manCommand        `cmd:"" help:"Print the manual page."`

	Engine engineCommand `cmd:"" help:"Fetch the engine's library."`
}

const description = `Sonde keeps traces, scores and experiments of LLM applications and tells what they did and cost.

Start it with "sonde serve", point any Langfuse SDK or OpenTelemetry exporter at it, and read back
what you sent. Every flag can be set as an environment variable (shown behind it) or in a file
given by --config; flags win over the environment, the environment over the file.`

// Main runs the program and returns its exit code.
func Main(args []string, stdout, stderr io.Writer) int {
	if engine.IsChild(args) {
		return engine.Main(args[1:])
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, args, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "sonde:", err)
		return exitCodeOf(args, err)
	}
	return 0
}

// errShown stands for an end that kong has already explained.
var errShown = errors.New("shown")

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	// Kong leaves by calling exit; a panic brings us back here instead.
	defer func() {
		if r := recover(); r != nil {
			if code, ok := r.(exitCode); ok {
				if code != 0 {
					err = errShown
				}
				return
			}
			panic(r)
		}
	}()
	parser, err := newParser(stdout, stderr)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	if args[0] == completeWord {
		complete(stdout, parser.Model, args[1:])
		return nil
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return fmt.Errorf("%w\nrun \"sonde --help\" or \"sonde COMMAND --help\" to see what there is", err)
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	return parsed.Run(streams{in: os.Stdin, out: stdout, err: stderr}, parser)
}

// newParser makes the command line.
func newParser(stdout, stderr io.Writer) (*kong.Kong, error) {
	parser, err := kong.New(&commandLine{},
		kong.Name("sonde"), kong.Description(description), kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { panic(exitCode(code)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true, WrapUpperBound: 110}),
		kong.Configuration(config.FromYAML),
		kong.Vars{"readClasses": strings.Join(bench.ReadClasses(), ", ")},
	)
	if err != nil {
		return nil, fmt.Errorf("describe the command line: %w", err)
	}
	return parser, nil
}

type exitCode int

// streams are what the program reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run(std streams) error {
	_, err := fmt.Fprintf(std.out, "sonde %s (commit %s, %s, answers as %s)\n",
		selfobs.Version, selfobs.Commit, runtime.Version(), api.CompatibleVersion)
	return err
}
