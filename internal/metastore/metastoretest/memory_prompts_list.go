package metastoretest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/metastore"
)

// ListPrompts implements metastore.Prompts.
func (m *Memory) ListPrompts(ctx context.Context, projectID string, q metastore.PromptQuery) ([]metastore.PromptSummary, int, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	for _, condition := range q.Conditions {
		if err := metastore.CheckPromptCondition(condition); err != nil {
			return nil, 0, err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []metastore.PromptSummary
	for key, p := range m.prompts.names {
		if key.project != projectID {
			continue
		}
		if s := p.summary(key.name, q.Conditions); len(s.Versions) > 0 {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b metastore.PromptSummary) int { return cmp.Compare(a.Name, b.Name) })
	total := len(list)
	list = list[min(q.Offset, total):min(q.Offset+q.Limit, total)]
	size := 0
	for _, s := range list {
		if size += len(s.LastConfig); size > metastore.MaxPromptPage {
			return nil, 0, metastore.PageTooLarge()
		}
	}
	return list, total, nil
}

func (p *memoryPrompt) summary(name string, conditions []filter.Condition) metastore.PromptSummary {
	s := metastore.PromptSummary{Name: name, Type: p.kind, Tags: slices.Clone(p.tags)}
	for _, version := range p.picked(metastore.PromptSelector{}) {
		v := p.versions[version]
		if slices.ContainsFunc(conditions, func(c filter.Condition) bool { return !p.meets(v, c) }) {
			continue
		}
		s.Versions, s.Labels, s.LastConfig = append(s.Versions, version), append(s.Labels, v.Labels...), slices.Clone(v.Config)
		if v.UpdatedAt.After(s.UpdatedAt) {
			s.UpdatedAt = v.UpdatedAt
		}
	}
	slices.Sort(s.Labels)
	return s
}

// meets is what conditions mean, in plain Go.
func (p *memoryPrompt) meets(v *memoryVersion, condition filter.Condition) bool {
	texts := map[filter.Column]string{filter.ID: v.ID, filter.Name: v.Name, filter.Type: string(v.Type)}
	switch c := condition.(type) {
	case filter.OneOf:
		return slices.Contains(c.Values, texts[c.Column]) != c.Not
	case filter.Text:
		return meetsText(texts[c.Column], c.Op, c.Value)
	case filter.Number:
		return meetsOrder(cmp.Compare(float64(v.Version), c.Value), c.Op)
	case filter.Time:
		at := map[filter.Column]time.Time{filter.CreatedAt: v.CreatedAt, filter.UpdatedAt: v.UpdatedAt}[c.Column]
		return meetsOrder(at.Compare(c.At.Truncate(time.Millisecond)), c.Op)
	case filter.List:
		return meetsList(map[filter.Column][]string{filter.Labels: v.Labels, filter.Tags: p.tags}[c.Column], c)
	case filter.MetadataText:
		value, ok := metastore.ReadPromptConfig(v.Config)[c.Key]
		return ok && meetsText(value, c.Op, c.Value)
	case filter.MetadataSet:
		_, ok := metastore.ReadPromptConfig(v.Config)[c.Key]
		return ok == c.Want
	}
	return true
}

func meetsOrder(compared int, op filter.Order) bool {
	switch op {
	case filter.Above:
		return compared > 0
	case filter.Below:
		return compared < 0
	case filter.AtLeast:
		return compared >= 0
	case filter.AtMost:
		return compared <= 0
	default:
		return compared == 0
	}
}

func meetsList(has []string, c filter.List) bool {
	found := func(value string) bool { return slices.Contains(has, value) }
	switch c.Op {
	case filter.NoneOf:
		return !slices.ContainsFunc(c.Values, found)
	case filter.AllOf:
		return !slices.ContainsFunc(c.Values, func(value string) bool { return !found(value) })
	default:
		return slices.ContainsFunc(c.Values, found)
	}
}

func meetsText(text string, op filter.TextOp, value string) bool {
	folded, pattern := []rune(strings.ToLower(text)), []rune(strings.ToLower(value))
	switch op {
	case filter.Equal:
		return text == value
	case filter.StartsWith:
		return like(folded, pattern, true)
	case filter.EndsWith:
		return slices.ContainsFunc(tails(folded), func(tail []rune) bool { return like(tail, pattern, false) })
	case filter.NotContains:
		return !slices.ContainsFunc(tails(folded), func(tail []rune) bool { return like(tail, pattern, true) })
	default:
		return slices.ContainsFunc(tails(folded), func(tail []rune) bool { return like(tail, pattern, true) })
	}
}

func tails(text []rune) (list [][]rune) {
	for i := range len(text) + 1 {
		list = append(list, text[i:])
	}
	return list
}

// like reports whether a text, or with prefix a beginning of it, is what a pattern stands for.
func like(text, pattern []rune, prefix bool) bool {
	if len(pattern) == 0 {
		return prefix || len(text) == 0
	}
	switch pattern[0] {
	case '%':
		return slices.ContainsFunc(tails(text), func(tail []rune) bool { return like(tail, pattern[1:], prefix) })
	case '_':
		return len(text) > 0 && like(text[1:], pattern[1:], prefix)
	case '\\':
		if len(pattern) > 1 {
			pattern = pattern[1:]
		}
	}
	return len(text) > 0 && text[0] == pattern[0] && like(text[1:], pattern[1:], prefix)
}
