package tracestore

import (
	"context"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
)

// MaxTraceIDs bounds how many ids of observations, and how many of scores, a Trace lists.
const MaxTraceIDs = 10_000

// Trace is what the observations of one trace say together. There is no table of traces: a trace is there
// while one of its observations is.
//
// Its root is its first observation, by start time, then id, that is a root; without one the first of all.
type Trace struct {
	ProjectID string
	ID        string
	Start     time.Time // of the first observation
	End       time.Time // the latest end or start

	// What the trace lends to its observations, see Store.
	Name, UserID, SessionID, Release string
	Tags                             []string

	// What its root says.
	RootID                   string
	RootStart                time.Time
	Environment, CodeVersion string
	Public, Bookmarked       bool
	Metadata                 []model.MetadataEntry // with TraceQuery.IO
	Input, Output            string                // with TraceQuery.IO

	// Sums over its observations. Observations counts distinct ids, but not the row that stands for the
	// trace itself (model.TraceRowID).
	Observations              uint64
	InputTokens, OutputTokens uint64
	TotalTokens               uint64
	TotalCost                 decimal.Decimal

	CreatedAt time.Time // of the first observation that was accepted
	UpdatedAt time.Time // when the newest version of any was accepted

	// Sorted, at most MaxTraceIDs of each: with TraceQuery.ObservationIDs those that Observations counts,
	// with TraceQuery.ScoreIDs all scores of the trace and of its observations but corrections.
	ObservationIDs, ScoreIDs []string
}

// Latency is the time from the start of a trace to its end.
func (t *Trace) Latency() time.Duration { return t.End.Sub(t.Start) }

// TraceOrder sorts traces by a column: StartTime, TraceName, UserID, SessionID, Release, Environment or
// CodeVersion. Traces that are equal in it are ordered by start, then by id, in the same direction.
type TraceOrder struct {
	By  filter.Column // empty: StartTime
	Asc bool
}

// TraceQuery asks for some traces of one project.
type TraceQuery struct {
	ProjectID string
	// Where is in terms of the catalog filter.Traces.
	Where  []filter.Condition
	Order  TraceOrder
	Offset int // how many to leave out
	Limit  int

	IO             bool // loads input, output and metadata of roots
	ObservationIDs bool
	ScoreIDs       bool
}

// Session is what the traces of one session say together.
type Session struct {
	ProjectID   string
	ID          string
	Start       time.Time // of its first trace, by start, then id
	Environment string    // of that trace
	Traces      uint64
}

// SessionQuery asks for some sessions of one project: by start, then id, both descending.
type SessionQuery struct {
	ProjectID string
	// Where looks at the session as it is shown: filter.SessionID and filter.Environment take OneOf,
	// filter.StartTime takes Time.
	Where  []filter.Condition
	Offset int
	Limit  int
}

// Traces reads traces and sessions as views over observations.
//
// Promises: an observation counts once, in its newest version, and not at all once it or its trace is
// deleted; so a trace or a session without observations is not there. A query sees those of its project
// only. Counts are exact. Observations without a trace id are in no trace.
//
// Limits: what a trace lends has the limits of Store. Pages are cut by number, so what arrives between two
// reads may move rows from one page to the next. Reads wrap ErrTooExpensive when they run into their bound.
type Traces interface {
	Traces(ctx context.Context, q TraceQuery) ([]*Trace, error)
	CountTraces(ctx context.Context, projectID string, where []filter.Condition) (uint64, error)
	Sessions(ctx context.Context, q SessionQuery) ([]*Session, error)
	CountSessions(ctx context.Context, projectID string, where []filter.Condition) (uint64, error)
	// TraceProjects names projects that have, or had, rows of a trace, by id and at most limit. It is the one read that
	// looks into all of them: what it finds is asked of each project before anybody sees it.
	TraceProjects(ctx context.Context, traceID string, limit int) ([]string, error)
}

// Places finds rows by their number, for clients that ask for the third page instead of following a cursor.
type Places interface {
	// ObservationPlace is the position of the nth row, from 1, that a walk without a cursor shows; nil when
	// there are fewer.
	ObservationPlace(ctx context.Context, projectID string, where []filter.Condition, n int) (*filter.Position, error)
	// ScorePlace is the same for scores.
	ScorePlace(ctx context.Context, projectID string, where []filter.Condition, n int) (*filter.Position, error)
	CountScores(ctx context.Context, projectID string, where []filter.Condition) (uint64, error)
}
