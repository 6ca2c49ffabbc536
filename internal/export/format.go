package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/fault"
)

// The file types of the contract.
const (
	JSON    = "JSON"
	JSONL   = "JSONL"
	CSV     = "CSV"
	Parquet = "PARQUET"
)

func checkFileType(word string) error {
	switch word {
	case JSON, JSONL, CSV, Parquet:
		return nil
	}
	return fault.Invalidf("fileType", "must be one of %s, %s, %s, %s", JSON, CSV, JSONL, Parquet)
}

// extension is the end of the names of files. Parquet compresses its pages, not the file.
func extension(fileType string, compressed bool) string {
	name := map[string]string{JSON: ".json", JSONL: ".jsonl", CSV: ".csv", Parquet: ".parquet"}[fileType]
	if compressed && fileType != Parquet {
		name += ".gz"
	}
	return name
}

// rowWriter writes rows, each a value or nil per field, to a file. Nothing of it is kept but what a block
// of the format needs.
type rowWriter interface {
	write(row []any) error
	// close writes what ends the file. It does not close the file.
	close() error
}

// newWriter begins a file.
func newWriter(out io.Writer, fileType string, compressed bool, fields []field) (rowWriter, error) {
	if fileType == Parquet {
		return newParquetWriter(out, compressed, fields), nil
	}
	var zip *gzip.Writer
	if compressed {
		zip = gzip.NewWriter(out)
		out = zip
	}
	var inner rowWriter
	switch fileType {
	case CSV:
		w, err := newCSVWriter(out, fields)
		if err != nil {
			return nil, err
		}
		inner = w
	case JSON:
		inner = &jsonWriter{out: out, fields: fields, array: true}
	default:
		inner = &jsonWriter{out: out, fields: fields}
	}
	if zip == nil {
		return inner, nil
	}
	return zipped{inner, zip}, nil
}

// zipped ends the compression after the file.
type zipped struct {
	rowWriter
	zip *gzip.Writer
}

func (z zipped) close() error {
	if err := z.rowWriter.close(); err != nil {
		return err
	}
	return z.zip.Close()
}

// jsonWriter writes an object per line, in a list or not.
type jsonWriter struct {
	out    io.Writer
	fields []field
	array  bool
	rows   int
	line   bytes.Buffer
}

func (w *jsonWriter) write(row []any) error {
	w.line.Reset()
	switch {
	case w.array && w.rows == 0:
		w.line.WriteString("[\n")
	case w.array:
		w.line.WriteString(",\n")
	}
	w.rows++
	encoder := json.NewEncoder(&w.line)
	encoder.SetEscapeHTML(false)
	for i, f := range w.fields {
		separator := byte(',')
		if i == 0 {
			separator = '{'
		}
		w.line.WriteByte(separator)
		w.line.WriteString(strconv.Quote(f.name) + ":")
		if err := encoder.Encode(jsonValue(row[i])); err != nil {
			return fmt.Errorf("write %s: %w", f.name, err)
		}
		w.line.Truncate(w.line.Len() - 1) // the encoder ends a line
	}
	w.line.WriteByte('}')
	if !w.array {
		w.line.WriteByte('\n')
	}
	_, err := w.out.Write(w.line.Bytes())
	return err
}

func (w *jsonWriter) close() error {
	if !w.array {
		return nil
	}
	end := "\n]\n"
	if w.rows == 0 {
		end = "[]\n"
	}
	_, err := io.WriteString(w.out, end)
	return err
}

// stamp is a time as the API writes it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func jsonValue(value any) any {
	switch v := value.(type) {
	case time.Time:
		return stamp(v)
	case decimal.Decimal:
		return json.Number(v.String())
	}
	return value
}

// csvWriter writes RFC 4180 with a line of names. Null is an empty field, as an empty text is. Texts that a
// spreadsheet would take for a formula stay as they are: files are data, and what reads them must not run them.
type csvWriter struct {
	out  *csv.Writer
	line []string
}

func newCSVWriter(out io.Writer, fields []field) (*csvWriter, error) {
	w := &csvWriter{out: csv.NewWriter(out), line: make([]string, len(fields))}
	for i, f := range fields {
		w.line[i] = f.name
	}
	return w, w.out.Write(w.line)
}

func (w *csvWriter) write(row []any) error {
	for i, value := range row {
		w.line[i] = csvText(value)
	}
	return w.out.Write(w.line)
}

func csvText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.RawMessage:
		return string(v)
	case time.Time:
		return stamp(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(value)
}

func (w *csvWriter) close() error {
	w.out.Flush()
	return w.out.Error()
}
