package datasets

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// maxItemID is the greatest length of an item's id in characters.
const maxItemID = 255

// ItemChange is what a client says of an item. Nil and JSON's null are left as they are.
type ItemChange struct {
	ID             *string // nil: a new item
	DatasetName    string
	Input          []byte // JSON, as the next two
	ExpectedOutput []byte
	Metadata       []byte

	SourceTraceID       *string
	SourceObservationID *string
	Status              *model.ItemStatus
}

// SaveItem creates an item or adds a version to it. fault.NotFound without the dataset, fault.Conflict
// when another dataset has the item, fault.Invalid for what cannot be used: a status, a schema that the
// item breaks, a reference to a media that is not there.
func (s *Service) SaveItem(ctx context.Context, projectID string, change ItemChange) (model.DatasetItem, error) {
	id, err := itemID(change.ID)
	if err != nil {
		return model.DatasetItem{}, err
	}
	// What was there already was looked for when it came.
	brought := model.DatasetItem{ProjectID: projectID}
	change.apply(&brought)
	if err := s.checkReferences(ctx, brought); err != nil {
		return brought, err
	}
	done, err := s.turns.take(ctx, "item\x00"+projectID+"\x00"+id)
	if err != nil {
		return brought, err
	}
	defer done()
	for range tries {
		i, err := s.saveItem(ctx, projectID, id, change)
		if errors.Is(err, metastore.ErrExists) || errors.Is(err, errMoved) {
			continue
		}
		return i, err
	}
	return model.DatasetItem{}, busy("item")
}

func itemID(given *string) (string, error) {
	switch {
	case given == nil:
		return uuid.NewString(), nil
	case utf8.RuneCountInString(*given) > maxItemID:
		return "", fault.Invalidf("id", "must not be longer than %d characters", maxItemID)
	}
	return *given, metastore.CheckID("id", *given)
}

func (s *Service) saveItem(ctx context.Context, projectID, id string, change ItemChange) (model.DatasetItem, error) {
	d, err := s.Get(ctx, projectID, change.DatasetName)
	if err != nil {
		return model.DatasetItem{}, err
	}
	was, err := s.store.Item(ctx, projectID, id)
	switch {
	case errors.Is(err, metastore.ErrNotFound):
	case err != nil:
		return was, err
	case was.DatasetID != d.ID && !was.Deleted:
		return was, fault.New(fault.Conflict, "An item with this id is in another dataset").Hint("choose another id")
	}
	begin := s.next(was.ValidFrom)
	i := was
	if was.ID == "" || was.Deleted {
		i = model.DatasetItem{ProjectID: projectID, ID: id, Status: model.ItemActive, CreatedAt: begin}
	}
	i.DatasetID, i.DatasetName, i.ValidFrom, i.ValidTo = d.ID, d.Name, begin, time.Time{}
	change.apply(&i)
	if i.Status != model.ItemActive && i.Status != model.ItemArchived {
		return i, fault.Invalidf("status", "must be one of %s, %s", model.ItemActive, model.ItemArchived)
	}
	if d.InputSchema != "" || d.ExpectedOutputSchema != "" {
		err := s.oneAtATime(ctx, projectID, func() error {
			wanted, err := schemasOf(d)
			if err != nil {
				return err
			}
			return wanted.check(i)
		})
		if err != nil {
			return i, err
		}
	}
	return i, moved(s.store.PutItem(ctx, i, was.ValidFrom, d.UpdatedAt))
}

// next is when a version begins: now, but at least a millisecond after the one before.
func (s *Service) next(was time.Time) time.Time { return later(s.now(), was) }

func later(now, was time.Time) time.Time {
	if now = now.UTC().Truncate(time.Millisecond); now.After(was) {
		return now
	}
	return was.Add(time.Millisecond)
}

func (change *ItemChange) apply(i *model.DatasetItem) {
	for _, field := range []struct {
		given []byte
		to    *string
	}{{change.Input, &i.Input}, {change.ExpectedOutput, &i.ExpectedOutput}, {change.Metadata, &i.Metadata}} {
		if text := cleanJSON(field.given); text != "" {
			*field.to = text
		}
	}
	if change.SourceTraceID != nil {
		i.SourceTraceID = *change.SourceTraceID
	}
	if change.SourceObservationID != nil {
		i.SourceObservationID = *change.SourceObservationID
	}
	if change.Status != nil {
		i.Status = *change.Status
	}
}

// Item returns an item of any status. fault.NotFound.
func (s *Service) Item(ctx context.Context, projectID, id string) (model.DatasetItem, error) {
	i, err := s.store.Item(ctx, projectID, id)
	if err == nil && i.Deleted {
		err = metastore.ErrNotFound
	}
	return i, missing(err, noItem())
}

func noItem() error { return fault.New(fault.NotFound, "Dataset item not found") }

// DeleteItem ends the history of an item. fault.NotFound.
func (s *Service) DeleteItem(ctx context.Context, projectID, id string) error {
	done, err := s.turns.take(ctx, "item\x00"+projectID+"\x00"+id)
	if err != nil {
		return err
	}
	defer done()
	for range tries {
		err := s.deleteItem(ctx, projectID, id)
		if !errors.Is(err, errMoved) {
			return err
		}
	}
	return busy("item")
}

func (s *Service) deleteItem(ctx context.Context, projectID, id string) error {
	was, err := s.Item(ctx, projectID, id)
	if err != nil {
		return err
	}
	d, err := s.ByID(ctx, projectID, was.DatasetID)
	if err != nil {
		return err
	}
	marker := model.DatasetItem{
		ProjectID: projectID, ID: id, DatasetID: was.DatasetID, Status: was.Status, CreatedAt: was.CreatedAt,
		ValidFrom: s.next(was.ValidFrom), Deleted: true,
	}
	return moved(s.store.PutItem(ctx, marker, was.ValidFrom, d.UpdatedAt))
}

// ItemList says which items of a project are wanted. Only active ones are listed, unless another status is
// asked for.
type ItemList struct {
	Dataset             model.Dataset // zero: of all datasets
	SourceTraceID       string
	SourceObservationID string
	At                  time.Time // the items as they were then; zero: as they are
	Status              model.ItemStatus
	AnyStatus           bool
	Search              string // in ids and texts
	Cut                 int    // characters of each text; 0: all
	Page, Limit         int
}

func (l ItemList) query(projectID string) metastore.ItemQuery {
	return metastore.ItemQuery{
		ProjectID: projectID, DatasetID: l.Dataset.ID, SourceTraceID: l.SourceTraceID, SourceObservationID: l.SourceObservationID,
		At: l.At, AnyStatus: l.AnyStatus, Archived: l.Status == model.ItemArchived, Search: spellings(l.Search), Cut: l.Cut,
		Offset: offset(l.Page, l.Limit), Limit: l.Limit,
	}
}

// CountItems says how many items a list has on all its pages.
func (s *Service) CountItems(ctx context.Context, projectID string, l ItemList) (int, error) {
	return s.store.CountItems(ctx, l.query(projectID))
}

// EachItem calls visit with the items of a page, by the beginning of their version, the newest first,
// then by id. One is held in memory at a time.
func (s *Service) EachItem(ctx context.Context, projectID string, l ItemList, visit func(model.DatasetItem) error) error {
	return s.store.EachItem(ctx, l.query(projectID), visit)
}

// MaxWholeDataset is how many items an answer that has no pages may hold.
const MaxWholeDataset = metastore.MaxItemsAtOnce - 1

// ItemIDs returns the ids of all active items of a dataset. fault.Exhausted when they are more than limit.
func (s *Service) ItemIDs(ctx context.Context, d model.Dataset, limit int) ([]string, error) {
	ids, err := s.store.ItemIDs(ctx, metastore.ItemQuery{ProjectID: d.ProjectID, DatasetID: d.ID, Limit: limit + 1})
	if len(ids) > limit {
		return nil, TooManyItems()
	}
	return ids, err
}

// TooManyItems is the fault of a dataset that cannot be shown at once.
func TooManyItems() error {
	return fault.New(fault.Exhausted, "There are more than %d items, too many for one answer", MaxWholeDataset).
		Hint("ask for pages of GET /api/public/dataset-items")
}
