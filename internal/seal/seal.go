// Package seal makes texts that only this installation can have made, and secrets that only it can read.
//
// What a Sealer seals (receipts, upload addresses) is readable by everyone and cannot be changed or made up
// without the secret. What a Box seals (keys of others that we must keep) is readable with its key only.
package seal

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
)

// ErrBroken is returned for a text that was not sealed with this secret for this purpose.
var ErrBroken = errors.New("the seal does not fit")

// tagBytes is how much of the HMAC is kept: 128 bits cannot be guessed.
const tagBytes = 16

// Sealer seals and opens for one purpose: what was sealed for one opens for no other.
type Sealer struct {
	secret  []byte
	purpose string
}

// New makes a sealer. The secret is at least 32 random bytes, shared by all nodes.
func New(secret []byte, purpose string) Sealer { return Sealer{secret, purpose} }

// Seal returns content and its seal as one text of letters, digits, '-', '_' and one '.'.
func (s Sealer) Seal(content []byte) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode(content) + "." + encode(s.tag(content))
}

// Open returns the content of a text that Seal made, or ErrBroken.
func (s Sealer) Open(text string) ([]byte, error) {
	encoded, seal, ok := strings.Cut(text, ".")
	if !ok {
		return nil, ErrBroken
	}
	content, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		return nil, ErrBroken
	}
	tag, err := base64.RawURLEncoding.DecodeString(seal)
	if err != nil || !hmac.Equal(tag, s.tag(content)) {
		return nil, ErrBroken
	}
	return content, nil
}

func (s Sealer) tag(content []byte) []byte {
	mac := hmac.New(sha256.New, s.secret)
	mac.Write([]byte(s.purpose))
	mac.Write([]byte{0})
	mac.Write(content)
	return mac.Sum(nil)[:tagBytes]
}
