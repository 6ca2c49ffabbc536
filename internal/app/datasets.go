package app

import (
	"context"

	"github.com/sondehq/sonde/internal/datasets"
)

// hasMedia tells the items of datasets which media they can refer to.
func (n *node) hasMedia(ctx context.Context, projectID, mediaID string) error {
	_, err := n.media.Find(ctx, projectID, mediaID)
	return err
}

// linkerPart ties traces of older clients to their experiments.
func (n *node) linkerPart() part {
	return background("linker", "run items were being linked; they will be looked at again", func(context.Context) func(context.Context) {
		return datasets.NewLinker(n.meta, n.store, n.logger).Run
	})
}
