package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// question is one request of a class.
type question struct {
	path  string
	query url.Values
	body  string // of a POST; empty: a GET
	rows  int    // that the answer must have; atLeastOne, or anything
}

// String is the request as a person would write it.
func (q question) String() string {
	query, err := url.QueryUnescape(q.query.Encode())
	if err != nil {
		query = q.query.Encode()
	}
	return q.method() + " " + q.path + "?" + query + " " + q.body
}

func (q question) method() string {
	if q.body != "" {
		return http.MethodPost
	}
	return http.MethodGet
}

// request is the question to a server at an address.
func (q question) request(ctx context.Context, address string) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, q.method(), address+q.path+"?"+q.query.Encode(), strings.NewReader(q.body))
}

const (
	anything   = -2
	atLeastOne = -1
)

const (
	observationsPath = "/api/public/v2/observations"
	metricsPath      = "/api/public/v2/metrics"
	facetsPath       = "/api/public/facets"

	pageRows   = 50
	walkedPage = 50
	longStep   = 1000
	wholeTrace = 1000 // more rows than any trace has
)

// readClass is one sort of read that people do. Every repetition asks for something else.
type readClass struct {
	key, name string
	ask       func(ctx context.Context, a *asker, repetition int) (question, error)
	denseOnly bool
}

var readClasses = []readClass{
	{key: "newest", name: "newest page", ask: askNewest},
	{key: "dense", name: "newest page, dense minute", ask: askDense, denseOnly: true},
	{key: "page-50", name: "page 50", ask: askPage50},
	{key: "trace", name: "one trace", ask: askTrace},
	{key: "id", name: "observation by id", ask: askID},
	{key: "user", name: "by user", ask: askUser},
	{key: "metadata", name: "by metadata key", ask: askMetadata},
	{key: "rare-word", name: "rare word", ask: askRareWord},
	{key: "common-word", name: "word of 30 % of the rows, last hour", ask: askCommonWord},
	{key: "substring", name: "substring, last day", ask: askSubstring},
	{key: "cost", name: "cost by model per hour, 7 days", ask: askCost},
	{key: "facets", name: "facets, 7 days", ask: askFacets},
	{key: "histogram", name: "histogram by level, 7 days", ask: askHistogram},
	{key: "heat-map", name: "heat map of latency, roots, 7 days", ask: askHeatMap},
	{key: "compare", name: "generations compared with the rest, 7 days", ask: askComparison},
	{key: "filter-counts", name: "counts without each of 3 conditions, 7 days", ask: askFilterCounts},
	{key: "users", name: "users by cost, 7 days", ask: askUsers},
	{key: "sessions", name: "sessions, 7 days", ask: askSessions},
}

// ReadClasses lists the keys of all classes.
func ReadClasses() []string {
	keys := make([]string, len(readClasses))
	for i, c := range readClasses {
		keys[i] = c.key
	}
	return keys
}

// chooseClasses finds classes by key; none given: all that the rows allow.
func chooseClasses(keys []string, dense bool) ([]readClass, error) {
	var chosen []readClass
	if len(keys) == 0 {
		for _, c := range readClasses {
			if dense || !c.denseOnly {
				chosen = append(chosen, c)
			}
		}
		return chosen, nil
	}
	for _, key := range keys {
		c, ok := classByKey(key)
		switch {
		case !ok:
			return nil, fmt.Errorf("there is no class %q; choose of %v", key, ReadClasses())
		case c.denseOnly && !dense:
			return nil, fmt.Errorf("class %q needs a seed with a dense minute", key)
		}
		chosen = append(chosen, c)
	}
	return chosen, nil
}

func classByKey(key string) (readClass, bool) {
	for _, c := range readClasses {
		if c.key == key {
			return c, true
		}
	}
	return readClass{}, false
}

// asker makes questions about the rows of a seed.
type asker struct {
	*seeder
	server *server // walks
}

// chance is random and the same for a repetition in every run.
func (a *asker) chance(repetition int) *rand.Rand { return a.random(repetition, 7) }

func (a *asker) anyTrace(repetition int) int { return a.chance(repetition).IntN(a.traces()) }

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// condition is one of the filter parameter.
func condition(fields map[string]any) string { return jsonText([]map[string]any{fields}) }

func observationsPage(query url.Values, rows int) question {
	if !query.Has("limit") {
		query.Set("limit", strconv.Itoa(pageRows))
	}
	return question{path: observationsPath, query: query, rows: rows}
}

// askNewest asks for the newest page as it was some time ago: the newest minute has a class of its own.
func askNewest(_ context.Context, a *asker, repetition int) (question, error) {
	to := a.denseFrom().Add(-time.Duration(repetition) * 7 * time.Minute)
	return observationsPage(url.Values{"toStartTime": {stamp(to)}}, atLeastOne), nil
}

// askDense asks for the newest page, and for pages elsewhere in the newest minute.
func askDense(_ context.Context, a *asker, repetition int) (question, error) {
	query := url.Values{}
	if back := repetition % 100; back > 0 {
		query.Set("toStartTime", stamp(a.end().Add(-time.Duration(back)*300*time.Millisecond)))
	}
	return observationsPage(query, atLeastOne), nil
}

// askPage50 walks so far, from another place each time. It takes long steps: a cursor is a position,
// the same one wherever the pages before it ended.
func askPage50(ctx context.Context, a *asker, repetition int) (question, error) {
	q, err := askNewest(ctx, a, repetition)
	if err != nil {
		return q, err
	}
	walk := url.Values{"fields": {"core"}, "toStartTime": q.query["toStartTime"]}
	for left := (walkedPage - 1) * pageRows; left > 0; {
		step := min(left, longStep)
		walk.Set("limit", strconv.Itoa(step))
		p, err := a.server.observations(ctx, walk)
		if err != nil {
			return q, err
		}
		if p.Meta.Cursor == "" {
			return q, fmt.Errorf("there are fewer than %d pages of %d rows; seed more", walkedPage, pageRows)
		}
		walk.Set("cursor", p.Meta.Cursor)
		left -= step
	}
	q.query.Set("cursor", walk.Get("cursor"))
	return q, nil
}

// askTrace asks for all of a trace, its texts and metadata included.
func askTrace(_ context.Context, a *asker, repetition int) (question, error) {
	trace := a.anyTrace(repetition)
	return observationsPage(url.Values{
		"traceId": {a.trace(trace)[0].traceHex()}, "limit": {strconv.Itoa(wholeTrace)},
		"fields": {"core,basic,time,io,metadata,model,usage,prompt,metrics,trace_context"},
	}, a.rows(trace)), nil
}

func askID(_ context.Context, a *asker, repetition int) (question, error) {
	spans := a.trace(a.anyTrace(repetition))
	one := spans[a.chance(repetition).IntN(len(spans))]
	return observationsPage(url.Values{
		"filter": {condition(map[string]any{"type": "string", "column": "id", "operator": "=", "value": one.idHex()})},
	}, 1), nil
}

func askUser(_ context.Context, a *asker, repetition int) (question, error) {
	return observationsPage(url.Values{"userId": {a.userOf(a.anyTrace(repetition))}}, atLeastOne), nil
}

func askMetadata(_ context.Context, a *asker, repetition int) (question, error) {
	return observationsPage(url.Values{"filter": {condition(map[string]any{
		"type": "stringObject", "column": "metadata", "key": "customer", "operator": "=", "value": a.customerOf(a.anyTrace(repetition)),
	})}}, atLeastOne), nil
}

// askRareWord asks for a ticket, without any bound in time.
func askRareWord(_ context.Context, a *asker, repetition int) (question, error) {
	ticket := a.chance(repetition).IntN(a.tickets())
	return observationsPage(url.Values{"filter": {matches(ticketWord(ticket))}}, a.ticketCount(ticket)), nil
}

func matches(word string) string {
	return condition(map[string]any{"type": "string", "column": "input", "operator": "matches", "value": word})
}

// ticketCount is how many rows have a ticket.
func (p seedPlan) ticketCount(ticket int) int {
	with := (p.Rows + ticketEvery - 1) / ticketEvery // rows that have any
	return (with - ticket + p.tickets() - 1) / p.tickets()
}

func askCommonWord(_ context.Context, a *asker, repetition int) (question, error) {
	from := a.end().Add(-time.Hour + time.Duration(repetition)*time.Second)
	return observationsPage(url.Values{
		"filter": {matches(commonWords[repetition%len(commonWords)])}, "fromStartTime": {stamp(from)},
	}, atLeastOne), nil
}

// askSubstring asks for a part of a ticket of the last day.
func askSubstring(_ context.Context, a *asker, repetition int) (question, error) {
	from := a.end().Add(-24 * time.Hour)
	first := int(a.first[a.since(from)])
	row := first + a.chance(repetition).IntN(a.Rows-first)
	ticket, _ := a.ticketOf(row - row%ticketEvery)
	return observationsPage(url.Values{
		"search": {ticketWord(ticket)[1:]}, "searchMode": {"substring"}, "fromStartTime": {stamp(from)},
	}, a.ticketCountSince(ticket, from)), nil
}

// ticketCountSince is how many of the rows with a ticket start at or after a time.
func (s *seeder) ticketCountSince(ticket int, from time.Time) int {
	count := 0
	for row := ticket * ticketEvery; row < s.Rows; row += s.tickets() * ticketEvery {
		trace := s.traceOf(row)
		if start := s.trace(trace)[row-int(s.first[trace])].start; !start.Before(from) {
			count++
		}
	}
	return count
}

func askCost(_ context.Context, a *asker, repetition int) (question, error) {
	to := a.end().Add(-time.Duration(repetition) * time.Minute)
	query, err := json.Marshal(map[string]any{
		"view": "observations", "metrics": []any{map[string]string{"measure": "totalCost", "aggregation": "sum"}},
		"dimensions": []any{map[string]string{"field": "providedModelName"}}, "timeDimension": map[string]string{"granularity": "hour"},
		"fromTimestamp": stamp(to.Add(-7 * 24 * time.Hour)), "toTimestamp": stamp(to), "config": map[string]int{"row_limit": 1000},
	})
	return question{path: metricsPath, query: url.Values{"query": {string(query)}}, rows: atLeastOne}, err
}

func askFacets(_ context.Context, a *asker, repetition int) (question, error) {
	to := a.end().Add(-time.Duration(repetition) * time.Minute)
	return question{path: facetsPath, query: url.Values{
		"fields": {"type,name,level,environment,model"}, "fromStartTime": {stamp(to.Add(-7 * 24 * time.Hour))}, "toStartTime": {stamp(to)},
	}, rows: anything}, nil
}
