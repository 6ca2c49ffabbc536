package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// foreignValues are what project B could know of project A.
type foreignValues struct {
	// parameters has the values of a parameter, by its name, or by "METHOD path name" where it means
	// something else.
	parameters map[string][]string
	// always is a query that goes with every request of a route: what it requires, and all fields.
	always map[string]string
	bodies map[string][]string // by "METHOD path"
}

// of returns the values of a parameter of a route.
func (v foreignValues) of(route, name string) []string {
	if values, ok := v.parameters[route+" "+name]; ok {
		return values
	}
	return v.parameters[name]
}

const foreignProject = "project-a"

// plantForeign gives project A something on every route and returns what B asks with.
func plantForeign(t *testing.T, f *fixture) foreignValues {
	t.Helper()
	f.plantRows(t)
	cursor := decodePage(t, f.get(t, observations+"?limit=1")).Meta["cursor"]
	f.bury(t, foreignProject, "zqxsecret")
	f.receipts.state = ingest.ReceiptState{Rejections: []tracestore.Rejection{{Reason: "zqxsecret"}}, Status: ingest.ReceiptPartial, AcceptedAt: noon}
	job := createJob(t, f, keyA, "zqxsecret")
	f.call(t, "DELETE", "/api/public/traces/zqxsecret", keyA, "")
	media, _ := f.stored(t, strings.Repeat("x", 777), "text/plain")
	definition := `{"modelName":"mine","matchPattern":"^mine$","inputPrice":1}`
	f.call(t, "PUT", models+"/foreign-model", keyA, strings.ReplaceAll(definition, "mine", "zqxsecret"))

	v := foreignValues{always: map[string]string{"GET " + observations: "fields=" + allGroups}}
	v.parameters = map[string][]string{
		"traceId": {"foreign-traceId", "shared", ""}, "name": {"foreign-name", ""}, "userId": {"foreign-userId", ""}, "sessionId": {"foreign-sessionId", ""},
		"type": {"GENERATION"}, "level": {"ERROR"}, "environment": {"foreign-environment"}, "version": {"foreign-version", ""},
		"parentObservationId": {"foreign-parentObservationId", ""}, "isRootObservation": {"true", "false"}, "traceSums": {"true"}, "parseIoAsJson": {"false"},
		"fromStartTime": {"2026-01-01T00:00:00Z"}, "toStartTime": {"2027-01-01T00:00:00Z"},
		"expandMetadata": {"foreign-key"}, "filter": foreignFilters(t), "limit": {"1", "100"}, "page": {"1", "2"},
		"cursor": {cursor}, "GET " + letters + " cursor": {"2", "9"},
		"modelId": {"foreign-model"}, "mediaId": {media}, "ticket": {"foreign-ticket", ""}, "id": {"1"},
		"GET " + jobsPath + "/{id} id": {job.ID}, "POST " + jobsPath + "/{id}/cancel id": {job.ID},
		"GET /api/public/receipts/{id} id": {"good.seal"},
	}
	hash := `"sha256Hash":"` + strings.Repeat("A", 43) + `="`
	v.bodies = map[string][]string{
		"POST " + models: {definition}, "PUT " + models + "/{modelId}": {definition}, "POST " + jobsPath: {`{"kind":"echo","text":"mine"}`},
		"DELETE /api/public/traces": {`{"traceIds":["foreign-traceId","shared"]}`},
		"POST " + traces:            {jsonSpan("")}, "POST /api/public/otel/v1/logs": {"{}"},
		"POST " + ingestion:                  {`{"batch":[{"id":"e","type":"span-create","timestamp":"2026-05-01T10:00:00Z","body":{"id":"foreign-id1","traceId":"foreign-traceId","name":"mine"}}]}`},
		"POST " + mediaRoute:                 {`{"contentType":"text/plain","contentLength":5,` + hash + `,"field":"input","traceId":"foreign-traceId"}`},
		"POST /api/public/mcp":               foreignCalls,
		"PATCH " + mediaRoute + "/{mediaId}": {`{"uploadedAt":"2026-05-01T10:00:00Z","uploadHttpStatus":500,"uploadHttpError":"x"}`},
	}
	v.bodies["POST /api/public/sql"] = []string{`{"query":"SELECT * FROM observations"}`, `{"query":"SELECT * FROM observations WHERE trace_id = 'foreign-traceId'","format":"csv"}`}
	f.addScoreValues(t, &v)
	f.addAnnotationValues(t, &v)
	f.addDatasetValues(t, &v)
	f.addExportValues(t, &v)
	f.addLiveValues(t, &v)
	f.addEvaluationValues(t, &v)
	addReadValues(&v)
	f.addTenancyValues(t, &v)
	f.addPromptValues(t, &v)
	addPlaygroundValues(&v)
	addDeprecatedValues(&v)
	f.addPeopleValues(t, &v)
	return v
}

// plantRows stores observations and scores of project A.
func (f *fixture) plantRows(t *testing.T) {
	t.Helper()
	for i := range 3 {
		f.insert(t, foreignRow("foreign-traceId", fmt.Sprintf("foreign-id%d", i), i), foreignRow("shared", fmt.Sprintf("s%d", i), i))
	}
	subjects := []model.Score{{TraceID: "foreign-traceId", ObservationID: "foreign-id1"}, {TraceID: "shared"}, {SessionID: "foreign-sessionId"}, {ExperimentID: "foreign-experimentId"}}
	var scores []*model.Score
	for i, s := range subjects {
		s.ProjectID, s.ID, s.Timestamp = foreignProject, fmt.Sprintf("foreign-score%d", i), noon
		s.Name, s.Type, s.Source, s.Number = "foreign-name", model.Numeric, model.FromAPI, 777
		s.Environment, s.Comment, s.ConfigID, s.QueueID, s.AuthorUserID = "foreign-environment", "zqxsecret", "foreign-configId", "foreign-queueId", "foreign-authorUserId"
		s.CreatedAt, s.Version = noon, model.RowVersion(noon, 0)
		scores = append(scores, &s)
	}
	if err := f.store.InsertScores(t.Context(), scores); err != nil {
		t.Fatal(err)
	}
}

// addScoreValues adds what B asks the routes of scores with.
func (f *fixture) addScoreValues(t *testing.T, v *foreignValues) {
	t.Helper()
	const route, config = "GET /api/public/v3/scores", `{"name":"mine","dataType":"NUMERIC","description":"mine"}`
	_, created := f.call(t, "POST", "/api/public/score-configs", keyA, strings.ReplaceAll(config, "mine", "zqxsecret"))
	v.always[route] = "fields=subject,details,annotation"
	configID := fmt.Sprint(created["id"])
	maps.Copy(v.parameters, map[string][]string{
		route + " id": {"foreign-score0"}, "scoreId": {"foreign-score0", "foreign-score1"}, "configId": {configID, "foreign-configId"},
		"source": {"API"}, "dataType": {"NUMERIC"}, "queueId": {"foreign-queueId"}, "authorUserId": {"foreign-authorUserId"},
		"observationId": {"foreign-id1"}, "experimentId": {"foreign-experimentId"}, "value": {"777"}, "valueMin": {"0"}, "valueMax": {"1000"},
		"fromTimestamp": {"2026-01-01T00:00:00Z"}, "toTimestamp": {"2027-01-01T00:00:00Z"}, "traceTags": {"foreign-tags"},
	})
	ofName := `[{"type":"string","column":"name","operator":"=","value":"foreign-name"}]`
	v.always["GET /api/public/score-kinds"] = "fromTimestamp=2026-01-01T00:00:00Z&toTimestamp=2027-01-01T00:00:00Z"
	v.always["GET /api/public/score-analytics"] = v.always["GET /api/public/score-kinds"] + "&a=" + url.QueryEscape(ofName)
	v.parameters["GET /api/public/score-analytics b"] = []string{ofName, `[{"type":"string","column":"traceId","operator":"=","value":"shared"}]`}
	for _, path := range []string{route, "GET /api/public/score-kinds"} {
		v.parameters[path+" filter"] = []string{ofName, `[{"type":"number","column":"value","operator":"=","value":777}]`}
	}
	v.bodies["POST /api/public/scores"] = []string{`{"id":"foreign-score0","traceId":"foreign-traceId","name":"mine","value":1}`}
	v.bodies["POST /api/public/score-configs"] = []string{config}
	v.bodies["PATCH /api/public/score-configs/{configId}"] = []string{`{"description":"mine"}`}
}

// addReadValues adds what B asks searches, texts, experiments, metrics and facets with.
func addReadValues(v *foreignValues) {
	const experiments, items, since = "GET /api/public/experiments", "GET /api/public/experiment-items", "fromStartTime=2026-01-01T00:00:00Z&fields="
	v.always[experiments] = since + "core,metadata,scores"
	v.always[items] = since + "core,dataset,io,metadata,itemMetadata,experimentMetadata,scores"
	for _, route := range []string{"GET /api/public/histogram", "GET /api/public/users", "GET /api/public/session-summaries"} {
		v.always[route] = "fromStartTime=2026-01-01T00:00:00Z&toStartTime=2026-06-01T00:00:00Z"
	}
	const figures, compared = "GET /api/public/experiments/figures", "GET /api/public/experiments/compare"
	v.always[figures] = "id=foreign-experimentId"
	for _, route := range []string{compared, compared + "/items"} {
		v.always[route] = "baseline=foreign-experimentId"
	}
	maps.Copy(v.parameters, map[string][]string{
		figures + " id": {"foreign-experimentId"}, "baseline": {"foreign-experimentId"}, "c": {"x", "foreign-experimentId"}, "lowerIsBetter": {"foreign-name"},
		"itemVisibility": {"all"}, "only": {"regressions"}, "score": {"foreign-name"}, compared + "/items itemId": {"foreign-item"}, compared + "/items orderBy": {"worst"},
		compared + "/items fields": {"core", "io"},
	})
	comparison := `,"selection":[{"type":"string","column":"name","operator":"contains","value":"e"}],"fromStartTime":"2026-01-01T00:00:00Z","toStartTime":"2027-01-01T00:00:00Z"}`
	v.bodies["POST /api/public/compare"] = []string{
		`{"filter":[]` + comparison, `{"filter":[{"type":"string","column":"userId","operator":"=","value":"foreign-userId"}]` + comparison,
	}
	v.bodies["PATCH /api/public/traces/{traceId}"] = []string{`{"public":true}`}
	maps.Copy(v.parameters, map[string][]string{
		"maxTokens": {"200", "20000"}, "buckets": {"1", "200"}, "measure": {"count", "latency"}, "prefix": {"foreign", ""}, "requestId": {"foreign-request"},
		"GET /api/public/users orderBy": {"lastSeen.desc", "totalCost.asc"}, "GET /api/public/session-summaries orderBy": {"errors.desc"},
	})
	v.always["GET /api/public/facets"] = "fields=type,name,environment,level,model,userId,sessionId,tags"
	columns := func(names ...string) (filters []string) {
		for _, name := range names {
			filters = append(filters, `[{"type":"string","column":"`+name+`","operator":"contains","value":"foreign"}]`)
		}
		return filters
	}
	metrics := func(dimensions, filters string) string {
		return `{"view":"observations","metrics":[{"measure":"count","aggregation":"count"},{"measure":"totalCost","aggregation":"max"}],"dimensions":` + dimensions +
			`,"filters":` + filters + `,"fromTimestamp":"2026-01-01T00:00:00Z","toTimestamp":"2027-01-01T00:00:00Z"}`
	}
	v.always["GET /api/public/observations/{observationId}/io"] = "part=input"
	maps.Copy(v.parameters, map[string][]string{
		"q": {"foreign", "zqx"}, "ids": {"foreign-id0,foreign-id1,s0"},
		"search": {"foreign", "zqx"}, "searchMode": {"phrase", "substring", "regex"}, "searchIn": {"input", "output"}, "scoreLimit": {"1"},
		experiments + " id": {"foreign-experimentId"}, experiments + " name": {"foreign-experimentName"}, "datasetId": {"foreign-experimentDatasetId"},
		"experimentName": {"foreign-experimentName"}, "experimentItemId": {"foreign-item"},
		experiments + " filter": columns("id", "name", "datasetId"), items + " filter": columns("experimentId", "experimentName", "experimentItemId", "datasetId"),
		"query": {metrics(`[]`, `[]`), metrics(`[{"field":"name"}]`, `[]`), metrics(`[{"field":"environment"}]`, `[{"type":"string","column":"name","operator":"=","value":"foreign-name"}]`)},
	})
}

// foreignRow has in every text column the value foreign-<column>, and what B must never see.
func foreignRow(trace, id string, millis int) *model.Observation {
	o := fullRow(foreignProject, id)
	o.TraceID, o.StartTime = trace, noon.Add(time.Duration(millis)*time.Millisecond)
	o.ParentID, o.Name, o.StatusMessage, o.Environment, o.CodeVersion = "foreign-parentObservationId", "foreign-name", "foreign-statusMessage", "foreign-environment", "foreign-version"
	o.UserID, o.SessionID, o.TraceName, o.Release, o.Tags = "foreign-userId", "foreign-sessionId", "foreign-traceName", "foreign-release", []string{"foreign-tags"}
	o.Model, o.ModelID, o.PromptName, o.PromptVersion = "foreign-model", "foreign-modelId", "foreign-promptName", 777
	o.Input, o.Output = "foreign-input zqxsecret", "foreign-output zqxsecret"
	o.UsageDetails = map[string]uint64{"input": 777, "output": 777, "total": 777}
	o.CostDetails = map[string]decimal.Decimal{"input": decimal.New(777, 0), "output": decimal.New(777, 0), "total": decimal.New(777, 0)}
	o.Metadata = []model.MetadataEntry{
		{Name: "foreign-key", Value: "foreign-metadata", Type: model.MetadataString}, {Name: "zqxsecretkey", Value: "777", Type: model.MetadataNumber},
	}
	o.ToolDefinitions, o.ToolCalls = []model.Tooling{{Name: "foreign-toolNames"}}, []model.Tooling{{Name: "foreign-calledToolNames"}}
	o.Experiment = &model.Experiment{ID: "foreign-experimentId", Name: "foreign-experimentName", DatasetID: "foreign-experimentDatasetId", ItemID: "foreign-item", ItemRootID: id}
	return o
}

// foreignFilters asks for the values of the foreign rows by every column and operator.
func foreignFilters(t *testing.T) []string {
	t.Helper()
	var filters []string
	for _, field := range filter.Observations {
		text := "foreign-" + string(field.Column)
		if len(field.Values) > 0 {
			text = map[filter.Column]string{filter.Type: "GENERATION", filter.Level: "ERROR"}[field.Column]
		}
		values := map[string][]any{
			"string": {text, ""}, "stringObject": {text}, "stringOptions": {[]string{text, ""}}, "arrayOptions": {[]string{text}},
			"number": {777, 0}, "numberObject": {777, 0}, "datetime": {"2000-01-01", "2100-01-01"}, "boolean": {true}, "null": {nil},
		}
		for _, kind := range field.Types() {
			for _, operator := range field.Operators(kind) {
				for _, value := range values[kind] {
					if operator == "matches" && value == "" {
						continue
					}
					sent, err := json.Marshal([]map[string]any{{"type": kind, "column": field.Column, "operator": operator, "key": "foreign-key", "value": value}})
					if err != nil {
						t.Fatal(err)
					}
					filters = append(filters, string(sent))
				}
			}
		}
	}
	return filters
}

// foreignCalls ask for what is project A's by tools.
var foreignCalls = []string{
	`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"listObservations","arguments":{"traceId":"foreign-traceId"}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"getModel","arguments":{"modelId":"foreign-model"}}}`,
}
