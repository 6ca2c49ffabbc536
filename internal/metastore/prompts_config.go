package metastore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
)

// PromptConfig is what conditions on a config see of it: the values of its top level by key, texts as they
// are and others as JSON. A value that is null is not there; nor is anything if the config is no object.
type PromptConfig map[string]string

// ReadPromptConfig reads a config, which must be JSON.
func ReadPromptConfig(config []byte) PromptConfig {
	var members map[string]json.RawMessage
	if json.Unmarshal(config, &members) != nil {
		return nil // no object
	}
	values := PromptConfig{}
	for key, raw := range members {
		var text string
		switch {
		case string(raw) == "null":
			continue
		case raw[0] == '"' && json.Unmarshal(raw, &text) == nil:
		default:
			var compact bytes.Buffer
			_ = json.Compact(&compact, raw) // it was read already
			text = compact.String()
		}
		values[storable(key)] = storable(text)
	}
	return values
}

// storable is a text without what a database cannot hold.
func storable(text string) string { return strings.ReplaceAll(text, "\x00", "\uFFFD") }

// Fold is the form of a text in which letter case plays no role. It is made here, because databases
// disagree about letters outside of ASCII.
func Fold(text string) string { return strings.ToLower(text) }

// ReferenceText shows a reference to people.
func ReferenceText(r model.PromptReference) string {
	if r.Version > 0 {
		return fmt.Sprintf("%s, version %d", r.Name, r.Version)
	}
	return fmt.Sprintf("%s, label %s", r.Name, r.Label)
}

// TagSeparator stands between tags where a store reads them as one text; no tag has it.
const TagSeparator = "\x1f"

func checkTag(tag string) error {
	switch {
	case strings.Contains(tag, TagSeparator):
		return fault.Invalidf("tags", "must not contain the character U+001F")
	case len(tag) > MaxTag:
		return fault.Invalidf("tags", "must not be longer than %d bytes", MaxTag)
	}
	return CheckID("tags", tag)
}

// checkLabel holds a label to 1 to MaxLabel of a few characters.
func checkLabel(field, label string) error {
	bad := strings.IndexFunc(label, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' && r != '.' && r != '-'
	})
	if label == "" || len(label) > MaxLabel || bad >= 0 {
		return fault.Invalidf(field, "must each be 1 to %d characters of a-z, 0-9, _, . and -", MaxLabel)
	}
	return nil
}

func checkLarge(field, text string) error {
	switch {
	case len(text) > MaxPromptBytes:
		return fault.Invalidf(field, "must not be larger than %d bytes", MaxPromptBytes)
	case !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0:
		return fault.Invalidf(field, "must be valid UTF-8 without NUL characters")
	}
	return nil
}

// MaxPattern bounds the value of a comparison by pattern, in bytes. SQLite takes 50,000.
const MaxPattern = 4096

// LikePattern brings the value of a comparison into the form that every database reads alike: folded, and
// with a backslash only before what it escapes. Before and after are put around it.
func LikePattern(before, value, after string) string {
	var out strings.Builder
	out.WriteString(before)
	escaped := false
	for _, r := range Fold(value) {
		switch {
		case escaped:
			writeLiteral(&out, r)
			escaped = false
		case r == '\\':
			escaped = true
		default:
			out.WriteRune(r)
		}
	}
	if escaped { // nothing follows it
		writeLiteral(&out, '\\')
	}
	out.WriteString(after)
	return out.String()
}

func writeLiteral(out *strings.Builder, r rune) {
	if r == '%' || r == '_' || r == '\\' {
		out.WriteByte('\\')
	}
	out.WriteRune(r)
}

// CheckPromptCondition refuses with fault.Invalid a condition that stores need not know.
func CheckPromptCondition(condition filter.Condition) error {
	switch c := condition.(type) {
	case filter.OneOf:
		return checkValues(c.Values)
	case filter.Text:
		return checkPattern(c.Value)
	case filter.List:
		if len(c.Values) == 0 {
			return fault.New(fault.Invalid, "filter condition on %s: the list of values must not be empty", c.Column)
		}
		return checkValues(c.Values)
	case filter.MetadataText:
		return first(checkPattern(c.Value), checkPattern(c.Key))
	case filter.MetadataSet:
		return checkPattern(c.Key)
	case filter.Number, filter.Time, filter.IsSet:
		return nil
	}
	return fault.New(fault.Invalid, "filter condition on %s: prompts do not take its type", condition.On())
}

func checkValues(values []string) error {
	for _, value := range values {
		if err := checkPattern(value); err != nil {
			return err
		}
	}
	return nil
}

func checkPattern(text string) error {
	if len(text) > MaxPattern {
		return fault.Invalidf("filter", "must not have values longer than %d bytes", MaxPattern)
	}
	if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
		return fault.Invalidf("filter", "must be valid UTF-8 without NUL characters")
	}
	return nil
}
