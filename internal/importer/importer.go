// Package importer copies a project of a Langfuse server into a project of a Sonde server, by the public API of both, and the
// rows of a project into a file.
//
// Promises:
//   - Every row keeps its id, times, cost and usage, and what it says; see docs/operate/migrate-from-langfuse.md for what
//     does not come along.
//   - An import that ended in any way goes on where it was, from its state file, and neither loses nor doubles a row.
//   - Memory is bounded by the largest row and by one request, whatever the size of the source.
//   - A source is read by windows of time, so that no page needs to skip more than a few rows, and as slowly as it asks for.
package importer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// The kinds of things, by which state and report are ordered.
const (
	kindModels       = "models"
	kindPrompts      = "prompts"
	kindDatasets     = "datasets"
	kindItems        = "dataset items"
	kindRuns         = "dataset run items"
	kindTraces       = "traces"
	kindObservations = "observations"
	kindConfigs      = "score configs"
	kindScores       = "scores"
	kindArchive      = "archived score configs"
)

// Choices are what can be imported alone. Sessions come with their traces.
var Choices = []string{kindModels, kindPrompts, kindDatasets, kindTraces, kindScores}

// How much is compared at the end.
const (
	VerifyOff    = "off"
	VerifySample = "sample"
	VerifyAll    = "all"
)

// Config says what to import.
type Config struct {
	From, To     Server
	Since, Until time.Time // zero: everything; until now
	Only         []string  // of Choices; none: all
	StateFile    string
	Verify       string
	DryRun       bool // count and write nothing
}

// Progress is told how far an import is, often.
type Progress struct {
	What string
	Rows int
	At   time.Time // up to when rows are read; zero: they do not go by time
	// Waiting says why nothing happens for a while.
	Waiting string
	Wait    time.Duration
}

// importer is one run.
type importer struct {
	config         Config
	source, target *client
	state          *State
	progress       func(Progress)
}

// Run imports and compares. A report comes even with an error, as far as it got.
func Run(ctx context.Context, c Config, progress func(Progress)) (*Report, error) {
	im := &importer{config: c, progress: progress}
	waiting := func(reason string, wait time.Duration) { progress(Progress{Waiting: reason, Wait: wait}) }
	im.source, im.target = newClient(c.From, waiting), newClient(c.To, waiting)
	if err := im.begin(ctx); err != nil {
		return nil, err
	}
	report := &Report{DryRun: c.DryRun}
	for _, step := range im.steps() {
		if len(c.Only) > 0 && !slices.Contains(c.Only, step.choice) {
			continue
		}
		s := im.state.step(step.kind)
		if s.Done {
			continue
		}
		if err := step.run(ctx, s); err != nil {
			return report, fmt.Errorf("import %s: %w", step.kind, err)
		}
		s.Done = true
		if err := im.state.save(); err != nil {
			return report, err
		}
	}
	return report, im.report(ctx, report)
}

// step is one kind of things and how it is imported.
type step struct {
	kind, choice string
	run          func(context.Context, *Step) error
}

// steps are in an order in which what is named by others is there before them.
func (im *importer) steps() []step {
	if im.config.DryRun {
		return im.counts()
	}
	return []step{
		{kindModels, kindModels, im.models},
		{kindPrompts, kindPrompts, im.prompts},
		{kindDatasets, kindDatasets, im.datasets},
		{kindRuns, kindDatasets, im.runs},
		{kindTraces, kindTraces, im.traces},
		{kindObservations, kindTraces, im.observations},
		{kindConfigs, kindScores, im.configs},
		{kindScores, kindScores, im.scores},
		{kindArchive, kindScores, im.archive},
	}
}

// begin asks both servers who they are: wrong addresses and keys are told at once.
func (im *importer) begin(ctx context.Context) error {
	from, err := im.source.project(ctx)
	if err != nil {
		return fmt.Errorf("ask the source for its project: %w", err)
	}
	to := ""
	if !im.config.DryRun {
		if to, err = im.target.project(ctx); err != nil {
			return fmt.Errorf("ask the target for its project: %w", err)
		}
		if from == to {
			return errors.New("source and target are the same project")
		}
	}
	path := im.config.StateFile
	if im.config.DryRun {
		path = "" // it writes nothing
	}
	if im.state, err = openState(path, from, to); err != nil {
		return err
	}
	return im.bound()
}

// bound sets the times, once: a resumed import must not read further than it began to.
func (im *importer) bound() error {
	s, c := im.state, im.config
	if s.Until.IsZero() {
		s.Since, s.Until = time.Unix(0, 0).UTC(), time.Now().UTC().Truncate(time.Millisecond)
		if !c.Since.IsZero() {
			s.Since = c.Since.UTC().Truncate(time.Millisecond)
		}
		if !c.Until.IsZero() {
			s.Until = c.Until.UTC().Truncate(time.Millisecond)
		}
		if !s.Since.Before(s.Until) {
			return errors.New("--since must be before --until")
		}
		return s.save()
	}
	for _, bound := range []struct {
		flag       string
		given, was time.Time
	}{{"--since", c.Since, s.Since}, {"--until", c.Until, s.Until}} {
		if !bound.given.IsZero() && !bound.given.UTC().Truncate(time.Millisecond).Equal(bound.was) {
			return fmt.Errorf("this import began with %s %s; leave the flag out to go on, or name another file with --state for another import", bound.flag, stamp(bound.was))
		}
	}
	return nil
}

// project is the address and the id of the project that the keys belong to.
func (c *client) project(ctx context.Context) (string, error) {
	var answer struct{ Data []struct{ ID string } }
	if err := c.get(ctx, "/api/public/projects", nil, &answer); err != nil {
		if refusedWith(err, http.StatusNotFound) {
			return "", fmt.Errorf("%w; is %s the address of the server itself, without /api?", err, c.server.URL)
		}
		return "", err
	}
	if len(answer.Data) != 1 {
		return "", fmt.Errorf("the keys for %s are not those of a project", c.server.URL)
	}
	return c.server.URL + "/project/" + answer.Data[0].ID, nil
}

// told reports progress.
func (im *importer) told(kind string, rows int) { im.progress(Progress{What: kind, Rows: rows}) }

// walk reads a list of the source by time into a sink.
func (im *importer) walk(ctx context.Context, kind string, s *Step, l list, to sink, safe func() error) error {
	w := walker{source: im.source, list: l, step: s, since: im.state.Since, until: im.state.Until, to: to, safe: func() error {
		im.progress(Progress{What: kind, Rows: s.Tally.Rows + s.Pending.Rows, At: s.Next})
		if safe != nil {
			if err := safe(); err != nil {
				return err
			}
		}
		return im.state.save()
	}}
	return w.run(ctx)
}

// traces imports what older servers keep of a trace beside its observations; newer ones keep nothing.
func (im *importer) traces(ctx context.Context, s *Step) error {
	l, err := choose(ctx, im.source, newerObservations, olderObservations)
	if err != nil || l.cursors {
		return err
	}
	return im.walk(ctx, kindTraces, s, olderTraces, &traceWriter{writer{target: im.target, step: s}}, nil)
}

func (im *importer) observations(ctx context.Context, s *Step) error {
	l, err := choose(ctx, im.source, newerObservations, olderObservations)
	if err != nil {
		return err
	}
	s.Newer = l.cursors
	var traces Tally
	w := &observationWriter{writer: writer{target: im.target, step: s}, source: im.source, traces: &traces, list: l}
	return im.walk(ctx, kindObservations, s, l, w, func() error {
		im.state.step(kindTraces).Tally.add(traces)
		traces = Tally{}
		return nil
	})
}

func (im *importer) scores(ctx context.Context, s *Step) error {
	l, err := choose(ctx, im.source, newerScores, olderScores, oldestScores)
	if err != nil {
		return err
	}
	w := &scoreWriter{writer: writer{target: im.target, step: s}, state: im.state}
	w.refused = w.withoutConfig
	return im.walk(ctx, kindScores, s, l, w, nil)
}
