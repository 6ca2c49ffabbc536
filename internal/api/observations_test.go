package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
)

// fullRow has a value in every field that answers show.
func fullRow(project, id string) *model.Observation {
	return row(project, "trace-1", id, 0, func(o *model.Observation) {
		o.ParentID, o.AppRoot = "span-0", true
		o.EndTime = noon.Add(1250 * time.Millisecond)
		o.CompletionStartTime = noon.Add(7 * time.Millisecond)
		o.Type, o.Name, o.Level, o.StatusMessage = model.Generation, "answer <b>&", model.Error, "boom"
		o.Environment, o.CodeVersion = "production", "1.2.3"
		o.UserID, o.SessionID, o.TraceName, o.Release, o.Tags = "user-1", "session-1", "chat", "r7", []string{"z", "a"}
		o.Bookmarked, o.Public = true, true
		o.Model, o.ModelID, o.ModelParameters, o.PricingTierID, o.PricingTier = "gpt-4o-mini", "mdl-1", `{"temperature": 0.2}`, "tier-1", "Standard"
		o.UsageDetails = map[string]uint64{"input": 12, "cached_Input": 3, "output": 1 << 63, "total": 42}
		o.CostDetails = map[string]decimal.Decimal{
			"input": decimal.RequireFromString("0.0000018"), "input_cached": decimal.RequireFromString("0.000000000001"),
			"total": decimal.RequireFromString("12.50"),
		}
		o.PromptID, o.PromptName, o.PromptVersion = "prm-1", "greeting", 3
		o.Input, o.Output = `{"role": "user", "text": "<&>"}`, "line\n\u2028 👩‍👧 \x00"
		o.Metadata = []model.MetadataEntry{
			{Name: "text", Value: "42", Type: model.MetadataString},
			{Name: "number", Value: "9007199254740993", Type: model.MetadataNumber},
			{Name: "a.b", Value: "true", Type: model.MetadataBool},
			{Name: "a.list", Value: `[1,"x"]`, Type: model.MetadataJSON},
			{Name: "none", Value: "null", Type: model.MetadataNull},
		}
	})
}

const allGroups = "core,basic,time,io,metadata,model,usage,prompt,metrics,trace_context"

// TestRowShape pins a complete and a bare row in every group.
func TestRowShape(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.insert(t, fullRow("project-a", "full"), row("project-a", "trace-2", "bare", -1))
	a := f.get(t, observations+"?fields="+allGroups)
	golden(t, "rows", printed(a))
}

func TestFieldGroups(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.insert(t, fullRow("project-a", "full"), row("project-a", "trace-2", "bare", -1))
	always := []string{
		"id", "traceId", "startTime", "endTime", "projectId", "parentObservationId", "type",
		"modelId", "inputPrice", "outputPrice", "totalPrice",
	}
	basic := []string{
		"name", "level", "statusMessage", "version", "environment", "bookmarked", "public", "userId", "sessionId", "isRootObservation",
	}
	groups := map[string][]string{
		"core": nil, "nonsense": nil, "Basic": nil,
		"":              basic,
		"%20,":          basic,
		"basic":         basic,
		"core,basic":    basic,
		"time":          {"completionStartTime", "createdAt", "updatedAt"},
		"io":            {"input", "output"},
		"metadata":      {"metadata"},
		"model":         {"model", "providedModelName", "internalModelId", "modelParameters"},
		"usage":         {"usageDetails", "inputUsage", "outputUsage", "totalUsage", "costDetails", "inputCost", "outputCost", "totalCost", "usagePricingTierId", "usagePricingTierName"},
		"prompt":        {"promptId", "promptName", "promptVersion"},
		"metrics":       {"latency", "timeToFirstToken"},
		"trace_context": {"tags", "release", "traceName"},
		"io,%20metrics": {"input", "output", "latency", "timeToFirstToken"},
	}
	for fields, keys := range groups {
		page := decodePage(t, f.get(t, observations+"?fields="+fields))
		for _, got := range page.Data {
			want := slices.Sorted(slices.Values(append(slices.Clone(always), keys...)))
			if diff := cmp.Diff(want, slices.Sorted(maps.Keys(got))); diff != "" {
				t.Errorf("fields=%s, row %s (-want +got):\n%s", fields, got["id"], diff)
			}
			if filled := got["modelId"] != nil; filled != (fields == "model" && got["id"] == "full") {
				t.Errorf("fields=%s, row %s: modelId %v", fields, got["id"], got["modelId"])
			}
		}
	}
}

// parameterRows have one row for each thing a parameter can ask for.
func parameterRows() []*model.Observation {
	const p = "project-a"
	return []*model.Observation{
		row(p, "t1", "named", 8, func(o *model.Observation) { o.Name = "a;b c+d/e" }),
		row(p, "t2", "typed", 7, func(o *model.Observation) { o.Type = model.Tool }),
		row(p, "t3", "leveled", 6, func(o *model.Observation) { o.Level = model.Warning }),
		row(p, "t4", "user child", 5),
		row(p, "t4", "user root", 4, func(o *model.Observation) {
			o.ParentID, o.UserID, o.SessionID = "", "u 1", "s/1"
		}),
		row(p, "t5", "prod", 3, func(o *model.Observation) { o.Environment = "prod" }),
		row(p, "t6", "stage", 2, func(o *model.Observation) { o.Environment = "stage" }),
		row(p, "t7", "versioned", 1, func(o *model.Observation) { o.CodeVersion = "v1" }),
		row(p, "t8", "app root", 0, func(o *model.Observation) { o.AppRoot, o.ParentID = true, "elsewhere" }),
	}
}

func TestParameters(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.insert(t, parameterRows()...)
	all := []string{"named", "typed", "leveled", "user child", "user root", "prod", "stage", "versioned", "app root"}
	but := func(without ...string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(id string) bool { return slices.Contains(without, id) })
	}
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"", all},
		{"unknown=1&unknown=2", all},
		{"traceId=t4", []string{"user child", "user root"}},
		{"traceId=T4", nil},
		{"traceId=", nil},
		{"name=a%3Bb+c%2Bd%2Fe", []string{"named"}},
		{"name=a;b%20c%2Bd/e", []string{"named"}},
		{"name=", but("named")},
		{"type=TOOL", []string{"typed"}},
		{"level=WARNING", []string{"leveled"}},
		{"userId=u+1", []string{"user child", "user root"}},
		{"userId=u%201&parentObservationId=", []string{"user root"}},
		{"userId=", but("user child", "user root")},
		{"sessionId=s%2F1", []string{"user child", "user root"}},
		{"sessionId=&type=TOOL", []string{"typed"}},
		{"environment=prod", []string{"prod"}},
		{"environment=prod&environment=stage", []string{"prod", "stage"}},
		{"environment=prod,%20stage", []string{"prod", "stage"}},
		{"environment=", all},
		{"environment=none", nil},
		{"version=v1", []string{"versioned"}},
		{"version=", but("versioned")},
		{"parentObservationId=", []string{"user root"}},
		{"parentObservationId=elsewhere", []string{"app root"}},
		{"isRootObservation=true", []string{"user root", "app root"}},
		{"isRootObservation=false", but("user root", "app root")},
		{"fromStartTime=2026-05-01T12:00:00.007Z", []string{"named", "typed"}},
		{"toStartTime=2026-05-01T12:00:00.002Z", []string{"versioned", "app root"}},
		{"fromStartTime=2026-05-01T12:00:00.003999Z&toStartTime=2026-05-01T14:00:00.004%2B02:00", []string{"prod"}},
		{"fromStartTime=2026-05-01T12:00Z&toStartTime=2026-05-01T12:01Z", all},
		{"fromStartTime=0000-01-01T00:00:00Z&toStartTime=9999-12-31T23:59:59.9999999999999Z", all},
		{"fromStartTime=9999-01-01T00:00:00Z", nil},
		{"limit=2", []string{"named", "typed"}},
		{"limit=", all},
		{"limit=1000", all},
		{"limit=0", nil},
		{"cursor=", all},
		{"filter=", all},
		{"filter=%5B%5D", all},
		{"parseIoAsJson=false", all},
		{"name=" + url.QueryEscape("' OR 1=1 --"), nil},
	} {
		page := decodePage(t, f.get(t, observations+"?"+c.query))
		if diff := cmp.Diff(c.want, page.ids(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.query, diff)
		}
		if _, more := page.Meta["cursor"]; more != (c.query == "limit=2") {
			t.Errorf("%s: meta %v", c.query, page.Meta)
		}
	}
}

func TestParameterErrors(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	date := func(text string) string { return "fromStartTime=" + text }
	for _, q := range []string{
		"limit=-1", "limit=1001", "limit=1.5", "limit=ten", "limit=1e2", "limit=99999999999999999999", "limit=1&limit=2",
		"type=span", "type=", "type=SPAN,TOOL", "type=SPAN&type=TOOL", "level=INFO", "level=",
		"isRootObservation=1", "isRootObservation=TRUE", "isRootObservation=", "parseIoAsJson=true", "parseIoAsJson=1", "parseIoAsJson=",
		date("2026-05-01"), date("2026-05-01T10:00:00"), date("2026-05-01T10:00:00+02:00"), date(""), date("yesterday"),
		date("2026-13-01T10:00:00Z"), date("2026-02-30T10:00:00Z"), date("2026-05-01T25:00:00Z"), date("2026-05-01T1:00:00Z"),
		date("2026-05-01T10:00:00,5Z"), date("2026-05-01T10:00.5Z"), date("1777629600"), date("2026-05-01T10:00:00.Z"), "to" + date("x")[4:],
		"cursor=!", "cursor=e30", "cursor=" + strings.Repeat("A", 10_000), "cursor=a&cursor=b",
		"filter=x", "filter=1", "filter=%5B1%5D", "filter=%5B%7B%7D%5D", "filter=%5B%5D&filter=%5B%5D",
		"name=a&name=a", "traceId=a&traceId=", "userId=a&userId=b", "sessionId=a&sessionId=b", "version=a&version=b",
		"parentObservationId=a&parentObservationId=b", "isRootObservation=true&isRootObservation=true",
		"fields=core&fields=io", "expandMetadata=a&expandMetadata=b", "fromStartTime=2026-05-01T10:00:00Z&fromStartTime=2026-05-01T10:00:00Z",
	} {
		if a := f.get(t, observations+"?"+q); a.status != http.StatusBadRequest {
			t.Errorf("%s: status %d, want 400", q, a.status)
		}
	}
}

func TestMetadataExpansion(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	long, digits := strings.Repeat("é", 201), strings.Repeat("1", 201)
	f.insert(t, row("project-a", "t", "s", 0, func(o *model.Observation) {
		o.Metadata = []model.MetadataEntry{
			{Name: "a", Value: long, Type: model.MetadataString},
			{Name: "a.b", Value: long, Type: model.MetadataString},
			{Name: "ab", Value: long, Type: model.MetadataString},
			{Name: "list", Value: `["` + long + `"]`, Type: model.MetadataJSON},
			{Name: "number", Value: digits, Type: model.MetadataNumber},
			{Name: "exact", Value: long[:400], Type: model.MetadataString},
		}
	}))
	cut := long[:400]
	for query, want := range map[string]map[string]any{
		"":                     {"a": cut, "a.b": cut, "ab": cut, "list": `["` + long[:396], "number": digits[:200], "exact": cut},
		"a":                    {"a": long, "a.b": long, "ab": cut, "list": `["` + long[:396], "number": digits[:200], "exact": cut},
		"a.b,%20list,,missing": {"a": cut, "a.b": long, "ab": cut, "list": []any{long}, "number": digits[:200], "exact": cut},
		"a.":                   {"a": cut, "a.b": cut, "ab": cut, "list": `["` + long[:396], "number": digits[:200], "exact": cut},
	} {
		page := decodePage(t, f.get(t, observations+"?fields=metadata,io&expandMetadata="+query))
		if diff := cmp.Diff(want, page.Data[0]["metadata"]); diff != "" {
			t.Errorf("expandMetadata=%s (-want +got):\n%s", query, diff)
		}
	}
	whole := f.get(t, observations+"?fields=metadata&expandMetadata=number")
	if !strings.Contains(whole.body, `"number":`+digits+",") {
		t.Errorf("the expanded number is not a number: %s", whole.body)
	}
}

func TestPageWalk(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var want []string
	for i := range 120 {
		f.insert(t, row("project-a", fmt.Sprintf("t%d", i%3), fmt.Sprintf("s%03d", i), i/4))
	}
	page := decodePage(t, f.get(t, observations+"?limit=1000"))
	want = page.ids()
	if len(want) != 120 {
		t.Fatalf("%d rows, want 120", len(want))
	}
	for _, limit := range []int{1, 7, 40, 119, 120, 121} {
		var got []string
		target := fmt.Sprintf("%s?limit=%d", observations, limit)
		for next := target; next != ""; {
			page := decodePage(t, f.get(t, next))
			got = append(got, page.ids()...)
			if cursor := page.Meta["cursor"]; cursor != "" {
				next = target + "&cursor=" + url.QueryEscape(cursor)
			} else {
				next = ""
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("limit %d (-want +got):\n%s", limit, diff)
		}
	}
}

// TestTenants asks every route for what belongs to another project.
func TestTenants(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	secret := func(o *model.Observation) {
		o.ParentID, o.UserID, o.SessionID, o.Name, o.Input = "", "secret-user", "secret-session", "secret-name", "secret-input"
		o.CodeVersion, o.Environment, o.TraceName, o.Release = "secret-version", "secret-environment", "secret-trace", "secret-release"
		o.Tags = []string{"secret-tag"}
		o.Metadata = []model.MetadataEntry{{Name: "secret-key", Value: "x", Type: model.MetadataString}}
	}
	for i := range 5 {
		f.insert(t, row("project-b", "shared", fmt.Sprintf("span-%d", i), i, secret), row("project-b", "secret-only", fmt.Sprintf("b-%d", i), i, secret))
	}
	f.insert(t, row("project-a", "shared", "span-1", 1), row("project-a", "shared", "span-2", 2))
	theirs := decodePage(t, f.send(t, request("GET", observations+"?limit=1", keyB, nil)))
	cursor := "cursor=" + url.QueryEscape(theirs.Meta["cursor"])

	for _, query := range []string{
		"", "traceId=shared", "traceId=secret-only", "userId=secret-user", "sessionId=secret-session", "name=secret-name",
		"version=secret-version", "environment=secret-environment", "parentObservationId=", "isRootObservation=true",
		cursor, cursor + "&traceId=shared", "limit=1", "expandMetadata=secret-key", "type=SPAN", "level=DEFAULT",
		"fromStartTime=2026-05-01T00:00:00Z&toStartTime=2026-05-02T00:00:00Z",
	} {
		a := f.get(t, observations+"?fields="+allGroups+"&"+query)
		for _, got := range decodePage(t, a).Data {
			if got["projectId"] != "project-a" {
				t.Errorf("%s: row of %s", query, got["projectId"])
			}
		}
		if strings.Contains(a.body, "secret") || strings.Contains(a.body, "project-b") {
			t.Errorf("%s shows what belongs to another project: %s", query, a.body)
		}
	}
	if rows := decodePage(t, f.get(t, observations+"?"+cursor)).ids(); !slices.Equal(rows, []string{"span-2", "span-1"}) {
		t.Errorf("a foreign cursor gives %q: it must place the walk and no more", rows)
	}
	if a := f.get(t, "/api/public/projects"); strings.Contains(a.body, "project-b") || !strings.Contains(a.body, "project-a") {
		t.Errorf("projects of A: %s", a.body)
	}
	for _, key := range []string{keyA, keyB} {
		f.send(t, request("POST", traces, key, strings.NewReader("{}"), "Content-Type", "application/json", "x-langfuse-project-id", "project-a"))
	}
	if a, b := f.ingest.got[0].ProjectID, f.ingest.got[1].ProjectID; a != "project-a" || b != "project-b" {
		t.Errorf("spans went to %s and %s", a, b)
	}
}
