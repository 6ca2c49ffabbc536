// Package filter holds conditions on rows as a typed list, the language that clients write them
// in, and the cursor of a page walk.
//
// Every read surface speaks in these terms: the API parses into them, a store turns them into
// its own language with bound parameters.
package filter

import "time"

// Condition is one test on a row; a list of conditions is AND-ed. An empty text is the same as
// no value: a column that is not set equals "".
type Condition interface {
	// On is the column that the condition looks at.
	On() Column
}

// OneOf holds when the column equals one of Values; an empty string among them matches rows
// where the column is not set. With Not it holds for all other rows.
type OneOf struct {
	Column Column
	Values []string
	Not    bool
}

// TextOp compares a text with a value, byte by byte.
type TextOp uint8

// The comparisons of texts.
const (
	Equal TextOp = iota + 1
	Contains
	NotContains
	StartsWith
	EndsWith
	// Matches holds when every word of the value (see Words) is a word of the text and the value as a
	// whole, each sign of it taken literally, occurs in it. On input and output the letters A to Z count
	// as a to z on both sides (see LowerASCII); other letters keep their case, as in the store's index.
	Matches
)

// Text compares a text column. Equal is what OneOf is for; Matches applies to Input and Output.
type Text struct {
	Column Column
	Op     TextOp
	Value  string
}

// ListOp compares a list with a set of values.
type ListOp uint8

// The comparisons of lists.
const (
	AnyOf ListOp = iota + 1
	NoneOf
	AllOf
)

// List compares a list column, such as tags.
type List struct {
	Column Column
	Op     ListOp
	Values []string
}

// Order compares numbers and times.
type Order uint8

// The comparisons of ordered values.
const (
	Same Order = iota + 1 // of numbers only
	Above
	Below
	AtLeast
	AtMost
)

// Number compares a number as a 64-bit float, a cost with the decimal text of Value, exactly. A row in which
// the column is not set never meets it.
type Number struct {
	Column Column
	Op     Order
	Value  float64
}

// Time compares a time, of a precision of milliseconds. A row in which it is not set never meets it.
type Time struct {
	Column Column
	Op     Order
	At     time.Time
}

// IsTrue holds when the boolean column equals Want.
type IsTrue struct {
	Column Column
	Want   bool
}

// IsSet holds when the column has a value, or has none if Want is false.
type IsSet struct {
	Column Column
	Want   bool
}

// MetadataText compares the text of the metadata value under Key, whatever its type. A row without the
// key never meets it, not even NotContains. Matches minds letter case here.
type MetadataText struct {
	Key   string
	Op    TextOp
	Value string
}

// MetadataNumber compares the metadata value under Key as a 64-bit float. Only a value of type number meets it.
type MetadataNumber struct {
	Key   string
	Op    Order
	Value float64
}

// MetadataSet holds when there is a metadata value under Key, or none if Want is false.
type MetadataSet struct {
	Key  string
	Want bool
}

// On implements Condition.
func (c OneOf) On() Column { return c.Column }

// On implements Condition.
func (c Text) On() Column { return c.Column }

// On implements Condition.
func (c List) On() Column { return c.Column }

// On implements Condition.
func (c Number) On() Column { return c.Column }

// On implements Condition.
func (c Time) On() Column { return c.Column }

// On implements Condition.
func (c IsTrue) On() Column { return c.Column }

// On implements Condition.
func (c IsSet) On() Column { return c.Column }

// On implements Condition.
func (MetadataText) On() Column { return Metadata }

// On implements Condition.
func (MetadataNumber) On() Column { return Metadata }

// On implements Condition.
func (MetadataSet) On() Column { return Metadata }
