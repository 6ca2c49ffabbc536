package otlp

import (
	"bytes"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// storedSpan is a span of a trace whose id is one byte over and over.
func storedSpan(trace byte, name string) []byte {
	span := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), bytes.Repeat([]byte{trace}, 16))
	span = protowire.AppendBytes(protowire.AppendTag(span, 2, protowire.BytesType), bytes.Repeat([]byte{9}, 8))
	return protowire.AppendString(protowire.AppendTag(span, 5, protowire.BytesType), name)
}

func storedRequest(spans ...[]byte) []byte {
	var scope []byte
	for _, span := range spans {
		scope = protowire.AppendBytes(protowire.AppendTag(scope, 2, protowire.BytesType), span)
	}
	resource := protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), scope)
	return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), resource)
}

func TestWithout(t *testing.T) {
	t.Parallel()
	body := storedRequest(storedSpan(1, "one"), storedSpan(2, "two"), storedSpan(1, "three"))
	gone := func(trace string) func(string) bool { return func(id string) bool { return id == trace } }
	rest, dropped, err := Without(body, gone(strings.Repeat("01", 16)))
	if want := storedRequest(storedSpan(2, "two")); err != nil || dropped != 2 || !bytes.Equal(rest, want) {
		t.Errorf("dropped %d, %v, left %q", dropped, err, rest)
	}
	if rest, dropped, err = Without(body, gone("other")); err != nil || dropped != 0 || !bytes.Equal(rest, body) {
		t.Errorf("dropped %d of nothing, %v", dropped, err)
	}
	if rest, dropped, err = Without(body, func(string) bool { return true }); err != nil || dropped != 3 || rest != nil {
		t.Errorf("dropped %d, %v, left %q", dropped, err, rest)
	}
	if _, _, err = Without([]byte{0x0a, 0xff}, gone("x")); err == nil {
		t.Error("broken bytes are taken")
	}
}

// FuzzWithout checks that no bytes make it panic, and that what is left can be read again.
func FuzzWithout(f *testing.F) {
	f.Add(storedRequest(storedSpan(1, "one"), storedSpan(2, "two")))
	f.Add([]byte{0x0a, 0xff})
	f.Fuzz(func(t *testing.T, body []byte) {
		rest, _, err := Without(body, func(id string) bool { return strings.HasPrefix(id, "0") })
		if err != nil || rest == nil {
			return
		}
		if _, dropped, err := Without(rest, func(id string) bool { return strings.HasPrefix(id, "0") }); err != nil || dropped != 0 {
			t.Errorf("what is left has %d more, %v", dropped, err)
		}
	})
}
