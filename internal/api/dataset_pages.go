package api

import (
	"encoding/json"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/datasets"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
)

// datasetPageRoutes are what the pages of datasets need beyond what clients of the contract have.
func (s *server) datasetPageRoutes() []route {
	const (
		summaries, summary = "/api/public/dataset-summaries", "/api/public/dataset-summaries/{datasetId}"
		versions           = "/api/public/dataset-items/{datasetItemId}/versions"
	)
	return []route{
		{method: http.MethodGet, path: summaries, handle: s.listDatasetSummaries},
		{method: http.MethodGet, path: summary, handle: s.getDatasetSummary},
		{method: http.MethodGet, path: summary + "/items", handle: s.listDatasetRows},
		{method: http.MethodGet, path: summary + "/versions", handle: s.listDatasetVersions},
		{method: http.MethodPost, path: "/api/public/dataset-item-batches", handle: s.saveDatasetItems},
		{method: http.MethodGet, path: versions, handle: s.listItemVersions},
		{method: http.MethodGet, path: versions + "/{version}", handle: s.getItemVersion},
	}
}

// datasetSummaryJSON is a dataset in the list of all.
type datasetSummaryJSON struct {
	ID                      string  `json:"id"`
	Name                    string  `json:"name"`
	Description             *string `json:"description"`
	HasInputSchema          bool    `json:"hasInputSchema"`
	HasExpectedOutputSchema bool    `json:"hasExpectedOutputSchema"`
	ActiveItems             int     `json:"activeItems"`
	ArchivedItems           int     `json:"archivedItems"`
	ItemsChangedAt          *string `json:"itemsChangedAt"`
	CreatedAt               string  `json:"createdAt"`
	UpdatedAt               string  `json:"updatedAt"`
}

// listDatasetSummaries serves GET /api/public/dataset-summaries.
func (s *server) listDatasetSummaries(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	list, err := s.Datasets.Summaries(r.Context(), caller.Project.ID)
	if err != nil {
		return err
	}
	body := struct {
		Data []datasetSummaryJSON `json:"data"`
	}{[]datasetSummaryJSON{}}
	for _, d := range list {
		row := datasetSummaryJSON{
			ID: d.ID, Name: d.Name, Description: orNull(d.Description), HasInputSchema: d.HasInputSchema, HasExpectedOutputSchema: d.HasExpectedOutputSchema,
			ActiveItems: d.Active, ArchivedItems: d.Archived, CreatedAt: stamp(d.CreatedAt), UpdatedAt: stamp(d.UpdatedAt),
		}
		if !d.ItemsChanged.IsZero() {
			row.ItemsChangedAt = orNull(stamp(d.ItemsChanged))
		}
		body.Data = append(body.Data, row)
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

// getDatasetSummary serves GET /api/public/dataset-summaries/{datasetId}: all of a dataset, by its id.
func (s *server) getDatasetSummary(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	d, err := s.Datasets.ByID(r.Context(), caller.Project.ID, r.PathValue("datasetId"))
	if err != nil {
		return err
	}
	body := struct {
		datasetJSON
		ActiveItems   int `json:"activeItems"`
		ArchivedItems int `json:"archivedItems"`
	}{datasetJSON: datasetOf(d)}
	body.ActiveItems, err = s.Datasets.CountItems(r.Context(), caller.Project.ID, datasets.ItemList{Dataset: d, Page: 1, Limit: 1})
	if err != nil {
		return err
	}
	body.ArchivedItems, err = s.Datasets.CountItems(r.Context(), caller.Project.ID, datasets.ItemList{Dataset: d, Status: model.ItemArchived, Page: 1, Limit: 1})
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

// datasetRowJSON is an item in a list, with the beginnings of its texts.
type datasetRowJSON struct {
	ID                  string           `json:"id"`
	Status              model.ItemStatus `json:"status"`
	Input               *string          `json:"input"`
	InputMore           bool             `json:"inputMore"`
	ExpectedOutput      *string          `json:"expectedOutput"`
	ExpectedOutputMore  bool             `json:"expectedOutputMore"`
	Metadata            *string          `json:"metadata"`
	MetadataMore        bool             `json:"metadataMore"`
	SourceTraceID       *string          `json:"sourceTraceId"`
	SourceObservationID *string          `json:"sourceObservationId"`
	CreatedAt           string           `json:"createdAt"`
	Version             string           `json:"version"`
}

// rowPreview is how many characters of each text a list shows.
const rowPreview = 200

func datasetRowOf(i model.DatasetItem) datasetRowJSON {
	row := datasetRowJSON{
		ID: i.ID, Status: i.Status, SourceTraceID: orNull(i.SourceTraceID), SourceObservationID: orNull(i.SourceObservationID),
		CreatedAt: stamp(i.CreatedAt), Version: stamp(i.ValidFrom),
	}
	row.Input, row.InputMore = beginning(i.Input)
	row.ExpectedOutput, row.ExpectedOutputMore = beginning(i.ExpectedOutput)
	row.Metadata, row.MetadataMore = beginning(i.Metadata)
	return row
}

func beginning(text string) (*string, bool) {
	runes := []rune(text)
	if len(runes) > rowPreview {
		return orNull(string(runes[:rowPreview])), true
	}
	return orNull(text), false
}

// listDatasetRows serves GET /api/public/dataset-summaries/{datasetId}/items.
func (s *server) listDatasetRows(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	list := datasets.ItemList{Cut: rowPreview + 1}
	status, _ := p.choice("status", []string{string(model.ItemActive), string(model.ItemArchived), "ALL"})
	list.Status, list.AnyStatus = model.ItemStatus(status), status == "ALL"
	list.Search, _ = p.text("search")
	list.Page, list.Limit = p.page()
	if version, given := p.text("version"); given && version != "" {
		var readable bool
		if list.At, readable = filter.ParseTime(version); !readable {
			p.invalid("version", "must be a time such as 2026-05-01T10:00:00.000Z")
		}
	}
	if err := p.err(); err != nil {
		return err
	}
	if list.Dataset, err = s.Datasets.ByID(r.Context(), caller.Project.ID, r.PathValue("datasetId")); err != nil {
		return err
	}
	rows, count, err := s.Datasets.Rows(r.Context(), caller.Project.ID, list)
	if err != nil {
		return err
	}
	body := struct {
		Data []datasetRowJSON `json:"data"`
		Meta pageMeta         `json:"meta"`
	}{[]datasetRowJSON{}, metaOf(list.Page, list.Limit, count)}
	for _, i := range rows {
		body.Data = append(body.Data, datasetRowOf(i))
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

// datasetVersionJSON is a moment at which items changed.
type datasetVersionJSON struct {
	Version string `json:"version"`
	Written int    `json:"written"`
	Deleted int    `json:"deleted"`
}

// listDatasetVersions serves GET /api/public/dataset-summaries/{datasetId}/versions.
func (s *server) listDatasetVersions(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	const newest = 200
	times, err := s.Datasets.ItemTimes(r.Context(), caller.Project.ID, r.PathValue("datasetId"), newest+1)
	if err != nil {
		return err
	}
	body := struct {
		Data []datasetVersionJSON `json:"data"`
		More bool                 `json:"more"`
	}{[]datasetVersionJSON{}, len(times) > newest}
	for _, at := range times[:min(len(times), newest)] {
		body.Data = append(body.Data, datasetVersionJSON{Version: stamp(at.At), Written: at.Written, Deleted: at.Deleted})
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

// itemVersionJSON is a version of an item without its texts.
type itemVersionJSON struct {
	Version   string           `json:"version"`
	Until     *string          `json:"until"`
	Status    model.ItemStatus `json:"status"`
	DatasetID string           `json:"datasetId"`
}

// listItemVersions serves GET /api/public/dataset-items/{datasetItemId}/versions.
func (s *server) listItemVersions(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	page, limit := p.page()
	if err := p.err(); err != nil {
		return err
	}
	list, count, err := s.Datasets.Versions(r.Context(), caller.Project.ID, r.PathValue("datasetItemId"), page, limit)
	if err != nil {
		return err
	}
	body := struct {
		Data []itemVersionJSON `json:"data"`
		Meta pageMeta          `json:"meta"`
	}{[]itemVersionJSON{}, metaOf(page, limit, count)}
	for _, i := range list {
		row := itemVersionJSON{Version: stamp(i.ValidFrom), Status: i.Status, DatasetID: i.DatasetID}
		if !i.ValidTo.IsZero() {
			row.Until = orNull(stamp(i.ValidTo))
		}
		body.Data = append(body.Data, row)
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

// getItemVersion serves GET /api/public/dataset-items/{datasetItemId}/versions/{version}.
func (s *server) getItemVersion(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	at, readable := filter.ParseTime(r.PathValue("version"))
	if !readable {
		return fault.Invalidf("version", "must be a time such as 2026-05-01T10:00:00.000Z")
	}
	i, err := s.Datasets.Version(r.Context(), caller.Project.ID, r.PathValue("datasetItemId"), at)
	if err != nil {
		return err
	}
	return s.writeItem(w, r, caller, i)
}

// itemBatchBody is a batch as clients write it.
type itemBatchBody struct {
	DatasetID string          `json:"datasetId"`
	DryRun    bool            `json:"dryRun"`
	Items     []batchItemBody `json:"items"`
}

// batchItemBody is an item of a batch. Null is not given.
type batchItemBody struct {
	ID                  *string           `json:"id"`
	Input               json.RawMessage   `json:"input"`
	ExpectedOutput      json.RawMessage   `json:"expectedOutput"`
	Metadata            json.RawMessage   `json:"metadata"`
	SourceTraceID       *string           `json:"sourceTraceId"`
	SourceObservationID *string           `json:"sourceObservationId"`
	Status              *model.ItemStatus `json:"status"`
}

// itemBatchJSON is what became of a batch.
type itemBatchJSON struct {
	Created   int               `json:"created"`
	Changed   int               `json:"changed"`
	Unchanged int               `json:"unchanged"`
	IDs       []string          `json:"ids"`
	Failures  []itemFailureJSON `json:"failures"`
}

type itemFailureJSON struct {
	Index   int     `json:"index"`
	ID      *string `json:"id"`
	Field   string  `json:"field"`
	Path    *string `json:"path"`
	Message string  `json:"message"`
}

// saveDatasetItems serves POST /api/public/dataset-item-batches.
func (s *server) saveDatasetItems(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var in itemBatchBody
	err := s.bodies.read(w, r, func(body []byte) error {
		if len(body) > maxItemBody {
			return fault.New(fault.TooLarge, "The request body is larger than %d bytes", maxItemBody)
		}
		return decodeJSON(body, &in, "a batch of dataset items") // copies what it keeps
	})
	if err != nil {
		return err
	}
	if in.DatasetID == "" {
		return fault.Invalidf("datasetId", "must be given")
	}
	var changes []datasets.ItemChange
	for _, i := range in.Items {
		changes = append(changes, datasets.ItemChange{
			ID: i.ID, Input: i.Input, ExpectedOutput: i.ExpectedOutput, Metadata: i.Metadata,
			SourceTraceID: i.SourceTraceID, SourceObservationID: i.SourceObservationID, Status: i.Status,
		})
	}
	done, err := s.Datasets.SaveItems(r.Context(), caller.Project.ID, in.DatasetID, changes, in.DryRun)
	if err != nil {
		return err
	}
	body := itemBatchJSON{Created: done.Created, Changed: done.Changed, Unchanged: done.Unchanged, IDs: done.IDs, Failures: []itemFailureJSON{}}
	for _, f := range done.Failures {
		body.Failures = append(body.Failures, itemFailureJSON{Index: f.Index, ID: orNull(f.ID), Field: f.Field, Path: orNull(f.Path), Message: f.Message})
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}
