package model

import "time"

// ObjectType says what a comment or an item of a queue is about.
type ObjectType string

// What people annotate. A queue has no prompts.
const (
	TraceObject       ObjectType = "TRACE"
	ObservationObject ObjectType = "OBSERVATION"
	SessionObject     ObjectType = "SESSION"
	PromptObject      ObjectType = "PROMPT"
)

// Comment is a text about an object of a project.
type Comment struct {
	ProjectID    string
	ID           string
	ObjectType   ObjectType
	ObjectID     string
	Content      string
	AuthorUserID string // empty: nobody is named
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// Queue is a list of objects that people review, by the scores of some configs.
type Queue struct {
	ProjectID      string
	ID             string
	Name           string // no other queue of the project has it
	Description    string
	ScoreConfigIDs []string
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// QueueStatus says whether an item has been reviewed.
type QueueStatus string

// The states of an item.
const (
	Pending   QueueStatus = "PENDING"
	Completed QueueStatus = "COMPLETED"
)

// QueueItem is one object in a queue.
type QueueItem struct {
	ProjectID   string
	QueueID     string
	ID          string
	ObjectType  ObjectType
	ObjectID    string
	Status      QueueStatus
	CompletedAt time.Time // zero: not completed
	CompletedBy string    // empty: nobody is named
	// HeldBy reviews the item, and nobody else does before HeldUntil. Empty: nobody.
	HeldBy    string
	HeldUntil time.Time
	CreatedAt time.Time
	UpdatedAt time.Time
}

// HeldAt is who reviews the item at a time; empty: nobody.
func (i QueueItem) HeldAt(now time.Time) string {
	if i.Status != Pending || !i.HeldUntil.After(now) {
		return ""
	}
	return i.HeldBy
}

// QueueProgress is how far the review of a queue has come.
type QueueProgress struct {
	QueueID            string
	Pending, Completed int
	Held               []QueueItem // by whom is reviewed what, the oldest items first
	Assigned           []string    // users who shall review, in the order in which they were named
}

// Feedback is what somebody said about the product itself.
type Feedback struct {
	ProjectID    string
	ID           string
	TargetType   string
	Target       string
	Text         string
	Goal         string
	ReferenceURL string
	CreatedAt    time.Time
}
