package bench

import (
	"context"
	"encoding/json"
	"net/url"
	"time"
)

// week is a range of seven days that ends a little earlier at each repetition.
func week(a *asker, repetition int) (from, to string) {
	end := a.end().Add(-time.Duration(repetition) * time.Minute)
	return stamp(end.Add(-7 * 24 * time.Hour)), stamp(end)
}

func askList(a *asker, repetition, rows int, path string, more url.Values) question {
	from, to := week(a, repetition)
	more.Set("fromStartTime", from)
	more.Set("toStartTime", to)
	return question{path: "/api/public/" + path, query: more, rows: rows}
}

func askHistogram(_ context.Context, a *asker, repetition int) (question, error) {
	return askList(a, repetition, atLeastOne, "histogram", url.Values{"buckets": {"100"}}), nil
}

func askHeatMap(_ context.Context, a *asker, repetition int) (question, error) {
	return askList(a, repetition, atLeastOne, "histogram", url.Values{"buckets": {"100"}, "measure": {"latency"}, "isRootObservation": {"true"}}), nil
}

func askFilterCounts(_ context.Context, a *asker, repetition int) (question, error) {
	return askList(a, repetition, anything, "filter-counts", url.Values{"level": {"WARNING"}, "isRootObservation": {"true"}, "name": {"nothing has this name"}}), nil
}

func askUsers(_ context.Context, a *asker, repetition int) (question, error) {
	return askList(a, repetition, atLeastOne, "users", url.Values{"orderBy": {"totalCost.desc"}}), nil
}

func askSessions(_ context.Context, a *asker, repetition int) (question, error) {
	return askList(a, repetition, atLeastOne, "session-summaries", url.Values{}), nil
}

func askComparison(_ context.Context, a *asker, repetition int) (question, error) {
	from, to := week(a, repetition)
	body, err := json.Marshal(map[string]any{
		"selection":     []any{map[string]any{"type": "stringOptions", "column": "type", "operator": "any of", "value": []string{"GENERATION"}}},
		"fromStartTime": from, "toStartTime": to,
	})
	return question{path: "/api/public/compare", body: string(body), rows: atLeastOne}, err
}
