package bench

import "testing"

func TestFairnessVerdict(t *testing.T) {
	t.Parallel()
	good := FairnessResult{Samples: 100, AckP99Alone: 20, AckP99Beside: 80, ReadableP99Beside: 1500}
	for name, c := range map[string]struct {
		spoil func(*FairnessResult)
		ok    bool
	}{
		"good":       {func(*FairnessResult) {}, true},
		"slow":       {func(r *FairnessResult) { r.AckP99Beside = 91 }, false},
		"late":       {func(r *FairnessResult) { r.ReadableP99Beside = 2001 }, false},
		"errors":     {func(r *FairnessResult) { r.Errors = 1 }, false},
		"no samples": {func(r *FairnessResult) { r.Samples = 0 }, false},
	} {
		r := good
		c.spoil(&r)
		if err := r.Verdict(); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
