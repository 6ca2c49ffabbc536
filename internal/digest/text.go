package digest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tokens"
)

// Text is what was made of a trace.
type Text struct {
	Text   string
	Tokens uint64
	Shown  int // observations that it tells of
	All    int
}

// excerpts are how many bytes of each text are told, the most that fits.
var excerpts = []int{maxExcerpt, 1000, 500, 250, 100, 0}

// countWithin bounds counting; on a machine that is too slow for it texts are shorter.
const countWithin = 10 * time.Second

// The way to a text that fits: a guess by bytes, and a few better ones once tokens were counted, which is the slow part.
const (
	bytesPerToken = 4
	guesses       = 3
	// wellFilled is the share of the tokens that is good enough, and margin how much less a guess asks for than it could.
	wellFilled = 0.85
	margin     = 0.97
)

// Fit tells the trace in at most so many tokens: every observation with as much of its texts as fits, or else those that matter
// most without texts.
func (d *Digest) Fit(most int) Text {
	d.arrange()
	until := time.Now().Add(countWithin)
	best, found := Text{}, false
	for room, guess := most*bytesPerToken, 1; ; guess++ {
		t, whole := d.within(room)
		t.Tokens = count(t.Text, until)
		if fits := t.Tokens <= uint64(most); fits {
			best, found = t, true
			if whole || guess >= guesses || float64(t.Tokens) >= wellFilled*float64(most) {
				return best
			}
		} else if found {
			return best
		}
		room = int(margin * float64(most) * float64(len(t.Text)) / float64(max(t.Tokens, 1)))
	}
}

// count is how many tokens a text has. What cannot be counted in time is as many as it has bytes, of which no token has less than
// one.
func count(text string, until time.Time) uint64 {
	n, err := tokens.Count("", text, until)
	if err != nil {
		return uint64(len(text))
	}
	return n
}

// within tells as much as has room, in bytes, and reports whether that is all there is.
func (d *Digest) within(room int) (_ Text, whole bool) {
	for i, size := range excerpts {
		if text, fits := d.render(len(d.rows), size, room); fits {
			return Text{Text: text, Shown: len(d.rows), All: d.seen}, i == 0 && len(d.rows) == d.seen
		}
	}
	low, high := 0, len(d.rows) // low has room, or nothing has
	for low+1 < high {
		middle := (low + high) / 2
		if _, fits := d.render(middle, 0, room); fits {
			low = middle
		} else {
			high = middle
		}
	}
	text, _ := d.render(low, 0, room)
	return Text{Text: begin(text, room).text, Shown: low, All: d.seen}, false // of a head without room its beginning is told
}

// render tells the head and some observations, with so many bytes of each text, and reports whether that has room.
func (d *Digest) render(shown, size, room int) (string, bool) {
	var b strings.Builder
	d.renderHead(&b, max(2*size, 200))
	left := map[string]int{}
	if shown > 0 {
		b.WriteString("\nObservations by start, indented below their parents:\n")
	}
	for _, r := range d.rows {
		if r.rank >= shown {
			left[strings.TrimSpace(string(r.kind)+" "+clip(r.name, 60))]++
			continue
		}
		if r.render(&b, d.head.Start, size); b.Len() > room {
			return b.String(), false
		}
	}
	d.renderLeft(&b, left, d.seen-len(d.rows))
	return b.String(), b.Len() <= room
}

func (d *Digest) renderHead(b *strings.Builder, size int) {
	h := &d.head
	fmt.Fprintf(b, "Trace %s (%s)\n", cmp.Or(clip(h.Name, 200), "without a name"), clip(h.ID, 100))
	fmt.Fprintf(b, "%s, took %s, %d observations, %d errors, %d warnings\n", h.Start.UTC().Format("2006-01-02T15:04:05.000Z"), seconds(h.Latency), d.seen, d.errors, d.warnings)
	fmt.Fprintf(b, "tokens: %d input, %d output; cost: $%s\n", h.InputTokens, h.OutputTokens, h.Cost)
	for _, fact := range []struct{ name, value string }{
		{"user", h.UserID}, {"session", h.SessionID}, {"release", h.Release}, {"environment", h.Environment}, {"tags", strings.Join(h.Tags, ", ")},
	} {
		if fact.value != "" {
			fmt.Fprintf(b, "%s: %s\n", fact.name, clip(fact.value, 200))
		}
	}
	const fewScores = 20
	for i, s := range h.Scores {
		if i == fewScores {
			fmt.Fprintf(b, "%d more scores\n", len(h.Scores)-i)
			break
		}
		fmt.Fprintf(b, "score %s: %s\n", clip(s.Name, 60), clip(strings.TrimSpace(s.Value+" "+s.Comment), 200))
	}
	renderText(b, "input", begin(h.Input, size), size, "")
	renderText(b, "output", begin(h.Output, size), size, "")
}

// deepest is how far lines are indented.
const deepest = 12

func (r *row) render(b *strings.Builder, start time.Time, size int) {
	indent := strings.Repeat("  ", min(r.depth, deepest))
	fmt.Fprintf(b, "%s- %s %s", indent, r.kind, clip(r.name, 80))
	if r.model != "" && r.model != r.name {
		fmt.Fprintf(b, " [%s]", clip(r.model, 60))
	}
	fmt.Fprintf(b, " +%s", seconds(r.start.Sub(start)))
	if r.latency >= 0 {
		fmt.Fprintf(b, " took %s", seconds(r.latency))
	} else {
		b.WriteString(" without an end")
	}
	if r.tokensIn+r.tokensOut > 0 {
		fmt.Fprintf(b, ", %d→%d tokens", r.tokensIn, r.tokensOut)
	}
	if r.cost.IsPositive() {
		fmt.Fprintf(b, ", $%s", r.cost)
	}
	if r.level == model.Error || r.level == model.Warning {
		fmt.Fprintf(b, " %s %s", r.level, clip(r.status, 300))
	}
	fmt.Fprintf(b, " (%s)\n", clip(r.id, 40))
	renderText(b, "in", r.input, size, indent+"  ")
	renderText(b, "out", r.output, size, indent+"  ")
}

// renderText tells the beginning of a text, and how long it is.
func renderText(b *strings.Builder, name string, e excerpt, size int, indent string) {
	if e.size == 0 || size == 0 {
		return
	}
	shown := begin(e.text, size).text
	fmt.Fprintf(b, "%s%s: %s", indent, name, strings.ReplaceAll(shown, "\n", `\n`))
	if len(shown) < e.size {
		fmt.Fprintf(b, " … (%d bytes)", e.size)
	}
	b.WriteByte('\n')
}

// renderLeft counts what is not told, the most frequent first.
func (d *Digest) renderLeft(b *strings.Builder, left map[string]int, beyond int) {
	sum := beyond
	for _, n := range left {
		sum += n
	}
	if sum == 0 {
		return
	}
	const fewNames = 4
	maps.DeleteFunc(left, func(_ string, n int) bool { return n == 1 }) // which would tell little
	names := slices.SortedFunc(maps.Keys(left), func(a, b string) int { return cmp.Or(cmp.Compare(left[b], left[a]), cmp.Compare(a, b)) })
	fmt.Fprintf(b, "%d more observations", sum)
	for i, name := range names[:min(len(names), fewNames)] {
		separator := ", "
		if i == 0 {
			separator = ": "
		}
		fmt.Fprintf(b, "%s%d %s", separator, left[name], name)
	}
	b.WriteString("; read them with listObservations and traceId\n")
}

func clip(text string, most int) string {
	if short := begin(text, most).text; len(short) < len(text) {
		return short + "…"
	}
	return text
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3gs", d.Seconds()) }
