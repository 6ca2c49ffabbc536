package media_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/model"
)

// BenchmarkApply measures what a row costs. All but the last have nothing to take out, as almost
// every row does.
func BenchmarkApply(b *testing.B) {
	prose := strings.Repeat("The quick brown fox; it jumps over the lazy dog, \"again\" and again. ", 1<<10)
	chat := `[{"role":"user","content":"` + strings.Repeat(`How many \"things\" are there; and why, in detail?`, 1000) + `"}]`
	row := func(text string) *model.Observation {
		o := observation(text)
		for i := range 20 {
			o.Metadata = append(o.Metadata, model.MetadataEntry{Name: fmt.Sprintf("attributes.some.key.%d", i), Value: "a short value", Type: model.MetadataString})
		}
		return o
	}
	image := `[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + base64.StdEncoding.EncodeToString([]byte(prose)) + `"}}]`
	for name, text := range map[string]string{"small": "hello there", "prose": prose, "chat": chat, "image": image} {
		b.Run(name, func(b *testing.B) {
			w := newWorkshop(b)
			o := row(text)
			rows := []*model.Observation{o}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				o.Input = text
				w.apply(b, rows...)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(float64(len(text))/1024), "ns/KB")
		})
	}
}
