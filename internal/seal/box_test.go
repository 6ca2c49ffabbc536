package seal_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sondehq/sonde/internal/seal"
)

func box(t *testing.T, fill byte) *seal.Box {
	t.Helper()
	b, err := seal.NewBox(bytes.Repeat([]byte{fill}, seal.KeyBytes))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBox(t *testing.T) {
	t.Parallel()
	b, place := box(t, 7), seal.Place("connections", "p1", "c1", "secret")
	plain := []byte("sk-very-secret")
	sealed, err := b.Seal(plain, place)
	if err != nil || bytes.Contains(sealed, plain) || bytes.Contains(sealed, plain[:6]) {
		t.Fatalf("sealed %q, %v", sealed, err)
	}
	if got, err := b.Open(sealed, place); err != nil || !bytes.Equal(got, plain) {
		t.Fatalf("opened %q: %v", got, err)
	}
	again, err := b.Seal(plain, place)
	if err != nil || bytes.Equal(again, sealed) {
		t.Errorf("sealing twice gives the same bytes, %v", err)
	}
	for _, other := range [][]byte{
		nil, seal.Place("connections", "p2", "c1", "secret"), seal.Place("connections", "p1", "c2", "secret"),
		seal.Place("connections", "p1", "c1", "headers"), seal.Place("connections", "p1c1", "secret"),
	} {
		if got, err := b.Open(sealed, other); !errors.Is(err, seal.ErrBroken) {
			t.Errorf("opened %q at %q: %v", got, other, err)
		}
	}
	if got, err := box(t, 8).Open(sealed, place); !errors.Is(err, seal.ErrOtherKey) {
		t.Errorf("opened %q with another key: %v", got, err)
	}
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		if got, err := b.Open(changed, place); err == nil {
			t.Fatalf("changed at %d: opened %q", i, got)
		}
		if got, err := b.Open(sealed[:i], place); err == nil {
			t.Fatalf("cut at %d: opened %q", i, got)
		}
	}
	if b.KeyID() == box(t, 8).KeyID() || b.KeyID() != box(t, 7).KeyID() {
		t.Error("ids do not tell keys apart")
	}
}

func TestBoxKeepsEverything(t *testing.T) {
	t.Parallel()
	b := box(t, 1)
	rapid.Check(t, func(t *rapid.T) {
		plain := rapid.SliceOf(rapid.Byte()).Draw(t, "plain")
		place := rapid.SliceOf(rapid.String()).Draw(t, "place")
		sealed, err := b.Seal(plain, seal.Place(place...))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := b.Open(sealed, seal.Place(place...)); err != nil || !bytes.Equal(got, plain) {
			t.Fatalf("%q, %v", got, err)
		}
		if _, err := b.Open(sealed, seal.Place(append(place, "")...)); !errors.Is(err, seal.ErrBroken) {
			t.Fatalf("opened at another place: %v", err)
		}
	})
}

func TestParseKey(t *testing.T) {
	t.Parallel()
	key := seal.NewKey()
	for name, text := range map[string]string{
		"own text":        seal.KeyText(key),
		"upper case":      strings.ToUpper(seal.KeyText(key)),
		"a line":          " " + seal.KeyText(key) + "\n",
		"base64":          base64.StdEncoding.EncodeToString(key),
		"base64 for URLs": base64.RawURLEncoding.EncodeToString(key),
	} {
		if got, err := seal.ParseKey(text); err != nil || !bytes.Equal(got, key) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range map[string]string{
		"empty": "", "short": seal.KeyText(key)[2:], "long": seal.KeyText(key) + "00", "no encoding": "secret-" + strings.Repeat("ü", 20),
	} {
		_, err := seal.ParseKey(text)
		if err == nil || text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := seal.NewBox(key[1:]); err == nil {
		t.Error("a short key makes a box")
	}
}

func FuzzOpen(f *testing.F) {
	b, err := seal.NewBox(bytes.Repeat([]byte{3}, seal.KeyBytes))
	if err != nil {
		f.Fatal(err)
	}
	good, _ := b.Seal([]byte("x"), []byte("here"))
	f.Add(good)
	f.Add([]byte{1})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, sealed []byte) {
		if plain, err := b.Open(sealed, []byte("here")); err == nil && string(plain) != "x" {
			t.Errorf("made up: %q", plain)
		}
	})
}
