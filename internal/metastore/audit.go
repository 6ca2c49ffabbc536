package metastore

import (
	"context"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/model"
)

// MaxAuditPage is how many events one read returns at most.
const MaxAuditPage = 1_000

// AuditQuery asks for events, the newest first, then by id downward. Empty fields ask for all.
type AuditQuery struct {
	Organization string // required, unless All
	All          bool   // of every organization, and those of none: for the operator
	Project      string
	Action       string // one, or with a dot at its end all that begin so
	Actor        string // id or name
	From, To     time.Time
	After        *AuditPosition // the last event of the page before
	Limit        int
}

// AuditPosition is the place of an event in the order of pages.
type AuditPosition struct {
	At time.Time
	ID string
}

// AuditLog keeps who did what. Nothing changes an event, and nothing removes one but its age: it outlives its project,
// its users and its keys.
type AuditLog interface {
	// AppendAudit adds events, all or none.
	AppendAudit(ctx context.Context, events []model.AuditEvent) error
	// AuditEvents returns a page of events.
	AuditEvents(ctx context.Context, query AuditQuery) ([]model.AuditEvent, error)
	// DeleteAuditBefore removes events that are older than a time and says how many.
	DeleteAuditBefore(ctx context.Context, before time.Time) (int, error)
}

// CheckAudit refuses with fault.Invalid texts that no event can have.
func CheckAudit(q AuditQuery) error {
	return first(checkText("organization id", q.Organization), checkText("projectId", q.Project), checkText("action", q.Action), checkText("actor", q.Actor))
}

// auditTexts bounds the texts of an event, in bytes; what is longer is cut.
const auditTexts = 256

// Fitting returns the event as it can be stored: texts are cut to a bound, and what no database holds is left out. An event
// must never be lost because of what somebody called a thing.
func Fitting(e model.AuditEvent) model.AuditEvent {
	for _, text := range []*string{&e.ActorName, &e.ObjectID, &e.ObjectName, &e.Detail, &e.RequestID, &e.Address, &e.ActorID, &e.ProjectID} {
		clean := strings.ToValidUTF8(strings.ReplaceAll(*text, "\x00", ""), "")
		if len(clean) > auditTexts {
			clean = strings.ToValidUTF8(clean[:auditTexts], "")
		}
		*text = clean
	}
	return e
}
