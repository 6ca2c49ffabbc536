package filter

import "slices"

// maxWords is how many distinct words of a value Matches looks for.
const maxWords = 64

// Words are the distinct words of a text, at most 64, in the order of their first place: longest runs of
// ASCII letters, ASCII digits and bytes outside of ASCII. That is how the store's index takes texts apart, so
// a text without spaces in a script that uses none is one word.
func Words(text string) []string {
	var words []string
	for start, i := 0, 0; i <= len(text) && len(words) < maxWords; i++ {
		if i < len(text) && inWord(text[i]) {
			continue
		}
		if word := text[start:i]; word != "" && !slices.Contains(words, word) {
			words = append(words, word)
		}
		start = i + 1
	}
	return words
}

func inWord(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b >= 0x80
}

// LowerASCII folds the letters A to Z, and no others: as far as letter case does not count, this is how.
func LowerASCII(text string) string {
	lower := []byte(text)
	for i, b := range lower {
		if b >= 'A' && b <= 'Z' {
			lower[i] = b + 'a' - 'A'
		}
	}
	return string(lower)
}
