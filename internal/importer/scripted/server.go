// Package scripted is a Langfuse server that proofs and tests import from: its answers have the form of the real ones, its data is
// made up, and it fails in the ways that a busy server does.
package scripted

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// The keys of the project.
const (
	PublicKey = "pk-lf-source"
	SecretKey = "sk-lf-source"
)

// Server answers like a Langfuse server. The zero value of what counts is ready.
type Server struct {
	Data Data
	// LimitEvery, FailEvery and BreakEvery make one of so many requests end with 429, with 500, or in the middle; 0: none.
	LimitEvery, FailEvery, BreakEvery int64

	Requests, Limited, Failed, Broken atomic.Int64
	// Served counts rows of observations that were sent out.
	Served atomic.Int64
}

// ServeHTTP answers a request, or fails when it is time to.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	public, secret, _ := r.BasicAuth()
	if public != PublicKey || secret != SecretKey {
		refuse(w, http.StatusUnauthorized, "Invalid credentials")
		return
	}
	n := s.Requests.Add(1)
	due := func(every int64) bool { return every > 0 && n%every == 0 }
	switch {
	case due(s.LimitEvery):
		s.Limited.Add(1)
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusTooManyRequests, "Rate limit exceeded")
		return
	case due(s.FailEvery):
		s.Failed.Add(1)
		refuse(w, http.StatusInternalServerError, "Internal Server Error")
		return
	}
	answer, status := s.answer(r)
	text, err := json.Marshal(answer)
	if err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	if due(s.BreakEvery) {
		s.Broken.Add(1)
		_, _ = w.Write(text[:len(text)/2]) // the client sees that something is missing
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(text) // a client that went away needs no answer
}

func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": message}) //nolint:errchkjson // a text
}

// notThere is the answer of a server that does not have a read.
func notThere() (any, int) { return map[string]string{"message": "Not Found"}, http.StatusNotFound }

func (s *Server) answer(r *http.Request) (any, int) {
	path := strings.TrimPrefix(r.URL.EscapedPath(), "/api/public/")
	q := r.URL.Query()
	switch {
	case path == "projects":
		return map[string]any{"data": []any{map[string]any{"id": "source", "name": "Source", "organization": map[string]any{"id": "o", "name": "O"}, "metadata": map[string]any{}}}}, http.StatusOK
	case path == "models":
		return numbered(r, models()), http.StatusOK
	case path == "score-configs":
		return numbered(r, configs()), http.StatusOK
	case path == "v2/prompts":
		return numbered(r, listedPrompts()), http.StatusOK
	case strings.HasPrefix(path, "v2/prompts/"):
		return prompt(unescaped(path, "v2/prompts/"), q.Get("version"))
	case path == "v2/datasets":
		return numbered(r, datasetRows()), http.StatusOK
	case path == "dataset-items":
		n := 0
		if name := q.Get("datasetName"); name == "" || name == "questions/daily" {
			n = Items
		}
		return page(r, n, datasetItem), http.StatusOK
	case strings.HasPrefix(path, "dataset-items/"):
		return datasetItem(Items), http.StatusOK
	case s.Data.Newer:
		return s.newer(path, r)
	}
	return s.older(path, r)
}

// older are the reads of servers up to version 3.
func (s *Server) older(path string, r *http.Request) (any, int) {
	switch {
	case path == "traces":
		from, to := bounds(r, "fromTimestamp", "toTimestamp")
		first, end := s.Data.tracesBetween(from, to)
		return page(r, end-first, func(i int) map[string]any { return s.Data.Trace(end - 1 - i) }), http.StatusOK
	case path == "observations":
		from, to := bounds(r, "fromStartTime", "toStartTime")
		first, end := s.Data.between(from, to)
		answer := page(r, end-first, func(i int) map[string]any { return s.Data.Observation(end - 1 - i) })
		s.Served.Add(int64(len(answer["data"].([]map[string]any)))) //nolint:forcetypeassert // page made it
		return answer, http.StatusOK
	case path == "v2/scores":
		from, to := bounds(r, "fromTimestamp", "toTimestamp")
		first, end := s.Data.tracesBetween(from.Add(-time.Second), to.Add(-time.Second))
		return page(r, end-first, func(i int) map[string]any { return s.Data.score(end - 1 - i) }), http.StatusOK
	case path == "dataset-run-items":
		return page(r, RunItems, s.Data.runItem), http.StatusOK
	case strings.HasPrefix(path, "datasets/") && strings.HasSuffix(path, "/runs"):
		runs := []map[string]any{{"id": "run-1", "name": runName, "description": "by hand", "metadata": map[string]any{"commit": "abc"}, "datasetId": "ds-1"}}
		if unescaped(strings.TrimSuffix(path, "/runs"), "datasets/") != "questions/daily" {
			runs = nil
		}
		return numbered(r, runs), http.StatusOK
	}
	return notThere()
}

// newer are the reads of servers of version 4.
func (s *Server) newer(path string, r *http.Request) (any, int) {
	q := r.URL.Query()
	switch path {
	case "v2/observations":
		return s.observations(r), http.StatusOK
	case "v3/scores":
		from, to := bounds(r, "fromTimestamp", "toTimestamp")
		first, end := s.Data.tracesBetween(from.Add(-time.Second), to.Add(-time.Second))
		return byCursor(r, first, end, func(i int) map[string]any { return newerScore(s.Data.score(i)) }), http.StatusOK
	case "experiments":
		runs := []map[string]any{}
		if q.Get("datasetId") == "ds-1" {
			runs = append(runs, map[string]any{"id": "run-1", "name": runName, "description": "by hand", "metadata": map[string]any{"commit": "abc"}, "datasetId": "ds-1"})
		}
		return map[string]any{"data": runs, "meta": map[string]any{}}, http.StatusOK
	case "experiment-items":
		return byCursor(r, 0, RunItems, func(i int) map[string]any {
			run := s.Data.runItem(i)
			return map[string]any{"id": run["observationId"], "traceId": run["traceId"], "experimentId": "run-1", "experimentName": runName, "experimentItemId": run["datasetItemId"]}
		}), http.StatusOK
	}
	return notThere()
}

// observations is the newer read: by time and cursor, or by ids; metadata is cut unless it is asked for.
func (s *Server) observations(r *http.Request) any {
	q := r.URL.Query()
	expanded := strings.Split(q.Get("expandMetadata"), ",")
	form := func(i int) map[string]any {
		row := s.Data.Observation(i)
		for name, value := range row["metadata"].(map[string]any) { //nolint:forcetypeassert // made here
			if text, ok := value.(string); ok && utf8.RuneCountInString(text) > 200 && !slices.Contains(expanded, name) {
				row["metadata"].(map[string]any)[name] = text[:200] //nolint:forcetypeassert // made here
			}
		}
		return row
	}
	var filter []struct{ Value []string }
	if json.Unmarshal([]byte(q.Get("filter")), &filter) == nil && len(filter) == 1 {
		rows := []map[string]any{}
		for _, id := range filter[0].Value {
			if i := s.Data.Number(id); i >= 0 {
				rows = append(rows, form(i))
			}
		}
		return map[string]any{"data": rows, "meta": map[string]any{}}
	}
	from, to := bounds(r, "fromStartTime", "toStartTime")
	first, end := s.Data.between(from, to)
	answer := byCursor(r, first, end, form)
	s.Served.Add(int64(len(answer["data"].([]map[string]any)))) //nolint:forcetypeassert // made here
	return answer
}

// tracesBetween are the numbers of traces whose first observation starts in a range.
func (d *Data) tracesBetween(from, to time.Time) (first, end int) {
	at := func(t time.Time) int {
		return sort.Search(d.Traces(), func(k int) bool { return !d.At(k * perTrace).Before(t) })
	}
	return at(from), at(to)
}

func bounds(r *http.Request, from, to string) (time.Time, time.Time) {
	begin, _ := time.Parse(time.RFC3339, r.URL.Query().Get(from)) // absent: the beginning
	end, err := time.Parse(time.RFC3339, r.URL.Query().Get(to))
	if err != nil {
		end = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return begin, end
}

func number(text string, otherwise int) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return otherwise
}

// page is a numbered page of n rows.
func page(r *http.Request, n int, row func(int) map[string]any) map[string]any {
	limit, at := number(r.URL.Query().Get("limit"), 50), number(r.URL.Query().Get("page"), 1)
	rows := []map[string]any{}
	for i := (at - 1) * limit; i < min(at*limit, n); i++ {
		rows = append(rows, row(i))
	}
	return map[string]any{"data": rows, "meta": map[string]any{"page": at, "limit": limit, "totalItems": n, "totalPages": (n + limit - 1) / limit}}
}

func numbered(r *http.Request, rows []map[string]any) map[string]any {
	return page(r, len(rows), func(i int) map[string]any { return rows[i] })
}

// byCursor is a page of rows with the numbers from first up to end, the last one first. The cursor is a number.
func byCursor(r *http.Request, first, end int, row func(int) map[string]any) map[string]any {
	limit := number(r.URL.Query().Get("limit"), 50)
	at := number(r.URL.Query().Get("cursor"), end)
	rows := []map[string]any{}
	for at > first && len(rows) < limit {
		at--
		rows = append(rows, row(at))
	}
	m := map[string]any{}
	if at > first {
		m["cursor"] = strconv.Itoa(at)
	}
	return map[string]any{"data": rows, "meta": m}
}

func listedPrompts() []map[string]any {
	var rows []map[string]any
	for name, versions := range prompts {
		var numbers []int
		for version := range versions {
			numbers = append(numbers, version)
		}
		rows = append(rows, map[string]any{"name": name, "versions": numbers})
	}
	slices.SortFunc(rows, func(a, b map[string]any) int { return strings.Compare(fmt.Sprint(a["name"]), fmt.Sprint(b["name"])) })
	return rows
}

func prompt(name, version string) (any, int) {
	found := prompts[name][number(version, 0)]
	if found == nil {
		return notThere()
	}
	row := map[string]any{"id": name + version, "name": name, "version": number(version, 0), "config": map[string]any{}, "tags": []string{"imported"}, "commitMessage": nil}
	maps.Copy(row, found)
	return row, http.StatusOK
}

// unescaped is the name in the last part of a path.
func unescaped(path, prefix string) string {
	name, err := url.PathUnescape(strings.TrimPrefix(path, prefix))
	if err != nil {
		return path
	}
	return name
}
