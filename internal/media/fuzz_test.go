package media_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/media"
	"github.com/sondehq/sonde/internal/model"
)

var reference = regexp.MustCompile(`@@@langfuseMedia:type=([a-z0-9/.+-]+)\|id=([A-Za-z0-9_-]{22})\|source=base64_data_uri@@@`)

// FuzzExtract holds what must be true of any text: nothing fails, JSON stays JSON, every new
// reference has its bytes, and doing it again changes nothing.
func FuzzExtract(f *testing.F) {
	for _, c := range taken {
		f.Add(c.in)
	}
	for _, text := range []string{
		"data:image/png;base64,", ";base64,;base64,", `{"mime":[{]}`, `{"inlineData":{"mimeType":"image/png","data":"\u003d"}}`,
		strings.Repeat("[", 12) + `"base64"`, "data:image/png;base64,AAAA\\", `{"type":"base64","type":"blob","data":"AAAA","data":"BBBB"}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		w := newWorkshop(t)
		o := observation(text)
		o.Metadata = []model.MetadataEntry{{Name: "a.data", Value: text, Type: model.MetadataString}, {Name: "a.type", Value: "base64", Type: model.MetadataString}, {Name: "a.media_type", Value: "image/png", Type: model.MetadataString}}
		w.apply(t, o)
		if json.Valid([]byte(text)) && !json.Valid([]byte(o.Input)) {
			t.Errorf("JSON %q became %q", text, o.Input)
		}
		before := len(reference.FindAllString(text, -1))
		found := reference.FindAllStringSubmatch(o.Input, -1)
		if (o.Input != text) != (len(found) > before) {
			t.Errorf("%q became %q", text, o.Input)
		}
		if before == 0 {
			for _, parts := range found {
				if id := parts[2]; media.ID(sum([]byte(w.bytesOf(t, "p", id)))) != id {
					t.Errorf("%s holds other bytes", id)
				}
			}
		}
		once := o.Input
		w.apply(t, o)
		if o.Input != once {
			t.Errorf("%q became %q, then %q", text, once, o.Input)
		}
	})
}
