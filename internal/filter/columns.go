package filter

// Column names a filterable property, as the public API spells it.
type Column string

// The columns of observations.
const (
	ID                  Column = "id"
	TraceID             Column = "traceId"
	ParentObservationID Column = "parentObservationId"
	Type                Column = "type"
	Name                Column = "name"
	Level               Column = "level"
	StatusMessage       Column = "statusMessage"
	Environment         Column = "environment"
	CodeVersion         Column = "version"
	StartTime           Column = "startTime"
	EndTime             Column = "endTime"
	// AcceptedAt is when the server took the version of a row. It is in no catalog: clients cannot ask for
	// it. Only AtLeast and Below apply.
	AcceptedAt Column = "acceptedAt"

	// These five a row takes from its trace when it has none.
	UserID    Column = "userId"
	SessionID Column = "sessionId"
	TraceName Column = "traceName"
	Release   Column = "release"
	Tags      Column = "tags"

	IsRootObservation    Column = "isRootObservation"
	HasParentObservation Column = "hasParentObservation"
	// StandsForTrace is true of rows that hold what older clients said of a trace, see model.TraceRowID.
	// No catalog has it: reads that show traces and observations apart leave those rows out by it.
	StandsForTrace Column = "standsForTrace"
	HasInput       Column = "hasInput"
	HasOutput      Column = "hasOutput"

	Latency          Column = "latency"          // seconds
	TimeToFirstToken Column = "timeToFirstToken" // seconds
	TokensPerSecond  Column = "tokensPerSecond"
	InputTokens      Column = "inputTokens"
	OutputTokens     Column = "outputTokens"
	TotalTokens      Column = "totalTokens"
	InputCost        Column = "inputCost"
	OutputCost       Column = "outputCost"
	TotalCost        Column = "totalCost"

	Model         Column = "model"
	ModelID       Column = "modelId"
	PromptName    Column = "promptName"
	PromptVersion Column = "promptVersion"

	ExperimentID             Column = "experimentId"
	ExperimentName           Column = "experimentName"
	ExperimentDatasetID      Column = "experimentDatasetId"
	IsExperimentItemRootSpan Column = "isExperimentItemRootSpan"

	ToolNames       Column = "toolNames"
	CalledToolNames Column = "calledToolNames"
	ToolDefinitions Column = "toolDefinitions" // how many
	ToolCalls       Column = "toolCalls"       // how many

	Input    Column = "input"
	Output   Column = "output"
	Metadata Column = "metadata"
)
