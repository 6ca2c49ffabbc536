package prompts

import (
	"context"

	"github.com/sondehq/sonde/internal/metastore"
)

// Versions returns a part of the versions of a prompt, the highest first, and how many there are. fault.NotFound.
func (s *Service) Versions(ctx context.Context, projectID, name string, part metastore.Range) ([]metastore.PromptVersion, int, error) {
	list, total, err := s.store.PromptVersions(ctx, projectID, name, part)
	if err == nil && total == 0 {
		return nil, 0, noPrompt()
	}
	return list, total, err
}

// Dependents returns a part of the versions of other prompts that include one of this name, and how many there are.
func (s *Service) Dependents(ctx context.Context, projectID, name string, part metastore.Range) ([]metastore.PromptDependent, int, error) {
	return s.store.PromptDependents(ctx, projectID, name, part)
}
