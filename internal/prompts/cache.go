package prompts

import (
	"maps"
	"slices"
	"sync"

	"github.com/sondehq/sonde/internal/metastore"
)

// The bounds of the cache, prompts that do not exist included.
const (
	maxEntries = 10_000
	maxBytes   = 64 << 20
	// ownBytes is about what an entry takes beside its texts.
	ownBytes = 1 << 10
)

// key is one question.
type key struct {
	project, name string
	selector      metastore.PromptSelector
	form          Form
}

// entry is an answer.
type entry struct {
	found *Found
	err   error
}

// size is about what an entry takes, with what Encoded keeps.
func (e entry) size(k key) int {
	size := ownBytes + len(k.name) + len(k.project)
	if e.found == nil {
		return size
	}
	p := &e.found.Prompt
	size += 2 * (len(p.Content.Text) + len(p.Config) + len(p.Name))
	for _, m := range p.Content.Messages {
		size += 2 * (len(m.Role) + len(m.Content) + len(m.Placeholder) + 16)
	}
	for _, text := range slices.Concat(p.Labels, p.Tags) {
		size += 2 * len(text)
	}
	if e.found.Graph != nil {
		for _, nodes := range e.found.Graph.Dependencies {
			for _, n := range nodes {
				size += 2 * (len(n.ID) + len(n.Name) + 16)
			}
		}
	}
	return size
}

// cache remembers answers.
type cache struct {
	mu sync.RWMutex
	// Two generations bound the cache without a list of ages: when the younger is full, the elder is
	// dropped. What is asked for comes back into the younger.
	younger, elder map[key]entry
	bytes          int // of the younger
	drops          int // how often something was dropped because it changed
}

func newCache() *cache { return &cache{younger: map[key]entry{}} }

// get returns what is known, and a number for put.
func (c *cache) get(k key) (e entry, ok bool, drops int) {
	c.mu.RLock()
	e, ok = c.younger[k]
	drops = c.drops
	aged := false
	if !ok {
		e, ok = c.elder[k]
		aged = ok
	}
	c.mu.RUnlock()
	if aged {
		c.put(k, e, drops)
	}
	return e, ok, drops
}

// put remembers an answer to a question that was asked when get gave the number, unless something has
// been dropped since: the answer may be older than the change.
func (c *cache) put(k key, e entry, drops int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.drops != drops {
		return
	}
	size := e.size(k)
	if len(c.younger) >= maxEntries/2 || c.bytes+size > maxBytes/2 {
		c.younger, c.elder, c.bytes = map[key]entry{}, c.younger, 0
	}
	if _, again := c.younger[k]; !again {
		c.bytes += size
	}
	c.younger[k] = e
}

// drop forgets the prompts of projects.
func (c *cache) drop(projects ...string) {
	if len(projects) == 0 {
		return
	}
	changed := map[string]bool{}
	for _, project := range projects {
		changed[project] = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drops++
	for k, e := range c.younger {
		if changed[k.project] {
			c.bytes -= e.size(k)
			delete(c.younger, k)
		}
	}
	maps.DeleteFunc(c.elder, func(k key, _ entry) bool { return changed[k.project] })
}

// clear forgets everything.
func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drops++
	c.younger, c.elder, c.bytes = map[key]entry{}, nil, 0
}
