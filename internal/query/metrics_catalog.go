package query

import (
	"slices"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/tracestore"
)

// dimension is what rows of a view can be grouped by and filtered on.
type dimension struct {
	name   string // as clients call it, and the key in answers
	column filter.Column
	kind   filter.Kind
	// high marks a dimension that can have as many values as there are rows.
	high bool
}

// view describes what metrics can be taken of.
type view struct {
	dimensions []dimension
	measures   []tracestore.Measure
	time       filter.Field
	ofScores   bool
	ofRows     bool // of observations, which lists show
}

func text(columns ...filter.Column) []dimension { return dimensionsOf(filter.KindText, false, columns) }
func high(columns ...filter.Column) []dimension { return dimensionsOf(filter.KindText, true, columns) }

func dimensionsOf(kind filter.Kind, high bool, columns []filter.Column) []dimension {
	list := make([]dimension, len(columns))
	for i, column := range columns {
		list[i] = dimension{name: string(column), column: column, kind: kind, high: high}
	}
	return list
}

func list(columns ...filter.Column) []dimension { return dimensionsOf(filter.KindList, false, columns) }

func number(columns ...filter.Column) []dimension {
	return dimensionsOf(filter.KindNumber, false, columns)
}

func boolean(columns ...filter.Column) []dimension {
	return dimensionsOf(filter.KindBool, false, columns)
}

// scoreDimensions are common to the views of scores.
var scoreDimensions = slices.Concat(
	text(filter.Environment, filter.Name, filter.Source, filter.DataType, filter.ConfigID, tracestore.TimestampMonth, tracestore.TimestampDay,
		filter.TraceName, tracestore.TraceRelease, tracestore.TraceVersion,
		tracestore.ObservationName, tracestore.ObservationModel, tracestore.ObservationPrompt),
	number(tracestore.ObservationPromptNum),
	list(filter.Tags),
	high(filter.ID, filter.TraceID, filter.ObservationID, filter.SessionID, tracestore.ScoreRunID, tracestore.ScoreEvaluatorID, filter.UserID,
		filter.ExperimentName, filter.ExperimentID),
)

func scoreView(measures []tracestore.Measure, more []dimension) view {
	return view{
		dimensions: slices.Concat(scoreDimensions, more), measures: measures, ofScores: true,
		time: filter.Field{Column: filter.Timestamp, Kind: filter.KindTime, Nullable: true},
	}
}

var views = map[tracestore.View]view{
	tracestore.ObservationsView: {
		dimensions: slices.Concat(
			text(filter.Environment, filter.Type, filter.Name, filter.Level, filter.CodeVersion),
			list(filter.Tags),
			text(filter.Release, filter.TraceName, tracestore.TraceRelease, tracestore.TraceVersion),
			[]dimension{{name: "providedModelName", column: filter.Model, kind: filter.KindText}},
			text(filter.PromptName),
			number(filter.PromptVersion),
			boolean(filter.IsRootObservation),
			text(tracestore.StartTimeMonth),
			list(filter.ToolNames, filter.CalledToolNames),
			text(tracestore.CostType, tracestore.UsageType),
			high(filter.ID, filter.TraceID, filter.ParentObservationID, filter.UserID, filter.SessionID,
				filter.ExperimentName, filter.ExperimentID, filter.ExperimentDatasetID),
		),
		measures: []tracestore.Measure{
			tracestore.Count, tracestore.Latency, tracestore.StreamingLatency, tracestore.TimeToFirstToken,
			tracestore.InputTokens, tracestore.OutputTokens, tracestore.TotalTokens, tracestore.OutputTokensPerSecond, tracestore.TokensPerSecond,
			tracestore.InputCost, tracestore.OutputCost, tracestore.TotalCost, tracestore.CountScores,
			tracestore.TraceIDs, tracestore.UniqueUsers, tracestore.UniqueSessions,
			tracestore.ToolDefinitions, tracestore.ToolCalls, tracestore.CostByType, tracestore.UsageByType,
		},
		time:   filter.Field{Column: filter.StartTime, Kind: filter.KindTime, Nullable: true, Aliases: []string{"start_time"}},
		ofRows: true,
	},
	tracestore.TracesView: {
		dimensions: slices.Concat(
			[]dimension{{name: "id", column: filter.TraceID, kind: filter.KindText}, {name: "name", column: filter.TraceName, kind: filter.KindText}},
			text(filter.TraceName, filter.UserID, filter.SessionID, filter.Release, filter.CodeVersion, filter.Environment, tracestore.TimestampMonth),
			list(filter.Tags),
		),
		measures: []tracestore.Measure{
			tracestore.Count, tracestore.ObservationsCount, tracestore.ScoresCount, tracestore.UniqueUsers, tracestore.UniqueSessions,
			tracestore.Latency, tracestore.InputTokens, tracestore.OutputTokens, tracestore.TotalTokens, tracestore.TotalCost,
		},
		time: filter.Field{Column: filter.StartTime, Kind: filter.KindTime, Nullable: true, Aliases: []string{"timestamp", "start_time"}},
	},
	tracestore.NumericScoresView:     scoreView([]tracestore.Measure{tracestore.Count, tracestore.Value}, number(filter.Value)),
	tracestore.BooleanScoresView:     scoreView([]tracestore.Measure{tracestore.Count, tracestore.Value}, boolean(tracestore.ScoreBoolean)),
	tracestore.CategoricalScoresView: scoreView([]tracestore.Measure{tracestore.Count}, text(filter.StringValue)),
}

// textMeasures can be counted, but not calculated with.
var textMeasures = []tracestore.Measure{tracestore.TraceIDs, tracestore.UniqueUsers, tracestore.UniqueSessions}

// byType are the measures that need a dimension.
var byType = map[tracestore.Measure]filter.Column{tracestore.CostByType: tracestore.CostType, tracestore.UsageByType: tracestore.UsageType}

func (v view) find(name string) (dimension, bool) {
	for _, d := range v.dimensions {
		if d.name == name {
			return d, true
		}
	}
	return dimension{}, false
}

func (v view) dimensionNames() []string {
	names := make([]string, len(v.dimensions))
	for i, d := range v.dimensions {
		names[i] = d.name
	}
	return names
}

// filters is the catalog of conditions: the dimensions, the time and metadata. Every column of these takes null.
// Dimensions that are another name for a column are its aliases. Observations are filtered as their lists are, too,
// so that what a chart shows can be listed.
func (v view) filters() filter.Catalog {
	catalog := make(filter.Catalog, 0, len(v.dimensions)+2)
	for _, d := range v.dimensions {
		column := d.column
		if !v.ofScores && column == tracestore.TraceRelease {
			column = filter.Release
		} else if !v.ofScores && column == tracestore.TraceVersion {
			column = filter.CodeVersion
		}
		at := slices.IndexFunc(catalog, func(f filter.Field) bool { return f.Column == column })
		if at < 0 {
			at = len(catalog)
			catalog = append(catalog, filter.Field{Column: column, Kind: d.kind, Nullable: true})
		}
		if string(column) != d.name {
			catalog[at].Aliases = append(catalog[at].Aliases, d.name)
		}
	}
	catalog = append(catalog, v.time, filter.Field{Column: filter.Metadata, Kind: filter.KindMetadata, Nullable: true})
	if !v.ofRows {
		return catalog
	}
	for _, f := range filter.Observations {
		if !slices.ContainsFunc(catalog, func(known filter.Field) bool { return known.Column == f.Column }) {
			catalog = append(catalog, f)
		}
	}
	return catalog
}
