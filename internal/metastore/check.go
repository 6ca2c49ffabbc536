package metastore

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// MaxText is the greatest length of an id, name or public key in bytes. PostgreSQL cannot
// index a text much longer than twice this.
const MaxText = 1024

// CheckID refuses with fault.Invalid an id or public key that not every database can hold:
// an empty or overlong one, one that is not UTF-8, and one with a NUL.
func CheckID(field, id string) error {
	if id == "" {
		return fault.Invalidf(field, "must not be empty")
	}
	return checkText(field, id)
}

// CheckProject refuses with fault.Invalid a project that cannot be stored.
func CheckProject(project model.Project) error {
	return first(
		CheckID("project id", project.ID),
		checkText("project name", project.Name),
		CheckID("organization id", project.Organization.ID),
		checkMetadata(project.Metadata),
		CheckRetention(project.Retention),
	)
}

// CheckKey refuses with fault.Invalid a key that cannot be stored. A key without a hash or a
// salt is a mistake that would let the wrong people in.
func CheckKey(key model.Key) error {
	if len(key.SecretHash) == 0 || len(key.Salt) == 0 {
		return fault.Invalidf("key", "needs a secret hash and a salt")
	}
	owner := CheckID("project id", key.Project.ID)
	if key.OfOrganization() && key.Project.Organization.ID != "" {
		owner = CheckID("organization id", key.Project.Organization.ID)
	}
	return first(
		CheckID("key id", key.ID),
		owner,
		CheckID("public key", key.PublicKey),
		checkText("key display", key.Display),
		checkText("name", key.Name),
		checkScope(key),
	)
}

// checkScope lets organizations have no keys that send: there is nothing to send to.
func checkScope(key model.Key) error {
	switch key.Scope {
	case model.ScopeAll, model.ScopeRead:
		return nil
	case model.ScopeIngest, model.ScopeScores:
		if !key.OfOrganization() {
			return nil
		}
		return fault.Invalidf("scope", "must be read or all in an organization")
	}
	return fault.Invalidf("scope", "must be ingest, read, scores or all")
}

// CheckRevocation refuses with fault.Invalid an id that no key can have, and the zero time,
// with which a key would stay valid.
func CheckRevocation(keyID string, at time.Time) error {
	if at.Truncate(time.Microsecond).IsZero() {
		return fault.Invalidf("revocation time", "must be set")
	}
	return CheckID("key id", keyID)
}

// Linked returns the seed with the key pointing to its project and the project to its
// organization, or fault.Invalid when a part of it cannot be stored.
func (s Seed) Linked() (Seed, error) {
	s.Project.Organization = s.Organization
	s.Key.Project = s.Project
	return s, first(
		checkText("organization name", s.Organization.Name),
		CheckProject(s.Project),
		CheckKey(s.Key),
	)
}

func checkText(field, text string) error {
	switch {
	case len(text) > MaxText:
		return fault.Invalidf(field, "must not be longer than %d bytes", MaxText)
	case !utf8.ValidString(text):
		return fault.Invalidf(field, "must be valid UTF-8")
	case strings.IndexByte(text, 0) >= 0:
		return fault.Invalidf(field, "must not contain a NUL character")
	}
	return nil
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
