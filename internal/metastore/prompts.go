package metastore

import (
	"context"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
)

// The bounds of prompts.
const (
	MaxPromptVersions = 10_000   // of one name
	MaxPromptLabels   = 100      // of one version
	MaxPromptTags     = 100      // of one name
	MaxLabel          = 36       // bytes of a label
	MaxTag            = 256      // bytes of a tag
	MaxPromptIncludes = 100      // other prompts that one version names
	MaxPromptBytes    = 2 << 20  // of a version's content, and of its config
	MaxConfigKeys     = 1000     // of the top level of a config
	MaxPromptChanges  = 1000     // that are told at once
	MaxPromptPage     = 16 << 20 // bytes of configs on a page
)

// PromptSelector picks versions of a name: those that meet all that is set, or all versions.
type PromptSelector struct {
	Version int
	Label   string
}

// PromptDraft is a version to be made: Version, CreatedAt and UpdatedAt of the prompt are set by the store.
type PromptDraft struct {
	model.Prompt
	// KeepTags leaves the tags of the name as they are; else all versions get those of the draft.
	KeepTags bool
	// Includes are the other prompts that the content names.
	Includes []model.PromptReference
	At       time.Time
}

// PromptQuery asks for a page of prompts. Conditions select versions; all must hold.
type PromptQuery struct {
	Conditions    []filter.Condition // on columns of filter.Prompts
	Limit, Offset int
}

// PromptSummary is what a list says of a name: of those of its versions that were selected.
type PromptSummary struct {
	Name       string
	Type       model.PromptType
	Versions   []int    // rising
	Labels     []string // sorted
	Tags       []string
	UpdatedAt  time.Time // the latest
	LastConfig []byte    // of the highest version
}

// PromptChanges says which projects' prompts changed.
type PromptChanges struct {
	Revision int64    // the newest; a later question is about what comes after it
	Projects []string // at most MaxPromptChanges; if there are as many, others may have changed, too
}

// Prompts keeps the versions of prompts and their labels. Projects do not see each other's. Times are
// kept to the millisecond. What cannot be stored is refused with fault.Invalid.
//
// Every write is one transaction. Of many at once none is lost: they take turns by project. Whatever is
// written, a name's highest version, and no other, has the label "latest"; a label belongs to one version
// of a name at most; and whoever asks PromptChanges afterwards hears of the project.
type Prompts interface {
	PromptHistory
	// CreatePrompt makes the version that follows the highest one of the name, 1 if there is none, and
	// returns it. It gets its labels, and "latest", from the versions that had them. fault.Invalid when the
	// name has versions of another type, or MaxPromptVersions, and when an included prompt is not there or
	// is no text. ErrNotFound when there is no such project.
	CreatePrompt(ctx context.Context, draft PromptDraft) (model.Prompt, error)
	// Prompt returns the version of a name that a selector with at least one member picks. ErrNotFound.
	Prompt(ctx context.Context, projectID, name string, selector PromptSelector) (model.Prompt, error)
	// PromptExists reports whether a project has a prompt version with this id.
	PromptExists(ctx context.Context, projectID, id string) (bool, error)
	// LabelPrompt moves labels to a version, which keeps those that it has, and returns it. ErrNotFound.
	LabelPrompt(ctx context.Context, projectID, name string, version int, labels []string, at time.Time) (model.Prompt, error)
	// TagPrompt gives all versions of a name exactly these tags. ErrNotFound.
	TagPrompt(ctx context.Context, projectID, name string, tags []string, at time.Time) error
	// DeletePrompts removes the versions of a name that the selector picks; "latest" goes to the highest
	// that is left. fault.Invalid when a version of another prompt includes one that would be gone, ErrNotFound when none
	// is picked.
	DeletePrompts(ctx context.Context, projectID, name string, selector PromptSelector, at time.Time) error
	// ListPrompts returns a page of names that have versions which meet the conditions, by the bytes of the
	// name, and how many there are. Text comparisons but "=" and "one of" take no account of letter case, and
	// their values are patterns: "%" stands for any text, "_" for a character, a backslash before a character
	// for that character. fault.Exhausted when the configs of the page are larger than MaxPromptPage.
	ListPrompts(ctx context.Context, projectID string, query PromptQuery) ([]PromptSummary, int, error)
	// PromptChanges tells of all changes that were committed before it was called and have a revision above
	// since. Revisions rise by one with every write, in the order in which writes become visible.
	PromptChanges(ctx context.Context, since int64) (PromptChanges, error)
}

// PromptVersion is what a history says of a version: all but its text and config.
type PromptVersion struct {
	ID            string
	Version       int
	Labels        []string
	CommitMessage string
	CreatedBy     string // the id of a user, or "API"
	AuthorName    string // of that user; "": there is none any more, or they gave none
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// PromptDependent is a version of a prompt that includes another prompt.
type PromptDependent struct {
	Name     string
	Version  int
	Includes model.PromptReference
}

// PromptHistory tells what became of a prompt, and who needs it.
type PromptHistory interface {
	// PromptVersions returns a part of the versions of a name, the highest first, and the number of all.
	PromptVersions(ctx context.Context, projectID, name string, part Range) ([]PromptVersion, int, error)
	// PromptDependents returns a part of the versions of other prompts that include one of a name, by name, then the highest
	// version first, and the number of all.
	PromptDependents(ctx context.Context, projectID, name string, part Range) ([]PromptDependent, int, error)
}

// CheckPrompt refuses with fault.Invalid a draft that cannot be stored; content is its JSON text.
func CheckPrompt(d PromptDraft, content string, config PromptConfig) error {
	if len(d.Labels) > MaxPromptLabels {
		return fault.Invalidf("labels", "must not be more than %d", MaxPromptLabels)
	}
	if len(d.Includes) > MaxPromptIncludes {
		return fault.Invalidf("prompt", "must not include more than %d other prompts", MaxPromptIncludes)
	}
	if len(config) > MaxConfigKeys {
		return fault.Invalidf("config", "must not have more than %d keys at its top level", MaxConfigKeys)
	}
	for _, label := range d.Labels {
		if err := checkLabel("labels", label); err != nil {
			return err
		}
	}
	if err := CheckPromptTags(d.Tags); err != nil {
		return err
	}
	for _, include := range d.Includes {
		if err := first(CheckID("prompt", include.Name), checkText("prompt", include.Label)); err != nil {
			return err
		}
	}
	return first(
		CheckID("project id", d.ProjectID), CheckID("id", d.ID), CheckID("name", d.Name), CheckID("type", string(d.Type)),
		checkText("createdBy", d.CreatedBy), checkDocument("commitMessage", d.CommitMessage),
		checkLarge("prompt", content), checkLarge("config", string(d.Config)),
	)
}

// CheckPromptName refuses with fault.Invalid a name or label that no prompt can have.
func CheckPromptName(name string, selector PromptSelector) error {
	return first(CheckID("name", name), checkText("label", selector.Label))
}

// CheckPromptLabels refuses with fault.Invalid labels that cannot be stored.
func CheckPromptLabels(labels []string) error {
	if len(labels) > MaxPromptLabels {
		return fault.Invalidf("newLabels", "must not be more than %d", MaxPromptLabels)
	}
	for _, label := range labels {
		if err := checkLabel("newLabels", label); err != nil {
			return err
		}
	}
	return nil
}

// CheckPromptTags refuses with fault.Invalid tags that cannot be stored.
func CheckPromptTags(tags []string) error {
	if len(tags) > MaxPromptTags {
		return fault.Invalidf("tags", "must not be more than %d", MaxPromptTags)
	}
	for _, tag := range tags {
		if err := checkTag(tag); err != nil {
			return err
		}
	}
	return nil
}

// NoSuchInclude is the fault of a draft that includes a prompt which is not there or is no text.
func NoSuchInclude(r model.PromptReference) error {
	return fault.New(fault.Invalid, "Prompt dependency not found, or no text prompt: %s", ReferenceText(r)).
		Hint("create it first, or take the tag out")
}

// OtherType is the fault of a draft whose name has versions of another type.
func OtherType(has model.PromptType) error {
	return fault.New(fault.Invalid, "Previous versions of this prompt have type %q", has).Hint("use that type, or another name")
}

// TooManyVersions is the fault of a name that has MaxPromptVersions.
func TooManyVersions() error {
	return fault.New(fault.Invalid, "A prompt can have at most %d versions", MaxPromptVersions).
		Hint("delete versions that are not needed any more")
}

// StillIncluded is the fault of a deletion that another prompt stands against.
func StillIncluded(parent string, version int, r model.PromptReference) error {
	return fault.New(fault.Invalid, "Other prompts depend on %s: %s, version %d", ReferenceText(r), parent, version).
		Hint("delete that version first")
}

// PageTooLarge is the fault of a page with too large configs.
func PageTooLarge() error {
	return fault.New(fault.Exhausted, "The configs of this page are larger than %d bytes together", MaxPromptPage).
		Hint("ask for fewer prompts with limit")
}
