package e2e_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/sondehq/sonde/internal/otlp/otlptest"
)

// usageSamples are usage as providers and instrumentations write it, on spans that name no model: what
// comes back is what was sent, brought into our words, and the client's own cost.
func usageSamples(t *testing.T) (samples []goldenSet) {
	t.Helper()
	for _, c := range otlptest.UsageCases() {
		var attributes []any
		switch c.Channel {
		case "attributes":
			attributes = spanAttributes(t, c.Raw)
		case "genkit":
			attributes = append(attributes, textAttribute("genkit:output", `{"usage":`+string(c.Raw)+`}`))
		default:
			attributes = append(attributes, textAttribute("langfuse.observation.usage_details", string(c.Raw)))
		}
		text, err := json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{"scopeSpans": []any{map[string]any{
			"scope": map[string]any{"name": c.Scope},
			"spans": []any{map[string]any{
				"traceId": "0af7651916cd43dd8448eb211c80319c", "spanId": "b7ad6b7169203331", "name": c.ID,
				"startTimeUnixNano": "1767323045678901234", "attributes": attributes,
			}},
		}}}}})
		if err != nil {
			t.Fatal(err)
		}
		usage, cost := map[string]any{}, map[string]any{}
		for key, n := range c.Usage {
			usage[key] = n
		}
		for key, amount := range c.Cost {
			var n float64
			if err := json.Unmarshal([]byte(amount), &n); err != nil {
				t.Fatalf("%s: cost %q: %v", c.ID, amount, err)
			}
			cost[key] = n
		}
		samples = append(samples, goldenSet{
			name: "usage " + c.ID, rows: 1, counted: true,
			send: func(client *client) error {
				return client.sendRecorded(otlptest.Body{Data: text, JSON: true}, nil)
			},
			want: []golden{{convention: c.Convention(), want: otlptest.Row{"usageDetails": usage, "costDetails": cost}}},
		})
	}
	return samples
}

// spanAttributes makes attributes of an object, in its order.
func spanAttributes(t *testing.T, object json.RawMessage) (attributes []any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.UseNumber()
	if _, err := decoder.Token(); err != nil {
		t.Fatal(err)
	}
	for decoder.More() {
		var value any
		key, err := decoder.Token()
		if err == nil {
			err = decoder.Decode(&value)
		}
		if err != nil {
			t.Fatal(err)
		}
		kind := "stringValue"
		if _, number := value.(json.Number); number {
			kind = "doubleValue"
		}
		attributes = append(attributes, map[string]any{"key": key, "value": map[string]any{kind: value}})
	}
	return attributes
}

func textAttribute(key, text string) any {
	return map[string]any{"key": key, "value": map[string]any{"stringValue": text}}
}
