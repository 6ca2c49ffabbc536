package metastoretest

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/sondehq/sonde/internal/metastore"
)

// PromptVersions implements metastore.PromptHistory.
func (m *Memory) PromptVersions(ctx context.Context, projectID, name string, part metastore.Range) ([]metastore.PromptVersion, int, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckPromptName(name, metastore.PromptSelector{})); err != nil {
		return nil, 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.prompts.names[promptName{projectID, name}]
	if p == nil {
		return nil, 0, nil
	}
	var list []metastore.PromptVersion
	for _, number := range slices.Backward(slices.Sorted(maps.Keys(p.versions))) {
		v := p.read(number)
		list = append(list, metastore.PromptVersion{
			ID: v.ID, Version: v.Version, Labels: v.Labels, CommitMessage: v.CommitMessage, CreatedBy: v.CreatedBy,
			AuthorName: m.tenants.users[v.CreatedBy].Name, CreatedAt: v.CreatedAt, UpdatedAt: v.UpdatedAt,
		})
	}
	return cut(list, part.Offset, part.Limit), len(list), nil
}

// PromptDependents implements metastore.PromptHistory.
func (m *Memory) PromptDependents(ctx context.Context, projectID, name string, part metastore.Range) ([]metastore.PromptDependent, int, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckPromptName(name, metastore.PromptSelector{})); err != nil {
		return nil, 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []metastore.PromptDependent
	for key, p := range m.prompts.names {
		if key.project != projectID {
			continue
		}
		for number, v := range p.versions {
			for _, r := range v.includes {
				if r.Name == name {
					list = append(list, metastore.PromptDependent{Name: key.name, Version: number, Includes: r})
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b metastore.PromptDependent) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(b.Version, a.Version))
	})
	return cut(list, part.Offset, part.Limit), len(list), nil
}
