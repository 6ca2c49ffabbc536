package auth

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"github.com/sondehq/sonde/internal/fault"
)

// How passwords are hashed: argon2id with what OWASP asks for at least. The
// parameters are kept beside each hash, so they can be raised later.
const (
	passwordMemory  = 19 << 10 // KiB
	passwordPasses  = 2
	passwordThreads = 1
	passwordBytes   = 32
)

const (
	minPassword = 8 // characters
	maxPassword = 1024
)

// hashing lets few passwords be hashed at once: each takes passwordMemory.
var hashing = make(chan struct{}, 2)

// HashPassword returns the form in which a password is kept. One that is too short or too long is
// fault.Invalid.
func HashPassword(password string) (string, error) {
	switch {
	case !utf8.ValidString(password) || utf8.RuneCountInString(password) < minPassword:
		return "", fault.Invalidf("password", "must have at least %d characters", minPassword)
	case len(password) > maxPassword:
		return "", fault.Invalidf("password", "must not be longer than %d bytes", maxPassword)
	}
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // never fails
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, passwordMemory, passwordPasses, passwordThreads,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(stretch(password, salt, passwordPasses, passwordMemory, passwordThreads))), nil
}

func stretch(password string, salt []byte, passes, memory uint32, threads uint8) []byte {
	hashing <- struct{}{}
	defer func() { <-hashing }()
	return argon2.IDKey([]byte(password), salt, passes, memory, threads, passwordBytes)
}

// PasswordMatches reports whether a password is the one of a hash. The empty hash, which is that of a
// user without a password, is matched by none.
func PasswordMatches(hash, password string) bool {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" || len(password) > maxPassword {
		return false
	}
	var (
		version        int
		memory, passes uint32
		threads        uint8
	)
	if _, err := fmt.Sscanf(parts[2], "v=%d", &version); err != nil || version != argon2.Version {
		return false
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &passes, &threads); err != nil || passes == 0 || threads == 0 {
		return false
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	return err == nil && subtle.ConstantTimeCompare(want, stretch(password, salt, passes, memory, threads)) == 1
}

// NewPassword returns a random password that people can type: 26 letters and digits, over 128 bits.
func NewPassword() string { return rand.Text() }
