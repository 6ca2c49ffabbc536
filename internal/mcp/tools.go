package mcp

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// The parts of an OpenAPI description that make tools.
type (
	document struct {
		Paths      map[string]map[string]operation `yaml:"paths"`
		Components struct {
			Parameters    map[string]parameter      `yaml:"parameters"`
			RequestBodies map[string]requestBody    `yaml:"requestBodies"`
			Schemas       map[string]map[string]any `yaml:"schemas"`
		} `yaml:"components"`
	}
	operation struct {
		ID          string           `yaml:"operationId"`
		Tags        []string         `yaml:"tags"`
		Summary     string           `yaml:"summary"`
		Description string           `yaml:"description"`
		Deprecated  bool             `yaml:"deprecated"`
		Security    []map[string]any `yaml:"security"` // nil: a project's key
		Parameters  []parameter      `yaml:"parameters"`
		Body        *requestBody     `yaml:"requestBody"`
	}
	parameter struct {
		Ref         string         `yaml:"$ref"`
		Name        string         `yaml:"name"`
		In          string         `yaml:"in"`
		Required    bool           `yaml:"required"`
		Description string         `yaml:"description"`
		Schema      map[string]any `yaml:"schema"`
	}
	requestBody struct {
		Ref         string `yaml:"$ref"`
		Required    bool   `yaml:"required"`
		Description string `yaml:"description"`
		Content     map[string]struct {
			Schema map[string]any `yaml:"schema"`
		} `yaml:"content"`
	}
)

// notForAgents are the tags of operations that programs use, not people or their agents.
var notForAgents = []string{"Ingestion", "Operation", "Delivery", "Media", "Deprecated", "UI"}

// projectKey is what the description calls the credentials of a project.
const projectKey = "key"

const (
	schemaRefs    = "#/components/schemas/"
	parameterRefs = "#/components/parameters/"
	bodyRefs      = "#/components/requestBodies/"
	definitions   = "#/$defs/"
)

// toolsOf reads the tools from a description, sorted by name.
func toolsOf(description []byte) ([]*tool, error) {
	var d document
	if err := yaml.Unmarshal(description, &d); err != nil {
		return nil, fmt.Errorf("read the description of the API: %w", err)
	}
	var tools []*tool
	for path, methods := range d.Paths {
		for method, o := range methods {
			if !o.offered() {
				continue
			}
			tools = append(tools, d.toolOf(path, method, o))
		}
	}
	slices.SortFunc(tools, func(a, b *tool) int { return strings.Compare(a.name, b.name) })
	return tools, nil
}

// offered reports whether an operation is for a project's key and takes and gives JSON.
func (o operation) offered() bool {
	excluded := slices.ContainsFunc(o.Tags, func(tag string) bool { return slices.Contains(notForAgents, tag) })
	byProject := o.Security == nil || slices.ContainsFunc(o.Security, func(way map[string]any) bool { _, ok := way[projectKey]; return ok })
	if o.ID == "" || o.Deprecated || excluded || !byProject {
		return false
	}
	if o.Body == nil || o.Body.Ref != "" {
		return true
	}
	_, takesJSON := o.Body.Content["application/json"]
	return takesJSON
}

func (d *document) toolOf(path, method string, o operation) *tool {
	t := &tool{name: o.ID, method: strings.ToUpper(method), path: path, summary: o.Summary, description: o.Description}
	properties, required := map[string]any{}, []string{}
	for _, p := range o.Parameters {
		if p.Ref != "" {
			p = d.Components.Parameters[strings.TrimPrefix(p.Ref, parameterRefs)]
		}
		switch p.In {
		case "path":
			t.inPath = append(t.inPath, p.Name)
		case "query":
			t.inQuery = append(t.inQuery, p.Name)
		default:
			continue
		}
		properties[p.Name] = described(p.Schema, p.Description)
		if p.Required {
			required = append(required, p.Name)
		}
	}
	if b := o.Body; b != nil && t.method != http.MethodGet {
		if b.Ref != "" {
			*b = d.Components.RequestBodies[strings.TrimPrefix(b.Ref, bodyRefs)]
		}
		t.body = true
		properties["body"] = described(b.Content["application/json"].Schema, b.Description)
		if b.Required {
			required = append(required, "body")
		}
	}
	t.input = d.standalone(map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false})
	return t
}

func described(schema map[string]any, text string) map[string]any {
	schema = maps.Clone(schema)
	if schema == nil {
		schema = map[string]any{}
	}
	if text != "" {
		schema["description"] = text
	}
	return schema
}

// standalone gives a schema the definitions that it refers to, and those that they refer to.
func (d *document) standalone(schema map[string]any) map[string]any {
	found := map[string]any{}
	schema, _ = d.adopt(schema, found).(map[string]any)
	if len(found) > 0 {
		schema["$defs"] = found
	}
	return schema
}

// adopt copies a part of a schema with its references turned to definitions, which it adds to found.
func (d *document) adopt(part any, found map[string]any) any {
	switch part := part.(type) {
	case map[string]any:
		adopted := make(map[string]any, len(part))
		for key, value := range part {
			if name, isRef := reference(key, value); isRef {
				if _, known := found[name]; !known {
					found[name] = nil // before its own references: they may come back to it
					found[name] = d.adopt(d.Components.Schemas[name], found)
				}
				adopted[key] = definitions + name
				continue
			}
			adopted[key] = d.adopt(value, found)
		}
		return adopted
	case []any:
		adopted := make([]any, len(part))
		for i, value := range part {
			adopted[i] = d.adopt(value, found)
		}
		return adopted
	default:
		return part
	}
}

func reference(key string, value any) (name string, ok bool) {
	text, isText := value.(string)
	if key != "$ref" || !isText {
		return "", false
	}
	return strings.CutPrefix(text, schemaRefs)
}
