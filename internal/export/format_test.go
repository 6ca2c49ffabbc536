package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/export"
	"github.com/sondehq/sonde/internal/model"
)

// files returns the content of the files of a kind, by name.
func (w *world) files(kind string) map[string][]byte {
	w.t.Helper()
	files := map[string][]byte{}
	err := w.place.List(w.t.Context(), w.prj+"/"+kind, func(key string) error {
		r, err := w.place.Get(w.t.Context(), key)
		if err != nil {
			return err
		}
		files[key], err = io.ReadAll(r)
		return errors.Join(err, r.Close())
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return files
}

// hostile are texts that break formats.
var hostile = []string{"plain", "", "a,b\"c\"\n\r\nd", "=cmd|' /C calc'!A0", "ünïcödé \u2028 😀", "\\", "null", "{\"a\":1}", strings.Repeat("x", 100_000), "\x00\x01"}

// fill makes rows that use every field.
func (w *world) fill() {
	w.t.Helper()
	for i, odd := range hostile {
		at := noon.Add(-time.Hour + time.Duration(i)*time.Second)
		w.insert(fmt.Sprint("o", i), at, at, func(o *model.Observation) {
			o.EndTime, o.CompletionStartTime = at.Add(1234*time.Millisecond), at.Add(100*time.Millisecond)
			o.Name, o.Input, o.Output, o.UserID, o.StatusMessage = odd, odd, odd, odd, odd
			o.Metadata = []model.MetadataEntry{{Name: "text" + odd, Value: odd, Type: model.MetadataString}, {Name: "n", Value: "1e3", Type: model.MetadataNumber}}
			o.Model, o.ModelParameters, o.Tags = "gpt", `{"t":0.5}`, []string{"a", odd}
			o.UsageDetails = map[string]uint64{"input": 3, "output": 4, "total": 7}
			o.CostDetails = map[string]decimal.Decimal{"input": decimal.RequireFromString("0.000000000001"), "total": decimal.RequireFromString("123456.789012345678")}
			o.PromptName, o.PromptVersion, o.ParentID = "p", 2, "parent"
			o.ToolCalls = []model.Tooling{{Name: odd, JSON: `{"id":1}`}}
			o.Experiment = &model.Experiment{ID: "x", Name: odd, ItemID: "item", ItemRootID: fmt.Sprint("o", i), ItemExpectedOutput: odd, ItemVersion: at}
		})
	}
	err := w.store.InsertScores(w.t.Context(), []*model.Score{
		{ProjectID: w.prj, ID: "s1", TraceID: "t", Timestamp: noon, Name: "n", Type: model.Numeric, Source: model.FromAPI, Number: 0.1, Version: model.RowVersion(noon.Add(-time.Hour), 0)},
		{ProjectID: w.prj, ID: "s2", SessionID: "s", Timestamp: noon, Name: "n", Type: model.Categorical, Source: model.FromAPI, Text: "good", Number: 1, Version: model.RowVersion(noon.Add(-time.Hour), 0)},
		{ProjectID: w.prj, ID: "s3", TraceID: "t", Timestamp: noon, Name: "n", Type: model.Numeric, Source: model.FromAPI, Number: math.NaN(), Version: model.RowVersion(noon.Add(-time.Hour), 0)},
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// rowsOf decodes files of any type into texts by field, null as the empty text.
func rowsOf(t *testing.T, fileType string, compressed bool, files map[string][]byte) map[string]map[string]string {
	t.Helper()
	rows := map[string]map[string]string{}
	for key, data := range files {
		if compressed && fileType != export.Parquet {
			zip, err := gzip.NewReader(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if data, err = io.ReadAll(zip); err != nil {
				t.Fatal(err)
			}
		}
		for _, row := range decode(t, fileType, data) {
			if _, twice := rows[row["id"]]; twice {
				t.Errorf("%s: %s is there twice", key, row["id"])
			}
			rows[row["id"]] = row
		}
	}
	return rows
}

func decode(t *testing.T, fileType string, data []byte) (rows []map[string]string) {
	t.Helper()
	switch fileType {
	case export.CSV:
		lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines[1:] {
			row := map[string]string{}
			for i, name := range lines[0] {
				row[name] = line[i]
			}
			rows = append(rows, row)
		}
	case export.Parquet:
		return decodeParquet(t, data)
	default:
		var objects []map[string]json.RawMessage
		if fileType == export.JSONL {
			data = []byte("[" + strings.Join(strings.Split(strings.TrimSuffix(string(data), "\n"), "\n"), ",") + "]")
		}
		if err := json.Unmarshal(data, &objects); err != nil {
			t.Fatalf("%v in %.200s", err, data)
		}
		for _, object := range objects {
			row := map[string]string{}
			for name, value := range object {
				var text *string
				switch err := json.Unmarshal(value, &text); {
				case err != nil:
					row[name] = string(value)
				case text != nil:
					row[name] = *text
				default:
					row[name] = ""
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func decodeParquet(t *testing.T, data []byte) (rows []map[string]string) {
	t.Helper()
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	columns := file.Schema().Columns()
	for _, group := range file.RowGroups() {
		reader := group.Rows()
		buffer := make([]parquet.Row, 3)
		for {
			n, err := reader.ReadRows(buffer)
			for _, row := range buffer[:n] {
				texts := map[string]string{}
				for _, value := range row {
					name := columns[value.Column()][0]
					leaf, _ := file.Schema().Lookup(name)
					texts[name] = parquetText(leaf.Node, value)
				}
				rows = append(rows, texts)
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		_ = reader.Close()
	}
	return rows
}

func parquetText(node parquet.Node, value parquet.Value) string {
	if value.IsNull() {
		return ""
	}
	if logical := node.Type().LogicalType(); logical != nil {
		switch logical.Value.(type) {
		case *format.TimestampType:
			return stampOf(time.UnixMilli(value.Int64()))
		case *format.DecimalType:
			return decimal.New(value.Int64(), -12).String()
		}
	}
	return value.String()
}

func TestFormatsHoldTheSameRows(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"observations", "scores", "experiments"} {
		var want map[string]map[string]string
		for _, fileType := range []string{export.JSONL, export.JSON, export.CSV, export.Parquet} {
			for _, compressed := range []bool{false, true} {
				w := newWorld(t)
				w.fill()
				w.configure(settings(func(s *model.ExportSettings) { s.FileType, s.Compressed = fileType, compressed }))
				if _, err := w.run(""); err != nil {
					t.Fatal(err)
				}
				got := rowsOf(t, fileType, compressed, w.files(kind))
				if want == nil {
					want = got
				}
				if fileType == export.CSV { // the reader of the library makes one line end of two characters
					for _, row := range got {
						for name := range row {
							row[name] = strings.ReplaceAll(row[name], "a,b\"c\"\n\nd", "a,b\"c\"\n\r\nd")
						}
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s as %s, compressed %t, differ from JSONL:\n%.3000s", kind, fileType, compressed, diff)
				}
			}
		}
		if rows := map[string]int{"observations": len(hostile), "experiments": len(hostile), "scores": 3}[kind]; len(want) != rows {
			t.Errorf("%d rows of %s, want %d", len(want), kind, rows)
		}
	}
}

func TestValuesAreExact(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fill()
	w.configure(settings(func(s *model.ExportSettings) { s.FileType = export.Parquet }))
	if _, err := w.run(""); err != nil {
		t.Fatal(err)
	}
	row := rowsOf(t, export.Parquet, false, w.files("observations"))["o3"]
	for name, want := range map[string]string{
		"totalCost": "123456.789012345678", "inputCost": "0.000000000001", "totalUsage": "7", "latency": "1.234", "name": hostile[3],
		"startTime": stampOf(noon.Add(-time.Hour + 3*time.Second)), "promptVersion": "2", "endTime": stampOf(noon.Add(-time.Hour + 3*time.Second + 1234*time.Millisecond)),
		"modelParameters": `{"t":0.5}`, "isRootObservation": "false",
	} {
		if row[name] != want {
			t.Errorf("%s is %q, want %q", name, row[name], want)
		}
	}
}

func TestFieldGroupsSelect(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fill()
	w.configure(settings(func(s *model.ExportSettings) { s.FieldGroups = []string{"metrics"} }))
	if _, err := w.run(""); err != nil {
		t.Fatal(err)
	}
	row := rowsOf(t, export.JSONL, false, w.files("observations"))["o0"]
	if _, there := row["input"]; there || row["latency"] != "1.234" || row["type"] != "SPAN" {
		t.Errorf("with the group metrics: %v", row)
	}
}
