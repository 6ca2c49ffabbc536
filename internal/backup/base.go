package backup

import (
	"context"
	"errors"
	"path"
	"strings"
)

// Base is an earlier backup that a new one stands on.
//
// Promise: a file of it that the new backup refers to is checked by its checksum when it is restored, like every other.
// Whoever removes a backup that another one needs has neither.
type Base struct {
	Backup *Backup
	// Place is where it lies, relative to the new one, with slashes.
	Place string
}

// files are those of the base that a new backup may refer to, each with its place relative to the new one.
func (b *Base) files(ctx context.Context) (map[string]File, error) {
	if b.Backup.Manifest.DeletesOnly {
		return nil, errors.New("a list of deletes is nothing to build on: name a whole backup with --onto")
	}
	known := map[string]File{}
	err := b.Backup.each(ctx, func(f File) error {
		if strings.HasPrefix(f.Key, blobKeys) || strings.HasPrefix(f.Key, storeKeys) && f.State != "" {
			f.In = path.Join(b.Place, f.In)
			known[f.Key] = f
		}
		return nil
	})
	return known, err
}
