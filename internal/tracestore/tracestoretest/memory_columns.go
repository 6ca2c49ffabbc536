package tracestoretest

import (
	"fmt"
	"time"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
)

// textOf is the value of a text column.
func textOf(o *model.Observation, column filter.Column) (string, error) {
	x := o.Experiment
	if x == nil {
		x = &model.Experiment{}
	}
	text, ok := map[filter.Column]string{
		filter.ID: o.ID, filter.TraceID: o.TraceID, filter.ParentObservationID: o.ParentID,
		filter.Name: o.Name, filter.Type: string(o.Type), filter.Level: string(o.Level), filter.StatusMessage: o.StatusMessage,
		filter.Environment: o.Environment, filter.CodeVersion: o.CodeVersion,
		filter.UserID: o.UserID, filter.SessionID: o.SessionID, filter.TraceName: o.TraceName, filter.Release: o.Release,
		filter.Model: o.Model, filter.ModelID: o.ModelID, filter.PromptName: o.PromptName,
		filter.ExperimentID: x.ID, filter.ExperimentName: x.Name, filter.ExperimentDatasetID: x.DatasetID,
		filter.Input: o.Input, filter.Output: o.Output,
	}[column]
	if !ok {
		return "", fmt.Errorf("column %q holds no text", column)
	}
	return text, nil
}

// listOf is the value of a list column.
func listOf(o *model.Observation, column filter.Column) ([]string, error) {
	switch column {
	case filter.Tags:
		return o.Tags, nil
	case filter.ToolNames:
		return toolNames(o.ToolDefinitions), nil
	case filter.CalledToolNames:
		return toolNames(o.ToolCalls), nil
	default:
		return nil, fmt.Errorf("column %q holds no list", column)
	}
}

// truthOf is the value of a boolean column.
func truthOf(o *model.Observation, column filter.Column) (bool, error) {
	switch column {
	case filter.IsRootObservation:
		return o.Root(), nil
	case filter.HasParentObservation:
		return o.ParentID != "", nil
	case filter.StandsForTrace:
		return o.StandsForTrace(), nil
	case filter.HasInput:
		return o.Input != "", nil
	case filter.HasOutput:
		return o.Output != "", nil
	case filter.IsExperimentItemRootSpan:
		return o.Experiment != nil && o.Experiment.ItemID != "" && o.Experiment.ItemRootID == o.ID, nil
	default:
		return false, fmt.Errorf("column %q is not true or false", column)
	}
}

// numberOf is the value of a number column but for costs, and whether it is set.
func numberOf(o *model.Observation, column filter.Column) (float64, bool, error) {
	tokens := o.Tokens()
	latency, ended := secondsFrom(o.StartTime, o.EndTime)
	switch column {
	case filter.Latency:
		return latency, ended, nil
	case filter.TimeToFirstToken:
		seconds, begun := secondsFrom(o.StartTime, o.CompletionStartTime)
		return seconds, begun, nil
	case filter.TokensPerSecond:
		if !ended || latency == 0 {
			return 0, false, nil
		}
		return float64(tokens.Output) / latency, true, nil
	case filter.InputTokens:
		return float64(tokens.Input), true, nil
	case filter.OutputTokens:
		return float64(tokens.Output), true, nil
	case filter.TotalTokens:
		return float64(tokens.Total), tokens.HasTotal, nil
	case filter.PromptVersion:
		return float64(o.PromptVersion), o.PromptVersion != 0, nil
	case filter.ToolDefinitions:
		return float64(len(o.ToolDefinitions)), true, nil
	case filter.ToolCalls:
		return float64(len(o.ToolCalls)), true, nil
	default:
		return 0, false, fmt.Errorf("column %q holds no number", column)
	}
}

// secondsFrom has whole milliseconds.
func secondsFrom(start, end time.Time) (seconds float64, set bool) {
	if end.IsZero() {
		return 0, false
	}
	return float64(end.Sub(start).Milliseconds()) / 1000, true
}
