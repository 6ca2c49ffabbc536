package api

import (
	"context"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// promptIDs returns a function that finds the id of the prompt which a row names, "" when there is none.
// Metadata that cannot be read keeps no row from being shown: those that are left show no id.
func (s *server) promptIDs(ctx context.Context, projectID string) func(o *model.Observation) string {
	type named struct {
		name    string
		version uint32
	}
	known, away := map[named]string{}, false
	return func(o *model.Observation) string {
		asked := named{o.PromptName, o.PromptVersion}
		if o.PromptID != "" || asked.name == "" || asked.version == 0 {
			return o.PromptID
		}
		id, ok := known[asked]
		if !ok && !away {
			var err error
			id, err = s.Prompts.ID(ctx, projectID, asked.name, int(asked.version))
			away = err != nil && !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.Invalid)
			known[asked] = id
		}
		return id
	}
}
