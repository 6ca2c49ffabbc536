package chstore

import (
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/model"
)

// entryColumns hold metadata: three arrays side by side, under names with a common beginning.
type entryColumns struct {
	names, values *proto.ColArr[string]
	types         *proto.ColArr[uint8]
	columns       []namedColumn
}

func newEntryColumns(prefix string) *entryColumns {
	e := &entryColumns{
		names:  proto.NewArray[string](lowCardinality()),
		values: new(proto.ColStr).Array(),
		types:  new(proto.ColUInt8).Array(),
	}
	e.columns = []namedColumn{{prefix + "_names", e.names}, {prefix + "_values", e.values}, {prefix + "_types", e.types}}
	return e
}

func (e *entryColumns) append(entries []model.MetadataEntry) {
	for _, entry := range entries {
		e.names.Data.Append(entry.Name)
		e.values.Data.Append(entry.Value)
		e.types.Data.Append(uint8(entry.Type))
	}
	end := uint64(e.types.Data.Rows())
	e.names.Offsets.Append(end)
	e.values.Offsets.Append(end)
	e.types.Offsets.Append(end)
}

func (e *entryColumns) row(i int) []model.MetadataEntry {
	names, values, types := e.names.Row(i), e.values.Row(i), e.types.Row(i)
	if len(names) == 0 {
		return nil
	}
	entries := make([]model.MetadataEntry, len(names))
	for k := range names {
		entries[k] = model.MetadataEntry{Name: names[k], Value: values[k], Type: model.MetadataType(types[k])}
	}
	return entries
}
