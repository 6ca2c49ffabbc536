// Package model holds the words of the product: observations, projects, keys.
// It has no behavior beyond what every layer must agree on.
package model

import (
	"time"

	"github.com/shopspring/decimal"
)

// Type is the kind of an observation.
type Type string

// The ten observation types of the contract.
const (
	Span       Type = "SPAN"
	Generation Type = "GENERATION"
	Event      Type = "EVENT"
	Agent      Type = "AGENT"
	Tool       Type = "TOOL"
	Chain      Type = "CHAIN"
	Retriever  Type = "RETRIEVER"
	Evaluator  Type = "EVALUATOR"
	Embedding  Type = "EMBEDDING"
	Guardrail  Type = "GUARDRAIL"
)

// Types lists every observation type in the order of the contract.
var Types = []Type{Generation, Span, Event, Agent, Tool, Chain, Retriever, Evaluator, Embedding, Guardrail}

// Level is the severity of an observation.
type Level string

// The four levels of the contract.
const (
	Debug   Level = "DEBUG"
	Default Level = "DEFAULT"
	Warning Level = "WARNING"
	Error   Level = "ERROR"
)

// Levels lists every level, mildest first.
var Levels = []Level{Debug, Default, Warning, Error}

// DefaultEnvironment is the environment of an observation that names none.
const DefaultEnvironment = "default"

// Observation is one row: a span, a generation, an event or another kind.
//
// An empty string or a zero time means "not set". Times have millisecond values.
// (ProjectID, TraceID, ID, StartTime) identify the row; among rows that share them
// the highest Version is the one that counts.
type Observation struct {
	ProjectID string
	TraceID   string
	ID        string
	ParentID  string

	StartTime           time.Time
	EndTime             time.Time
	CompletionStartTime time.Time

	Type          Type
	Name          string
	Level         Level
	StatusMessage string
	Environment   string
	CodeVersion   string // the client's "version"; Version is ours

	UserID    string
	SessionID string
	TraceName string
	Release   string
	Tags      []string

	Bookmarked bool
	Public     bool
	AppRoot    bool // marked by the client as the root of its application

	Model           string
	ModelID         string // matched model definition
	ModelParameters string // JSON text
	UsageDetails    map[string]uint64
	UsageOrigin     Origin // empty while there is no usage
	CostDetails     map[string]decimal.Decimal
	CostOrigin      Origin // empty while there is no cost
	PricingTierID   string
	PricingTier     string // its name

	// Tools that the model was offered, one per name, and those it called, in order.
	ToolDefinitions []Tooling
	ToolCalls       []Tooling

	PromptID      string
	PromptName    string
	PromptVersion uint32 // 0: none

	Metadata   []MetadataEntry
	Experiment *Experiment // nil: not part of one

	Input  string
	Output string
	// Happenings are the exception events and links of a span, as JSON text; empty: none.
	Happenings string

	// Provenance: who made the span and who sent it.
	ServiceName    string
	ServiceVersion string
	ScopeName      string
	ScopeVersion   string
	SDKName        string
	SDKVersion     string

	CreatedAt time.Time // when the server first accepted something of it
	Version   uint64    // see RowVersion
	// Deleted marks a tombstone: it hides older versions of the row and is never read itself.
	Deleted bool
}

// Root reports whether o is a logical root: it has no physical parent, or its client said so.
func (o *Observation) Root() bool { return o.ParentID == "" || o.AppRoot }

// Origin says where a usage or a cost comes from.
type Origin string

// The origins. Their texts are stored: never change one.
const (
	Provided  Origin = "provided"  // the client said so
	Priced    Origin = "priced"    // usage times the prices of ModelID and PricingTierID
	Tokenized Origin = "tokenized" // counted by us, because the client gave no usage
)

// Tooling is a tool definition or a tool call: the tool's name and JSON text about it. A
// definition has description and parameters; a call has id, arguments, type and index.
type Tooling struct {
	Name string
	JSON string
}

// Experiment ties an observation to an experiment and to the item of it that it ran for.
type Experiment struct {
	ID          string
	Name        string
	Description string
	DatasetID   string
	Metadata    []MetadataEntry

	ItemID             string
	ItemVersion        time.Time // zero: none
	ItemMetadata       []MetadataEntry
	ItemRootID         string // the observation that stands for the item; it may have a parent
	ItemExpectedOutput string
}

// MetadataType keeps the JSON type of a metadata value apart from its text.
type MetadataType uint8

// The metadata value types. Their numbers are stored: never renumber.
const (
	MetadataString MetadataType = 1
	MetadataNumber MetadataType = 2
	MetadataBool   MetadataType = 3
	MetadataNull   MetadataType = 4
	MetadataJSON   MetadataType = 5 // an array, as compact JSON text
)

// MetadataEntry is one leaf of an observation's metadata under its dotted path.
type MetadataEntry struct {
	Name  string
	Value string
	Type  MetadataType
}

// positionsPerMicrosecond is how many versions there are between two times of acceptance. A request
// with more takes those of the next microseconds: less than it takes to send it again.
const positionsPerMicrosecond = 1024

// RowVersion orders the versions of a row: by the time its envelope was accepted, then by
// position in the envelope. A redelivery carries the same version, a later re-send a higher one.
func RowVersion(acceptedAt time.Time, position int) uint64 {
	return uint64(acceptedAt.UnixMicro())*positionsPerMicrosecond + uint64(position)
}

// AcceptedAt is the time a row version was made from.
func AcceptedAt(version uint64) time.Time {
	return time.UnixMicro(int64(version / positionsPerMicrosecond)).UTC().Truncate(time.Millisecond)
}
