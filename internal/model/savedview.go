package model

import "time"

// SavedView is a name for the search parameters of a list.
type SavedView struct {
	ProjectID string
	ID        string
	Table     string // which list
	Name      string
	OwnerID   string // the user who made it; empty: a key did
	Shared    bool   // everybody in the project sees it, else only the owner
	Default   bool   // what the list shows without parameters
	State     string
	CreatedAt time.Time
	UpdatedAt time.Time
}
