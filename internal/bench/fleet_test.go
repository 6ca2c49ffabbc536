package bench

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
)

func fleetOf(t *testing.T, name string, seed uint64) *fleet {
	t.Helper()
	f, err := newFleet(name, seed)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFleetIsDeterministic(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"10", "mixed"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := encodeRequest(fleetOf(t, name, 7).take(900))
			again := fleetOf(t, name, 7)
			var pieces []span
			for _, n := range []int{1, 299, 600} {
				pieces = append(pieces, again.take(n)...)
			}
			if !bytes.Equal(whole, encodeRequest(pieces)) {
				t.Error("the same seed gave other spans")
			}
			if bytes.Equal(whole, encodeRequest(fleetOf(t, name, 8).take(900))) {
				t.Error("another seed gave the same spans")
			}
		})
	}
}

func TestFleetRunsSideBySide(t *testing.T) {
	t.Parallel()
	// In the mixture some traces are a burst of short calls.
	for name, mostAlike := range map[string]int{"10": 5, "30": 5, "mixed": 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const n = 4_000
			spans := fleetOf(t, name, 1).take(n)
			ids, traces := map[string]bool{}, map[string]bool{}
			for i := range spans {
				ids[spans[i].traceHex()+spans[i].idHex()] = true
				traces[spans[i].traceHex()] = true
				if spans[i].end.Before(spans[i].start) || spans[i].start.Before(epoch) {
					t.Fatalf("span %d runs from %s to %s", i, spans[i].start, spans[i].end)
				}
			}
			if len(ids) != n {
				t.Errorf("%d ids for %d spans", len(ids), n)
			}
			if len(traces) < sideBySide {
				t.Errorf("%d traces, at least %d run side by side", len(traces), sideBySide)
			}
			slices.SortFunc(spans, func(a, b span) int { return a.start.Compare(b.start) })
			alike := 0
			for i := 1; i < n; i++ {
				if spans[i].traceID == spans[i-1].traceID {
					alike++
				}
			}
			if 100*alike > mostAlike*n {
				t.Errorf("%d of %d neighbors in time are of the same trace, want at most %d %%", alike, n, mostAlike)
			}
		})
	}
}

// A short look must see late turns too, or it would measure another corpus than a long one.
func TestFleetSizes(t *testing.T) {
	t.Parallel()
	const n = 2_000
	for name, want := range map[string]struct{ least, most int }{
		"10": {2_000, 4_500}, "30": {5_000, 10_000}, "100": {15_000, 30_000}, "mixed": {5_000, 12_000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if each := len(encodeRequest(fleetOf(t, name, 3).take(n))) / n; each < want.least || each > want.most {
				t.Errorf("%d bytes per span, want %d to %d", each, want.least, want.most)
			}
		})
	}
}

func TestFleetHasNoOtherCorpora(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "0", "-3", "401", "ten", "Mixed", "10; DROP"} {
		if _, err := newFleet(name, 1); err == nil {
			t.Errorf("corpus %q exists", name)
		}
	}
}

func TestMixture(t *testing.T) {
	t.Parallel()
	const n = 12_000
	spans := fleetOf(t, "mixed", 5).take(n)
	kinds := map[string]int{}
	images := 0
	cjk := map[string]bool{}
	for i := range spans {
		switch spans[i].name {
		case "chat", "search", "support-agent":
			kinds["agent"]++
		case "ask-docs", "find-documents", "answer":
			kinds["documents"]++
		default:
			kinds["tools"]++
		}
		if strings.HasPrefix(spans[i].output, "data:image/png;base64,") {
			images++
		}
		if strings.ContainsFunc(spans[i].input, func(r rune) bool { return r >= 0x4e00 }) {
			cjk[spans[i].traceHex()] = true
		}
	}
	for kind, percent := range map[string][2]int{"agent": {40, 60}, "documents": {15, 35}, "tools": {15, 35}} {
		if share := 100 * kinds[kind] / n; share < percent[0] || share > percent[1] {
			t.Errorf("%d %% of the spans are of kind %s, want %d to %d", share, kind, percent[0], percent[1])
		}
	}
	if images < n/100 || images > 3*n/100 {
		t.Errorf("%d of %d spans have an image, want about %d %%", images, n, base64Percent)
	}
	if len(cjk) == 0 {
		t.Error("no trace is in ideograms")
	}
}

func TestTrace(t *testing.T) {
	t.Parallel()
	spans := newCorpus(1).trace(time.Now(), 3)
	if len(spans) != 7 {
		t.Fatalf("%d spans, want a root and two for each of three turns", len(spans))
	}
	root := spans[0]
	if root.parent != ([8]byte{}) || root.input == "" || root.output == "" {
		t.Errorf("the first span is no root with first question and last answer: %+v", root)
	}
	for i := 1; i < len(spans); i += 2 {
		generation, tool := spans[i], spans[i+1]
		if generation.traceID != root.traceID || generation.parent != root.id || tool.parent != generation.id {
			t.Errorf("turn %d hangs elsewhere", i/2)
		}
		if i > 1 && !strings.HasPrefix(generation.input, strings.TrimSuffix(spans[i-2].input, "]")) {
			t.Errorf("the input of turn %d does not continue the one before", i/2)
		}
		if generation.end.After(root.end) {
			t.Errorf("turn %d ends after its root", i/2)
		}
	}
}
