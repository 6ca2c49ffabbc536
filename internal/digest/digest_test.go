package digest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/digest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tokens"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func observation(i int, change ...func(*model.Observation)) *model.Observation {
	o := &model.Observation{
		ID: fmt.Sprintf("o%d", i), ParentID: "o0", Name: fmt.Sprintf("step %d", i), Type: model.Span, Level: model.Default,
		StartTime: noon.Add(time.Duration(i) * time.Second), EndTime: noon.Add(time.Duration(i+1) * time.Second),
		Input: strings.Repeat("some words of input ", 50), Output: fmt.Sprintf("output %d", i),
	}
	if i == 0 {
		o.ParentID = ""
	}
	for _, c := range change {
		c(o)
	}
	return o
}

func of(n int) *digest.Digest {
	d := digest.New(digest.Head{
		ID: "trace-1", Name: "chat", UserID: "ada", Start: noon, Latency: time.Minute, Cost: decimal.RequireFromString("0.5"), Input: "what is it?", Output: "forty-two",
		Tags: []string{"beta"}, Scores: []digest.Score{{Name: "quality", Value: "0.9", Comment: "good"}},
	})
	for i := range n {
		d.Add(observation(i, func(o *model.Observation) {
			if i == n/2 {
				o.Level, o.StatusMessage, o.Name = model.Error, "the index is gone", "search"
			}
			if i%3 == 1 {
				o.ParentID, o.Type, o.Model = fmt.Sprintf("o%d", i-1), model.Generation, "gpt-4o"
			}
		}))
	}
	return d
}

// Whatever the trace and the number, the text has at most as many tokens, and what matters most is in it.
func TestDigestFits(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 30, 600, 5000} {
		last := -1
		for _, most := range []int{digest.LeastTokens, digest.DefaultTokens, digest.MostTokens} {
			got := of(n).Fit(most)
			counted, err := tokens.Count("", got.Text, time.Now().Add(time.Minute))
			if err != nil || counted > uint64(most) {
				t.Errorf("%d observations in %d tokens: %d (%v)", n, most, counted, err)
			}
			if got.Shown < last || got.All != n || got.Shown > n {
				t.Errorf("%d observations in %d tokens: %d are shown, fewer tokens showed %d", n, most, got.Shown, last)
			}
			last = got.Shown
			if !strings.HasPrefix(got.Text, "Trace chat (trace-1)\n") {
				t.Errorf("begins with %.60q", got.Text)
			}
			if n > 1 && !strings.Contains(got.Text, "ERROR the index is gone") {
				t.Errorf("%d observations in %d tokens do not tell the error:\n%s", n, most, got.Text)
			}
			if more := n - got.Shown; more > 0 && !strings.Contains(got.Text, fmt.Sprintf("%d more observations", more)) {
				t.Errorf("%d observations in %d tokens: %d are left out and not told", n, most, more)
			}
			if again := of(n).Fit(most); again != got {
				t.Errorf("%d observations in %d tokens: another text the second time", n, most)
			}
		}
	}
}

func TestDigestTellsATrace(t *testing.T) {
	t.Parallel()
	d := of(3)
	got := d.Fit(digest.DefaultTokens).Text
	for _, want := range []string{
		"2026-05-01T12:00:00.000Z, took 60s, 3 observations, 1 errors, 0 warnings\n", "user: ada\n", "tags: beta\n", "score quality: 0.9 good\n", "input: what is it?\n", "cost: $0.5\n",
		"- SPAN step 0 +0s took 1s (o0)\n  in: some words", "\n  - GENERATION search [gpt-4o] +1s took 1s ERROR the index is gone (o1)\n", "    out: output 1\n", "\n  - SPAN step 2 +2s took 1s (o2)\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// Parents in a circle, no parents at all and texts of any bytes do no harm.
func TestDigestOfOddTraces(t *testing.T) {
	t.Parallel()
	d := digest.New(digest.Head{Name: strings.Repeat("ä", 5000), Tags: make([]string, 5000), UserID: strings.Repeat("\x00", 5000), Input: strings.Repeat("😀", 5000)})
	d.Add(observation(1, func(o *model.Observation) { o.ParentID = "o2" }))
	d.Add(observation(2, func(o *model.Observation) { o.ParentID = "o1" }))
	d.Add(observation(3, func(o *model.Observation) { o.ParentID, o.EndTime = "nobody", time.Time{} }))
	got := d.Fit(digest.LeastTokens)
	if counted, err := tokens.Count("", got.Text, time.Now().Add(time.Minute)); err != nil || counted > digest.LeastTokens {
		t.Errorf("%d tokens, %v", counted, err)
	}
}
