package tracestoretest

import (
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
)

// The values rows and conditions are drawn from: few, so that they meet.
var (
	drawnTraces  = []string{"t1", "t2", "t3", "trace four"}
	drawnIDs     = []string{"s1", "s2", "s3", "s4", "s5", "s6"}
	drawnParents = []string{"", "", "s1", "s2", "s3"}
	drawnTexts   = []string{"", "", "a", "b", "ab", "A b-a", "é\x00'\\"}
	drawnTags    = [][]string{nil, nil, {"x"}, {"y", "x"}, {"é\x00'\\", "z"}}
	drawnTools   = [][]model.Tooling{nil, nil, {{Name: "x", JSON: "{}"}}, {{Name: "y"}, {Name: "x"}}, {{Name: "x"}, {Name: "x"}, {Name: "z"}}}
	drawnEnvs    = []string{model.DefaultEnvironment, "prod"}
	drawnStarts  = []int{0, 1, 2, 999, 1000, 60_000}
	drawnSpans   = []int{-5, 0, 1, 250, 1500, 61_000} // milliseconds
	drawnUsages  = []map[string]uint64{
		nil,
		{"input": 1},
		{"output": 3, "total": 3},
		{"input": 2, "INPUT_cached": 1, "output": 1, "total": 0},
		{"total": 1 << 60, "output": 1 << 60},
		{"other": 7},
	}
	drawnCosts = []map[string]decimal.Decimal{
		nil,
		{"input": dollars("0.1"), "total": dollars("0.1")},
		{"output": dollars("0.000000000001")},
		{"total": dollars("0")},
		{"input": dollars("0.1"), "input_cached": dollars("0.2"), "total": dollars("0.25")},
		{"total": dollars("123456.000000000001")},
	}
	drawnEntries = []model.MetadataEntry{
		{Name: "k", Value: "a", Type: model.MetadataString},
		{Name: "k", Value: "ab a", Type: model.MetadataString},
		{Name: "k", Value: "", Type: model.MetadataString},
		{Name: "k", Value: "1", Type: model.MetadataString},
		{Name: "k", Value: "1", Type: model.MetadataNumber},
		{Name: "k", Value: "0.1", Type: model.MetadataNumber},
		{Name: "k", Value: "-2.5e3", Type: model.MetadataNumber},
		{Name: "k=a", Value: "b", Type: model.MetadataString},
		{Name: "k", Value: "a=b", Type: model.MetadataString},
		{Name: "n.m", Value: "12345678901234567890", Type: model.MetadataNumber},
		{Name: "n.m", Value: "true", Type: model.MetadataBool},
		{Name: "n.m", Value: "1e400", Type: model.MetadataNumber},
		{Name: "", Value: "A b-a é", Type: model.MetadataString},
		{Name: "é\x00'\\", Value: "[\"a\",1]", Type: model.MetadataJSON},
	}
	drawnNumbers = []float64{
		-2500, -1, -0.005, 0, 1e-15, 1e-12, 0.001, 0.1, 0.15, 0.25, 0.3, 1, 1.5, 2, 3, 12, 61, 123456.000000000001, 1 << 60,
		12345678901234567890, 1e300,
	}
)

func dollars(text string) decimal.Decimal { return decimal.RequireFromString(text) }

func pick[T any](t *rapid.T, label string, from []T) T {
	return rapid.SampledFrom(from).Draw(t, label)
}

// shared makes a generator that several tests draw from at the same time. A generator writes its name down when
// first asked for it and reads it with every draw; asked here, it only reads from then on.
func shared[V any](draw func(*rapid.T) V) *rapid.Generator[V] {
	generator := rapid.Custom(draw)
	_ = generator.String()
	return generator
}

// drawnRow is a row of any kind; one in eight is a tombstone.
var drawnRow = shared(func(t *rapid.T) *model.Observation {
	text := func(label string) string { return pick(t, label, drawnTexts) }
	o := newRow("", pick(t, "trace", drawnTraces), pick(t, "id", drawnIDs), pick(t, "start", drawnStarts))
	o.ParentID, o.AppRoot = pick(t, "parent", drawnParents), rapid.IntRange(0, 9).Draw(t, "app root") == 0
	o.Name, o.UserID, o.SessionID = text("name"), text("user"), text("session")
	o.TraceName, o.Release, o.CodeVersion = text("trace name"), text("release"), text("version")
	o.Tags = pick(t, "tags", drawnTags)
	o.Environment = pick(t, "environment", drawnEnvs)
	o.Type, o.Level = pick(t, "type", model.Types), pick(t, "level", model.Levels)
	o.StatusMessage, o.Model, o.ModelID, o.PromptName = text("status"), text("model"), text("model id"), text("prompt")
	o.PromptVersion = uint32(rapid.IntRange(0, 3).Draw(t, "prompt version"))
	o.EndTime, o.CompletionStartTime = drawnTime(t, "end", o.StartTime), drawnTime(t, "completion start", o.StartTime)
	o.UsageDetails, o.CostDetails = pick(t, "usage", drawnUsages), pick(t, "costs", drawnCosts)
	o.ToolDefinitions, o.ToolCalls = pick(t, "tools", drawnTools), pick(t, "called", drawnTools)
	o.Metadata = rapid.SliceOfN(rapid.SampledFrom(drawnEntries), 0, 4).Draw(t, "metadata")
	if rapid.IntRange(0, 2).Draw(t, "in an experiment") == 0 {
		o.Experiment = &model.Experiment{
			ID: "x", Name: text("experiment"), DatasetID: text("dataset"), ItemID: text("item"), ItemRootID: pick(t, "item root", drawnIDs),
		}
	}
	o.Input, o.Output = text("input"), text("output")
	o.Deleted = rapid.IntRange(0, 7).Draw(t, "deleted") == 0
	return o
})

// drawnTime is none in one of three.
func drawnTime(t *rapid.T, label string, start time.Time) time.Time {
	if rapid.IntRange(0, 2).Draw(t, label+" unset") == 0 {
		return time.Time{}
	}
	return start.Add(time.Duration(pick(t, label, drawnSpans)) * time.Millisecond)
}

// The columns by what they hold, with the values that conditions on them compare with.
var (
	drawnTextColumns = map[filter.Column][]string{
		filter.ID: drawnIDs, filter.TraceID: drawnTraces, filter.ParentObservationID: drawnParents, filter.Environment: drawnEnvs,
		filter.Type: {"SPAN", "GENERATION", "EVENT", "TOOL"}, filter.Level: {"DEFAULT", "ERROR"}, filter.ExperimentID: {"", "x"},
		filter.Name: drawnTexts, filter.StatusMessage: drawnTexts, filter.CodeVersion: drawnTexts,
		filter.UserID: drawnTexts, filter.SessionID: drawnTexts, filter.TraceName: drawnTexts, filter.Release: drawnTexts,
		filter.Model: drawnTexts, filter.ModelID: drawnTexts, filter.PromptName: drawnTexts,
		filter.ExperimentName: drawnTexts, filter.ExperimentDatasetID: drawnTexts,
	}
	drawnListColumns   = []filter.Column{filter.Tags, filter.Tags, filter.ToolNames, filter.CalledToolNames}
	drawnNumberColumns = []filter.Column{
		filter.Latency, filter.TimeToFirstToken, filter.TokensPerSecond, filter.InputTokens, filter.OutputTokens, filter.TotalTokens,
		filter.InputCost, filter.OutputCost, filter.TotalCost, filter.PromptVersion, filter.ToolDefinitions, filter.ToolCalls,
	}
	drawnTimeColumns  = []filter.Column{filter.StartTime, filter.StartTime, filter.EndTime}
	drawnTruthColumns = []filter.Column{filter.IsRootObservation, filter.HasParentObservation, filter.IsExperimentItemRootSpan}
	drawnKeys         = []string{"k", "k", "k=a", "n.m", "", "é\x00'\\", "nobody's"}

	textOps  = []filter.TextOp{filter.Equal, filter.Contains, filter.NotContains, filter.StartsWith, filter.EndsWith}
	listOps  = []filter.ListOp{filter.AnyOf, filter.NoneOf, filter.AllOf}
	orderOps = []filter.Order{filter.Same, filter.Above, filter.Below, filter.AtLeast, filter.AtMost}
)
