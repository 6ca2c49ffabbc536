package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

const rangeOfMay = "fromStartTime=2026-05-01T12:00:00Z&toStartTime=2026-05-01T14:00:00Z"

// listFixture is measuredFixture with a failed root of another user.
func listFixture(t *testing.T) *fixture {
	t.Helper()
	f := measuredFixture(t)
	f.insert(t, row("project-a", "failed", "root", 60_000, func(o *model.Observation) {
		o.ParentID, o.Name, o.UserID, o.SessionID, o.Level = "", "checkout", "bob", "s", model.Error
		o.EndTime = o.StartTime.Add(7 * time.Second)
		o.Metadata = []model.MetadataEntry{{Name: "region", Value: "eu", Type: model.MetadataString}}
	}))
	return f
}

func TestLists(t *testing.T) {
	t.Parallel()
	f := listFixture(t)
	level := url.QueryEscape(`[{"type":"positionInTrace","column":"positionInTrace","operator":"=","key":"root"},{"type":"stringOptions","column":"level","operator":"any of","value":["WARNING"]}]`)
	for name, target := range map[string]string{
		"histogram":           "histogram?buckets=4&" + rangeOfMay,
		"histogram_roots":     "histogram?buckets=1&isRootObservation=true&" + rangeOfMay,
		"histogram_latency":   "histogram?buckets=2&measure=latency&" + rangeOfMay,
		"histogram_buckets":   "histogram?buckets=201&" + rangeOfMay,
		"histogram_unbounded": "histogram?fromStartTime=2026-05-01T12:00:00Z",
		"histogram_search":    "histogram?search=x&" + rangeOfMay,
		"histogram_measure":   "histogram?measure=cost&" + rangeOfMay,
		"histogram_backwards": "histogram?fromStartTime=2026-05-01T14:00:00Z&toStartTime=2026-05-01T12:00:00Z",
		"filter_counts":       "filter-counts?isRootObservation=true&userId=ada&filter=" + level + "&" + rangeOfMay,
		"filter_counts_range": "filter-counts?userId=ada&fromStartTime=2026-05-02T12:00:00Z",
		"filter_counts_none":  "filter-counts",
		"filter_counts_some":  "filter-counts?userId=ada&fromStartTime=2026-05-01T12:30:00Z",
		"users":               "users?" + rangeOfMay,
		"users_by_cost":       "users?orderBy=totalCost.asc&limit=1&page=2&" + rangeOfMay,
		"users_prefix":        "users?prefix=b&" + rangeOfMay,
		"users_unbounded":     "users?toStartTime=2026-05-01T14:00:00Z",
		"users_order":         "users?orderBy=name.desc&" + rangeOfMay,
		"users_far":           "users?page=9223372036854775807&" + rangeOfMay,
		"sessions":            "session-summaries?" + rangeOfMay,
		"sessions_errors":     "session-summaries?level=ERROR&" + rangeOfMay,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := f.get(t, "/api/public/"+target)
			golden(t, "lists_"+name, fmt.Sprintf("%s\n\n%d\n%s", target, answer.status, answer.body))
		})
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	f := listFixture(t)
	within := `"fromStartTime":"2026-05-01T12:00:00Z","toStartTime":"2026-05-01T14:00:00Z"`
	errors := `"selection":[{"type":"stringOptions","column":"level","operator":"any of","value":["ERROR"]}]`
	for name, body := range map[string]string{
		"errors":     `{` + errors + `,` + within + `,"limit":2}`,
		"roots":      `{"filter":[{"type":"boolean","column":"isRootObservation","operator":"=","value":true}],` + errors + `,` + within + `}`,
		"metadata":   `{"selection":[{"type":"stringObject","column":"metadata","key":"region","operator":"=","value":"eu"}],` + within + `,"limit":1}`,
		"nothing":    `{` + errors + `,"fromStartTime":"2020-05-01T12:00:00Z","toStartTime":"2020-05-01T14:00:00Z"}`,
		"unbounded":  `{` + errors + `,"fromStartTime":"2026-05-01T12:00:00Z"}`,
		"unselected": `{"selection":[],` + within + `}`,
		"payload":    `{"selection":[{"type":"string","column":"input","operator":"matches","value":"x"}],` + within + `}`,
		"shape":      `{"selection":[1],"filter":[{}],` + within + `}`,
		"limit":      `{` + errors + `,` + within + `,"limit":21}`,
		"time":       `{` + errors + `,"fromStartTime":"yesterday"}`,
		"unknown":    `{` + errors + `,"group":1}`,
		"null":       `null`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := f.send(t, request(http.MethodPost, "/api/public/compare", keyA, strings.NewReader(body)))
			golden(t, "compare_"+name, fmt.Sprintf("%s\n\n%d\n%s", body, answer.status, answer.body))
		})
	}
}

func TestListsThatCostTooMuch(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.store.err = fmt.Errorf("scan: %w", tracestore.ErrTooExpensive)
	for _, target := range []string{"histogram?" + rangeOfMay, "filter-counts", "users?" + rangeOfMay, "session-summaries?" + rangeOfMay} {
		if a := f.get(t, "/api/public/"+target); a.status != http.StatusUnprocessableEntity || !strings.Contains(a.body, "to a shorter range") {
			t.Errorf("%s: %d %s, want 422 with advice", target, a.status, a.body)
		}
	}
}

// What another project has under the same ids changes no answer.
func TestListsOfOneProject(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	mine := func(o *model.Observation) { o.UserID, o.SessionID, o.Name = "ada", "s", "mine" }
	f.insert(t, row("project-b", "t", "root", 0, mine), row("project-b", "t", "child", 1))
	comparison := `{"selection":[{"type":"string","column":"name","operator":"=","value":"mine"}],"fromStartTime":"2026-05-01T12:00:00Z","toStartTime":"2026-05-01T14:00:00Z"}`
	all := func() string {
		var text strings.Builder
		for _, target := range []string{
			"histogram?" + rangeOfMay, "histogram?measure=latency&" + rangeOfMay, "filter-counts?userId=ada&level=ERROR&toStartTime=2026-05-01T12:00:00.001Z",
			"users?" + rangeOfMay, "session-summaries?" + rangeOfMay, "facets?fields=userId,metadataKeys,scoreNames,prompt,metadata.zqx",
		} {
			a := f.send(t, request(http.MethodGet, "/api/public/"+target, keyB, nil))
			fmt.Fprintln(&text, target, a.status, a.body)
		}
		a := f.send(t, request(http.MethodPost, "/api/public/compare", keyB, strings.NewReader(comparison)))
		fmt.Fprintln(&text, a.status, a.body)
		return text.String()
	}
	before := all()
	if strings.Count(before, " 200 ") != 6 {
		t.Fatal(before)
	}
	for i := range 3 {
		f.insert(t, foreignRow("t", fmt.Sprintf("foreign%d", i), i))
	}
	if after := all(); after != before {
		t.Errorf("rows of another project change what is shown, from\n%s\nto\n%s", before, after)
	}
}
