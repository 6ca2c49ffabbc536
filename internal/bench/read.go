package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

// ReadResult compares every class of reads with its own statements run bare.
type ReadResult struct {
	Rows       int           `json:"rows"`
	Classes    []ClassResult `json:"classes"`
	MemoryPeak uint64        `json:"memory_peak_bytes"` // of server and engine while they were read from

	Parts      int     `json:"parts"`
	MaxRatio   float64 `json:"max_ratio"`
	MaxExtraMS float64 `json:"max_extra_ms"`
	// MaxRareWordMS bounds the p50 of the search for a rare word.
	MaxRareWordMS float64      `json:"max_rare_word_ms"`
	WithIngest    *LoadedReads `json:"with_ingest,omitempty"`
	Broken        []string     `json:"broken"` // why the run does not hold

	smaller *ReadResult
}

// ClassResult is one class. The statements of each request were run bare right beside it.
type ClassResult struct {
	Key         string  `json:"key"`
	Name        string  `json:"name"`
	P50         float64 `json:"p50_ms"`
	P95         float64 `json:"p95_ms"`
	BareP50     float64 `json:"bare_p50_ms"`
	BareP95     float64 `json:"bare_p95_ms"`
	Ratio       float64 `json:"ratio"`      // of the two p95
	Statements  int     `json:"statements"` // of the last request
	Repetitions int     `json:"repetitions"`
	Bytes       int     `json:"answer_bytes"` // of the last answer
	Failed      string  `json:"failed,omitempty"`
}

// ReadOptions say what to read, and what it may cost.
type ReadOptions struct {
	Dir     string
	Rows    int      // seed so many rows first; 0: the directory is seeded
	Classes []string // keys; none: all

	MaxRatio float64
	MaxExtra time.Duration
	// MaxRareWord bounds the p50 of the search for a rare word.
	MaxRareWord time.Duration
	Compare     string // file with the result of a smaller run

	WithIngest bool
	IngestPeak int // spans/s; 0: measure it
}

// Read serves a seeded directory and measures every class on it.
func Read(ctx context.Context, o ReadOptions, p *Progress) (result ReadResult, err error) {
	result.Broken = []string{}
	result.MaxRatio, result.MaxExtraMS = o.MaxRatio, float64(o.MaxExtra.Microseconds())/1000
	result.MaxRareWordMS = float64(o.MaxRareWord.Microseconds()) / 1000
	if result.smaller, err = readComparison(o.Compare); err != nil {
		return result, err
	}
	state, err := seededDir(ctx, o, p)
	if err != nil {
		return result, err
	}
	classes, err := chooseClasses(o.Classes, state.denseRows() > 0)
	if err != nil {
		return result, err
	}
	s, err := newServerIn(state.ownDir(), state.dir)
	if err != nil {
		return result, err
	}
	defer func() {
		_, stopped := s.stop()
		err = errors.Join(err, stopped)
	}()
	if _, err := s.start(ctx); err != nil {
		return result, err
	}
	result.Rows = state.Rows
	r, err := newReader(s, state.seedPlan, p)
	if err != nil {
		return result, err
	}
	defer r.close()
	if err := r.settle(ctx, &result); err != nil {
		return result, err
	}
	peak := watchPeak(ctx, s.pid())
	result.Classes, err = r.measureAll(ctx, classes)
	result.MemoryPeak = peak()
	if err == nil && o.WithIngest {
		result.WithIngest, err = r.withIngest(ctx, classes, o.IngestPeak)
	}
	return result, err
}

// seededDir finds the directory, and seeds it when that was asked for.
func seededDir(ctx context.Context, o ReadOptions, p *Progress) (*seedState, error) {
	dir := o.Dir
	switch {
	case dir == "" && o.Rows == 0:
		return nil, errors.New("give --dir with a seeded directory, or --rows to seed one")
	case dir == "":
		dir = SeedDir(o.Rows)
	}
	state, err := readSeed(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if o.Rows > 0 && (err != nil || state.Result == nil || state.Rows != o.Rows) {
		options := SeedOptions{Dir: dir, Rows: o.Rows, Seed: 1, Dense: true}
		if err == nil {
			options.Seed, options.Dense = state.Seed, state.Dense
		}
		if _, err := Seed(ctx, options, p); err != nil {
			return nil, err
		}
		state, err = readSeed(dir)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w; run sonde bench seed first", err)
	case state.Result == nil:
		return nil, fmt.Errorf("the seed of %s was interrupted: run sonde bench seed again, it goes on where it was", dir)
	case state.Format != seedFormat:
		return nil, fmt.Errorf("%s was seeded by another version; seed it anew", dir)
	}
	return state, nil
}

func readComparison(file string) (*ReadResult, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the run to compare with: %w", err)
	}
	var smaller ReadResult
	if err := json.Unmarshal(text, &smaller); err != nil {
		return nil, fmt.Errorf("read the run to compare with: %s: %w", file, err)
	}
	return &smaller, nil
}

// reader measures one server.
type reader struct {
	*asker
	recorder *recorder
	bare     *chstore.Store // one connection
	progress *Progress
	answer   bytes.Buffer
}

func newReader(s *server, plan seedPlan, p *Progress) (*reader, error) {
	node, err := s.engineNode(chstore.DefaultDatabase)
	if err != nil {
		return nil, err
	}
	bare, err := chstore.Open(chstore.Config{Nodes: []string{node}, Reads: 1})
	if err != nil {
		return nil, err
	}
	recorder, err := newRecorder(node)
	if err != nil {
		bare.Close()
		return nil, err
	}
	return &reader{asker: &asker{newSeeder(plan.layout()), s}, recorder: recorder, bare: bare, progress: p}, nil
}

func (r *reader) close() {
	r.bare.Close()
	r.recorder.close()
}

// settle waits for merges that the start began.
func (r *reader) settle(ctx context.Context, result *ReadResult) error {
	r.progress.say("waiting until nothing is merged")
	if err := waitQuiet(ctx, r.bare, r.progress); err != nil {
		return err
	}
	parts, err := r.bare.ActiveParts(ctx)
	result.Parts = int(parts)
	return err
}

// get asks the server and returns how long the whole answer took. The body stays in r.answer.
func (r *reader) get(ctx context.Context, q question) (time.Duration, error) {
	req, err := q.request(ctx, r.server.url)
	if err != nil {
		return 0, err
	}
	req.SetBasicAuth(publicKey, secretKey)
	r.answer.Reset()
	began := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if _, err := r.answer.ReadFrom(resp.Body); err != nil {
		return 0, err
	}
	took := time.Since(began)
	if resp.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("%s: %w", q, &refusedError{resp.StatusCode, beginning(r.answer.Bytes())})
	}
	return took, nil
}

// beginning of an answer, for error messages.
func beginning(answer []byte) string {
	return strings.TrimSpace(string(answer[:min(len(answer), beginningBytes)]))
}

const beginningBytes = 500

// check fails when the last answer is not the one that the rows of the seed have: a class that finds
// nothing is fast and worth nothing.
func (r *reader) check(q question) error {
	if q.rows == anything {
		return nil
	}
	var answer struct {
		Data []json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(r.answer.Bytes(), &answer); err != nil {
		return fmt.Errorf("%s: %w", q, err)
	}
	got := len(answer.Data)
	if q.rows == atLeastOne && got > 0 || got == q.rows {
		return nil
	}
	want := strconv.Itoa(q.rows)
	if q.rows == atLeastOne {
		want = "some"
	}
	return fmt.Errorf("%s answered %d rows, the seed has %s", q, got, want)
}

// Table shows the result to people.
func (r ReadResult) Table(out io.Writer) {
	fmt.Fprintf(out, "%d rows in %d parts; at most %.0f MB\n", r.Rows, r.Parts, float64(r.MemoryPeak)/1e6)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "p50 ms\tp95 ms\tbare p50\tbare p95\tratio\tstatements\t\tclass")
	for _, c := range r.Classes {
		if c.Failed != "" {
			fmt.Fprintf(t, "-\t-\t-\t-\t-\t-\t\t%s: failed\n", c.Name)
			continue
		}
		fmt.Fprintf(t, "%.1f\t%.1f\t%.1f\t%.1f\t%.2f\t%d\t\t%s\n", c.P50, c.P95, c.BareP50, c.BareP95, c.Ratio, c.Statements, c.Name)
	}
	_ = t.Flush() // standard output; print does not look either
	if w := r.WithIngest; w != nil {
		fmt.Fprintf(out, "while %.0f spans/s of %.0f asked for were stored (loss %.1f %%):\n", w.StoredRate, w.Rate, 100*w.Loss)
		for _, c := range w.Classes {
			fmt.Fprintf(out, "%8.1f ms p95, %.1f idle (%.2f times)  %s\n", c.LoadedP95, c.IdleP95, c.Ratio, c.Name)
		}
	}
}
