package chstore

import (
	"fmt"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
)

// placeOf is the place of the first entry under a key, which is the one that counts; 0: there is none. The
// engine's indexOf and has do not find an empty text in a list of LowCardinality.
func (r conditions) placeOf(key string) string {
	if key == "" {
		return "arrayFirstIndex(name -> name = '', meta_names)"
	}
	return "indexOf(meta_names, " + r.text(key) + ")"
}

// onMetadataText tests the entry under a key. Equality is found by the index i_meta, whose expression the
// first clause repeats to the letter; the pair alone may belong to a later entry or to another key.
func (r conditions) onMetadataText(c filter.MetadataText) string {
	place, text := r.placeOf(c.Key), r.text(c.Value)
	value, has := "meta_values["+place+"]", place+" > 0 AND "
	switch c.Op {
	case filter.Equal:
		pair := r.text(c.Key + "=" + c.Value)
		return "(has(arrayMap((k, v) -> concat(k, '=', v), meta_names, meta_values), " + pair + ") AND " + has + value + " = " + text + ")"
	case filter.Matches:
		clause := "(" + has + "position(" + value + ", " + text + ") > 0"
		if words := filter.Words(c.Value); len(words) > 0 {
			clause += " AND hasAllTokens(" + value + ", " + r.texts(words) + ")"
		}
		return clause + ")"
	default:
		if compare, ok := textComparisons[c.Op]; ok {
			return "(" + has + compare(value, text) + ")"
		}
		return ""
	}
}

// onMetadataNumber reads the entry's text as a number, if that is its type; one beyond all floats is none.
func (r conditions) onMetadataNumber(c filter.MetadataNumber) string {
	if comparisons[c.Op] == "" {
		return ""
	}
	place := r.placeOf(c.Key)
	number := "ifNull(toFloat64OrNull(meta_values[" + place + "]), nan)"
	return fmt.Sprintf("(meta_types[%s] = %d AND isFinite(%s) AND %s %s %s)",
		place, model.MetadataNumber, number, number, comparisons[c.Op], r.float(c.Value))
}

func (r conditions) onMetadataSet(c filter.MetadataSet) string {
	return fmt.Sprintf("(%s > 0) = %t", r.placeOf(c.Key), c.Want)
}
