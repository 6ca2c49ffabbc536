package filter

import "github.com/sondehq/sonde/internal/model"

// Observations is the catalog of observation reads. The names with capitals and spaces are those
// that the columns have on screens of the original product; its saved filters carry them.
var Observations = Catalog{
	{Column: ID, Kind: KindText, Aliases: []string{"ID"}},
	{Column: TraceID, Kind: KindText, Nullable: true, Aliases: []string{"Trace ID"}},
	{Column: ParentObservationID, Kind: KindText, Nullable: true, Aliases: []string{"Parent Observation ID"}},
	{Column: Type, Kind: KindText, Values: texts(model.Types), Aliases: []string{"Type"}},
	{Column: Name, Kind: KindText, Nullable: true, Aliases: []string{"Name"}},
	{Column: Level, Kind: KindText, Values: texts(model.Levels), Aliases: []string{"Level"}},
	{Column: StatusMessage, Kind: KindText, Nullable: true, Aliases: []string{"Status Message"}},
	{Column: Environment, Kind: KindText, Aliases: []string{"traceEnvironment", "Environment"}},
	{Column: CodeVersion, Kind: KindText, Nullable: true, Aliases: []string{"Version"}},
	{Column: Release, Kind: KindText, Nullable: true, Aliases: []string{"Release"}},
	{Column: UserID, Kind: KindText, Nullable: true, Aliases: []string{"User ID"}},
	{Column: SessionID, Kind: KindText, Nullable: true, Aliases: []string{"Session ID"}},
	{Column: TraceName, Kind: KindText, Nullable: true, Aliases: []string{"Trace Name"}},
	{Column: Tags, Kind: KindList, Nullable: true, Aliases: []string{"traceTags", "Tags", "Trace Tags"}},

	{Column: StartTime, Kind: KindTime, Aliases: []string{"Start Time"}},
	{Column: EndTime, Kind: KindTime, Nullable: true, Aliases: []string{"End Time"}},

	{Column: IsRootObservation, Kind: KindBool, Aliases: []string{"Is Root Observation"}},
	{Column: HasParentObservation, Kind: KindBool, Aliases: []string{"Has Parent Observation"}},
	{Column: HasInput, Kind: KindBool, Aliases: []string{"Has Input"}},
	{Column: HasOutput, Kind: KindBool, Aliases: []string{"Has Output"}},

	{Column: Latency, Kind: KindNumber, Nullable: true, Aliases: []string{"Latency", "Latency (s)"}},
	{Column: TimeToFirstToken, Kind: KindNumber, Nullable: true, Aliases: []string{"Time To First Token", "Time To First Token (s)"}},
	{Column: TokensPerSecond, Kind: KindNumber, Nullable: true, Aliases: []string{"Tokens per second"}},
	{Column: InputTokens, Kind: KindNumber, Aliases: []string{"Input Tokens"}},
	{Column: OutputTokens, Kind: KindNumber, Aliases: []string{"Output Tokens"}},
	{Column: TotalTokens, Kind: KindNumber, Nullable: true, Aliases: []string{"tokens", "Tokens", "Total Tokens"}},
	{Column: InputCost, Kind: KindNumber, Nullable: true, Aliases: []string{"Input Cost", "Input Cost ($)"}},
	{Column: OutputCost, Kind: KindNumber, Nullable: true, Aliases: []string{"Output Cost", "Output Cost ($)"}},
	{Column: TotalCost, Kind: KindNumber, Nullable: true, Aliases: []string{"Total Cost", "Total Cost ($)"}},

	{Column: Model, Kind: KindText, Nullable: true, Aliases: []string{"providedModelName", "Model", "Provided Model Name"}},
	{Column: ModelID, Kind: KindText, Nullable: true, Aliases: []string{"Model ID"}},
	{Column: PromptName, Kind: KindText, Nullable: true, Aliases: []string{"Prompt Name"}},
	{Column: PromptVersion, Kind: KindNumber, Nullable: true, Aliases: []string{"Prompt Version"}},

	{Column: ExperimentID, Kind: KindText, Nullable: true, Aliases: []string{"Experiment ID"}},
	{Column: ExperimentName, Kind: KindText, Nullable: true, Aliases: []string{"Experiment Name"}},
	{Column: ExperimentDatasetID, Kind: KindText, Nullable: true, Aliases: []string{"Experiment Dataset ID"}},
	{Column: IsExperimentItemRootSpan, Kind: KindBool, Aliases: []string{"Is Experiment Item Root Span"}},

	{Column: ToolNames, Kind: KindList, Nullable: true, Aliases: []string{"Tool Names", "Available Tool Names"}},
	{Column: CalledToolNames, Kind: KindList, Nullable: true, Aliases: []string{"Called Tool Names"}},
	{Column: ToolDefinitions, Kind: KindNumber, Aliases: []string{"Tool Definitions", "Available Tools"}},
	{Column: ToolCalls, Kind: KindNumber, Aliases: []string{"Tool Calls"}},

	{Column: Input, Kind: KindPayload, Aliases: []string{"Input"}},
	{Column: Output, Kind: KindPayload, Aliases: []string{"Output"}},
	{Column: Metadata, Kind: KindMetadata, Aliases: []string{"Metadata"}},
}

func texts[T ~string](values []T) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = string(v)
	}
	return list
}
