package export

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/shopspring/decimal"
)

const (
	// A row group is what a Parquet file holds in memory until it is written.
	groupBytes = 32 << 20
	groupRows  = 50_000

	moneyScale     = 12
	moneyPrecision = 18
)

// parquetWriter writes a flat table in which every column may be null. Columns are in the order of their
// names, as the library has it.
type parquetWriter struct {
	out   *parquet.Writer //nolint:staticcheck // the columns are known at run time only
	forms []form
	order []int // of fields by name: order[column] is the field
	row   parquet.Row
	bytes int
	rows  int
}

func newParquetWriter(out io.Writer, compressed bool, fields []field) *parquetWriter {
	group := parquet.Group{}
	w := &parquetWriter{}
	for i, f := range fields {
		group[f.name] = parquet.Optional(nodeOf(f.form))
		w.forms, w.order = append(w.forms, f.form), append(w.order, i)
	}
	slices.SortFunc(w.order, func(a, b int) int { return cmp.Compare(fields[a].name, fields[b].name) })
	options := []parquet.WriterOption{parquet.NewSchema("row", group), parquet.CreatedBy("sonde", "", "")}
	if compressed {
		options = append(options, parquet.Compression(&zstd.Codec{}))
	}
	w.out = parquet.NewWriter(out, options...)
	return w
}

func nodeOf(f form) parquet.Node {
	switch f {
	case document:
		return parquet.JSON()
	case moment:
		return parquet.Timestamp(parquet.Millisecond)
	case whole:
		return parquet.Int(64)
	case number:
		return parquet.Leaf(parquet.DoubleType)
	case money:
		return parquet.Decimal(moneyScale, moneyPrecision, parquet.Int64Type)
	case truth:
		return parquet.Leaf(parquet.BooleanType)
	case text:
	}
	return parquet.String()
}

func (w *parquetWriter) write(row []any) error {
	w.row = w.row[:0]
	for column, i := range w.order {
		value, size, err := parquetValue(row[i])
		if err != nil {
			return err
		}
		level := 1
		if value.IsNull() {
			level = 0
		}
		w.row = append(w.row, value.Level(0, level, column))
		w.bytes += size
	}
	if _, err := w.out.WriteRows([]parquet.Row{w.row}); err != nil {
		return fmt.Errorf("write a row: %w", err)
	}
	if w.rows++; w.rows < groupRows && w.bytes < groupBytes {
		return nil
	}
	w.rows, w.bytes = 0, 0
	if err := w.out.Flush(); err != nil {
		return fmt.Errorf("write a row group: %w", err)
	}
	return nil
}

func parquetValue(value any) (v parquet.Value, size int, err error) {
	const fixed = 8
	switch value := value.(type) {
	case nil:
		return parquet.NullValue(), 1, nil
	case string:
		return parquet.ByteArrayValue([]byte(value)), len(value), nil
	case json.RawMessage:
		return parquet.ByteArrayValue(value), len(value), nil
	case time.Time:
		return parquet.Int64Value(value.UnixMilli()), fixed, nil
	case int64:
		return parquet.Int64Value(value), fixed, nil
	case float64:
		return parquet.DoubleValue(value), fixed, nil
	case bool:
		return parquet.BooleanValue(value), 1, nil
	case decimal.Decimal:
		return parquet.Int64Value(value.Shift(moneyScale).Round(0).IntPart()), fixed, nil
	}
	return v, 0, fmt.Errorf("no Parquet value of %T", value)
}

func (w *parquetWriter) close() error { return w.out.Close() }
