package tracestoretest

import (
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/sondehq/sonde/internal/filter"
)

// drawnKinds are the kinds of conditions; those with many columns come more often.
var drawnKinds = []func(*rapid.T) filter.Condition{
	drawnOneOf, drawnOneOf, drawnText, drawnText, drawnList, drawnNumber, drawnNumber, drawnBound, drawnTruth, drawnSet, drawnSet,
	drawnMetadataText, drawnMetadataNumber, drawnMetadataSet,
}

// drawnCondition is any condition but those on input and output.
var drawnCondition = shared(func(t *rapid.T) filter.Condition { return pick(t, "condition", drawnKinds)(t) })

func drawnTextColumn(t *rapid.T) (filter.Column, []string) {
	column := pick(t, "column", slices.Sorted(maps.Keys(drawnTextColumns)))
	return column, append([]string{"none has this"}, drawnTextColumns[column]...)
}

func drawnOneOf(t *rapid.T) filter.Condition {
	column, values := drawnTextColumn(t)
	return filter.OneOf{Column: column, Values: rapid.SliceOfN(rapid.SampledFrom(values), 1, 3).Draw(t, "values"), Not: rapid.Bool().Draw(t, "not")}
}

func drawnText(t *rapid.T) filter.Condition {
	column, values := drawnTextColumn(t)
	return filter.Text{Column: column, Op: pick(t, "operator", textOps), Value: pick(t, "value", append(values, "E", "s", "t", "\x00'"))}
}

func drawnList(t *rapid.T) filter.Condition {
	values := rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y", "z", "é\x00'\\", "none has this"}), 0, 3)
	return filter.List{Column: pick(t, "column", drawnListColumns), Op: pick(t, "operator", listOps), Values: values.Draw(t, "values")}
}

func drawnNumber(t *rapid.T) filter.Condition {
	return filter.Number{Column: pick(t, "column", drawnNumberColumns), Op: pick(t, "operator", orderOps), Value: pick(t, "value", drawnNumbers)}
}

func drawnBound(t *rapid.T) filter.Condition {
	at := noon.Add(time.Duration(pick(t, "start", drawnStarts)+pick(t, "span", drawnSpans)) * time.Millisecond)
	return filter.Time{Column: pick(t, "column", drawnTimeColumns), Op: pick(t, "operator", orderOps[1:]), At: at}
}

func drawnTruth(t *rapid.T) filter.Condition {
	return filter.IsTrue{Column: pick(t, "column", drawnTruthColumns), Want: rapid.Bool().Draw(t, "want")}
}

func drawnSet(t *rapid.T) filter.Condition {
	columns := slices.Concat(slices.Sorted(maps.Keys(drawnTextColumns)), drawnListColumns, drawnNumberColumns, drawnTimeColumns, drawnTruthColumns,
		[]filter.Column{filter.Metadata})
	return filter.IsSet{Column: pick(t, "column", columns), Want: rapid.Bool().Draw(t, "want")}
}

func drawnMetadataText(t *rapid.T) filter.Condition {
	values := []string{"a", "b", "ab", "a=b", "", "1", "true", "A b", "b-a", "0.1", "e", "none has this"}
	return filter.MetadataText{Key: pick(t, "key", drawnKeys), Op: pick(t, "operator", append(textOps, filter.Matches)), Value: pick(t, "value", values)}
}

func drawnMetadataNumber(t *rapid.T) filter.Condition {
	return filter.MetadataNumber{Key: pick(t, "key", drawnKeys), Op: pick(t, "operator", orderOps), Value: pick(t, "value", drawnNumbers)}
}

func drawnMetadataSet(t *rapid.T) filter.Condition {
	return filter.MetadataSet{Key: pick(t, "key", drawnKeys), Want: rapid.Bool().Draw(t, "want")}
}
