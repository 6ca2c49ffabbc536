package datasets

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// dropped reports whether a character is taken out of texts: controls other than tab and line ends.
func dropped(c byte) bool { return c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0x7f }

// cleanText is a text without control characters, in valid UTF-8.
func cleanText(text string) string {
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && dropped(byte(r)) {
			return -1
		}
		return r
	}, text)
}

// cleanJSON is JSON in its compact form, whose texts are clean; empty for null and for nothing. Numbers
// and the order of members stay as they are.
func cleanJSON(raw []byte) string {
	var compact bytes.Buffer
	if len(raw) == 0 || json.Compact(&compact, raw) != nil || compact.String() == "null" {
		return ""
	}
	text := strings.ToValidUTF8(compact.String(), string(utf8.RuneError))
	if strings.IndexByte(text, '\\') < 0 && strings.IndexByte(text, 0x7f) < 0 {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	for i := 0; i < len(text); {
		width, drop := 1, text[i] == 0x7f
		if text[i] == '\\' {
			width, drop = escape(text[i:])
		}
		if !drop {
			out.WriteString(text[i : i+width])
		}
		i += width
	}
	return out.String()
}

// escape measures an escape sequence of JSON and reports whether it stands for a character to drop.
func escape(text string) (width int, drop bool) {
	switch text[1] {
	case 'b', 'f':
		return 2, true
	case 'u':
		c := 0
		for _, digit := range []byte(strings.ToLower(text[2:6])) {
			c = c<<4 | strings.IndexByte("0123456789abcdef", digit)
		}
		return 6, c < utf8.RuneSelf && dropped(byte(c))
	}
	return 2, false
}
