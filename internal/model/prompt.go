package model

import (
	"encoding/json"
	"errors"
	"time"
)

// PromptType says what the content of a prompt is.
type PromptType string

// The types of prompts.
const (
	TextPrompt PromptType = "text"
	ChatPrompt PromptType = "chat"
)

// The labels with a meaning of their own: the newest version has LabelLatest, and LabelProduction is the
// version that is read when none is named.
const (
	LabelLatest     = "latest"
	LabelProduction = "production"
)

// Prompt is one version of a prompt. All versions of a name have the same type and tags.
type Prompt struct {
	ProjectID string
	ID        string
	Name      string // may contain slashes: folders
	Version   int    // from 1 on
	Type      PromptType
	Content   PromptContent
	Config    json.RawMessage // any JSON value
	Labels    []string        // each belongs to one version of the name at a time
	Tags      []string
	// CommitMessage says why the version was made; "" when nobody said.
	CommitMessage string
	CreatedBy     string
	CreatedAt     time.Time
	UpdatedAt     time.Time // when it was made, or its labels or tags changed
}

// PromptContent is a text, or the messages of a chat.
type PromptContent struct {
	Text     string
	Messages []PromptMessage // nil: it is a text
}

// PromptMessage is a message of a chat, or a placeholder that stands for messages.
type PromptMessage struct {
	Role, Content string
	Placeholder   string // its name; "": it is a message
}

// MarshalJSON writes a text as a string and messages as a list.
func (c PromptContent) MarshalJSON() ([]byte, error) {
	if c.Messages == nil {
		return json.Marshal(c.Text)
	}
	return json.Marshal(c.Messages)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *PromptContent) UnmarshalJSON(text []byte) error {
	*c = PromptContent{}
	if len(text) > 0 && text[0] == '"' {
		return json.Unmarshal(text, &c.Text)
	}
	if err := json.Unmarshal(text, &c.Messages); err != nil {
		return err
	}
	if c.Messages == nil {
		return errors.New("the content of a prompt is neither a text nor messages")
	}
	return nil
}

// placeholderKind marks a placeholder among messages.
const placeholderKind = "placeholder"

type messageJSON struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type placeholderJSON struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

// MarshalJSON writes {role, content}, or {type: "placeholder", name}.
func (m PromptMessage) MarshalJSON() ([]byte, error) {
	if m.Placeholder != "" {
		return json.Marshal(placeholderJSON{placeholderKind, m.Placeholder})
	}
	return json.Marshal(messageJSON{m.Role, m.Content})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (m *PromptMessage) UnmarshalJSON(text []byte) error {
	var both struct {
		messageJSON
		placeholderJSON
	}
	if err := json.Unmarshal(text, &both); err != nil {
		return err
	}
	*m = PromptMessage{Role: both.Role, Content: both.Content}
	if both.Type == placeholderKind {
		*m = PromptMessage{Placeholder: both.Name}
	}
	return nil
}

// PromptReference names a version of another prompt that a prompt includes, by number or by label.
type PromptReference struct {
	Name    string
	Version int    // 0: by label
	Label   string // "": by version
}
