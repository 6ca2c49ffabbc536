package seal

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// KeyBytes is the length of the key of a Box.
const KeyBytes = 32

// ErrOtherKey is returned for what was sealed with another key.
var ErrOtherKey = errors.New("sealed with another key")

const (
	// boxForm is the first byte of all that a Box seals: AES-256-GCM with a random nonce, after the id of the key.
	boxForm    = 1
	keyIDBytes = 8
	headBytes  = 1 + keyIDBytes
)

// Box keeps secrets that only holders of its key can read. It is safe for concurrent use.
//
// What it seals opens with the same key and the same place only: a text that was moved to another row or
// field, or changed in a single bit, is ErrBroken. A nonce is 96 random bits, so one key is good for 2^32
// texts.
type Box struct {
	aead cipher.AEAD
	head [headBytes]byte
}

// NewBox makes a box of a key of KeyBytes, which all nodes share.
func NewBox(key []byte) (*Box, error) {
	if len(key) != KeyBytes {
		return nil, fmt.Errorf("the encryption key has %d bytes, it must have %d", len(key), KeyBytes)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make a box: %w", err)
	}
	box := &Box{}
	if box.aead, err = cipher.NewGCMWithRandomNonce(block); err != nil {
		return nil, fmt.Errorf("make a box: %w", err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("sonde encryption key id"))
	box.head[0] = boxForm
	copy(box.head[1:], mac.Sum(nil))
	return box, nil
}

// KeyID names the key without giving it away.
func (b *Box) KeyID() string { return hex.EncodeToString(b.head[1:]) }

// Seal encrypts plain for the place that aad names; see Place. Sealing the same twice gives different bytes.
func (b *Box) Seal(plain, aad []byte) ([]byte, error) {
	return b.aead.Seal(bytes.Clone(b.head[:]), nil, plain, b.bound(aad)), nil
}

// Open returns what Seal was given for the same place: ErrOtherKey when another key sealed it, else ErrBroken
// when it does not open.
func (b *Box) Open(sealed, aad []byte) ([]byte, error) {
	if len(sealed) < headBytes || sealed[0] != boxForm {
		return nil, ErrBroken
	}
	if !bytes.Equal(sealed[:headBytes], b.head[:]) {
		return nil, ErrOtherKey
	}
	plain, err := b.aead.Open(nil, nil, sealed[headBytes:], b.bound(aad))
	if err != nil {
		return nil, ErrBroken
	}
	return plain, nil
}

// bound makes the head part of what the seal vouches for.
func (b *Box) bound(aad []byte) []byte { return append(bytes.Clone(b.head[:]), aad...) }

// Place names where a secret is kept, such as table, project, row and field. Different lists of parts never
// give the same bytes.
func Place(parts ...string) []byte {
	var place []byte
	for _, part := range parts {
		place = binary.AppendUvarint(place, uint64(len(part)))
		place = append(place, part...)
	}
	return place
}

// NewKey makes a key at random.
func NewKey() []byte {
	key := make([]byte, KeyBytes)
	_, _ = rand.Read(key) // never fails
	return key
}

// KeyText writes a key as ParseKey reads it.
func KeyText(key []byte) string { return hex.EncodeToString(key) }

// ParseKey reads a key of KeyBytes in hex or base64, with or without padding. Its errors do not show the text.
func ParseKey(text string) ([]byte, error) {
	text = strings.TrimSpace(text)
	unpadded := strings.TrimRight(text, "=")
	for _, decode := range []func(string) ([]byte, error){
		hex.DecodeString,
		base64.RawStdEncoding.DecodeString,
		base64.RawURLEncoding.DecodeString,
	} {
		if key, err := decode(unpadded); err == nil && len(key) == KeyBytes {
			return key, nil
		}
	}
	return nil, fmt.Errorf("must be %d bytes in hex (%d characters) or base64 (%d), such as `openssl rand -hex %d` makes",
		KeyBytes, 2*KeyBytes, base64.StdEncoding.EncodedLen(KeyBytes), KeyBytes)
}
