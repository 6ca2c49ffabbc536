package media

import (
	"strings"

	"github.com/sondehq/sonde/internal/model"
)

// finding is a place in a text that holds content in base64.
type finding struct {
	in         *string
	start, end int // what the reference replaces
	mime       string
	encoded    string // base64, in one of its two alphabets
}

// finder collects the findings of one row.
type finder struct {
	found []finding
	room  int // how many more may be found
}

// maxPerRow bounds the work on one row; content beyond it stays in the text.
const maxPerRow = 100

// shortest is less than any text with content that is worth a look; most metadata is shorter.
const shortest = len("data:a/b;base64,AAAA")

// uriMarker is in every data URI that holds base64. A text without it costs a search for it, and
// one for the quotes of shapeMarkers when it looks like JSON.
const uriMarker = ";base64,"

func (f *finder) add(at finding) {
	if f.room > 0 {
		f.room--
		f.found = append(f.found, at)
	}
}

// findInRow looks through the fields of an observation that may hold content, and returns the findings
// of each.
func findInRow(o *model.Observation) (input, output, metadata []finding) {
	f := finder{room: maxPerRow}
	take := func() []finding {
		found := f.found
		f.found = nil
		return found
	}
	f.text(&o.Input)
	input = take()
	f.text(&o.Output)
	output = take()
	for i := range o.Metadata {
		f.text(&o.Metadata[i].Value)
	}
	f.flattened(o.Metadata)
	return input, output, take()
}

// text finds content in a text: data URIs anywhere, and objects of known shapes when it is JSON.
func (f *finder) text(in *string) {
	text := *in
	if len(text) < shortest {
		return
	}
	if strings.Contains(text, uriMarker) {
		f.uris(in)
	}
	if mayHaveShape(text) {
		f.shapes(in)
	}
}

// uris finds data URIs: data:<type>[;parameters];base64,<content>.
func (f *finder) uris(in *string) {
	text := *in
	for from := 0; f.room > 0; {
		i := strings.Index(text[from:], uriMarker)
		if i < 0 {
			return
		}
		comma := from + i + len(uriMarker)
		from = comma
		start, mime := uriHead(text, comma-len(uriMarker))
		if !knownType(mime) {
			continue
		}
		encoded, end := base64Run(text, comma)
		from = end
		if ends(text, end, end-comma) && len(encoded) > 0 && len(encoded)%4 == 0 {
			f.add(finding{in: in, start: start, end: end, mime: mime, encoded: encoded})
		}
	}
}

// maxHead bounds how far before its marker a data URI may begin.
const maxHead = 160

// uriHead finds the beginning of the data URI whose marker is at the given place, and its type;
// an empty type when there is none.
func uriHead(text string, marker int) (start int, mime string) {
	head := text[max(0, marker-maxHead):marker]
	at := strings.LastIndex(head, "data:")
	if at < 0 {
		return 0, ""
	}
	mime, parameters, _ := strings.Cut(head[at+len("data:"):], ";")
	if strings.ContainsAny(parameters, " \"'<>\\\n\r\t") {
		return 0, ""
	}
	return marker - len(head) + at, strings.ToLower(strings.ReplaceAll(mime, `\/`, "/"))
}

// inBase64 are the characters of base64, without padding.
var inBase64 = func() (set [256]bool) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		set[c] = true
	}
	return set
}()

// base64Run returns the base64 that begins at from, and where it ends. JSON writes some of its
// characters with a backslash, at the will of the encoder: those are read, too.
func base64Run(text string, from int) (encoded string, end int) {
	var unescaped strings.Builder
	kept := from // everything before is in unescaped
	at := from
	for at < len(text) {
		if inBase64[text[at]] {
			at++
			continue
		}
		c, width := escaped(text[at:])
		if width == 0 {
			break
		}
		unescaped.WriteString(text[kept:at])
		unescaped.WriteByte(c)
		at += width
		kept = at
	}
	for range 2 { // padding
		if at < len(text) && text[at] == '=' {
			at++
		}
	}
	if unescaped.Len() == 0 {
		return text[from:at], at
	}
	unescaped.WriteString(text[kept:at])
	return unescaped.String(), at
}

// escaped reads a JSON escape of a character of base64; its width is 0 when there is none.
func escaped(text string) (c byte, width int) {
	if len(text) < 2 || text[0] != '\\' {
		return 0, 0
	}
	if text[1] == '/' {
		return '/', 2
	}
	if len(text) < 6 {
		return 0, 0
	}
	switch strings.ToLower(text[1:6]) {
	case "u002b":
		return '+', 6
	case "u002f":
		return '/', 6
	case "u003d":
		return '=', 6
	}
	return 0, 0
}

// ends reports whether base64 of the given length really ends there: what is cut off by an
// ellipsis, goes on without a gap, is escaped for addresses or is wrapped into lines would decode to
// something that nobody sent.
func ends(text string, at, length int) bool {
	rest := text[at:]
	if rest == "" {
		return true
	}
	if inBase64[rest[0]] || strings.IndexByte("-_%=", rest[0]) >= 0 || strings.HasPrefix(rest, "..") || strings.HasPrefix(rest, "…") || strings.HasPrefix(rest, "@@@") {
		return false
	}
	newLine := rest[0] == '\n' || rest[0] == '\r' || strings.HasPrefix(rest, `\n`) || strings.HasPrefix(rest, `\r`)
	return !newLine || (length != 76 && length != 64)
}
