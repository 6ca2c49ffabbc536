package otlp

import "github.com/sondehq/sonde/internal/model"

const (
	flueTurnInput = flueKeys + iota
	flueTurnOutput
	flueToolName
	flueToolCall
	flueToolArguments
	flueToolResult
	flueTaskID
	flueTaskAgent
	flueTaskPrompt
	flueTaskResult
	flueWorkflowPayload
	flueWorkflowResult
	flueOperationResult

	flueKeyCount = iota
)

var flueVocabulary = vocabulary{
	of: flue, scope: "@flue/opentelemetry",
	words: []word{
		{"flue.turn.input", flueTurnInput, shown},
		{"flue.turn.output", flueTurnOutput, shown},
		{"flue.tool.name", flueToolName, stays},
		{"flue.tool.call_id", flueToolCall, stays},
		{"flue.tool.arguments", flueToolArguments, shown},
		{"flue.tool.result", flueToolResult, shown},
		{"flue.task.id", flueTaskID, stays},
		{"flue.task.agent", flueTaskAgent, stays},
		{"flue.task.prompt", flueTaskPrompt, shown},
		{"flue.task.result", flueTaskResult, shown},
		{"flue.workflow.payload", flueWorkflowPayload, shown},
		{"flue.workflow.result", flueWorkflowResult, shown},
		{"flue.operation.result", flueOperationResult, shown},
	},
}

var (
	flueInputs  = []key{flueTurnInput, flueToolArguments, flueTaskPrompt, flueWorkflowPayload}
	flueOutputs = []key{flueTurnOutput, flueToolResult, flueTaskResult, flueWorkflowResult, flueOperationResult}
)

func flueType(m *mapper) model.Type {
	switch a := &m.span.attributes; {
	case a.has(flueToolName) || a.has(flueToolCall):
		return model.Tool
	case a.has(flueTaskID) || a.has(flueTaskAgent):
		return model.Agent
	}
	return ""
}
