package metastore

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// Bounds on what datasets hold.
const (
	MaxDatasets     = 10_000    // of a project
	MaxItemDocument = 4_718_592 // bytes of each JSON text of an item; as much as a request may bring
	MaxItemsAtOnce  = 10_000    // ids in one answer of ItemIDs
	MaxRunsDue      = 1000      // in one answer of DueRunItems
	MaxItemTimes    = 1000      // in one answer of ItemTimes
)

// Datasets keeps datasets, their items with all versions, and run items. Projects do not see each
// other's. What cannot be stored is refused with fault.Invalid.
type Datasets interface {
	// CreateDataset adds a dataset to a project. ErrExists when the project has its id or its name
	// already, ErrNotFound when there is no such project, fault.Invalid when the project has MaxDatasets.
	CreateDataset(ctx context.Context, dataset model.Dataset) error
	// UpdateDataset replaces description, metadata and schemas of a dataset that is still as it was:
	// it was last changed at was.UpdatedAt and, if its items count, they were written was.ItemWrites
	// times. Else, and when there is none, ErrNotFound. Of several that replace the same state exactly
	// one does, provided that each brings another UpdatedAt.
	UpdateDataset(ctx context.Context, dataset, was model.Dataset, itemsCount bool) error
	// Dataset returns the dataset of a name. ErrNotFound.
	Dataset(ctx context.Context, projectID, name string) (model.Dataset, error)
	// DatasetByID returns the dataset of an id. ErrNotFound.
	DatasetByID(ctx context.Context, projectID, id string) (model.Dataset, error)
	// Datasets returns some datasets of a project, the newest first, then by id, and how many there are.
	Datasets(ctx context.Context, projectID string, offset, limit int) ([]model.Dataset, int, error)
	// DatasetSummaries returns all datasets of a project without their large texts, by name: at most
	// MaxDatasets.
	DatasetSummaries(ctx context.Context, projectID string) ([]model.DatasetSummary, error)
	DatasetItems
	RunItems
}

// DatasetItems keeps items.
//
// Promise: the versions of an item have neither gaps nor overlaps. Each ends where the next begins,
// and exactly one is current, whoever writes at the same time.
type DatasetItems interface {
	// PutItem adds a version and closes the current one, which must be the one that began at was
	// (zero: there is none) and begin before it. The item's dataset must have been last changed at
	// changed. When either is not so, nothing is written: ErrNotFound, or ErrExists when there is a
	// current version where none was known. ErrNotFound also when there is no such dataset.
	PutItem(ctx context.Context, item model.DatasetItem, was, changed time.Time) error
	// PutItems is PutItem for versions of different items of one dataset: all are written or none.
	PutItems(ctx context.Context, versions []NewVersion, changed time.Time) error
	// Item returns the current version of an item, also one that says that it is deleted. ErrNotFound
	// when there never was one.
	Item(ctx context.Context, projectID, id string) (model.DatasetItem, error)
	// CountItems counts the items that match; Offset and Limit do not matter.
	CountItems(ctx context.Context, q ItemQuery) (int, error)
	// ItemIDs returns the ids of the items that match, by the beginning of their version, the newest
	// first, then by id; at most MaxItemsAtOnce.
	ItemIDs(ctx context.Context, q ItemQuery) ([]string, error)
	// EachItem calls visit with the items that match in the same order, one at a time: however large
	// they are, one is held in memory. It ends with the first error of visit.
	EachItem(ctx context.Context, q ItemQuery, visit func(model.DatasetItem) error) error
	// ItemTimes returns the times at which versions of items of a dataset began or items were deleted,
	// the newest first; at most limit and MaxItemTimes.
	ItemTimes(ctx context.Context, projectID, datasetID string, limit int) ([]model.ItemTime, error)
}

// NewVersion is a version of an item and when the one that it replaces began; zero: there is none.
type NewVersion struct {
	Item model.DatasetItem
	Was  time.Time
}

// ItemQuery asks for items of a project. Empty fields ask for nothing in particular. What is deleted
// never matches.
type ItemQuery struct {
	ProjectID           string
	DatasetID           string
	ItemID              string
	SourceTraceID       string
	SourceObservationID string
	At                  time.Time // the versions of that time; zero: the current ones
	AllVersions         bool      // whenever they counted; At does not matter
	AnyStatus           bool      // archived ones, too
	Archived            bool      // only archived ones
	// Search are spellings of a text, of which the id or one of the JSON texts holds one. ASCII letters
	// are alike in both cases.
	Search []string
	// Cut is how many characters of each JSON text EachItem gives; 0: all.
	Cut           int
	Offset, Limit int
}

// RunItems keeps run items.
type RunItems interface {
	// PutRunItem stores a run item; one that is there already stays as it is. ErrNotFound when there is
	// no such project.
	PutRunItem(ctx context.Context, item model.RunItem) error
	// DueRunItems returns run items of all projects that are due, the longest due first; at most limit
	// and MaxRunsDue.
	DueRunItems(ctx context.Context, now time.Time, limit int) ([]model.RunItem, error)
	// RescheduleRunItem sets when a run item is due again.
	RescheduleRunItem(ctx context.Context, item model.RunItem) error
}

// CheckDataset refuses with fault.Invalid a dataset that cannot be stored.
func CheckDataset(d model.Dataset) error {
	return first(
		CheckID("project id", d.ProjectID),
		CheckID("id", d.ID),
		CheckID("name", d.Name),
		checkDocument("description", d.Description),
		checkDocument("metadata", d.Metadata),
		checkDocument("inputSchema", d.InputSchema),
		checkDocument("expectedOutputSchema", d.ExpectedOutputSchema),
	)
}

// CheckItem refuses with fault.Invalid a version of an item that cannot be stored.
func CheckItem(i model.DatasetItem, was time.Time) error {
	if !i.ValidFrom.After(was) {
		return fault.Invalidf("version", "must begin after the one before it")
	}
	return first(
		CheckID("project id", i.ProjectID),
		CheckID("id", i.ID),
		CheckID("dataset id", i.DatasetID),
		CheckID("status", string(i.Status)),
		checkLong("input", i.Input, MaxItemDocument),
		checkLong("expectedOutput", i.ExpectedOutput, MaxItemDocument),
		checkLong("metadata", i.Metadata, MaxItemDocument),
		checkText("sourceTraceId", i.SourceTraceID),
		checkText("sourceObservationId", i.SourceObservationID),
	)
}

// CheckVersions refuses with fault.Invalid versions that cannot be stored together.
func CheckVersions(versions []NewVersion) error {
	known := map[string]bool{}
	for _, v := range versions {
		if err := CheckItem(v.Item, v.Was); err != nil {
			return err
		}
		if v.Item.ProjectID != versions[0].Item.ProjectID || v.Item.DatasetID != versions[0].Item.DatasetID {
			return fault.Invalidf("dataset id", "must be the same for all items that are written together")
		}
		if known[v.Item.ID] {
			return fault.Invalidf("id", "must be different for items that are written together: %q is there twice", v.Item.ID)
		}
		known[v.Item.ID] = true
	}
	return nil
}

// CheckItemQuery refuses with fault.Invalid a question with a text that no item can have.
func CheckItemQuery(q ItemQuery) error {
	return first(
		checkText("dataset id", q.DatasetID),
		checkText("id", q.ItemID),
		checkText("sourceTraceId", q.SourceTraceID),
		checkText("sourceObservationId", q.SourceObservationID),
		checkText("search", strings.Join(q.Search, "")),
	)
}

// CheckRunItem refuses with fault.Invalid a run item that cannot be stored.
func CheckRunItem(r model.RunItem) error {
	return first(
		CheckID("project id", r.ProjectID),
		CheckID("id", r.ID),
		CheckID("dataset id", r.DatasetID),
		CheckID("runName", r.RunName),
		checkDocument("runDescription", r.Description),
		checkDocument("metadata", r.Metadata),
		CheckID("datasetItemId", r.ItemID),
		checkText("traceId", r.TraceID),
		checkText("observationId", r.ObservationID),
	)
}

// TooManyDatasets is the fault of a project that has MaxDatasets.
func TooManyDatasets() error {
	return fault.New(fault.Invalid, "A project can have at most %d datasets", MaxDatasets).
		Hint("add items to one that is there")
}

// checkLong is checkText for texts that no index holds.
func checkLong(field, text string, limit int) error {
	switch {
	case len(text) > limit:
		return fault.Invalidf(field, "must not be larger than %d bytes", limit)
	case !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0:
		return fault.Invalidf(field, "must be valid UTF-8 without NUL characters")
	}
	return nil
}
