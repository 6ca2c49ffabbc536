package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/prompts"
)

// maxPromptBody bounds the body of a prompt.
const maxPromptBody = 1 << 20

// promptJSON is a version as clients read it after they wrote it.
type promptJSON struct {
	ID            string              `json:"id"`
	ProjectID     string              `json:"projectId"`
	CreatedAt     string              `json:"createdAt"`
	UpdatedAt     string              `json:"updatedAt"`
	CreatedBy     string              `json:"createdBy"`
	Name          string              `json:"name"`
	Version       int                 `json:"version"`
	Type          model.PromptType    `json:"type"`
	Prompt        model.PromptContent `json:"prompt"`
	Config        json.RawMessage     `json:"config"`
	Labels        []string            `json:"labels"`
	Tags          []string            `json:"tags"`
	CommitMessage *string             `json:"commitMessage"`
}

// oldPromptJSON is a version as clients older than labels read it.
type oldPromptJSON struct {
	promptJSON
	IsActive bool `json:"isActive"`
}

// foundJSON is a version as it is read.
type foundJSON struct {
	promptJSON
	IsActive        bool       `json:"isActive"`
	ResolutionGraph *graphJSON `json:"resolutionGraph"`
}

type graphJSON struct {
	Root         nodeJSON              `json:"root"`
	Dependencies map[string][]nodeJSON `json:"dependencies"`
}

type nodeJSON struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Version int    `json:"version"`
}

type promptPage struct {
	Data       []promptSummaryJSON `json:"data"`
	Meta       pageMeta            `json:"meta"`
	Pagination pageMeta            `json:"pagination"` // the same again, under its older name
}

type promptSummaryJSON struct {
	Name          string           `json:"name"`
	Type          model.PromptType `json:"type"`
	Versions      []int            `json:"versions"`
	Labels        []string         `json:"labels"`
	Tags          []string         `json:"tags"`
	LastUpdatedAt string           `json:"lastUpdatedAt"`
	LastConfig    json.RawMessage  `json:"lastConfig"`
}

func promptOf(p *model.Prompt) promptJSON {
	return promptJSON{
		ID: p.ID, ProjectID: p.ProjectID, CreatedAt: stamp(p.CreatedAt), UpdatedAt: stamp(p.UpdatedAt), CreatedBy: p.CreatedBy,
		Name: p.Name, Version: p.Version, Type: p.Type, Prompt: p.Content, Config: p.Config,
		Labels: append([]string{}, p.Labels...), Tags: append([]string{}, p.Tags...), CommitMessage: orNull(p.CommitMessage),
	}
}

// encodeFound makes the answer to a read.
func encodeFound(f *prompts.Found) ([]byte, error) {
	body := foundJSON{promptJSON: promptOf(&f.Prompt), IsActive: slices.Contains(f.Prompt.Labels, model.LabelProduction)}
	if f.Graph != nil {
		body.ResolutionGraph = &graphJSON{Root: nodeJSON(f.Graph.Root), Dependencies: map[string][]nodeJSON{}}
		for parent, children := range f.Graph.Dependencies {
			for _, child := range children {
				body.ResolutionGraph.Dependencies[parent] = append(body.ResolutionGraph.Dependencies[parent], nodeJSON(child))
			}
		}
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(body)
	return bytes.Clone(out.Bytes()), err
}

func promptPageOf(list []metastore.PromptSummary, meta pageMeta) promptPage {
	page := promptPage{Data: []promptSummaryJSON{}, Meta: meta, Pagination: meta}
	for _, p := range list {
		config := json.RawMessage(p.LastConfig)
		if len(config) == 0 { // deleted while the list was read
			config = json.RawMessage("{}")
		}
		page.Data = append(page.Data, promptSummaryJSON{
			Name: p.Name, Type: p.Type, Versions: p.Versions, Labels: append([]string{}, p.Labels...), Tags: append([]string{}, p.Tags...),
			LastUpdatedAt: stamp(p.UpdatedAt), LastConfig: config,
		})
	}
	return page
}

// promptAsIs is any JSON value, kept as it was written.
type promptAsIs json.RawMessage

// UnmarshalJSON keeps the text without the spaces between its parts.
func (p *promptAsIs) UnmarshalJSON(text []byte) error {
	var out bytes.Buffer
	err := json.Compact(&out, text)
	*p = out.Bytes()
	return err
}

// value is nil when nothing was given; null is nothing.
func (p *promptAsIs) value() json.RawMessage {
	if p == nil {
		return nil
	}
	return json.RawMessage(*p)
}

// promptBody is a version as clients write it. Null is not given.
type promptBody struct {
	Name          *string          `json:"name"`
	Type          model.PromptType `json:"type"`
	Prompt        json.RawMessage  `json:"prompt"`
	Config        *promptAsIs      `json:"config"`
	Labels        []string         `json:"labels"`
	Tags          []string         `json:"tags"`
	CommitMessage *string          `json:"commitMessage"`
}

func readPrompt(w http.ResponseWriter, r *http.Request) (prompts.Draft, error) {
	var body promptBody
	if err := readJSON(w, r, maxPromptBody, &body, "a prompt"); err != nil {
		return prompts.Draft{}, err
	}
	content, err := readContent(body.Prompt)
	return prompts.Draft{
		Name: valueOf(body.Name), Type: body.Type, Content: content, Config: body.Config.value(),
		Labels: body.Labels, Tags: body.Tags, CommitMessage: valueOf(body.CommitMessage),
	}, err
}

// readContent reads a text or a list of messages. Members of messages that we do not know are dropped.
func readContent(raw json.RawMessage) (content model.PromptContent, err error) {
	if json.Unmarshal(raw, &content.Text) == nil && string(raw) != "null" {
		return content, nil
	}
	var list []struct {
		Type    string  `json:"type"`
		Name    string  `json:"name"`
		Role    *string `json:"role"`
		Content *string `json:"content"`
	}
	if err := json.Unmarshal(raw, &list); err != nil || list == nil {
		return content, fault.Invalidf("prompt", "must be a string, or a list of messages {role, content} and placeholders {type: \"placeholder\", name}")
	}
	content.Messages = []model.PromptMessage{}
	for _, m := range list {
		switch {
		case m.Type == "placeholder":
			if m.Name == "" {
				return content, fault.Invalidf("prompt", "must have a name in every placeholder")
			}
			content.Messages = append(content.Messages, model.PromptMessage{Placeholder: m.Name})
		case m.Role == nil || m.Content == nil:
			return content, fault.Invalidf("prompt", "must have role and content, both strings, in every message")
		default:
			content.Messages = append(content.Messages, model.PromptMessage{Role: *m.Role, Content: *m.Content})
		}
	}
	return content, nil
}

// promptNote is what the audit log has of a version of a prompt.
func promptNote(p *model.Prompt) note {
	return note{object: p.Name, name: p.Name, detail: fmt.Sprintf("version %d, labels %s", p.Version, strings.Join(p.Labels, " "))}
}
