package otlptest

import (
	"encoding/json"
	"maps"
)

// Case is one span, and what must become of some of its fields.
type Case struct {
	ID            string
	Name          string
	ResourceSpans json.RawMessage // of an OTLP/JSON body
	Want          Row
}

// Cases returns the cases M01 to M123. What the contract asks for overrides what was observed, and
// overrides with their reasons stand in caseOverrides.
func Cases() []Case {
	var raw []struct {
		ID       string          `json:"id"`
		Name     string          `json:"name"`
		Spans    json.RawMessage `json:"resourceSpans"`
		Observed map[string]any  `json:"observed_v4_16"`
		Contract struct {
			Expected map[string]any `json:"expected"`
		} `json:"contract"`
	}
	load("mapping_cases.json", &raw)
	cases := make([]Case, 0, len(raw))
	for _, c := range raw {
		want := maps.Clone(c.Observed)
		if _, ok := c.Contract.Expected["metadata"]; ok {
			delete(want, "metadataFlat") // the typed form says more
		}
		maps.Copy(want, c.Contract.Expected)
		delete(want, "note")
		row := canonical(want)
		for _, o := range caseOverrides {
			if o.id == c.ID {
				row[o.key] = o.want
			}
		}
		cases = append(cases, Case{ID: c.ID, Name: c.Name, ResourceSpans: c.Spans, Want: row})
	}
	return cases
}

// MetadataCase is one of T01 to T11: attributes in their order, and the leaves they become.
type MetadataCase struct {
	ID    string
	Given json.RawMessage // an object; the order of its members counts
}

// ExperimentID is a vector of the derivation of experiment ids.
type ExperimentID struct {
	ID                            string
	Project, Dataset, Run, Wanted string
}

// ExtraCases returns the cases of metadata and the vectors of experiment ids.
func ExtraCases() (metadata []MetadataCase, ids []ExperimentID) {
	var raw []struct {
		ID       string          `json:"id"`
		Given    json.RawMessage `json:"given"`
		Expected json.RawMessage `json:"expected"`
	}
	load("extra_cases.json", &raw)
	for _, c := range raw {
		switch c.ID[0] {
		case 'T':
			metadata = append(metadata, MetadataCase{c.ID, c.Given})
		case 'E':
			var given struct{ ProjectID, DatasetID, RunName string }
			var want struct{ ExperimentID string }
			if json.Unmarshal(c.Given, &given) != nil || json.Unmarshal(c.Expected, &want) != nil {
				panic("golden case " + c.ID)
			}
			ids = append(ids, ExperimentID{c.ID, given.ProjectID, given.DatasetID, given.RunName, want.ExperimentID})
		}
	}
	return metadata, ids
}

// UsageCase is usage in the form of some provider or instrumentation.
type UsageCase struct {
	ID      string
	Channel string // attributes: Raw holds span attributes; genkit: the usage in genkit:output; usage_details
	Scope   string
	Raw     json.RawMessage
	Usage   map[string]float64
	Cost    map[string]string // as provided by the client; nil: none
}

// UsageCases returns the usage fixtures. Costs that follow from prices are left to the price list.
func UsageCases() []UsageCase {
	var raw struct {
		Fixtures []struct {
			ID, Channel, Scope string
			Raw                json.RawMessage
			ProvidedCost       map[string]any
			Expected           struct {
				UsageDetails map[string]float64
				CostDetails  map[string]string
			}
		}
	}
	load("usage_fixtures.json", &raw)
	var out []UsageCase
	for _, f := range raw.Fixtures {
		c := UsageCase{ID: f.ID, Channel: f.Channel, Scope: f.Scope, Raw: f.Raw, Usage: f.Expected.UsageDetails}
		if f.ProvidedCost != nil && f.ID != zeroCostFixture {
			c.Cost = f.Expected.CostDetails
		}
		out = append(out, c)
	}
	return out
}

// names of fields in the golden files, and what they are here.
var renamed = map[string]string{
	"spanId": "id", "parentSpanId": "parentObservationId", "startTimeISO": "startTime", "endTimeISO": "endTime",
	"modelName": "model",
}

// notRows are keys of golden rows that say nothing about an observation, with the reason.
var notRows = map[string]string{
	"ioSource":             "a remark",
	"doubtful":             "a remark",
	"notes":                "a remark",
	"scenario":             "a remark",
	"request":              "a remark",
	"source":               "always otel",
	"ingestionApiKey":      "comes from the request",
	"ingestionSdkName":     "comes from the request",
	"ingestionSdkVersion":  "comes from the request",
	"eventBytes":           "a measure of the reference",
	"telemetrySdkLanguage": "part of the resource, so of the metadata, which the reference rows leave out",
	"telemetrySdkName":     "part of the resource",
	"telemetrySdkVersion":  "part of the resource",
}

// canonical brings a golden row into the form of Row.
func canonical(golden map[string]any) Row {
	row := Row{}
	for k, v := range golden {
		if name, ok := renamed[k]; ok {
			k = name
		}
		if notRows[k] == "" {
			row[k] = v
		}
	}
	if e, ok := row["experiment"]; ok {
		delete(row, "experiment")
		if fields, ok := e.(map[string]any); ok {
			maps.Copy(row, fields)
		}
	}
	row.pairUp("experimentMetadata")
	row.pairUp("experimentItemMetadata")
	if text, ok := row["experimentItemVersion"].(string); ok && len(text) > 10 && text[10] == ' ' {
		row["experimentItemVersion"] = text[:10] + "T" + text[11:] + "Z"
	}
	return row
}

// pairUp makes one map of a list of names and a list of values.
func (r Row) pairUp(name string) {
	names, ok := r[name+"Names"].([]any)
	if !ok {
		return
	}
	values, _ := r[name+"Values"].([]any)
	byName := map[string]any{}
	for i, n := range names {
		byName[n.(string)] = values[i]
	}
	delete(r, name+"Names")
	delete(r, name+"Values")
	r[name+"Texts"] = byName
}
