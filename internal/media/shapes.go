package media

import (
	"strings"

	"github.com/sondehq/sonde/internal/model"
)

// maxDepth is how deep into JSON content is looked for.
const maxDepth = 10

// shapeMarkers are texts after a quote of which every object with content has one, see shape.
var shapeMarkers = []string{`base64"`, `mime_type"`, `mimeType"`, `mediaType"`, `input_audio"`}

// mayHaveShape looks for the markers in what looks like JSON. It runs over every input and output,
// so it goes from quote to quote, of which text has few.
func mayHaveShape(text string) bool {
	start := strings.TrimLeft(text[:min(len(text), 64)], " \t\r\n")
	if start == "" || (start[0] != '{' && start[0] != '[') {
		return false
	}
	for {
		i := strings.IndexByte(text, '"')
		if i < 0 || i+1 == len(text) {
			return false
		}
		text = text[i+1:]
		if c := text[0]; c != 'b' && c != 'm' && c != 'i' {
			continue
		}
		for _, marker := range shapeMarkers {
			if strings.HasPrefix(text, marker) {
				return true
			}
		}
	}
}

// object is what a JSON object says about content in it.
type object struct {
	kind   string // its "type"
	mime   string
	format string
	values map[string]finding // what may be content, by key: only in, start and end are set
}

// contentKeys are keys whose text may be content.
var contentKeys = map[string]bool{"data": true, "content": true, "image": true, "base64": true}

// read takes one member of the object.
func (o *object) read(key, value string, at finding) {
	switch key {
	case "type":
		o.kind = value
	case "media_type", "mediaType", "mime_type", "mimeType":
		o.mime = strings.ToLower(strings.ReplaceAll(value, `\/`, "/"))
	case "format":
		o.format = value
	}
	if contentKeys[key] {
		if o.values == nil {
			o.values = map[string]finding{}
		}
		o.values[key] = at
	}
}

// audioFormats are the formats of OpenAI's input_audio that we know a type for.
var audioFormats = map[string]string{
	"wav": "audio/wav", "mp3": "audio/mpeg", "flac": "audio/flac", "opus": "audio/opus", "aac": "audio/aac",
}

// shape tells which members of an object are content, given the key that it stands under:
//
//	input_audio: {"data": …, "format": "wav"}                          OpenAI
//	{"type": "base64", "media_type": …, "data": …}                     Anthropic
//	inline_data, inlineData: {"mime_type" or "mimeType": …, "data": …} Gemini
//	{"type": "blob", "mime_type": …, "content": …}                     OpenTelemetry gen_ai
//	{"type": "media", "file", "image", …, a type, "data" or "image" or "base64": …}
//	                                                                   Vertex, AI SDK, LangChain
func (o *object) shape(under string) (mime string, keys []string) {
	switch {
	case under == "input_audio":
		return audioFormats[o.format], []string{"data"}
	case under == "inline_data", under == "inlineData", o.kind == "base64":
		return o.mime, []string{"data"}
	case o.kind == "blob":
		return o.mime, []string{"content", "data"}
	}
	switch o.kind {
	case "media", "file", "image", "audio", "video", "document":
		return o.mime, []string{"data", "base64", "image"}
	}
	return "", nil
}

// object adds the content of an object that is complete.
func (f *finder) object(o object, under string) {
	if len(o.values) == 0 {
		return
	}
	mime, keys := o.shape(under)
	if !knownType(mime) {
		return
	}
	for _, key := range keys {
		at, there := o.values[key]
		if !there {
			continue
		}
		if at.encoded = wholeBase64((*at.in)[at.start:at.end]); at.encoded != "" {
			at.mime = mime
			f.add(at)
		}
	}
}

// wholeBase64 returns a text that is base64 from end to end, in either alphabet, without what JSON
// escaped; or nothing.
func wholeBase64(text string) string {
	if len(text) < 4 {
		return ""
	}
	encoded, end := base64Run(text, 0)
	if end != len(text) {
		if strings.Trim(strings.TrimRight(text, "="), urlAlphabet) != "" {
			return ""
		}
		encoded = text
	}
	if len(encoded)%4 != 0 {
		return ""
	}
	return encoded
}

const urlAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// shortestFlat keeps short metadata, which is most of it, from being looked at twice.
const shortestFlat = 16

// flattened finds content in metadata objects, whose members became entries with dotted names.
func (f *finder) flattened(entries []model.MetadataEntry) {
	looks := maxPerRow // each is a pass over all entries
	for i := range entries {
		if len(entries[i].Value) < shortestFlat || entries[i].Type != model.MetadataString {
			continue
		}
		parent, key := splitName(entries[i].Name)
		if !contentKeys[key] {
			continue
		}
		if looks--; looks < 0 {
			return
		}
		whole := finding{in: &entries[i].Value, end: len(entries[i].Value)}
		var o object
		for _, sibling := range entries {
			if p, k := splitName(sibling.Name); p == parent && !contentKeys[k] {
				o.read(k, sibling.Value, finding{})
			}
		}
		o.read(key, "", whole)
		_, under := splitName(parent)
		f.object(o, under)
	}
}

func splitName(name string) (parent, key string) {
	i := strings.LastIndexByte(name, '.')
	return name[:max(i, 0)], name[i+1:]
}
