package model

import "time"

// Session is a person who has signed in with one browser. The token itself is never stored.
type Session struct {
	TokenHash []byte // SHA-256 of the token
	User      User   // of a new one only the id counts
	CreatedAt time.Time
	SeenAt    time.Time // to the minute
}

// Standing is what a person may do in a project, or in an organization that has none.
type Standing struct {
	Project          Project // with its Organization; without an id: the organization has no projects
	OrganizationRole Role
	ProjectRole      Role // given for this project alone; empty: none
}

// Role is what counts in the project: the role given for it, else the one in its organization.
func (s Standing) Role() Role {
	if s.ProjectRole != "" {
		return s.ProjectRole
	}
	return s.OrganizationRole
}

// Invitation lets whoever has its token join an organization, once. The token itself is never stored.
type Invitation struct {
	ID           string
	Organization Organization
	Email        string // of whom it is meant for
	Role         Role
	InvitedBy    User   // without its password; of a new one only the id counts
	TokenHash    []byte // SHA-256 of the token; lists leave it out
	CreatedAt    time.Time
	ExpiresAt    time.Time
}
