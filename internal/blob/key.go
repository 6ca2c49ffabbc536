package blob

import (
	"errors"
	"fmt"
	"strings"
)

// ErrKey is returned for a key that no Store takes.
var ErrKey = errors.New("not a blob key")

// Limits of keys that every file system and object store can hold.
const (
	maxKeyBytes     = 512
	maxSegmentBytes = 200
)

const keyAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789-_."

// CheckKey returns ErrKey unless key is of the form that Store asks for. Every Store calls it.
func CheckKey(key string) error {
	if len(key) > maxKeyBytes {
		return fmt.Errorf("%w: %d bytes, at most %d", ErrKey, len(key), maxKeyBytes)
	}
	foreign := func(r rune) bool { return !strings.ContainsRune(keyAlphabet, r) }
	for segment := range strings.SplitSeq(key, "/") {
		if segment == "" || segment == "." || segment == ".." || len(segment) > maxSegmentBytes || strings.ContainsFunc(segment, foreign) {
			return fmt.Errorf("%w: %q", ErrKey, key)
		}
	}
	return nil
}
