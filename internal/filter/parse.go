package filter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/sondehq/sonde/internal/fault"
)

// The bounds of a filter.
const (
	MaxConditions = 100
	MaxValues     = 10_000    // of the list of one condition
	MaxBytes      = 256 << 10 // of the text of the filter parameter
)

// Parse reads the text of a filter parameter, a JSON array of conditions
// {type, column, operator, value, key}. No text and null are an empty list.
//
// All conditions count: a column that is named twice must meet both. Members that are not known are
// ignored, of a member that is there twice the last counts. Numbers are doubles: one that is larger is
// refused, one with more digits is rounded.
//
// A condition that has not the shape of one is a fault with the path of the member. One that has, but
// does not fit the catalog, is a fault without a field.
func Parse(text string, c Catalog) ([]Condition, error) { return ParseField(text, "filter", c) }

// ParseField is Parse for conditions in a parameter of another name.
func ParseField(text, field string, c Catalog) ([]Condition, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	if len(text) > MaxBytes {
		return nil, fault.Invalidf(field, "must not be longer than %d bytes, got %d", MaxBytes, len(text))
	}
	if !json.Valid([]byte(text)) {
		return nil, fault.New(fault.Invalid, "Invalid JSON in %s parameter", field)
	}
	var list []json.RawMessage
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, fault.Invalidf(field, "must be a JSON array of conditions {type, column, operator, value}").Because(err)
	}
	return ParseConditions(list, field, c)
}

// ParseConditions reads conditions that were found at the given path of a request. It gives what
// Parse gives.
func ParseConditions(list []json.RawMessage, at string, c Catalog) ([]Condition, error) {
	if len(list) > MaxConditions {
		return nil, fault.Invalidf(at, "must not have more than %d conditions, got %d", MaxConditions, len(list))
	}
	shaped := make([]shape, len(list))
	var issues []error
	for i, raw := range list {
		s, err := readShape(raw, fmt.Sprintf("%s.%d", at, i))
		shaped[i] = s
		issues = append(issues, err)
	}
	if err := errors.Join(issues...); err != nil {
		return nil, err
	}
	var conditions []Condition
	for i, s := range shaped {
		if s.kind == typePosition {
			continue // clients of the original product send it; it never had an effect
		}
		condition, err := s.on(c)
		if err != nil {
			return nil, fault.New(fault.Invalid, "%s condition %d (type %s, column %s, operator %s): %s",
				at, i+1, quoted(s.kind), quoted(s.column), quoted(s.operator), err)
		}
		conditions = append(conditions, condition)
	}
	return conditions, nil
}

// on is the condition that the shape makes on a column of the catalog.
func (s shape) on(c Catalog) (Condition, error) {
	if s.kind == typeBoolObject || s.kind == typeCategories {
		return nil, errors.New("only columns of scores take this type, and there are none here")
	}
	field, ok := c.Find(s.column)
	if !ok {
		return nil, fmt.Errorf("unknown column; use one of %s", c.names())
	}
	if accepted := field.Types(); !slices.Contains(accepted, s.kind) {
		return nil, fmt.Errorf("column %s takes conditions of type %s", field.Column, strings.Join(accepted, " or "))
	}
	if accepted := field.Operators(s.kind); !slices.Contains(accepted, s.operator) {
		return nil, fmt.Errorf("column %s takes the operators %s", field.Column, strings.Join(accepted, ", "))
	}
	if s.operator == opMatches && strings.IndexFunc(s.text, isWord) < 0 {
		return nil, errors.New("the value of matches needs at least one letter or digit")
	}
	return s.condition(field.Column), nil
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// condition is what the shape asks of column, which takes its type.
func (s shape) condition(column Column) Condition {
	switch s.kind {
	case typeString:
		switch s.operator {
		case opEqual:
			return OneOf{Column: column, Values: []string{s.text}}
		case opIsNotEmpty:
			return IsSet{Column: column, Want: true}
		}
		return Text{Column: column, Op: textOps[s.operator], Value: s.text}
	case typeOptions:
		return OneOf{Column: column, Values: s.list, Not: s.operator == opNoneOf}
	case typeArray:
		return List{Column: column, Op: listOps[s.operator], Values: s.list}
	case typeNumber:
		return Number{Column: column, Op: orders[s.operator], Value: s.number}
	case typeTime:
		return Time{Column: column, Op: orders[s.operator], At: s.at}
	case typeBool:
		return IsTrue{Column: column, Want: s.truth == (s.operator == opEqual)}
	case typeNull:
		return IsSet{Column: column, Want: s.operator == opIsNotNull}
	case typeNumberObject:
		return MetadataNumber{Key: s.key, Op: orders[s.operator], Value: s.number}
	}
	if s.operator == opIsSet || s.operator == opIsNotSet {
		return MetadataSet{Key: s.key, Want: s.operator == opIsSet}
	}
	return MetadataText{Key: s.key, Op: textOps[s.operator], Value: s.text}
}

// quoted shows a client's text in a message, its beginning if it is long.
func quoted(text string) string {
	const shown = 60
	if len(text) > shown {
		text = strings.ToValidUTF8(text[:shown], "") + "..."
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string into a buffer: no error to have
	return strings.TrimSpace(out.String())
}
