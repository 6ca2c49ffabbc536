package bench

import (
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/model"
)

func TestProjectsVerdict(t *testing.T) {
	t.Parallel()
	good := ProjectsResult{Spans: 10, Stored: 10, MaxActiveParts: mostParts - 1}
	tests := map[string]struct {
		change func(*ProjectsResult)
		holds  bool
	}{
		"good":     {func(*ProjectsResult) {}, true},
		"parts":    {func(r *ProjectsResult) { r.MaxActiveParts = mostParts }, false},
		"delayed":  {func(r *ProjectsResult) { r.Delayed = 1 }, false},
		"rejected": {func(r *ProjectsResult) { r.Rejected = 1 }, false},
		"lost":     {func(r *ProjectsResult) { r.Stored = 9 }, false},
		"doubled":  {func(r *ProjectsResult) { r.Stored = 11 }, false},
		"missing":  {func(r *ProjectsResult) { r.Missing = 1 }, false},
		"foreign":  {func(r *ProjectsResult) { r.Foreign = 1 }, false},
		"nothing":  {func(r *ProjectsResult) { r.Spans, r.Stored = 0, 0 }, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := good
			test.change(&r)
			if err := r.Verdict(); (err == nil) != test.holds {
				t.Errorf("Verdict = %v", err)
			}
		})
	}
}

func TestPromptsVerdict(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		result PromptsResult
		holds  bool
	}{
		"good":    {PromptsResult{Samples: 1, Ratio: 3, maxRatio: 3}, true},
		"slow":    {PromptsResult{Samples: 1, Ratio: 3.01, maxRatio: 3}, false},
		"errors":  {PromptsResult{Samples: 1, Ratio: 1, Errors: 1, maxRatio: 3}, false},
		"nothing": {PromptsResult{maxRatio: 3}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := test.result.Verdict(); (err == nil) != test.holds {
				t.Errorf("Verdict = %v", err)
			}
		})
	}
	var filled PromptsResult
	filled.fill(&phase{acks: []time.Duration{4 * time.Millisecond}}, &phase{acks: []time.Duration{2 * time.Millisecond}, errors: 1})
	if filled.Ratio != 2 || filled.RatioP50 != 2 || filled.Samples != 1 || filled.Errors != 1 {
		t.Errorf("filled %+v", filled)
	}
}

func TestStorageVerdict(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		corpus CorpusResult
		holds  bool
	}{
		"30 turns, small enough": {CorpusResult{Corpus: "30", Ratio: 4, Exact: true}, true},
		"30 turns, too big":      {CorpusResult{Corpus: "30", Ratio: 3.99, Exact: true}, false},
		"mixed, small enough":    {CorpusResult{Corpus: "mixed", Ratio: 2, Exact: true}, true},
		"mixed, too big":         {CorpusResult{Corpus: "mixed", Ratio: 1.99, Exact: true}, false},
		"no promise":             {CorpusResult{Corpus: "10", Ratio: 1, Exact: true}, true},
		"not what went in":       {CorpusResult{Corpus: "10", Ratio: 9}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := (StorageResult{Corpora: []CorpusResult{test.corpus}}).Verdict(); (err == nil) != test.holds {
				t.Errorf("Verdict = %v", err)
			}
		})
	}
	if (StorageResult{}).Verdict() == nil {
		t.Error("a run without a corpus proves nothing")
	}
}

func TestDigestSeesEveryByte(t *testing.T) {
	t.Parallel()
	seen := map[[32]byte]int{}
	for i, o := range []model.Observation{
		{},
		{Input: "a"},
		{Output: "a"},
		{Input: "a", Output: "b"},
		{Input: "ab"},
		{Metadata: []model.MetadataEntry{{Name: "a", Value: "1", Type: model.MetadataString}}},
		{Metadata: []model.MetadataEntry{{Name: "a", Value: "1", Type: model.MetadataNumber}}},
		{Metadata: []model.MetadataEntry{{Name: "a1", Type: model.MetadataString}}},
		{Metadata: []model.MetadataEntry{{Name: "a", Type: model.MetadataString}, {Name: "b", Type: model.MetadataString}}},
		{Metadata: []model.MetadataEntry{{Name: "b", Type: model.MetadataString}, {Name: "a", Type: model.MetadataString}}},
	} {
		sum := digest(&o)
		if other, ok := seen[sum]; ok {
			t.Errorf("rows %d and %d look the same", other, i)
		}
		seen[sum] = i
	}
}
