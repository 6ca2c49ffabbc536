// Package datasets keeps datasets: named collections of items with all their versions, and what runs
// over them are called.
//
// Promises: a dataset with schemas holds no item that breaks them, whoever writes at the same time. The
// versions of an item follow each other without gaps and at least a millisecond apart. A run item is
// durable when it is acknowledged, and ties its trace to the experiment whether the trace comes before
// it or after it.
package datasets

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// tries is how often a write is tried again because another one came first; schemaTries, where every try
// looks at all items.
const (
	tries       = 100
	schemaTries = 5
)

// Media finds out whether a project has a media: a fault of kind NotFound when it has not.
type Media func(ctx context.Context, projectID, mediaID string) error

// Service keeps the datasets of all projects.
type Service struct {
	store metastore.Datasets
	media Media
	turns turns
	now   func() time.Time
}

// New makes a service.
func New(store metastore.Datasets, media Media) *Service {
	return &Service{store: store, media: media, turns: turns{waiting: map[string]*turn{}}, now: time.Now}
}

// Change is what a client says of a dataset. Nil is left as it is.
type Change struct {
	Name        string
	Description *string
	Metadata    []byte // JSON
	// InputSchema and ExpectedOutputSchema are JSON; null takes the schema away.
	InputSchema, ExpectedOutputSchema []byte
}

// Save creates the dataset of a name, or changes it. A name, schema or text that cannot be used is
// fault.Invalid, and so is a schema that items of the dataset do not fit.
func (s *Service) Save(ctx context.Context, projectID string, change Change) (model.Dataset, error) {
	change.Name = strings.TrimSpace(change.Name)
	if err := checkName(change.Name); err != nil {
		return model.Dataset{}, err
	}
	left := tries
	if change.InputSchema != nil || change.ExpectedOutputSchema != nil {
		left = schemaTries
	}
	for range left {
		d, err := s.save(ctx, projectID, change)
		if errors.Is(err, metastore.ErrExists) || errors.Is(err, errMoved) {
			continue
		}
		return d, err
	}
	return model.Dataset{}, busy("dataset")
}

// errMoved says that what was read is not the newest any more.
var errMoved = errors.New("changed meanwhile")

// moved tells a state that is gone from one that never was.
func moved(err error) error {
	if errors.Is(err, metastore.ErrNotFound) {
		return errMoved
	}
	return err
}

func busy(what string) error {
	return fault.New(fault.Conflict, "The %s is being changed by others", what).Hint("try again")
}

func (s *Service) save(ctx context.Context, projectID string, change Change) (model.Dataset, error) {
	was, err := s.store.Dataset(ctx, projectID, change.Name)
	isNew := errors.Is(err, metastore.ErrNotFound)
	if err != nil && !isNew {
		return model.Dataset{}, err
	}
	now := s.now().UTC().Truncate(time.Microsecond)
	d := was
	if isNew {
		d = model.Dataset{ProjectID: projectID, ID: uuid.NewString(), Name: change.Name, CreatedAt: now}
	}
	if err := change.apply(&d); err != nil {
		return d, err
	}
	if isNew {
		d.UpdatedAt = now
		return d, s.store.CreateDataset(ctx, d)
	}
	itemsCount := d.InputSchema != was.InputSchema || d.ExpectedOutputSchema != was.ExpectedOutputSchema
	if itemsCount {
		if err := s.checkItems(ctx, d); err != nil {
			return d, err
		}
	}
	if d.UpdatedAt = now; !now.After(was.UpdatedAt) {
		d.UpdatedAt = was.UpdatedAt.Add(time.Microsecond)
	}
	return d, moved(s.store.UpdateDataset(ctx, d, was, itemsCount))
}

// apply changes a dataset and refuses schemas that are none.
func (change *Change) apply(d *model.Dataset) error {
	if change.Description != nil {
		d.Description = cleanText(*change.Description)
	}
	if metadata := cleanJSON(change.Metadata); metadata != "" {
		d.Metadata = metadata
	}
	for _, s := range []struct {
		field string
		given []byte
		to    *string
	}{{"inputSchema", change.InputSchema, &d.InputSchema}, {"expectedOutputSchema", change.ExpectedOutputSchema, &d.ExpectedOutputSchema}} {
		if s.given == nil {
			continue
		}
		*s.to = cleanJSON(s.given)
		if _, err := compile(*s.to); err != nil {
			return fault.Invalidf(s.field, "%s", err)
		}
	}
	return nil
}

// Get returns the dataset of a name. fault.NotFound.
func (s *Service) Get(ctx context.Context, projectID, name string) (model.Dataset, error) {
	if strings.TrimSpace(name) == "" {
		return model.Dataset{}, noDataset()
	}
	d, err := s.store.Dataset(ctx, projectID, strings.TrimSpace(name))
	return d, missing(err, noDataset())
}

// ByID returns the dataset of an id. fault.NotFound.
func (s *Service) ByID(ctx context.Context, projectID, id string) (model.Dataset, error) {
	d, err := s.store.DatasetByID(ctx, projectID, id)
	return d, missing(err, noDataset())
}

// List returns a page of the datasets of a project, the newest first, and how many there are.
func (s *Service) List(ctx context.Context, projectID string, page, limit int) ([]model.Dataset, int, error) {
	return s.store.Datasets(ctx, projectID, offset(page, limit), limit)
}

// offset is where a page begins. One that is far out begins where nothing is.
func offset(page, limit int) int {
	const farOut = 1 << 40
	return min(page-1, farOut/limit) * limit
}

// missing turns ErrNotFound into what a client reads.
func missing(err, said error) error {
	if errors.Is(err, metastore.ErrNotFound) {
		return said
	}
	return err
}

func noDataset() error { return fault.New(fault.NotFound, "Dataset not found") }

// tag is what looks like an element of HTML.
var tag = regexp.MustCompile(`<[^>]*>`)

// checkName refuses a name that could not be shown or put into an address.
func checkName(name string) error {
	switch {
	case name == "":
		return fault.Invalidf("name", "must not be empty")
	case tag.MatchString(name):
		return fault.Invalidf("name", "must not contain HTML tags")
	case strings.HasPrefix(name, "/"), strings.HasSuffix(name, "/"), strings.Contains(name, "//"):
		return fault.Invalidf("name", "must not begin or end with a slash, nor have two in a row")
	case strings.ContainsFunc(name, unicode.IsControl):
		return fault.Invalidf("name", "must not contain control characters")
	}
	return metastore.CheckID("name", name)
}
