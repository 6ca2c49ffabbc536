package metastore

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// MaxConnections is how many connections a project may have.
const MaxConnections = 100

// Connections keeps how LLM providers are reached; secrets arrive here sealed. Ids and providers are unique
// within a project; projects do not see each other's.
type Connections interface {
	KeyChecks
	// PutConnection stores a connection under its id, in place of what is there but for its time of creation,
	// and reports whether there was none. ErrExists when the project has its provider under another id,
	// ErrNotFound when there is no such project, fault.Invalid when the project has MaxConnections.
	PutConnection(ctx context.Context, connection model.Connection) (created bool, err error)
	// ConnectionByProvider returns one connection of a project. ErrNotFound.
	ConnectionByProvider(ctx context.Context, projectID, provider string) (model.Connection, error)
	// Connections returns a part of the connections of a project, the newest first, then by id, and the number of all.
	Connections(ctx context.Context, projectID string, part Range) ([]model.Connection, int, error)
	// DeleteConnection removes a connection and its secrets for ever. ErrNotFound.
	DeleteConnection(ctx context.Context, projectID, id string) error
}

// KeyChecks lets nodes find out whether they have the key that sealed what is stored.
type KeyChecks interface {
	// KeyCheck returns what is kept under a name: what the first caller ever brought. Every caller on every
	// node gets the same bytes.
	KeyCheck(ctx context.Context, name string, sealed []byte) ([]byte, error)
	// RenewKeyCheck replaces what is kept under a name as long as nothing sealed is stored, else ErrInUse.
	RenewKeyCheck(ctx context.Context, name string, sealed []byte) error
	// Reseal gives everything that is sealed, the checks too, to again and keeps what it returns: all of it, or nothing when again
	// fails once. It says how many there were.
	Reseal(ctx context.Context, again Again) (int, error)
}

// Again seals with another key what is kept at a place; see seal.Place.
type Again func(place []string, sealed []byte) ([]byte, error)

// ConnectionTexts are the lists of a connection as JSON, the form in which they are kept.
func ConnectionTexts(c model.Connection) (headerNames, models string, err error) {
	names, err := json.Marshal(c.HeaderNames)
	if err != nil {
		return "", "", fmt.Errorf("encode header names: %w", err)
	}
	list, err := json.Marshal(c.Models)
	if err != nil {
		return "", "", fmt.Errorf("encode models: %w", err)
	}
	return string(names), string(list), CheckConnection(c, string(names), string(list))
}

// CheckConnection refuses with fault.Invalid a connection that cannot be stored. One without a sealed key is
// a mistake of ours.
func CheckConnection(c model.Connection, headerNames, models string) error {
	if len(c.SealedKey) == 0 || len(c.SealedKey) > maxDocument || len(c.SealedHeaders) > maxDocument {
		return fault.Invalidf("secretKey", "must be given, and must not be larger than %d bytes with extraHeaders", maxDocument)
	}
	return first(
		CheckID("project id", c.ProjectID),
		CheckID("id", c.ID),
		CheckID("provider", c.Provider),
		CheckID("adapter", c.Adapter),
		checkText("secretKey", c.DisplayKey),
		checkDocument("extraHeaders", headerNames),
		checkDocument("baseURL", c.BaseURL),
		checkDocument("customModels", models),
		checkDocument("config", c.Config),
	)
}

// TooManyConnections is the fault of a project that has MaxConnections.
func TooManyConnections() error {
	return fault.New(fault.Invalid, "A project can have at most %d LLM connections", MaxConnections).
		Hint("delete one that is not needed any more")
}
