package prompts

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// The bounds of composition.
const (
	maxDepth    = 5       // prompts on a way down, the one that is read included
	maxIncluded = 200     // different prompts in one
	maxResolved = 4 << 20 // bytes of a text or message with all that it includes
)

// Node is a prompt in a graph.
type Node struct {
	ID, Name string
	Version  int
}

// Graph says which prompts a prompt includes, and which those do.
type Graph struct {
	Root         Node
	Dependencies map[string][]Node // by the id of the one that includes them
}

// inclusion finds the places where other prompts are named; readTag says whether it names one.
var inclusion = regexp.MustCompile(`@@@langfusePrompt:(.*?)@@@`)

// readTag reads the inside of a tag: name=N|version=V or name=N|label=L. Anything else is plain text.
func readTag(inside string) (model.PromptReference, bool) {
	first, second, _ := strings.Cut(inside, "|")
	name, named := strings.CutPrefix(first, "name=")
	if !named || name == "" {
		return model.PromptReference{}, false
	}
	if label, ok := strings.CutPrefix(second, "label="); ok {
		return model.PromptReference{Name: name, Label: label}, label != "" && !strings.Contains(label, "|")
	}
	text, ok := strings.CutPrefix(second, "version=")
	version, err := strconv.Atoi(text)
	return model.PromptReference{Name: name, Version: version}, ok && err == nil && version > 0
}

// references lists the prompts that a content names, each once.
func references(c model.PromptContent) (list []model.PromptReference) {
	texts := []string{c.Text}
	for _, m := range c.Messages {
		texts = append(texts, m.Content)
	}
	seen := map[model.PromptReference]bool{}
	for _, text := range texts {
		for _, match := range inclusion.FindAllStringSubmatch(text, -1) {
			if r, ok := readTag(match[1]); ok && !seen[r] {
				seen[r] = true
				list = append(list, r)
			}
		}
	}
	return list
}

// resolve puts the texts of other prompts in the place of their tags. What cannot be included is a fault of
// the given kind.
func (s *Service) resolve(ctx context.Context, p model.Prompt, kind fault.Kind) (*Found, error) {
	r := resolver{
		store: s.store, root: p, kind: kind, graph: map[string][]Node{},
		prompts: map[model.PromptReference]model.Prompt{}, done: map[string]resolved{},
	}
	way := []string{p.Name}
	var err error
	if p.Content.Messages == nil {
		p.Content.Text, _, err = r.text(ctx, p, p.Content.Text, way)
	} else {
		p.Content.Messages = slices.Clone(p.Content.Messages)
		for i := range p.Content.Messages {
			m := &p.Content.Messages[i]
			if m.Content, _, err = r.text(ctx, p, m.Content, way); err != nil {
				break
			}
		}
	}
	if err != nil {
		return nil, err
	}
	found := &Found{Prompt: p}
	if len(r.graph) > 0 {
		found.Graph = &Graph{Root: Node{p.ID, p.Name, p.Version}, Dependencies: r.graph}
	}
	return found, nil
}

// resolver works on one prompt.
type resolver struct {
	store   metastore.Prompts
	root    model.Prompt
	kind    fault.Kind
	graph   map[string][]Node
	prompts map[model.PromptReference]model.Prompt
	done    map[string]resolved // by id
}

// resolved is the text of an included prompt and how many prompts lie on the longest way down from it.
type resolved struct {
	text  string
	depth int
}

// text resolves a text of prompt p, to which a way of names led.
func (r *resolver) text(ctx context.Context, p model.Prompt, text string, way []string) (string, int, error) {
	var out strings.Builder
	depth, from := 1, 0
	for _, at := range inclusion.FindAllStringSubmatchIndex(text, -1) {
		reference, ok := readTag(text[at[2]:at[3]])
		if !ok {
			continue
		}
		child, err := r.include(ctx, p, reference, way)
		if err != nil {
			return "", 0, err
		}
		out.WriteString(text[from:at[0]])
		out.WriteString(child.text)
		depth, from = max(depth, 1+child.depth), at[1]
		if out.Len() > maxResolved {
			return "", 0, fault.New(r.kind, "The prompt with all that it includes is larger than %d bytes", maxResolved)
		}
	}
	if from == 0 {
		return text, depth, nil
	}
	out.WriteString(text[from:])
	return out.String(), depth, nil
}

// include returns the resolved text of a prompt that p names.
func (r *resolver) include(ctx context.Context, p model.Prompt, reference model.PromptReference, way []string) (resolved, error) {
	child, err := r.read(ctx, reference)
	if err != nil {
		return resolved{}, err
	}
	if slices.Contains(way, child.Name) {
		return resolved{}, fault.New(r.kind, "Circular dependency detected: %s includes %s", p.Name, metastore.ReferenceText(reference)).
			Hint("no prompt may include itself, nor another version of itself")
	}
	if node := (Node{child.ID, child.Name, child.Version}); !slices.Contains(r.graph[p.ID], node) {
		r.graph[p.ID] = append(r.graph[p.ID], node)
	}
	known, ok := r.done[child.ID]
	if len(way)+max(1, known.depth) > maxDepth {
		return resolved{}, fault.New(r.kind, "Maximum nesting depth exceeded (%d)", maxDepth).Hint("put texts of the lowest prompts into those that include them")
	}
	if ok {
		return known, nil
	}
	known.text, known.depth, err = r.text(ctx, child, child.Content.Text, append(slices.Clone(way), child.Name))
	if err == nil {
		r.done[child.ID] = known
	}
	return known, err
}

func (r *resolver) read(ctx context.Context, reference model.PromptReference) (model.Prompt, error) {
	if p, ok := r.prompts[reference]; ok {
		return p, nil
	}
	if len(r.prompts) >= maxIncluded {
		return model.Prompt{}, fault.New(r.kind, "The prompt includes more than %d others", maxIncluded)
	}
	p, err := r.store.Prompt(ctx, r.root.ProjectID, reference.Name, metastore.PromptSelector{Version: reference.Version, Label: reference.Label})
	switch {
	case errors.Is(err, metastore.ErrNotFound), fault.Is(err, fault.Invalid): // no prompt can have that name
		return p, fault.New(r.kind, "Prompt dependency not found: %s", metastore.ReferenceText(reference)).Hint("create it, or take the tag out")
	case err != nil:
		return p, err
	case p.Type != model.TextPrompt:
		return p, fault.New(r.kind, "Prompt dependency is not a text prompt: %s", metastore.ReferenceText(reference)).Hint("only text prompts can be included")
	}
	r.prompts[reference] = p
	return p, nil
}
