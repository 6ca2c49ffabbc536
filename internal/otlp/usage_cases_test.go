package otlp

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/otlp/otlptest"
)

// nativeAttributes makes attributes of an object, in its order, with the values as they are.
func nativeAttributes(t *testing.T, raw json.RawMessage) (out list) {
	t.Helper()
	if !eachMember(string(raw), func(name, text string) {
		value := object{"doubleValue": json.Number(text)}
		if text[0] == '"' {
			value = object{"stringValue": textIn(text)}
		}
		out = append(out, object{"key": name, "value": value})
	}) {
		t.Fatalf("not an object: %s", raw)
	}
	return out
}

// TestUsageCases maps the usage of providers and instrumentations as spans carry it.
func TestUsageCases(t *testing.T) {
	t.Parallel()
	channels := map[string]int{}
	for _, c := range otlptest.UsageCases() {
		scope, attributes := c.Scope, list{}
		switch c.Channel {
		case "attributes":
			attributes = nativeAttributes(t, c.Raw)
		case "genkit":
			attributes = append(attributes, attr("genkit:output", `{"usage":`+string(c.Raw)+`}`))
		default:
			attributes = append(attributes, attr("langfuse.observation.usage_details", string(c.Raw)))
		}
		if scope == "" {
			scope = "some.lib"
		}
		channels[c.Channel]++
		o := mapAll(t, parseJSON(t, body(scope, nil, spanWith(object{"attributes": attributes}))))[0]
		got := map[string]float64{}
		for k, n := range o.UsageDetails {
			got[k] = float64(n)
		}
		if diff := cmp.Diff(c.Usage, got); diff != "" {
			t.Errorf("%s:\n%s", c.ID, diff)
		}
		if given := o.UsageOrigin == model.Provided; given != (len(c.Usage) > 0) {
			t.Errorf("%s: origin %q", c.ID, o.UsageOrigin)
		}
		if len(c.Cost) != len(o.CostDetails) {
			t.Errorf("%s: cost %v, want %v", c.ID, o.CostDetails, c.Cost)
		}
		for k, want := range c.Cost {
			if o.CostDetails[k].String() != want || o.CostOrigin != model.Provided {
				t.Errorf("%s: cost %v, want %v", c.ID, o.CostDetails, c.Cost)
			}
		}
	}
	t.Logf("fixtures per channel: %v", channels)
	if channels["attributes"] != 21 || channels["genkit"] != 1 || channels["usage_details"] != 45 {
		t.Errorf("fixtures per channel: %v", channels)
	}
}
