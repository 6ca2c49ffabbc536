package app

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/bench"
)

// benchCommand holds the benches; each prints one JSON object, or a line per figure.
type benchCommand struct {
	Idle      idleBench      `cmd:"" help:"What a server costs that nobody uses: time to ready, memory, CPU."`
	Ingest    ingestBench    `cmd:"" help:"Spans per second from request to readable, beside bare inserts of the same rows."`
	Freshness freshnessBench `cmd:"" help:"Time from acknowledgement to readable at a steady rate."`
	Crash     crashBench     `cmd:"" help:"Kill -9 of server, engine or both under load: what is lost, what is doubled."`
	Projects  projectsBench  `cmd:"" help:"Many projects that send little each: the store must make few parts."`
	Soak      soakBench      `cmd:"" help:"A steady load over a long time: memory must stay flat, lag small, every request accepted."`
	Fairness  fairnessBench  `cmd:"" help:"What small projects notice of one that sends a hundred times as much."`
	Storage   storageBench   `cmd:"" help:"Bytes per span on disk beside one wide table with the same columns and codecs."`
	Seed      seedBench      `cmd:"" help:"Fill a data directory with observations of 30 days, for bench read and for trying things."`
	Scan      scanBench      `cmd:"" help:"Where in a data directory a text lies, with every file decoded."`
	Erase     eraseBench     `cmd:"" help:"Deletes under load: hidden at once everywhere, and no trace left in any file."`
	Evaluate  evaluateBench  `cmd:"" help:"Rows through an evaluation rule while its server dies: each decided once, each score there once."`
	Import    importBench    `cmd:"" help:"An import from a scripted Langfuse server that fails, killed on the way: every row there once, with its cost."`
	Read      readBench      `cmd:"" help:"Every class of reads through the API, beside the same SQL run bare."`
	Prompts   promptsBench   `cmd:"" help:"Reads of a prompt while spans come in, beside a bare handler of the same answer."`
	Skeleton  skeletonBench  `cmd:"" help:"Whole traces as a page shows them: bytes, time to the first rows, memory."`
	Static    staticBench    `cmd:"" hidden:""`
}

type outputFlags struct {
	JSON bool `help:"Print one JSON object on standard output instead of a line per figure."`
}

type idleBench struct {
	outputFlags
	Watch time.Duration `default:"20s" help:"How long to watch CPU after settling."`
}

// Run measures an idle server.
func (b *idleBench) Run(ctx context.Context, std streams) error {
	result, err := bench.Idle(ctx, b.Watch, bench.NewProgress(std.err))
	return b.print(std, result, err)
}

type ingestBench struct {
	outputFlags
	Seconds     int  `default:"15" help:"Spans to send, in seconds at 20,000 spans/s."`
	Connections int  `default:"8" help:"Clients sending at once."`
	SkipBare    bool `help:"Leave out the bare inserts."`
}

// Run measures the way in.
func (b *ingestBench) Run(ctx context.Context, std streams) error {
	result, err := bench.Ingest(ctx, bench.IngestOptions{Seconds: b.Seconds, Connections: b.Connections, SkipBare: b.SkipBare}, bench.NewProgress(std.err))
	return b.print(std, result, err)
}

type freshnessBench struct {
	outputFlags
	Rate    int `help:"Spans per second; 0: half of the peak, which is measured first."`
	Seconds int `default:"20" help:"How long to send."`
}

// Run measures visibility.
func (b *freshnessBench) Run(ctx context.Context, std streams) error {
	result, err := bench.Freshness(ctx, bench.FreshnessOptions{Rate: b.Rate, Seconds: b.Seconds}, bench.NewProgress(std.err))
	return b.print(std, result, err)
}

type crashBench struct {
	outputFlags
	Rounds int `default:"20" help:"How often to kill."`
}

// Run kills and counts.
func (b *crashBench) Run(ctx context.Context, std streams) error {
	result, err := bench.Crash(ctx, b.Rounds, bench.NewProgress(std.err))
	if err == nil && result.Lost+result.Duplicated > 0 {
		err = fmt.Errorf("%d spans lost, %d duplicated", result.Lost, result.Duplicated)
	}
	return b.print(std, result, err)
}

type projectsBench struct {
	outputFlags
	Projects int           `default:"1000" help:"Projects that send in turn."`
	Rate     int           `default:"150" help:"Spans per second of all projects together; about 1 % of the peak."`
	Duration time.Duration `default:"2m" help:"How long to send."`
}

// Run sends for many tenants and watches the store's parts.
func (b *projectsBench) Run(ctx context.Context, std streams) error {
	result, err := bench.Projects(ctx, bench.ProjectsOptions{Projects: b.Projects, Rate: b.Rate, Duration: b.Duration}, bench.NewProgress(std.err))
	if err == nil {
		err = result.Verdict()
	}
	return b.print(std, result, err)
}

type soakBench struct {
	outputFlags
	Rate     int           `default:"12000" help:"Spans per second; take half of what bench ingest shows."`
	Duration time.Duration `default:"30m" help:"How long to send."`
}

// Run sends steadily and watches.
func (b *soakBench) Run(ctx context.Context, std streams) error {
	result, err := bench.Soak(ctx, bench.SoakOptions{Rate: b.Rate, Duration: b.Duration}, bench.NewProgress(std.err))
	if err == nil {
		err = result.Verdict()
	}
	return b.print(std, result, err)
}

type fairnessBench struct {
	outputFlags
	Projects int           `default:"50" help:"Projects, the heavy one included."`
	Factor   int           `default:"100" help:"Bodies that the heavy project sends for one of each other; its bodies hold 50 spans, theirs 3."`
	Rate     float64       `default:"2" help:"Bodies per second of each small project."`
	Duration time.Duration `default:"20s" help:"How long to send alone, and how long beside the heavy project."`
}

// Run measures small projects alone and beside a heavy one.
func (b *fairnessBench) Run(ctx context.Context, std streams) error {
	options := bench.FairnessOptions{Projects: b.Projects, Factor: b.Factor, Rate: b.Rate, Duration: b.Duration}
	result, err := bench.Fairness(ctx, options, bench.NewProgress(std.err))
	if err == nil {
		err = result.Verdict()
	}
	return b.print(std, result, err)
}

type storageBench struct {
	outputFlags
	Turns []string `default:"10,30,100,mixed" help:"Corpora: agents of so many turns, or mixed."`
	Spans int      `default:"60000" help:"Spans of each corpus."`
	Seed  uint64   `default:"1" help:"The same seed makes the same spans."`
}

// Run stores every corpus and compares sizes.
func (b *storageBench) Run(ctx context.Context, std streams) error {
	result, err := bench.Storage(ctx, bench.StorageOptions{Corpora: b.Turns, Spans: b.Spans, Seed: b.Seed}, bench.NewProgress(std.err))
	if err == nil {
		err = result.Verdict()
	}
	if b.JSON {
		return b.print(std, result, err)
	}
	for _, corpus := range result.Corpora {
		if failed := b.print(std, corpus, nil); failed != nil {
			return failed
		}
	}
	return err
}

// print shows the result even when the bench failed on the way: figures explain failures.
func (o outputFlags) print(std streams, result any, failed error) error {
	if o.JSON {
		text, err := json.Marshal(result)
		if err != nil {
			return fmt.Errorf("render result: %w", err)
		}
		fmt.Fprintln(std.out, string(text))
		return failed
	}
	v := reflect.ValueOf(result)
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() {
			continue
		}
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		fmt.Fprintf(std.out, "%-28s %v\n", name, v.Field(i).Interface())
	}
	return failed
}
