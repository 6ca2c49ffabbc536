package api

import (
	"encoding/json"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/datasets"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// datasetJSON is a dataset as clients read it.
type datasetJSON struct {
	ID                   string          `json:"id"`
	ProjectID            string          `json:"projectId"`
	Name                 string          `json:"name"`
	Description          *string         `json:"description"`
	Metadata             json.RawMessage `json:"metadata"`
	InputSchema          json.RawMessage `json:"inputSchema"`
	ExpectedOutputSchema json.RawMessage `json:"expectedOutputSchema"`
	CreatedAt            string          `json:"createdAt"`
	UpdatedAt            string          `json:"updatedAt"`
}

type datasetPage struct {
	Data []datasetJSON `json:"data"`
	Meta pageMeta      `json:"meta"`
}

// olderDatasetJSON is a dataset with the ids of its items and the names of its runs.
type olderDatasetJSON struct {
	datasetJSON
	Status model.ItemStatus `json:"status"`
	Items  []string         `json:"items"`
	Runs   []string         `json:"runs"`
}

type olderDatasetPage struct {
	Data []olderDatasetJSON `json:"data"`
	Meta pageMeta           `json:"meta"`
}

// olderHead is what comes before the items of a dataset that is shown with all of them.
type olderHead struct {
	datasetJSON
	Status model.ItemStatus `json:"status"`
	Runs   []string         `json:"runs"`
}

func datasetOf(d model.Dataset) datasetJSON {
	return datasetJSON{
		ID: d.ID, ProjectID: d.ProjectID, Name: d.Name, Description: orNull(d.Description), Metadata: rawOrNull(d.Metadata),
		InputSchema: rawOrNull(d.InputSchema), ExpectedOutputSchema: rawOrNull(d.ExpectedOutputSchema),
		CreatedAt: stamp(d.CreatedAt), UpdatedAt: stamp(d.UpdatedAt),
	}
}

// rawOrNull is JSON as it is stored; nothing is null.
func rawOrNull(text string) json.RawMessage {
	if text == "" {
		return json.RawMessage("null")
	}
	return json.RawMessage(text)
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// datasetItemJSON is an item as clients read it.
type datasetItemJSON struct {
	ID                  string           `json:"id"`
	Status              model.ItemStatus `json:"status"`
	Input               json.RawMessage  `json:"input"`
	ExpectedOutput      json.RawMessage  `json:"expectedOutput"`
	Metadata            json.RawMessage  `json:"metadata"`
	SourceTraceID       *string          `json:"sourceTraceId"`
	SourceObservationID *string          `json:"sourceObservationId"`
	DatasetID           string           `json:"datasetId"`
	DatasetName         string           `json:"datasetName"`
	CreatedAt           string           `json:"createdAt"`
	UpdatedAt           string           `json:"updatedAt"`
	Version             string           `json:"version"`
	MediaReferences     []mediaReference `json:"mediaReferences"`
}

type mediaReference struct {
	Field           string          `json:"field"`
	ReferenceString string          `json:"referenceString"`
	JSONPath        string          `json:"jsonPath"`
	Media           referencedMedia `json:"media"`
}

type referencedMedia struct {
	MediaID       string `json:"mediaId"`
	ContentType   string `json:"contentType"`
	ContentLength int64  `json:"contentLength"`
	URL           string `json:"url"`
	URLExpiry     string `json:"urlExpiry"`
}

// datasetItemOf is an item with addresses of the media that it refers to. One that is gone since is left out.
func (s *server) datasetItemOf(r *http.Request, caller auth.Principal, i model.DatasetItem) (datasetItemJSON, error) {
	row := datasetItemJSON{
		ID: i.ID, Status: i.Status, Input: rawOrNull(i.Input), ExpectedOutput: rawOrNull(i.ExpectedOutput), Metadata: rawOrNull(i.Metadata),
		SourceTraceID: orNull(i.SourceTraceID), SourceObservationID: orNull(i.SourceObservationID),
		DatasetID: i.DatasetID, DatasetName: i.DatasetName, CreatedAt: stamp(i.CreatedAt), UpdatedAt: stamp(i.ValidFrom), Version: stamp(i.ValidFrom),
		MediaReferences: []mediaReference{},
	}
	for _, ref := range datasets.ReferencesOf(i) {
		found, err := s.Media.Find(r.Context(), caller.Project.ID, ref.MediaID)
		if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid) {
			continue
		}
		if err != nil {
			return row, err
		}
		row.MediaReferences = append(row.MediaReferences, mediaReference{
			Field: ref.Field, ReferenceString: ref.Text, JSONPath: ref.Path,
			Media: referencedMedia{
				MediaID: found.ID, ContentType: found.ContentType, ContentLength: found.Length,
				URL: s.contentURL(r, found.ID, found.Ticket), URLExpiry: stamp(found.Expires),
			},
		})
	}
	return row, nil
}
