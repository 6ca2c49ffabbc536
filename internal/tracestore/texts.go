package tracestore

import (
	"context"
	"time"

	"github.com/sondehq/sonde/internal/filter"
)

// TextQuery names one text of one observation. Of several rows that match, the newest is meant.
type TextQuery struct {
	ProjectID string
	Where     []filter.Condition // on ID, TraceID and StartTime
	Column    filter.Column      // Input or Output
}

// Text is where a text is and how long. Size is 0 when the observation has none.
type Text struct {
	ProjectID, TraceID, ID string
	StartTime              time.Time
	Column                 filter.Column
	Version                uint64 // grows with every change of the text; the same version is the same text
	Size                   int64  // in bytes
	JSON                   bool   // the text is one JSON value
}

// Preview is the beginning of what an observation says.
type Preview struct {
	TraceID, ID           string
	StartTime             time.Time
	Input, Output         string // the first PreviewCharacters
	InputMore, OutputMore bool   // there is more of it
}

// The bounds of previews.
const (
	PreviewCharacters = 200
	MaxPreviews       = 100
)

// PreviewQuery asks for the beginnings of the texts of some observations.
type PreviewQuery struct {
	ProjectID string
	Where     []filter.Condition // on ID, TraceID and StartTime
}

// TraceSearch looks for a text in a trace: in input, output and name, in names and values of metadata. Case of ASCII
// letters does not matter.
type TraceSearch struct {
	ProjectID, TraceID string
	Value              string // not empty
	Limit              int
}

// Texts reads texts of observations on their own.
//
// Promises: a text is that of the newest version of its row; a row that is deleted has none. Texts of other
// projects are never found. Nothing but what is asked for leaves the store: pieces and beginnings are cut there.
type Texts interface {
	// Text returns nil when there is no such observation.
	Text(ctx context.Context, q TextQuery) (*Text, error)
	// ReadText reads length bytes from offset on, fewer at the end. It wraps ErrTextGone when that version of the
	// text is no longer there.
	ReadText(ctx context.Context, t *Text, offset, length int64) ([]byte, error)
	// Previews returns at most MaxPreviews, newest first.
	Previews(ctx context.Context, q PreviewQuery) ([]Preview, error)
	// SearchTrace returns the ids of observations, each once, by start time, then id; at most Limit. The row that
	// stands for the trace is none of them.
	SearchTrace(ctx context.Context, q TraceSearch) ([]string, error)
}
