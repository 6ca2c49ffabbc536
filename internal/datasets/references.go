package datasets

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// maxReferences bounds the references of one item: each is looked up whenever the item is shown.
const maxReferences = 100

// Reference is a place in an item that stands for a media.
type Reference struct {
	Field   string // input, expectedOutput or metadata
	Text    string // the whole reference
	Path    string // of the text that holds it, as a normalized JSONPath
	MediaID string
}

var reference = regexp.MustCompile(`@@@langfuseMedia:type=[^|@]*\|id=([^|@]*)\|source=[^|@]*@@@`)

// marker is in every reference. Most items have none and are not taken apart.
const marker = "@@@langfuseMedia:"

// ReferencesOf finds the references of an item, at most maxReferences.
func ReferencesOf(i model.DatasetItem) []Reference {
	var f finder
	f.field("input", i.Input)
	f.field("expectedOutput", i.ExpectedOutput)
	f.field("metadata", i.Metadata)
	return f.found
}

type finder struct {
	found []Reference
	more  bool // there were more than are kept
	at    string
	path  []string
}

func (f *finder) field(name, text string) {
	if !strings.Contains(text, marker) {
		return
	}
	var value any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber() // a number that no float can hold must not hide the rest
	if decoder.Decode(&value) != nil {
		return
	}
	f.at = name
	f.walk("$", value)
}

func (f *finder) walk(step string, value any) {
	f.path = append(f.path, step)
	defer func() { f.path = f.path[:len(f.path)-1] }()
	switch v := value.(type) {
	case string:
		f.text(v)
	case []any:
		for n, element := range v {
			f.walk("["+strconv.Itoa(n)+"]", element)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			f.walk("['"+name+"']", v[name])
		}
	}
}

func (f *finder) text(text string) {
	for _, match := range reference.FindAllStringSubmatch(text, -1) {
		if len(f.found) == maxReferences {
			f.more = true
			return
		}
		f.found = append(f.found, Reference{Field: f.at, Text: match[0], Path: strings.Join(f.path, ""), MediaID: match[1]})
	}
}

// checkReferences refuses an item that refers to a media that the project does not have.
func (s *Service) checkReferences(ctx context.Context, i model.DatasetItem) error {
	var f finder
	f.field("input", i.Input)
	f.field("expectedOutput", i.ExpectedOutput)
	f.field("metadata", i.Metadata)
	if f.more {
		return fault.New(fault.Invalid, "An item can have at most %d media references", maxReferences)
	}
	known := map[string]bool{}
	for _, r := range f.found {
		if known[r.MediaID] {
			continue
		}
		err := s.media(ctx, i.ProjectID, r.MediaID)
		if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid) {
			return fault.Invalidf(r.Field, "refers to media %q, which is not there", r.MediaID).Hint("upload it first")
		}
		if err != nil {
			return fmt.Errorf("look for media of an item: %w", err)
		}
		known[r.MediaID] = true
	}
	return nil
}
