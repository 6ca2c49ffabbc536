package filter_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/filter"
)

var (
	textOps  = map[filter.TextOp]string{filter.Equal: "=", filter.Contains: "contains", filter.NotContains: "does not contain", filter.StartsWith: "starts with", filter.EndsWith: "ends with", filter.Matches: "matches"}
	listOps  = map[filter.ListOp]string{filter.AnyOf: "any of", filter.NoneOf: "none of", filter.AllOf: "all of"}
	orders   = map[filter.Order]string{filter.Same: "=", filter.Above: ">", filter.Below: "<", filter.AtLeast: ">=", filter.AtMost: "<="}
	presence = map[bool]string{true: "is set", false: "is not set"}
)

// wire is a condition as a client writes it.
type wire struct {
	Type     string        `json:"type"`
	Column   filter.Column `json:"column"`
	Operator string        `json:"operator"`
	Key      string        `json:"key,omitempty"`
	Value    any           `json:"value"`
}

// rendered writes conditions as a filter.
func rendered(t *testing.T, conditions []filter.Condition) string {
	t.Helper()
	list := []wire{}
	for _, c := range conditions {
		list = append(list, written(t, c))
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func written(t *testing.T, c filter.Condition) wire {
	t.Helper()
	switch c := c.(type) {
	case filter.OneOf:
		if field, _ := filter.Observations.Find(string(c.Column)); field.Kind == filter.KindPayload {
			return wire{"string", c.Column, "=", "", c.Values[0]}
		}
		return wire{"stringOptions", c.Column, map[bool]string{true: "none of", false: "any of"}[c.Not], "", c.Values}
	case filter.Text:
		return wire{"string", c.Column, textOps[c.Op], "", c.Value}
	case filter.List:
		return wire{"arrayOptions", c.Column, listOps[c.Op], "", c.Values}
	case filter.Number:
		return wire{"number", c.Column, orders[c.Op], "", c.Value}
	case filter.Time:
		return wire{"datetime", c.Column, orders[c.Op], "", c.At.Format(time.RFC3339Nano)}
	case filter.IsTrue:
		return wire{"boolean", c.Column, "=", "", c.Want}
	case filter.IsSet:
		return wire{"null", c.Column, map[bool]string{true: "is not null", false: "is null"}[c.Want], "", ""}
	case filter.MetadataText:
		return wire{"stringObject", filter.Metadata, textOps[c.Op], c.Key, c.Value}
	case filter.MetadataNumber:
		return wire{"numberObject", filter.Metadata, orders[c.Op], c.Key, c.Value}
	case filter.MetadataSet:
		return wire{"stringObject", filter.Metadata, presence[c.Want], c.Key, nil}
	}
	t.Fatalf("unknown condition %#v", c)
	return wire{}
}
