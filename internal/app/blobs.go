package app

import (
	"context"
	"errors"
	"io"

	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/selfobs"
)

// countedBlobs counts operations on blobs that failed. A blob that is not there is an answer.
type countedBlobs struct {
	blob.Store
	metrics *selfobs.Metrics
}

// Put implements blob.Store.
func (c countedBlobs) Put(ctx context.Context, key string, r io.Reader) error {
	return c.count(ctx, "put", c.Store.Put(ctx, key, r))
}

// Get implements blob.Store.
func (c countedBlobs) Get(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	content, err := c.Store.Get(ctx, key)
	return content, c.count(ctx, "get", err)
}

// Delete implements blob.Store.
func (c countedBlobs) Delete(ctx context.Context, key string) error {
	return c.count(ctx, "delete", c.Store.Delete(ctx, key))
}

// List implements blob.Store.
func (c countedBlobs) List(ctx context.Context, dir string, each func(key string) error) error {
	var own error
	err := c.Store.List(ctx, dir, func(key string) error {
		own = each(key)
		return own
	})
	if own == nil {
		_ = c.count(ctx, "list", err) // what each returns is no fault of the store
	}
	return err
}

func (c countedBlobs) count(ctx context.Context, operation string, err error) error {
	if err != nil && !errors.Is(err, blob.ErrNotFound) && ctx.Err() == nil {
		c.metrics.BlobFailed(operation)
	}
	return err
}
