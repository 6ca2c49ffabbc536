package scripted

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// The shape of the data: traces of ten observations, bursts that start in the same millisecond, a score for each trace.
const (
	perTrace = 10
	perBurst = 25
	span     = 30 * 24 * time.Hour
)

// Data is what a scripted server holds. Rows are made when they are asked for, from their numbers: the same number gives the
// same row, and a large project needs no memory.
type Data struct {
	Observations int
	// Newer are rows of current SDKs with the ids of OpenTelemetry; otherwise ids are as older SDKs make them.
	Newer bool
	Start time.Time
}

// Traces is how many traces there are.
func (d *Data) Traces() int { return (d.Observations + perTrace - 1) / perTrace }

// Scores is how many scores there are: one for each trace.
func (d *Data) Scores() int { return d.Traces() }

// ObservationID is the id of an observation by its number.
func (d *Data) ObservationID(i int) string {
	if d.Newer {
		return fmt.Sprintf("a%015x", i)
	}
	return fmt.Sprintf("obs-%07d-5f1c-4d8e", i)
}

// TraceID is the id of a trace by its number.
func (d *Data) TraceID(k int) string {
	if d.Newer {
		return fmt.Sprintf("b%031x", k)
	}
	return fmt.Sprintf("trace-%07d-77aa", k)
}

// Number is the number of an observation by its id, -1 when there is none.
func (d *Data) Number(id string) int {
	i := -1
	form := "obs-%07d-5f1c-4d8e"
	if d.Newer {
		form = "a%015x"
	}
	if _, err := fmt.Sscanf(id, form, &i); err != nil || d.ObservationID(i) != id || i >= d.Observations {
		return -1
	}
	return i
}

// At is when an observation starts.
func (d *Data) At(i int) time.Time {
	bursts := d.Observations/perBurst + 1
	return d.Start.Add(time.Duration(i/perBurst) * (span / time.Duration(bursts)).Truncate(time.Millisecond))
}

// between are the numbers of observations that start in a range: from one up to another.
func (d *Data) between(from, to time.Time) (first, end int) {
	step := (span / time.Duration(d.Observations/perBurst+1)).Truncate(time.Millisecond)
	burst := func(t time.Time) int {
		if !t.After(d.Start) {
			return 0
		}
		return int((t.Sub(d.Start) + step - 1) / step)
	}
	return min(burst(from)*perBurst, d.Observations), min(burst(to)*perBurst, d.Observations)
}

// Cost is what an observation cost, and whether it says so.
func (d *Data) Cost(i int) (decimal.Decimal, bool) {
	if i%3 != 1 || i%7 == 0 {
		return decimal.Zero, false
	}
	return decimal.New(int64(1000+i%977*13), -9).Add(decimal.New(int64(i%31*7), -9)), true
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

var types = []string{"SPAN", "GENERATION", "TOOL", "AGENT", "EVENT", "RETRIEVER", "CHAIN", "EMBEDDING", "GUARDRAIL", "EVALUATOR"}

// Observation is a row as the server of its generation answers.
func (d *Data) Observation(i int) map[string]any {
	k := i / perTrace
	kind := types[i%len(types)]
	if i%3 == 1 {
		kind = "GENERATION"
	}
	row := map[string]any{
		"id": d.ObservationID(i), "traceId": d.TraceID(k), "projectId": "source", "type": kind, "name": fmt.Sprintf("step %d <&>", i%17),
		"environment": []string{"default", "production", "staging-2"}[i%3], "startTime": stamp(d.At(i)), "endTime": stamp(d.At(i).Add(time.Duration(i%5000) * time.Millisecond)),
		"completionStartTime": nil, "level": []string{"DEFAULT", "DEFAULT", "WARNING", "ERROR", "DEBUG"}[i%5], "statusMessage": nil, "version": nil,
		"parentObservationId": nil, "model": nil, "modelParameters": nil, "promptId": nil, "promptName": nil, "promptVersion": nil,
		"usageDetails": map[string]any{}, "costDetails": map[string]any{}, "createdAt": stamp(d.At(i)), "updatedAt": stamp(d.At(i)),
	}
	if i%perTrace != 0 {
		row["parentObservationId"] = d.ObservationID(i - i%perTrace)
	}
	if i%5 == 3 {
		row["statusMessage"] = "upstream said “no”"
	}
	if i%4 == 0 {
		row["version"] = "v1.2"
	}
	d.call(i, row)
	d.content(i, row)
	if d.Newer {
		d.context(i, row)
	}
	return row
}

// call adds what a call of a model has.
func (d *Data) call(i int, row map[string]any) {
	if row["type"] != "GENERATION" {
		return
	}
	row["model"], row["modelParameters"] = "gpt-4o", map[string]any{"temperature": 0.2, "max_tokens": 100 + i%50}
	row["completionStartTime"] = stamp(d.At(i))
	row["usageDetails"] = map[string]any{"input": 10 + i%300, "output": i % 90, "input_cached_tokens": i % 7, "total": 10 + i%300 + i%90 + i%7}
	if i%9 == 1 {
		row["promptName"], row["promptVersion"] = "greeting", 3
	}
	if cost, given := d.Cost(i); given {
		in := decimal.New(int64(1000+i%977*13), -9)
		row["costDetails"] = map[string]any{
			"input": json.Number(in.String()), "output": json.Number(cost.Sub(in).String()), "total": json.Number(cost.String()),
		}
	}
}

// content adds input, output and metadata. Newer servers show raw text and dotted names, and cut long values.
func (d *Data) content(i int, row map[string]any) {
	question := map[string]any{"role": "user", "content": fmt.Sprintf("question %d: ä <b>&amp;</b> %s", i, strings.Repeat("why ", i%40))}
	var input any = []any{question}
	output := fmt.Sprintf("answer %d", i)
	if i%1000 == 500 {
		output = strings.Repeat("a long answer. ", 70_000)
	}
	metadata := map[string]any{"tenant": fmt.Sprintf("t%d", i%50), "nested": map[string]any{"n": i, "yes": true, "list": []int{1, 2}}}
	if i%6 == 0 {
		metadata["long"] = strings.Repeat("0123456789", 25+i%10)
	}
	if !d.Newer {
		row["input"], row["output"], row["metadata"] = input, output, metadata
		return
	}
	text, _ := json.Marshal(input) //nolint:errchkjson // texts only
	row["input"], row["output"] = string(text), output
	flat := map[string]any{"tenant": metadata["tenant"], "nested.n": i, "nested.yes": true, "nested.list": []int{1, 2}, "scope.name": "langfuse-sdk"}
	if long, ok := metadata["long"]; ok {
		flat["long"] = long
	}
	row["metadata"] = flat
}

// context adds what newer rows say of their trace.
func (d *Data) context(i int, row map[string]any) {
	k := i / perTrace
	t := d.Trace(k)
	for from, to := range map[string]string{"userId": "userId", "sessionId": "sessionId", "release": "release", "tags": "tags", "name": "traceName", "public": "public"} {
		row[to] = t[from]
	}
	row["isRootObservation"], row["bookmarked"] = i%perTrace == 0, false
}

// Trace is a trace by its number.
func (d *Data) Trace(k int) map[string]any {
	t := map[string]any{
		"id": d.TraceID(k), "projectId": "source", "timestamp": stamp(d.At(k * perTrace)), "name": fmt.Sprintf("chat %d", k%5), "userId": fmt.Sprintf("user-%d", k%97),
		"sessionId": nil, "release": "2026.1", "version": nil, "environment": "default", "public": k%50 == 0, "bookmarked": k%60 == 0,
		"tags": []string{"beta", fmt.Sprintf("team-%d", k%3)}, "metadata": map[string]any{"plan": "pro", "limits": map[string]any{"rpm": k % 10}},
		"input": map[string]any{"q": fmt.Sprintf("hello %d", k)}, "output": "bye", "createdAt": stamp(d.At(k * perTrace)), "updatedAt": stamp(d.At(k * perTrace)),
	}
	if k%4 == 0 {
		t["sessionId"] = fmt.Sprintf("session-%d", k/8)
	}
	return t
}
