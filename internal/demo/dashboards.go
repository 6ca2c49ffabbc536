package demo

import (
	"context"
	"encoding/json"
)

// supportTiles has a tile of every kind.
const supportTiles = `[
	{"id":"about","title":"","kind":"text","x":0,"y":0,"w":6,"h":2,"text":"**Support assistant.** What customers asked, how fast they got an answer and what it cost. Look at *Answers by model* first when the cost rises."},
	{"id":"failed","title":"Failed steps","kind":"number","x":6,"y":0,"w":3,"h":2,"query":{"view":"observations","metrics":[{"measure":"count","aggregation":"count"}],
		"filters":[{"type":"stringOptions","column":"level","operator":"any of","value":["ERROR"]}]}},
	{"id":"rating","title":"Helpfulness","kind":"number","x":9,"y":0,"w":3,"h":2,"query":{"view":"scores-numeric","metrics":[{"measure":"value","aggregation":"avg"}],
		"filters":[{"type":"string","column":"name","operator":"=","value":"helpfulness"}]}},
	{"id":"course","title":"Latency of answers","kind":"line","x":0,"y":2,"w":6,"h":4,"query":{"view":"observations","metrics":[{"measure":"latency","aggregation":"p50"},{"measure":"latency","aggregation":"p95"}],
		"filters":[{"type":"boolean","column":"isRootObservation","operator":"=","value":true}]}},
	{"id":"names","title":"Traces by name","kind":"area","x":6,"y":2,"w":6,"h":4,"query":{"view":"observations","metrics":[{"measure":"count","aggregation":"count"}],"dimensions":[{"field":"traceName"}],
		"filters":[{"type":"boolean","column":"isRootObservation","operator":"=","value":true}]}},
	{"id":"models","title":"Answers by model","kind":"bars","x":0,"y":6,"w":6,"h":4,"query":{"view":"observations","metrics":[{"measure":"totalCost","aggregation":"sum"}],"dimensions":[{"field":"providedModelName"}],
		"filters":[{"type":"stringOptions","column":"type","operator":"any of","value":["GENERATION"]}]}},
	{"id":"tools","title":"Called tools","kind":"bar-list","x":6,"y":6,"w":6,"h":4,"query":{"view":"observations","metrics":[{"measure":"count","aggregation":"count"}],"dimensions":[{"field":"name"}],
		"filters":[{"type":"stringOptions","column":"type","operator":"any of","value":["TOOL"]}],"orderBy":[{"field":"count_count","direction":"desc"}],"config":{"row_limit":100}}},
	{"id":"spread","title":"Spread of helpfulness","kind":"histogram","x":0,"y":10,"w":6,"h":4,"query":{"view":"scores-numeric","metrics":[{"measure":"value","aggregation":"histogram"}],
		"filters":[{"type":"string","column":"name","operator":"=","value":"helpfulness"}]}},
	{"id":"busy","title":"Steps by type over time","kind":"heat-map","x":6,"y":10,"w":6,"h":4,"query":{"view":"observations","metrics":[{"measure":"count","aggregation":"count"}],"dimensions":[{"field":"type"}]}},
	{"id":"scores","title":"Feedback by name and category","kind":"table","x":0,"y":14,"w":12,"h":3,"query":{"view":"scores-categorical","metrics":[{"measure":"count","aggregation":"count"}],
		"dimensions":[{"field":"name"},{"field":"stringValue"}],"orderBy":[{"field":"count_count","direction":"desc"}],"config":{"row_limit":100}}}
]`

// sendDashboards makes a dashboard and an alert of each kind, which tell nobody. What is there already by name is left as it is.
func (d *demo) sendDashboards(ctx context.Context) error {
	_, err := d.named(ctx, "/api/public/dashboards", map[string]any{
		"name": "Support", "description": "A tile of every kind.", "tiles": json.RawMessage(supportTiles),
	})
	if err != nil {
		return err
	}
	ofRoots := []any{map[string]any{"type": "boolean", "column": "isRootObservation", "operator": "=", "value": true}}
	failures := []any{map[string]any{"type": "stringOptions", "column": "level", "operator": "any of", "value": []string{"ERROR"}}}
	for _, alert := range []struct {
		name, measure, aggregation string
		filters                    []any
		condition                  map[string]any
		window, every              int
	}{
		{"Many failed steps", "count", "count", failures, map[string]any{"kind": "threshold", "operator": ">", "limit": "20"}, 60, 5},
		{"No traces", "count", "count", ofRoots, map[string]any{"kind": "absence"}, 120, 5},
		{"Cost against last week", "totalCost", "sum", nil, map[string]any{"kind": "week-change", "limit": "50", "direction": "up"}, 1440, 60},
	} {
		_, err := d.named(ctx, "/api/public/alerts", map[string]any{
			"name":      alert.name,
			"query":     map[string]any{"view": "observations", "metrics": []any{map[string]any{"measure": alert.measure, "aggregation": alert.aggregation}}, "filters": append([]any{}, alert.filters...)},
			"condition": alert.condition, "windowMinutes": alert.window, "everyMinutes": alert.every,
		})
		if err != nil {
			return err
		}
	}
	return nil
}
