package otlptest

import (
	"encoding/json"
	"io/fs"
	"path"
	"strings"
)

// Capture is what one run of a real client sent, and the rows that must come of it.
type Capture struct {
	Name    string
	Headers map[string]string // that its requests had beside the form of their bodies; keys are in lower case
	Bodies  []Body
	Want    []Row // nil where only the bodies were recorded
}

// Body is one recorded body of the traces path, decompressed.
type Body struct {
	Name string
	Data []byte
	JSON bool
	// Twin is the OTLP/JSON form of a protobuf body, where there is one.
	Twin []byte
}

// Captures returns every capture with a body of the traces path. Overrides are applied to the rows
// and stand, with their reasons, in captureOverrides.
func Captures() []Capture {
	entries, err := files.ReadDir("testdata/captures")
	if err != nil {
		panic(err)
	}
	var headers map[string]map[string]string
	load("headers.json", &headers)
	var out []Capture
	for _, e := range entries {
		c := Capture{Name: e.Name(), Headers: headers[e.Name()]}
		dir := "testdata/captures/" + c.Name
		c.Bodies = bodies(dir)
		c.Want = wantedRows(dir)
		for _, row := range c.Want {
			override(c.Name, row)
		}
		out = append(out, c)
	}
	return out
}

func bodies(dir string) []Body {
	entries, err := files.ReadDir(dir)
	if err != nil {
		panic(err)
	}
	var out []Body
	for _, e := range entries {
		stem, traces := strings.CutSuffix(strings.TrimSuffix(e.Name(), path.Ext(e.Name())), "_traces")
		if !traces {
			continue
		}
		data, err := files.ReadFile(dir + "/" + e.Name())
		if err != nil {
			panic(err)
		}
		isJSON := path.Ext(e.Name()) == ".json"
		if n := len(out); isJSON && n > 0 && strings.HasPrefix(out[n-1].Name, stem) {
			out[n-1].Twin = data // .bin comes before .json
			continue
		}
		out = append(out, Body{Name: e.Name(), Data: data, JSON: isJSON})
	}
	return out
}

// wantedRows reads the golden rows of a capture. There are three kinds: those written for the
// contract, those for older SDKs, and those observed in the reference server.
func wantedRows(dir string) (rows []Row) {
	if data, err := fs.ReadFile(files, dir+"/observed_rows_v4_16.json"); err == nil {
		for _, golden := range decodeRows(data) {
			rows = append(rows, observed(canonical(golden)))
		}
		return rows
	}
	data, err := fs.ReadFile(files, dir+"/expected_rows.json")
	if err != nil {
		return nil
	}
	if data[0] == '[' {
		for _, golden := range decodeRows(data) {
			rows = append(rows, canonical(golden))
		}
		return rows
	}
	var older struct{ Observations json.RawMessage }
	if err := json.Unmarshal(data, &older); err != nil {
		panic(err)
	}
	for _, golden := range decodeRows(older.Observations) {
		if golden["scopeVersion"] == nil {
			continue // sent on the older ingestion path
		}
		row := canonical(golden)
		row["shownTraceName"] = row["traceName"] // the file has what readers see
		delete(row, "traceName")
		rows = append(rows, row)
	}
	return rows
}

func decodeRows(data []byte) (rows []map[string]any) {
	if err := json.Unmarshal(data, &rows); err != nil {
		panic(err)
	}
	return rows
}

// observed splits the metadata that the reference stored: what the server added is compared as it
// is, and the client's values, which that version did not decode, are decoded by contract 2.4.
func observed(row Row) Row {
	flat, _ := row["metadataFlat"].([]any)
	delete(row, "metadataFlat")
	row["metadataBuckets"] = flat
	client := map[string]any{}
	for _, l := range flat {
		leaf := l.([]any)
		if name := leaf[0].(string); !inBucket(name) {
			text := leaf[1].(string)
			var v any
			if json.Unmarshal([]byte(text), &v) != nil {
				v = text
			}
			flatten(client, name, v)
		}
	}
	row["metadata"] = client
	return row
}

// flatten adds a value under dotted paths; the first value of a path counts.
func flatten(into map[string]any, path string, v any) {
	if members, ok := v.(map[string]any); ok {
		for name, inner := range members {
			flatten(into, path+"."+name, inner)
		}
		return
	}
	if _, has := into[path]; !has {
		into[path] = v
	}
}
