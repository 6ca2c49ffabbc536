package api

import (
	"encoding/json"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/query"
)

// experimentJSON is an experiment. A group that was not asked for is nil: its keys are absent, not null.
type experimentJSON struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Description *string         `json:"description"`
	StartTime   string          `json:"startTime"`
	EndTime     string          `json:"endTime"`
	ItemCount   uint64          `json:"itemCount"`
	DatasetID   *string         `json:"datasetId"`
	Metadata    json.RawMessage `json:"metadata,omitempty"`
	*scoresGroup
}

// scoresGroup is apart so that a list without scores is empty, not absent.
type scoresGroup struct {
	Scores []scoreJSON `json:"scores"`
}

// itemJSON is an item. A group that was not asked for is nil: its keys are absent, not null.
type itemJSON struct {
	ID               string      `json:"id"`
	TraceID          string      `json:"traceId"`
	StartTime        string      `json:"startTime"`
	EndTime          *string     `json:"endTime"`
	Level            model.Level `json:"level"`
	Environment      string      `json:"environment"`
	ExperimentID     string      `json:"experimentId"`
	ExperimentName   string      `json:"experimentName"`
	ExperimentItemID string      `json:"experimentItemId"`
	*itemDataset
	*itemIO
	Metadata     json.RawMessage `json:"metadata,omitempty"`
	ItemMetadata json.RawMessage `json:"experimentItemMetadata,omitempty"`
	*itemExperiment
	*scoresGroup
}

type itemDataset struct {
	DatasetID   *string `json:"experimentDatasetId"`
	ItemVersion *string `json:"experimentItemVersion"`
}

type itemIO struct {
	Input          string `json:"input"`
	Output         string `json:"output"`
	ExpectedOutput string `json:"expectedOutput"`
}

type itemExperiment struct {
	Metadata    json.RawMessage `json:"experimentMetadata"`
	Description *string         `json:"experimentDescription"`
}

func experimentRow(x query.ScoredExperiment, groups map[string]bool) experimentJSON {
	row := experimentJSON{
		ID: x.ID, Name: x.Name, Description: orNull(x.Description), StartTime: stamp(x.Start), EndTime: stamp(x.End),
		ItemCount: x.Items, DatasetID: orNull(x.DatasetID), scoresGroup: scoresOf(x.Scores, groups),
	}
	if groups["metadata"] {
		row.Metadata = flatObject(x.Metadata, typedValue)
	}
	return row
}

func itemRow(item query.ScoredItem, groups map[string]bool) itemJSON {
	x := item.Experiment
	row := itemJSON{
		ID: item.ID, TraceID: item.TraceID, StartTime: stamp(item.StartTime), EndTime: stampOrNull(item.EndTime),
		Level: item.Level, Environment: item.Environment, ExperimentID: x.ID, ExperimentName: x.Name, ExperimentItemID: x.ItemID,
		scoresGroup: scoresOf(item.Scores, groups),
	}
	if groups["dataset"] {
		row.itemDataset = &itemDataset{orNull(x.DatasetID), stampOrNull(x.ItemVersion)}
	}
	if groups["io"] {
		row.itemIO = &itemIO{item.Input, item.Output, x.ItemExpectedOutput}
	}
	if groups["metadata"] {
		row.Metadata = flatObject(item.Metadata, typedValue)
	}
	if groups["itemMetadata"] {
		row.ItemMetadata = flatObject(x.ItemMetadata, typedValue)
	}
	if groups["experimentMetadata"] {
		row.itemExperiment = &itemExperiment{flatObject(x.Metadata, typedValue), orNull(x.Description)}
	}
	return row
}

func scoresOf(scores []*model.Score, groups map[string]bool) *scoresGroup {
	if !groups["scores"] {
		return nil
	}
	group := &scoresGroup{Scores: make([]scoreJSON, 0, len(scores))}
	for _, score := range scores {
		if row, ok := scoreRow(score, scoreGroups{subject: true}); ok {
			group.Scores = append(group.Scores, row)
		}
	}
	return group
}
