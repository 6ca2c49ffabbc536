package prompts

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// Form says what a reader wants of a prompt that includes others.
type Form bool

// The forms.
const (
	Resolved Form = false // with the texts of the others in it
	Raw      Form = true  // with the tags, as it was written
)

// Found is a prompt that was read. All readers share it: nobody changes it.
type Found struct {
	Prompt model.Prompt
	Graph  *Graph // nil: it includes no others, or is raw

	encoded atomic.Pointer[[]byte]
}

// Encoded returns what encode makes of the prompt and keeps it with the prompt, so that a prompt that
// is read often is encoded once. All callers must bring the same encode.
func (f *Found) Encoded(encode func(*Found) ([]byte, error)) ([]byte, error) {
	if known := f.encoded.Load(); known != nil {
		return *known, nil
	}
	text, err := encode(f)
	if err == nil {
		f.encoded.Store(&text)
	}
	return text, err
}

// loadTimeout bounds reading a prompt and all that it includes.
const loadTimeout = 5 * time.Second

// Get returns a version of a prompt: the one that the selector picks, or the one in production. It is as the
// store had it less than a second ago, or later; what this process wrote before is in it. While the store does not
// answer, it may be as it was a minute ago. fault.NotFound; fault.Conflict when it includes what cannot be included.
func (s *Service) Get(ctx context.Context, projectID, name string, selector metastore.PromptSelector, form Form) (*Found, error) {
	if selector == (metastore.PromptSelector{}) {
		selector.Label = model.LabelProduction
	}
	if err := metastore.CheckPromptName(name, selector); err != nil {
		return nil, err
	}
	if err := s.watch.current(ctx); err != nil {
		return nil, err
	}
	k := key{projectID, name, selector, form}
	known, ok, drops := s.cache.get(k)
	if ok {
		return known.found, known.err
	}
	// Whoever comes after a change must not share the answer to a question from before.
	question := s.loads.DoChan(fmt.Sprintf("%d %q %q %d %q %t", drops, projectID, name, selector.Version, selector.Label, form), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadTimeout)
		defer cancel()
		return s.load(ctx, k, drops)
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case result := <-question:
		if result.Err != nil {
			return nil, result.Err
		}
		return result.Val.(*Found), nil
	}
}

type loads = singleflight.Group

// load reads a prompt and remembers what it found, or that there is nothing.
func (s *Service) load(ctx context.Context, k key, drops int) (*Found, error) {
	found, err := s.read(ctx, k)
	if err == nil || fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) {
		s.cache.put(k, entry{found, err}, drops)
	}
	return found, err
}

func (s *Service) read(ctx context.Context, k key) (*Found, error) {
	p, err := s.store.Prompt(ctx, k.project, k.name, k.selector)
	if errors.Is(err, metastore.ErrNotFound) {
		return nil, noPrompt()
	}
	if err != nil {
		return nil, err
	}
	if k.form == Raw {
		return &Found{Prompt: p}, nil
	}
	return s.resolve(ctx, p, fault.Conflict)
}
