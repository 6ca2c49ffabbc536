package api

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/datasets"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
)

// datasetItemBody is an item as clients write it. Null is not given.
type datasetItemBody struct {
	DatasetName         string            `json:"datasetName"`
	ID                  *string           `json:"id"`
	Input               json.RawMessage   `json:"input"`
	ExpectedOutput      json.RawMessage   `json:"expectedOutput"`
	Metadata            json.RawMessage   `json:"metadata"`
	SourceTraceID       *string           `json:"sourceTraceId"`
	SourceObservationID *string           `json:"sourceObservationId"`
	Status              *model.ItemStatus `json:"status"`
}

// saveDatasetItem serves POST /api/public/dataset-items.
func (s *server) saveDatasetItem(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var in datasetItemBody
	err := s.bodies.read(w, r, func(body []byte) error {
		if len(body) > maxItemBody {
			return fault.New(fault.TooLarge, "The request body is larger than %d bytes", maxItemBody)
		}
		return decodeJSON(body, &in, "a dataset item") // copies what it keeps
	})
	if err != nil {
		return err
	}
	if in.DatasetName == "" {
		return fault.Invalidf("datasetName", "must be given")
	}
	// Outside of the door: it is for those who wait for a processor, not for others who write the same item.
	saved, err := s.Datasets.SaveItem(r.Context(), caller.Project.ID, datasets.ItemChange{
		ID: in.ID, DatasetName: in.DatasetName, Input: in.Input, ExpectedOutput: in.ExpectedOutput, Metadata: in.Metadata,
		SourceTraceID: in.SourceTraceID, SourceObservationID: in.SourceObservationID, Status: in.Status,
	})
	if err != nil {
		return err
	}
	return s.writeItem(w, r, caller, saved)
}

func (s *server) writeItem(w http.ResponseWriter, r *http.Request, caller auth.Principal, i model.DatasetItem) error {
	row, err := s.datasetItemOf(r, caller, i)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, row)
	return nil
}

// getDatasetItem serves GET /api/public/dataset-items/{datasetItemId}.
func (s *server) getDatasetItem(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	i, err := s.Datasets.Item(r.Context(), caller.Project.ID, r.PathValue("datasetItemId"))
	if err != nil {
		return err
	}
	return s.writeItem(w, r, caller, i)
}

// deleteDatasetItem serves DELETE /api/public/dataset-items/{datasetItemId}.
func (s *server) deleteDatasetItem(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	if err := s.Datasets.DeleteItem(r.Context(), caller.Project.ID, r.PathValue("datasetItemId")); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, errorBody{Message: "Dataset item successfully deleted"})
	return nil
}

// listDatasetItems serves GET /api/public/dataset-items.
func (s *server) listDatasetItems(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	list, err := s.itemList(r, caller)
	if err != nil {
		return err
	}
	count, err := s.Datasets.CountItems(r.Context(), caller.Project.ID, list)
	if err != nil {
		return err
	}
	meta, err := json.Marshal(metaOf(list.Page, list.Limit, count))
	if err != nil {
		return err
	}
	return s.streamItems(w, r, caller, list, `{"data":[`, `],"meta":`+string(meta)+`}`)
}

// itemList reads which items are wanted.
func (s *server) itemList(r *http.Request, caller auth.Principal) (list datasets.ItemList, err error) {
	p, err := readParams(r)
	if err != nil {
		return list, err
	}
	name, named := p.text("datasetName")
	list.SourceTraceID, _ = p.text("sourceTraceId")
	list.SourceObservationID, _ = p.text("sourceObservationId")
	list.Page, list.Limit = p.page()
	if version, given := p.text("version"); given && version != "" {
		if !named || name == "" {
			p.invalid("version", "needs datasetName")
		}
		var readable bool
		if list.At, readable = filter.ParseTime(version); !readable {
			p.invalid("version", "must be a time such as 2026-05-01T10:00:00.000Z")
		}
	}
	if err := p.err(); err != nil {
		return list, err
	}
	if name != "" {
		list.Dataset, err = s.datasetCalled(r, caller, name)
	}
	return list, err
}

// datasetCalled finds a dataset by a name in a query. Some clients escape it twice.
func (s *server) datasetCalled(r *http.Request, caller auth.Principal, name string) (model.Dataset, error) {
	d, err := s.Datasets.Get(r.Context(), caller.Project.ID, name)
	if again, wrong := url.QueryUnescape(name); fault.Is(err, fault.NotFound) && wrong == nil && again != name {
		return s.Datasets.Get(r.Context(), caller.Project.ID, again)
	}
	return d, err
}

// streamItems writes items one by one between two texts: a page of large ones is never in memory.
func (s *server) streamItems(w http.ResponseWriter, r *http.Request, caller auth.Principal, list datasets.ItemList, before, after string) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	text := before // goes out with the first item, so that an error before it has an answer of its own
	err := s.Datasets.EachItem(r.Context(), caller.Project.ID, list, func(i model.DatasetItem) error {
		row, err := s.datasetItemOf(r, caller, i)
		if err != nil {
			return err
		}
		if text == before {
			begin(w)
		}
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
		text = ","
		return encoder.Encode(row)
	})
	if err != nil {
		return err
	}
	if text == before {
		begin(w)
		after = before + after
	}
	_, err = io.WriteString(w, after+"\n")
	return err
}

func begin(w http.ResponseWriter) {
	w.Header().Set("Content-Type", jsonType)
	w.WriteHeader(http.StatusOK)
}
