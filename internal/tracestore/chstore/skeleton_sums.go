package chstore

import (
	"math"
	"math/big"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// skeleton makes a tree of the rows and sums them up.
func (s *skeletonRows) skeleton() *tracestore.Skeleton {
	tree := newSkeletonTree(s)
	sums := s.sums()
	skeleton := &tracestore.Skeleton{
		TraceID: s.traceID, Start: time.UnixMicro(sums.start).UTC(), End: time.UnixMicro(sums.end).UTC(),
		Count: len(tree.order), Roots: tree.roots, SyntheticRoot: tracestore.NoRow, Detached: tree.detached, Depth: tree.depth,
		Errors: sums.errors, Warnings: sums.warnings, Unfinished: sums.unfinished, Tokens: sums.tokens, TotalCost: sums.cost(),
	}
	var root tracestore.SkeletonRow
	if tree.detached > 0 {
		skeleton.SyntheticRoot = int(tree.place[tree.synthetic])
		root = s.syntheticRoot(tree, sums.start)
	}
	skeleton.Names, skeleton.Models = s.names.texts, s.models.texts
	skeleton.Rows = func(yield func(tracestore.SkeletonRow) bool) {
		for _, r := range tree.order {
			row := root
			if r != tree.synthetic {
				row = s.row(int(r), sums.start)
			}
			row.Parent = int(tree.place[tree.parent[r]])
			if !yield(row) {
				return
			}
		}
	}
	return skeleton
}

// syntheticRoot starts with its first child and lasts as long as something below it. All rows behind it are below it.
func (s *skeletonRows) syntheticRoot(tree *skeletonTree, traceStart int64) tracestore.SkeletonRow {
	c, k := s.at(int(tree.first[tree.synthetic]))
	start, end := c.start[k], c.start[k]
	for _, r := range tree.order[tree.place[tree.synthetic]+1:] {
		c, k := s.at(int(r))
		end = max(end, c.until(k))
	}
	return tracestore.SkeletonRow{
		Name: int(s.names.number(nil)), Model: tracestore.NoRow, Type: model.Span, Level: model.Default,
		Start: micro(start - traceStart), Duration: micro(end - start), FirstToken: -1,
	}
}

// skeletonSums are what all rows say together.
type skeletonSums struct {
	start, end                   int64
	errors, warnings, unfinished int
	tokens                       model.Tokens
	priced                       bool
	units                        big.Int // of costs
}

func (s *skeletonRows) sums() *skeletonSums {
	sums := &skeletonSums{start: s.root.start, end: s.root.start}
	if s.count > 0 {
		sums.start, sums.end = s.chunks[0].start[0], s.chunks[0].start[0]
	}
	var cost big.Int
	for r := range s.count {
		c, k := s.at(r)
		sums.end = max(sums.end, c.until(k))
		switch model.Levels[c.level[k]] {
		case model.Error:
			sums.errors++
		case model.Warning:
			sums.warnings++
		default:
		}
		if c.end[k] == 0 && model.Types[c.typ[k]] != model.Event {
			sums.unfinished++
		}
		sums.tokens.Input += c.input[k]
		sums.tokens.Output += c.output[k]
		if c.flags[k]&hasTotal != 0 {
			sums.tokens.Total, sums.tokens.HasTotal = sums.tokens.Total+c.total[k], true
		}
		if c.flags[k]&hasCost != 0 {
			sums.priced = true
			sums.units.Add(&sums.units, cost.SetInt64(c.cost[k]))
		}
	}
	return sums
}

func (s *skeletonSums) cost() decimal.NullDecimal {
	if !s.priced {
		return decimal.NullDecimal{}
	}
	return decimal.NewNullDecimal(decimal.NewFromBigInt(&s.units, -costDigits))
}

// micro is a time span of n microseconds, as far as a span can go.
func micro(n int64) time.Duration {
	return time.Duration(min(n, math.MaxInt64/int64(time.Microsecond))) * time.Microsecond
}

// sinceStart is how long after start at is: negative when it is not set, 0 when it lies before.
func sinceStart(start, at int64) time.Duration {
	if at == 0 {
		return -1
	}
	return micro(max(0, at-start))
}

// until is the end of row k, or its start if that is all there is or later.
func (c *skeletonChunk) until(k int) int64 {
	if c.end[k] == 0 {
		return c.start[k]
	}
	return max(c.start[k], c.end[k])
}
