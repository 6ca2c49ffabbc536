package metastoretest

import (
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sondehq/sonde/internal/metastore"
)

var retentionTests = map[string]func(*testing.T, metastore.Store){
	"traces with media of the past": testTracesWithMedia,
}

func testTracesWithMedia(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	one := media(project, "one")
	ofItem := metastore.MediaLink{ProjectID: project, MediaID: one.ID, DatasetID: "d", DatasetItemID: "i", Field: "input"}
	mustPutMedia(t, store, []metastore.Media{one}, linkTo(one, "c"), linkTo(one, "a"), linkTo(one, "b"), ofItem)
	for _, tt := range []struct {
		project string
		before  time.Time
		after   string
		limit   int
		want    []string
	}{
		{project, time.Now().Add(time.Minute), "", 10, []string{"a", "b", "c"}},
		{project, time.Now().Add(time.Minute), "a", 1, []string{"b"}},
		{project, time.Now().Add(time.Minute), "c", 10, nil},
		{project, time.Now().Add(-time.Minute), "", 10, nil},
		{"another", time.Now().Add(time.Minute), "", 10, nil},
	} {
		got, err := store.TracesWithMedia(t.Context(), tt.project, tt.before, tt.after, tt.limit)
		if diff := gocmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("after %q: %v %s", tt.after, err, diff)
		}
	}
}
