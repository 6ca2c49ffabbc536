package api_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sondehq/sonde/internal/filter"
)

// TestFilter: conditions and fixed parameters together, as clients combine them.
func TestFilter(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.insert(t, parameterRows()...)
	for _, c := range []struct {
		query, filter string
		want          []string
	}{
		{"", `[{"type":"stringOptions","column":"environment","operator":"any of","value":["stage","prod"]}]`, []string{"prod", "stage"}},
		{"", `[{"type":"string","column":"id","operator":"=","value":"typed"}]`, []string{"typed"}},
		{"", `[{"type":"string","column":"userId","operator":"=","value":"u 1"},{"type":"boolean","column":"isRootObservation","operator":"<>","value":true}]`, []string{"user child"}},
		{"", `[{"type":"datetime","column":"Start Time","operator":">","value":"2026-05-01 12:00:00.0069"}]`, []string{"named", "typed"}},
		{"limit=1", `[{"type":"datetime","column":"startTime","operator":"<=","value":"2026-05-01T14:00:00.001+02:00"}]`, []string{"versioned"}},
		// On another column a fixed parameter still applies.
		{"traceId=t4", `[{"type":"string","column":"parentObservationId","operator":"=","value":""}]`, []string{"user root"}},
		{"traceId=t4", `[{"type":"positionInTrace","column":"startTime","operator":"=","key":"root","value":1}]`, []string{"user child", "user root"}},
		// On the same column it does not.
		{"traceId=t4", `[{"type":"string","column":"traceId","operator":"=","value":"t5"}]`, []string{"prod"}},
		{"environment=prod&name=", `[{"type":"stringOptions","column":"traceEnvironment","operator":"none of","value":["prod","default"]}]`, []string{"stage"}},
		{
			"fromStartTime=9999-01-01T00:00:00Z&toStartTime=1999-01-01T00:00:00Z&type=TOOL",
			`[{"type":"datetime","column":"startTime","operator":">=","value":"2026-05-01"}]`,
			[]string{"typed"},
		},
		{"isRootObservation=true", `[{"type":"boolean","column":"isRootObservation","operator":"=","value":false},{"type":"string","column":"level","operator":"=","value":"WARNING"}]`, []string{"leveled"}},
		// Conditions on one column all count.
		{"", `[{"type":"string","column":"name","operator":"=","value":""},{"type":"string","column":"name","operator":"=","value":"a;b c+d/e"}]`, nil},
	} {
		page := decodePage(t, f.get(t, observations+"?"+c.query+"&filter="+url.QueryEscape(c.filter)))
		if diff := cmp.Diff(c.want, page.ids(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s, filter %s (-want +got):\n%s", c.query, c.filter, diff)
		}
	}
}

// The description names every column, every alias that is not a screen's, every type and operator.
func TestFilterIsDescribed(t *testing.T) {
	t.Parallel()
	operation := loadDescription().Document.Paths.Find(observations).Get
	described := operation.Parameters.GetByInAndName("query", "filter").Description
	for _, field := range filter.Observations {
		words := []string{string(field.Column)}
		for _, alias := range field.Aliases {
			if !strings.ContainsAny(alias[:1], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
				words = append(words, alias)
			}
		}
		for _, kind := range field.Types() {
			words = append(append(words, kind), field.Operators(kind)...)
		}
		for _, word := range words {
			if !strings.Contains(described, "`"+word+"`") {
				t.Errorf("column %s: %s is not described", field.Column, word)
			}
		}
	}
}
