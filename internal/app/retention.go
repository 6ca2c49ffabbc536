package app

import (
	"context"
	"time"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/retention"
)

// retentionParts is what retention looks after. A node without store or log only takes jobs in.
func (n *node) retentionParts() retention.Parts {
	own := n.config.Retention
	return retention.Parts{
		Store: n.store, Metadata: n.meta, Media: n.media, Log: n.log, Blobs: n.blobs, Logger: n.logger, Now: time.Now, Cell: n.config.Cell,
		Default: model.Retention{Days: own.Days, PayloadDays: own.PayloadDays},
	}
}

// retentionPart starts a job when the last one is long enough ago.
func (n *node) retentionPart() part {
	return background("retention", "retention was still being started", func(context.Context) func(context.Context) {
		return func(ctx context.Context) {
			every(ctx, min(n.config.Retention.Every, time.Hour), func(ctx context.Context) {
				if err := retention.Start(ctx, n.jobs, n.config.Retention.Every, time.Now()); err != nil && ctx.Err() == nil {
					n.logger.WarnContext(ctx, "retention was not started", "error", err)
				}
			})
		}
	})
}
