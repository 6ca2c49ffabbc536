package export

import (
	"github.com/sondehq/sonde/internal/model"
)

var observationFields = []field{
	{"id", "core", text, onO(func(o *model.Observation) any { return o.ID })},
	{"traceId", "core", text, onO(func(o *model.Observation) any { return orNull(o.TraceID) })},
	{"startTime", "core", moment, onO(func(o *model.Observation) any { return o.StartTime })},
	{"endTime", "core", moment, onO(func(o *model.Observation) any { return at(o.EndTime) })},
	{"projectId", "core", text, onO(func(o *model.Observation) any { return o.ProjectID })},
	{"parentObservationId", "core", text, onO(func(o *model.Observation) any { return orNull(o.ParentID) })},
	{"type", "core", text, onO(func(o *model.Observation) any { return string(o.Type) })},

	{"name", "basic", text, onO(func(o *model.Observation) any { return orNull(o.Name) })},
	{"level", "basic", text, onO(func(o *model.Observation) any { return string(o.Level) })},
	{"statusMessage", "basic", text, onO(func(o *model.Observation) any { return orNull(o.StatusMessage) })},
	{"version", "basic", text, onO(func(o *model.Observation) any { return orNull(o.CodeVersion) })},
	{"environment", "basic", text, onO(func(o *model.Observation) any { return o.Environment })},
	{"bookmarked", "basic", truth, onO(func(o *model.Observation) any { return o.Bookmarked })},
	{"public", "basic", truth, onO(func(o *model.Observation) any { return o.Public })},
	{"userId", "basic", text, onO(func(o *model.Observation) any { return orNull(o.UserID) })},
	{"sessionId", "basic", text, onO(func(o *model.Observation) any { return orNull(o.SessionID) })},
	{"isRootObservation", "basic", truth, onO(func(o *model.Observation) any { return o.Root() })},

	{"completionStartTime", "time", moment, onO(func(o *model.Observation) any { return at(o.CompletionStartTime) })},
	{"createdAt", "time", moment, onO(func(o *model.Observation) any { return o.CreatedAt })},
	{"updatedAt", "time", moment, onO(func(o *model.Observation) any { return model.AcceptedAt(o.Version) })},

	{"input", "io", text, onO(func(o *model.Observation) any { return orNull(o.Input) })},
	{"output", "io", text, onO(func(o *model.Observation) any { return orNull(o.Output) })},

	{"metadata", "metadata", document, onO(func(o *model.Observation) any { return metadata(o.Metadata) })},

	{"model", "model", text, onO(func(o *model.Observation) any { return orNull(o.Model) })},
	{"internalModelId", "model", text, onO(func(o *model.Observation) any { return orNull(o.ModelID) })},
	{"modelParameters", "model", document, onO(func(o *model.Observation) any { return parsed(o.ModelParameters) })},

	{"usageDetails", "usage", document, onO(func(o *model.Observation) any { return usage(o) })},
	{"inputUsage", "usage", whole, onO(func(o *model.Observation) any { return count(o.Tokens().Input) })},
	{"outputUsage", "usage", whole, onO(func(o *model.Observation) any { return count(o.Tokens().Output) })},
	{"totalUsage", "usage", whole, onO(func(o *model.Observation) any { return count(o.Tokens().Total) })},
	{"costDetails", "usage", document, onO(func(o *model.Observation) any { return costs(o) })},
	{"inputCost", "usage", money, onO(func(o *model.Observation) any { return amount(o.Costs().Input) })},
	{"outputCost", "usage", money, onO(func(o *model.Observation) any { return amount(o.Costs().Output) })},
	{"totalCost", "usage", money, onO(func(o *model.Observation) any { return o.Costs().Total.Decimal })},
	{"usagePricingTierId", "usage", text, onO(func(o *model.Observation) any { return orNull(o.PricingTierID) })},
	{"usagePricingTierName", "usage", text, onO(func(o *model.Observation) any { return orNull(o.PricingTier) })},

	{"promptId", "prompt", text, onO(func(o *model.Observation) any { return orNull(o.PromptID) })},
	{"promptName", "prompt", text, onO(func(o *model.Observation) any { return orNull(o.PromptName) })},
	{"promptVersion", "prompt", whole, onO(promptVersion)},

	{"latency", "metrics", number, onO(func(o *model.Observation) any { return seconds(o.StartTime, o.EndTime) })},
	{"timeToFirstToken", "metrics", number, onO(func(o *model.Observation) any { return seconds(o.StartTime, o.CompletionStartTime) })},

	{"tags", "trace_context", document, onO(func(o *model.Observation) any { return encoded(append([]string{}, o.Tags...)) })},
	{"release", "trace_context", text, onO(func(o *model.Observation) any { return orNull(o.Release) })},
	{"traceName", "trace_context", text, onO(func(o *model.Observation) any { return orNull(o.TraceName) })},

	{"toolDefinitions", "tools", document, onO(func(o *model.Observation) any { return tooling(o.ToolDefinitions) })},
	{"toolCalls", "tools", document, onO(func(o *model.Observation) any { return tooling(o.ToolCalls) })},
}

func promptVersion(o *model.Observation) any {
	if o.PromptVersion == 0 {
		return nil
	}
	return int64(o.PromptVersion)
}

// Of a score the number is apart from the text, because a column has one type.
var scoreFields = []field{
	{"id", "", text, onS(func(s *model.Score) any { return s.ID })},
	{"projectId", "", text, onS(func(s *model.Score) any { return s.ProjectID })},
	{"timestamp", "", moment, onS(func(s *model.Score) any { return s.Timestamp })},
	{"name", "", text, onS(func(s *model.Score) any { return s.Name })},
	{"dataType", "", text, onS(func(s *model.Score) any { return string(s.Type) })},
	{"value", "", number, onS(scoreNumber)},
	{"stringValue", "", text, onS(scoreText)},
	{"source", "", text, onS(func(s *model.Score) any { return string(s.Source) })},
	{"traceId", "", text, onS(func(s *model.Score) any { return orNull(s.TraceID) })},
	{"observationId", "", text, onS(func(s *model.Score) any { return orNull(s.ObservationID) })},
	{"sessionId", "", text, onS(func(s *model.Score) any { return orNull(s.SessionID) })},
	{"experimentId", "", text, onS(func(s *model.Score) any { return orNull(s.ExperimentID) })},
	{"environment", "", text, onS(func(s *model.Score) any { return s.Environment })},
	{"comment", "", text, onS(func(s *model.Score) any { return orNull(s.Comment) })},
	{"configId", "", text, onS(func(s *model.Score) any { return orNull(s.ConfigID) })},
	{"queueId", "", text, onS(func(s *model.Score) any { return orNull(s.QueueID) })},
	{"authorUserId", "", text, onS(func(s *model.Score) any { return orNull(s.AuthorUserID) })},
	{"metadata", "", document, onS(func(s *model.Score) any { return metadata(s.Metadata) })},
	{"createdAt", "", moment, onS(func(s *model.Score) any { return s.CreatedAt })},
	{"updatedAt", "", moment, onS(func(s *model.Score) any { return model.AcceptedAt(s.Version) })},
}

func scoreNumber(s *model.Score) any {
	if s.Type == model.TextScore || s.Type == model.Correction {
		return nil
	}
	return finite(s.Number)
}

func scoreText(s *model.Score) any {
	if s.Type == model.Numeric {
		return nil
	}
	return s.Text
}

// A row of an experiment is one run of an item, with what it says of its experiment.
var experimentFields = []field{
	{"experimentId", "", text, onO(func(o *model.Observation) any { return o.Experiment.ID })},
	{"experimentName", "", text, onO(func(o *model.Observation) any { return orNull(o.Experiment.Name) })},
	{"experimentDescription", "", text, onO(func(o *model.Observation) any { return orNull(o.Experiment.Description) })},
	{"experimentMetadata", "", document, onO(func(o *model.Observation) any { return metadata(o.Experiment.Metadata) })},
	{"experimentDatasetId", "", text, onO(func(o *model.Observation) any { return orNull(o.Experiment.DatasetID) })},
	{"experimentItemId", "", text, onO(func(o *model.Observation) any { return o.Experiment.ItemID })},
	{"experimentItemVersion", "", moment, onO(func(o *model.Observation) any { return at(o.Experiment.ItemVersion) })},
	{"experimentItemMetadata", "", document, onO(func(o *model.Observation) any { return metadata(o.Experiment.ItemMetadata) })},
	{"expectedOutput", "", text, onO(func(o *model.Observation) any { return orNull(o.Experiment.ItemExpectedOutput) })},
	{"id", "", text, onO(func(o *model.Observation) any { return o.ID })},
	{"projectId", "", text, onO(func(o *model.Observation) any { return o.ProjectID })},
	{"traceId", "", text, onO(func(o *model.Observation) any { return orNull(o.TraceID) })},
	{"startTime", "", moment, onO(func(o *model.Observation) any { return o.StartTime })},
	{"endTime", "", moment, onO(func(o *model.Observation) any { return at(o.EndTime) })},
	{"level", "", text, onO(func(o *model.Observation) any { return string(o.Level) })},
	{"environment", "", text, onO(func(o *model.Observation) any { return o.Environment })},
	{"input", "", text, onO(func(o *model.Observation) any { return orNull(o.Input) })},
	{"output", "", text, onO(func(o *model.Observation) any { return orNull(o.Output) })},
	{"metadata", "", document, onO(func(o *model.Observation) any { return metadata(o.Metadata) })},
	{"createdAt", "", moment, onO(func(o *model.Observation) any { return o.CreatedAt })},
	{"updatedAt", "", moment, onO(func(o *model.Observation) any { return model.AcceptedAt(o.Version) })},
}
