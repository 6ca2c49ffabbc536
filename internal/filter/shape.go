package filter

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/fault"
)

// The types of conditions.
const (
	typeString       = "string"
	typeOptions      = "stringOptions"
	typeArray        = "arrayOptions"
	typeNumber       = "number"
	typeTime         = "datetime"
	typeBool         = "boolean"
	typeNull         = "null"
	typeTextObject   = "stringObject"
	typeNumberObject = "numberObject"
	typeBoolObject   = "booleanObject"
	typeCategories   = "categoryOptions"
	typePosition     = "positionInTrace"
)

// Operators that more than one place names.
const (
	opEqual     = "="
	opMatches   = "matches"
	opAnyOf     = "any of"
	opNoneOf    = "none of"
	opAllOf     = "all of"
	opIsSet     = "is set"
	opIsNotSet  = "is not set"
	opIsNull    = "is null"
	opIsNotNull = "is not null"

	opIsNotEmpty = "is not empty"
)

var (
	conditionTypes = []string{
		typeString, typeOptions, typeArray, typeNumber, typeTime, typeBool, typeNull,
		typeTextObject, typeNumberObject, typeBoolObject, typeCategories, typePosition,
	}
	textOperators   = []string{opEqual, "contains", "does not contain", "starts with", "ends with", opMatches}
	numberOperators = []string{opEqual, ">", "<", ">=", "<="}
	// operators lists those of every type, opIsNotEmpty apart, which few columns take.
	operators = map[string][]string{
		typeString:       textOperators,
		typeOptions:      {opAnyOf, opNoneOf},
		typeArray:        {opAnyOf, opNoneOf, opAllOf},
		typeNumber:       numberOperators,
		typeTime:         numberOperators[1:],
		typeBool:         {opEqual, "<>"},
		typeNull:         {opIsNull, opIsNotNull},
		typeTextObject:   append(slices.Clone(textOperators), opIsSet, opIsNotSet),
		typeNumberObject: numberOperators,
		typeBoolObject:   {opEqual, "<>"},
		typeCategories:   {opAnyOf, opNoneOf},
		typePosition:     {opEqual},
	}
	withoutValue = []string{opIsSet, opIsNotSet, opIsNotEmpty} // among operators of texts
	keyed        = []string{typeTextObject, typeNumberObject, typeBoolObject, typeCategories}

	textOps = map[string]TextOp{
		opEqual: Equal, "contains": Contains, "does not contain": NotContains,
		"starts with": StartsWith, "ends with": EndsWith, opMatches: Matches,
	}
	listOps = map[string]ListOp{opAnyOf: AnyOf, opNoneOf: NoneOf, opAllOf: AllOf}
	orders  = map[string]Order{opEqual: Same, ">": Above, "<": Below, ">=": AtLeast, "<=": AtMost}
)

// shape is a condition as it was sent: its members have the types that they must have, but nobody
// has looked whether there is such a column.
type shape struct {
	kind, column, operator, key string

	// The value, under its type.
	text   string
	list   []string
	number float64
	at     time.Time
	truth  bool
}

// readShape reads the condition at the given path. Its error is a fault on the member at fault.
func readShape(raw json.RawMessage, at string) (shape, error) {
	// A map, because members of a struct would be found in any letter case.
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		return shape{}, fault.Invalidf(at, "must be a condition {type, column, operator, value}").Because(err)
	}
	var s shape
	for _, member := range []struct {
		name string
		into *string
	}{{"type", &s.kind}, {"column", &s.column}, {"operator", &s.operator}} {
		if !read(members[member.name], member.into) {
			return shape{}, fault.Invalidf(at+"."+member.name, "must be a string")
		}
	}
	if !slices.Contains(conditionTypes, s.kind) {
		return shape{}, fault.Invalidf(at+".type", "must be one of %s", strings.Join(conditionTypes, ", "))
	}
	rare := s.kind == typeString && s.operator == opIsNotEmpty
	if allowed := operators[s.kind]; !rare && !slices.Contains(allowed, s.operator) {
		return shape{}, fault.Invalidf(at+".operator", "must be one of %s for conditions of type %s", strings.Join(allowed, ", "), s.kind)
	}
	if slices.Contains(keyed, s.kind) && (!read(members["key"], &s.key) || s.key == "") {
		return shape{}, fault.Invalidf(at+".key", "must be a string that is not empty: it says which value the condition of type %s looks at", s.kind)
	}
	if problem := s.readValue(members["value"]); problem != "" {
		return shape{}, fault.Invalidf(at+".value", "%s for conditions of type %s", problem, s.kind)
	}
	return s, nil
}

// readValue reads the value and says what it must be if it is not that.
func (s *shape) readValue(raw json.RawMessage) (problem string) {
	switch s.kind {
	case typeString, typeTextObject:
		if !slices.Contains(withoutValue, s.operator) && !read(raw, &s.text) {
			return "must be a string"
		}
	case typeOptions, typeArray, typeCategories:
		return s.readList(raw)
	case typeNumber, typeNumberObject:
		if !read(raw, &s.number) {
			return "must be a number that fits in a double"
		}
	case typeTime:
		var text string
		ok := read(raw, &text)
		if ok {
			s.at, ok = ParseTime(text)
		}
		if !ok {
			return "must be a time like 2026-05-01T10:00:00.000Z"
		}
	case typeBool, typeBoolObject:
		if !read(raw, &s.truth) {
			return "must be true or false"
		}
	case typeNull:
		if text := ""; isValue(raw) && (!read(raw, &text) || text != "") {
			return "must be left out, null or an empty string"
		}
	}
	return ""
}

func (s *shape) readList(raw json.RawMessage) (problem string) {
	var list []json.RawMessage
	if !read(raw, &list) {
		return "must be an array of strings"
	}
	if len(list) > MaxValues {
		return fmt.Sprintf("must not have more than %d values", MaxValues)
	}
	if len(list) == 0 && (s.kind != typeArray || s.operator == opAnyOf) {
		return "must not be empty"
	}
	s.list = make([]string, len(list))
	for i, member := range list {
		if !read(member, &s.list[i]) { // on its own, because null in a list of strings would pass for ""
			return "must be an array of strings"
		}
	}
	return ""
}

// isValue reports whether a member is there and not null.
func isValue(raw json.RawMessage) bool { return raw != nil && string(raw) != "null" }

// read decodes a member that must be there and of the type of into.
func read(raw json.RawMessage, into any) bool {
	return isValue(raw) && json.Unmarshal(raw, into) == nil
}
