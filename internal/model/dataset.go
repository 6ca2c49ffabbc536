package model

import "time"

// Dataset is a named collection of items that applications are run against.
type Dataset struct {
	ProjectID   string
	ID          string
	Name        string // unique within the project
	Description string
	Metadata    string // JSON; empty: none
	// InputSchema and ExpectedOutputSchema are JSON Schemas that every item fits; empty: none.
	InputSchema          string
	ExpectedOutputSchema string
	CreatedAt            time.Time
	UpdatedAt            time.Time
	// ItemWrites is how often items of it were written: it tells whether any changed meanwhile.
	ItemWrites int64
}

// DatasetSummary is a dataset in a list of all: without its large texts, but with counts of its items.
type DatasetSummary struct {
	ID          string
	Name        string
	Description string // its first characters, at most SummaryText
	// HasInputSchema and HasExpectedOutputSchema say that items are held to a schema.
	HasInputSchema, HasExpectedOutputSchema bool
	CreatedAt, UpdatedAt                    time.Time
	Active, Archived                        int       // items
	ItemsChanged                            time.Time // when the newest version of them began; zero: there is none
}

// SummaryText is how many characters of a description a summary has.
const SummaryText = 300

// ItemTime is a moment at which items of a dataset changed.
type ItemTime struct {
	At      time.Time
	Written int // versions that began
	Deleted int // items that were deleted
}

// ItemStatus says whether an item takes part in runs.
type ItemStatus string

// The statuses of items.
const (
	ItemActive   ItemStatus = "ACTIVE"
	ItemArchived ItemStatus = "ARCHIVED"
)

// DatasetItem is one version of an item: an input with what is expected of it. A version counts from
// ValidFrom until ValidTo, at which the next one begins.
type DatasetItem struct {
	ProjectID   string
	ID          string // unique within the project
	DatasetID   string
	DatasetName string
	Status      ItemStatus
	// Input, ExpectedOutput and Metadata are JSON; empty: none.
	Input, ExpectedOutput, Metadata string
	// SourceTraceID and SourceObservationID name what the item was made from; empty: nothing.
	SourceTraceID, SourceObservationID string

	CreatedAt time.Time // of the first version
	ValidFrom time.Time // to the millisecond
	ValidTo   time.Time // zero: this is the current version
	Deleted   bool      // closes the history of the item: there is none from ValidFrom on
}

// RunItem is a client's word that a trace or an observation is the run of an item in an experiment.
// Older clients say it nowhere else.
type RunItem struct {
	ProjectID   string
	ID          string
	DatasetID   string
	RunName     string
	Description string
	Metadata    string // JSON; empty: none
	ItemID      string
	ItemVersion time.Time // when the version of the item that was run begins
	// TraceID and ObservationID name the run; one of them may be empty.
	TraceID, ObservationID string
	CreatedAt              time.Time // when it was accepted
	// Due is when it is next looked for in the trace store; zero: not any more.
	Due time.Time
}
