package filter

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/sondehq/sonde/internal/fault"
)

// SearchMode says what Search looks for.
type SearchMode uint8

// The modes of a search.
const (
	// Substring finds the value anywhere in the text, inside words too. It is the one for languages
	// that do not put spaces between words.
	Substring SearchMode = iota + 1
	// Phrase finds the words of the value as whole words, one after the other; what stands between
	// and around them does not count.
	Phrase
	// Regex finds a match of a regular expression in the syntax of RE2. Letter case counts and a dot
	// does not match a line feed, unless the expression starts with (?i) or (?s).
	Regex
)

// Searched is the column that a search looks at, whichever texts it is restricted to: it stands beside
// conditions on Input and Output and replaces none.
const Searched Column = "search"

// SearchColumns are the columns that can be searched.
var SearchColumns = []Column{Input, Output}

// MaxSearchBytes bounds the value of a search, MaxRegexBytes that of a regular expression.
const (
	MaxSearchBytes = 16 << 10
	MaxRegexBytes  = 1000
)

// Search holds when at least one of the columns In contains what Value asks for. Substring and Phrase
// do not mind the case of ASCII letters.
type Search struct {
	In    []Column
	Mode  SearchMode
	Value string
}

// On implements Condition.
func (Search) On() Column { return Searched }

var searchModes = map[string]SearchMode{"substring": Substring, "phrase": Phrase, "regex": Regex}

// ParseSearch reads the parameters search, searchMode and searchIn, none of which need be given. Without
// a text to search for there is no condition, but the other two are checked all the same.
func ParseSearch(value, mode string, in []string) ([]Condition, error) {
	s := Search{In: SearchColumns, Mode: Substring, Value: value}
	if mode != "" {
		if s.Mode = searchModes[mode]; s.Mode == 0 {
			return nil, fault.Invalidf("searchMode", "must be one of phrase, substring, regex")
		}
	}
	if len(in) > 0 {
		s.In = nil
	}
	for _, name := range in {
		if !slices.Contains(SearchColumns, Column(name)) {
			return nil, fault.Invalidf("searchIn", "must be input, output or both, separated by a comma")
		}
		if !slices.Contains(s.In, Column(name)) {
			s.In = append(s.In, Column(name))
		}
	}
	if value == "" {
		return nil, nil
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	return []Condition{s}, nil
}

func (s Search) check() error {
	if len(s.Value) > MaxSearchBytes {
		return fault.Invalidf("search", "must not be longer than %d bytes, got %d", MaxSearchBytes, len(s.Value))
	}
	switch s.Mode {
	case Phrase:
		if len(Words(s.Value)) == 0 {
			return fault.Invalidf("search", "needs at least one letter or digit to be a phrase; use searchMode=substring for signs")
		}
	case Regex:
		if len(s.Value) > MaxRegexBytes {
			return fault.Invalidf("search", "must not be longer than %d bytes as a regular expression, got %d", MaxRegexBytes, len(s.Value))
		}
		if _, err := s.Regexp(); err != nil {
			return fault.Invalidf("search", "is not a regular expression in the syntax of RE2: %s", reason(err))
		}
	default:
	}
	return nil
}

// Regexp is the expression of a search by Regex.
func (s Search) Regexp() (*regexp.Regexp, error) {
	re, err := regexp.Compile(s.Value)
	if err != nil {
		return nil, fmt.Errorf("read the regular expression: %w", err)
	}
	return re, nil
}

// reason is what Go's parser says, without the expression that the client knows.
func reason(err error) string {
	_, text, found := strings.Cut(err.Error(), "error parsing regexp: ")
	if !found {
		return "it cannot be parsed"
	}
	return text
}

// WordsInOrder splits text into its words like Words, but keeps every one of them, in order.
func WordsInOrder(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !InWord(r) })
}

// InWord reports whether a character is part of words.
func InWord(r rune) bool { return r >= 0x80 || inWord(byte(r)) }
