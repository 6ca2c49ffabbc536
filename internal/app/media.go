package app

import (
	"context"
	"fmt"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/media"
	"github.com/sondehq/sonde/internal/writer"
)

func (n *node) openMedia(ctx context.Context) error {
	secret, err := n.meta.Secret(ctx, "media")
	if err != nil {
		return fmt.Errorf("read the secret of media addresses: %w", err)
	}
	n.media = media.New(media.Config{
		Blobs: n.blobs, Store: n.meta, Secret: secret, MaxLength: int64(n.config.Media.MaxLength), Room: n.mediaRoom,
	})
	return nil
}

// readersFindBlobs reports whether nodes that read see what this one stores.
func (n *node) readersFindBlobs() bool { return n.blobsShared() || n.config.Runs("read") }

// mediaRoom refuses uploads while the disk is nearly full, and where those who read would not find
// them.
func (n *node) mediaRoom() error {
	if !n.readersFindBlobs() {
		return fault.Unavailablef("this node keeps no media, because nodes that read would not find them").
			Hint("set blob-dir to a directory that all nodes share, or blob-s3-bucket")
	}
	return n.gate.check()
}

// writerSteps is what the writer does to rows before they are stored. Prices come last: where tokens
// are counted, an image is no text.
func (n *node) writerSteps(ctx context.Context) []writer.Step {
	var steps []writer.Step
	switch {
	case !n.config.Media.Extract:
	case n.readersFindBlobs():
		steps = append(steps, media.NewExtractor(n.blobs, n.meta, int64(n.config.Media.MaxLength), n.logger))
	default:
		n.logger.InfoContext(ctx, "content stays in spans: set blob-dir to a directory that all nodes share, or blob-s3-bucket, to take it out")
	}
	return append(steps, n.pricer)
}
