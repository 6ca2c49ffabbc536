package bench

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// sideBySide is how many traces run at once: in time order the neighbor of a span belongs to
// another trace, as in production.
const sideBySide = 200

// epoch is when every fleet begins: the same seed gives the same rows on every day.
var epoch = time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)

// lane is a place where one trace runs after the other.
type lane struct {
	at   time.Time
	step func() (spans []span, next time.Time, over bool)
}

// fleet makes the spans of many traces that run side by side. It begins in the middle: the first
// trace of each lane is already at a random turn, and what it did before is not shown. So a short
// look sees as many late turns as a long one.
type fleet struct {
	corpus *corpus
	begin  func(at time.Time, inMiddle bool) *lane
	lanes  []*lane
	spans  []span // made and not yet handed out
}

// newFleet makes the corpus of that name: a number of turns, or "mixed".
func newFleet(name string, seed uint64) (*fleet, error) {
	c := newCorpus(seed)
	f := &fleet{corpus: c}
	if name == "mixed" {
		f.begin = newMixture(c).begin
	} else {
		turns, err := strconv.Atoi(name)
		if err != nil || turns < 1 || turns > maxTurns {
			return nil, fmt.Errorf("there is no corpus %q: give a number of turns up to %d, or mixed", name, maxTurns)
		}
		f.begin = func(at time.Time, inMiddle bool) *lane { return c.agent(at, turns, inMiddle, c.text) }
	}
	for range sideBySide {
		f.lanes = append(f.lanes, f.begin(epoch.Add(c.about(time.Second)), true))
	}
	return f, nil
}

// maxTurns bounds one input: the last turn of such a run holds about a quarter of a megabyte.
const maxTurns = 400

// take returns the next n spans in about the order in which they end.
func (f *fleet) take(n int) []span {
	for len(f.spans) < n {
		first := slices.MinFunc(f.lanes, func(a, b *lane) int { return a.at.Compare(b.at) })
		spans, next, over := first.step()
		f.spans = append(f.spans, spans...)
		first.at = next
		if over {
			*first = *f.begin(next.Add(f.corpus.about(time.Second)), false)
		}
	}
	taken := slices.Clone(f.spans[:n])
	f.spans = append(f.spans[:0], f.spans[n:]...)
	return taken
}

// agent is a lane with a conversation of the given number of turns.
func (c *corpus) agent(at time.Time, turns int, inMiddle bool, text func(int) string) *lane {
	v := c.converse(at, text)
	if inMiddle {
		for range c.rand.IntN(turns) {
			v.turn()
		}
		v.at = at
	}
	return &lane{at: at, step: func() ([]span, time.Time, bool) {
		spans := v.turn()
		if v.turns < turns {
			return spans, v.at, false
		}
		return append(spans, v.end()), v.at, true
	}}
}

// turnsBetween draws a number of turns whose logarithm is even: most runs are short.
func (c *corpus) turnsBetween(least, most float64) int {
	return int(least * math.Pow(most/least, c.rand.Float64()))
}
