package tracestoretest

import (
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

// scoreSets is how many datasets the property draws: few, unless scoreSetsEnv asks for more.
const (
	scoreSets    = 2
	scoreSetsEnv = "SONDE_PROPERTY_CASES"
)

var (
	drawnScoreIDs     = []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	drawnScoreNumbers = []float64{0, 1, 0.1, -3.5, 1e23}
)

var drawnScore = shared(func(t *rapid.T) *model.Score {
	text := func(label string) string { return rapid.SampledFrom(drawnTexts).Draw(t, label) }
	s := newScore("", rapid.SampledFrom(drawnScoreIDs).Draw(t, "id"), rapid.SampledFrom(drawnStarts).Draw(t, "timestamp"))
	s.TraceID = rapid.SampledFrom([]string{"", "t1", "t2"}).Draw(t, "trace")
	s.Name, s.Text, s.SessionID, s.ObservationID, s.ExperimentID = text("name"), text("text"), text("session"), text("observation"), text("experiment")
	s.ConfigID, s.QueueID, s.AuthorUserID = text("config"), text("queue"), text("author")
	s.Type = rapid.SampledFrom(model.ScoreTypes).Draw(t, "type")
	s.Source = rapid.SampledFrom(model.ScoreSources).Draw(t, "source")
	s.Environment = rapid.SampledFrom(drawnEnvs).Draw(t, "environment")
	s.Number = rapid.SampledFrom(drawnScoreNumbers).Draw(t, "number")
	s.Deleted = rapid.IntRange(0, 5).Draw(t, "deleted") == 0
	if rapid.Bool().Draw(t, "metadata") {
		s.Metadata = []model.MetadataEntry{{Name: "k", Value: text("value"), Type: model.MetadataString}}
	}
	return s
})

var drawnScoreCondition = shared(func(t *rapid.T) filter.Condition {
	number := rapid.SampledFrom(drawnScoreNumbers)
	order := rapid.SampledFrom([]filter.Order{filter.Same, filter.Above, filter.Below, filter.AtLeast, filter.AtMost})
	switch rapid.IntRange(0, 7).Draw(t, "condition") {
	case 0:
		at := noon.Add(time.Duration(rapid.SampledFrom(drawnStarts).Draw(t, "bound")) * time.Millisecond)
		return filter.Time{Column: filter.Timestamp, Op: order.Draw(t, "order"), At: at}
	case 1:
		return filter.Number{Column: filter.Value, Op: order.Draw(t, "order"), Value: number.Draw(t, "number")}
	case 2:
		return filter.NumberOneOf{Column: filter.Value, Values: rapid.SliceOfN(number, 1, 3).Draw(t, "numbers")}
	case 3:
		return filter.OneOf{Column: filter.ID, Values: rapid.SliceOfN(rapid.SampledFrom(drawnScoreIDs), 1, 4).Draw(t, "ids")}
	case 4:
		return filter.OneOf{Column: filter.TraceID, Values: []string{rapid.SampledFrom([]string{"t1", "t2", "t3"}).Draw(t, "trace")}}
	}
	column := rapid.SampledFrom([]filter.Column{
		filter.Name, filter.StringValue, filter.SessionID, filter.ObservationID, filter.ExperimentID, filter.ConfigID, filter.QueueID,
		filter.AuthorUserID, filter.DataType, filter.Source, filter.Environment,
	}).Draw(t, "column")
	values := map[filter.Column][]string{
		filter.DataType: {"NUMERIC", "BOOLEAN", "TEXT"}, filter.Source: {"API", "EVAL"}, filter.Environment: drawnEnvs,
	}[column]
	if values == nil {
		values = drawnTexts
	}
	return filter.OneOf{Column: column, Values: rapid.SliceOfN(rapid.SampledFrom(values), 1, 3).Draw(t, "values")}
})

// scoreProperty compares whole walks with those of Memory: duplicates, late versions, deletes of scores and
// of traces, every condition, any page size. A failure prints the seed that gives it again.
func scoreProperty(t *testing.T, store Stores) {
	seed := fromEnv(t, readSeedEnv, rand.IntN(1<<30))
	for set := range fromEnv(t, scoreSetsEnv, scoreSets) {
		project, memory := newScoreSet(t, store, seed+set)
		for n := range 15 {
			q := tracestore.ScoreQuery{
				ProjectID: project, Where: rapid.SliceOfN(drawnScoreCondition, 0, 3).Example(seed + set*1000 + n),
				Limit: []int{4, 9, 20, 50, 1000}[n%5], Metadata: n%2 == 0,
			}
			got := walkScores(t, store, q, func() {})
			q.Limit = everything
			if diff := cmp.Diff(readScores(t, memory, q), got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("dataset %d, query %d of seed %d (set %s=%d): %+v\npages (-want +got):\n%s", set, n, seed, readSeedEnv, seed, q, diff)
			}
		}
	}
}

// newScoreSet draws a project that the store and the returned Memory hold alike.
func newScoreSet(t *testing.T, store Stores, seed int) (string, *Memory) {
	t.Helper()
	project, memory := newProject(), &Memory{}
	scores := rapid.SliceOfN(drawnScore, 80, 80).Example(seed)
	for i, s := range scores {
		s.ProjectID = project
		scoreVersion((i * 37) % 101)(s)
	}
	tombstones := []tracestore.Tombstone{
		{ProjectID: project, Kind: tracestore.TraceTombstone, ID: "t2", Version: scores[seed%80].Version},
		{ProjectID: project, Kind: tracestore.ScoreTombstone, ID: "h", Version: scores[seed%79].Version + 1},
		{ProjectID: project, Kind: tracestore.TraceTombstone, ID: "elsewhere", Version: 1 << 63},
	}
	for _, stores := range []Stores{store, memory} {
		for _, batch := range [][]*model.Score{scores[:30], scores[20:70], scores[50:]} { // they overlap: sent twice
			insertScores(t, stores, batch...)
		}
		if err := stores.InsertTombstones(t.Context(), tombstones); err != nil {
			t.Fatal(err)
		}
	}
	return project, memory
}
