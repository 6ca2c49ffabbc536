package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
)

const (
	experiments     = "/api/public/experiments"
	experimentItems = "/api/public/experiment-items"
	since           = "fromStartTime=2026-05-01T00:00:00Z"
)

// run is an observation that stands for an item of an experiment.
func run(project, experiment, trace string, millis int, edits ...func(*model.Observation)) *model.Observation {
	return row(project, trace, "task-"+trace, millis, append([]func(*model.Observation){func(o *model.Observation) {
		o.Experiment = &model.Experiment{ID: experiment, Name: "run of " + experiment, ItemID: "item-" + trace, ItemRootID: o.ID}
	}}, edits...)...)
}

// fullRun has a value in every field that answers show.
func fullRun(project string) *model.Observation {
	return run(project, "x-full", "t1", 10, func(o *model.Observation) {
		long := strings.Repeat("é", 300)
		o.EndTime, o.Level, o.Environment = noon.Add(1250*time.Millisecond), model.Error, "sdk-experiment"
		o.Input, o.Output = `{"q": "<&>"}`, "Error: "+long
		o.Metadata = []model.MetadataEntry{
			{Name: "long", Value: long, Type: model.MetadataString}, {Name: "a.b", Value: "1.50", Type: model.MetadataNumber},
		}
		o.Experiment = &model.Experiment{
			ID: "x-full", Name: "gpt-4o <baseline>", Description: "all of it", DatasetID: "ds_1",
			Metadata: []model.MetadataEntry{{Name: "temperature", Value: "0.2", Type: model.MetadataNumber}, {Name: "text", Value: "42", Type: model.MetadataString}},
			ItemID:   "item-1", ItemVersion: noon.Add(-time.Hour), ItemRootID: o.ID, ItemExpectedOutput: `["want"]`,
			ItemMetadata: []model.MetadataEntry{{Name: "tags", Value: `["x"]`, Type: model.MetadataJSON}, {Name: "hard", Value: "true", Type: model.MetadataBool}},
		}
	})
}

func (f *fixture) insertRuns(t testing.TB) {
	t.Helper()
	f.insert(t, fullRun("project-a"), run("project-a", "x-bare", "t2", 0, func(o *model.Observation) { o.Experiment.Name = "" }))
	score := func(id string, seconds int, edit func(*model.Score)) *model.Score {
		s := &model.Score{
			ProjectID: "project-a", ID: id, Name: "accuracy", Type: model.Numeric, Source: model.FromAPI, Number: 0.9,
			Timestamp: noon.Add(time.Duration(seconds) * time.Second), Environment: model.DefaultEnvironment,
			CreatedAt: noon.Add(time.Hour), Version: model.RowVersion(noon.Add(2*time.Hour), 0),
		}
		edit(s)
		return s
	}
	err := f.store.InsertScores(t.Context(), []*model.Score{
		score("of-run", 1, func(s *model.Score) { s.ExperimentID = "x-full" }),
		score("later-of-run", 2, func(s *model.Score) { s.ExperimentID, s.Type, s.Text = "x-full", model.Categorical, "good" }),
		score("correction", 3, func(s *model.Score) { s.ExperimentID, s.Type = "x-full", model.Correction }),
		score("of-item", 4, func(s *model.Score) { s.TraceID, s.ObservationID = "t1", "task-t1" }),
		score("of-trace", 5, func(s *model.Score) { s.TraceID, s.Type, s.Number = "t1", model.Boolean, 1 }),
		score("of-child", 6, func(s *model.Score) { s.TraceID, s.ObservationID = "t1", "child" }),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestExperimentShape pins a full and a bare row in every group.
func TestExperimentShape(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.insertRuns(t)
	golden(t, "experiments_all", printed(f.get(t, experiments+"?fields=core,metadata,scores&"+since)))
	golden(t, "experiments_core", printed(f.get(t, experiments+"?limit=1&"+since)))
	golden(t, "experiment_items_all", printed(f.get(t, experimentItems+"?fields=core,dataset,io,metadata,itemMetadata,experimentMetadata,scores&"+since)))
	golden(t, "experiment_items_default", printed(f.get(t, experimentItems+"?limit=1&"+since)))
}

func TestExperimentFieldGroups(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.insertRuns(t)
	core := map[string][]string{
		experiments: {"id", "name", "description", "startTime", "endTime", "itemCount", "datasetId"},
		experimentItems: {
			"id", "traceId", "startTime", "endTime", "level", "environment", "experimentId", "experimentName", "experimentItemId",
		},
	}
	dataset := []string{"experimentDatasetId", "experimentItemVersion"}
	for target, groups := range map[string]map[string][]string{
		experiments: {"": nil, "core": nil, "metadata": {"metadata"}, "%20scores,": {"scores"}, "metadata,scores": {"metadata", "scores"}},
		experimentItems: {
			"": dataset, "%20,": dataset, "core": nil, "dataset": dataset, "io": {"input", "output", "expectedOutput"}, "metadata": {"metadata"},
			"itemMetadata": {"experimentItemMetadata"}, "experimentMetadata": {"experimentMetadata", "experimentDescription"}, "scores": {"scores"},
		},
	} {
		for fields, keys := range groups {
			for _, got := range decodePage(t, f.get(t, target+"?"+since+"&fields="+fields)).Data {
				want := slices.Sorted(slices.Values(append(slices.Clone(core[target]), keys...)))
				if diff := cmp.Diff(want, slices.Sorted(maps.Keys(got))); diff != "" {
					t.Errorf("%s fields=%s, row %s (-want +got):\n%s", target, fields, got["id"], diff)
				}
			}
		}
	}
}

func conditionJSON(kind, column, operator, value string) string {
	return "filter=" + url.QueryEscape(fmt.Sprintf(`[{"type":%q,"column":%q,"operator":%q,"value":%s}]`, kind, column, operator, value))
}

func TestExperimentParameters(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	dataset := func(id string) func(*model.Observation) {
		return func(o *model.Observation) { o.Experiment.DatasetID = id }
	}
	f.insert(t,
		run("project-a", "x1", "t1", 1, dataset("d1")), run("project-a", "x2", "t2", 2, dataset("d2")), run("project-a", "x3", "t3", 3),
		row("project-a", "t4", "plain", 9), run("project-b", "x1", "t5", 5), run("project-b", "x9", "t9", 5))
	for _, c := range []struct {
		target, query string
		want          []string
	}{
		{experiments, "", []string{"x3", "x2", "x1"}},
		{experiments, "unknown=1&id=&limit=&scoreLimit=1", []string{"x3", "x2", "x1"}},
		{experiments, "id=x1,%20x3,nothing", []string{"x3", "x1"}},
		{experiments, "name=run+of+x2", []string{"x2"}},
		{experiments, "datasetId=d1,d2&id=x1,x3", []string{"x1"}},
		{experiments, "toStartTime=2026-05-01T12:00:00.003Z", []string{"x2", "x1"}},
		{experiments, "toStartTime=2026-05-01T00:00:00Z", nil},
		{experiments, conditionJSON("string", "name", "ends with", `"x3"`), []string{"x3"}},
		{experiments, conditionJSON("stringOptions", "id", "none of", `["x3"]`) + "&id=x3", []string{"x2", "x1"}},
		{experiments, conditionJSON("null", "datasetId", "is null", `""`) + "&datasetId=d1", []string{"x3"}},
		{experiments, conditionJSON("null", "datasetId", "is not null", `""`) + "&id=x2", []string{"x2"}},
		{experimentItems, "", []string{"task-t3", "task-t2", "task-t1"}},
		{experimentItems, "experimentId=x1,x2", []string{"task-t2", "task-t1"}},
		{experimentItems, "experimentName=run+of+x3", []string{"task-t3"}},
		{experimentItems, "experimentItemId=item-t2&datasetId=d2", []string{"task-t2"}},
		{experimentItems, "experimentItemId=item-t2&datasetId=d1", nil},
		{experimentItems, conditionJSON("string", "experimentName", "contains", `"x3"`), []string{"task-t3"}},
		{experimentItems, conditionJSON("stringOptions", "experimentItemId", "any of", `["item-t1"]`), []string{"task-t1"}},
		{experimentItems, conditionJSON("null", "datasetId", "is null", `""`), []string{"task-t3"}},
		{experimentItems, "limit=2", []string{"task-t3", "task-t2"}},
	} {
		page := decodePage(t, f.get(t, c.target+"?"+since+"&"+c.query))
		if diff := cmp.Diff(c.want, page.ids(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s?%s (-want +got):\n%s", c.target, c.query, diff)
		}
		if _, more := page.Meta["cursor"]; more != (c.query == "limit=2") {
			t.Errorf("%s?%s: meta %v", c.target, c.query, page.Meta)
		}
	}
}

func TestExperimentParameterErrors(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, query := range map[string]string{
		"from_missing": "", "together": "fromStartTime=yesterday&toStartTime=&limit=0&scoreLimit=51&fields=core,nonsense&id=a&id=b",
		"cursor": since + "&cursor=e30", "column": since + "&" + conditionJSON("string", "userId", "=", `"u"`),
	} {
		golden(t, "experiments_error_"+name, printed(f.get(t, experiments+"?"+query)))
	}
	golden(t, "experiment_items_error_fields", printed(f.get(t, experimentItems+"?fields=trace_context&"+since)))
	for _, target := range []string{experiments, experimentItems} {
		for _, query := range []string{
			"", "fromStartTime=", "fromStartTime=2026-05-01", since + "&" + since, since + "&toStartTime=x", since + "&toStartTime=",
			since + "&limit=101", since + "&limit=0", since + "&limit=1.5", since + "&scoreLimit=0", since + "&scoreLimit=51", since + "&scoreLimit=x",
			since + "&fields=Core", since + "&fields=core&fields=core", since + "&cursor=!", since + "&cursor=a&cursor=b", since + "&datasetId=a&datasetId=b",
			since + "&filter=x", since + "&filter=1", since + "&" + conditionJSON("string", "traceId", "=", `"u"`),
			since + "&" + conditionJSON("number", "datasetId", ">", "1"), since + "&" + conditionJSON("string", "datasetId", "matches", `"u"`),
		} {
			if a := f.get(t, target+"?"+query); a.status != http.StatusBadRequest {
				t.Errorf("%s?%s: status %d, want 400", target, query, a.status)
			}
		}
	}
}

func TestExperimentPages(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var experimentIDs, itemIDs []string
	for i := range 30 {
		f.insert(t, run("project-a", fmt.Sprintf("x%02d", i/3), fmt.Sprintf("t%02d", i), i))
		itemIDs = append([]string{fmt.Sprintf("task-t%02d", i)}, itemIDs...)
		if i%3 == 0 {
			experimentIDs = append([]string{fmt.Sprintf("x%02d", i/3)}, experimentIDs...)
		}
	}
	for target, want := range map[string][]string{experiments: experimentIDs, experimentItems: itemIDs} {
		for _, limit := range []int{1, 4, 10, 30, 31} {
			var got []string
			first := fmt.Sprintf("%s?%s&limit=%d", target, since, limit)
			for next := first; next != ""; {
				page := decodePage(t, f.get(t, next))
				got = append(got, page.ids()...)
				if next = ""; page.Meta["cursor"] != "" {
					next = first + "&cursor=" + url.QueryEscape(page.Meta["cursor"])
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s by %d (-want +got):\n%s", target, limit, diff)
			}
		}
	}
}

// FuzzExperiments: whatever is asked for, the answer is a page or a 400 that fits the description, and
// shows nothing of another project.
func FuzzExperiments(f *testing.F) {
	for _, seed := range []string{
		"", since, since + "&limit=1&cursor=" + filter.EncodeCursor(filter.Position{StartTime: noon, ID: "x"}), since + "&cursor=e30",
		since + "&fields=core,io,metadata,scores", since + "&scoreLimit=1&id=x-full,%00", "fromStartTime=9999-12-31T23:59:59Z&toStartTime=0000-01-01T00:00:00Z",
		since + "&" + conditionJSON("string", "name", "contains", `""`), since + "&" + conditionJSON("null", "experimentName", "is null", `""`), "%zz", ";;&=&",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		fx := newFixture(t)
		fx.insertRuns(t)
		fx.insert(t, run("project-b", "secret", "secret", 0))
		for _, target := range []string{experiments, experimentItems} {
			a := fx.send(t, rawQuery(request("GET", target, keyA, nil), query))
			if a.status != http.StatusOK && a.status != http.StatusBadRequest {
				t.Errorf("status %d for %q", a.status, query)
			}
			if a.status == http.StatusOK && strings.Contains(a.body, "secret") {
				t.Errorf("a row of another project for %q", query)
			}
		}
	})
}
