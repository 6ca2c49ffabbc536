// Package auth tells who sends a request: it turns an Authorization header into a project or an
// organization and what may be done there. It also makes the secrets that people and programs
// prove themselves with.
package auth

import (
	"context"
	"encoding/base64"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// Access says what a principal is let into.
type Access int

// The levels of access. There is none at zero, so that a forgotten one opens nothing.
const (
	Project      Access = iota + 1 // one project
	ScoresOnly                     // one project, to write scores, as browsers do with the public half of a key
	Organization                   // the settings of one organization, and the data of none of its projects
	Instance                       // the settings of the whole installation
	Person                         // an account and what it belongs to, for who has signed in
)

// Principal is who sent a request.
type Principal struct {
	Access  Access
	Scope   model.Scope   // what its key may do; empty: nothing
	Project model.Project // of an organization only its Organization is set, of the instance nothing
	KeyID   string
	// User is who has signed in, with the role that counts where they are let in; of a key both are zero.
	User model.User
	Role model.Role
}

// Keys authenticates API keys. It is safe for concurrent use.
type Keys struct {
	lookup *lookup
}

// New authenticates against the keys of a store. A key is remembered for a second, so hot
// traffic does not reach the store and a revoked key is refused a second later at most, as are the keys
// of a project that is being erased. An expired key is refused at once. While the store does not answer, a key that was good
// within the last minute still is.
func New(store metastore.Store) *Keys { return &Keys{lookup: newLookup(store)} }

// Authenticate returns the principal of an Authorization header's value. Its errors are
// faults whose messages are part of the public contract: fault.Unauthenticated, or
// fault.Unavailable when the key could not be looked up.
func (k *Keys) Authenticate(ctx context.Context, header string) (Principal, error) {
	if header == "" {
		return Principal{}, fault.New(fault.Unauthenticated, "No authorization header")
	}
	given, ok := parse(header)
	if !ok {
		return Principal{}, fault.New(fault.Unauthenticated, "Invalid authorization header")
	}
	if metastore.CheckID("public key", given.public) != nil {
		return Principal{}, refused() // no key is called so, and the cache stays small
	}
	found, err := k.lookup.find(ctx, given.public)
	if err != nil {
		return Principal{}, fault.Unavailablef("Service Unavailable").Because(err)
	}
	// The secret is always compared: how long a refusal takes must not tell whether the
	// public key exists.
	now := time.Now()
	admitted := given.access == ScoresOnly || matches(found.key, given.secret, now)
	if !admitted || !found.valid(now) {
		return Principal{}, refused()
	}
	caller, ok := admit(found.key, given.access)
	if !ok {
		return Principal{}, refused()
	}
	k.lookup.used(ctx, found)
	return caller, nil
}

// admit says what a key opens. The public half of a key opens what the whole key may do with scores;
// that of an organization's key opens nothing.
func admit(key model.Key, access Access) (Principal, bool) {
	caller := Principal{Access: access, Scope: key.Scope, Project: key.Project, KeyID: key.ID}
	switch {
	case access == ScoresOnly && key.OfOrganization():
		return Principal{}, false
	case access == ScoresOnly && key.Scope.Allows(model.ScopeScores):
		caller.Scope = model.ScopeScores
	case access == ScoresOnly:
		caller.Scope = ""
	case key.OfOrganization():
		caller.Access = Organization
	}
	return caller, true
}

func refused() error {
	return fault.New(fault.Unauthenticated, "Invalid credentials. Confirm that you've configured the correct host.")
}

// credentials are what a header claims.
type credentials struct {
	access         Access
	public, secret string
}

// parse reads a header. Scheme words are case-sensitive and followed by one space; base64 is
// taken with and without padding.
func parse(header string) (credentials, bool) {
	if public, ok := strings.CutPrefix(header, "Bearer "); ok {
		return credentials{access: ScoresOnly, public: public}, public != ""
	}
	encoded, ok := strings.CutPrefix(header, "Basic ")
	if !ok {
		return credentials{}, false
	}
	pair, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(encoded, "="))
	if err != nil {
		return credentials{}, false
	}
	public, secret, _ := strings.Cut(string(pair), ":")
	return credentials{access: Project, public: public, secret: secret}, public != "" && secret != ""
}
