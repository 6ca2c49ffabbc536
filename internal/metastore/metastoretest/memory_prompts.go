package metastoretest

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// memoryPrompts holds the prompts of all projects.
type memoryPrompts struct {
	names    map[promptName]*memoryPrompt
	revision int64
	changes  map[string]int64 // revision of the newest change by project
}

type promptName struct{ project, name string }

type memoryPrompt struct {
	kind     model.PromptType
	tags     []string
	versions map[int]*memoryVersion
}

type memoryVersion struct {
	model.Prompt // without its tags
	includes     []model.PromptReference
}

func (p *memoryPrompt) newest() (version int) {
	for v := range p.versions {
		version = max(version, v)
	}
	return version
}

// picked lists the versions that a selector picks.
func (p *memoryPrompt) picked(s metastore.PromptSelector) (list []int) {
	if p == nil {
		return nil
	}
	for number, v := range p.versions {
		if (s.Version == 0 || s.Version == number) && (s.Label == "" || slices.Contains(v.Labels, s.Label)) {
			list = append(list, number)
		}
	}
	slices.Sort(list)
	return list
}

// label moves labels to a version.
func (p *memoryPrompt) label(version int, labels []string, at time.Time) {
	for _, label := range labels {
		if slices.Contains(p.versions[version].Labels, label) {
			continue
		}
		for _, v := range p.versions {
			if i := slices.Index(v.Labels, label); i >= 0 {
				v.Labels, v.UpdatedAt = slices.Delete(v.Labels, i, i+1), at
			}
		}
		v := p.versions[version]
		v.Labels, v.UpdatedAt = append(v.Labels, label), at
	}
}

func (p *memoryPrompt) read(version int) model.Prompt {
	out := p.versions[version].Prompt
	out.Labels, out.Tags = slices.Clone(out.Labels), slices.Clone(p.tags)
	if len(out.Labels) == 0 {
		out.Labels = nil
	}
	out.Config, out.Content.Messages = slices.Clone(out.Config), slices.Clone(out.Content.Messages)
	return out
}

func (m *memoryPrompts) changed(project string) {
	m.revision++
	m.changes[project] = m.revision
}

func (m *memoryPrompts) pick(project string, r model.PromptReference) (*memoryPrompt, []int) {
	p := m.names[promptName{project, r.Name}]
	return p, p.picked(metastore.PromptSelector{Version: r.Version, Label: r.Label})
}

// CreatePrompt implements metastore.Prompts.
func (m *Memory) CreatePrompt(ctx context.Context, d metastore.PromptDraft) (model.Prompt, error) {
	if err := ctx.Err(); err != nil {
		return model.Prompt{}, err
	}
	content, err := json.Marshal(d.Content)
	if err != nil {
		return model.Prompt{}, err
	}
	if err := metastore.CheckPrompt(d, string(content), metastore.ReadPromptConfig(d.Config)); err != nil {
		return model.Prompt{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.projects[d.ProjectID]; !known {
		return model.Prompt{}, metastore.ErrNotFound
	}
	if m.prompts.names == nil {
		m.prompts.names, m.prompts.changes = map[promptName]*memoryPrompt{}, map[string]int64{}
	}
	p := m.prompts.names[promptName{d.ProjectID, d.Name}]
	if p == nil {
		p = &memoryPrompt{kind: d.Type, versions: map[int]*memoryVersion{}}
	}
	switch {
	case p.kind != d.Type:
		return model.Prompt{}, metastore.OtherType(p.kind)
	case len(p.versions) >= metastore.MaxPromptVersions:
		return model.Prompt{}, metastore.TooManyVersions()
	}
	for _, r := range d.Includes {
		if child, picked := m.prompts.pick(d.ProjectID, r); len(picked) == 0 || child.kind != model.TextPrompt {
			return model.Prompt{}, metastore.NoSuchInclude(r)
		}
	}
	m.prompts.names[promptName{d.ProjectID, d.Name}] = p
	m.prompts.changed(d.ProjectID)
	return p.add(d), nil
}

func (p *memoryPrompt) add(d metastore.PromptDraft) model.Prompt {
	at := d.At.UTC().Truncate(time.Millisecond)
	v := &memoryVersion{Prompt: d.Prompt, includes: slices.Clone(d.Includes)}
	v.Version, v.Labels, v.CreatedAt, v.UpdatedAt = p.newest()+1, nil, at, at
	v.Config, v.Content.Messages = slices.Clone(v.Config), slices.Clone(v.Content.Messages)
	p.versions[v.Version] = v
	if !d.KeepTags {
		p.tag(d.Tags, at)
	}
	p.label(v.Version, append(distinct(d.Labels), model.LabelLatest), at)
	return p.read(v.Version)
}

func (p *memoryPrompt) tag(tags []string, at time.Time) {
	sorted := func(l []string) []string { return slices.Sorted(slices.Values(l)) }
	if slices.Equal(sorted(distinct(tags)), sorted(p.tags)) {
		return
	}
	p.tags = distinct(tags)
	for _, version := range p.versions {
		version.UpdatedAt = at
	}
}

func distinct(list []string) (out []string) {
	for _, text := range list {
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// Prompt implements metastore.Prompts.
func (m *Memory) Prompt(ctx context.Context, projectID, name string, s metastore.PromptSelector) (model.Prompt, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckPromptName(name, s)); err != nil {
		return model.Prompt{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.prompts.names[promptName{projectID, name}]
	if picked := p.picked(s); len(picked) > 0 {
		return p.read(picked[0]), nil
	}
	return model.Prompt{}, metastore.ErrNotFound
}

// PromptExists implements metastore.Prompts.
func (m *Memory) PromptExists(ctx context.Context, projectID, id string) (bool, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("id", id)); err != nil {
		return false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, p := range m.prompts.names {
		for _, v := range p.versions {
			if key.project == projectID && v.ID == id {
				return true, nil
			}
		}
	}
	return false, nil
}

// TagPrompt implements metastore.Prompts.
func (m *Memory) TagPrompt(ctx context.Context, projectID, name string, tags []string, at time.Time) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckPromptName(name, metastore.PromptSelector{}), metastore.CheckPromptTags(tags)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.prompts.names[promptName{projectID, name}]
	if p == nil {
		return metastore.ErrNotFound
	}
	p.tag(tags, at.UTC().Truncate(time.Millisecond))
	m.prompts.changed(projectID)
	return nil
}

// LabelPrompt implements metastore.Prompts.
func (m *Memory) LabelPrompt(ctx context.Context, projectID, name string, version int, labels []string, at time.Time) (model.Prompt, error) {
	s := metastore.PromptSelector{Version: version}
	if err := cmp.Or(ctx.Err(), metastore.CheckPromptName(name, s), metastore.CheckPromptLabels(labels)); err != nil {
		return model.Prompt{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.prompts.names[promptName{projectID, name}]
	if version == 0 || len(p.picked(s)) == 0 {
		return model.Prompt{}, metastore.ErrNotFound
	}
	p.label(version, labels, at.UTC().Truncate(time.Millisecond))
	m.prompts.changed(projectID)
	return p.read(version), nil
}

// DeletePrompts implements metastore.Prompts.
func (m *Memory) DeletePrompts(ctx context.Context, projectID, name string, s metastore.PromptSelector, at time.Time) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckPromptName(name, s)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := promptName{projectID, name}
	p := m.prompts.names[key]
	picked := p.picked(s)
	if len(picked) == 0 {
		return metastore.ErrNotFound
	}
	if err := m.prompts.checkParents(key, picked); err != nil {
		return err
	}
	for _, version := range picked {
		delete(p.versions, version)
	}
	if len(p.versions) == 0 {
		delete(m.prompts.names, key)
	} else {
		p.label(p.newest(), []string{model.LabelLatest}, at.UTC().Truncate(time.Millisecond))
	}
	m.prompts.changed(projectID)
	return nil
}

// checkParents refuses when a version of another prompt includes one of those.
func (m *memoryPrompts) checkParents(key promptName, going []int) error {
	all := len(going) == len(m.names[key].versions)
	for parent, p := range m.names {
		if parent.project != key.project || parent == key {
			continue
		}
		for _, v := range p.versions {
			for _, r := range v.includes {
				_, picked := m.pick(key.project, r)
				moves := r.Label == model.LabelLatest && !all
				if r.Name == key.name && !moves && slices.ContainsFunc(picked, func(v int) bool { return slices.Contains(going, v) }) {
					return metastore.StillIncluded(parent.name, v.Version, r)
				}
			}
		}
	}
	return nil
}

// PromptChanges implements metastore.Prompts.
func (m *Memory) PromptChanges(ctx context.Context, since int64) (metastore.PromptChanges, error) {
	if err := ctx.Err(); err != nil {
		return metastore.PromptChanges{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	changed := slices.SortedFunc(maps.Keys(m.prompts.changes), func(a, b string) int { return cmp.Compare(m.prompts.changes[b], m.prompts.changes[a]) })
	changed = slices.DeleteFunc(changed, func(project string) bool { return m.prompts.changes[project] <= since })
	if len(changed) == 0 {
		changed = nil
	}
	return metastore.PromptChanges{Revision: m.prompts.revision, Projects: changed[:min(len(changed), metastore.MaxPromptChanges)]}, nil
}
