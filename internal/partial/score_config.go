package partial

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/sondehq/sonde/internal/model"
)

// ConfigIDs lists the score configs that events of the batch name, each once.
func (b *Batch) ConfigIDs() []string {
	seen := map[string]bool{}
	for i := range b.Events {
		if id := configID(&b.Events[i]); id != "" {
			seen[id] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

func configID(e *Event) string {
	if e.Kind != Score || !bytes.Contains(e.Body, []byte(`"configId"`)) { // most name none
		return ""
	}
	r := newReader(e.Body)
	return r.text("configId")
}

// Configure applies configs to the scores that name one: the config gives name and type, and its
// category the number. A score that breaks its config, or names one that is not given, is refused
// and leaves the batch.
func (b *Batch) Configure(configs map[string]*model.ScoreConfig) {
	kept := b.Events[:0]
	moved := make([]int, len(b.Events)) // to where, -1: refused
	for i := range b.Events {
		e := &b.Events[i]
		issue := ""
		if id := configID(e); id != "" {
			issue = configure(e, configs[id])
		}
		if issue != "" {
			b.refuse(b.nameOf(i), issue)
			moved[i] = -1
			continue
		}
		moved[i] = len(kept)
		kept = append(kept, *e)
	}
	b.Events = kept
	b.answers = slices.DeleteFunc(b.answers, func(a answer) bool { return a.event >= 0 && moved[a.event] < 0 })
	for i := range b.answers {
		if a := &b.answers[i]; a.event >= 0 {
			a.event = moved[a.event]
		}
	}
	b.Accepted = inAnswerOrder(b.answers)
}

// nameOf is the id under which the client hears of an event: the event's own, or the score's.
func (b *Batch) nameOf(event int) string {
	if id := b.Events[event].ID; id != "" {
		return id
	}
	_, id := b.Events[event].Entity()
	return id
}

// configure makes a score what its config says, or says why it cannot be.
func configure(e *Event, c *model.ScoreConfig) string {
	f, _ := readScore(e.Body)
	switch {
	case c == nil:
		return "configId: no score config with this id in this project"
	case c.Archived:
		return "configId: the score config is archived and takes no scores any more"
	case f.kind != "" && f.kind != c.Type:
		return fmt.Sprintf("dataType: the score config says %s", c.Type)
	}
	if text := valueIssue(c.Type, f.value); text != "" {
		return fmt.Sprintf("value: %s, because the score config says %s", text, c.Type)
	}
	if issue := f.fit(c); issue != "" {
		return issue
	}
	f.members["name"], f.members["dataType"] = quote(c.Name), quote(string(c.Type))
	e.Body = f.body(f.id)
	return ""
}

// fit holds a value of the right type to the range or the categories of a config.
func (f *scoreFields) fit(c *model.ScoreConfig) string {
	if c.Type == model.Numeric {
		number, _ := numberOf(f.value)
		if c.Min != nil && number < *c.Min {
			return "value: must be at least " + shortest(*c.Min) + ", says the score config"
		}
		if c.Max != nil && number > *c.Max {
			return "value: must be at most " + shortest(*c.Max) + ", says the score config"
		}
	}
	if c.Type == model.Categorical {
		label, _ := textOf(f.value)
		at := slices.IndexFunc(c.Categories, func(c model.ScoreCategory) bool { return c.Label == label })
		if at < 0 {
			return "value: none of the categories of the score config"
		}
		f.category = json.RawMessage(shortest(c.Categories[at].Value))
	}
	return ""
}

func shortest(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }
