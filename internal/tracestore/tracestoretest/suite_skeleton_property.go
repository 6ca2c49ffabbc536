package tracestoretest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sondehq/sonde/internal/model"
)

// skeletonProperty compares trees with those of Memory on drawn rows whose parents are drawn from all ids, those that
// nobody has included: circles, orphans, moved rows, tombstones and late versions. A failure prints its seed.
func skeletonProperty(t *testing.T, store Stores) {
	seed := fromEnv(t, readSeedEnv, rand.IntN(1<<30))
	for set := range fromEnv(t, scoreSetsEnv, scoreSets) {
		d := newTraceDataset(t, store, seed+set)
		d.addTangle(t, store)
		for _, trace := range append([]string{"tangle", "nobody's"}, drawnTraceIDs...) {
			want, wantRows := readSkeleton(t, d.memory, d.project, trace)
			got, gotRows := readSkeleton(t, store, d.project, trace)
			about := fmt.Sprintf("dataset %d, trace %q of seed %d (set %s=%d)", set, trace, seed, readSeedEnv, seed)
			if (want == nil) != (got == nil) {
				t.Fatalf("%s: got %v, want %v", about, got, want)
			}
			if diff := cmp.Diff(wantRows, gotRows); diff != "" {
				t.Fatalf("%s\nrows (-want +got):\n%s", about, diff)
			}
			if requireSkeleton(t, want, got); t.Failed() {
				t.Fatal(about)
			}
		}
	}
}

// addTangle adds a trace of rows that have anyone for a parent.
func (d *dataset) addTangle(t *testing.T, store Stores) {
	t.Helper()
	rows := rapid.SliceOfN(drawnRow, 120, 120).Example(d.seed + 1)
	for i, o := range rows {
		drawn := rand.New(rand.NewPCG(uint64(d.seed), uint64(i)))
		o.ProjectID, o.TraceID, o.ID, o.ParentID = d.project, "tangle", strconv.Itoa(drawn.IntN(60)), strconv.Itoa(drawn.IntN(66))
		if drawn.IntN(12) == 0 {
			o.ParentID = model.TraceRowID("tangle")
		}
		setVersion(o, (i*37)%121)
	}
	insert(t, store, rows...)
	insert(t, d.memory, rows...)
}
