package auth

import (
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/fault"
)

func TestPasswords(t *testing.T) {
	t.Parallel()
	const password = "correct hörse"
	hash, err := HashPassword(password)
	if err != nil {
		t.Fatal(err)
	}
	other, err := HashPassword(password)
	if err != nil || hash == other {
		t.Errorf("two hashes of a password are %q and %q, %v", hash, other, err)
	}
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") || strings.Contains(hash, password) {
		t.Errorf("hash = %q", hash)
	}
	for text, want := range map[string]bool{password: true, "correct horse": false, "": false, password + " ": false} {
		if got := PasswordMatches(hash, text); got != want {
			t.Errorf("PasswordMatches(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestRefusedPasswords(t *testing.T) {
	t.Parallel()
	for _, password := range []string{"", "1234567", "üüüüüüü", "\xff12345678", strings.Repeat("x", maxPassword+1)} {
		if hash, err := HashPassword(password); !fault.Is(err, fault.Invalid) || hash != "" {
			t.Errorf("HashPassword(%.20q) = %q, %v, want fault.Invalid", password, hash, err)
		}
	}
}

func TestNoPasswordMatchesABrokenHash(t *testing.T) {
	t.Parallel()
	hash, err := HashPassword("password")
	if err != nil {
		t.Fatal(err)
	}
	for _, broken := range []string{
		"", "password", "$", "$$$$$", strings.Replace(hash, "argon2id", "argon2i", 1), strings.Replace(hash, "v=19", "v=18", 1),
		strings.Replace(hash, "t=2", "t=0", 1), strings.Replace(hash, "p=1", "p=0", 1), strings.Replace(hash, "m=19456", "m=x", 1),
		hash + "$", hash[:len(hash)-1], strings.Replace(hash, "t=2", "t=1", 1),
	} {
		if PasswordMatches(broken, "password") || PasswordMatches(broken, "") {
			t.Errorf("%q is matched", broken)
		}
	}
}

func TestNewPassword(t *testing.T) {
	t.Parallel()
	first, second := NewPassword(), NewPassword()
	if first == second || len(first) < 26 {
		t.Errorf("passwords %q and %q", first, second)
	}
	if _, err := HashPassword(first); err != nil {
		t.Error(err)
	}
}
