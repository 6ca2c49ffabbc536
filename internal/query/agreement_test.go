package query

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/tracestoretest"
)

// near is how far figures may be from those of scikit-learn.
const near = 1e-9

func TestKappaIsThatOfScikitLearn(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/agreement/kappa.json")
	if err != nil {
		t.Fatal(err)
	}
	var fixture struct {
		Cases []struct {
			Name             string
			Matrix           [][]uint64
			Kappa, Quadratic float64
		}
	}
	if err := json.Unmarshal(text, &fixture); err != nil || len(fixture.Cases) == 0 {
		t.Fatalf("%d cases, %v", len(fixture.Cases), err)
	}
	for _, c := range fixture.Cases {
		if got := kappa(c.Matrix, apartAtAll); !(math.Abs(got-c.Kappa) <= near) {
			t.Errorf("%s: kappa %.12f, want %.12f", c.Name, got, c.Kappa)
		}
		if got := kappa(c.Matrix, apartSquared); !(math.Abs(got-c.Quadratic) <= near) {
			t.Errorf("%s: weighted kappa %.12f, want %.12f", c.Name, got, c.Quadratic)
		}
	}
}

var rated = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// rates keeps the scores of raters: names to the values that they gave to traces in turn, "" where they gave none.
func rates(t *testing.T, kind model.ScoreType, numbers map[string]float64, given map[string][]string) *Service {
	t.Helper()
	store := &tracestoretest.Memory{}
	for rater, values := range given {
		for i, value := range values {
			if value == "" {
				continue
			}
			err := store.InsertScores(t.Context(), []*model.Score{{
				ProjectID: "p", ID: fmt.Sprint(rater, i), TraceID: fmt.Sprint("t", i), Name: rater, Type: kind, Text: value, Number: numbers[value],
				Timestamp: rated.Add(time.Duration(i) * time.Minute), Version: 1,
			}})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return New(store)
}

func named(name string) string {
	return `[{"type":"string","column":"name","operator":"=","value":"` + name + `"}]`
}

var anHour = ScoreRange{From: rated, To: rated.Add(time.Hour)}

func analyze(t *testing.T, s *Service, a, b string) Analytics {
	t.Helper()
	req := AnalyticsRequest{Range: anHour, A: named(a), Buckets: 4}
	if b != "" {
		req.B = named(b)
	}
	got, err := s.ScoreAnalytics(t.Context(), "p", req)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func wantFigure(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > near {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestAgreementOfCategories(t *testing.T) {
	t.Parallel()
	service := rates(t, model.Categorical, map[string]float64{"bad": 1, "fair": 2, "good": 3}, map[string][]string{
		"ada": {"good", "good", "fair", "bad", "bad", "good", ""}, "zoe": {"good", "fair", "fair", "bad", "fair", "", "bad"},
	})
	got := analyze(t, service, "ada", "zoe")
	agreement := got.Agreement
	want := Matrix{A: []string{"bad", "fair", "good"}, B: []string{"bad", "fair", "good"}, Counts: [][]uint64{{1, 1, 0}, {0, 1, 0}, {0, 1, 1}}}
	if diff := cmp.Diff(want, agreement.Matrix); diff != "" || agreement.Pairs != 5 || agreement.OnlyA != 1 || agreement.OnlyB != 1 {
		t.Errorf("%d pairs, %d and %d alone, matrix (-want +got):\n%s", agreement.Pairs, agreement.OnlyA, agreement.OnlyB, diff)
	}
	wantFigure(t, "share", agreement.Share, 0.6)
	wantFigure(t, "expected", agreement.ExpectedShare, 0.28)
	wantFigure(t, "kappa", agreement.Kappa, 4.0/9)
	wantFigure(t, "weighted kappa", agreement.WeightedKappa, 2.0/3)
	if agreement.Pearson != nil || agreement.MeanAbsoluteError != nil {
		t.Errorf("categories have no correlation: %+v", agreement)
	}
	if got.A.Mean != nil || got.A.Count != 6 || got.A.Distribution[0].Label != "good" || got.A.Distribution[0].Count != 3 {
		t.Errorf("distribution %+v", got.A)
	}

	plain := analyze(t, rates(t, model.Categorical, nil, map[string][]string{"ada": {"x", "y", "z"}, "zoe": {"x", "y", "y"}}), "ada", "zoe")
	if plain.Agreement.WeightedKappa != nil || plain.Agreement.Kappa == nil {
		t.Errorf("categories without numbers have no order: %+v", plain.Agreement)
	}
	alike := analyze(t, rates(t, model.Boolean, map[string]float64{"yes": 1}, map[string][]string{"ada": {"yes", "yes"}, "zoe": {"yes", "yes"}}), "ada", "zoe")
	if alike.Agreement.Kappa != nil || alike.Agreement.Pearson != nil {
		t.Errorf("where all is alike kappa is not defined: %+v", alike.Agreement)
	}
	wantFigure(t, "share", alike.Agreement.Share, 1)
}

func TestDistributionAndTrendOfNumbers(t *testing.T) {
	t.Parallel()
	numbers := map[string]float64{}
	values := make([]string, 41)
	for i := range values {
		values[i] = fmt.Sprint("v", i)
		numbers[values[i]] = float64(i) / 40
	}
	got := analyze(t, rates(t, model.Numeric, numbers, map[string][]string{"judge": values}), "judge", "").A
	if got.Type != model.Numeric || got.Count != 41 || *got.Min != 0 || *got.Max != 1 {
		t.Errorf("%+v", got)
	}
	wantFigure(t, "mean", got.Mean, 0.5)
	wantFigure(t, "median", got.Median, 0.5)
	if total := sumOfBands(t, got.Distribution); total != 41 || len(got.Distribution) < 10 || len(got.Distribution) > 21 {
		t.Errorf("%d scores in %d bands", total, len(got.Distribution))
	}
	if len(got.Trend) != 4 || got.Trend[0].Count != 15 || got.Trend[3].Count != 0 || got.Trend[3].Mean != nil {
		t.Errorf("trend %+v", got.Trend)
	}
	wantFigure(t, "mean of the first bucket", got.Trend[0].Mean, 7.0/40)

	same := analyze(t, rates(t, model.Numeric, map[string]float64{"x": 1e300}, map[string][]string{"judge": {"x", "x"}}), "judge", "").A
	if len(same.Distribution) != 1 || same.Distribution[0].Count != 2 {
		t.Errorf("one value has one band: %+v", same.Distribution)
	}
}

// sumOfBands counts the scores in bands, each of which must begin where the one before it ends.
func sumOfBands(t *testing.T, bands []ScoreBand) (total uint64) {
	t.Helper()
	for i, band := range bands {
		total += band.Count
		if *band.From >= *band.To || i > 0 && math.Abs(*band.From-*bands[i-1].To) > near {
			t.Errorf("band %d from %v to %v", i, *band.From, *band.To)
		}
	}
	return total
}

func TestAnalyticsRefusals(t *testing.T) {
	t.Parallel()
	service := rates(t, model.Numeric, nil, map[string][]string{"mixed": {"x"}})
	store := service.store.(*tracestoretest.Memory) //nolint:forcetypeassert // as it was made
	add := func(name string, kind model.ScoreType) {
		s := &model.Score{ProjectID: "p", ID: name + string(kind), TraceID: "t", Name: name, Type: kind, Timestamp: rated, Version: 1}
		if err := store.InsertScores(t.Context(), []*model.Score{s}); err != nil {
			t.Fatal(err)
		}
	}
	add("mixed", model.Boolean)
	add("words", model.TextScore)
	for i := range maxCategories + 1 {
		s := &model.Score{ProjectID: "p", ID: strconv.Itoa(i), TraceID: "t", Name: "many", Type: model.Categorical, Text: strconv.Itoa(i), Timestamp: rated, Version: 1}
		if err := store.InsertScores(t.Context(), []*model.Score{s}); err != nil {
			t.Fatal(err)
		}
	}
	for want, req := range map[string]AnalyticsRequest{
		"buckets must be between 1 and 200, got 0":                                                              {Range: anHour, A: named("x")},
		"toTimestamp must be after fromTimestamp":                                                               {A: named("x"), Buckets: 1},
		"Invalid JSON in a parameter":                                                                           {Range: anHour, A: "{", Buckets: 1},
		"b must choose NUMERIC, BOOLEAN or CATEGORICAL scores; TEXT is text":                                    {Range: anHour, A: named("x"), B: named("words"), Buckets: 1},
		"a must choose scores of one data type, but there are BOOLEAN and NUMERIC; add a condition on dataType": {Range: anHour, A: named("mixed"), Buckets: 1},
		"a chooses scores with 51 categories; at most 50 can be looked at":                                      {Range: anHour, A: named("many"), Buckets: 1},
	} {
		_, err := service.ScoreAnalytics(t.Context(), "p", req)
		var f *fault.Fault
		if !errors.As(err, &f) || f.Kind != fault.Invalid || f.Public() != want {
			t.Errorf("got %v, want an invalid fault %q", err, want)
		}
	}
	if _, err := service.ScoreKinds(t.Context(), "p", anHour, "", MaxScoreKinds+1); !fault.Is(err, fault.Invalid) {
		t.Errorf("too many kinds: %v", err)
	}
	none := analyze(t, service, "nobody", "nothing")
	if none.A.Type != "" || none.B == nil || none.Agreement != nil {
		t.Errorf("of nothing: %+v", none)
	}
	if got := bandsOf(tracestore.ScoreSum{Type: model.Numeric, Min: -math.MaxFloat64, Max: math.MaxFloat64}); got.Count < 1 || got.Count > 2*maxScoreBands {
		t.Errorf("bands of all numbers: %+v", got)
	}
}
