// Package prompts keeps prompts: versions, labels and composition, with a cache that all nodes keep true.
//
// A prompt that is read often costs no question to the database. What one node changes, it sees at once, and
// every other node within a second: each node that reads prompts asks twice a second, for all projects
// together, which of them changed. There are no messages between nodes that could be lost. While the database
// is away, prompts that are known here are served for a minute more.
package prompts

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// Service knows the prompts of all projects. It is safe for concurrent use.
type Service struct {
	store metastore.Prompts
	cache *cache
	watch *watch
	loads loads
}

// New makes a service; Close ends it.
func New(store metastore.Prompts) *Service {
	known := newCache()
	return &Service{store: store, cache: known, watch: newWatch(store, known)}
}

// Close waits for a question to the store that is under way. Nobody may read after it.
func (s *Service) Close() { s.watch.close() }

// Draft is a version of a prompt that somebody wants to make.
type Draft struct {
	Name          string
	Type          model.PromptType // "": text
	Content       model.PromptContent
	Config        json.RawMessage // nil: {}
	Labels        []string
	Tags          []string // nil: those that the prompt has
	CommitMessage string
	CreatedBy     string // the id of a user; "": a program
}

// Create makes the next version of a prompt. What cannot be used is fault.Invalid.
func (s *Service) Create(ctx context.Context, projectID string, d Draft) (model.Prompt, error) {
	if d.Type == "" {
		d.Type = model.TextPrompt
	}
	if d.Config == nil {
		d.Config = json.RawMessage("{}")
	}
	if err := check(d); err != nil {
		return model.Prompt{}, err
	}
	draft := metastore.PromptDraft{
		Prompt: model.Prompt{
			ProjectID: projectID, ID: uuid.NewString(), Name: d.Name, Type: d.Type, Content: d.Content, Config: d.Config,
			Labels: d.Labels, Tags: d.Tags, CommitMessage: d.CommitMessage, CreatedBy: cmp.Or(d.CreatedBy, "API"),
		},
		KeepTags: d.Tags == nil, Includes: references(d.Content), At: time.Now(),
	}
	// The text that comes of it is thrown away: what it includes may change until it is read.
	if _, err := s.resolve(ctx, draft.Prompt, fault.Invalid); err != nil {
		return model.Prompt{}, err
	}
	defer s.cache.drop(projectID)
	return s.store.CreatePrompt(ctx, draft)
}

// Label moves labels to a version, which keeps those that it has. fault.NotFound.
func (s *Service) Label(ctx context.Context, projectID, name string, version int, labels []string) (model.Prompt, error) {
	if err := checkNewLabels(labels); err != nil {
		return model.Prompt{}, err
	}
	defer s.cache.drop(projectID)
	p, err := s.store.LabelPrompt(ctx, projectID, name, version, labels, time.Now())
	if errors.Is(err, metastore.ErrNotFound) {
		return p, noPrompt()
	}
	return p, err
}

// Tag gives all versions of a prompt exactly these tags. fault.NotFound.
func (s *Service) Tag(ctx context.Context, projectID, name string, tags []string) error {
	defer s.cache.drop(projectID)
	err := s.store.TagPrompt(ctx, projectID, name, tags, time.Now())
	if errors.Is(err, metastore.ErrNotFound) {
		return noPrompt()
	}
	return err
}

// Delete removes the versions of a prompt that the selector picks. fault.NotFound when there are none,
// fault.Invalid when other prompts include one of them.
func (s *Service) Delete(ctx context.Context, projectID, name string, selector metastore.PromptSelector) error {
	defer s.cache.drop(projectID)
	err := s.store.DeletePrompts(ctx, projectID, name, selector, time.Now())
	if errors.Is(err, metastore.ErrNotFound) {
		return noPrompt()
	}
	return err
}

// ID returns the id of a version of a prompt, through the cache. fault.NotFound.
func (s *Service) ID(ctx context.Context, projectID, name string, version int) (string, error) {
	found, err := s.Get(ctx, projectID, name, metastore.PromptSelector{Version: version}, Raw)
	if err != nil {
		return "", err
	}
	return found.Prompt.ID, nil
}

// Query asks for a page of prompts. Filter takes the place of all other conditions.
type Query struct {
	Name, Label, Tag string
	Version          int
	From, To         time.Time // of the last change: at or after From, before To
	Filter           string    // conditions as JSON; "": none
	Page, Limit      int
}

// List returns a page of prompts by name and how many there are. A filter that cannot be used is fault.Invalid.
func (s *Service) List(ctx context.Context, projectID string, q Query) ([]metastore.PromptSummary, int, error) {
	conditions := q.conditions()
	if q.Filter != "" {
		var err error
		if conditions, err = filter.Parse(q.Filter, filter.Prompts); err != nil {
			return nil, 0, err
		}
	}
	return s.store.ListPrompts(ctx, projectID, metastore.PromptQuery{
		Conditions: conditions, Limit: q.Limit, Offset: min(q.Page-1, maxPage) * q.Limit,
	})
}

// maxPage is beyond the last page of any list, and far from where numbers end.
const maxPage = 1 << 40

func (q Query) conditions() (list []filter.Condition) {
	if q.Name != "" {
		list = append(list, filter.OneOf{Column: filter.Name, Values: []string{q.Name}})
	}
	if q.Version != 0 {
		list = append(list, filter.Number{Column: filter.PromptNumber, Op: filter.Same, Value: float64(q.Version)})
	}
	if q.Label != "" {
		list = append(list, filter.List{Column: filter.Labels, Op: filter.AnyOf, Values: []string{q.Label}})
	}
	if q.Tag != "" {
		list = append(list, filter.List{Column: filter.Tags, Op: filter.AnyOf, Values: []string{q.Tag}})
	}
	if !q.From.IsZero() {
		list = append(list, filter.Time{Column: filter.UpdatedAt, Op: filter.AtLeast, At: q.From})
	}
	if !q.To.IsZero() {
		list = append(list, filter.Time{Column: filter.UpdatedAt, Op: filter.Below, At: q.To})
	}
	return list
}

func noPrompt() error {
	return fault.New(fault.NotFound, "Prompt not found").Hint("look at name, version and label; without either, the version with the label production is read")
}
