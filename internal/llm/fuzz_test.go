package llm

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever a provider sends, it neither panics nor grows without bound, and pieces and text are the same.
func FuzzStreams(f *testing.F) {
	for _, seed := range []string{
		"data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
		"event: x\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"text\":\"a\"}}\n\n: ping\n\n",
		"data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\"}}]},\"finishReason\":\"STOP\"}]}\n\n",
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":9,\"function\":{\"arguments\":\"x\"}}]}}]}\n\n", "data:", "\n\n\n", "data: {}\ndata: {}\n\n",
	} {
		f.Add([]byte(seed))
	}
	files, err := filepath.Glob("testdata/streams/*.sse")
	if err != nil || len(files) == 0 {
		f.Fatalf("no recorded streams: %v", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for name, format := range formats {
			var told strings.Builder
			a := &assembly{tell: func(d Delta) { told.WriteString(d.Text) }, hide: strings.ToUpper}
			_ = readEvents(bytes.NewReader(raw), func() {}, func(data []byte) error { return format.read(a, data) })
			if answer := a.answer(); answer.Text != told.String() || a.size > maxAnswer+maxEvent {
				t.Errorf("%s: told %q, answered %q, %d bytes", name, told.String(), answer.Text, a.size)
			}
		}
	})
}
