package app

import (
	"context"
	"time"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/erase"
)

// sweepEvery is how often it is looked for what is hidden and not erased: jobs may have failed or been canceled.
const sweepEvery = 10 * time.Minute

// eraseParts is where data of traces lies. A node without store or log only takes jobs in.
func (n *node) eraseParts() erase.Parts {
	return erase.Parts{Store: n.store, Log: n.log, Metadata: n.meta, Projects: n.meta, Media: n.media, Blobs: n.blobs}
}

// eraseService takes deletes, nil on a node without the store or the log.
func (n *node) eraseService() *erase.Service {
	if n.store == nil || n.jobs == nil {
		return nil
	}
	return erase.New(n.store, n.meta, n.meta, n.jobService(), n.logger)
}

// deleter is what the API deletes by.
func (n *node) deleter() api.TraceDeleter {
	if service := n.eraseService(); service != nil {
		return service
	}
	return nil
}

// projectEraser is what the API deletes projects by.
func (n *node) projectEraser() api.ProjectEraser {
	if service := n.eraseService(); service != nil {
		return service
	}
	return nil
}

// sweepPart starts jobs for what earlier ones left.
func (n *node) sweepPart() part {
	return background("sweep of deletes", "a sweep of deletes was still under way", func(context.Context) func(context.Context) {
		return func(ctx context.Context) {
			if !n.awaitMigrated(ctx) {
				return
			}
			service := n.eraseService()
			every(ctx, sweepEvery, func(ctx context.Context) {
				if err := service.Sweep(ctx); err != nil && ctx.Err() == nil {
					n.logger.WarnContext(ctx, "what is deleted and not erased was not looked for", "error", err)
				}
			})
		}
	})
}
