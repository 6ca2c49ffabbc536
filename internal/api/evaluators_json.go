package api

import (
	"encoding/json"
	"maps"

	"github.com/sondehq/sonde/internal/evaluation"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// creatorJSON is who made something.
type creatorJSON struct {
	ID   string  `json:"id"`
	Name *string `json:"name"`
}

func creatorOf(userID string) *creatorJSON {
	if userID == "" {
		return nil
	}
	return &creatorJSON{ID: userID}
}

// definitionOf gives the members of a stored definition.
func definitionOf(kind, text string) (map[string]any, error) {
	var d evaluation.Definition
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return nil, err
	}
	if kind == model.CodeEvaluator {
		return map[string]any{"sourceCode": d.SourceCode, "sourceCodeLanguage": d.Language}, nil
	}
	if d.Output != nil && d.Output.DataType == model.Categorical && d.Output.Multiple == nil {
		d.Output.Multiple = new(bool)
	}
	return map[string]any{
		"prompt": d.Prompt, "variables": d.Variables(), "variableMapping": d.Mapping, "modelConfig": d.Model, "outputDefinition": d.Output,
	}, nil
}

// evaluatorOf is an evaluator as clients read it: its newest definition stands beside its own members.
func evaluatorOf(e model.EvaluatorEntity) (map[string]any, error) {
	body, err := definitionOf(e.Kind, e.Latest.Definition)
	if err != nil {
		return nil, err
	}
	status := "active"
	if !e.PausedAt.IsZero() {
		status = "paused"
	}
	uses := []map[string]any{}
	for _, use := range e.UsedBy {
		one := map[string]any{"evaluationRuleId": use.RuleID}
		if use.Mapping != "" {
			one["variableMappingOverride"] = json.RawMessage(use.Mapping)
		}
		uses = append(uses, one)
	}
	maps.Copy(body, map[string]any{
		"id": e.ID, "type": e.Kind, "name": e.Name, "description": orNull(e.Description), "createdBy": creatorOf(e.CreatedBy),
		"createdAt": stamp(e.CreatedAt), "updatedAt": stamp(e.UpdatedAt), "status": status, "pausedAt": stampOrNull(e.PausedAt),
		"pausedReason": orNull(e.PausedReason), "pausedMessage": orNull(e.PausedMessage), "evaluationRuleAssignments": uses,
		"versionId": e.Latest.ID, "version": e.Latest.Number, "versionCreatedAt": stamp(e.Latest.CreatedAt), "versionCreatedBy": creatorOf(e.Latest.CreatedBy),
	})
	return body, nil
}

func evaluatorVersionOf(kind string, v model.EvaluatorVersion) (map[string]any, error) {
	body, err := definitionOf(kind, v.Definition)
	if err != nil {
		return nil, err
	}
	body["id"], body["type"], body["version"] = v.ID, kind, v.Number
	body["createdAt"], body["createdBy"] = stamp(v.CreatedAt), creatorOf(v.CreatedBy)
	return body, nil
}

// evaluatorBody is an evaluator as clients write it.
type evaluatorBody struct {
	Name        *string                 `json:"name"`
	Description *string                 `json:"description"`
	Type        *string                 `json:"type"`
	Prompt      json.RawMessage         `json:"prompt"`
	ModelConfig *evaluation.ModelConfig `json:"modelConfig"`
	Mapping     []evaluation.Mapping    `json:"variableMapping"`
	Output      *evaluation.Output      `json:"outputDefinition"`
	SourceCode  *string                 `json:"sourceCode"`
	Language    *string                 `json:"sourceCodeLanguage"`
	Status      *string                 `json:"status"`
}

// definition reads the members of a definition.
func (b evaluatorBody) definition() (evaluation.Definition, error) {
	d := evaluation.Definition{Model: b.ModelConfig, Mapping: b.Mapping, Output: b.Output, SourceCode: valueOf(b.SourceCode), Language: valueOf(b.Language)}
	if given(b.Prompt) {
		var text string
		if json.Unmarshal(b.Prompt, &text) == nil {
			d.Prompt = []evaluation.Message{{Role: "user", Content: text}}
		} else if err := json.Unmarshal(b.Prompt, &d.Prompt); err != nil {
			return d, fault.Invalidf("prompt", "must be a text, or a list of messages with role and content")
		}
	}
	ofCode, ofJudge := d.SourceCode != "" || d.Language != "", len(d.Prompt) > 0 || d.Model != nil || d.Mapping != nil || d.Output != nil
	switch kind := valueOf(b.Type); {
	case kind == model.CodeEvaluator && ofJudge:
		return d, fault.Invalidf("type", "is %s, which has no prompt, modelConfig, variableMapping or outputDefinition", kind)
	case kind == model.LLMJudge && ofCode:
		return d, fault.Invalidf("type", "is %s, which has no sourceCode", kind)
	}
	return d, nil
}

// given reports whether a member is there and not null.
func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
