package tracestoretest

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var fieldTests = map[string]func(*testing.T, Stores){
	"every field comes back as it went in": everyField,
	"only what was asked for is loaded":    loadsOnRequest,
	"rows are copies":                      rowsAreCopies,
}

// fullRow has a value in every field.
func fullRow(project, trace, id string, millis int) *model.Observation {
	return &model.Observation{
		ProjectID: project, TraceID: trace, ID: id, ParentID: "the parent",
		StartTime:           noon.Add(time.Duration(millis) * time.Millisecond),
		EndTime:             noon.Add(time.Minute + 7*time.Millisecond),
		CompletionStartTime: noon.Add(time.Second + time.Millisecond),
		Type:                model.Generation, Name: "answer", Level: model.Warning, StatusMessage: "slow",
		Environment: "production", CodeVersion: "1.2.3",
		UserID: "user-1", SessionID: "session-1", TraceName: "chat", Release: "r7", Tags: []string{"z", "a", "m n"},
		Bookmarked: true, Public: true, AppRoot: true,
		Model: "gpt-4o-mini", ModelID: "mdl-1", ModelParameters: `{"temperature":0.2, "stop":["a"]}`,
		UsageDetails: map[string]uint64{"input": 12, "output": 30, "total": 42},
		CostDetails: map[string]decimal.Decimal{
			"input": decimal.RequireFromString("0.0000018"), "total": decimal.RequireFromString("12.5"),
		},
		UsageOrigin: model.Tokenized, CostOrigin: model.Priced, PricingTierID: "tier-1", PricingTier: "Standard",
		ToolDefinitions: []model.Tooling{{Name: "search", JSON: `{"description":"finds", "parameters":{}}`}, {Name: "buy", JSON: "{}"}},
		ToolCalls:       []model.Tooling{{Name: "search", JSON: `{"id":"1"}`}, {Name: "search", JSON: `{"id":"2"}`}, {Name: "gone"}},
		PromptID:        "prm-1", PromptName: "greeting", PromptVersion: 3,
		Metadata: []model.MetadataEntry{
			{Name: "z", Value: "text", Type: model.MetadataString},
			{Name: "a.b", Value: "42", Type: model.MetadataNumber},
		},
		Experiment: &model.Experiment{
			ID: "exp-1", Name: "baseline", Description: "the first", DatasetID: "set-1",
			Metadata: []model.MetadataEntry{{Name: "seed", Value: "7", Type: model.MetadataNumber}},
			ItemID:   "item-1", ItemVersion: noon.Add(-time.Hour), ItemRootID: "the root",
			ItemMetadata:       []model.MetadataEntry{{Name: "b", Value: "true", Type: model.MetadataBool}, {Name: "a", Value: "x", Type: model.MetadataString}},
			ItemExpectedOutput: "fine",
		},
		Input: `{"role": "user"}`, Output: "fine, thanks", Happenings: `[{"name":"exception"}]`,
		ServiceName: "shop", ServiceVersion: "9", ScopeName: "langfuse-sdk", ScopeVersion: "5.0.4",
		SDKName: "python", SDKVersion: "5.0.4",
		CreatedAt: noon.Add(time.Hour + time.Millisecond), Version: model.RowVersion(noon.Add(time.Hour+time.Millisecond), 5),
	}
}

// oddTexts are strings that a careless encoding changes.
var oddTexts = map[string]string{
	"nul":             "a\x00b\x00",
	"emoji":           "👩‍👩‍👧 café \u202e",
	"not utf-8":       "\xff\xfe\xc3\x28 \xed\xa0\x80",
	"line ends":       "a\r\nb\nc\r\t",
	"quotes":          `'single' "double" \back\ \' \\ \n`,
	"looks like json": `{"a": 1e400}`,
	"spaces":          "  ",
	"placeholder":     "{p:String} ? $1 @x %s",
}

func oddRows(project string) []*model.Observation {
	var rows []*model.Observation
	for id, text := range oddTexts {
		o := fullRow(project, "t", id, 0)
		for _, field := range []*string{
			&o.ParentID, &o.Name, &o.StatusMessage, &o.Environment, &o.CodeVersion, &o.UserID, &o.SessionID,
			&o.TraceName, &o.Release, &o.Model, &o.ModelID, &o.ModelParameters, &o.PricingTier, &o.PromptID,
			&o.PromptName, &o.Input, &o.Output, &o.ServiceName, &o.ServiceVersion, &o.ScopeName, &o.ScopeVersion,
			&o.SDKName, &o.SDKVersion, &o.PricingTierID, &o.Happenings, &o.Experiment.ID, &o.Experiment.Name,
			&o.Experiment.Description, &o.Experiment.DatasetID, &o.Experiment.ItemID, &o.Experiment.ItemRootID,
			&o.Experiment.ItemExpectedOutput,
		} {
			*field = text
		}
		o.Tags = []string{text, "b"}
		o.Metadata = []model.MetadataEntry{{Name: text, Value: text, Type: model.MetadataString}}
		o.Experiment.Metadata, o.Experiment.ItemMetadata = o.Metadata, o.Metadata
		o.ToolDefinitions, o.ToolCalls = []model.Tooling{{Name: text, JSON: text}}, []model.Tooling{{Name: text, JSON: text}}
		o.UsageDetails = map[string]uint64{text: 1}
		o.CostDetails = map[string]decimal.Decimal{text: decimal.NewFromInt(1)}
		rows = append(rows, o)
	}
	return rows
}

func numberRow(project string) *model.Observation {
	o := fullRow(project, "t", "numbers", 0)
	o.UsageDetails = map[string]uint64{"half": 1 << 63, "all": math.MaxUint64, "none": 0}
	o.CostDetails = map[string]decimal.Decimal{}
	for _, text := range []string{"0", "0.000000000001", "999999.999999999999", "-1.5", "-0.000000000001", "123456.000000000001"} {
		o.CostDetails[text] = decimal.RequireFromString(text)
	}
	o.PromptVersion = math.MaxUint32
	o.CreatedAt = time.Date(2250, 12, 31, 23, 59, 59, 999e6, time.UTC)
	o.Version = model.RowVersion(o.CreatedAt, 1023)
	return o
}

func metadataRow(project string) *model.Observation {
	o := fullRow(project, "t", "metadata", 0)
	o.Metadata = []model.MetadataEntry{
		{Name: "text of digits", Value: "42", Type: model.MetadataString},
		{Name: "number", Value: "42", Type: model.MetadataNumber},
		{Name: "bool", Value: "true", Type: model.MetadataBool},
		{Name: "null", Value: "null", Type: model.MetadataNull},
		{Name: "array", Value: `[1,"x",{"y":null}]`, Type: model.MetadataJSON},
		{Name: "empty", Value: "", Type: model.MetadataString},
		{Name: "", Value: "no name", Type: model.MetadataString},
		{Name: "long", Value: strings.Repeat("é", 5000), Type: model.MetadataString},
	}
	for i := range 300 {
		name := fmt.Sprintf("k%d", 1000-i)
		o.Metadata = append(o.Metadata, model.MetadataEntry{Name: name, Value: name, Type: model.MetadataString})
	}
	return o
}

func everyField(t *testing.T, store Stores) {
	project := newProject()
	bare := newRow(project, "another trace", "bare", 0)
	early := fullRow(project, "t", "ends before it starts", 0)
	early.EndTime = early.StartTime.Add(-time.Second)
	big := fullRow(project, "t", "big", 0)
	big.Input = strings.Repeat("0123456789abcdéf", 5<<20/17)
	big.Output = "\x00" + strings.Repeat("\n", 100_000)

	nameless := newRow(project, "another trace", "nameless experiment", 0, func(o *model.Observation) {
		o.Experiment = &model.Experiment{ItemID: "item"}
	})
	older := fullRow(project, "t", "created before its version", 0)
	older.CreatedAt = older.CreatedAt.Add(-24 * time.Hour)

	rows := append(oddRows(project), fullRow(project, "t", "full", 0), bare, early, big, numberRow(project), metadataRow(project), nameless, older)
	insert(t, store, rows...)
	if got := readAll(t, store, project); len(got) != len(rows) {
		t.Fatalf("read %d rows, want %d", len(got), len(rows))
	}
	for _, want := range rows {
		got := readOne(t, store, project, filter.OneOf{Column: filter.ID, Values: []string{want.ID}})
		requireSame(t, got, want)
	}
}

func loadsOnRequest(t *testing.T, store Stores) {
	project := newProject()
	want := fullRow(project, "t", "s", 0)
	insert(t, store, want)
	for _, io := range []bool{false, true} {
		for _, metadata := range []bool{false, true} {
			rows := read(t, store, tracestore.ObservationQuery{ProjectID: project, Limit: 10, IO: io, Metadata: metadata})
			requireIDs(t, rows, "s")
			expected := clone(want)
			if !io {
				takeTexts(expected, &model.Observation{})
			}
			if !metadata {
				dropMetadata(expected)
			}
			requireSame(t, rows[0], expected)
		}
	}
	// Both ways of reading a page: by identity, and by conditions on what can change.
	for _, where := range [][]filter.Condition{nil, {oneOf(filter.Model, want.Model)}} {
		rows := read(t, store, tracestore.ObservationQuery{ProjectID: project, Where: where, Limit: 10, Brief: true})
		requireIDs(t, rows, "s")
		expected := clone(want)
		takeTexts(expected, &model.Observation{})
		dropMetadata(expected)
		dropDetails(expected)
		requireSame(t, rows[0], expected)
	}
}

func rowsAreCopies(t *testing.T, store Stores) {
	project := newProject()
	mine := fullRow(project, "t", "s", 0)
	insert(t, store, mine)
	change := func(o *model.Observation) {
		o.Name, o.Tags[0], o.Metadata[0].Value, o.UsageDetails["input"] = "changed", "changed", "changed", 0
		o.ToolCalls[0].Name, o.Experiment.Name, o.Experiment.Metadata[0].Value = "changed", "changed", "changed"
	}
	change(mine)

	want := fullRow(project, "t", "s", 0)
	got := readOne(t, store, project)
	requireSame(t, got, want)
	change(got)
	requireSame(t, readOne(t, store, project), want)
}
