package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

const window = `"fromTimestamp":"2026-05-01T12:00:00Z","toTimestamp":"2026-05-01T14:00:00Z"`

func metricsTarget(query string) string {
	return "/api/public/v2/metrics?query=" + url.QueryEscape(query)
}

// measuredFixture holds a trace of four rows and three scores.
func measuredFixture(t *testing.T) *fixture {
	t.Helper()
	f := newFixture(t)
	cost := func(total string) func(*model.Observation) {
		return func(o *model.Observation) {
			o.Type, o.Model = model.Generation, "gpt"
			o.CostDetails = map[string]decimal.Decimal{"total": decimal.RequireFromString(total), "input": decimal.RequireFromString("0.1")}
			o.UsageDetails = map[string]uint64{"input": 3, "output": 40, "total": 43}
			o.EndTime = o.StartTime.Add(2 * time.Second)
			o.CompletionStartTime = o.StartTime.Add(500 * time.Millisecond)
		}
	}
	root := func(o *model.Observation) {
		o.ParentID, o.Name, o.UserID, o.SessionID, o.Tags, o.Release = "", "checkout", "ada", "s", []string{"beta", "eu"}, "r1"
	}
	f.insert(t,
		row("project-a", "t", "root", 0, root),
		row("project-a", "t", "one", 1000, cost("0.1")),
		row("project-a", "t", "two", 2000, cost("0.2")),
		row("project-a", "t", "late", 3_600_000, func(o *model.Observation) {
			o.ToolDefinitions, o.ToolCalls = []model.Tooling{{Name: "mail"}, {Name: "search"}}, []model.Tooling{{Name: "mail"}}
			o.PromptName, o.PromptVersion = "greet", 2
		}),
		row("project-b", "t", "foreign", 0, cost("100")),
	)
	score := func(id string, kind model.ScoreType, number float64, text string) *model.Score {
		return &model.Score{
			ProjectID: "project-a", ID: id, Timestamp: noon, Name: "quality", Type: kind, Source: model.FromAPI, Number: number, Text: text,
			TraceID: "t", ObservationID: "one", Environment: "default", Version: 1,
		}
	}
	if err := f.store.InsertScores(t.Context(), []*model.Score{
		score("a", model.Numeric, 0.5, ""), score("b", model.Boolean, 1, "True"), score("c", model.Categorical, 0, "good"),
	}); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestMetricsAnswers(t *testing.T) {
	t.Parallel()
	f := measuredFixture(t)
	count := `"metrics":[{"measure":"count","aggregation":"count"}]`
	for name, query := range map[string]string{
		"by_model": `{"view":"observations","metrics":[{"measure":"totalCost","aggregation":"sum"},{"measure":"latency","aggregation":"p95"},{"measure":"count","aggregation":"count"}],
			"dimensions":[{"field":"providedModelName"}],` + window + `}`,
		"no_metrics":    `{"view":"observations","metrics":[],"dimensions":[{"field":"type"}],` + window + `,"unknown":1}`,
		"filled":        `{"view":"observations",` + count + `,"timeDimension":{"granularity":"hour"},"fromTimestamp":"2026-05-01T10:00:00Z","toTimestamp":"2026-05-01T16:00:00Z"}`,
		"filled_days":   `{"view":"observations","metrics":[{"measure":"totalTokens","aggregation":"histogram"}],"dimensions":[{"field":"name"},{"field":"tags"}],"timeDimension":{"granularity":"day"},"fromTimestamp":"2026-04-30T10:00:00Z","toTimestamp":"2026-05-02T16:00:00+02:00"}`,
		"ordered":       `{"view":"observations",` + count + `,"timeDimension":{"granularity":"auto"},"orderBy":[{"field":"time_dimension","direction":"desc"}],"fromTimestamp":"2026-05-01T10:00:00Z","toTimestamp":"2026-05-01T16:00:00Z"}`,
		"weeks":         `{"view":"observations",` + count + `,"timeDimension":{"granularity":"week"},"config":{"row_limit":3},"fromTimestamp":"2026-04-01T10:00:00Z","toTimestamp":"2026-06-01T16:00:00Z"}`,
		"inherited":     `{"view":"observations","metrics":[{"measure":"uniqueUserIds","aggregation":"uniq"},{"measure":"uniqueSessionIds","aggregation":"count"}],"dimensions":[{"field":"tags"},{"field":"traceName"},{"field":"traceRelease"}],` + window + `}`,
		"users":         `{"view":"observations",` + count + `,"dimensions":[{"field":"userId"}],"orderBy":[{"field":"count_count","direction":"desc"}],"config":{"row_limit":5},` + window + `}`,
		"cost_by_type":  `{"view":"observations","metrics":[{"measure":"costByType","aggregation":"sum"}],` + window + `}`,
		"tools":         `{"view":"observations",` + count + `,"dimensions":[{"field":"toolNames"}],"orderBy":[{"field":"toolNames","direction":"asc"}],` + window + `}`,
		"prompts":       `{"view":"observations","metrics":[{"measure":"toolCalls","aggregation":"max"}],"dimensions":[{"field":"promptVersion"},{"field":"isRootObservation"},{"field":"startTimeMonth"}],` + window + `}`,
		"count_scores":  `{"view":"observations","metrics":[{"measure":"countScores","aggregation":"sum"}],"dimensions":[{"field":"type"}],` + window + `}`,
		"numeric":       `{"view":"scores-numeric","metrics":[{"measure":"value","aggregation":"avg"},{"measure":"count","aggregation":"count"}],"dimensions":[{"field":"observationModelName"},{"field":"traceName"}],` + window + `}`,
		"boolean":       `{"view":"scores-boolean",` + count + `,"dimensions":[{"field":"booleanValue"}],` + window + `}`,
		"categorical":   `{"view":"scores-categorical",` + count + `,"dimensions":[{"field":"stringValue"},{"field":"timestampDay"}],` + window + `}`,
		"name_fallback": `{"view":"observations",` + count + `,"filters":[{"type":"string","column":"whateverName","operator":"=","value":"checkout"}],` + window + `}`,
		"filters": `{"view":"observations",` + count + `,"filters":[{"type":"stringOptions","column":"providedModelName","operator":"any of","value":["gpt"]},
			{"type":"arrayOptions","column":"tags","operator":"all of","value":["eu"]},{"type":"datetime","column":"start_time","operator":">","value":"2026-05-01T12:00:01.500Z"},
			{"type":"null","column":"traceVersion","operator":"is null"},{"type":"boolean","column":"isRootObservation","operator":"=","value":false}],` + window + `}`,
		"nothing": `{"view":"observations","metrics":[{"measure":"totalCost","aggregation":"sum"},{"measure":"latency","aggregation":"avg"}],"fromTimestamp":"2020-01-01T00:00:00Z","toTimestamp":"2020-01-02T00:00:00Z"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := f.get(t, metricsTarget(query))
			golden(t, "metrics_"+name, fmt.Sprintf("%s\n\n%d\n%s", query, answer.status, answer.body))
		})
	}
}

func TestMetricsErrors(t *testing.T) {
	t.Parallel()
	f := measuredFixture(t)
	with := func(members string) string {
		return `{"view":"observations","metrics":[{"measure":"count","aggregation":"count"}],` + window + `,` + members + `}`
	}
	for name, query := range map[string]string{
		"json":          `{"view"`,
		"no_object":     `[]`,
		"empty":         `{}`,
		"traces":        strings.Replace(with(`"config":null`), "observations", "traces", 1),
		"shape":         `{"view":"observations","metrics":[{"measure":1,"aggregation":"median"},2],"dimensions":[{}],"timeDimension":{"granularity":"year"},"orderBy":[{"field":"x","direction":"up"}],"config":{"bins":101,"row_limit":1001},"fromTimestamp":"2026-05-01","toTimestamp":5}`,
		"window":        `{"view":"observations","metrics":[],"fromTimestamp":"2026-05-01T00:00:00Z","toTimestamp":"2026-05-01T00:00:00Z"}`,
		"too_many":      with(`"dimensions":[` + strings.Repeat(`{"field":"name"},`, 20) + `{"field":"name"}]`),
		"measure":       `{"view":"scores-categorical","metrics":[{"measure":"value","aggregation":"avg"}],` + window + `}`,
		"dimension":     with(`"dimensions":[{"field":"user_id"}]`),
		"text_measure":  `{"view":"observations","metrics":[{"measure":"uniqueUserIds","aggregation":"sum"}],` + window + `}`,
		"column":        with(`"filters":[{"type":"number","column":"mood","operator":">","value":1}]`),
		"column_type":   with(`"filters":[{"type":"string","column":"tags","operator":"=","value":"x"}]`),
		"matches":       with(`"filters":[{"type":"stringObject","column":"metadata","key":"k","operator":"matches","value":"x"}]`),
		"filter_shape":  with(`"filters":[{"type":"text"}]`),
		"order":         with(`"orderBy":[{"field":"time_dimension","direction":"asc"}]`),
		"two_pairs":     `{"view":"observations","metrics":[{"measure":"costByType","aggregation":"sum"}],"dimensions":[{"field":"usageType"}],` + window + `}`,
		"high_bucketed": with(`"dimensions":[{"field":"userId"}],"timeDimension":{"granularity":"day"}`),
		"high_no_limit": with(`"dimensions":[{"field":"userId"}],"orderBy":[{"field":"count_count","direction":"desc"}]`),
		"high_no_order": with(`"dimensions":[{"field":"userId"}],"config":{"row_limit":10}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := f.get(t, metricsTarget(query))
			if answer.status != http.StatusBadRequest {
				t.Errorf("status %d", answer.status)
			}
			golden(t, "metrics_error_"+name, fmt.Sprintf("%d\n%s", answer.status, answer.body))
		})
	}
}

func TestMetricsParameter(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for target, want := range map[string]string{
		"/api/public/v2/metrics":                   `"path":["query"]`,
		"/api/public/v2/metrics?query={}&query={}": `query must be given once, got 2 values`,
	} {
		if a := f.get(t, target); a.status != http.StatusBadRequest || !strings.Contains(a.body, want) {
			t.Errorf("%s: %d %s, want %s", target, a.status, a.body, want)
		}
	}
	f.store.err = fmt.Errorf("scan: %w", tracestore.ErrTooExpensive)
	for _, target := range []string{metricsTarget(`{"view":"observations","metrics":[],` + window + `}`), "/api/public/facets"} {
		if a := f.get(t, target); a.status != http.StatusUnprocessableEntity || !strings.Contains(a.body, "to a shorter range") {
			t.Errorf("%s: %d %s, want 422 with advice", target, a.status, a.body)
		}
	}
}

func TestFacets(t *testing.T) {
	t.Parallel()
	f := measuredFixture(t)
	for name, query := range map[string]string{
		"default":  "",
		"all":      "?fields=type,name,level,environment,model,tags,userId,sessionId,traceName,release,version,promptName,experimentName,toolNames,calledToolNames",
		"limited":  "?fields=name,type,name&limit=1",
		"prompts":  "?fields=prompt,scoreNames,metadataKeys,metadata.region",
		"roots":    "?fields=name&isRootObservation=true&level=DEFAULT",
		"many":     "?fields=metadata." + strings.Join(strings.Split("abcdefghijklmnopqrstuvwxyzABCDE", ""), ",metadata."),
		"filtered": "?fields=model&toStartTime=2026-05-01T12:30:00Z&fromStartTime=2026-05-01T12:00:00.001Z&filter=" + url.QueryEscape(`[{"type":"string","column":"userId","operator":"=","value":"ada"}]`),
		"unknown":  "?fields=type,input",
		"limits":   "?limit=101",
		"payload":  "?filter=" + url.QueryEscape(`[{"type":"string","column":"input","operator":"=","value":"x"}]`),
		"times":    "?fromStartTime=yesterday",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := f.get(t, "/api/public/facets"+query)
			golden(t, "facets_"+name, fmt.Sprintf("%d\n%s", answer.status, answer.body))
		})
	}
}
