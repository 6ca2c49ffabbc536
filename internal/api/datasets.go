package api

import (
	"encoding/json"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/datasets"
	"github.com/sondehq/sonde/internal/model"
)

// Bounds on bodies.
const (
	maxDatasetBody = 1 << 20
	maxRunItemBody = 768 << 10 // its two large texts have 256 KiB each at most
	maxItemBody    = 4_718_592 // 4.5 MiB
)

// datasetRoutes are the routes of datasets, their items and run items.
func (s *server) datasetRoutes() []route {
	const (
		items, item   = "/api/public/dataset-items", "/api/public/dataset-items/{datasetItemId}"
		older, oldOne = "/api/public/datasets", "/api/public/datasets/{datasetName}"
	)
	return []route{
		{method: http.MethodPost, path: "/api/public/v2/datasets", handle: s.saveDataset},
		{method: http.MethodGet, path: "/api/public/v2/datasets", handle: s.listDatasets},
		{method: http.MethodGet, path: "/api/public/v2/datasets/{datasetName}", handle: s.getDataset},
		{method: http.MethodPost, path: older, handle: s.saveOlderDataset},
		{method: http.MethodGet, path: older, handle: s.listOlderDatasets, role: readNode},
		{method: http.MethodGet, path: oldOne, handle: s.getOlderDataset, role: readNode},
		{method: http.MethodPost, path: items, handle: s.saveDatasetItem},
		{method: http.MethodGet, path: items, handle: s.listDatasetItems},
		{method: http.MethodGet, path: item, handle: s.getDatasetItem},
		{method: http.MethodDelete, path: item, handle: s.deleteDatasetItem},
		{method: http.MethodPost, path: "/api/public/dataset-run-items", handle: s.addRunItem},
		{method: http.MethodGet, path: "/api/public/dataset-run-items", handle: s.listRunItems, role: readNode, deprecated: true},
		{method: http.MethodGet, path: oldOne + "/runs", handle: s.listDatasetRuns, role: readNode, deprecated: true},
		{method: http.MethodGet, path: oldOne + "/runs/{runName}", handle: s.getDatasetRun, role: readNode, deprecated: true},
		{method: http.MethodDelete, path: oldOne + "/runs/{runName}", handle: s.deleteDatasetRun, deprecated: true},
	}
}

// datasetBody is a dataset as clients write it.
type datasetBody struct {
	Name                 string          `json:"name"`
	Description          *string         `json:"description"`
	Metadata             json.RawMessage `json:"metadata"`
	InputSchema          json.RawMessage `json:"inputSchema"`
	ExpectedOutputSchema json.RawMessage `json:"expectedOutputSchema"`
}

func (s *server) readDataset(w http.ResponseWriter, r *http.Request, caller auth.Principal) (model.Dataset, error) {
	var body datasetBody
	if err := readJSON(w, r, maxDatasetBody, &body, "a dataset"); err != nil {
		return model.Dataset{}, err
	}
	return s.Datasets.Save(r.Context(), caller.Project.ID, datasets.Change{
		Name: body.Name, Description: body.Description, Metadata: body.Metadata,
		InputSchema: body.InputSchema, ExpectedOutputSchema: body.ExpectedOutputSchema,
	})
}

// saveDataset serves POST /api/public/v2/datasets.
func (s *server) saveDataset(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	d, err := s.readDataset(w, r, caller)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, datasetOf(d))
	return nil
}

// listDatasets serves GET /api/public/v2/datasets.
func (s *server) listDatasets(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	list, meta, err := s.datasetPage(r, caller)
	if err != nil {
		return err
	}
	body := datasetPage{Data: []datasetJSON{}, Meta: meta}
	for _, d := range list {
		body.Data = append(body.Data, datasetOf(d))
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

func (s *server) datasetPage(r *http.Request, caller auth.Principal) ([]model.Dataset, pageMeta, error) {
	p, err := readParams(r)
	if err != nil {
		return nil, pageMeta{}, err
	}
	page, limit := p.page()
	if err := p.err(); err != nil {
		return nil, pageMeta{}, err
	}
	list, count, err := s.Datasets.List(r.Context(), caller.Project.ID, page, limit)
	return list, metaOf(page, limit, count), err
}

// getDataset serves GET /api/public/v2/datasets/{datasetName}.
func (s *server) getDataset(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	d, err := s.Datasets.Get(r.Context(), caller.Project.ID, r.PathValue("datasetName"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, datasetOf(d))
	return nil
}

// saveOlderDataset serves POST /api/public/datasets.
func (s *server) saveOlderDataset(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	d, err := s.readDataset(w, r, caller)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, olderDatasetJSON{datasetOf(d), model.ItemActive, []string{}, []string{}})
	return nil
}

// listOlderDatasets serves GET /api/public/datasets: each with the ids of its items and the names of its runs.
func (s *server) listOlderDatasets(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	list, meta, err := s.datasetPage(r, caller)
	if err != nil {
		return err
	}
	runs, err := s.runNames(r, caller, list...)
	if err != nil {
		return err
	}
	body := olderDatasetPage{Data: []olderDatasetJSON{}, Meta: meta}
	room := datasets.MaxWholeDataset
	for _, d := range list {
		ids, err := s.Datasets.ItemIDs(r.Context(), d, room)
		if err != nil {
			return err
		}
		room -= len(ids)
		body.Data = append(body.Data, olderDatasetJSON{datasetOf(d), model.ItemActive, orEmpty(ids), orEmpty(runs[d.ID])})
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

// runNames lists the names of the runs of datasets, by dataset.
func (s *server) runNames(r *http.Request, caller auth.Principal, list ...model.Dataset) (map[string][]string, error) {
	var ids []string
	for _, d := range list {
		ids = append(ids, d.ID)
	}
	runs, err := s.Query.Runs(r.Context(), caller.Project.ID, ids, "")
	names := map[string][]string{}
	for _, x := range runs {
		names[x.DatasetID] = append(names[x.DatasetID], x.Name)
	}
	return names, err
}

// getOlderDataset serves GET /api/public/datasets/{datasetName}: with all its active items.
func (s *server) getOlderDataset(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	d, err := s.Datasets.Get(r.Context(), caller.Project.ID, r.PathValue("datasetName"))
	if err != nil {
		return err
	}
	runs, err := s.runNames(r, caller, d)
	if err != nil {
		return err
	}
	list := datasets.ItemList{Dataset: d, Page: 1, Limit: datasets.MaxWholeDataset}
	count, err := s.Datasets.CountItems(r.Context(), caller.Project.ID, list)
	if err != nil {
		return err
	}
	if count > datasets.MaxWholeDataset {
		return datasets.TooManyItems()
	}
	head, err := json.Marshal(olderHead{datasetOf(d), model.ItemActive, orEmpty(runs[d.ID])})
	if err != nil {
		return err
	}
	return s.streamItems(w, r, caller, list, string(head[:len(head)-1])+`,"items":[`, `]}`)
}
