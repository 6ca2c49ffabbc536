package chstore

import (
	"strings"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
)

// payloadColumns are the columns that conditions on texts look at.
var payloadColumns = map[filter.Column]string{
	filter.Input: "input", filter.Output: "output", filter.HasInput: "input", filter.HasOutput: "output",
}

// splitPayload takes the conditions on what a row says apart from the others.
func splitPayload(conditions []filter.Condition) (texts, rest []filter.Condition) {
	for _, c := range conditions {
		if _, payload := payloadColumns[c.On()]; payload || c.On() == filter.Searched {
			texts = append(texts, c)
		} else {
			rest = append(rest, c)
		}
	}
	return texts, rest
}

// textTest is what payloads are tested with.
type textTest struct {
	// exact holds for a payload that meets every condition, and for no other.
	exact string
	// sieve holds for all of these and perhaps for more, and the text index alone answers it: no text is
	// read. Empty: the index cannot help.
	sieve string
}

// newTextTest renders conditions on texts. Values are bound, never spliced.
func newTextTest(p *params, conditions []filter.Condition) (textTest, error) {
	var exact, sieves []string
	for _, c := range conditions {
		t, err := testOf(p, c)
		if err != nil {
			return textTest{}, err
		}
		exact = append(exact, t.exact)
		if t.sieve != "" {
			sieves = append(sieves, t.sieve)
		}
	}
	return textTest{exact: strings.Join(exact, " AND "), sieve: strings.Join(sieves, " AND ")}, nil
}

func testOf(p *params, c filter.Condition) (textTest, error) {
	switch c := c.(type) {
	case filter.OneOf:
		if column := payloadColumns[c.Column]; column == string(c.Column) {
			return oneOfTest(p, column, c), nil
		}
	case filter.Text:
		if column := payloadColumns[c.Column]; column == string(c.Column) && c.Op == filter.Matches {
			return matchesTest(p, column, c.Value), nil
		}
	case filter.IsTrue:
		if column := payloadColumns[c.Column]; column != "" && column != string(c.Column) {
			return textTest{exact: map[bool]string{true: "notEmpty(" + column + ")", false: "empty(" + column + ")"}[c.Want]}, nil
		}
	case filter.Search:
		return searchTest(p, c)
	}
	return textTest{}, fault.New(fault.Internal, "condition %#v has no SQL", c)
}

// allWords holds where the text has every word of the folded value. The index answers it.
func allWords(p *params, column, folded string) string {
	words := filter.Words(folded)
	if len(words) == 0 {
		return ""
	}
	return "hasAllTokens(lower(" + column + "), " + p.texts(words) + ")"
}

// sifted is a test whose sieve, if any, stands before the rest of it.
func sifted(sieve, rest string) textTest {
	if sieve == "" {
		return textTest{exact: rest}
	}
	return textTest{exact: sieve + " AND " + rest, sieve: sieve}
}

// oneOfTest compares whole texts: one that equals a value has the words of the value.
func oneOfTest(p *params, column string, c filter.OneOf) textTest {
	values := p.texts(c.Values)
	if c.Not {
		return textTest{exact: column + " NOT IN " + values}
	}
	sieve := ""
	if len(c.Values) == 1 {
		sieve = allWords(p, column, filter.LowerASCII(c.Values[0]))
	}
	return sifted(sieve, column+" IN "+values)
}

func matchesTest(p *params, column, value string) textTest {
	folded := filter.LowerASCII(value)
	sieve := allWords(p, column, folded)
	if isWord(folded) {
		return textTest{exact: sieve, sieve: sieve}
	}
	return sifted(sieve, contains(p, column, folded))
}

// contains takes a folded value. LIKE finds a part of a word by the words that the index knows, if it is
// not too short and few of them have it; the longer end of a value with other characters is such a part.
func contains(p *params, column, folded string) string {
	like := func(part string) string { return "lower(" + column + ") LIKE concat('%', " + p.text(part) + ", '%')" }
	if isWord(folded) {
		return like(folded)
	}
	literal := "position(lower(" + column + "), " + p.text(folded) + ") > 0"
	part := folded[:strings.IndexFunc(folded, separates)]
	if end := folded[strings.LastIndexFunc(folded, separates)+1:]; len(end) > len(part) {
		part = end
	}
	if len(part) < minLikeBytes {
		return literal
	}
	return like(part) + " AND " + literal
}

// minLikeBytes is the engine's text_index_like_min_pattern_length.
const minLikeBytes = 4

func isWord(text string) bool { return text != "" && !strings.ContainsFunc(text, separates) }

func separates(r rune) bool { return !filter.InWord(r) }

// searchTest holds when one of the columns meets the search. The sieve needs one for each of them.
func searchTest(p *params, c filter.Search) (textTest, error) {
	var exact, sieves []string
	for _, in := range c.In {
		column := payloadColumns[in]
		if column != string(in) {
			return textTest{}, fault.New(fault.Internal, "condition %#v has no SQL", c)
		}
		t := columnSearch(p, column, c)
		exact = append(exact, t.exact)
		if t.sieve != "" {
			sieves = append(sieves, t.sieve)
		}
	}
	if len(exact) == 0 || exact[0] == "" {
		return textTest{}, fault.New(fault.Internal, "condition %#v has no SQL", c)
	}
	if len(sieves) < len(exact) {
		sieves = nil
	}
	return textTest{exact: anyOf(exact), sieve: anyOf(sieves)}, nil
}

func anyOf(clauses []string) string {
	if len(clauses) == 0 {
		return ""
	}
	return "(" + strings.Join(clauses, " OR ") + ")"
}

func columnSearch(p *params, column string, c filter.Search) textTest {
	folded := filter.LowerASCII(c.Value)
	switch c.Mode {
	case filter.Substring:
		return sifted(allWords(p, column, inner(folded)), contains(p, column, folded))
	case filter.Phrase:
		sieve, words := allWords(p, column, folded), filter.WordsInOrder(folded)
		if len(words) == 1 {
			return textTest{exact: sieve, sieve: sieve}
		}
		return sifted(sieve, "hasSubstr(tokens(lower("+column+"), 'splitByNonAlpha'), "+p.texts(words)+")")
	case filter.Regex:
		// The engine lets a dot match a line feed unless it is told otherwise.
		return textTest{exact: "match(" + column + ", concat('(?-s)', " + p.text(c.Value) + "))"}
	}
	return textTest{}
}

// inner is the part of a value between its first and its last separator: the words in it are whole words
// of every text that contains the value.
func inner(folded string) string {
	first := strings.IndexFunc(folded, separates)
	if first < 0 {
		return ""
	}
	return folded[first:strings.LastIndexFunc(folded, separates)]
}
