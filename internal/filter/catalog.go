package filter

import (
	"slices"
	"strings"
)

// Kind says what a column holds, and so which types of conditions it takes.
type Kind uint8

// The kinds of columns.
const (
	KindText     Kind = iota + 1 // string, stringOptions
	KindList                     // arrayOptions
	KindNumber                   // number
	KindTime                     // datetime
	KindBool                     // boolean
	KindPayload                  // a large text: string, with = and matches only
	KindMetadata                 // values under keys: stringObject, numberObject
	KindConfig                   // texts under keys: stringObject without matches
)

// types lists the types of conditions that a kind takes, without null.
var types = map[Kind][]string{
	KindText:     {typeString, typeOptions},
	KindList:     {typeArray},
	KindNumber:   {typeNumber},
	KindTime:     {typeTime},
	KindBool:     {typeBool},
	KindPayload:  {typeString},
	KindMetadata: {typeTextObject, typeNumberObject},
	KindConfig:   {typeTextObject},
}

// Field describes a column that clients may filter on.
type Field struct {
	Column Column
	Kind   Kind
	// Nullable columns may have no value and take null conditions.
	Nullable bool
	// NotEmpty columns take the operator "is not empty".
	NotEmpty bool
	// Values are all values that rows have, nil: any. A condition may name others: they match no row.
	Values []string
	// Aliases are further names by which clients know the column.
	Aliases []string
}

// Types lists the types of conditions that the column takes.
func (f Field) Types() []string {
	if !f.Nullable {
		return types[f.Kind]
	}
	return append(slices.Clone(types[f.Kind]), typeNull)
}

// Operators lists the operators that a condition of the given type, one of Types, may have here.
func (f Field) Operators(conditionType string) []string {
	all := operators[conditionType]
	switch {
	case f.Kind == KindPayload:
		return []string{opEqual, opMatches}
	case conditionType == typeString, f.Kind == KindConfig:
		some := slices.DeleteFunc(slices.Clone(all), func(op string) bool { return op == opMatches })
		if f.NotEmpty {
			some = append(some, opIsNotEmpty)
		}
		return some
	}
	return all
}

// Catalog lists the columns of one read surface.
type Catalog []Field

// Find returns the column with the given name or alias.
func (c Catalog) Find(name string) (Field, bool) {
	for _, f := range c {
		if string(f.Column) == name || slices.Contains(f.Aliases, name) {
			return f, true
		}
	}
	return Field{}, false
}

// names lists the columns, for messages.
func (c Catalog) names() string {
	names := make([]string, len(c))
	for i, f := range c {
		names[i] = string(f.Column)
	}
	return strings.Join(names, ", ")
}
