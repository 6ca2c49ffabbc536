package prompts

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// maxCommitMessage is how many characters a commit message may have.
const maxCommitMessage = 500

var (
	// reserved names are addresses of pages.
	reserved = []string{"new", "metrics", "prompt-detail"}

	markup      = regexp.MustCompile(`<[^>]*>`)
	placeholder = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_]*$`)
	variable    = regexp.MustCompile(`\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}`)
)

func check(d Draft) error {
	if err := checkName(d.Name); err != nil {
		return err
	}
	if d.Type != model.TextPrompt && d.Type != model.ChatPrompt {
		return fault.Invalidf("type", "must be text or chat")
	}
	if isChat := d.Content.Messages != nil; isChat != (d.Type == model.ChatPrompt) {
		return fault.Invalidf("prompt", "must be a string for type text, a list of messages for type chat")
	}
	if !json.Valid(d.Config) {
		return fault.Invalidf("config", "must be JSON")
	}
	if utf8.RuneCountInString(d.CommitMessage) > maxCommitMessage {
		return fault.Invalidf("commitMessage", "must not be longer than %d characters", maxCommitMessage)
	}
	return checkMessages(d.Content.Messages)
}

// checkName holds a name to what addresses and tags can carry. The store looks at its length.
func checkName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return fault.Invalidf("name", "must not be empty")
	case strings.Contains(name, "|"):
		return fault.Invalidf("name", "must not contain |")
	case markup.MatchString(name):
		return fault.Invalidf("name", "must not contain HTML tags")
	case strings.HasPrefix(name, "/"), strings.HasSuffix(name, "/"), strings.Contains(name, "//"):
		return fault.Invalidf("name", "must not begin or end with a slash, nor have two in a row")
	case slices.Contains(reserved, name):
		return fault.Invalidf("name", "must not be one of %s", strings.Join(reserved, ", "))
	}
	return nil
}

// checkMessages refuses placeholders that are no names, and those that are called like a variable.
func checkMessages(messages []model.PromptMessage) error {
	placeholders := map[string]bool{}
	for _, m := range messages {
		if m.Placeholder == "" {
			continue
		}
		if !placeholder.MatchString(m.Placeholder) {
			return fault.Invalidf("prompt", "must have placeholders whose names begin with a letter and have letters, digits and _ only")
		}
		placeholders[m.Placeholder] = true
	}
	if len(placeholders) == 0 {
		return nil
	}
	for _, m := range messages {
		for _, match := range variable.FindAllStringSubmatch(m.Content, -1) {
			if placeholders[match[1]] {
				return fault.Invalidf("prompt", "must not have a variable and a placeholder of the same name %q", match[1])
			}
		}
	}
	return nil
}

func checkNewLabels(labels []string) error {
	if slices.Contains(labels, model.LabelLatest) {
		return fault.Invalidf("newLabels", "must not contain %q: the newest version always has it", model.LabelLatest)
	}
	return metastore.CheckPromptLabels(labels)
}
