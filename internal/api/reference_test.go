package api_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/sondehq/sonde/internal/testkit"
)

// The pages of docs/reference/api are written from the description, one per tag.
func TestReferencePages(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	d := description{root: object{document.Content[0]}}
	const folder = "../../docs/reference/api"
	var index bytes.Buffer
	index.WriteString("# API\n\n<!-- Written by `make golden` from openapi.yaml; edits are lost. -->\n\n" + strings.TrimSpace(d.root.at("info").text("description")) +
		"\n\nA running server shows the same at `/api/docs`, to try with your keys, and as a file at `/api/openapi.yaml`.\n\n| Subject | |\n|---|---|\n")
	written := []string{"index.md"}
	for _, tag := range d.root.at("tags").items() {
		name := strings.ToLower(strings.ReplaceAll(tag.text("name"), " ", "-")) + ".md"
		written = append(written, name)
		fmt.Fprintf(&index, "| [%s](%s) | %s |\n", tag.text("name"), name, tableText(tag.text("description")))
		testkit.Golden(t, filepath.Join(folder, name), d.page(tag))
	}
	testkit.Golden(t, filepath.Join(folder, "index.md"), index.Bytes())
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !slices.Contains(written, file.Name()) {
			t.Errorf("%s is of no tag any more", file.Name())
		}
	}
}

// object is a mapping of the description, in the order in which it is written.
type object struct{ *yaml.Node }

func (o object) at(key string) object {
	if o.Node != nil && o.Kind == yaml.MappingNode {
		for i := 0; i < len(o.Content); i += 2 {
			if o.Content[i].Value == key {
				return object{o.Content[i+1]}
			}
		}
	}
	return object{}
}

func (o object) text(key string) string {
	if found := o.at(key); found.Node != nil {
		return found.Value
	}
	return ""
}

func (o object) items() (found []object) {
	if o.Node == nil {
		return nil
	}
	for _, node := range o.Content {
		found = append(found, object{node})
	}
	return found
}

func (o object) each(visit func(key string, value object)) {
	if o.Node == nil {
		return
	}
	for i := 0; i+1 < len(o.Content); i += 2 {
		visit(o.Content[i].Value, object{o.Content[i+1]})
	}
}

type description struct{ root object }

// resolve follows references.
func (d description) resolve(o object) object {
	for o.text("$ref") != "" {
		found := d.root
		for step := range strings.SplitSeq(strings.TrimPrefix(o.text("$ref"), "#/"), "/") {
			found = found.at(step)
		}
		o = found
	}
	return o
}

func (d description) page(tag object) []byte {
	var page bytes.Buffer
	fmt.Fprintf(&page, "# %s\n\n<!-- Written by `make golden` from openapi.yaml; edits are lost. -->\n\n%s\n", tag.text("name"), tag.text("description"))
	d.root.at("paths").each(func(path string, methods object) {
		methods.each(func(method string, operation object) {
			if tags := operation.at("tags").items(); len(tags) > 0 && tags[0].Value == tag.text("name") {
				parameters := append(methods.at("parameters").items(), operation.at("parameters").items()...)
				d.operation(&page, strings.ToUpper(method)+" "+path, operation, parameters)
			}
		})
	})
	return page.Bytes()
}

func (d description) operation(page *bytes.Buffer, name string, operation object, parameters []object) {
	fmt.Fprintf(page, "\n## %s\n\n`%s`\n", operation.text("summary"), name)
	if text := strings.TrimSpace(operation.text("description")); text != "" {
		fmt.Fprintf(page, "\n%s\n", text)
	}
	if len(parameters) > 0 {
		page.WriteString("\n| Parameter | In | Type | |\n|---|---|---|---|\n")
		for _, parameter := range parameters {
			parameter = d.resolve(parameter)
			fmt.Fprintf(page, "| `%s`%s | %s | %s | %s |\n", parameter.text("name"), needed(parameter.text("required") == "true"),
				parameter.text("in"), d.kind(parameter.at("schema")), tableText(parameter.text("description")))
		}
	}
	if body := d.resolve(operation.at("requestBody")); body.Node != nil {
		d.content(page, "Body", body)
	}
	var others []string
	operation.at("responses").each(func(status string, response object) {
		response = d.resolve(response)
		if strings.HasPrefix(status, "2") {
			fmt.Fprintf(page, "\n**%s**: %s\n", status, strings.TrimSpace(response.text("description")))
			d.content(page, "Answer", response)
			return
		}
		others = append(others, fmt.Sprintf("| %s | %s |\n", status, tableText(response.text("description"))))
	})
	if len(others) > 0 {
		page.WriteString("\n| Otherwise | |\n|---|---|\n" + strings.Join(others, ""))
	}
}

// content is a table of the fields of a body, for its first form.
func (d description) content(page *bytes.Buffer, what string, body object) {
	var kinds []string
	var schema object
	body.at("content").each(func(kind string, form object) {
		kinds = append(kinds, "`"+kind+"`")
		if schema.Node == nil {
			schema = form.at("schema")
		}
	})
	if len(kinds) == 0 {
		return
	}
	fmt.Fprintf(page, "\n%s: %s, %s\n", what, strings.Join(kinds, ", "), d.kind(schema))
	var rows bytes.Buffer
	d.fields(&rows, "", schema, 0)
	if rows.Len() > 0 {
		page.WriteString("\n| Field | Type | |\n|---|---|---|\n" + rows.String())
	}
}

// deepest is how far fields of fields are shown; deeper ones are in the description itself.
const deepest = 2

func (d description) fields(rows *bytes.Buffer, prefix string, schema object, depth int) {
	schema = d.resolve(schema)
	for _, part := range schema.at("allOf").items() {
		d.fields(rows, prefix, part, depth)
	}
	if schema.text("type") == "array" {
		d.fields(rows, strings.TrimSuffix(prefix, ".")+"[].", schema.at("items"), depth)
		return
	}
	var required []string
	for _, name := range schema.at("required").items() {
		required = append(required, name.Value)
	}
	schema.at("properties").each(func(name string, field object) {
		found := d.resolve(field)
		text := field.text("description")
		if text == "" {
			text = found.text("description")
		}
		fmt.Fprintf(rows, "| `%s%s`%s | %s | %s |\n", strings.TrimPrefix(prefix, "[]."), name, needed(slices.Contains(required, name)), d.kind(field), tableText(text))
		if depth+1 < deepest {
			d.fields(rows, prefix+name+".", found, depth+1)
		}
	})
}

// kind is the type of a value in a few words.
func (d description) kind(schema object) string {
	if schema.Node == nil {
		return ""
	}
	schema = d.resolve(schema)
	for _, choice := range []string{"oneOf", "anyOf"} {
		var kinds []string
		for _, option := range schema.at(choice).items() {
			if kind := d.kind(option); !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
		if len(kinds) > 0 {
			return strings.Join(kinds, " or ")
		}
	}
	if values := schema.at("enum").items(); len(values) > 0 {
		var texts []string
		for _, value := range values {
			texts = append(texts, "`"+value.Value+"`")
		}
		return strings.Join(texts, ", ")
	}
	if types := schema.at("type"); types.Node != nil && types.Kind == yaml.SequenceNode {
		var names []string
		for _, name := range types.items() {
			names = append(names, name.Value)
		}
		return strings.Join(names, " or ")
	}
	switch name := schema.text("type"); {
	case name == "array":
		return "list of " + d.kind(schema.at("items"))
	case name == "" && schema.at("properties").Node == nil:
		return "any"
	case name == "":
		return "object"
	case schema.text("format") != "":
		return name + " (" + schema.text("format") + ")"
	default:
		return name
	}
}

func needed(required bool) string {
	if required {
		return " *"
	}
	return ""
}

var spaces = regexp.MustCompile(`\s+`)

// tableText is a text in a table.
func tableText(text string) string {
	return strings.ReplaceAll(spaces.ReplaceAllString(strings.TrimSpace(text), " "), "|", `\|`)
}
