package otlp

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

func TestScannerAgreesWithEncodingJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "0", "-0", "01", "1.", ".5", "1.5", "1e5", "1E+5", "1e", "1e-", "-", "+1", "1x", "0x1", "NaN", "true", "tru", "TRUE", "nullx",
		`""`, `"`, `"\"`, `"\""`, `"\u00e9"`, `"\u00e"`, `"\u00eg"`, `"\x"`, "\"\x01\"", "\"\x7f\"", `"\/\b\f\n\r\t\\"`, `'a'`,
		"[]", "[", "]", "[,]", "[1,]", "[1 2]", "[1,2]", "[[[]]]", "{}", "{", `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":1 "b":2}`, `{1:2}`, `{"a":{"b":[{}]}}`,
		" [ 1 , { \"a\" : null } ] ", "\t\r\n1\n", "\v1", "\x001", "{}{}", "1,2",
	} {
		s := scanner{text: text}
		if got := s.skip(0) && s.atEnd(); got != json.Valid([]byte(text)) {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestQuotedAndUnescapedText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.String().Draw(rt, "text")
		var back string
		if err := json.Unmarshal(appendQuoted(nil, text), &back); err != nil || back != text {
			rt.Fatalf("%q became %q: %v", text, back, err)
		}
		encoded, err := json.Marshal(text)
		if err != nil {
			rt.Fatal(err)
		}
		s := scanner{text: string(encoded)}
		raw, _, ok := s.string()
		if got := string(unescape(nil, raw)); !ok || got != text {
			rt.Fatalf("%s became %q", encoded, got)
		}
	})
}

func TestCompactText(t *testing.T) {
	t.Parallel()
	const text = "{ \"a b\" : [ 1 , \"x \\\" y\\\\\" ,\t{ } ] ,\n\"c\" : null }"
	var want bytes.Buffer
	if err := json.Compact(&want, []byte(text)); err != nil {
		t.Fatal(err)
	}
	if got := string(appendCompact(nil, text)); got != want.String() {
		t.Errorf("%s, want %s", got, want.String())
	}
}

// Every byte at every place of a word, beside every other kind of byte.
func TestSkipPlain(t *testing.T) {
	t.Parallel()
	for b := range 256 {
		for at := range wordBytes {
			for _, filler := range []byte{'a', 0x80, 0xff, ' ', '!', '#', '[', ']'} {
				word := []byte{filler, filler, filler, filler, filler, filler, filler, filler}
				word[at] = byte(b)
				want := wordBytes
				if special[b] {
					want = at
				}
				if got := skipPlain("!"+string(word), 1); got != 1+want {
					t.Fatalf("%q: %d plain bytes, want %d", word, got-1, want)
				}
			}
		}
	}
}
