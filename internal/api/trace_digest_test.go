package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/model"
)

// A trace is told in as many tokens as are asked for, over HTTP and as a tool, and only to its project.
func TestTraceDigest(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 60 {
		o := row("project-a", "big", fmt.Sprintf("o%02d", i), i)
		o.Input = strings.Repeat("many words ", 100)
		if i == 30 {
			o.Level, o.StatusMessage = model.Error, "out of paper"
		}
		f.insert(t, o)
	}
	const path = "/api/public/traces/big/digest"
	for query, most := range map[string]uint64{"": 4000, "?maxTokens=200": 200, "?maxTokens=1000": 1000} {
		a := f.get(t, path+query)
		var got struct {
			TraceID, Text               string
			Tokens, Observations, Shown uint64
		}
		if err := json.Unmarshal([]byte(a.body), &got); err != nil || a.status != http.StatusOK {
			t.Fatalf("%s: %d %s", query, a.status, a.body)
		}
		if got.TraceID != "big" || got.Tokens == 0 || got.Tokens > most || got.Observations != 60 || got.Shown == 0 || !strings.Contains(got.Text, "out of paper") {
			t.Errorf("%s: %+v", query, got)
		}
	}
	for name, a := range map[string]struct {
		answer answer
		status int
	}{
		"too few tokens":  {f.get(t, path+"?maxTokens=199"), http.StatusBadRequest},
		"too many tokens": {f.get(t, path+"?maxTokens=20001"), http.StatusBadRequest},
		"unknown":         {f.get(t, "/api/public/traces/nobody/digest"), http.StatusNotFound},
		"foreign":         {f.send(t, request(http.MethodGet, path, keyB, nil)), http.StatusNotFound},
	} {
		if a.answer.status != a.status {
			t.Errorf("%s: %d %s", name, a.answer.status, a.answer.body)
		}
	}
}
