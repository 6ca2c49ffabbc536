package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const (
	datasetsPath = "/api/public/v2/datasets"
	itemsPath    = "/api/public/dataset-items"
	runItemsPath = "/api/public/dataset-run-items"
)

// dataset is a dataset as both sides show it.
type dataset struct {
	ID                   string          `json:"id,omitempty"`
	Name                 string          `json:"name"`
	Description          *string         `json:"description,omitempty"`
	Metadata             json.RawMessage `json:"metadata,omitempty"`
	InputSchema          json.RawMessage `json:"inputSchema,omitempty"`
	ExpectedOutputSchema json.RawMessage `json:"expectedOutputSchema,omitempty"`
}

func (d *dataset) name() string { return d.Name }

// item is a dataset item as both sides show it.
type item struct {
	DatasetName         string          `json:"datasetName"`
	ID                  string          `json:"id"`
	Status              string          `json:"status,omitempty"`
	Input               json.RawMessage `json:"input,omitempty"`
	ExpectedOutput      json.RawMessage `json:"expectedOutput,omitempty"`
	Metadata            json.RawMessage `json:"metadata,omitempty"`
	SourceTraceID       *string         `json:"sourceTraceId,omitempty"`
	SourceObservationID *string         `json:"sourceObservationId,omitempty"`
}

// allDone stands for all pages of something.
const allDone = -1

// datasets makes datasets and their items, under the ids they have.
func (im *importer) datasets(ctx context.Context, s *Step) error {
	given, err := all(ctx, im.source, datasetsPath, nil, (*dataset).name)
	if err != nil {
		return err
	}
	items := im.state.step(kindItems)
	s.Tally = Tally{Rows: len(given)}
	for _, d := range given {
		if items.Pages[d.Name] == allDone {
			continue
		}
		if items.Pages[d.Name] == 0 {
			body := d
			body.ID = ""
			if err := im.target.send(ctx, http.MethodPost, datasetsPath, body, nil); err != nil {
				if err := s.refusal(d.Name, err); err != nil {
					return err
				}
				continue
			}
		}
		if err := im.items(ctx, items, d.Name); err != nil {
			return err
		}
	}
	items.Done = true
	return nil
}

func (im *importer) items(ctx context.Context, s *Step, name string) error {
	r := reader{row: func(raw json.RawMessage) error {
		var i item
		if err := json.Unmarshal(raw, &i); err != nil {
			return fmt.Errorf("the source answers with a dataset item that cannot be read: %w", err)
		}
		i.DatasetName = name
		if err := im.target.send(ctx, http.MethodPost, itemsPath, i, nil); err != nil {
			return s.refusal(i.ID, err)
		}
		return nil
	}, done: func(number int, rows Tally) error {
		s.Tally.add(rows)
		s.Pages[name] = number
		im.told(kindItems, s.Tally.Rows)
		return im.state.save()
	}}
	if err := r.numbered(ctx, im.source, itemsPath, url.Values{"datasetName": {name}}, s.Pages[name]+1); err != nil {
		return err
	}
	s.Pages[name] = allDone
	return im.state.save()
}

// runItem is one run of a dataset item, as the target takes it.
type runItem struct {
	RunName        string          `json:"runName"`
	RunDescription string          `json:"runDescription,omitempty"`
	Metadata       json.RawMessage `json:"metadata,omitempty"`
	DatasetItemID  string          `json:"datasetItemId"`
	TraceID        string          `json:"traceId,omitempty"`
	ObservationID  string          `json:"observationId,omitempty"`
}

// run is a run of a dataset: an experiment, as newer servers say.
type run struct {
	ID, Name, Description string
	Metadata              json.RawMessage
	DatasetID             string
}

func (r *run) id() string { return r.ID }

// runs links traces to the items that they ran, by the older reads or, where those are gone, by those of experiments.
func (im *importer) runs(ctx context.Context, s *Step) error {
	given, err := all(ctx, im.source, datasetsPath, nil, (*dataset).name)
	if err != nil {
		return err
	}
	for _, d := range given {
		found, err := all(ctx, im.source, "/api/public/datasets/"+url.PathEscape(d.Name)+"/runs", nil, (*run).id)
		newer := refusedWith(err, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone)
		if newer {
			found, err = im.experiments(ctx, d.ID)
		}
		if err != nil {
			return err
		}
		for _, r := range found {
			r.DatasetID = d.ID
			if s.Pages[r.ID] == allDone {
				continue
			}
			if err := im.runItems(ctx, s, r, newer); err != nil {
				return err
			}
			s.Pages[r.ID] = allDone
			if err := im.state.save(); err != nil {
				return err
			}
		}
	}
	return nil
}

// everything is the range of reads that must have one.
func everything() url.Values {
	return url.Values{"fromStartTime": {stamp(time.Unix(0, 0))}, "limit": {strconv.Itoa(maxPage)}}
}

func (im *importer) experiments(ctx context.Context, datasetID string) ([]run, error) {
	const path = "/api/public/experiments"
	query := everything()
	query.Set("datasetId", datasetID)
	query.Set("fields", "core,metadata")
	return collect(im.source, path, (*run).id, func(r *reader) error { return r.byCursor(ctx, im.source, path, query) })
}

// runItems links what one run ran. The two reads have other names for the same.
func (im *importer) runItems(ctx context.Context, s *Step, r run, newer bool) error {
	rows := reader{row: func(raw json.RawMessage) error {
		var i struct{ ID, TraceID, ObservationID, DatasetItemID, ExperimentItemID string }
		if err := json.Unmarshal(raw, &i); err != nil {
			return fmt.Errorf("the source answers with a run of an item that cannot be read: %w", err)
		}
		if newer {
			i.DatasetItemID, i.ObservationID = i.ExperimentItemID, i.ID
		}
		return im.link(ctx, s, r, runItem{DatasetItemID: i.DatasetItemID, TraceID: i.TraceID, ObservationID: i.ObservationID})
	}, done: func(_ int, rows Tally) error {
		s.Tally.add(rows)
		im.told(kindRuns, s.Tally.Rows)
		return nil
	}}
	if newer {
		query := everything()
		query.Set("experimentId", r.ID)
		return rows.byCursor(ctx, im.source, "/api/public/experiment-items", query)
	}
	return rows.numbered(ctx, im.source, runItemsPath, url.Values{"datasetId": {r.DatasetID}, "runName": {r.Name}}, 1)
}

// link writes one run of an item and notes which id its run has in the target.
func (im *importer) link(ctx context.Context, s *Step, r run, i runItem) error {
	i.RunName, i.RunDescription, i.Metadata = r.Name, r.Description, r.Metadata
	var made struct{ DatasetRunID string }
	err := im.target.send(ctx, http.MethodPost, runItemsPath, i, &made)
	if refusedWith(err, http.StatusNotFound) {
		err = im.linkArchived(ctx, i, &made, err)
	}
	if err != nil {
		return s.refusal(r.Name+"/"+i.DatasetItemID, err)
	}
	im.state.Runs[r.ID] = made.DatasetRunID
	return nil
}

// linkArchived brings an item that lists no longer show. It is active while it is linked, because only such items can be.
func (im *importer) linkArchived(ctx context.Context, i runItem, made any, otherwise error) error {
	var archived item
	if err := im.source.get(ctx, itemsPath+"/"+url.PathEscape(i.DatasetItemID), nil, &archived); err != nil || archived.ID != i.DatasetItemID {
		return otherwise // it is deleted
	}
	active := archived
	active.Status = "ACTIVE"
	if err := im.target.send(ctx, http.MethodPost, itemsPath, active, nil); err != nil {
		return err
	}
	if err := im.target.send(ctx, http.MethodPost, runItemsPath, i, made); err != nil {
		return err
	}
	return im.target.send(ctx, http.MethodPost, itemsPath, archived, nil)
}
