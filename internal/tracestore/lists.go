package tracestore

import (
	"context"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/filter"
)

// Reach says how far a read with a bound on rows came.
type Reach struct {
	Rows uint64 // how many met the conditions among those that were read
	// Sampled: the range of start times has more row versions than MaxRows. Then the newest ones stand for all,
	// those that started at Since or later.
	Sampled bool
	Since   time.Time
}

// Fields of facets and comparisons that are no columns of observations.
const (
	Prompt       filter.Column = "prompt"       // name:version
	MetadataKeys filter.Column = "metadataKeys" // a list
	// ScoreNames lists the names of an observation's scores; a root has those of its trace, too. Scores with a
	// timestamp before the range of start times are left out.
	ScoreNames filter.Column = "scoreNames"

	metadataFields = "metadata."
)

// MaxMetadataValue is how many bytes of a metadata's value a field has: longer ones count by their beginning.
const MaxMetadataValue = 256

// MetadataField is the field that has the values under a key of metadata.
func MetadataField(key string) filter.Column { return filter.Column(metadataFields + key) }

// MetadataKey is the key whose values a field has.
func MetadataKey(field filter.Column) (key string, ok bool) {
	return strings.CutPrefix(string(field), metadataFields)
}

// LatencyBands are where bands of latency begin, in milliseconds. The first one has everything below the second,
// the last one everything above.
var LatencyBands = []int64{
	0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000, 5_000_000,
}

// TimelineQuery asks how many observations started when.
type TimelineQuery struct {
	ProjectID string
	Where     []filter.Condition
	Width     time.Duration // of a bucket, in whole seconds; buckets begin at its multiples since 1970
	// Latency counts by band of latency instead of by level, and only observations that have ended.
	Latency bool
	MaxRows int
}

// TimelineCell is how many observations of one level, or of one band of latency, started in a bucket.
type TimelineCell struct {
	Start time.Time
	Level string
	Band  int64 // see LatencyBands
	Count uint64
}

// Timeline is the answer to a TimelineQuery: cells that are not empty, by start, level and band.
type Timeline struct {
	Reach
	Cells []TimelineCell
}

// EffectQuery asks what each of some conditions takes away.
type EffectQuery struct {
	ProjectID string
	Where     []filter.Condition // always hold
	Each      []filter.Condition
	MaxRows   int
}

// Effects is the answer: Reach.Rows meet all conditions, Without[i] all but Each[i].
type Effects struct {
	Reach
	Without []uint64
}

// CompareQuery asks in what a selection of observations differs from the rest of them.
type CompareQuery struct {
	ProjectID string
	Where     []filter.Condition // of all that are compared
	Selection []filter.Condition // of those that are selected
	Fields    []filter.Column
	// Keys is for how many keys of metadata their values are compared as fields of their own: the first ones in
	// the order of MetadataKeys.
	Keys    int
	Values  int // per field
	MaxRows int
}

// ComparedValue is how many selected rows, and how many of the rest, have a value; "" are those that have none.
type ComparedValue struct {
	Value          string
	Selected, Rest uint64
}

// ComparedField has the values whose shares differ most. Those that differ alike are by count descending, then
// by value.
type ComparedField struct {
	Field  filter.Column
	Values []ComparedValue
}

// Comparison is the answer to a CompareQuery. Fields come in the order of the query, then those of metadata; there are
// none when no row was read.
type Comparison struct {
	Reach
	Selected uint64
	Fields   []ComparedField
}

// ActivityOrder sorts by what an Activity has.
type ActivityOrder string

// The orders. What is equal is by id, in the same direction.
const (
	ByLastSeen     ActivityOrder = "lastSeen"
	ByFirstSeen    ActivityOrder = "firstSeen"
	ByTraces       ActivityOrder = "traces"
	ByObservations ActivityOrder = "observations"
	ByErrors       ActivityOrder = "errors"
	ByTotalTokens  ActivityOrder = "totalTokens"
	ByTotalCost    ActivityOrder = "totalCost"
	ByDuration     ActivityOrder = "duration"
)

// ActivityQuery asks for users or sessions by their observations.
type ActivityQuery struct {
	ProjectID string
	By        filter.Column // UserID or SessionID
	Where     []filter.Condition
	Prefix    string // of the id
	Order     ActivityOrder
	Asc       bool
	Offset    int
	Limit     int
	MaxRows   int
}

// MaxActivityUsers is how many users of a session are listed.
const MaxActivityUsers = 10

// Activity is what the observations of one user or session say together: those that were read, not all there are.
type Activity struct {
	ID                  string
	FirstSeen, LastSeen time.Time // the first start; the latest end or start
	Traces              uint64
	Observations        uint64 // without rows that stand for traces
	Errors              uint64 // observations of level ERROR
	InputTokens         decimal.Decimal
	OutputTokens        decimal.Decimal
	TotalTokens         decimal.Decimal
	TotalCost           decimal.Decimal
	Users               []string // of a session: sorted, at most MaxActivityUsers
	UserCount           uint64
	SessionCount        uint64
}

// Activities is a page of them. Reach.Rows are the observations of all, Total is how many there are.
type Activities struct {
	Reach
	List  []Activity
	Total uint64
}

// Lists answers what people ask beside a list of observations.
//
// Promises: a row counts once, in its newest version, and not at all once it or its trace is deleted. A query sees
// rows of its project only. Conditions see what rows inherit from their trace, and so do fields, users and
// sessions. Counts are exact for the rows that Reach names. A read that needs more time or memory than
// one may take wraps ErrTooExpensive.
//
// Limit: conditions on input and output are an error, as are those on whether there are any.
type Lists interface {
	Timeline(ctx context.Context, q TimelineQuery) (Timeline, error)
	Effects(ctx context.Context, q EffectQuery) (Effects, error)
	Compare(ctx context.Context, q CompareQuery) (Comparison, error)
	Activities(ctx context.Context, q ActivityQuery) (Activities, error)
}
