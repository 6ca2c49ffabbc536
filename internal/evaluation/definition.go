package evaluation

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// Definition is what a version of an evaluator says. It is stored as JSON.
type Definition struct {
	Prompt     []Message    `json:"prompt,omitempty"`
	Model      *ModelConfig `json:"modelConfig,omitempty"`
	Mapping    []Mapping    `json:"variableMapping,omitempty"`
	Output     *Output      `json:"outputDefinition,omitempty"`
	SourceCode string       `json:"sourceCode,omitempty"`
	Language   string       `json:"sourceCodeLanguage,omitempty"`
}

// Message is one of a prompt.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// ModelConfig names a model of a connection.
type ModelConfig struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
}

// Mapping says where the value of a variable comes from.
type Mapping struct {
	Variable string `json:"variable"`
	Source   string `json:"source"`
	JSONPath string `json:"jsonPath,omitempty"`
}

// Output says what score a judge gives.
type Output struct {
	DataType   model.ScoreType `json:"dataType"`
	Min        *float64        `json:"minValue,omitempty"`
	Max        *float64        `json:"maxValue,omitempty"`
	Categories []string        `json:"categories,omitempty"`
	Multiple   *bool           `json:"shouldAllowMultipleMatches,omitempty"`
	Reasoning  string          `json:"scoreReasoningInstructions,omitempty"`
	Value      string          `json:"scoreValueInstructions,omitempty"`
}

// The languages of code evaluators that clients know.
const (
	TypeScript = "TYPESCRIPT"
	Python     = "PYTHON"
)

// Sources are where values of variables come from.
var Sources = []string{"input", "output", "metadata", "tool_calls", "expected_output", "experiment_item_metadata"}

var roles = []string{"system", "user", "assistant"}

// Bounds of definitions.
const (
	maxMessages   = 50
	maxMappings   = 100
	maxCategories = 100
	maxPath       = 500
)

var variable = regexp.MustCompile(`{{\s*([^{}\s]+)\s*}}`)

// Variables lists the variables of a prompt, each once, in order.
func (d Definition) Variables() []string {
	found := []string{}
	for _, m := range d.Prompt {
		for _, match := range variable.FindAllStringSubmatch(m.Content, -1) {
			if !slices.Contains(found, match[1]) {
				found = append(found, match[1])
			}
		}
	}
	return found
}

// parseDefinition reads a stored definition.
func parseDefinition(text string) (d Definition, err error) {
	if err = json.Unmarshal([]byte(text), &d); err != nil {
		return d, fmt.Errorf("read a stored definition: %w", err)
	}
	return d, nil
}

// check refuses with fault.Invalid a definition that does not fit its kind.
func (d Definition) check(kind string) error {
	switch kind {
	case model.CodeEvaluator:
		return d.checkCode()
	case model.LLMJudge:
		return d.checkJudge()
	}
	return fault.Invalidf("type", "must be %s or %s", model.LLMJudge, model.CodeEvaluator)
}

func (d Definition) checkCode() error {
	switch {
	case strings.TrimSpace(d.SourceCode) == "":
		return fault.Invalidf("sourceCode", "must not be empty")
	case d.Language != TypeScript && d.Language != Python:
		return fault.Invalidf("sourceCodeLanguage", "must be %s or %s", TypeScript, Python)
	}
	return nil
}

func (d Definition) checkJudge() error {
	if len(d.Prompt) == 0 || len(d.Prompt) > maxMessages {
		return fault.Invalidf("prompt", "must be a text, or 1 to %d messages", maxMessages)
	}
	for i, m := range d.Prompt {
		if !slices.Contains(roles, m.Role) {
			return fault.Invalidf(fmt.Sprintf("prompt.%d.role", i), "must be one of %s", strings.Join(roles, ", "))
		}
		if strings.TrimSpace(m.Content) == "" {
			return fault.Invalidf(fmt.Sprintf("prompt.%d.content", i), "must not be empty")
		}
	}
	if d.Model != nil && (d.Model.Provider == "" || d.Model.Model == "") {
		return fault.Invalidf("modelConfig", "must have a provider and a model").Hint("leave modelConfig out for the project's default")
	}
	if err := checkMapping(d.Mapping, d.Variables()); err != nil {
		return err
	}
	if d.Output == nil {
		return fault.Invalidf("outputDefinition", "must be given")
	}
	return d.Output.check()
}

func (o Output) check() error {
	if o.DataType != model.Numeric && (o.Min != nil || o.Max != nil) {
		return fault.Invalidf("outputDefinition.minValue", "is of NUMERIC only, as maxValue")
	}
	if o.DataType != model.Categorical && (o.Categories != nil || o.Multiple != nil && *o.Multiple) {
		return fault.Invalidf("outputDefinition.categories", "are of CATEGORICAL only, as shouldAllowMultipleMatches")
	}
	switch o.DataType {
	case model.Boolean:
	case model.Numeric:
		if o.Min != nil && o.Max != nil && *o.Min > *o.Max {
			return fault.Invalidf("outputDefinition.minValue", "must not exceed maxValue")
		}
	case model.Categorical:
		return checkCategories(o.Categories)
	default:
		return fault.Invalidf("outputDefinition.dataType", "must be one of NUMERIC, BOOLEAN, CATEGORICAL")
	}
	return nil
}

func checkCategories(list []string) error {
	different := slices.Compact(slices.Sorted(slices.Values(list)))
	if len(different) < 2 || len(different) != len(list) || len(different) > maxCategories || slices.Contains(different, "") {
		return fault.Invalidf("outputDefinition.categories", "must be 2 to %d different texts", maxCategories)
	}
	return nil
}

// checkMapping refuses mappings of variables that there are not, or in ways that there are not.
func checkMapping(list []Mapping, variables []string) error {
	if len(list) > maxMappings {
		return fault.Invalidf("variableMapping", "must not have more than %d variables", maxMappings)
	}
	seen := map[string]bool{}
	for i, m := range list {
		at := fmt.Sprintf("variableMapping.%d.", i)
		switch {
		case !slices.Contains(variables, m.Variable):
			return fault.Invalidf(at+"variable", "is not in the prompt").Hint("its variables are " + strings.Join(variables, ", "))
		case seen[m.Variable]:
			return fault.Invalidf(at+"variable", "is mapped twice")
		case !slices.Contains(Sources, m.Source):
			return fault.Invalidf(at+"source", "must be one of %s", strings.Join(Sources, ", "))
		}
		seen[m.Variable] = true
		if _, err := parsePath(m.JSONPath); err != nil {
			return fault.Invalidf(at+"jsonPath", "%s", err)
		}
	}
	return nil
}

// defaultMapping maps what is named like a source to it.
func defaultMapping(variables []string) (list []Mapping) {
	names := map[string]string{
		"input": "input", "query": "input", "question": "input", "output": "output", "generation": "output", "answer": "output", "response": "output",
		"metadata": "metadata", "tool_calls": "tool_calls", "expected_output": "expected_output", "ground_truth": "expected_output",
		"experiment_item_metadata": "experiment_item_metadata",
	}
	for _, v := range variables {
		if source, ok := names[strings.ToLower(v)]; ok {
			list = append(list, Mapping{Variable: v, Source: source})
		}
	}
	return list
}

// merged is the mapping that counts: the rule's, then the evaluator's, then what names suggest.
func merged(variables []string, lists ...[]Mapping) (all []Mapping, missing []string) {
	lists = append(lists, defaultMapping(variables))
	for _, v := range variables {
		found := false
		for _, list := range lists {
			if i := slices.IndexFunc(list, func(m Mapping) bool { return m.Variable == v }); i >= 0 && !found {
				all, found = append(all, list[i]), true
			}
		}
		if !found {
			missing = append(missing, v)
		}
	}
	return all, missing
}
