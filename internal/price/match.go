package price

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// maxModelName is up to which length a model name is matched at all.
	maxModelName = 512
	// maxCached is how many model names a list remembers, unknown ones included.
	maxCached = 4096
)

// List finds the definition of a model name. It is safe for concurrent use.
type List struct {
	definitions []*Definition
	byID        map[string]*Definition
	matchers    []*matcher // one per pattern

	mu    sync.RWMutex
	known map[string][]*Definition
}

// NewList prepares definitions and makes a list of them. It is their owner from then on.
func NewList(definitions []*Definition) (*List, error) {
	for _, d := range definitions {
		if err := d.Prepare(); err != nil {
			return nil, fmt.Errorf("model %q: %w", d.Name, err)
		}
	}
	return listOf(definitions), nil
}

func listOf(definitions []*Definition) *List {
	l := &List{definitions: definitions, byID: map[string]*Definition{}, known: map[string][]*Definition{}}
	patterns := map[string]*matcher{}
	for _, d := range definitions {
		l.byID[d.ID] = d
		m := patterns[d.Pattern]
		if m == nil {
			m = newMatcher(d.Pattern)
			patterns[d.Pattern] = m
			l.matchers = append(l.matchers, m)
		}
		m.definitions = append(m.definitions, d)
	}
	return l
}

// All returns the definitions in the order they were given. They must not be changed.
func (l *List) All() []*Definition { return l.definitions }

// ByID returns a definition, nil when the list does not have it.
func (l *List) ByID(id string) *Definition { return l.byID[id] }

// Match returns the definition that is in force for a model at a time: of those whose pattern
// matches, the one that started last, but not after that time. It is nil when there is none.
func (l *List) Match(modelName string, at time.Time) *Definition {
	for _, d := range l.candidates(modelName) {
		if !d.Start.After(at) {
			return d
		}
	}
	return nil
}

// candidates are the definitions that match a name, the latest start first.
func (l *List) candidates(modelName string) []*Definition {
	if len(l.matchers) == 0 || modelName == "" || len(modelName) > maxModelName {
		return nil
	}
	l.mu.RLock()
	found, ok := l.known[modelName]
	l.mu.RUnlock()
	if ok {
		return found
	}
	folded := fold(modelName)
	for _, m := range l.matchers {
		if m.match(modelName, folded) {
			found = append(found, m.definitions...)
		}
	}
	slices.SortStableFunc(found, func(a, b *Definition) int { return b.Start.Compare(a.Start) })
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.known) >= maxCached {
		clear(l.known) // whoever sends that many names pays for looking them up again
	}
	l.known[strings.Clone(modelName)] = found
	return found
}

// matcher is a pattern. Most names are turned away by a text that each match must contain, so that
// hundreds of patterns cost microseconds, and those that no name comes near are never compiled.
type matcher struct {
	definitions []*Definition
	literal     string
	expression  func() *regexp.Regexp
}

func newMatcher(pattern string) *matcher {
	m := &matcher{expression: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })}
	if tree, err := syntax.Parse(pattern, syntax.Perl); err == nil {
		m.literal = literal(tree)
	}
	return m
}

func (m *matcher) match(name, folded string) bool {
	return strings.Contains(folded, m.literal) && m.expression().MatchString(name)
}

// literal returns the longest text that every match of an expression contains, folded.
func literal(tree *syntax.Regexp) (longest string) {
	switch tree.Op {
	case syntax.OpLiteral:
		if text := fold(string(tree.Rune)); isASCII(text) {
			return text
		}
	case syntax.OpCapture, syntax.OpPlus:
		return literal(tree.Sub[0])
	case syntax.OpRepeat:
		if tree.Min > 0 {
			return literal(tree.Sub[0])
		}
	case syntax.OpConcat:
		for _, sub := range tree.Sub {
			if text := literal(sub); len(text) > len(longest) {
				longest = text
			}
		}
	default: // whatever else there is matches texts that have nothing in common
	}
	return longest
}

// fold makes texts equal that a case-insensitive expression of ASCII takes for equal: besides
// lower and upper case, the long s and the Kelvin sign.
func fold(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r == 'ſ':
			return 's'
		case r == '\u212A':
			return 'k'
		}
		return r
	}, text)
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r > 127 }) < 0
}
