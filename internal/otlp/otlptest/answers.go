package otlptest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// notShown are the fields of golden rows that no answer of GET /api/public/v2/observations has, with
// the reason. They are compared with the mapped row instead.
var notShown = map[string]string{
	"isAppRoot":       "answers have isRootObservation, which follows from it",
	"toolDefinitions": "answers show tools where they were found: in the input",
	"toolCalls":       "answers show calls where they were found: in the output",
	"toolCallNames":   "as toolCalls",
	"experiment*":     "rows have no group of fields for experiments",
}

// computed are fields that the server fills itself where a client names a model and leaves them
// empty: it counts tokens and applies prices. Such empty ones are compared with the mapped row.
var computed = map[string]bool{"usageDetails": true, "costDetails": true, "providedUsageDetails": true, "providedCostDetails": true}

// Split returns the part of a wanted row that an answer of the API can be held against, and the part
// that only the mapped row shows. For an answer, call Inherit on all wanted rows first, ask for every
// field group with LongMetadata expanded, read its rows with Answer and call Diff.
func (r Row) Split() (shown, hidden Row) {
	shown, hidden = Row{}, Row{}
	for k, v := range r {
		name := k
		if strings.HasPrefix(k, "experiment") {
			name = "experiment*"
		}
		if notShown[name] != "" || computed[k] && normal(v) == nil && normal(r["model"]) != nil {
			hidden[k] = v
			continue
		}
		shown[k] = v
	}
	return shown, hidden
}

// Answer reads a row of an answer, with the order of its metadata and with what the metadata says of
// the scope and the service.
func Answer(data []byte) (Row, error) {
	var row Row
	var ordered struct{ Metadata json.RawMessage }
	if err := json.Unmarshal(data, &row); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &ordered); err != nil {
		return nil, err
	}
	flat, err := orderedLeaves(ordered.Metadata)
	if err != nil {
		return nil, err
	}
	metadata, _ := row["metadata"].(map[string]any)
	row["metadataFlat"] = flat
	row["scopeName"], row["scopeVersion"] = metadata["scope.name"], metadata["scope.version"]
	row["serviceName"] = metadata["resourceAttributes.service.name"]
	return row, nil
}

// orderedLeaves lists name, text and type of the members of an object.
func orderedLeaves(object json.RawMessage) (flat []any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		text, kind := string(value), "number"
		switch value[0] {
		case '"':
			kind = "string"
			if err := json.Unmarshal(value, &text); err != nil {
				return nil, err
			}
		case 't', 'f':
			kind = "boolean"
		case 'n':
			kind = "null"
		case '[', '{':
			kind = "array"
		}
		flat = append(flat, []any{name, text, kind})
	}
	return flat, nil
}

// lentFields are those that rows take from their trace where they have no value of their own.
var lentFields = []string{"userId", "sessionId", "tags", "release", "traceName"}

// Inherit gives wanted rows what their traces lend: golden files have what each row says itself,
// answers have more. A trace takes a value from its root, else from the first row that has one; its
// name is also its root's own name. All rows of a trace must be there.
func Inherit(rows []Row) {
	type candidate struct {
		rank  int
		at    string
		value any
	}
	lent := map[[2]any]candidate{}
	offer := func(row Row, field string, rank int, value any) {
		if normal(value) == nil {
			return
		}
		c := candidate{rank, fmt.Sprint(row["startTime"], row["id"]), value}
		best, has := lent[[2]any{row["traceId"], field}]
		if !has || cmp.Or(cmp.Compare(c.rank, best.rank), cmp.Compare(c.at, best.at)) < 0 {
			lent[[2]any{row["traceId"], field}] = c
		}
	}
	const ofRoot, nameOfRoot, ofOther = 0, 1, 2
	for _, row := range rows {
		rank := ofOther
		if row["isRootObservation"] == true || row["isAppRoot"] == true || normal(row["parentObservationId"]) == nil {
			rank = ofRoot
			offer(row, "traceName", nameOfRoot, row["name"])
		}
		if name, shown := row["shownTraceName"]; shown {
			delete(row, "shownTraceName")
			row["traceName"] = name
		}
		for _, field := range lentFields {
			offer(row, field, rank, row[field])
		}
	}
	for _, row := range rows {
		for _, field := range lentFields {
			if own, wanted := row[field]; wanted && normal(own) == nil {
				row[field] = lent[[2]any{row["traceId"], field}].value
			}
		}
	}
}
