package api_test

import (
	"net/http/httptest"
	"testing"

	"github.com/sondehq/sonde/internal/api"
)

// BenchmarkReport is the cheapest request that brings something in, with its report and without. The
// difference is what news and the memory of requests cost while nobody listens.
func BenchmarkReport(b *testing.B) {
	for name, edit := range map[string]func(*api.Config){"with": func(*api.Config) {}, "without": func(c *api.Config) { c.Live = nil }} {
		b.Run(name, func(b *testing.B) {
			f := newFixture(b, edit)
			r := request("POST", "/api/public/otel/v1/metrics", keyA, nil, "Content-Type", "application/json")
			b.ReportAllocs()
			for b.Loop() {
				f.bare.ServeHTTP(httptest.NewRecorder(), r)
			}
		})
	}
}
