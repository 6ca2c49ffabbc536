package model

import "time"

// ActorKind is what sort of somebody did something.
type ActorKind string

// The kinds of actors.
const (
	ActorUser     ActorKind = "user"      // who has signed in
	ActorKey      ActorKind = "api_key"   // of a project or an organization
	ActorAdminKey ActorKind = "admin_key" // that of the instance
	ActorOperator ActorKind = "operator"  // a command on the server's machine
	ActorNobody   ActorKind = "anonymous" // who could not prove to be anybody
)

// AuditEvent says who did what. It never holds a secret, nor data of a project's traces.
type AuditEvent struct {
	ID             string
	At             time.Time
	OrganizationID string // whose owners may read it; empty: only the operator
	ProjectID      string // empty: of no project
	Action         string // such as key.create
	ActorKind      ActorKind
	ActorID        string // of a user or a key
	ActorName      string // an email, or who runs a command
	ObjectID       string // what it was done to
	ObjectName     string
	Detail         string // what became of it, such as a role
	RequestID      string
	Address        string // where the request came from
}
