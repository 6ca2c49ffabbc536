// Package digest tells a trace in a text that fits into a number of tokens, for models that read traces.
//
// Promises: the text never has more tokens than asked for, counted as OpenAI's newer models do. The same trace and number give
// the same text. What is left out is told.
package digest

import (
	"cmp"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
)

// The bounds of a number of tokens.
const (
	LeastTokens   = 200
	DefaultTokens = 4000
	MostTokens    = 20000
)

// Head is what is told of the trace as a whole.
type Head struct {
	ID, Name, UserID, SessionID, Release, Environment string

	Tags                      []string
	Start                     time.Time
	Latency                   time.Duration
	Cost                      decimal.Decimal
	InputTokens, OutputTokens uint64
	Input, Output             string
	Scores                    []Score
}

// Score is a judgment about the trace or one of its observations.
type Score struct{ Name, Value, Comment string }

const (
	// maxKept is how many observations are held; of those beyond only how many there are is told.
	maxKept = 2000
	// maxExcerpt is how much of a text is held, in bytes.
	maxExcerpt = 2000
)

// Digest collects a trace.
type Digest struct {
	head             Head
	rows             []*row
	seen             int
	errors, warnings int
}

// row is an observation as far as it is told.
type row struct {
	id, parent, name, model, status string
	kind                            model.Type
	level                           model.Level
	start                           time.Time
	latency                         time.Duration // -1: it did not end
	tokensIn, tokensOut             uint64
	cost                            decimal.Decimal
	input, output                   excerpt
	depth, place, rank              int
}

// excerpt is the beginning of a text.
type excerpt struct {
	text string
	size int // of the whole
}

// New begins the digest of a trace.
func New(head Head) *Digest { return &Digest{head: head} }

// Add takes an observation; the order does not matter.
func (d *Digest) Add(o *model.Observation) {
	d.seen++
	switch o.Level {
	case model.Error:
		d.errors++
	case model.Warning:
		d.warnings++
	case model.Default, model.Debug:
	}
	tokens, costs := o.Tokens(), o.Costs()
	r := &row{
		id: o.ID, parent: o.ParentID, name: o.Name, model: o.Model, status: o.StatusMessage, kind: o.Type, level: o.Level, start: o.StartTime, latency: -1,
		tokensIn: tokens.Input, tokensOut: tokens.Output, cost: costs.Total.Decimal, input: begin(o.Input, maxExcerpt), output: begin(o.Output, maxExcerpt),
	}
	if !o.EndTime.IsZero() {
		r.latency = o.EndTime.Sub(o.StartTime)
	}
	if d.rows = append(d.rows, r); len(d.rows) >= 2*maxKept {
		d.forget()
	}
}

// forget drops what would be told last.
func (d *Digest) forget() {
	if len(d.rows) <= maxKept {
		return
	}
	slices.SortFunc(d.rows, func(a, b *row) int {
		return cmp.Or(cmp.Compare(weight(a), weight(b)), a.start.Compare(b.start), cmp.Compare(a.id, b.id))
	})
	clear(d.rows[maxKept:])
	d.rows = d.rows[:maxKept]
}

// weight is lower for what is told first.
func weight(r *row) int {
	switch {
	case r.level == model.Error:
		return 0
	case r.parent == "":
		return 1
	case r.level == model.Warning:
		return 2
	case r.kind == model.Generation || r.kind == model.Agent || r.kind == model.Tool:
		return 3
	}
	return 4
}

// arrange puts rows in the order of a tree and ranks them by how much they matter.
func (d *Digest) arrange() {
	d.forget()
	slices.SortFunc(d.rows, func(a, b *row) int { return cmp.Or(a.start.Compare(b.start), cmp.Compare(a.id, b.id)) })
	known, below := map[string]bool{}, map[string][]*row{}
	for _, r := range d.rows {
		known[r.id] = true
	}
	var roots []*row
	for _, r := range d.rows {
		if r.parent == "" || !known[r.parent] || r.parent == r.id {
			roots = append(roots, r)
			continue
		}
		below[r.parent] = append(below[r.parent], r)
	}
	ordered := make([]*row, 0, len(d.rows))
	type visit struct {
		row   *row
		depth int
	}
	var next []visit
	push := func(rows []*row, depth int) {
		for _, r := range slices.Backward(rows) {
			next = append(next, visit{r, depth})
		}
	}
	push(roots, 0)
	for len(next) > 0 {
		v := next[len(next)-1]
		next = next[:len(next)-1]
		v.row.depth, v.row.place = v.depth, len(ordered)
		ordered = append(ordered, v.row)
		push(below[v.row.id], v.depth+1)
		delete(below, v.row.id) // parents that go in a circle are not followed again
	}
	d.rows = ordered
	ranked := slices.Clone(ordered)
	slices.SortStableFunc(ranked, func(a, b *row) int {
		return cmp.Or(cmp.Compare(weight(a), weight(b)), cmp.Compare(a.depth, b.depth), cmp.Compare(a.place, b.place))
	})
	for i, r := range ranked {
		r.rank = i
	}
}

// begin is the beginning of a text, at most so many bytes of whole characters.
func begin(text string, most int) excerpt {
	e := excerpt{text, len(text)}
	if len(text) > most {
		for most > 0 && !utf8.RuneStart(text[most]) {
			most--
		}
		e.text = string([]byte(text[:most])) // the rest need not be kept
	}
	return e
}
