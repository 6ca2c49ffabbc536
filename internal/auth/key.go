package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

const saltBytes = 16

// NewKeyPair returns the two halves of a new random key.
func NewKeyPair() (public, secret string) { return randomPublic(), randomSecret() }

func randomPublic() string { return "pk-lf-" + uuid.NewString() }

func randomSecret() string { return "sk-lf-" + uuid.NewString() }

// Hash returns a new salt and the hash under which a secret is kept. A fast hash is right
// for secrets that are random, as ours are: they cannot be guessed, however fast one tries.
func Hash(secret string) (salt, hash []byte) {
	salt = make([]byte, saltBytes)
	_, _ = rand.Read(salt) // never fails
	sum := digest(salt, secret)
	return salt, sum[:]
}

func digest(salt []byte, secret string) [sha256.Size]byte {
	text := make([]byte, 0, 128) // enough for ours; longer ones grow it
	text = append(text, salt...)
	return sha256.Sum256(append(text, secret...))
}

// matches compares with both secrets that a key may have, whichever fits, so that the time tells nothing.
func matches(key model.Key, secret string, now time.Time) bool {
	hash, old := digest(key.Salt, secret), digest(key.OldSalt, secret)
	current := subtle.ConstantTimeCompare(hash[:], key.SecretHash) == 1
	previous := subtle.ConstantTimeCompare(old[:], key.OldHash) == 1 && now.Before(key.OldUntil)
	return current || previous
}

// Display returns how a secret is shown to people: its first six and last four characters.
// Of a short one, which this would give away, nothing is shown.
func Display(secret string) string {
	const first, last = 6, 4
	characters := []rune(secret)
	if len(characters) < 2*(first+last) {
		return "..."
	}
	return string(characters[:first]) + "..." + string(characters[len(characters)-last:])
}

// Issue returns a key with the given halves, or random ones when both are empty, and its plain secret,
// which is nowhere else. Owner, name, scope and expiry are the caller's. It fails with fault.Invalid when
// the halves cannot be used.
func Issue(public, secret string) (model.Key, string, error) {
	switch {
	case public == "" && secret == "":
		public, secret = NewKeyPair()
	case !usable(public, "pk-lf-"):
		return model.Key{}, "", fault.Invalidf("publicKey", "must be pk-lf- and something without a colon").Hint("leave both halves out for random ones")
	case !usable(secret, "sk-lf-"):
		return model.Key{}, "", fault.Invalidf("secretKey", "must be sk-lf- and something").Hint("leave both halves out for random ones")
	}
	return keyOf(public, secret), secret, nil
}

func usable(half, prefix string) bool {
	rest, ok := strings.CutPrefix(half, prefix)
	return ok && rest != "" && metastore.CheckID("key", half) == nil && (prefix == "sk-lf-" || !strings.Contains(half, ":"))
}

func keyOf(public, secret string) model.Key {
	salt, hash := Hash(secret)
	return model.Key{
		ID: newID(), PublicKey: public, SecretHash: hash, Salt: salt, Display: Display(secret),
		Scope: model.ScopeAll, CreatedAt: time.Now().UTC(),
	}
}

// SeedFrom returns what a first start creates, and the plain secret, which is nowhere else
// and can be shown this once. An empty project id and empty halves of the key are replaced
// by random ones. It fails with fault.Invalid when a given value cannot be used.
func SeedFrom(orgName, projectID, projectName, publicKey, secretKey string) (metastore.Seed, string, error) {
	if projectID == "" {
		projectID = newID()
	}
	if publicKey == "" {
		publicKey = randomPublic()
	}
	if secretKey == "" {
		secretKey = randomSecret()
	}
	if strings.Contains(publicKey, ":") {
		return metastore.Seed{}, "", fault.Invalidf("public key", "must not contain a colon").
			Hint("a colon ends the public key in a request")
	}
	seed, err := metastore.Seed{
		Organization: model.Organization{ID: newID(), Name: orgName},
		Project:      model.Project{ID: projectID, Name: projectName},
		Key:          keyOf(publicKey, secretKey),
	}.Linked()
	if err != nil {
		return metastore.Seed{}, "", err
	}
	return seed, secretKey, nil
}

// newID returns an id that grows with time, which keeps indexes compact.
func newID() string { return uuid.Must(uuid.NewV7()).String() }
