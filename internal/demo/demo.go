// Package demo fills a server with data that somebody can look around in: what a small company's agents
// did in a few days, what it cost and how good it was, and a few traces that are odd on purpose.
//
// Everything goes through the public API, so the demo also shows that it is enough.
package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// Config says where the data goes and how much there is.
type Config struct {
	URL                  string // of the server, with its path
	PublicKey, SecretKey string // of the project that is filled
	Traces               int    // ordinary ones; odd ones come on top
	Days                 int    // over which they spread
	Until                time.Time
	Seed                 uint64 // the same seed and Until give the same data, ids included
	Large                bool   // adds traces of 10,000 and 50,000 observations and an input of 20 MB
	Volume               Volume
}

// Volume is how much there is of what stands beside ordinary traces.
type Volume struct {
	Sessions        int // conversations of two turns each
	PromptVersions  int // of one prompt
	Experiments     int // at most five
	ExperimentItems int // of the dataset that they run over
}

// Usual is enough to look around in.
var Usual = Volume{PromptVersions: 3, Experiments: 3, ExperimentItems: 24}

// Fixture is what the tests of the web interface know: always the same rows at the same times, and enough of everything
// that lists must page, draw and compare. It fills one project; a test makes further ones over the API.
func Fixture(url, publicKey, secretKey string) Config {
	return Config{
		URL: url, PublicKey: publicKey, SecretKey: secretKey,
		Traces: 600, Days: 7, Until: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), Seed: 1, Large: true,
		Volume: Volume{Sessions: 500, PromptVersions: 30, Experiments: 5, ExperimentItems: 200},
	}
}

// Progress is told what is being done and how far it is. It is called from one goroutine.
type Progress func(what string, done, total int)

// Summary is what was sent.
type Summary struct {
	Traces, Observations, Scores int
	// Named traces, for a first look: what is odd about one, and its id.
	Odd []OddTrace
}

// OddTrace is a trace that shows one thing.
type OddTrace struct{ What, ID string }

// Run sends the data. What was sent stays when it fails in the middle; running it again with the same
// seed and time writes the same rows again and adds none.
func Run(ctx context.Context, config Config, progress Progress) (Summary, error) {
	d := &demo{
		Config:   config,
		client:   newClient(config),
		rand:     rand.New(rand.NewPCG(config.Seed, 7)),
		progress: progress,
	}
	for _, step := range []struct {
		what string
		run  func(context.Context) error
	}{
		{"prompts and score configs", d.sendSettings},
		{"traces", d.sendStories},
		{"odd traces", d.sendOddTraces},
		{"sessions", d.sendSessions},
		{"datasets", d.sendDatasets},
		{"experiments", d.sendExperiments},
		{"scores", d.sendScores},
		{"reviews", d.sendReviews},
		{"dashboards and alerts", d.sendDashboards},
		{"evaluators", d.sendEvaluators},
	} {
		d.what = step.what
		if err := step.run(ctx); err != nil {
			return d.summary, fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return d.summary, nil
}

// demo is one run.
type demo struct {
	Config
	client   *client
	rand     *rand.Rand
	progress Progress
	what     string
	summary  Summary
	scores   []score // noted on the way, sent at the end
}

func (d *demo) report(done, total int) { d.progress(d.what, done, total) }

// pick returns one of several.
func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// chance is true in about one of n cases.
func (d *demo) chance(n int) bool { return d.rand.IntN(n) == 0 }

// between draws a duration, short ones more often than long ones, as latencies are.
func (d *demo) between(low, high time.Duration) time.Duration {
	share := d.rand.Float64() * d.rand.Float64()
	return low + time.Duration(share*float64(high-low))
}
