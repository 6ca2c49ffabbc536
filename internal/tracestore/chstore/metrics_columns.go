package chstore

import (
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/tracestore"
)

// relation is a table or an array that a statement must join to see a column.
type relation uint16

// The relations. The first ones say which facts of a trace are needed.
const (
	traceUser relation = 1 << iota
	traceSession
	traceNames
	traceRelease
	traceTags
	traceRoot    // the first root without parent, of a score's trace
	scored       // the observation of a score
	scoreCounts  // how many scores an observation has
	eachTool     // a row per tool that was offered
	eachCall     // a row per tool that was called
	eachCostKey  // a row per key of the cost
	eachUsageKey // a row per key of the usage
	rowCounts    // how many observations a trace has
	traceScores  // the names of all scores of a trace

	lentByTrace = traceUser | traceSession | traceNames | traceRelease | traceTags
)

// form says how a value looks in SQL.
type form uint8

const (
	textForm   form = iota + 1 // '' is no value
	listForm                   // an empty one is no value
	numberForm                 // NULL is no value
	boolForm
	timeForm
)

// metricsColumn is a dimension, or a column that conditions look at.
type metricsColumn struct {
	sql   string
	form  form
	needs relation
}

func textColumn(sql string, needs ...relation) metricsColumn { return newColumn(sql, textForm, needs) }

func newColumn(sql string, f form, needs []relation) metricsColumn {
	c := metricsColumn{sql: sql, form: f}
	for _, r := range needs {
		c.needs |= r
	}
	return c
}

// own takes a text of the row, or what its trace lends.
func own(column, lent string, needs relation) metricsColumn {
	return textColumn("if("+column+" = '', "+lent+", CAST("+column+", 'String'))", needs)
}

var inheritedTags = newColumn("if(empty(tags), lent_tags, CAST(tags, 'Array(String)'))", listForm, []relation{traceTags})

// observationDimensions are the dimensions of the view of observations.
var observationDimensions = map[filter.Column]metricsColumn{
	filter.ID:                  textColumn("span_id"),
	filter.TraceID:             textColumn("trace_id"),
	filter.ParentObservationID: textColumn("parent_span_id"),
	filter.Type:                textColumn("type"),
	filter.Name:                textColumn("name"),
	filter.Level:               textColumn("level"),
	filter.Environment:         textColumn("environment"),
	filter.CodeVersion:         textColumn("code_version"),
	tracestore.TraceVersion:    textColumn("code_version"),
	filter.Model:               textColumn("model"),
	filter.PromptName:          textColumn("prompt_name"),
	filter.PromptVersion:       newColumn("nullIf(prompt_version, 0)", numberForm, nil),
	filter.IsRootObservation:   newColumn("(parent_span_id = '' OR app_root)", boolForm, nil),
	filter.ExperimentID:        textColumn("experiment['id']"),
	filter.ExperimentName:      textColumn("experiment['name']"),
	filter.ExperimentDatasetID: textColumn("experiment['dataset_id']"),
	tracestore.StartTimeMonth:  textColumn("formatDateTime(start_time, '%Y-%m')"),

	filter.UserID:           own("user_id", "lent_user", traceUser),
	filter.SessionID:        own("session_id", "lent_session", traceSession),
	filter.TraceName:        own("trace_name", "lent_name", traceNames),
	filter.Release:          own("release", "lent_release", traceRelease),
	tracestore.TraceRelease: own("release", "lent_release", traceRelease),
	filter.Tags:             inheritedTags,

	filter.ToolNames:       textColumn("each_tool", eachTool),
	filter.CalledToolNames: textColumn("each_call", eachCall),
	tracestore.CostType:    textColumn("each_cost.1", eachCostKey),
	tracestore.UsageType:   textColumn("each_usage.1", eachUsageKey),
}

// scoreDimensions are the dimensions of the views of scores, and their columns that are none.
var scoreDimensions = map[filter.Column]metricsColumn{
	filter.ID:                   textColumn("id"),
	filter.Environment:          textColumn("environment"),
	filter.Name:                 textColumn("name"),
	filter.Source:               textColumn("source"),
	filter.DataType:             textColumn("data_type"),
	filter.TraceID:              textColumn("trace_id"),
	filter.ObservationID:        textColumn("observation_id"),
	filter.ConfigID:             textColumn("config_id"),
	filter.SessionID:            textColumn("session_id"),
	tracestore.ScoreRunID:       textColumn("experiment_id"),
	tracestore.ScoreEvaluatorID: textColumn("''"),
	tracestore.TimestampMonth:   textColumn("formatDateTime(timestamp, '%Y-%m')"),
	tracestore.TimestampDay:     textColumn("formatDateTime(timestamp, '%Y-%m-%d')"),
	filter.Timestamp:            newColumn("timestamp", timeForm, nil),
	filter.Value:                newColumn("number_value", numberForm, nil),
	tracestore.ScoreBoolean:     newColumn("(number_value = 1)", boolForm, nil),
	filter.StringValue:          textColumn("text_value"),

	filter.TraceName:        textColumn("lent_name", traceRoot, traceNames),
	filter.UserID:           textColumn("lent_user", traceRoot, traceUser),
	filter.Tags:             newColumn("lent_tags", listForm, []relation{traceRoot, traceTags}),
	tracestore.TraceRelease: textColumn("lent_release", traceRoot, traceRelease),
	tracestore.TraceVersion: textColumn("root_version", traceRoot),

	tracestore.ObservationName:      textColumn("scored.1", scored),
	tracestore.ObservationModel:     textColumn("scored.2", scored),
	tracestore.ObservationPrompt:    textColumn("scored.3", scored),
	tracestore.ObservationPromptNum: newColumn("nullIf(scored.4, 0)", numberForm, []relation{scored}),
	filter.ExperimentID:             textColumn("scored.5", scored),
	filter.ExperimentName:           textColumn("scored.6", scored),
}

// amount says what numbers a measure has, and so how they are added up without losing any.
type amount uint8

const (
	whole   amount = iota + 1 // summed in 128 bits
	dollars                   // summed as decimals
	double                    // summed as doubles
	word                      // a text, counted only
)

type metricsMeasure struct {
	sql    string
	amount amount
	needs  relation
}

const (
	latencyMillis   = "if(toUnixTimestamp64Micro(end_time) = 0, NULL, dateDiff('millisecond', start_time, end_time))"
	streamingMillis = "if(toUnixTimestamp64Micro(end_time) = 0 OR toUnixTimestamp64Micro(completion_start_time) = 0, NULL, " +
		"dateDiff('millisecond', completion_start_time, end_time))"
	firstTokenMillis = "if(toUnixTimestamp64Micro(completion_start_time) = 0, NULL, dateDiff('millisecond', start_time, completion_start_time))"
)

// perSecond divides by whole seconds, where there is at least one.
func perSecond(tokens, millis string) string {
	seconds := "intDiv(" + millis + ", 1000)"
	return "if(" + seconds + " > 0, " + tokens + " / " + seconds + ", NULL)"
}

// observationMeasures are the measures of the view of observations.
var observationMeasures = map[tracestore.Measure]metricsMeasure{
	tracestore.Count:                 {sql: "1", amount: whole},
	tracestore.Latency:               {sql: latencyMillis, amount: whole},
	tracestore.StreamingLatency:      {sql: streamingMillis, amount: whole},
	tracestore.TimeToFirstToken:      {sql: firstTokenMillis, amount: whole},
	tracestore.InputTokens:           {sql: "input_tokens", amount: whole},
	tracestore.OutputTokens:          {sql: "output_tokens", amount: whole},
	tracestore.TotalTokens:           {sql: "total_tokens", amount: whole},
	tracestore.OutputTokensPerSecond: {sql: perSecond("output_tokens", streamingMillis), amount: double},
	tracestore.TokensPerSecond:       {sql: perSecond("total_tokens", latencyMillis), amount: double},
	tracestore.InputCost:             {sql: "input_cost", amount: dollars},
	tracestore.OutputCost:            {sql: "output_cost", amount: dollars},
	tracestore.TotalCost:             {sql: "total_cost", amount: dollars},
	tracestore.ToolDefinitions:       {sql: "nullIf(length(tool_names), 0)", amount: whole},
	tracestore.ToolCalls:             {sql: "nullIf(length(called_tool_names), 0)", amount: whole},
	tracestore.CountScores:           {sql: "score_count", amount: whole, needs: scoreCounts},
	tracestore.CostByType:            {sql: "each_cost.2", amount: dollars, needs: eachCostKey},
	tracestore.UsageByType:           {sql: "each_usage.2", amount: whole, needs: eachUsageKey},
	tracestore.TraceIDs:              {sql: "nullIf(trace_id, '')", amount: word},
	tracestore.UniqueUsers:           {sql: "nullIf(" + observationDimensions[filter.UserID].sql + ", '')", amount: word, needs: traceUser},
	tracestore.UniqueSessions:        {sql: "nullIf(" + observationDimensions[filter.SessionID].sql + ", '')", amount: word, needs: traceSession},
}

// scoreMeasures are the measures of the views of scores.
var scoreMeasures = map[tracestore.Measure]metricsMeasure{
	tracestore.Count: {sql: "1", amount: whole},
	tracestore.Value: {sql: "number_value", amount: double},
}
