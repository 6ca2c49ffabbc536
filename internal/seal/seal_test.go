package seal_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/sondehq/sonde/internal/seal"
)

func TestSeal(t *testing.T) {
	t.Parallel()
	secret := bytes.Repeat([]byte{7}, 32)
	receipts := seal.New(secret, "receipt")
	text := receipts.Seal([]byte("p1 0:17"))
	content, err := receipts.Open(text)
	if err != nil || string(content) != "p1 0:17" {
		t.Fatalf("opened %q: %v", content, err)
	}
	for name, open := range map[string]func() ([]byte, error){
		"another purpose": func() ([]byte, error) { return seal.New(secret, "upload").Open(text) },
		"another secret":  func() ([]byte, error) { return seal.New([]byte("x"), "receipt").Open(text) },
		"no seal":         func() ([]byte, error) { return receipts.Open("abc") },
		"empty":           func() ([]byte, error) { return receipts.Open("") },
		"only a dot":      func() ([]byte, error) { return receipts.Open(".") },
		"bad encoding":    func() ([]byte, error) { return receipts.Open("!." + text) },
	} {
		if got, err := open(); !errors.Is(err, seal.ErrBroken) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for i := range text {
		changed := []byte(text)
		if changed[i] = 'A'; text[i] == 'A' {
			changed[i] = 'E'
		}
		if got, err := receipts.Open(string(changed)); err == nil && string(got) != "p1 0:17" {
			t.Fatalf("changed at %d: opened %q", i, got)
		}
	}
}
