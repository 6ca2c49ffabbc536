package tracestore

import (
	"context"
	"iter"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
)

// NoRow stands for an index where there is nothing to point to.
const NoRow = -1

// Skeleton is a whole trace as a tree shows it: every observation, without texts. docs/formats/trace-skeleton.md
// says what its order is and what the synthetic root is.
type Skeleton struct {
	TraceID string
	Start   time.Time // of the first row; without rows, of the root, see Trace
	End     time.Time // the latest end or start of a row; without rows, Start

	// What the trace lends to its observations, see Store.
	Name, UserID, SessionID, Release string
	Tags                             []string
	// What the root of the trace says, see Trace. The row that stands for the trace may be that root.
	Environment, CodeVersion string
	Public, Bookmarked       bool

	Count                        int // of rows, the synthetic root included
	Roots                        int // rows without a parent, but for the synthetic root
	SyntheticRoot                int // its index, or NoRow
	Detached                     int // rows whose parent is the synthetic root
	Depth                        int // of the deepest row; a row without a parent has 1
	Errors, Warnings, Unfinished int // Unfinished has no end and is no event
	Tokens                       model.Tokens
	TotalCost                    decimal.NullDecimal

	// Names and Models are what rows refer to by index, each once.
	Names, Models []string
	// Rows yields Count rows. It may be called more than once.
	Rows iter.Seq[SkeletonRow]
}

// SkeletonRow is one observation of a skeleton, or its synthetic root.
type SkeletonRow struct {
	ID     string // empty: the synthetic root
	Parent int    // index of a row before, or NoRow
	Name   int    // in Skeleton.Names
	Model  int    // in Skeleton.Models, or NoRow
	Type   model.Type
	Level  model.Level

	Start      time.Duration // after the start of the trace
	Duration   time.Duration // negative: no end
	FirstToken time.Duration // after the row's own start; negative: not known

	Tokens           model.Tokens
	Cost             decimal.NullDecimal
	HasStatusMessage bool
	AppRoot          bool
}

// Skeletons reads whole traces.
//
// Promises: every observation of the trace counts once, in its newest version, and not at all once it or its
// trace is deleted; the row that stands for the trace (model.TraceRowID) is none of them. A parent stands before its
// children, those by start time, then id; whatever parents rows name, all of them are there and the order is
// always the same. A trace of another project is not there.
//
// Limit: a skeleton is held as columns while it is in use, some 150 bytes per row. It wraps ErrTooExpensive when
// it runs into the bounds of a read; there is no cap of its own.
type Skeletons interface {
	// Skeleton returns nil when the project has no such trace. One of which there is only the row that stands for
	// it has no rows.
	Skeleton(ctx context.Context, projectID, traceID string) (*Skeleton, error)
}
