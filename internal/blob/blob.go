// Package blob is the port to object storage: media, exports and bodies too large for the log.
package blob

import (
	"context"
	"errors"
	"io"
)

// ErrNotFound is returned for a key that holds nothing.
var ErrNotFound = errors.New("blob not found")

// Store keeps immutable byte strings under keys.
//
// Keys are made by us, never by clients: lower-case letters, digits, '-', '_', '.' and '/',
// no empty, "." or ".." segment, at most 512 bytes and 200 per segment. Anything else is
// refused with ErrKey.
type Store interface {
	// Put stores everything r yields under key, replacing what was there.
	// When it returns nil the bytes are durable; a reader sees all of them or none.
	Put(ctx context.Context, key string, r io.Reader) error
	// Get returns the bytes under key, or ErrNotFound. The reader seeks without reading what it
	// skips, and its end is the length of the blob; the caller closes it. It never mixes two
	// blobs: when the key gets another one meanwhile, it goes on with the old one or fails.
	Get(ctx context.Context, key string) (io.ReadSeekCloser, error)
	// Delete removes key; deleting what is not there is no error.
	Delete(ctx context.Context, key string) error
	// List calls each with every key below dir, in no promised order and as they are found, so that
	// their number costs no memory. dir is a key whose segments all of them begin with, or "" for
	// all. Keys that come or go meanwhile may be among them or not. What each returns ends it.
	List(ctx context.Context, dir string, each func(key string) error) error
}
