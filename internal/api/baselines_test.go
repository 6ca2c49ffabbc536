package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
)

const (
	figuresPath       = experiments + "/figures"
	comparePath       = experiments + "/compare"
	comparedItemsPath = comparePath + "/items"
)

// insertCompared stores experiments a and b: four items in both, of which one regressed and one improved, one in each alone.
func (f *fixture) insertCompared(t testing.TB) {
	t.Helper()
	var scores []*model.Score
	for i, numbers := range [][2]float64{{0.9, 0.4}, {0.5, 0.75}, {0.5, 0.5}, {0.25, 0.25}, {1, -1}, {-1, 1}} {
		for j, experiment := range []string{"a", "b"} {
			if numbers[j] < 0 {
				continue
			}
			trace := fmt.Sprintf("%s%d", experiment, i)
			f.insert(t, run("project-a", experiment, trace, 10*i+j, func(o *model.Observation) {
				o.Experiment.ItemID, o.Experiment.ItemExpectedOutput = fmt.Sprintf("item-%d", i), "Paris"
				o.Input, o.Output = "capital of France?", "Paris, says "+experiment
				if i < 2 {
					o.EndTime, o.CostDetails = o.StartTime.Add(time.Duration(1+j)*time.Second), map[string]decimal.Decimal{"total": decimal.RequireFromString("0.0025")}
				}
			}))
			score := func(name string, kind model.ScoreType, number float64, text string) {
				scores = append(scores, &model.Score{
					ProjectID: "project-a", ID: trace + name, Name: name, Type: kind, Source: model.FromAPI, Number: number, Text: text, TraceID: trace,
					Timestamp: noon, Environment: model.DefaultEnvironment, CreatedAt: noon, Version: model.RowVersion(noon, 0),
				})
			}
			score("accuracy", model.Numeric, numbers[j], "")
			score("tone", model.Categorical, 0, []string{"calm", "loud"}[j*i%2])
		}
	}
	if err := f.store.InsertScores(t.Context(), scores); err != nil {
		t.Fatal(err)
	}
}

// TestComparisonShape pins what the pages of experiments and the command line read.
func TestComparisonShape(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.insertCompared(t)
	golden(t, "experiments_figures", printed(f.get(t, figuresPath+"?id=a&id=b&id=unknown")))
	golden(t, "experiments_compare", printed(f.get(t, comparePath+"?baseline=a&c=b&lowerIsBetter=accuracy")))
	golden(t, "experiments_compare_alone", printed(f.get(t, comparePath+"?baseline=b")))
	golden(t, "compared_items_io", printed(f.get(t, comparedItemsPath+"?baseline=a&c=b&limit=1")))
	golden(t, "compared_items_all", printed(f.get(t, comparedItemsPath+"?baseline=a&c=b&fields=core&itemVisibility=all&page=2&limit=3")))
}

func TestComparedItemsAreChosen(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.insertCompared(t)
	for query, want := range map[string]string{
		"":                    "[item-0 item-1 item-2 item-3 item-4]",
		"&itemVisibility=all": "[item-0 item-1 item-2 item-3 item-4 item-5]",
		"&only=regressions":   "[item-0]",
		"&only=regressions&lowerIsBetter=accuracy":        "[item-1]",
		"&only=regressions&score=tone":                    "[]",
		"&orderBy=worst":                                  "[item-0 item-2 item-3 item-1 item-4]",
		"&q=SAYS%20B":                                     "[item-0 item-1 item-2 item-3]",
		"&q=item-2":                                       "[item-2]",
		"&itemId=item-3":                                  "[item-3]",
		"&fromStartTime=2026-05-01T12:00:00.020Z":         "[item-2 item-3 item-4]",
		"&toStartTime=2026-05-01T12:00:00.011Z&fields=io": "[item-0 item-1]",
	} {
		var page struct{ Data []struct{ ItemID string } }
		if err := json.Unmarshal([]byte(f.get(t, comparedItemsPath+"?baseline=a&c=b"+query).body), &page); err != nil {
			t.Fatal(err)
		}
		ids := []string{}
		for _, item := range page.Data {
			ids = append(ids, item.ItemID)
		}
		if got := fmt.Sprint(ids); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

func TestComparisonParameters(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.insertCompared(t)
	for target, want := range map[string]int{
		comparePath:                                              http.StatusBadRequest,
		comparePath + "?baseline=a&c=a":                          http.StatusBadRequest,
		comparePath + "?baseline=a&baseline=b":                   http.StatusBadRequest,
		comparePath + "?baseline=a&fromStartTime=yesterday":      http.StatusBadRequest,
		comparePath + "?baseline=nowhere":                        http.StatusNotFound,
		comparePath + "?baseline=a&c=b,c":                        http.StatusNotFound,
		comparedItemsPath + "?baseline=a&limit=101":              http.StatusBadRequest,
		comparedItemsPath + "?baseline=a&limit=0":                http.StatusBadRequest,
		comparedItemsPath + "?baseline=a&limit=x":                http.StatusBadRequest,
		comparedItemsPath + "?baseline=a&page=0":                 http.StatusBadRequest,
		comparedItemsPath + "?baseline=a&only=improvements":      http.StatusBadRequest,
		comparedItemsPath + "?baseline=a&fields=everything":      http.StatusBadRequest,
		comparedItemsPath + "?baseline=nowhere":                  http.StatusOK,
		comparedItemsPath + "?baseline=a&fields=core&limit=1000": http.StatusOK,
		figuresPath:                   http.StatusBadRequest,
		figuresPath + "?id=b&id=b":    http.StatusOK,
		figuresPath + "?id=elsewhere": http.StatusOK,
	} {
		if got := f.get(t, target).status; got != want {
			t.Errorf("%s: status %d, want %d", target, got, want)
		}
	}
}
