package model

import "time"

// Connection is how a project reaches a provider of language models. Secrets are in it sealed only.
type Connection struct {
	ProjectID string
	ID        string
	Provider  string // what the project calls it; no other connection of the project has it
	Adapter   string // which API it speaks
	// SealedKey and SealedHeaders open with the installation's key only; no headers: empty.
	SealedKey     []byte
	SealedHeaders []byte
	DisplayKey    string // enough of the key to recognize it
	HeaderNames   []string
	BaseURL       string
	Models        []string // beside or instead of the adapter's own
	DefaultModels bool     // offer the adapter's own models
	Config        string   // a JSON object of the adapter's; empty: none
	CreatedAt     time.Time
	UpdatedAt     time.Time
}
