package datasets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// Bounds on a batch.
const (
	MaxBatch       = 100 // items
	maxFailures    = 20  // that are told of one text
	maxNamed       = 10  // failures in the answer to a batch that is refused
	maxBatchChecks = 10 * time.Second
)

// Failure says why an item of a batch cannot be written.
type Failure struct {
	Index   int    // of the item in the batch
	ID      string // of the item; empty when it would get one
	Field   string // id, input, expectedOutput, metadata or status
	Path    string // a JSON pointer into the text; empty: all of it
	Message string
}

// Outcome is what became of a batch, or would.
type Outcome struct {
	Created, Changed, Unchanged int
	// IDs are those of the items, in the order of the batch.
	IDs      []string
	Failures []Failure
}

// SaveItems writes items of one dataset: all, or none when one of them cannot be written, which is
// fault.Invalid with the first failures. An item that is there just as it is written stays untouched, so
// that a batch may be sent again. A dry run writes nothing and returns every failure.
func (s *Service) SaveItems(ctx context.Context, projectID, datasetID string, changes []ItemChange, dryRun bool) (Outcome, error) {
	if len(changes) == 0 || len(changes) > MaxBatch {
		return Outcome{}, fault.Invalidf("items", "must be 1 to %d", MaxBatch)
	}
	ids, failed := idsOf(changes)
	for i := range changes { // what was there already was looked for when it came
		if err := s.checkBrought(ctx, projectID, i, &changes[i], &failed); err != nil {
			return Outcome{}, err
		}
	}
	for range schemaTries {
		p, err := s.plan(ctx, projectID, datasetID, ids, changes, failed)
		if err != nil {
			return Outcome{}, err
		}
		if dryRun {
			return p.Outcome, nil
		}
		if len(p.Failures) > 0 {
			return Outcome{}, refused(p.Failures)
		}
		// In one order, so that batches do not wait for each other's items crosswise.
		slices.SortFunc(p.versions, func(a, b metastore.NewVersion) int { return cmp.Compare(a.Item.ID, b.Item.ID) })
		err = moved(s.store.PutItems(ctx, p.versions, p.changed))
		if errors.Is(err, metastore.ErrExists) || errors.Is(err, errMoved) {
			continue
		}
		return p.Outcome, err
	}
	return Outcome{}, busy("dataset")
}

// idsOf gives every item its id, and refuses one that two items have.
func idsOf(changes []ItemChange) (ids []string, failed []Failure) {
	first := map[string]int{}
	for i, change := range changes {
		id, err := itemID(change.ID)
		if err != nil {
			failed = append(failed, failureOf(i, id, err))
		} else if before, twice := first[id]; twice {
			failed = append(failed, Failure{Index: i, ID: id, Field: "id", Message: fmt.Sprintf("is that of item %d of the batch, too", before)})
		}
		first[id] = i
		ids = append(ids, id)
	}
	return ids, failed
}

func (s *Service) checkBrought(ctx context.Context, projectID string, index int, change *ItemChange, failed *[]Failure) error {
	brought := model.DatasetItem{ProjectID: projectID}
	change.apply(&brought)
	err := s.checkReferences(ctx, brought)
	if fault.Is(err, fault.Invalid) {
		*failed = append(*failed, failureOf(index, valueOf(change.ID), err))
		return nil
	}
	return err
}

func valueOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// failureOf makes a failure of a fault that a client may read.
func failureOf(index int, id string, err error) Failure {
	f, _ := errors.AsType[*fault.Fault](err)
	return Failure{Index: index, ID: id, Field: cmp.Or(f.Field, "input"), Message: f.Message}
}

// plan is what a batch would do to the items as they are now.
type plan struct {
	Outcome
	versions []metastore.NewVersion
	changed  time.Time // of the dataset
	begin    time.Time // of all versions, so that a batch is one moment of the dataset's history
}

func (s *Service) plan(ctx context.Context, projectID, datasetID string, ids []string, changes []ItemChange, failed []Failure) (*plan, error) {
	d, err := s.ByID(ctx, projectID, datasetID)
	if err != nil {
		return nil, err
	}
	wanted, err := schemasOf(d)
	if err != nil {
		return nil, err
	}
	p := &plan{changed: d.UpdatedAt, begin: s.now(), Outcome: Outcome{IDs: ids, Failures: slices.Clone(failed)}}
	until := s.now().Add(maxBatchChecks)
	for index, change := range changes {
		if slices.ContainsFunc(failed, func(f Failure) bool { return f.Index == index && f.Field == "id" }) {
			continue
		}
		if s.now().After(until) {
			return nil, fault.New(fault.Exhausted, "These items take too long to check against the schemas of the dataset").Hint("send fewer of them at once")
		}
		if err := s.planItem(ctx, p, d, wanted, index, ids[index], change); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(p.Failures, func(a, b Failure) int { return cmp.Compare(a.Index, b.Index) })
	return p, nil
}

// planItem decides about one item. Its error is ours; what the client did wrong becomes a failure.
func (s *Service) planItem(ctx context.Context, p *plan, d model.Dataset, wanted schemas, index int, id string, change ItemChange) error {
	was, err := s.store.Item(ctx, d.ProjectID, id)
	if err != nil && !errors.Is(err, metastore.ErrNotFound) {
		return err
	}
	isNew := was.ID == "" || was.Deleted
	if !isNew && was.DatasetID != d.ID {
		p.Failures = append(p.Failures, Failure{Index: index, ID: id, Field: "id", Message: "is that of an item of another dataset"})
		return nil
	}
	begin := later(p.begin, was.ValidFrom)
	i := was
	if isNew {
		i = model.DatasetItem{ProjectID: d.ProjectID, ID: id, Status: model.ItemActive, CreatedAt: begin}
	}
	change.apply(&i)
	i.DatasetID, i.DatasetName = d.ID, d.Name
	if !isNew && i == was {
		p.Unchanged++
		return nil
	}
	i.ValidFrom, i.ValidTo = begin, time.Time{}
	found, err := s.wrong(ctx, d, wanted, i, was)
	if err != nil {
		return err
	}
	for _, f := range found {
		f.Index, f.ID = index, id
		p.Failures = append(p.Failures, f)
	}
	if slices.ContainsFunc(p.Failures, func(f Failure) bool { return f.Index == index }) {
		return nil
	}
	if isNew {
		p.Created++
	} else {
		p.Changed++
	}
	p.versions = append(p.versions, metastore.NewVersion{Item: i, Was: was.ValidFrom})
	return nil
}

// wrong lists what keeps an item from being written.
func (s *Service) wrong(ctx context.Context, d model.Dataset, wanted schemas, i, was model.DatasetItem) (found []Failure, err error) {
	if i.Status != model.ItemActive && i.Status != model.ItemArchived {
		found = append(found, Failure{Field: "status", Message: fmt.Sprintf("must be one of %s, %s", model.ItemActive, model.ItemArchived)})
	}
	if err := metastore.CheckItem(i, was.ValidFrom); err != nil {
		found = append(found, failureOf(0, "", err))
	}
	if wanted.input == nil && wanted.expectedOutput == nil {
		return found, nil
	}
	err = s.oneAtATime(ctx, d.ProjectID, func() error {
		found = append(found, textFailures("input", wanted.input, i.Input)...)
		found = append(found, textFailures("expectedOutput", wanted.expectedOutput, i.ExpectedOutput)...)
		return nil
	})
	return found, err
}

func textFailures(field string, s *schema, text string) (found []Failure) {
	for _, m := range s.misfits(text) {
		found = append(found, Failure{Field: field, Path: m.path, Message: m.said})
	}
	return found
}

// refused names the first failures of a batch by their places in it.
func refused(failures []Failure) error {
	var all []error
	for _, f := range failures[:min(len(failures), maxNamed)] {
		said := f.Message
		if f.Path != "" {
			said = "at " + f.Path + ": " + said
		}
		all = append(all, fault.Invalidf("items."+strconv.Itoa(f.Index)+"."+f.Field, "%s", said))
	}
	return errors.Join(all...)
}

// pointer writes where a value stands as a JSON pointer.
func pointer(steps []string) string {
	var b strings.Builder
	for _, step := range steps {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(step))
	}
	return b.String()
}
