package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/datasets"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/query"
	"github.com/sondehq/sonde/internal/tracestore"
)

// runItemBody is a run item as clients write it. Null is not given; other members are refused.
type runItemBody struct {
	RunName        string          `json:"runName"`
	RunDescription string          `json:"runDescription"`
	Metadata       json.RawMessage `json:"metadata"`
	DatasetItemID  string          `json:"datasetItemId"`
	ObservationID  string          `json:"observationId"`
	TraceID        string          `json:"traceId"`
	DatasetVersion string          `json:"datasetVersion"`
	CreatedAt      string          `json:"createdAt"`
}

// runItemJSON is a run item as clients read it.
type runItemJSON struct {
	ID             string  `json:"id"`
	DatasetRunID   string  `json:"datasetRunId"`
	DatasetRunName string  `json:"datasetRunName"`
	DatasetItemID  string  `json:"datasetItemId"`
	TraceID        string  `json:"traceId"`
	ObservationID  *string `json:"observationId"`
	CreatedAt      string  `json:"createdAt"`
	UpdatedAt      string  `json:"updatedAt"`
}

type runItemPage struct {
	Data []runItemJSON `json:"data"`
	Meta pageMeta      `json:"meta"`
}

// datasetRunJSON is an experiment as older clients know it.
type datasetRunJSON struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Description *string         `json:"description"`
	Metadata    json.RawMessage `json:"metadata"`
	DatasetID   string          `json:"datasetId"`
	DatasetName string          `json:"datasetName"`
	CreatedAt   string          `json:"createdAt"`
	UpdatedAt   string          `json:"updatedAt"`
}

type datasetRunPage struct {
	Data []datasetRunJSON `json:"data"`
	Meta pageMeta         `json:"meta"`
}

type datasetRunWithItems struct {
	datasetRunJSON
	DatasetRunItems []runItemJSON `json:"datasetRunItems"`
}

// addRunItem serves POST /api/public/dataset-run-items.
func (s *server) addRunItem(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	body, err := readRunItem(w, r)
	if err != nil {
		return err
	}
	run := datasets.Run{
		Name: body.RunName, Description: body.RunDescription, Metadata: body.Metadata, ItemID: body.DatasetItemID,
		TraceID: body.TraceID, ObservationID: body.ObservationID,
	}
	if body.DatasetVersion != "" {
		var readable bool
		if run.Version, readable = filter.ParseTime(body.DatasetVersion); !readable {
			return fault.Invalidf("datasetVersion", "must be a time such as 2026-05-01T10:00:00.000Z")
		}
	}
	var created time.Time
	if body.CreatedAt != "" {
		if created, err = query.ParseTime(body.CreatedAt); err != nil {
			return fault.Invalidf("createdAt", "must be an ISO 8601 date-time with a zone")
		}
	}
	added, err := s.Datasets.AddRun(r.Context(), caller.Project.ID, run)
	if err != nil {
		return err
	}
	if created.IsZero() {
		created = added.CreatedAt
	}
	writeJSON(w, http.StatusOK, runItemJSON{
		ID: added.ID, DatasetRunID: datasets.ExperimentOf(added), DatasetRunName: added.RunName, DatasetItemID: added.ItemID,
		TraceID: added.TraceID, ObservationID: orNull(added.ObservationID), CreatedAt: stamp(created), UpdatedAt: stamp(created),
	})
	return nil
}

func readRunItem(w http.ResponseWriter, r *http.Request) (body runItemBody, err error) {
	text := json.RawMessage{}
	if err := readJSON(w, r, maxRunItemBody, &text, "a run item"); err != nil {
		return body, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(&body)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return body, fault.Invalidf(wrong.Field, "must not be a JSON %s", wrong.Value)
	}
	if name, unknown := strings.CutPrefix(errorText(err), "json: unknown field "); unknown {
		return body, fault.New(fault.Invalid, "A run item has no member %s", name)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return body, fault.New(fault.Invalid, "The request body is no JSON object of a run item").Because(err)
	}
	return body, nil
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// listRunItems serves GET /api/public/dataset-run-items.
func (s *server) listRunItems(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	id, name := p.required("datasetId"), p.required("runName")
	page, limit := p.page()
	if err := p.err(); err != nil {
		return err
	}
	d, err := s.Datasets.ByID(r.Context(), caller.Project.ID, id)
	if err != nil {
		return err
	}
	x, err := s.run(r, caller, d, name)
	if err != nil {
		return err
	}
	body := runItemPage{Data: []runItemJSON{}, Meta: metaOf(page, limit, int(min(x.Items, 1<<31)))}
	if page <= body.Meta.TotalPages {
		if body.Data, err = s.runItems(r, caller, x, (page-1)*limit, limit); err != nil {
			return err
		}
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

// required is the value of a parameter that must be given.
func (p *params) required(key string) string {
	value, _ := p.text(key)
	if value == "" {
		p.invalid(key, "must be given")
	}
	return value
}

// run finds the experiment that older clients know as a run of a dataset. Of several with the same name it
// is the latest.
func (s *server) run(r *http.Request, caller auth.Principal, d model.Dataset, name string) (*tracestore.Experiment, error) {
	runs, err := s.Query.Runs(r.Context(), caller.Project.ID, []string{d.ID}, name)
	if err != nil {
		return nil, err
	}
	if len(runs) == 0 {
		return nil, fault.New(fault.NotFound, "Dataset run not found")
	}
	return runs[0], nil
}

func (s *server) runItems(r *http.Request, caller auth.Principal, x *tracestore.Experiment, offset, limit int) ([]runItemJSON, error) {
	items, err := s.Query.RunItems(r.Context(), caller.Project.ID, x.ID, offset, limit)
	rows := []runItemJSON{}
	for _, i := range items {
		rows = append(rows, runItemJSON{
			ID: datasets.RunItemID(x.ID, i.Experiment.ItemID, i.TraceID, i.ID), DatasetRunID: x.ID, DatasetRunName: x.Name,
			DatasetItemID: i.Experiment.ItemID, TraceID: i.TraceID, ObservationID: orNull(i.ID),
			CreatedAt: stamp(i.StartTime), UpdatedAt: stamp(i.StartTime),
		})
	}
	return rows, err
}

func datasetRunOf(d model.Dataset, x *tracestore.Experiment) datasetRunJSON {
	return datasetRunJSON{
		ID: x.ID, Name: x.Name, Description: orNull(x.Description), Metadata: flatObject(x.Metadata, typedValue),
		DatasetID: d.ID, DatasetName: d.Name, CreatedAt: stamp(x.Start), UpdatedAt: stamp(x.End),
	}
}

// listDatasetRuns serves GET /api/public/datasets/{datasetName}/runs.
func (s *server) listDatasetRuns(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	page, limit := p.page()
	if err := p.err(); err != nil {
		return err
	}
	d, err := s.Datasets.Get(r.Context(), caller.Project.ID, r.PathValue("datasetName"))
	if err != nil {
		return err
	}
	all, err := s.Query.Runs(r.Context(), caller.Project.ID, []string{d.ID}, "")
	if err != nil {
		return err
	}
	some, meta := pageOf(all, page, limit)
	body := datasetRunPage{Data: []datasetRunJSON{}, Meta: meta}
	for _, x := range some {
		body.Data = append(body.Data, datasetRunOf(d, x))
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

// getDatasetRun serves GET /api/public/datasets/{datasetName}/runs/{runName}.
func (s *server) getDatasetRun(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	d, err := s.Datasets.Get(r.Context(), caller.Project.ID, r.PathValue("datasetName"))
	if err != nil {
		return err
	}
	x, err := s.run(r, caller, d, r.PathValue("runName"))
	if err != nil {
		return err
	}
	items, err := s.runItems(r, caller, x, 0, int(min(x.Items, query.MaxRunItems+1)))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, datasetRunWithItems{datasetRunOf(d, x), items})
	return nil
}

// deleteDatasetRun serves DELETE /api/public/datasets/{datasetName}/runs/{runName}: an experiment is what
// its observations say, so there is nothing of its own to delete.
func (s *server) deleteDatasetRun(http.ResponseWriter, *http.Request, auth.Principal) error {
	return fault.New(fault.NotFound, "A dataset run cannot be deleted").
		Hint("delete the traces of its items with DELETE /api/public/traces; the run goes with the last of them")
}
