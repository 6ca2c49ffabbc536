package api

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/sondehq/sonde/internal/model"
)

// metadataLimit is how many characters of a metadata value an answer shows.
const metadataLimit = 200

// metadataJSON renders metadata as a flat object in stored order. Values keep their type; one
// that is cut becomes a string, because half a number or half an array means something else.
func metadataJSON(entries []model.MetadataEntry, expand []string) json.RawMessage {
	return flatObject(entries, func(entry model.MetadataEntry) any { return metadataValue(entry, expand) })
}

// flatObject renders entries as an object in stored order.
func flatObject(entries []model.MetadataEntry, value func(model.MetadataEntry) any) json.RawMessage {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	out.WriteByte('{')
	for i, entry := range entries {
		if i > 0 {
			out.WriteByte(',')
		}
		_ = encoder.Encode(entry.Name) // a string into a buffer: no error to have
		out.WriteByte(':')
		_ = encoder.Encode(value(entry))
	}
	out.WriteByte('}')
	return out.Bytes()
}

func metadataValue(entry model.MetadataEntry, expand []string) any {
	if !expanded(entry.Name, expand) {
		if short, cut := firstCharacters(entry.Value, metadataLimit); cut {
			return short
		}
	}
	return typedValue(entry)
}

// typedValue is the whole value as JSON.
func typedValue(entry model.MetadataEntry) any {
	switch entry.Type {
	case model.MetadataNull:
		return nil
	case model.MetadataNumber, model.MetadataBool, model.MetadataJSON:
		if json.Valid([]byte(entry.Value)) {
			return json.RawMessage(entry.Value)
		}
	case model.MetadataString:
	}
	return entry.Value
}

// expanded reports whether name, or a parent of it, is in the list.
func expanded(name string, expand []string) bool {
	return slices.ContainsFunc(expand, func(key string) bool {
		rest, ok := strings.CutPrefix(name, key)
		return ok && (rest == "" || rest[0] == '.')
	})
}

// firstCharacters returns the first n code points of text and whether that left anything out.
func firstCharacters(text string, n int) (string, bool) {
	if len(text) <= n {
		return text, false
	}
	for i := range text {
		if n == 0 {
			return text[:i], true
		}
		n--
	}
	return text, false
}
