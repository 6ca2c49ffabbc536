package auth

import (
	"context"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
)

// Claim is whose key a header names. It proves nothing: the secret was not looked at. It is for
// telling a project what was tried in its name, never for letting anybody in.
type Claim struct {
	PublicKey string // as it was sent; empty when the header names none
	Known     bool   // there is such a key
	Valid     bool   // and it is neither revoked nor expired
	ProjectID string // empty when the key is unknown or an organization's
}

// Claim reads an Authorization header. A key that cannot be looked up now counts as none.
func (k *Keys) Claim(ctx context.Context, header string) Claim {
	given, ok := parse(header)
	if !ok || metastore.CheckID("public key", given.public) != nil {
		return Claim{}
	}
	found, err := k.lookup.find(ctx, given.public)
	if err != nil {
		return Claim{}
	}
	claim := Claim{PublicKey: given.public, Known: found.known}
	if found.known {
		claim.Valid, claim.ProjectID = found.valid(time.Now()), found.key.Project.ID
	}
	return claim
}
