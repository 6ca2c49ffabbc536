package datasets

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// Run is what a client says of one run of an item.
type Run struct {
	Name        string // of the experiment
	Description string
	Metadata    []byte // JSON
	ItemID      string
	// TraceID and ObservationID name what was run; one of them may be empty.
	TraceID, ObservationID string
	Version                time.Time // the item as it was then; zero: as it is
}

// AddRun stores that a trace or an observation is the run of an item. Saying it again changes nothing.
// fault.NotFound without the item.
func (s *Service) AddRun(ctx context.Context, projectID string, run Run) (model.RunItem, error) {
	if strings.TrimSpace(run.Name) == "" {
		return model.RunItem{}, fault.Invalidf("runName", "must not be empty")
	}
	if run.TraceID == "" && run.ObservationID == "" {
		return model.RunItem{}, fault.Invalidf("traceId", "or observationId must be given")
	}
	if err := metastore.CheckID("datasetItemId", run.ItemID); err != nil {
		return model.RunItem{}, err
	}
	var item model.DatasetItem
	q := metastore.ItemQuery{ProjectID: projectID, ItemID: run.ItemID, At: run.Version, Limit: 1}
	err := s.store.EachItem(ctx, q, func(i model.DatasetItem) error {
		item = i
		return nil
	})
	if err != nil {
		return model.RunItem{}, err
	}
	if item.ID == "" {
		return model.RunItem{}, noItem()
	}
	now := s.now().UTC().Truncate(time.Microsecond)
	r := model.RunItem{
		ProjectID: projectID, DatasetID: item.DatasetID, RunName: run.Name, Description: cleanText(run.Description),
		Metadata: cleanJSON(run.Metadata), ItemID: item.ID, ItemVersion: item.ValidFrom,
		TraceID: run.TraceID, ObservationID: run.ObservationID, CreatedAt: now, Due: now,
	}
	r.ID = RunItemID(ExperimentOf(r), r.ItemID, r.TraceID, r.ObservationID)
	return r, s.store.PutRunItem(ctx, r)
}

// ExperimentOf is the id of the experiment that a run item belongs to.
func ExperimentOf(r model.RunItem) string {
	return model.ExperimentID(r.ProjectID, r.DatasetID, r.RunName)
}

// runItems is the space of the ids of run items.
var runItems = uuid.MustParse("6f0f1a55-4b8e-4f0c-9d4c-0d6c3b0f6f11")

// RunItemID makes the id of a run item of what it says, so that the same said again is the same.
func RunItemID(experimentID, itemID, traceID, observationID string) string {
	return uuid.NewSHA1(runItems, []byte(strings.Join([]string{experimentID, itemID, traceID, observationID}, "\x00"))).String()
}
