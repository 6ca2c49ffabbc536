package model

import "time"

// Organization owns projects.
type Organization struct {
	ID   string
	Name string
}

// Project is the tenant: every row belongs to exactly one.
type Project struct {
	ID           string
	Name         string
	Organization Organization
}

// Key is an API key of a project. The secret itself is never stored.
type Key struct {
	ID         string
	Project    Project
	PublicKey  string
	SecretHash []byte // SHA-256 over Salt and the secret
	Salt       []byte
	Display    string // first and last characters of the secret, for people
	CreatedAt  time.Time
	RevokedAt  time.Time // zero while the key is valid
}
