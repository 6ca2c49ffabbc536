package api_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/price"
	"github.com/sondehq/sonde/internal/pricing"
)

const models = "/api/public/models"

// A small list: 2 models in 3 versions.
var builtinModels = sync.OnceValues(func() (*price.List, error) {
	tiers := func(input string) []price.Tier {
		return []price.Tier{
			{ID: "t", Name: "Standard", Default: true, Prices: map[string]decimal.Decimal{"input": decimal.RequireFromString(input), "output": decimal.New(1, -12)}},
			{
				ID: "u", Name: "Long", Priority: 1, Prices: map[string]decimal.Decimal{"input": decimal.New(9, 0)},
				Conditions: []price.Condition{{UsagePattern: "input", Operator: "gt", Value: 10}, {Source: "metadata", Key: "k", Operator: "in", Values: []string{"v"}}},
			},
		}
	}
	return price.NewList([]*price.Definition{
		{ID: "b1", Name: "beta", Pattern: "^beta$", CreatedAt: noon, Unit: "TOKENS", Tokenizer: "openai", Tiers: tiers("0.0000025")},
		{ID: "b2", Name: "beta", Pattern: "^beta$", CreatedAt: noon, Start: noon, Tiers: tiers("0.00000015")},
		{ID: "d1", Name: "delta", Pattern: "^delta$", CreatedAt: noon, Tiers: tiers("3")},
	})
})

// metadataOf makes a store with the projects of the keys.
func metadataOf(t testing.TB) *metastoretest.Memory {
	t.Helper()
	store, seed := metastoretest.NewMemory(), metastoretest.Seed("seed")
	seed.Project.ID = "project-a"
	if _, err := store.Plant(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	if err := store.CreateProject(t.Context(), model.Project{ID: "project-b", Organization: seed.Organization}); err != nil {
		t.Fatal(err)
	}
	return store
}

func catalogOf(t testing.TB, store metastore.Models) *pricing.Catalog {
	t.Helper()
	list, err := builtinModels()
	if err != nil {
		t.Fatal(err)
	}
	return pricing.NewCatalog(list, store)
}

func newCatalog(t testing.TB) *pricing.Catalog { return catalogOf(t, metadataOf(t)) }

const body = `{"modelName":"charlie","matchPattern":"(?i)^charlie$","unit":"TOKENS","startDate":"2026-05-01","inputPrice":0.0000025,"outputPrice":0.00001,"tokenizerId":"openai","tokenizerConfig":{"tokenizerModel":"gpt-4"}}`

func (f *fixture) call(t testing.TB, method, target, key, text string) (answer, map[string]any) {
	t.Helper()
	a := f.send(t, request(method, target, key, strings.NewReader(text), "Content-Type", "application/json"))
	var got map[string]any
	decoder := json.NewDecoder(strings.NewReader(a.body))
	decoder.UseNumber()
	if err := decoder.Decode(&got); err != nil {
		t.Fatalf("%s %s: %v in %s", method, target, err, a.body)
	}
	return a, got
}

func TestModelLife(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a, made := f.call(t, "POST", models, keyA, body)
	if a.status != http.StatusOK {
		t.Fatalf("create: %d %s", a.status, a.body)
	}
	id, _ := made["id"].(string)
	tier := made["pricingTiers"].([]any)[0].(map[string]any)
	delete(made, "createdAt")
	want := map[string]any{
		"id": id, "modelName": "charlie", "matchPattern": "(?i)^charlie$", "unit": "TOKENS", "startDate": "2026-05-01T00:00:00.000Z",
		"inputPrice": json.Number("0.0000025"), "outputPrice": json.Number("0.00001"), "totalPrice": nil,
		"tokenizerId": "openai", "tokenizerConfig": map[string]any{"tokenizerModel": "gpt-4"}, "isLangfuseManaged": false,
		"prices": map[string]any{
			"input": map[string]any{"price": json.Number("0.0000025")}, "output": map[string]any{"price": json.Number("0.00001")},
		},
		"pricingTiers": []any{map[string]any{
			"id": tier["id"], "name": "Standard", "isDefault": true, "priority": json.Number("0"), "conditions": []any{},
			"prices": map[string]any{"input": json.Number("0.0000025"), "output": json.Number("0.00001")},
		}},
	}
	if diff := cmp.Diff(want, made); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	_, read := f.call(t, "GET", models+"/"+id, keyA, "")
	delete(read, "createdAt")
	if diff := cmp.Diff(want, read); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}

	for _, method := range []string{"GET", "DELETE"} {
		if a, _ := f.call(t, method, models+"/"+id, keyB, ""); a.status != http.StatusNotFound {
			t.Errorf("%s by another project: %d %s", method, a.status, a.body)
		}
	}
	a, replaced := f.call(t, "PUT", models+"/"+id, keyA, `{"modelName":"charlie","matchPattern":"^c","totalPrice":1}`)
	if a.status != http.StatusOK || replaced["id"] != id || replaced["totalPrice"] != json.Number("1") || replaced["inputPrice"] != nil {
		t.Errorf("replace: %d %s", a.status, a.body)
	}
	if a, made := f.call(t, "PUT", models+"/my-own-id", keyA, `{"modelName":"x","matchPattern":"^x","totalPrice":1}`); a.status != http.StatusOK || made["id"] != "my-own-id" {
		t.Errorf("create by id: %d %s", a.status, a.body)
	}
	if a, _ := f.call(t, "DELETE", models+"/"+id, keyA, ""); a.status != http.StatusOK {
		t.Errorf("delete: %d %s", a.status, a.body)
	}
	if a, _ := f.call(t, "GET", models+"/"+id, keyA, ""); a.status != http.StatusNotFound {
		t.Errorf("after delete: %d", a.status)
	}
}

func TestModelPages(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.call(t, "POST", models, keyA, body)
	for query, want := range map[string]string{
		"":                                    "beta beta charlie delta 1/50/4/1",
		"?page=1&limit=3":                     "beta beta charlie 1/3/4/2",
		"?page=2&limit=3":                     "delta 2/3/4/2",
		"?page=3&limit=3":                     "3/3/4/2",
		"?page=4611686018427387904&limit=100": "4611686018427387904/100/4/1",
		"?page=&limit=":                       "beta beta charlie delta 1/50/4/1",
	} {
		a := f.get(t, models+query)
		var page struct {
			Data []struct{ ModelName string }
			Meta struct{ Page, Limit, TotalItems, TotalPages json.Number }
		}
		if err := json.Unmarshal([]byte(a.body), &page); err != nil || a.status != http.StatusOK {
			t.Fatalf("%s: %d %v", query, a.status, err)
		}
		var got []string
		for _, m := range page.Data {
			got = append(got, m.ModelName)
		}
		meta := page.Meta
		got = append(got, strings.Join([]string{string(meta.Page), string(meta.Limit), string(meta.TotalItems), string(meta.TotalPages)}, "/"))
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%q: %s, want %s", query, text, want)
		}
	}
	for _, query := range []string{"?page=0", "?limit=0", "?limit=101", "?page=x", "?page=-1"} {
		if a := f.get(t, models+query); a.status != http.StatusBadRequest {
			t.Errorf("%s: %d", query, a.status)
		}
	}
	if page := f.send(t, request("GET", models, keyB, nil)); strings.Contains(page.body, "charlie") {
		t.Error("another project's model shows")
	}
}

func TestModelsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.call(t, "POST", models, keyA, body)
	tiers := func(text string) string {
		return `{"modelName":"t","matchPattern":"^t$","pricingTiers":` + text + `}`
	}
	standard := `{"name":"Standard","isDefault":true,"priority":0,"conditions":[],"prices":{"input":1}}`
	for name, text := range map[string]string{
		"no JSON":          `{`,
		"no object":        `[]`,
		"no name":          `{"matchPattern":"^x$","inputPrice":1}`,
		"no pattern":       `{"modelName":"x","inputPrice":1}`,
		"bad pattern":      `{"modelName":"x","matchPattern":"(","inputPrice":1}`,
		"look-ahead":       `{"modelName":"x","matchPattern":"a(?!b)","inputPrice":1}`,
		"bad unit":         `{"modelName":"x","matchPattern":"^x$","unit":"WORDS","inputPrice":1}`,
		"bad tokenizer":    `{"modelName":"x","matchPattern":"^x$","tokenizerId":"mine","inputPrice":1}`,
		"bad start":        `{"modelName":"x","matchPattern":"^x$","startDate":"soon","inputPrice":1}`,
		"name is a number": `{"modelName":1,"matchPattern":"^x$","inputPrice":1}`,
		"no prices":        `{"modelName":"x","matchPattern":"^x$"}`,
		"total and input":  `{"modelName":"x","matchPattern":"^x$","inputPrice":1,"totalPrice":1}`,
		"negative price":   `{"modelName":"x","matchPattern":"^x$","inputPrice":-1}`,
		"price bomb":       `{"modelName":"x","matchPattern":"^x$","inputPrice":1e9999}`,
		"larger bomb":      `{"modelName":"x","matchPattern":"^x$","inputPrice":1e999999999}`,
		"duplicate":        body,
		"both":             strings.Replace(body, `{`, `{"pricingTiers":[`+standard+`],`, 1),
		"no default":       tiers(strings.ReplaceAll(`[`+standard+`]`, "true", "false")),
		"same names":       tiers(`[` + standard + `,` + standard + `]`),
		"NUL in the name":  `{"modelName":"a\u0000","matchPattern":"^x$","inputPrice":1}`,
	} {
		a, got := f.call(t, "POST", models, keyA, text)
		if a.status != http.StatusBadRequest || got["message"] == "" {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	if a, _ := f.call(t, "POST", models, keyA, strings.Repeat(" ", 2<<20)+body); a.status != http.StatusRequestEntityTooLarge {
		t.Errorf("large body: %d", a.status)
	}
	if a, _ := f.call(t, "POST", models, keyB, body); a.status != http.StatusOK {
		t.Errorf("the same name in another project: %d %s", a.status, a.body)
	}
	if a, got := f.call(t, "POST", models, keyA, tiers(`[`+standard+`,{"name":"Long","isDefault":false,"priority":3,"conditions":[{"usageDetailPattern":"^input","operator":"gt","value":5}],"prices":{"input":2}}]`)); a.status != http.StatusOK || len(got["pricingTiers"].([]any)) != 2 {
		t.Errorf("tiers: %d %s", a.status, a.body)
	}
}

func TestBuiltinModelsStay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if a, got := f.call(t, "GET", models+"/b1", keyA, ""); a.status != http.StatusOK || got["isLangfuseManaged"] != true {
		t.Errorf("get: %d %s", a.status, a.body)
	}
	if a, _ := f.call(t, "DELETE", models+"/b1", keyA, ""); a.status != http.StatusNotFound {
		t.Errorf("delete: %d %s", a.status, a.body)
	}
	if a, _ := f.call(t, "PUT", models+"/b1", keyA, body); a.status != http.StatusBadRequest {
		t.Errorf("replace: %d %s", a.status, a.body)
	}
	if a, _ := f.call(t, "GET", models+"/b%00", keyA, ""); a.status != http.StatusBadRequest {
		t.Errorf("hostile id: %d %s", a.status, a.body)
	}
}

func TestRowsShowPrices(t *testing.T) {
	t.Parallel()
	list, err := builtinModels()
	if err != nil {
		t.Fatal(err)
	}
	prices := pricing.New(list, metadataOf(t), slog.New(slog.DiscardHandler))
	f := newFixture(t, func(cfg *api.Config) { cfg.Prices = prices })
	matched := func(id string) func(*model.Observation) {
		return func(o *model.Observation) { o.Model, o.ModelID, o.PricingTier = "beta", id, "Long" }
	}
	f.insert(t, row("project-a", "t", "new", 3, matched("b2")), row("project-a", "t", "gone", 2, matched("x")), row("project-a", "t", "none", 1))
	shown := func(fields string) string {
		var out bytes.Buffer
		for _, o := range decodePage(t, f.get(t, observations+"?fields="+fields)).Data {
			text, err := json.Marshal([]any{o["id"], o["modelId"], o["inputPrice"], o["outputPrice"], o["totalPrice"], o["usagePricingTierName"]})
			if err != nil {
				t.Fatal(err)
			}
			out.Write(text)
		}
		return out.String()
	}
	if got, want := shown("model,usage"), `["new","b2","0.00000015","0.000000000001",null,"Long"]["gone",null,null,null,null,"Long"]["none",null,null,null,null,null]`; got != want {
		t.Errorf("with the model group %s, want %s", got, want)
	}
	if got, want := shown("basic"), `["new",null,null,null,null,null]["gone",null,null,null,null,null]["none",null,null,null,null,null]`; got != want {
		t.Errorf("without the model group %s, want %s", got, want)
	}
}

func FuzzCreateModel(f *testing.F) {
	f.Add(body)
	f.Add(`{"modelName":"t","matchPattern":"^t$","pricingTiers":[{"name":"a","isDefault":true,"prices":{"x":"1e-5"}}]}`)
	f.Add(`{"inputPrice":1e9999}`)
	// Without the check against the description, which takes longer than everything else.
	on := &fixture{Handler: api.New(api.Config{Auth: fakeAuth{}, Health: &fakeHealth{}, Models: newCatalog(f)})}
	f.Fuzz(func(t *testing.T, text string) {
		a := on.send(t, request("POST", models, keyA, strings.NewReader(text)))
		if a.status >= http.StatusInternalServerError {
			t.Errorf("%d %s", a.status, a.body)
		}
	})
}
