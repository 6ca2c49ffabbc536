package dashboards

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sondehq/sonde/internal/model"
)

// builtIn are the dashboards that every project has: what is used, how fast it is, and how good. Their ids are in
// addresses: never change one.
func builtIn(projectID string) []model.Dashboard {
	made := func(id, name, description string, tiles ...model.Tile) model.Dashboard {
		return model.Dashboard{ProjectID: projectID, ID: id, Name: name, Description: description, Tiles: tiles, TileCount: len(tiles)}
	}
	return []model.Dashboard{
		made("usage", "Cost and usage", "What is used, by whom, and what it costs.",
			tile("traces", "Traces", model.NumberTile, 0, 0, 3, 2, roots, count),
			tile("cost", "Cost", model.NumberTile, 3, 0, 3, 2, all, metric("totalCost", "sum")),
			tile("tokens", "Tokens", model.NumberTile, 6, 0, 3, 2, all, metric("totalTokens", "sum")),
			tile("users", "Users", model.NumberTile, 9, 0, 3, 2, all, metric("uniqueUserIds", "uniq")),
			tile("cost-by-model", "Cost by model", model.BarsTile, 0, 2, 6, 4, all, metric("totalCost", "sum"), "providedModelName"),
			tile("traces-by-name", "Traces by name", model.AreaTile, 6, 2, 6, 4, roots, count, "traceName"),
			ranked(tile("top-users", "Users by cost", model.BarListTile, 0, 6, 4, 5, all, metric("totalCost", "sum"), "userId"), "sum_totalCost"),
			tile("busy-models", "Calls by model over time", model.HeatMapTile, 4, 6, 8, 5, generations, count, "providedModelName"),
			tile("models", "Models", model.TableTile, 0, 11, 12, 5, generations,
				count+`,`+metric("totalTokens", "sum")+`,`+metric("totalCost", "sum")+`,`+metric("latency", "p95"), "providedModelName"),
		),
		made("latency", "Latency and errors", "How fast answers come, and what goes wrong.",
			tile("p95", "95th percentile of traces", model.NumberTile, 0, 0, 4, 2, roots, metric("latency", "p95")),
			tile("ttft", "Median time to first token", model.NumberTile, 4, 0, 4, 2, generations, metric("timeToFirstToken", "p50")),
			tile("errors", "Errors", model.NumberTile, 8, 0, 4, 2, failed, count),
			tile("latency-course", "Latency of traces", model.LineTile, 0, 2, 6, 4, roots,
				metric("latency", "p50")+`,`+metric("latency", "p95")+`,`+metric("latency", "p99")),
			tile("latency-histogram", "Latencies of traces", model.HistogramTile, 6, 2, 6, 4, roots, metric("latency", "histogram")),
			tile("levels", "Observations by level", model.BarsTile, 0, 6, 6, 4, all, count, "level"),
			tile("slow-models", "Latency by model", model.LineTile, 6, 6, 6, 4, generations, metric("latency", "p95"), "providedModelName"),
			tile("error-names", "Errors by name", model.BarListTile, 0, 10, 4, 5, failed, count, "name"),
			tile("names-by-level", "Names by level", model.TableTile, 4, 10, 8, 5, all, count, "name", "level"),
		),
		made("scores", "Scores", "How good the answers are, by what people and programs said of them.",
			ofScores(tile("score-count", "Scores", model.NumberTile, 0, 0, 4, 2, all, count)),
			ofScores(tile("score-mean", "Mean by name", model.LineTile, 4, 0, 8, 4, all, metric("value", "avg"), "name")),
			ofScores(tile("score-names", "Scores by name", model.BarListTile, 0, 2, 4, 5, all, count, "name")),
			ofScores(tile("score-values", "Values", model.HistogramTile, 4, 4, 8, 3, all, metric("value", "histogram"))),
			ofScores(tile("score-table", "Names and sources", model.TableTile, 0, 7, 12, 4, all, count+`,`+metric("value", "avg")+`,`+metric("value", "min")+`,`+metric("value", "max"), "name", "source")),
		),
	}
}

// Conditions of built-in tiles.
const (
	all         = `[]`
	roots       = `[{"type":"boolean","column":"isRootObservation","operator":"=","value":true}]`
	generations = `[{"type":"stringOptions","column":"type","operator":"any of","value":["GENERATION"]}]`
	failed      = `[{"type":"stringOptions","column":"level","operator":"any of","value":["ERROR"]}]`
)

var count = metric("count", "count")

func metric(measure, aggregation string) string {
	return fmt.Sprintf(`{"measure":%q,"aggregation":%q}`, measure, aggregation)
}

func tile(id, title string, kind model.TileKind, x, y, w, h int, filters, metrics string, dimensions ...string) model.Tile {
	fields := make([]string, len(dimensions))
	for i, name := range dimensions {
		fields[i] = fmt.Sprintf(`{"field":%q}`, name)
	}
	q := fmt.Sprintf(`{"view":"observations","metrics":[%s],"dimensions":[%s],"filters":%s}`, metrics, strings.Join(fields, ","), filters)
	return model.Tile{ID: id, Title: title, Kind: kind, X: x, Y: y, W: w, H: h, Query: json.RawMessage(q)}
}

// ranked is for dimensions with very many values: only the first are asked for.
func ranked(t model.Tile, by string) model.Tile {
	t.Query = json.RawMessage(string(t.Query[:len(t.Query)-1]) + `,"orderBy":[{"field":"` + by + `","direction":"desc"}],"config":{"row_limit":10}}`)
	return t
}

func ofScores(t model.Tile) model.Tile {
	const before, after = `{"view":"observations"`, `{"view":"scores-numeric"`
	t.Query = json.RawMessage(after + string(t.Query[len(before):]))
	return t
}
