package bench

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"time"
)

// seedPlan says what a seeded directory holds. Every trace is a function of the plan and its number:
// several goroutines make them, an interrupted run makes the same ones again, and a reader knows what
// to ask for without looking.
type seedPlan struct {
	Format int    `json:"format"` // of the generator; another one makes other rows
	Rows   int    `json:"rows"`
	Seed   uint64 `json:"seed"`
	Dense  bool   `json:"dense_minute"`
}

const (
	seedFormat = 1
	// seedDays is how far the start times reach.
	seedDays = 30
	// denseShare: one of so many rows starts in the newest minute.
	denseShare = 16
	// ticketEvery: one of so many rows has a ticket; ticketRows have the same one.
	ticketEvery, ticketRows = 10, 5
	// Most traces have 12 to 30 rows, one of longTraceEvery has 500 to 900.
	longTraceEvery = 2_000
	firstLongTrace = 7
	mostSeedRows   = 1 << 30
)

// seedBegin is fixed: the same plan gives the same rows on every day.
var seedBegin = time.Date(2026, 2, 2, 0, 0, 0, 0, time.UTC)

func newSeedPlan(rows int, seed uint64, dense bool) (seedPlan, error) {
	if rows < 1 || rows > mostSeedRows {
		return seedPlan{}, fmt.Errorf("rows must be between 1 and %d, got %d", mostSeedRows, rows)
	}
	return seedPlan{Format: seedFormat, Rows: rows, Seed: seed, Dense: dense}, nil
}

// end is behind the newest row.
func (p seedPlan) end() time.Time { return seedBegin.Add(seedDays * 24 * time.Hour) }

// denseFrom is where the newest minute begins; the end when it is like any other.
func (p seedPlan) denseFrom() time.Time {
	if p.denseRows() == 0 {
		return p.end()
	}
	return p.end().Add(-time.Minute)
}

func (p seedPlan) denseRows() int {
	if !p.Dense {
		return 0
	}
	return p.Rows / denseShare
}

// tickets is how many different tickets there are; each of them is in ticketRows rows, but for what
// does not divide.
func (p seedPlan) tickets() int { return max(1, p.Rows/(ticketEvery*ticketRows)) }

// ticketOf is the ticket of a row, or none.
func (p seedPlan) ticketOf(row int) (number int, ok bool) {
	return row / ticketEvery % p.tickets(), row%ticketEvery == 0
}

// ticketWord is one word to any tokenizer, and no other word of a seed looks like it.
func ticketWord(number int) string { return fmt.Sprintf("qx%07d", number) }

// size is how many rows a trace would have were there no end of rows.
func (p seedPlan) size(trace int) int {
	r := p.random(trace, 0)
	if trace%longTraceEvery == firstLongTrace {
		return 500 + r.IntN(401)
	}
	return 12 + r.IntN(19)
}

// random is a stream of its own for each trace and purpose.
func (p seedPlan) random(trace int, purpose uint64) *rand.Rand {
	return rand.New(rand.NewPCG(p.Seed*8+purpose, uint64(trace)))
}

// seedLayout knows the place of every trace: its first row and its start time.
type seedLayout struct {
	seedPlan
	first  []int32 // row that each trace begins with, and the number of rows behind the last
	sparse int     // traces before the newest minute
}

// layout cuts the traces so that both parts have exactly their rows.
func (p seedPlan) layout() *seedLayout {
	l := &seedLayout{seedPlan: p}
	row := 0
	fill := func(until int) {
		for row < until {
			l.first = append(l.first, int32(row))
			row = min(until, row+p.size(len(l.first)-1))
		}
	}
	fill(p.Rows - p.denseRows())
	l.sparse = len(l.first)
	fill(p.Rows)
	l.first = append(l.first, int32(p.Rows))
	return l
}

func (l *seedLayout) traces() int { return len(l.first) - 1 }

// rows is how many rows a trace has.
func (l *seedLayout) rows(trace int) int { return int(l.first[trace+1] - l.first[trace]) }

// traceOf is the trace that a row belongs to.
func (l *seedLayout) traceOf(row int) int {
	return sort.Search(l.traces(), func(i int) bool { return int(l.first[i+1]) > row })
}

// span is when a trace begins, and the time that all of it begins before.
func (l *seedLayout) span(trace int, chance float64) (from, until time.Time) {
	begin, until, number, of := seedBegin, l.denseFrom(), trace, l.sparse
	if trace >= l.sparse {
		begin, until, number, of = l.denseFrom(), l.end(), trace-l.sparse, l.traces()-l.sparse
	}
	part := (float64(number) + chance) / float64(of)
	return begin.Add(time.Duration(part * float64(until.Sub(begin)))).Truncate(time.Microsecond), until
}

// since is the first trace that may begin at or after a time.
func (l *seedLayout) since(at time.Time) int {
	return sort.Search(l.traces()-1, func(i int) bool {
		from, _ := l.span(i, 0)
		return !from.Before(at)
	})
}

// bodyRows is the least number of rows of a request, but for the last.
const bodyRows = 200

// bodies lists the first trace of each request, and the number of traces behind the last.
func (l *seedLayout) bodies() []int {
	list := []int{0}
	for trace := range l.traces() {
		if last := list[len(list)-1]; trace > last && int(l.first[trace]-l.first[last]) >= bodyRows {
			list = append(list, trace)
		}
	}
	return slices.Clip(append(list, l.traces()))
}
