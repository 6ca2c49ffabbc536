package pricing

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/price"
)

// Catalog is the model definitions that a project sees: its own, which it can change, and the
// built-in ones, which nobody can.
type Catalog struct {
	builtin *price.List
	store   metastore.Models
}

// NewCatalog makes a catalog.
func NewCatalog(builtin *price.List, store metastore.Models) *Catalog {
	return &Catalog{builtin: builtin, store: store}
}

// List returns all definitions that a project sees, by name and start.
func (c *Catalog) List(ctx context.Context, projectID string) ([]*price.Definition, error) {
	own, err := c.store.Models(ctx, projectID)
	if err != nil {
		return nil, err
	}
	list := slices.Clone(c.builtin.All())
	for i := range own {
		list = append(list, &own[i])
	}
	slices.SortFunc(list, func(a, b *price.Definition) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), a.Start.Compare(b.Start), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}

// Get returns one definition that a project sees. fault.NotFound.
func (c *Catalog) Get(ctx context.Context, projectID, id string) (*price.Definition, error) {
	if d := c.builtin.ByID(id); d != nil {
		return d, nil
	}
	d, err := c.store.Model(ctx, projectID, id)
	if errors.Is(err, metastore.ErrNotFound) {
		return nil, noModel()
	}
	return &d, err
}

// Create adds a definition to a project under an id of ours. A name that the project uses already,
// or a definition that cannot be used, is fault.Invalid.
func (c *Catalog) Create(ctx context.Context, projectID string, d price.Definition) (*price.Definition, error) {
	if err := complete(&d, projectID, uuid.NewString()); err != nil {
		return nil, err
	}
	return &d, written(c.store.CreateModel(ctx, d), d.Name)
}

// Put creates the project's definition with that id, or replaces it. The id of a built-in
// definition is fault.Invalid.
func (c *Catalog) Put(ctx context.Context, projectID, id string, d price.Definition) (*price.Definition, error) {
	if c.builtin.ByID(id) != nil {
		return nil, fault.New(fault.Invalid, "Built-in models cannot be replaced").
			Hint("create a model with the same matchPattern: a project's own models come first")
	}
	if err := complete(&d, projectID, id); err != nil {
		return nil, err
	}
	if err := written(c.store.PutModel(ctx, d), d.Name); err != nil {
		return nil, err
	}
	return c.Get(ctx, projectID, id)
}

// Delete removes a definition of a project's own. fault.NotFound, also for built-in ones.
func (c *Catalog) Delete(ctx context.Context, projectID, id string) error {
	if c.builtin.ByID(id) != nil {
		return fault.New(fault.NotFound, "No model with this id in this project").Hint("built-in models cannot be deleted")
	}
	err := c.store.DeleteModel(ctx, projectID, id)
	if errors.Is(err, metastore.ErrNotFound) {
		return noModel()
	}
	return err
}

// complete fills in what a client does not send, and checks the rest.
func complete(d *price.Definition, projectID, id string) error {
	d.ID, d.ProjectID, d.CreatedAt = id, projectID, time.Now().UTC().Truncate(time.Microsecond)
	for i := range d.Tiers {
		d.Tiers[i].ID = uuid.NewString()
	}
	return d.Prepare()
}

func written(err error, name string) error {
	if errors.Is(err, metastore.ErrExists) {
		return fault.New(fault.Invalid, "Model name %q already exists in project", name).
			Hint("choose another modelName, or replace the model by its id").Because(err)
	}
	return err
}

func noModel() error {
	return fault.New(fault.NotFound, "No model with this id in this project")
}
