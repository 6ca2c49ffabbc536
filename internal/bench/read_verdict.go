package bench

import (
	"errors"
	"fmt"
)

// What reads must hold beside the bound on each class, which the caller gives.
const (
	mostReadMemory   = 2_000_000_000 // bytes of server and engine
	mostGrowth       = 1.5           // from fewer rows to more, of the reads below
	mostSlowdown     = 3             // of a read while spans come in
	mostIngestLoss   = 0.2
	rareWordKey      = "rare-word"
	resultIncomplete = "nothing was measured"
)

// flatKeys are the classes that must not depend on how many rows there are.
var flatKeys = []string{"newest", "trace"}

// Verdict fails when a promise does not hold, with every reason.
func (r *ReadResult) Verdict() error {
	r.Broken = []string{}
	broken := func(format string, args ...any) { r.Broken = append(r.Broken, fmt.Sprintf(format, args...)) }
	if len(r.Classes) == 0 || r.Rows == 0 {
		broken(resultIncomplete)
	}
	for _, c := range r.Classes {
		switch {
		case c.Failed != "":
			broken("%s failed: %s", c.Name, c.Failed)
			continue
		case c.P95 > r.MaxRatio*c.BareP95+r.MaxExtraMS:
			broken("%s takes %.1f ms (p95), its statements %.1f ms bare: more than %.2f times that and %.0f ms", c.Name, c.P95, c.BareP95, r.MaxRatio, r.MaxExtraMS)
		}
		if c.Key == rareWordKey && c.P50 >= r.MaxRareWordMS {
			broken("%s takes %.1f ms (p50), less than %.0f ms wanted", c.Name, c.P50, r.MaxRareWordMS)
		}
	}
	if r.MemoryPeak == 0 || r.MemoryPeak >= mostReadMemory {
		broken("server and engine took %.2f GB, less than %.0f GB wanted", float64(r.MemoryPeak)/1e9, float64(mostReadMemory)/1e9)
	}
	r.judgeGrowth(broken)
	r.judgeLoad(broken)
	var reasons []error
	for _, reason := range r.Broken {
		reasons = append(reasons, errors.New(reason))
	}
	return errors.Join(reasons...)
}

func (r *ReadResult) judgeGrowth(broken func(string, ...any)) {
	if r.smaller == nil {
		return
	}
	if r.smaller.Rows >= r.Rows {
		broken("the run to compare with has %d rows, not fewer than %d", r.smaller.Rows, r.Rows)
	}
	for _, key := range flatKeys {
		before, ok := r.smaller.class(key)
		now, measured := r.class(key)
		switch {
		case !ok || !measured:
			broken("class %s is not in both runs", key)
		case now.P95 > mostGrowth*before.P95:
			broken("%s takes %.1f ms (p95) on %d rows and %.1f ms on %d: more than %.1f times as long", now.Name, now.P95, r.Rows, before.P95, r.smaller.Rows, mostGrowth)
		}
	}
}

func (r *ReadResult) class(key string) (ClassResult, bool) {
	for _, c := range r.Classes {
		if c.Key == key && c.Failed == "" {
			return c, true
		}
	}
	return ClassResult{}, false
}

func (r *ReadResult) judgeLoad(broken func(string, ...any)) {
	w := r.WithIngest
	if w == nil {
		return
	}
	if len(w.Classes) == 0 {
		broken("no class was read while spans came in")
	}
	for _, c := range w.Classes {
		if c.Ratio > mostSlowdown {
			broken("%s takes %.1f ms (p95) while spans come in and %.1f ms without: more than %d times as long", c.Name, c.LoadedP95, c.IdleP95, mostSlowdown)
		}
	}
	if w.Loss > mostIngestLoss {
		broken("%.0f spans/s were stored while reads ran, %.0f were sent: more than %.0f %% lost", w.StoredRate, w.Rate, 100*mostIngestLoss)
	}
}
