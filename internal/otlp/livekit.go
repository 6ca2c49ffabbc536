package otlp

import "github.com/sondehq/sonde/internal/model"

const (
	livekitInputText = livekitKeys + iota
	livekitTranscript
	livekitChat
	livekitToolOutput
	livekitResponse

	livekitKeyCount = iota
)

var livekitVocabulary = vocabulary{
	of: livekit, scope: "livekit-agents",
	words: []word{
		{"lk.input_text", livekitInputText, shown},
		{"lk.user_transcript", livekitTranscript, shown},
		{"lk.chat_ctx", livekitChat, shown},
		{"lk.function_tool.output", livekitToolOutput, shown},
		{"lk.response.text", livekitResponse, shown},
	},
}

var (
	livekitInputs  = []key{livekitInputText, livekitTranscript, livekitChat}
	livekitOutputs = []key{livekitToolOutput, livekitResponse}
)

// livekitTypes go by the name of the span.
var livekitTypes = map[string]model.Type{
	"agent_turn": model.Agent, "start_agent_activity": model.Agent, "function_tool": model.Tool,
}

func livekitType(m *mapper) model.Type {
	if m.scope.of&livekit == 0 {
		return ""
	}
	return livekitTypes[m.span.name]
}

// livekitNoise are spans of the machinery of speech, which only help to find faults in it.
var livekitNoise = map[string]bool{
	"user_speaking": true, "eou_detection": true, "llm_request_run": true, "tts_node": true,
	"tts_request": true, "tts_request_run": true, "tts_stream_adapter": true, "agent_speaking": true,
	"drain_agent_activity": true, "on_exit": true, "on_enter": true, "llm_fallback_adapter": true,
	"tts_fallback_adapter": true, "start_agent_activity": true,
}

// livekitLevel hides noise.
func livekitLevel(m *mapper) model.Level {
	if m.scope.of&livekit != 0 && livekitNoise[m.span.name] {
		return model.Debug
	}
	return ""
}
