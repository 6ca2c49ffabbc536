package e2e_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"google.golang.org/protobuf/encoding/protowire"
)

// span is one span before it is encoded. Ids are hexadecimal, or in JSON any text.
type span struct {
	trace, id  string
	name       string
	start      time.Time
	attributes map[string]string
}

func (s span) key() string { return s.trace + " " + s.id }

// body is an export, ready to send.
type body struct {
	bytes       []byte
	contentType string
	gzip        bool
}

// newSpans makes spans of one trace, a millisecond apart, that nobody made before.
func newSpans(n int) []span {
	trace := fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64()|1)
	start := time.Now().Add(-time.Minute).Truncate(time.Millisecond)
	spans := make([]span, n)
	for i := range spans {
		spans[i] = span{trace: trace, id: fmt.Sprintf("%016x", i+1), name: "step " + strconv.Itoa(i), start: start.Add(time.Duration(i) * time.Millisecond)}
	}
	return spans
}

// inJSON encodes spans as OTLP/JSON.
func inJSON(t *testing.T, spans ...span) body {
	t.Helper()
	type attribute struct {
		Key   string            `json:"key"`
		Value map[string]string `json:"value"`
	}
	type otlpSpan struct {
		TraceID    string      `json:"traceId"`
		SpanID     string      `json:"spanId"`
		Name       string      `json:"name"`
		Start      string      `json:"startTimeUnixNano"`
		End        string      `json:"endTimeUnixNano"`
		Attributes []attribute `json:"attributes"`
	}
	list := make([]otlpSpan, len(spans))
	for i, s := range spans {
		list[i] = otlpSpan{s.trace, s.id, s.name, nanoText(s.start), nanoText(s.start.Add(time.Millisecond)), nil}
		for key, value := range s.attributes {
			list[i].Attributes = append(list[i].Attributes, attribute{key, map[string]string{"stringValue": value}})
		}
	}
	text, err := json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{"scopeSpans": []any{map[string]any{"spans": list}}}}})
	if err != nil {
		t.Fatal(err)
	}
	return body{bytes: text, contentType: "application/json"}
}

func nanoText(at time.Time) string { return strconv.FormatInt(at.UnixNano(), 10) }

// inProtobuf encodes spans as exporters do, compressed.
func inProtobuf(t *testing.T, spans ...span) body {
	t.Helper()
	var scope []byte
	for _, s := range spans {
		scope = field(scope, 2, protobufSpan(t, s))
	}
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(field(nil, 1, field(nil, 2, scope))); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return body{bytes: out.Bytes(), contentType: "application/x-protobuf", gzip: true}
}

func protobufSpan(t *testing.T, s span) []byte {
	t.Helper()
	trace, err := hex.DecodeString(s.trace)
	if err != nil {
		t.Fatal(err)
	}
	id, err := hex.DecodeString(s.id)
	if err != nil {
		t.Fatal(err)
	}
	out := field(field(field(nil, 1, trace), 2, id), 5, []byte(s.name))
	out = protowire.AppendFixed64(protowire.AppendTag(out, 7, protowire.Fixed64Type), uint64(s.start.UnixNano()))
	out = protowire.AppendFixed64(protowire.AppendTag(out, 8, protowire.Fixed64Type), uint64(s.start.Add(time.Millisecond).UnixNano()))
	for key, value := range s.attributes {
		out = field(out, 9, field(field(nil, 1, []byte(key)), 2, field(nil, 1, []byte(value))))
	}
	return out
}

func field(out []byte, number protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(out, number, protowire.BytesType), content)
}
