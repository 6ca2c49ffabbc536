package e2e_test

import (
	"encoding/base64"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// noise is text that does not compress much, with characters of several bytes in it.
func noise(n int) string {
	raw := make([]byte, n*3/4)
	for i := range raw {
		raw[i] = byte(rand.Uint32())
	}
	text := []byte(base64.StdEncoding.EncodeToString(raw))
	for i := 1000; i+len("世界") < len(text); i += 1000 {
		copy(text[i:], "世界")
	}
	return string(text)
}

// A body of many spans is cut into several envelopes, a span that no envelope holds goes through a
// blob; both come back to the byte.
func TestLargeBodies(t *testing.T) {
	s := startNode(t)
	many := newSpans(1200)
	for i := range many {
		many[i].attributes = map[string]string{"langfuse.observation.input": noise(4000), "langfuse.observation.output": noise(500)}
	}
	huge := newSpans(1)
	huge[0].attributes = map[string]string{"langfuse.observation.input": noise(3 << 20), "langfuse.observation.output": noise(1 << 20)}
	for name, c := range map[string]struct {
		spans  []span
		encode func(*testing.T, ...span) body
	}{
		"many spans in protobuf":   {many, inProtobuf},
		"many spans in JSON":       {many, inJSON},
		"one huge span, protobuf":  {huge, inProtobuf},
		"one huge span in JSON":    {huge, inJSON},
		"huge and many in one, pb": {append(append([]span{}, many[:300]...), huge...), inProtobuf},
	} {
		t.Run(name, func(t *testing.T) {
			on := *s
			on.t = t
			client := on.addProject(name)
			client.send(c.encode(t, c.spans...))
			client.showsWithin(30*time.Second, c.spans)
			rows, err := client.walk(url.Values{"fields": {"io"}}, 500)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]span{}
			for _, s := range c.spans {
				want[s.key()] = s
			}
			for _, r := range rows {
				sent := want[r.key()].attributes
				if r.Input != sent["langfuse.observation.input"] || r.Output != sent["langfuse.observation.output"] {
					t.Fatalf("span %s came back with %d and %d bytes, not as it was sent", r.ID, len(r.Input), len(r.Output))
				}
			}
		})
	}
	blobs, err := filepath.Glob(filepath.Join(s.dir, "blobs", "oversize", "*", "*"))
	if err != nil || len(blobs) == 0 {
		t.Fatalf("no span went through a blob: %v", err)
	}
	if info, err := os.Stat(blobs[0]); err != nil || info.Size() < 3<<20 {
		t.Errorf("the blob is too small: %v", err)
	}
}
