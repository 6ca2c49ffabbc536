package metastore

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/price"
)

// MaxModels is how many model definitions a project may have.
const MaxModels = 1000

// maxDocument bounds the JSON texts of a definition.
const maxDocument = 256 << 10

// Models keeps the model definitions of projects. Ids and names are unique within a project;
// projects do not see each other's. Prices come back as the decimals that they were, and
// definitions unprepared. What cannot be stored is refused with fault.Invalid.
type Models interface {
	// CreateModel adds a definition to a project. ErrExists when the project has its id or its name
	// already, ErrNotFound when there is no such project, fault.Invalid when the project has MaxModels.
	CreateModel(ctx context.Context, definition price.Definition) error
	// PutModel creates the definition, or replaces the project's definition with that id whole, its
	// time of creation apart. ErrExists when another of the project's definitions has its name.
	PutModel(ctx context.Context, definition price.Definition) error
	// Model returns one definition of a project. ErrNotFound.
	Model(ctx context.Context, projectID, id string) (price.Definition, error)
	// Models returns all definitions of a project, by name.
	Models(ctx context.Context, projectID string) ([]price.Definition, error)
	// DeleteModel removes one definition of a project. ErrNotFound.
	DeleteModel(ctx context.Context, projectID, id string) error
}

// CheckModel refuses with fault.Invalid a definition that cannot be stored.
func CheckModel(d price.Definition, tiers string) error {
	return first(
		CheckID("project id", d.ProjectID),
		CheckID("id", d.ID),
		CheckID("modelName", d.Name),
		CheckID("matchPattern", d.Pattern),
		checkText("unit", d.Unit),
		checkText("tokenizerId", d.Tokenizer),
		checkDocument("tokenizerConfig", d.TokenizerConfig),
		checkDocument("pricingTiers", tiers),
	)
}

// checkDocument is checkText for texts that no index holds.
func checkDocument(field, text string) error {
	if len(text) > maxDocument {
		return fault.Invalidf(field, "must not be larger than %d bytes", maxDocument)
	}
	return checkPlain(field, text)
}

// checkPlain refuses with fault.Invalid a text that not every database can hold, whatever its size.
func checkPlain(field, text string) error {
	if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
		return fault.Invalidf(field, "must be valid UTF-8 without NUL characters")
	}
	return nil
}

// TooManyModels is the fault of a project that has MaxModels.
func TooManyModels() error {
	return fault.New(fault.Invalid, "A project can have at most %d models", MaxModels).
		Hint("delete one that is not needed any more")
}
