package tracestoretest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var analyticsTests = map[string]func(*testing.T, Stores){
	"correlations are those of SciPy":        analyticsReference,
	"pairs are of the same subject":          analyticsSubjects,
	"a score that is not finite counts not":  analyticsFinite,
	"two projects":                           analyticsTenants,
	"figures equal those of a plain program": analyticsProperty,
}

// reference has what SciPy computes; internal/query/testdata/agreement/reference.py writes it.
//
//go:embed testdata/correlations.json
var reference []byte

// closeTo is how far figures may be from others'.
const closeTo = 1e-9

func ofName(name string) []filter.Condition {
	return []filter.Condition{filter.OneOf{Column: filter.Name, Values: []string{name}}}
}

var tens = tracestore.ScoreBands{Type: model.Numeric, Step: 10, Count: 3}

func pairsOf(t *testing.T, store tracestore.ScoreAnalytics, project string) tracestore.ScorePairs {
	t.Helper()
	pairs, err := store.ScorePairs(t.Context(), tracestore.ScorePairQuery{ProjectID: project, A: ofName("a"), B: ofName("b"), BandsA: tens, BandsB: tens})
	if err != nil {
		t.Fatal(err)
	}
	return pairs
}

func analyticsReference(t *testing.T, store Stores) {
	var fixture struct {
		Cases []struct {
			Name                                 string
			A, B                                 []float64
			Pearson, Spearman, MeanAbsoluteError float64
		}
	}
	if err := json.Unmarshal(reference, &fixture); err != nil || len(fixture.Cases) == 0 {
		t.Fatalf("%d cases, %v", len(fixture.Cases), err)
	}
	for _, c := range fixture.Cases {
		project := newProject()
		var scores []*model.Score
		for i := range c.A {
			on := func(name string, number float64) func(*model.Score) {
				return func(s *model.Score) { s.Name, s.Number, s.TraceID = name, number, fmt.Sprint("t", i) }
			}
			scores = append(scores, newScore(project, fmt.Sprint("a", i), i, on("a", c.A[i])), newScore(project, fmt.Sprint("b", i), i, on("b", c.B[i])))
		}
		insertScores(t, store, scores...)
		got := pairsOf(t, store, project)
		for what, figures := range map[string][2]float64{
			"pearson": {c.Pearson, got.Pearson}, "spearman": {c.Spearman, got.Spearman}, "mean absolute error": {c.MeanAbsoluteError, got.MeanAbsoluteError},
		} {
			if !(math.Abs(figures[0]-figures[1]) <= closeTo) {
				t.Errorf("%s: %s = %.12f, SciPy has %.12f", c.Name, what, figures[1], figures[0])
			}
		}
	}
}

func analyticsSubjects(t *testing.T, store Stores) {
	project := newProject()
	on := func(name string, number float64, edit func(*model.Score)) func(*model.Score) {
		return func(s *model.Score) {
			s.Name, s.Number = name, number
			edit(s)
		}
	}
	trace := func(s *model.Score) { s.TraceID = "t1" }
	observation := func(s *model.Score) { s.TraceID, s.ObservationID = "t1", "o1" }
	session := func(s *model.Score) { s.TraceID, s.SessionID = "", "s1" }
	insertScores(t, store,
		newScore(project, "1", 0, on("a", 1, trace)), newScore(project, "2", 1, on("a", 11, trace)), // the newer counts
		newScore(project, "3", 0, on("b", 21, trace)), newScore(project, "4", 0, on("b", 22, observation)),
		newScore(project, "5", 0, on("a", 12, session)), newScore(project, "6", 0, on("b", 29, session)),
		newScore(project, "7", 0, on("a", 5, observation), deletedScore),
	)
	got := pairsOf(t, store, project)
	want := []tracestore.PairCell{
		{HasA: true, HasB: true, A: tracestore.PairSide{Band: 1, Number: 12}, B: tracestore.PairSide{Band: 2, Number: 29}, Count: 2},
		{HasB: true, B: tracestore.PairSide{Band: 2, Number: 22}, Count: 1},
	}
	if diff := cmp.Diff(want, got.Cells); diff != "" || math.Abs(got.Pearson-1) > closeTo || math.Abs(got.MeanAbsoluteError-13.5) > closeTo {
		t.Errorf("pearson %v, error %v, cells (-want +got):\n%s", got.Pearson, got.MeanAbsoluteError, diff)
	}
	none := pairsOf(t, store, newProject())
	if len(none.Cells) != 0 || !math.IsNaN(none.Pearson) || !math.IsNaN(none.Spearman) || !math.IsNaN(none.MeanAbsoluteError) {
		t.Errorf("of nothing: %+v", none)
	}
}

func analyticsFinite(t *testing.T, store Stores) {
	project := newProject()
	number := func(n float64) func(*model.Score) { return func(s *model.Score) { s.Number = n } }
	insertScores(t, store, newScore(project, "1", 0, number(math.NaN())), newScore(project, "2", 0, number(math.Inf(1))), newScore(project, "3", 0, number(4)))
	sums, err := store.ScoreSums(t.Context(), project, nil)
	want := []tracestore.ScoreSum{{Type: model.Numeric, Count: 1, Min: 4, Max: 4, Mean: 4, Median: 4}}
	if diff := cmp.Diff(want, sums); err != nil || diff != "" {
		t.Errorf("sums: %v (-want +got):\n%s", err, diff)
	}
}

func analyticsTenants(t *testing.T, store Stores) {
	own, other := newProject(), newProject()
	insertScores(t, store, newScore(own, "1", 0), newScore(other, "1", 0, scoreNamed("foreign")), newScore(other, "2", 0, scoreNamed("foreign")))
	kinds, err := store.ScoreKinds(t.Context(), own, nil, 10)
	want := []tracestore.ScoreKind{{Name: "n", Type: model.Numeric, Source: model.FromAPI, Count: 1}}
	if diff := cmp.Diff(want, kinds); err != nil || diff != "" {
		t.Errorf("kinds: %v (-want +got):\n%s", err, diff)
	}
	cells, err := store.ScoreCells(t.Context(), tracestore.ScoreCellQuery{ProjectID: own, Bands: tens, Width: time.Hour})
	if diff := cmp.Diff([]tracestore.ScoreCell{{Start: noon, Count: 1}}, cells); err != nil || diff != "" {
		t.Errorf("cells: %v (-want +got):\n%s", err, diff)
	}
}

// analyticsProperty asks a store and Memory the same of random scores.
func analyticsProperty(t *testing.T, store Stores) {
	seed := fromEnv(t, readSeedEnv, rand.IntN(1<<30))
	for set := range fromEnv(t, scoreSetsEnv, scoreSets) {
		project, memory := newScoreSet(t, store, seed+set)
		for n := range 12 {
			where := rapid.SliceOfN(drawnScoreCondition, 0, 2).Example(seed + set*1000 + n)
			other := rapid.SliceOfN(drawnScoreCondition, 0, 2).Example(seed + set*1000 + 500 + n)
			bands := []tracestore.ScoreBands{{Type: model.Numeric, Low: -3.5, Step: 0.3, Count: 13}, {Type: model.Boolean}, {Type: model.Categorical}}
			ask := func(s tracestore.ScoreAnalytics) map[string]any {
				kinds, err := s.ScoreKinds(t.Context(), project, where, 5+n)
				noError(t, err)
				sums, err := s.ScoreSums(t.Context(), project, where)
				noError(t, err)
				cells, err := s.ScoreCells(t.Context(), tracestore.ScoreCellQuery{ProjectID: project, Where: where, Bands: bands[n%3], Width: time.Second})
				noError(t, err)
				pairs, err := s.ScorePairs(t.Context(), tracestore.ScorePairQuery{ProjectID: project, A: where, B: other, BandsA: bands[n%3], BandsB: bands[(n/3)%3]})
				noError(t, err)
				return map[string]any{"kinds": kinds, "sums": sums, "cells": cells, "pairs": pairs}
			}
			diff := cmp.Diff(ask(memory), ask(store), cmpopts.EquateEmpty(), cmpopts.EquateNaNs(), cmpopts.EquateApprox(closeTo, closeTo))
			if diff != "" {
				t.Fatalf("dataset %d, query %d of seed %d (set %s=%d): %+v, %+v (-want +got):\n%s", set, n, seed, readSeedEnv, seed, where, other, diff)
			}
		}
	}
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
