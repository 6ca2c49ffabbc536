package testkit

import (
	"bytes"
	"encoding/json"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas holds JSON against the schemas of a description. Each is compiled once: compiling takes longer than most requests.
type schemas struct {
	components json.RawMessage

	mu       sync.Mutex
	compiled map[*openapi3.SchemaRef]*jsonschema.Schema
}

func newSchemas(document *openapi3.T) (*schemas, error) {
	components, err := json.Marshal(document.Components)
	return &schemas{components: components, compiled: map[*openapi3.SchemaRef]*jsonschema.Schema{}}, err
}

// check reports what of a body its schema does not allow.
func (s *schemas) check(ref *openapi3.SchemaRef, body []byte) error {
	schema, err := s.compile(ref)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

func (s *schemas) compile(ref *openapi3.SchemaRef) (*jsonschema.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.compiled[ref]; known != nil {
		return known, nil
	}
	// References begin at the root of the description, so the schema stands beside the components.
	text, err := json.Marshal(map[string]any{"components": s.components, "schema": ref})
	if err != nil {
		return nil, err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource("description.json", document); err != nil {
		return nil, err
	}
	schema, err := compiler.Compile("description.json#/schema")
	if err != nil {
		return nil, err
	}
	s.compiled[ref] = schema
	return schema, nil
}
