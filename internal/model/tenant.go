package model

import "time"

// Organization owns projects and has members.
type Organization struct {
	ID        string
	Name      string
	Metadata  string // a JSON object; empty: none
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Project is the tenant: every row belongs to exactly one.
type Project struct {
	ID           string
	Name         string
	Organization Organization
	Metadata     string // a JSON object; empty: none
	Retention    Retention
	CreatedAt    time.Time
	UpdatedAt    time.Time
	// ErasingAt is when the project was given up; zero while it lives. Its keys are refused from then on.
	ErasingAt time.Time
	// Cell is the one that serves the project; "" is the cell without a name.
	Cell string
}

// MovePhase is how far a move of a project to another cell has come.
type MovePhase string

// The phases. Their texts are stored: never change one.
const (
	Staying  MovePhase = ""
	Copying  MovePhase = "copying"  // its rows are on their way to the other cell, its own still serves it
	Switched MovePhase = "switched" // the other cell, which served it before, still has rows of it
)

// Placement is where a project is served, and whether that is about to change.
type Placement struct {
	Cell      string
	Phase     MovePhase
	Other     string    // the other cell of a move
	HeldUntil time.Time // nobody writes to the project before; zero: it is not held. Of one that switched, when it did
}

// Held reports whether nobody may write to the project now.
func (p Placement) Held(now time.Time) bool { return now.Before(p.HeldUntil) }

// Retention says for how many days the data of a project is kept.
type Retention struct {
	Days        int // 0: for ever
	PayloadDays int // inputs, outputs and metadata; 0: as long as Days
}

// Key is an API key of a project, or of an organization. The secret itself is never stored.
type Key struct {
	ID         string
	Project    Project // of an organization's key only its Organization is set
	PublicKey  string
	SecretHash []byte // SHA-256 over Salt and the secret
	Salt       []byte
	OldHash    []byte // of the secret before, with its salt; good until OldUntil
	OldSalt    []byte
	OldUntil   time.Time
	Display    string // first and last characters of the secret, for people
	Scope      Scope
	Name       string
	CreatedAt  time.Time
	ExpiresAt  time.Time // zero: never
	LastUsedAt time.Time // to the minute; zero: never
	RevokedAt  time.Time // zero while the key is valid
}

// OfOrganization reports whether the key is one of an organization, which opens no project.
func (k Key) OfOrganization() bool { return k.Project.ID == "" }

// Scope is what a key may do. A key without one may do nothing.
type Scope string

// The scopes of keys.
const (
	ScopeAll    Scope = "all"
	ScopeIngest Scope = "ingest" // send traces, media and scores
	ScopeRead   Scope = "read"
	ScopeScores Scope = "scores" // send scores
)

// Allows reports whether a key of scope s may do what needs the given scope.
func (s Scope) Allows(need Scope) bool {
	switch s {
	case ScopeAll:
		return true
	case ScopeIngest:
		return need == ScopeIngest || need == ScopeScores
	case ScopeRead, ScopeScores:
		return need == s
	default:
		return false
	}
}

// User is a person. An account is one of the whole installation; memberships say what it may see.
type User struct {
	ID       string
	Email    string // unique, whatever its case
	Name     string
	Password string // a hash with its parameters; empty: none, nobody signs in with one
	// Preferences is a JSON object of how the person likes pages to be; empty: none. Lists of members leave it out.
	Preferences string
	// Created and changed.
	CreatedAt, UpdatedAt time.Time
}

// Role is what a member may do.
type Role string

// The roles of members, the mightiest first.
const (
	Owner  Role = "OWNER"
	Admin  Role = "ADMIN"
	Member Role = "MEMBER"
	Viewer Role = "VIEWER"
)

// Known reports whether r is one of the roles.
func (r Role) Known() bool { return r.rank() > 0 }

// AtLeast reports whether r may do all that need may. What is no role may nothing, and none is enough for it.
func (r Role) AtLeast(need Role) bool { return need.rank() > 0 && r.rank() >= need.rank() }

func (r Role) rank() int {
	switch r {
	case Owner:
		return 4
	case Admin:
		return 3
	case Member:
		return 2
	case Viewer:
		return 1
	}
	return 0
}

// Membership is a user with the role it has in an organization or a project.
type Membership struct {
	User   User // without its password
	Role   Role
	Active bool // an inactive member is known, but is let in nowhere; always true in projects
}

// Identity is who a user is at an OIDC provider.
type Identity struct {
	Issuer    string // the provider's address
	Subject   string // the provider's name for the person, which never changes
	UserID    string
	CreatedAt time.Time
}
